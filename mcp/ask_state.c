/*
 * What a client carries from the question to the answer. It is anybody's text when it comes back: NONCE.MAC, in hexadecimal
 * digits. The MAC is over the nonce and the digest of the question. A nonce is known as long as its question is open, so that a
 * state counts once, and never when the table has forgotten it.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/id.h"
#include "mcp/ask.h"

/* In hexadecimal digits. */
enum { NONCE_DIGITS = 2 * ASK_NONCE_SIZE, DIGEST_DIGITS = 2 * SHA256_SIZE, STATE_SIZE = NONCE_DIGITS + 1 + DIGEST_DIGITS };

static bool fill(void *bytes, size_t size) {
        ssize_t got;

        do
                got = getrandom(bytes, size, 0);
        while (got < 0 && errno == EINTR);
        return got == (ssize_t)size;
}

static void digest_of(struct str text, uint8_t ret[static SHA256_SIZE]) {
        struct sha256 sha;

        sha256_init(&sha);
        sha256_add(&sha, text);
        sha256_end(&sha, ret);
}

static void mac_of(const struct asks *asks, const struct bailey_question *question, const struct ask_state *state,
                   uint8_t ret[static SHA256_SIZE]) {
        char text[ASK_NONCE_SIZE + sizeof(state->until) + DIGEST_DIGITS];
        size_t len = strlen(question->digest);

        if (len > DIGEST_DIGITS)
                len = DIGEST_DIGITS;
        memcpy(text, state->nonce, ASK_NONCE_SIZE);
        memcpy(text + ASK_NONCE_SIZE, &state->until, sizeof(state->until));
        memcpy(text + ASK_NONCE_SIZE + sizeof(state->until), question->digest, len);
        sha256_hmac(str_from((const char *)asks->key, sizeof(asks->key)),
                    str_from(text, ASK_NONCE_SIZE + sizeof(state->until) + len), ret);
}

static void text_of(const struct asks *asks, const struct bailey_question *question, const struct ask_state *state,
                    char ret[static STATE_SIZE + 1]) {
        uint8_t mac[SHA256_SIZE];

        mac_of(asks, question, state, mac);
        id_hex(str_from((const char *)state->nonce, ASK_NONCE_SIZE), ret);
        ret[NONCE_DIGITS] = '.';
        id_hex(str_from((const char *)mac, SHA256_SIZE), ret + NONCE_DIGITS + 1);
}

/* That of the same command, whose earlier question is closed by that; else a free one, or the one that ends first. */
static struct ask_state *place_for(struct asks *asks, const uint8_t command[static SHA256_SIZE], int64_t now) {
        struct ask_state *first = &asks->states[0];

        for (size_t i = 0; i < ASK_STATES_MAX; i++) {
                struct ask_state *state = &asks->states[i];

                if (state->until <= now)
                        state->until = 0;
                if (state->until && memcmp(state->command, command, SHA256_SIZE) == 0)
                        return state;
                if (state->until < first->until)
                        first = state;
        }
        return first;
}

bool ask_state_make(struct asks *asks, const struct bailey_question *question, int64_t now, int64_t until, struct buf *out) {
        struct ask_state state = { .until = until };
        char text[STATE_SIZE + 1];

        if (!asks->has_key && !fill(asks->key, sizeof(asks->key)))
                return false;
        asks->has_key = true;
        if (!fill(state.nonce, sizeof(state.nonce)))
                return false;
        digest_of(str_z(question->command), state.command);
        *place_for(asks, state.command, now) = state;
        text_of(asks, question, &state, text);
        buf_append(out, str_z(text));
        return true;
}

/* As long as nothing is wrong, in the same time whatever it holds. */
static bool is_text(const char *text, const char *expected) {
        uint8_t a[SHA256_SIZE], b[SHA256_SIZE];

        digest_of(str_z(text), a);
        digest_of(str_z(expected), b);
        return sha256_same(a, b);
}

bool ask_state_take(struct asks *asks, const struct bailey_question *question, const char *state, int64_t now) {
        for (size_t i = 0; i < ASK_STATES_MAX; i++) {
                struct ask_state *open = &asks->states[i];
                char text[STATE_SIZE + 1];

                if (open->until <= now)
                        continue;
                text_of(asks, question, open, text);
                if (!is_text(state, text))
                        continue;
                *open = (struct ask_state){};
                return true;
        }
        return false;
}
