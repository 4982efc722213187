/*
 * JSON5: space, comments and structure. JSON is the same grammar with less in it, so `strict` is asked in the few places
 * where it is less, and the message says so.
 */
#include "base/json5.h"

#include "base/json5_parts.h"
#include "base/str.h"

const struct json5_rules json5_all = {
        .syntax = JSON5_ALL,
        .byte_order_mark = true,
        .text_max = TREE_TEXT_MAX,
        .depth_max = TREE_DEPTH_MAX,
};

const struct json5_rules json5_plain = {
        .syntax = JSON5_PLAIN,
        .text_max = TREE_TEXT_MAX,
        .depth_max = TREE_DEPTH_MAX,
        .advice = "; JSON5 (a file named *.json5) does",
};

/* U+2028, U+2029, CR, LF. */
static bool json5_is_line_end(uint32_t rune) {
        return rune == '\n' || rune == '\r' || rune == 0x2028 || rune == 0x2029;
}

static bool json5_is_space(uint32_t rune) {
        return rune == ' ' || (rune >= '\t' && rune <= '\r') || rune == 0xa0 || rune == 0x1680 ||
               (rune >= 0x2000 && rune <= 0x200a) || rune == 0x2028 || rune == 0x2029 || rune == 0x202f || rune == 0x205f ||
               rune == 0x3000 || rune == 0xfeff;
}

static bool is_json_space(uint32_t rune) {
        return rune == ' ' || rune == '\t' || rune == '\n' || rune == '\r';
}

bool json5_comment_at(struct str text, size_t at) {
        return at + 1 < text.len && text.ptr[at] == '/' && (text.ptr[at + 1] == '/' || text.ptr[at + 1] == '*');
}

size_t json5_comment_end(struct str text, size_t at, bool *ret_closed) {
        const bool block = text.ptr[at + 1] == '*';
        size_t len;

        *ret_closed = true;
        for (at += 2; at < text.len; at += len) {
                struct str rest = str_skip(text, at);

                if (block && str_starts(rest, STR("*/")))
                        return at + 2;
                if (!block && json5_is_line_end(rune_first(rest, &len)))
                        return at;
                len = block ? 1 : len;
        }
        *ret_closed = !block;
        return text.len;
}

static int comment_read(struct json5 *j) {
        const struct tree_pos at = reader_pos(&j->r, j->r.next);
        struct str rest = str_from(j->r.next, (size_t)(j->r.end - j->r.next));
        bool closed;

        if (j->rules->syntax == JSON5_PLAIN)
                return reader_fail(&j->r, at, "JSON has no comments%s", j->rules->advice ? j->rules->advice : "");
        j->r.next += json5_comment_end(rest, 0, &closed);
        return closed ? 0 : reader_fail(&j->r, at, "the comment is never closed");
}

static int space_skip(struct json5 *j) {
        struct reader *r = &j->r;
        size_t len;

        while (r->next < r->end) {
                uint32_t rune = reader_rune(r, &len);

                if (json5_comment_at(str_from(r->next, (size_t)(r->end - r->next)), 0)) {
                        if (comment_read(j) < 0)
                                return -1;
                } else if (j->strict ? is_json_space(rune) : json5_is_space(rune)) {
                        r->next += len;
                } else {
                        break;
                }
        }
        return 0;
}

static struct tree_node *value_add(struct json5 *j, struct tree_node *parent, const struct reader_key *key);

/* What is between two elements, or in front of the first or behind the last: 1 when the closing bracket was there. */
static int list_next(struct json5 *j, const struct tree_node *list, char closing) {
        const char close[] = { closing, '\0' };
        struct reader *r = &j->r;

        if (space_skip(j) < 0)
                return -1;
        if (reader_take(r, close))
                return 1;
        if (!list->count)
                return 0;
        if (!reader_take(r, ","))
                return reader_expected(r, "',' or '%c' in the %s of line %u", closing,
                                       list->kind == TREE_ARRAY ? "array" : "object", list->at.line);
        if (space_skip(j) < 0)
                return -1;
        if (reader_peek(r) != closing)
                return 0;
        if (j->strict)
                return reader_expected(r, "a value after ',' (JSON has no trailing commas)");
        r->next++;
        return 1;
}

