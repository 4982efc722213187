#include "gateway/dns.h"

#include <string.h>

#include "policy/addresses.h"

enum {
        HEAD = 12,
        LABEL_MAX = 63,
        CLASS_IN = 1,
        TYPE_OPT = 41,
        SIZE_PLAIN = 512, /* RFC 1035; larger only for who says so */
        OPT_SIZE = 11,
        EXTRA_HEAD = 6,     /* option, length, code */
        EXTRA_OPTION = 15,  /* Extended DNS Error */
        EXTRA_BLOCKED = 15, /* its code "Blocked" */
        EXTRA_TEXT_MAX = 200,
};

static uint16_t get16(const uint8_t *at) {
        return (uint16_t)(at[0] << 8 | at[1]);
}

static void put16(uint8_t *at, size_t value) {
        at[0] = (uint8_t)(value >> 8);
        at[1] = (uint8_t)value;
}

static bool is_clean(unsigned char c) {
        return is_ascii_alnum(c) || c == '-' || c == '_';
}

/* The name from `at` on; returns where it ends, 0 if it is cut, compressed or too long. */
static size_t read_name(const uint8_t *bytes, size_t len, size_t at, struct dns_question *ret) {
        size_t n = 0;

        ret->clean = true;
        while (at < len && bytes[at]) {
                size_t label = bytes[at++];

                if (label > LABEL_MAX || label > len - at || n + label + (n != 0) > DNS_NAME_MAX)
                        return 0;
                if (n)
                        ret->name[n++] = '.';
                for (size_t i = 0; i < label; i++) {
                        ret->clean &= is_clean(bytes[at]);
                        ret->name[n++] = (char)ascii_lower(bytes[at++]);
                }
        }
        ret->clean &= n != 0;
        ret->name[n] = '\0';
        ret->text = str_from(ret->name, n);
        return at < len ? at + 1 : 0;
}

/* An OPT record is looked for right after the question, where every client has it. */
static void read_edns(const uint8_t *bytes, size_t len, size_t at, struct dns_question *ret) {
        ret->edns = get16(bytes + 10) && len - at >= OPT_SIZE && bytes[at] == 0 && get16(bytes + at + 1) == TYPE_OPT;
        ret->size = ret->edns ? get16(bytes + at + 3) : SIZE_PLAIN;
        if (ret->size < SIZE_PLAIN)
                ret->size = SIZE_PLAIN;
        if (ret->size > DNS_ANSWER_MAX)
                ret->size = DNS_ANSWER_MAX;
}

int dns_read(const void *question, size_t len, struct dns_question *ret) {
        const uint8_t *bytes = question;
        size_t end;

        if (len < HEAD || len > DNS_QUESTION_MAX)
                return -1;
        if (bytes[2] & 0xf8) /* an answer, or no standard query */
                return -1;
        if (get16(bytes + 4) != 1 || get16(bytes + 6) || get16(bytes + 8))
                return -1;
        end = read_name(bytes, len, HEAD, ret);
        if (!end || len - end < 4 || get16(bytes + end + 2) != CLASS_IN)
                return -1;
        ret->type = get16(bytes + end);
        ret->len = end + 4;
        read_edns(bytes, len, ret->len, ret);
        memcpy(ret->bytes, bytes, ret->len);
        return 0;
}

/* A record for the name of the question; returns where the next begins, `at` without room. */
static size_t put_record(uint8_t *out, size_t at, size_t room, const struct dns_answer *answer, uint16_t type, const void *data,
                         size_t len) {
        if (room < at || room - at < 12 + len)
                return at;
        put16(out + at, 0xc000 | HEAD); /* the question's name */
        put16(out + at + 2, type);
        put16(out + at + 4, CLASS_IN);
        put16(out + at + 6, answer->ttl >> 16);
        put16(out + at + 8, answer->ttl & 0xffff);
        put16(out + at + 10, len);
        memcpy(out + at + 12, data, len);
        return at + 12 + len;
}

static size_t put_addresses(uint8_t *out, size_t at, size_t room, const struct dns_question *question,
                            const struct dns_answer *answer, size_t *ret_count) {
        for (size_t i = 0; i < answer->count; i++) {
                const uint8_t *address = answer->addresses[i];
                bool v4 = address_is_ipv4(address);
                size_t next;

                if (question->type != (v4 ? DNS_A : DNS_AAAA))
                        continue;
                next = put_record(out, at, room, answer, question->type, v4 ? address + ADDRESS_IPV4_AT : address, v4 ? 4 : 16);
                *ret_count += next != at;
                at = next;
        }
        return at;
}

