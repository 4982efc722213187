#include "base/number.h"

#include <locale.h>
#include <stdio.h>

/* newlocale() hands out the C locale without allocating (glibc, musl), and uselocale() is for this thread only. */
void number_format(double value, int digits, char ret_text[static NUMBER_SIZE]) {
        locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;

        snprintf(ret_text, NUMBER_SIZE, "%.*g", digits, value);
        if (plain) {
                uselocale(before);
                freelocale(plain);
        }
}
