#include "base/id.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

void id_hex(struct str bytes, char *ret_hex) {
        static const char digits[] = "0123456789abcdef";

        for (size_t i = 0; i < bytes.len; i++) {
                unsigned char byte = (unsigned char)bytes.ptr[i];

                *ret_hex++ = digits[byte >> 4];
                *ret_hex++ = digits[byte & 15];
        }
        *ret_hex = '\0';
}

int id_new(char ret_id[static ID_SIZE], struct err *err) {
        static const size_t groups[] = { 4, 2, 2, 2, 6 };
        unsigned char random[16];
        size_t done = 0;
        ssize_t got;

        do /* never short for 16 bytes, but a signal may come before the pool is ready */
                got = getrandom(random, sizeof(random), 0);
        while (got < 0 && errno == EINTR);
        if (got != sizeof(random))
                return err_sys(err, "getrandom");
        random[6] = (random[6] & 0x0f) | 0x40; /* version 4 */
        random[8] = (random[8] & 0x3f) | 0x80; /* the variant of RFC 9562 */
        for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
                if (i)
                        *ret_id++ = '-';
                id_hex(str_from((const char *)random + done, groups[i]), ret_id);
                ret_id += 2 * groups[i];
                done += groups[i];
        }
        return 0;
}
