/*
 * What a program relies on when it starts: prints `fine` and ends with 0 if start.c has done all of it. Called as
 * `probe`, by meson.build and by tests.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MUCH = 4 << 20 };

static int constructed;
static char *named = "a relocated pointer";
static _Thread_local int of_thread = 7;
static jmp_buf back;

__attribute__((constructor)) static void construct(void) {
        constructed++;
}

/* What exit() has to reach, behind main(). */
__attribute__((destructor)) static void destruct(void) {
        if (constructed == 2 && write(STDOUT_FILENO, "fine\n", 5) != 5)
                _exit(1);
}

static bool guards_set(void) {
        uintptr_t stack, pointer;

        __asm__("mov %%fs:0x28, %0\n\tmov %%fs:0x30, %1" : "=r"(stack), "=r"(pointer));
        return stack != 0 && (stack & 0xff) == 0 && pointer != 0 && stack != pointer;
}

/* memcpy(), memset() and memcmp() of every size at which they change their ways. */
static bool memory_works(void) {
        unsigned char *from = malloc(MUCH + 64), *to = malloc(MUCH + 64);
        bool same = from && to;

        for (size_t i = 0; same && i < MUCH + 64; i++)
                from[i] = (unsigned char)(i * 31 >> 3);
        for (size_t len = 1; same && len <= MUCH; len = len * 3 / 2 + 1)
                for (size_t shift = 0; same && shift < 3; shift++) {
                        memset(to, 0xaa, len + 8);
                        memcpy(to + shift, from + 1, len);
                        same = memcmp(to + shift, from + 1, len) == 0 && to[len + shift] == 0xaa;
                        memmove(to + shift + 1, to + shift, len);
                        same = same && to[shift] == from[1] && to[len + shift] == from[len];
                }
        free(from);
        free(to);
        return same;
}

static bool text_works(void) {
        char text[300], number[64];

        for (size_t len = 0; len < sizeof(text) - 1; len++) {
                memset(text, 'x', len);
                text[len] = 0;
                if (strlen(text) != len || strchr(text, 'y') || (len && strrchr(text, 'x') != text + len - 1))
                        return false;
        }
        snprintf(number, sizeof(number), "%d %.3f %s", -12, 2.5, named);
        return strcmp(number, "-12 2.500 a relocated pointer") == 0 && strstr(number, "relocated") &&
               strcasecmp(strstr(number, "pointer"), "POINTER") == 0;
}

static void *in_thread(void *seen) {
        of_thread++;
        errno = EDOM;
        *(bool *)seen = of_thread == 8 && guards_set();
        return malloc(1000);
}

static bool threads_work(void) {
        bool seen = false;
        pthread_t thread;
        void *result;

        errno = 0;
        if (pthread_create(&thread, NULL, in_thread, &seen) != 0 || pthread_join(thread, &result) != 0)
                return false;
        free(result);
        return seen && of_thread == 7 && errno == 0;
}

static void jump(int number) {
        (void)number;
        siglongjmp(back, 1);
}

static bool jumps_work(void) {
        signal(SIGUSR1, jump);
        if (sigsetjmp(back, 1) == 0)
                raise(SIGUSR1);
        return sysconf(_SC_PAGESIZE) == (long)getauxval(AT_PAGESZ) && sysconf(_SC_NPROCESSORS_ONLN) > 0 && time(NULL) > 0;
}

static bool children_work(void) {
        int status;
        pid_t pid = fork();

        if (pid == 0)
                _exit(of_thread);
        return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

int main(int argc, char **argv) {
        bool works = argc == 1 && strstr(argv[0], program_invocation_short_name) && constructed == 1 && getenv("PATH") &&
                     guards_set() && memory_works() && text_works() && threads_work() && jumps_work() && children_work();

        constructed += works;
        return works ? 0 : 1;
}
