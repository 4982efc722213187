#include "hook/json.h"

#include <string.h>

/* Before anything is built. What is no JSON gets any number, and is refused by the parser. */
static size_t depth_of(struct str text) {
        size_t depth = 0, most = 0;
        bool quoted = false;

        for (size_t i = 0; i < text.len; i++) {
                char c = text.ptr[i];

                if (quoted && c == '\\')
                        i++;
                else if (c == '"')
                        quoted = !quoted;
                else if (!quoted && (c == '{' || c == '['))
                        most = ++depth > most ? depth : most;
                else if (!quoted && (c == '}' || c == ']') && depth > 0)
                        depth--;
        }
        return most;
}

int json_read(struct str text, json_t **ret, struct err *err) {
        json_error_t error;
        json_t *json;

        if (text.len > JSON_BYTES_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "larger than %d MiB", JSON_BYTES_MAX >> 20);
        if (depth_of(text) > JSON_DEPTH_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "nested more than %d levels deep", JSON_DEPTH_MAX);
        if (text.len && memchr(text.ptr, 0, text.len)) /* jansson passes over one behind a number */
                return err_set(err, ERR_INVALID, "contains a NUL byte");
        json = json_loadb(text.len ? text.ptr : "", text.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
        if (!json && json_error_code(&error) == json_error_out_of_memory)
                return err_memory(err);
        if (!json)
                return err_set(err, ERR_INVALID, "line %d, column %d: %s", error.line, error.column, error.text);
        if (!json_is_object(json)) {
                json_decref(json);
                return err_set(err, ERR_INVALID, "not a JSON object");
        }
        *ret = json;
        return 0;
}

int json_put(json_t *json, const char *path, json_t *value) {
        for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
                json_t *inner = json_object_getn(json, path, (size_t)(dot - path));

                if (!inner && json_object_setn_new(json, path, (size_t)(dot - path), json_object()) < 0)
                        break;
                json = json_object_getn(json, path, (size_t)(dot - path));
        }
        return strchr(path, '.') ? (json_decref(value), -1) : json_object_set_new(json, path, value);
}

const char *json_text(const json_t *json) {
        const char *text = json_string_value(json);

        return text && strlen(text) == json_string_length(json) ? text : NULL;
}
