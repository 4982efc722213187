#include "bash/eval/field.h"

static struct str known_beginning(struct value value, bool extglob, bool globs) {
        const struct piece *p = value.pieces;

        if (!p || p->kind != PIECE_TEXT)
                return STR("");
        return globs ? str_take(p->text, pattern_literal_prefix(p, extglob)) : p->text;
}

struct field field_make(struct builder *b, const struct word *word, bool globs, bool extglob, bool may_split) {
        struct field field = { .word = word, .may_split = may_split };
        const struct piece *unknown;
        struct value plain;

        field.glob = globs && pattern_is_glob((struct value){ b->first }, extglob);
        field.value = builder_finish(b, field.glob);
        for (const struct piece *p = field.value.pieces; p; p = p->next)
                field.home |= p->kind == PIECE_HOME;
        field.prefix = known_beginning(field.value, extglob, field.glob);
        unknown = value_unknown_piece(field.value);
        if (unknown || may_split) {
                field.kind = FIELD_UNKNOWN;
                field.because = unknown ? unknown->because : UNKNOWN_SPLIT;
        } else if (field.glob) {
                struct builder copy = { .budget = b->budget };

                field.kind = FIELD_GLOB;
                builder_value(&copy, field.value, false);
                plain = builder_finish(&copy, false);
                if (!value_known(plain, &field.text))
                        field.text = STR("");
        } else if (!value_known(field.value, &field.text)) {
                field.kind = FIELD_HOME;
        }
        return field;
}

void field_add(struct budget *budget, struct field_list *list, struct field field) {
        if (budget_spend(budget, 2) && budget_room(budget, &list->items, list->count, &list->capacity, sizeof(*list->items)))
                list->items[list->count++] = field;
}

struct str field_pattern(struct budget *budget, const struct field *field) {
        size_t n = 0;
        char *text, *to;

        for (const struct piece *p = field->value.pieces; p; p = p->next)
                n += p->kind == PIECE_TEXT ? p->text.len * 2 : 1;
        text = to = budget_bytes(budget, n + 1);
        for (const struct piece *p = text ? field->value.pieces : NULL; p; p = p->next) {
                if (p->kind == PIECE_HOME && !p->text.len)
                        *to++ = '~';
                for (size_t i = 0; p->kind == PIECE_TEXT && i < p->text.len; i++) {
                        if (p->quoted && strchr("*?[]\\(|)!+@", p->text.ptr[i]))
                                *to++ = '\\';
                        *to++ = p->text.ptr[i];
                }
        }
        return str_from(text, text ? (size_t)(to - text) : 0);
}

struct value field_value(struct budget *budget, const struct field *field) {
        struct builder b = { .budget = budget };
        size_t known = field->prefix.len;
        struct str pattern;

        if (field->may_split && !value_unknown_piece(field->value))
                return value_unknown(budget, UNKNOWN_SPLIT, STR("")); /* each byte is known, but not where it is cut */
        if (field->kind != FIELD_GLOB)
                return field->value;
        while (known && field->prefix.ptr[known - 1] != '/')
                known--;
        pattern = field_pattern(budget, field);
        builder_text(&b, str_take(field->prefix, known), false);
        builder_unknown(&b, UNKNOWN_FILES, field->home ? pattern : str_skip(pattern, known), false);
        if (b.last && b.last->kind == PIECE_UNKNOWN)
                b.last->nonempty = true;
        return builder_finish(&b, false);
}

bool field_may_be(struct budget *budget, const struct field *field, struct str text) {
        struct pattern *pattern;

        if (field->kind == FIELD_KNOWN)
                return str_eq(field->text, text);
        if (field->kind == FIELD_GLOB && str_eq(field->text, text))
                return true;
        if (!str_starts(text, field->prefix) && !field->may_split)
                return false;
        if (field->glob) {
                pattern = pattern_compile(budget, field->value, PATTERN_EXTGLOB | PATTERN_PATH | PATTERN_MAY);
        } else {
                struct builder b = { .budget = budget };

                builder_value(&b, field->value, true);
                pattern = pattern_compile(budget, (struct value){ b.first }, PATTERN_MAY);
        }
        return !pattern || pattern_match(budget, pattern, text) != TRUTH_NO;
}
