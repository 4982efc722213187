#include "policy/setting.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/time.h"
#include "base/text_reader.h"
#include "policy/value_types.h"

/* ---- messages ---- */

int setting_fail(const struct setting_reader *r, struct tree_pos at, const char *format, ...) {
        char message[140];
        va_list args;

        va_start(args, format);
        vsnprintf(message, sizeof(message), format, args);
        va_end(args);
        r->error->code = ERR_INVALID;
        r->error->at = at;
        snprintf(r->error->message, sizeof(r->error->message), "%.68s: %s", r->path, message);
        return -1;
}

int setting_no_memory(const struct setting_reader *r) {
        *r->error = (struct tree_error){ .code = ERR_MEMORY, .message = "out of memory" };
        return -1;
}

static void found_text(const struct tree_node *node, char *text, size_t size) {
        switch (node->kind) {
        case TREE_STRING:
                snprintf(text, size, "%s", reader_quote(node->text).text);
                break;
        case TREE_INTEGER:
                snprintf(text, size, "%" PRId64, node->integer);
                break;
        case TREE_FLOAT:
                snprintf(text, size, "%g", node->real);
                break;
        case TREE_BOOLEAN:
                snprintf(text, size, "%s", node->boolean ? "true" : "false");
                break;
        default:
                snprintf(text, size, "%s", tree_kind_name(node->kind));
        }
}

int setting_expected(const struct setting_reader *r, const struct tree_node *node, const char *what) {
        char found[96];

        found_text(node, found, sizeof(found));
        return setting_fail(r, node->at, "expected %s, found %s", what, found);
}

/* ---- numbers ---- */

/* "64 to 65536", in the words of the type. */
static void range_text(const struct key_row *key, char *text, size_t size) {
        struct amount_text from = duration_text(key->min), to = duration_text(key->max);

        if (key->type == KEY_BYTES) {
                from = bytes_text(key->min);
                to = bytes_text(key->max);
        } else if (key->type != KEY_DURATION) {
                snprintf(from.text, sizeof(from.text), "%" PRId64, key->min);
                snprintf(to.text, sizeof(to.text), "%" PRId64, key->max);
        }
        snprintf(text, size, "%s to %s", from.text, to.text);
}

static int out_of_range(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node) {
        char range[80];

        range_text(key, range, sizeof(range));
        return setting_expected(r, node, range);
}

static int integer_check(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node, int64_t value,
                         int64_t *ret) {
        if (value < key->min || value > key->max)
                return out_of_range(r, key, node);
        *ret = value;
        return 0;
}

static int read_integer(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                        struct setting *ret) {
        if (node->kind != TREE_INTEGER)
                return setting_expected(r, node, "an integer");
        return integer_check(r, key, node, node->integer, &ret->value.integer);
}

static int read_number(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                       struct setting *ret) {
        double number = node->kind == TREE_INTEGER ? (double)node->integer : node->real;

        if (node->kind != TREE_INTEGER && node->kind != TREE_FLOAT)
                return setting_expected(r, node, "a number");
        if (!(number >= (double)key->min && number <= (double)key->max)) /* NaN, too */
                return out_of_range(r, key, node);
        ret->value.number = number;
        return 0;
}

static int read_bytes(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                      struct setting *ret) {
        int64_t bytes = node->integer;

        if (node->kind != TREE_INTEGER && (node->kind != TREE_STRING || bytes_read(node->text, &bytes) < 0))
                return setting_expected(r, node, "a number of bytes, or a string such as \"64 KiB\"");
        return integer_check(r, key, node, bytes, &ret->value.integer);
}

