#include "base/number.h"

#include <stddef.h>
#include <stdio.h>

/* In integers: one decimal, cut, so that what is below a limit does not look like it. */
void size_format(uint64_t bytes, char ret_text[static SIZE_TEXT_SIZE]) {
        static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
        uint64_t unit = 1024;
        unsigned tenths;
        size_t i = 0;

        if (bytes < 1024) {
                snprintf(ret_text, SIZE_TEXT_SIZE, "%u byte%s", (unsigned)bytes, bytes == 1 ? "" : "s");
                return;
        }
        for (; bytes / unit >= 1024; unit *= 1024)
                i++;
        tenths = (unsigned)(bytes % unit * 10 / unit);
        if (tenths)
                snprintf(ret_text, SIZE_TEXT_SIZE, "%u.%u %s", (unsigned)(bytes / unit), tenths, units[i]);
        else
                snprintf(ret_text, SIZE_TEXT_SIZE, "%u %s", (unsigned)(bytes / unit), units[i]);
}
