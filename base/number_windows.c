#include "base/number.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

void number_format(double value, int digits, char ret_text[static NUMBER_SIZE]) {
        const char *point = localeconv()->decimal_point;
        char *found;

        snprintf(ret_text, NUMBER_SIZE, "%.*g", digits, value);
        found = *point ? strchr(ret_text, *point) : NULL;
        if (found)
                *found = '.';
}
