/* Any bytes may come as an answer: nothing behind them is read, each port is there once, and not more than there is room for.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "launch/egress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        uint16_t ports[8] = { 0 };
        struct listeners found = { .ports = ports, .max = size ? data[0] % 9 : 0 };
        char *bytes; /* so that it ends where the answer does */

        if (size == 0)
                return 0;
        bytes = malloc(size - 1 + !(size - 1));
        if (!bytes)
                abort();
        memcpy(bytes, data + 1, size - 1);
        listeners_take(bytes, size - 1, &found);
        free(bytes);
        if (found.count > found.max)
                abort();
        for (size_t i = 0; i < found.count; i++)
                for (size_t k = 0; k < i; k++)
                        if (ports[i] == ports[k])
                                abort();
        return 0;
}
