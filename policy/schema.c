/*
 * The JSON Schema of config files (draft 2020-12), from the table of keys. Every section is a definition; a second name
 * of a key or a section refers to the first.
 */
#include <stdio.h>

#include "base/number.h"
#include "base/time.h"
#include "policy/show.h"

static const char *comma(bool *first) {
        const char *text = *first ? "" : ",";

        *first = false;
        return text;
}

/* ---- types ---- */

static void number_limits(const struct key_row *key, double unit, struct buf *out) {
        char least[NUMBER_SIZE], most[NUMBER_SIZE];

        number_format((double)key->min / unit, 15, least);
        number_format((double)key->max / unit, 15, most);
        buf_format(out, ", \"minimum\": %s, \"maximum\": %s", least, most);
}

static void text_type(const struct key_row *key, struct buf *out) {
        buf_append(out,
                   key->text && key->text->number ? STR("{\"type\": [\"string\", \"integer\"]") : STR("{\"type\": \"string\""));
        if (key->text && key->text->schema) {
                buf_append(out, STR(", \"pattern\": "));
                buf_json(out, str_z(key->text->schema));
        }
        if (key->text) {
                buf_append(out, STR(", \"description\": "));
                buf_json(out, str_z(key->text->expected));
        }
        buf_char(out, '}');
}

static void words_type(const struct key_row *key, struct buf *out) {
        buf_append(out, STR("{\"enum\": ["));
        for (size_t i = 0; key->words[i]; i++)
                buf_format(out, "%s\"%s\"", i ? ", " : "", key->words[i]);
        buf_append(out, STR("]}"));
}

static void amount_type(const struct key_row *key, struct buf *out) {
        bool time = key->type == KEY_DURATION;

        buf_format(out, "{\"anyOf\": [{\"type\": \"%s\"", time ? "number" : "integer");
        number_limits(key, time ? (double)TIME_SECOND : 1, out);
        buf_format(out, "}, {\"type\": \"string\", \"pattern\": \"^[0-9]+([.][0-9]{1,9})? ?%s$\"}",
                   time ? "(ns|us|ms|s|m|min|h|d)" : "([kKmMgGtT]?([iI]?[bB])?)");
        if (time)
                buf_append(out, STR(", {\"type\": \"object\", \"properties\": {\"secs\": {\"type\": \"integer\", "
                                    "\"minimum\": 0}, \"nanos\": {\"type\": \"integer\", \"minimum\": 0}}, "
                                    "\"additionalProperties\": false}"));
        buf_append(out, STR("]}"));
}

static void item_type(const struct key_row *key, struct buf *out) {
        if (key->type == KEY_PATTERNS)
                buf_append(out, STR("{\"anyOf\": [{\"type\": \"string\"}, {\"$ref\": \"#/$defs/guard.dangerous_patterns\"}]}"));
        else if (key->type == KEY_CREDENTIALS)
                buf_format(out, "{\"$ref\": \"#/$defs/%s\"}", section_path(SECTION_CREDENTIAL).text);
        else if (key->type == KEY_PAIRS)
                buf_append(out, STR("{\"anyOf\": [{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"minItems\": 2, "
                                    "\"maxItems\": 2}, {\"type\": \"string\", \"pattern\": \"^[A-Za-z_][A-Za-z0-9_]*=\"}]}"));
        else
                text_type(key, out);
}

static void list_type(const struct key_row *key, struct buf *out) {
        buf_append(out, STR("{\"anyOf\": [{\"type\": \"array\", \"items\": "));
        item_type(key, out);
        buf_append(out, STR("}, {\"type\": \"object\", \"properties\": {\"replace\": {\"type\": \"boolean\"}, \"items\": "
                            "{\"type\": \"array\", \"items\": "));
        item_type(key, out);
        buf_append(out, STR("}}, \"required\": [\"replace\", \"items\"], \"additionalProperties\": false}"));
        if (key->type == KEY_PAIRS)
                buf_append(out, STR(", {\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}}"));
        buf_append(out, STR("]}"));
}

static void key_type_write(const struct key_row *key, struct buf *out) {
        switch (key->type) {
        case KEY_BOOLEAN:
                buf_append(out, STR("{\"type\": \"boolean\"}"));
                break;
        case KEY_INTEGER:
        case KEY_NUMBER:
                buf_format(out, "{\"type\": \"%s\"", key->type == KEY_NUMBER ? "number" : "integer");
                number_limits(key, 1, out);
                buf_char(out, '}');
                break;
        case KEY_BYTES:
        case KEY_DURATION:
                amount_type(key, out);
                break;
        case KEY_WORD:
                words_type(key, out);
                break;
        case KEY_STRING:
                text_type(key, out);
                break;
        default:
                list_type(key, out);
        }
}

