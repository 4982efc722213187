#include "audit/chain.h"

#define ZEROS "0000000000000000"

const struct chain_hash chain_genesis = { ZEROS ZEROS ZEROS ZEROS };

enum { HEX = 2 * SHA256_SIZE };

static bool take_hash(struct str s, struct chain_hash *ret) {
        if (s.len < HEX)
                return false;
        for (size_t i = 0; i < HEX; i++)
                if (!is_ascii_digit((unsigned char)s.ptr[i]) && (s.ptr[i] < 'a' || s.ptr[i] > 'f'))
                        return false;
        memcpy(ret->hex, s.ptr, HEX);
        ret->hex[HEX] = 0;
        return true;
}

void chain_seal(const struct chain_hash *prev, struct str body, struct str more, struct buf *ret_line,
                struct chain_hash *ret_hash) {
        size_t start = ret_line->len;

        buf_append(ret_line, STR(CHAIN_HEAD));
        buf_append(ret_line, str_z(prev->hex));
        buf_append(ret_line, STR("\","));
        buf_append(ret_line, body);
        buf_append(ret_line, more);
        sha256_hex(str_skip(buf_str(ret_line), start), ret_hash->hex);
        buf_append(ret_line, STR(CHAIN_TAIL));
        buf_append(ret_line, str_z(ret_hash->hex));
        buf_append(ret_line, STR("\"}\n"));
}

bool chain_ends(struct str line, struct chain_hash *ret_hash) {
        struct str tail;

        if (line.len < CHAIN_TAIL_SIZE)
                return false;
        tail = str_skip(line, line.len - CHAIN_TAIL_SIZE);
        return str_starts(tail, STR(CHAIN_TAIL)) && str_ends(tail, STR("\"}")) &&
               take_hash(str_skip(tail, sizeof(CHAIN_TAIL) - 1), ret_hash);
}

enum chain_state chain_look(struct str line, struct chain_hash *ret_prev, struct chain_hash *ret_hash) {
        struct chain_hash said, is, prev;

        if (!chain_ends(line, &said))
                return CHAIN_TORN;
        sha256_hex(str_take(line, line.len - CHAIN_TAIL_SIZE), is.hex);
        if (strcmp(said.hex, is.hex) != 0 || !str_starts(line, STR(CHAIN_HEAD)) ||
            !take_hash(str_skip(line, sizeof(CHAIN_HEAD) - 1), &prev))
                return CHAIN_CHANGED;
        *ret_prev = prev;
        *ret_hash = said;
        return CHAIN_RIGHT;
}
