#include "format/json.h"

static void put_name(struct buf *out, const char *name) {
        if (out->len && out->ptr[out->len - 1] != '{')
                buf_char(out, ',');
        buf_json(out, str_z(name));
        buf_char(out, ':');
}

void put_begin(struct buf *out) {
        buf_char(out, '{');
}

void put_object(struct buf *out, const char *name) {
        put_name(out, name);
        buf_char(out, '{');
}

void put_item(struct buf *out) {
        if (out->len && out->ptr[out->len - 1] != '[')
                buf_char(out, ',');
        buf_char(out, '{');
}

void put_end(struct buf *out) {
        buf_char(out, '}');
}

void put_array(struct buf *out, const char *name) {
        put_name(out, name);
        buf_char(out, '[');
}

void put_string(struct buf *out, struct str text) {
        if (out->len && out->ptr[out->len - 1] != '[')
                buf_char(out, ',');
        buf_json(out, text);
}

void put_array_end(struct buf *out) {
        buf_char(out, ']');
}

void put_bytes(struct buf *out, const char *name, struct str text) {
        put_name(out, name);
        buf_json(out, text);
}

void put_text(struct buf *out, const char *name, const char *text) {
        if (text)
                put_bytes(out, name, str_z(text));
        else
                put_null(out, name);
}

void put_number(struct buf *out, const char *name, long long number) {
        put_name(out, name);
        buf_format(out, "%lld", number);
}

void put_null(struct buf *out, const char *name) {
        put_name(out, name);
        buf_append(out, STR("null"));
}

void put_switch(struct buf *out, const char *name, bool value) {
        put_name(out, name);
        buf_append(out, value ? STR("true") : STR("false"));
}

void put_json(struct buf *out, const char *name, const char *value) {
        put_name(out, name);
        buf_append(out, str_z(value));
}

void put_texts(struct buf *out, const char *name, const char *const *texts) {
        put_array(out, name);
        for (size_t i = 0; texts && texts[i]; i++)
                put_string(out, str_z(texts[i]));
        put_array_end(out);
}