/* ---- sections ---- */

/* The name in camelCase, referring to the other one; nothing if they are the same. */
static void camel_write(const char *definition, const char *name, bool *first, struct buf *out) {
        char camel[KEY_NAME_MAX];

        key_name_camel(name, camel);
        if (strcmp(camel, name) != 0)
                buf_format(out, "%s\n   \"%s\": {\"$ref\": \"#/$defs/%s\"}", comma(first), camel, definition);
}

static void key_definition(const struct key_row *key, char *text, size_t size) {
        snprintf(text, size, "%s/properties/%s", section_path(key->section).text, key->name);
}

static void key_write(const struct key_row *key, bool *first, struct buf *out) {
        char definition[2 * KEY_PATH_MAX];

        buf_format(out, "%s\n   \"%s\": {\"allOf\": [", comma(first), key->name);
        key_type_write(key, out);
        buf_append(out, STR("], \"description\": "));
        buf_json(out, str_z(key->help));
        if (key->type != KEY_STRING || key->initial.text.len) {
                buf_append(out, STR(", \"default\": "));
                key_value_write(key, &key->initial, SHOW_JSON, out);
        }
        buf_char(out, '}');
        key_definition(key, definition, sizeof(definition));
        camel_write(definition, key->name, first, out);
}

static void aliases_write(enum key_section section, bool *first, struct buf *out) {
        for (size_t i = 0; i < key_alias_count; i++) {
                const struct key_row *key = key_by_path(str_z(key_aliases[i].key));
                char definition[2 * KEY_PATH_MAX];

                if (key_aliases[i].section != section)
                        continue;
                key_definition(key, definition, sizeof(definition));
                buf_format(out, "%s\n   \"%s\": {\"$ref\": \"#/$defs/%s\"}", comma(first), key_aliases[i].name, definition);
                camel_write(definition, key_aliases[i].name, first, out);
        }
}

static void subsections_write(enum key_section parent, bool *first, struct buf *out) {
        for (size_t i = 0; i < section_row_count; i++) {
                struct key_path path = section_path(sections[i].section);

                if (sections[i].parent != parent || section_is_of_items(sections[i].section))
                        continue;
                buf_format(out, "%s\n   \"%s\": {\"$ref\": \"#/$defs/%s\"}", comma(first), sections[i].name, path.text);
                camel_write(path.text, sections[i].name, first, out);
        }
}

static void object_write(enum key_section section, bool *first, struct buf *out) {
        for (size_t i = 0; i < key_count; i++)
                if (keys[i].section == section)
                        key_write(&keys[i], first, out);
        aliases_write(section, first, out);
        subsections_write(section == SECTION_POLICY ? SECTION_TOP : section, first, out);
        buf_append(out, STR("\n  }, \"additionalProperties\": false"));
}

static void definition_write(enum key_section section, const struct section_row *row, struct buf *out) {
        struct key_path name = section_path(section);
        bool first = true;

        buf_format(out, "\n \"%s\": {", name.text);
        if (row && row->shorthand)
                buf_format(out, "\"anyOf\": [{\"type\": \"object\"}, {\"$ref\": \"#/$defs/%s/properties/%s\"}", name.text,
                           row->shorthand);
        if (row && row->listed)
                buf_format(out, ", {\"$ref\": \"#/$defs/%s/properties/%s\"}", name.text, row->listed);
        if (row && row->shorthand)
                buf_char(out, ']');
        else
                buf_append(out, STR("\"type\": \"object\""));
        if (row) {
                buf_append(out, STR(", \"description\": "));
                buf_json(out, str_z(row->help));
        }
        buf_append(out, STR(", \"properties\": {"));
        object_write(section, &first, out);
        buf_char(out, '}');
}

void config_schema(struct buf *out) {
        bool first = false, done[SECTION_COUNT] = { false };

        buf_append(out, STR("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"title\": \"bailey\", "
                            "\"description\": \"Config file of bailey.\", \"type\": \"object\", \"properties\": {\n"
                            "   \"$schema\": {\"type\": \"string\"},\n"
                            "   \"policy\": {\"type\": [\"string\", \"object\"], \"additionalProperties\": {\"$ref\": "
                            "\"#/$defs/policy\"}}"));
        object_write(SECTION_TOP, &first, out);
        buf_append(out, STR(", \"$defs\": {"));
        for (size_t i = 0; i < section_row_count; i++) {
                if (done[sections[i].section])
                        continue;
                done[sections[i].section] = true;
                definition_write(sections[i].section, &sections[i], out);
                buf_char(out, ',');
        }
        definition_write(SECTION_POLICY, NULL, out);
        buf_append(out, STR("\n}}\n"));
}
