#include <inttypes.h>

#include "base/number.h"
#include "base/time.h"
#include "policy/env.h"
#include "policy/show.h"
#include "policy/upstream.h"
#include "policy/value_types.h"

/* JSON's strings are strings of TOML, too. */
static void text_write(struct buf *out, struct str text) {
        buf_json(out, text);
}

/* Seconds, exact. */
static void seconds_write(struct buf *out, int64_t nanoseconds) {
        int64_t rest = nanoseconds % TIME_SECOND;
        int digits = 9;

        buf_format(out, "%" PRId64, nanoseconds / TIME_SECOND);
        if (rest == 0)
                return;
        for (; rest % 10 == 0; rest /= 10)
                digits--;
        buf_format(out, ".%0*" PRId64, digits, rest);
}

static void amount_write(const struct key_row *key, int64_t amount, enum show_style style, struct buf *out) {
        if (key->type == KEY_DURATION && style == SHOW_JSON)
                seconds_write(out, amount);
        else if (key->type == KEY_INTEGER || style == SHOW_JSON || amount == 0)
                buf_format(out, "%" PRId64, amount);
        else
                text_write(out, str_z(key->type == KEY_BYTES ? bytes_text(amount).text : duration_text(amount).text));
}

static void name_write(struct buf *out, struct str name, enum show_style style) {
        if (style == SHOW_JSON)
                text_write(out, name);
        else
                buf_append(out, name); /* a bare key */
        buf_append(out, style == SHOW_JSON ? STR(": ") : STR(" = "));
}

/* A text that is not given has no meaning of its own. */
static bool is_left_out(const struct key_row *key, const union key_value *value) {
        return key->section == SECTION_CREDENTIAL && !value->text.len;
}

static void item_write(enum key_section section, const void *item, enum show_style style, struct buf *out) {
        bool first = true;

        buf_append(out, STR("{ "));
        for (size_t i = 0; i < key_count; i++) {
                union key_value value;

                if (keys[i].section != section)
                        continue;
                value = key_load(&keys[i], item);
                if (is_left_out(&keys[i], &value))
                        continue;
                buf_append(out, first ? STR("") : STR(", "));
                name_write(out, str_z(keys[i].name), style);
                key_value_write(&keys[i], &value, style, out);
                first = false;
        }
        buf_append(out, STR(" }"));
}

static void pairs_write(const struct env_pairs *pairs, enum show_style style, struct buf *out) {
        buf_append(out, pairs->count ? STR("{ ") : STR("{"));
        for (size_t i = 0; i < pairs->count; i++) {
                buf_append(out, i ? STR(", ") : STR(""));
                name_write(out, pairs->items[i].name, style);
                text_write(out, env_is_secret(pairs->items[i].name) ? STR("(hidden)") : pairs->items[i].value);
        }
        buf_append(out, pairs->count ? STR(" }") : STR("}"));
}

static bool is_number(const struct key_row *key, struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if (!is_ascii_digit((unsigned char)text.ptr[i]))
                        return false;
        return key->text && key->text->number;
}

static void list_write(const struct key_row *key, const struct key_items *list, enum show_style style, struct buf *out) {
        buf_char(out, '[');
        for (size_t i = 0; i < list->count; i++) {
                buf_append(out, i ? STR(", ") : STR(""));
                if (key_items_section(key->type) != SECTION_TOP)
                        item_write(key_items_section(key->type), (const char *)list->items + i * key_item_size(key->type),
                                   style, out);
                else if (is_number(key, ((const struct str *)list->items)[i]))
                        buf_append(out, ((const struct str *)list->items)[i]);
                else
                        text_write(out, ((const struct str *)list->items)[i]);
        }
        buf_char(out, ']');
}

static void string_write(const struct key_row *key, struct str text, struct buf *out) {
        BUF_AUTO shown;

        buf_init(&shown, UPSTREAM_URL_MAX + 64);
        if (key->text && key->text->login) {
                upstream_setting_show(text, &shown);
                text = buf_str(&shown);
        }
        text_write(out, text);
}

void key_value_write(const struct key_row *key, const union key_value *value, enum show_style style, struct buf *out) {
        char number[NUMBER_SIZE];

        switch (key->type) {
        case KEY_BOOLEAN:
                buf_append(out, value->boolean ? STR("true") : STR("false"));
                break;
        case KEY_INTEGER:
        case KEY_BYTES:
        case KEY_DURATION:
                amount_write(key, value->integer, style, out);
                break;
        case KEY_NUMBER:
                number_format(value->number, 10, number);
                buf_append(out, str_z(number));
                break;
        case KEY_WORD:
                text_write(out, str_z(key->words[value->word]));
                break;
        case KEY_STRING:
                string_write(key, value->text, out);
                break;
        case KEY_PAIRS:
                pairs_write(&value->pairs, style, out);
                break;
        case KEY_LIST:
        case KEY_PATTERNS:
        case KEY_CREDENTIALS:
                list_write(key, &value->items, style, out);
                break;
        }
}