static int array_read(struct json5 *j, struct tree_node *array) {
        static const struct reader_key none;
        int done;

        j->r.next++;
        while ((done = list_next(j, array, ']')) == 0)
                if (!value_add(j, array, &none))
                        return -1;
        return done < 0 ? -1 : 0;
}

static int key_read(struct json5 *j, const struct tree_node *object, struct reader_key *ret) {
        struct reader *r = &j->r;
        const struct tree_node *old;
        int c = reader_peek(r);

        *ret = reader_key_start(r);
        if (c == '"' || (c == '\'' && !j->strict)) {
                if (json5_string(j, &ret->name) < 0)
                        return -1;
        } else if (j->strict) {
                return reader_expected(r, "a key in double quotes");
        } else if (json5_name(j, &ret->name) < 0) {
                return -1;
        }
        old = tree_get(object, ret->name);
        if (old)
                return reader_fail(r, ret->at, "duplicate key %s, first used on line %u", reader_quote(ret->name).text,
                                   old->key_at.line);
        return 0;
}

static int object_read(struct json5 *j, struct tree_node *object) {
        struct reader_key key;
        int done;

        j->r.next++;
        while ((done = list_next(j, object, '}')) == 0) {
                if (key_read(j, object, &key) < 0 || space_skip(j) < 0)
                        return -1;
                if (!reader_take(&j->r, ":"))
                        return reader_expected(&j->r, "':' after the key %s", reader_quote(key.name).text);
                if (space_skip(j) < 0 || !value_add(j, object, &key))
                        return -1;
        }
        return done < 0 ? -1 : 0;
}

static bool word_read(struct reader *r, struct tree_node *node) {
        static const struct {
                const char *word;
                enum tree_kind kind;
                bool value;
        } words[] = { { "null", TREE_NULL, false }, { "true", TREE_BOOLEAN, true }, { "false", TREE_BOOLEAN, false } };

        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
                if (reader_take(r, words[i].word)) {
                        node->kind = words[i].kind;
                        node->boolean = words[i].value;
                        return true;
                }
        return false;
}

static int value_read(struct json5 *j, struct tree_node *node) {
        int c = reader_peek(&j->r);

        if (c == '{')
                return reader_open(&j->r, node, TREE_TABLE) < 0 ? -1 : object_read(j, node);
        if (c == '[')
                return reader_open(&j->r, node, TREE_ARRAY) < 0 ? -1 : array_read(j, node);
        if (c == '"' || (c == '\'' && !j->strict)) {
                node->kind = TREE_STRING;
                return json5_string(j, &node->text);
        }
        if (word_read(&j->r, node))
                return 0;
        if (json5_number_ahead(j))
                return json5_number(j, node);
        return reader_expected(&j->r, "a value (a string needs %squotes)", j->strict ? "double " : "");
}

static struct tree_node *value_add(struct json5 *j, struct tree_node *parent, const struct reader_key *key) {
        struct tree_node *node = reader_add(&j->r, parent, key);

        if (!node || value_read(j, node) < 0)
                return NULL;
        node->end = (uint32_t)(j->r.next - j->r.text);
        return node;
}

static struct tree_node *document_read(struct json5 *j) {
        struct tree_node *root = space_skip(j) < 0 ? NULL : value_add(j, NULL, &(struct reader_key){ 0 });

        if (!root || space_skip(j) < 0)
                return NULL;
        if (j->r.next < j->r.end) {
                reader_expected(&j->r, "the end of the file after the value");
                return NULL;
        }
        return root;
}

int json5_read(struct str text, const struct json5_rules *rules, struct arena *arena, struct tree_node **ret,
               struct tree_error *error) {
        struct json5 j = { .rules = rules, .strict = rules->syntax != JSON5_ALL };
        struct tree_node *root;

        if (reader_init(&j.r, text, rules->text_max, arena, error) < 0)
                return reader_abort(&j.r);
        j.r.depth_max = rules->depth_max;
        if (rules->byte_order_mark && reader_take(&j.r, "\xef\xbb\xbf"))
                j.r.marked = j.r.start = j.r.next; /* not counted */
        root = document_read(&j);
        if (!root)
                return reader_abort(&j.r);
        *ret = root;
        return 0;
}
