#include "guard/tables/lookalikes.h"

#include <stddef.h>

const struct lookalike lookalikes[] = {
        { 0x00a0, 0x00a0, "a no-break space, which is not a blank" },
        { 0x00ad, 0x00ad, "a soft hyphen, which is invisible" },
        { 0x0370, 0x03ff, "a Greek letter" },
        { 0x0400, 0x052f, "a Cyrillic letter" },
        { 0x1680, 0x1680, "a space that is not a blank" },
        { 0x2000, 0x200a, "a space that is not a blank" },
        { 0x200b, 0x200f, "an invisible character" },
        { 0x2010, 0x2015, "a dash that is not a hyphen" },
        { 0x2024, 0x2024, "a dot that is not a full stop" },
        { 0x2028, 0x2029, "a line separator that is not a newline" },
        { 0x202f, 0x202f, "a space that is not a blank" },
        { 0x2044, 0x2044, "a stroke that is not a slash" },
        { 0x205f, 0x2064, "an invisible character" },
        { 0x2212, 0x2212, "a minus that is not a hyphen" },
        { 0x2215, 0x2216, "a stroke that is not a slash" },
        { 0x29f8, 0x29f9, "a stroke that is not a slash" },
        { 0x3000, 0x3000, "a space that is not a blank" },
        { 0xfeff, 0xfeff, "a byte order mark, which is invisible" },
        { 0xff01, 0xff5e, "a wide form of an ASCII character" },
        { 0, 0, NULL },
};
