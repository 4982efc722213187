/*
 * A DNS question is read or dropped; what is read gets answers that repeat it, fit, and begin with its number.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/dns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool is_so) {
        if (!is_so)
                abort();
}

static void answer(const struct dns_question *question, const struct dns_answer *with, size_t room) {
        uint8_t *out = malloc(room ? room : 1); /* exactly as large, so that a write past it is seen */
        size_t len;

        must(out != NULL);
        len = dns_write(question, with, out, room);
        must(len <= room);
        if (len) {
                must(len >= question->len && memcmp(out, question->bytes, 2) == 0);
                must(memcmp(out + 12, question->bytes + 12, question->len - 12) == 0);
                must(out[2] & 0x80 && (out[3] & 15) == with->code);
        }
        free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static const uint8_t addresses[40][16] = { { [10] = 0xff, 0xff, 1, 2, 3, 4 }, { 0x20, 1 } };
        struct dns_question question;
        uint8_t address[16];

        if (dns_read(data, size, &question) < 0)
                return 0;
        must(question.len <= size && question.text.len <= DNS_NAME_MAX && question.size >= 512);
        must(question.name[question.text.len] == '\0');
        if (question.clean)
                must(question.text.len && strlen(question.name) == question.text.len);
        dns_reverse(question.text, address);
        answer(&question, &(struct dns_answer){ .addresses = addresses, .count = 40 }, question.size);
        answer(&question, &(struct dns_answer){ .code = DNS_NXDOMAIN, .extra_text = STR("why") }, question.size);
        answer(&question, &(struct dns_answer){ .name = question.text }, size);
        return 0;
}
