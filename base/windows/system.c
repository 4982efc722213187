/*
 * The rest of what is asked of a POSIX system: random bytes, and sleep.
 */
#include <windows.h>

#include <bcrypt.h>
#include <poll.h>
#include <sys/random.h>

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
        (void)flags;
        if (BCryptGenRandom(NULL, bytes, (ULONG)count, BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0) {
                errno = EIO;
                return -1;
        }
        return (ssize_t)count;
}

int poll(struct pollfd *fds, unsigned long count, int timeout) {
        for (unsigned long i = 0; i < count; i++)
                fds[i].revents = 0;
        Sleep(timeout < 0 ? INFINITE : (DWORD)timeout);
        return 0;
}