/* { secs = 30, nanos = 0 } */
static int read_secs_nanos(const struct setting_reader *r, const struct tree_node *node, int64_t *ret) {
        int64_t secs = 0, nanos = 0;

        TREE_EACH(child, node) {
                int64_t *part = str_is(child->key, "secs") ? &secs : str_is(child->key, "nanos") ? &nanos : NULL;

                if (!part)
                        return setting_fail(r, child->key_at, "unknown key %s; a time has secs and nanos",
                                            reader_quote(child->key).text);
                if (child->kind != TREE_INTEGER || child->integer < 0)
                        return setting_expected(r, child, "an integer");
                *part = child->integer;
        }
        if (__builtin_mul_overflow(secs, TIME_SECOND, &secs) || __builtin_add_overflow(secs, nanos, ret))
                *ret = INT64_MAX;
        return 0;
}

static int read_duration(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                         struct setting *ret) {
        int64_t time = 0;

        if (node->kind == TREE_TABLE) {
                if (read_secs_nanos(r, node, &time) < 0)
                        return -1;
        } else if (node->kind == TREE_INTEGER) {
                if (__builtin_mul_overflow(node->integer, TIME_SECOND, &time))
                        time = INT64_MAX;
        } else if (node->kind == TREE_FLOAT) {
                if (!(node->real >= 0 && node->real < 1e9))
                        return out_of_range(r, key, node);
                time = llround(node->real * (double)TIME_SECOND);
        } else if (node->kind != TREE_STRING || duration_read(node->text, &time) < 0) {
                return setting_expected(r, node, "a number of seconds, or a string such as \"10s\" or \"2m\"");
        }
        return integer_check(r, key, node, time, &ret->value.integer);
}

/* ---- words and strings ---- */

static int read_boolean(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                        struct setting *ret) {
        (void)key;
        if (node->kind != TREE_BOOLEAN)
                return setting_expected(r, node, "true or false");
        ret->value.boolean = node->boolean;
        return 0;
}

static int read_word(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                     struct setting *ret) {
        char words[128] = "";
        size_t used = 0;

        for (unsigned i = 0; key->words[i]; i++) {
                if (node->kind == TREE_STRING && str_is(node->text, key->words[i])) {
                        ret->value.word = i;
                        return 0;
                }
                if (used < sizeof(words))
                        used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%s", i ? ", " : "one of ",
                                                 key->words[i]);
        }
        return setting_expected(r, node, words);
}

static int number_text(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                       struct str *ret) {
        char digits[24];
        int len = snprintf(digits, sizeof(digits), "%" PRId64, node->integer);
        char *text = arena_dup(r->arena, str_from(digits, (size_t)len));

        if (!text)
                return setting_no_memory(r);
        if (!key->text->valid(str_z(text)))
                return setting_expected(r, node, key->text->expected);
        *ret = str_z(text);
        return 0;
}

int setting_text(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node, struct str *ret) {
        if (node->kind == TREE_INTEGER && key->text && key->text->number)
                return number_text(r, key, node, ret);
        if (node->kind != TREE_STRING)
                return setting_expected(r, node, key->text ? key->text->expected : "a string");
        if (memchr(node->text.ptr, '\0', node->text.len))
                return setting_fail(r, node->at, "the string contains a NUL character");
        if (key->text && !key->text->valid(node->text))
                return key->text->login ? setting_fail(r, node->at, "expected %s", key->text->expected)
                                        : setting_expected(r, node, key->text->expected);
        *ret = node->text;
        return 0;
}

static int read_string(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                       struct setting *ret) {
        return setting_text(r, key, node, &ret->value.text);
}

int setting_read(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node, struct setting *ret) {
        static int (*const readers[])(const struct setting_reader *, const struct key_row *, const struct tree_node *,
                                      struct setting *) = {
                [KEY_BOOLEAN] = read_boolean,       [KEY_INTEGER] = read_integer,          [KEY_NUMBER] = read_number,
                [KEY_BYTES] = read_bytes,           [KEY_DURATION] = read_duration,        [KEY_WORD] = read_word,
                [KEY_STRING] = read_string,         [KEY_LIST] = setting_read_list,        [KEY_PAIRS] = setting_read_list,
                [KEY_PATTERNS] = setting_read_list, [KEY_CREDENTIALS] = setting_read_list,
        };

        *ret = (struct setting){ .key = key, .at = node->at };
        return readers[key->type](r, key, node, ret);
}
