/*
 * Names of ports, which c-ares would look up if it were asked for any. In a static program the functions of glibc would load
 * libraries of the system for it, of whatever version they are there. Nothing here needs them, so these functions return
 * nothing.
 */
#include <errno.h>
#include <netdb.h>
#include <stddef.h>

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): glibc's have leading underscores */
struct servent *getservbyname(const char *name, const char *protocol) {
        (void)name;
        (void)protocol;
        return NULL;
}

int getservbyport_r(int port, const char *protocol, struct servent *room, char *buffer, size_t size, struct servent **ret) {
        (void)port;
        (void)protocol;
        (void)room;
        (void)buffer;
        (void)size;
        *ret = NULL;
        return ENOENT;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
