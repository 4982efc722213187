/* Any bytes may come as an answer: they are refused, or each message is answered once, by an errno or 0. */
#include <stdint.h>
#include <stdlib.h>

#include "launch/netlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct netlink_answers answers = {};
        size_t count = size ? data[0] % (NETLINK_MESSAGES_MAX + 2) : 0;

        if (size == 0)
                return 0;
        if (netlink_read_answers(data + 1, size - 1, count, &answers) == 0 && (count > NETLINK_MESSAGES_MAX || !answers.came))
                abort();
        for (size_t i = 0; i < NETLINK_MESSAGES_MAX; i++)
                if (answers.errors[i] < 0 || answers.errors[i] > 4095 || (i >= count && answers.came >> i & 1))
                        abort();
        return 0;
}
