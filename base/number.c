#include "base/number.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The program's locale may put anything in the place of the point, also several bytes. */
void number_format(double value, int digits, char ret_text[static NUMBER_SIZE]) {
        static const char usual[] = "+-0123456789abcdefghijklmnopqrstuvwxyz"; /* inf and nan, too */
        char text[2 * NUMBER_SIZE];
        size_t before, point;

        snprintf(text, sizeof(text), "%.*g", digits, value);
        before = strspn(text, usual);
        point = strcspn(text + before, usual);
        snprintf(ret_text, NUMBER_SIZE, "%.*s%s%s", (int)before, text, point ? "." : "", text + before + point);
}

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

uint64_t size_parse(struct str text) {
        static const char units[] = "kmgtpe";
        uint64_t value = 0;
        size_t i = 0;
        const char *unit;

        for (; i < text.len && is_ascii_digit((unsigned char)text.ptr[i]) && value < UINT64_C(1) << 40; i++)
                value = value * 10 + (uint64_t)(text.ptr[i] - '0');
        unit = i < text.len ? strchr(units, ascii_lower((unsigned char)text.ptr[i])) : NULL;
        for (ptrdiff_t n = unit ? unit - units + 1 : 0; n > 0 && value < UINT64_C(1) << 50; n--)
                value <<= 10;
        return value;
}
