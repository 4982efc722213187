/*
 * What programs with c-ares do: ares NAME prints its addresses.
 */
#include <ares.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/select.h>

static void told(void *context, int status, int timeouts, struct ares_addrinfo *result) {
        char text[64];

        (void)timeouts;
        *(int *)context = status == ARES_SUCCESS ? 0 : 1;
        if (status != ARES_SUCCESS)
                puts(status == ARES_ENOTFOUND ? "no such name" : ares_strerror(status));
        for (struct ares_addrinfo_node *at = result ? result->nodes : NULL; at; at = at->ai_next) {
                const void *address = at->ai_family == AF_INET ? (const void *)&((struct sockaddr_in *)at->ai_addr)->sin_addr
                                                               : (const void *)&((struct sockaddr_in6 *)at->ai_addr)->sin6_addr;
                puts(inet_ntop(at->ai_family, address, text, sizeof(text)));
        }
        ares_freeaddrinfo(result);
}

int main(int argc, char **argv) {
        struct ares_addrinfo_hints hints = { .ai_family = AF_UNSPEC };
        struct timeval most = { .tv_sec = 1 };
        ares_channel channel;
        int status = -1;

        if (argc != 2 || ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS || ares_init(&channel) != ARES_SUCCESS)
                return 2;
        ares_getaddrinfo(channel, argv[1], NULL, &hints, told, &status);
        while (status < 0) {
                fd_set in, out;
                FD_ZERO(&in);
                FD_ZERO(&out);
                select(ares_fds(channel, &in, &out), &in, &out, NULL, &most);
                ares_process(channel, &in, &out);
        }
        ares_destroy(channel);
        return status;
}