/* A name as DNS has it; it is one that came out of dns_read(). */
static size_t put_name(struct str name, uint8_t ret[DNS_NAME_MAX + 2]) {
        size_t n = 0;

        if (name.len > DNS_NAME_MAX)
                return 0;
        while (name.len) {
                size_t label = str_find(name, '.');

                if (!label || label > LABEL_MAX)
                        return 0;
                ret[n++] = (uint8_t)label;
                memcpy(ret + n, name.ptr, label);
                n += label;
                name = str_skip(name, label + 1);
        }
        ret[n++] = 0;
        return n;
}

static size_t put_pointer(uint8_t *out, size_t at, size_t room, const struct dns_answer *answer, size_t *ret_count) {
        uint8_t name[DNS_NAME_MAX + 2];
        size_t len = put_name(answer->name, name), next;

        if (!len)
                return at;
        next = put_record(out, at, room, answer, DNS_PTR, name, len);
        *ret_count += next != at;
        return next;
}

static size_t put_edns(uint8_t *out, size_t at, size_t room, struct str text) {
        static const uint8_t option[OPT_SIZE] = { 0, 0, TYPE_OPT, DNS_ANSWER_MAX >> 8, DNS_ANSWER_MAX & 0xff };

        text = str_take(text, EXTRA_TEXT_MAX);
        memcpy(out + at, option, OPT_SIZE);
        at += OPT_SIZE;
        if (text.len && room - at >= EXTRA_HEAD + text.len) {
                put16(out + at - 2, EXTRA_HEAD + text.len);
                put16(out + at, EXTRA_OPTION);
                put16(out + at + 2, 2 + text.len);
                put16(out + at + 4, EXTRA_BLOCKED);
                memcpy(out + at + EXTRA_HEAD, text.ptr, text.len);
                at += EXTRA_HEAD + text.len;
        }
        return at;
}

size_t dns_write(const struct dns_question *question, const struct dns_answer *answer, uint8_t *out, size_t size) {
        size_t room = question->edns ? size - OPT_SIZE : size, at = question->len, count = 0;

        if (size < question->len + OPT_SIZE)
                return 0;
        memcpy(out, question->bytes, question->len);
        if (answer->code == DNS_OK && (question->type == DNS_A || question->type == DNS_AAAA))
                at = put_addresses(out, at, room, question, answer, &count);
        else if (answer->code == DNS_OK && question->type == DNS_PTR)
                at = put_pointer(out, at, room, answer, &count);
        out[2] = (uint8_t)(0x84 | (question->bytes[2] & 1)); /* an authoritative answer; "recursion desired" as it was */
        out[3] = (uint8_t)(0x80 | answer->code);
        put16(out + 6, count);
        put16(out + 8, 0);
        put16(out + 10, question->edns);
        return question->edns ? put_edns(out, at, size, answer->extra_text) : at;
}

static bool reverse_v4(struct str name, uint8_t ret[16]) {
        uint8_t address[4];

        for (size_t i = 0; i < 4; i++) {
                size_t n = str_find(name, '.');
                unsigned value = 0;

                if (!n || n > 3)
                        return false;
                for (size_t k = 0; k < n; k++) {
                        if (!is_ascii_digit((unsigned char)name.ptr[k]))
                                return false;
                        value = value * 10 + (unsigned)(name.ptr[k] - '0');
                }
                if (value > 255)
                        return false;
                address[3 - i] = (uint8_t)value;
                name = str_skip(name, n + 1);
        }
        if (name.len)
                return false;
        address_from_ipv4(address, ret);
        return true;
}

static int hex_digit(char c) {
        return is_ascii_digit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool reverse_v6(struct str name, uint8_t ret[16]) {
        uint8_t address[16];

        if (name.len != 63)
                return false;
        for (size_t i = 0; i < 32; i++) {
                int digit = hex_digit(name.ptr[2 * i]);

                if (digit < 0 || (i < 31 && name.ptr[2 * i + 1] != '.'))
                        return false;
                if (i % 2)
                        address[15 - i / 2] |= (uint8_t)(digit << 4);
                else
                        address[15 - i / 2] = (uint8_t)digit;
        }
        memcpy(ret, address, 16);
        return true;
}

bool dns_reverse(struct str name, uint8_t ret[16]) {
        static const struct str v4 = STR(".in-addr.arpa"), v6 = STR(".ip6.arpa");

        if (str_ends(name, v4))
                return reverse_v4(str_take(name, name.len - v4.len), ret);
        return str_ends(name, v6) && reverse_v6(str_take(name, name.len - v6.len), ret);
}
