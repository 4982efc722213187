/*
 * TOML: statements, keys, and which table they go to. The rules against defining a table twice are tomllib's, which
 * follow the specification where it is clear and are the common reading where it is not.
 */
#include "policy/toml.h"

#include "policy/toml_parts.h"

void toml_blanks(struct reader *r) {
        while (reader_peek(r) == ' ' || reader_peek(r) == '\t')
                r->next++;
}

bool toml_newline(struct reader *r) {
        return reader_take(r, "\n") || reader_take(r, "\r\n");
}

int toml_comment(struct reader *r) {
        if (reader_peek(r) != '#')
                return 0;
        for (; r->next < r->end && *r->next != '\n' && !reader_starts(r, "\r\n"); r->next++)
                if (((unsigned char)*r->next < ' ' && *r->next != '\t') || *r->next == 0x7f)
                        return reader_expected(r, "no control characters in a comment");
        return 0;
}

static bool is_bare(int c) {
        return c >= 0 && (is_ascii_alnum((unsigned char)c) || c == '-' || c == '_');
}

/* One part of a dotted key, and the blanks on both sides of it. */
static int toml_key_part(struct toml *t, struct reader_key *ret) {
        struct reader *r = &t->r;
        const char *from;

        toml_blanks(r);
        from = r->next;
        *ret = reader_key_start(r);
        if (reader_peek(r) == '"' || reader_peek(r) == '\'') {
                if (toml_string(r, true, &ret->name) < 0)
                        return -1;
        } else if (is_bare(reader_peek(r))) {
                while (is_bare(reader_peek(r)))
                        r->next++;
                ret->name = reader_copy(r, from, r->next);
        } else {
                return reader_expected(r, "a key (letters, digits, '-', '_', or a quoted string)");
        }
        toml_blanks(r);
        return 0;
}

static struct tree_node *table_find(const struct tree_node *table, const struct reader_key *key) {
        return (struct tree_node *)tree_get(table, key->name); /* the tree is ours until it is done */
}

static struct tree_node *table_add(struct toml *t, struct tree_node *parent, const struct reader_key *key, uint32_t mark) {
        struct tree_node *node = reader_add(&t->r, parent, key);

        if (!node)
                return NULL;
        node->at = key->at;
        node->start = key->start;
        node->mark = mark;
        return reader_open(&t->r, node, TREE_TABLE) < 0 ? NULL : node;
}

static struct tree_node *table_refuse(struct toml *t, const struct reader_key *key, const struct tree_node *old) {
        const struct reader_quoted quoted = reader_quote(key->name);
        const char *name = quoted.text;
        uint32_t line = old->key.ptr ? old->key_at.line : old->at.line;

        if (old->kind != TREE_TABLE && (old->kind != TREE_ARRAY || old->mark == TOML_FROZEN))
                reader_fail(&t->r, key->at, "%s is %s (line %u), not a table", name, tree_kind_name(old->kind), line);
        else if (old->mark == TOML_FROZEN)
                reader_fail(&t->r, key->at, "%s is an inline table (line %u) and cannot be extended", name, line);
        else if (old->kind == TREE_ARRAY)
                reader_fail(&t->r, key->at, "%s is an array of tables (line %u); use [[...]] to add to it", name, line);
        else
                reader_fail(&t->r, key->at, "the table %s is already defined on line %u", name, line);
        return NULL;
}

/* The table for the next part of a dotted key: a new one, or one that dotted keys of this section may share. */
static struct tree_node *dotted_enter(struct toml *t, struct tree_node *table, const struct reader_key *key) {
        struct tree_node *node = table_find(table, key);

        if (!node)
                return table_add(t, table, key, t->section);
        if (node->kind != TREE_TABLE || (node->mark != TOML_IMPLIED && node->mark != t->section))
                return table_refuse(t, key, node);
        node->mark = t->section;
        return node;
}

int toml_pair(struct toml *t, struct tree_node *table) {
        const struct tree_node *old;
        struct reader_key key;

        if (toml_key_part(t, &key) < 0)
                return -1;
        while (reader_take(&t->r, ".")) {
                table = dotted_enter(t, table, &key);
                if (!table || toml_key_part(t, &key) < 0)
                        return -1;
        }
        if (!reader_take(&t->r, "="))
                return reader_expected(&t->r, "'=' or '.' after a key");
        old = table_find(table, &key);
        if (old)
                return reader_fail(&t->r, key.at, "the key %s is already defined on line %u", reader_quote(key.name).text,
                                   old->key_at.line);
        toml_blanks(&t->r);
        return toml_value(t, table, &key);
}

/* The table that one part of a header leads to: of an array of tables, the newest. */
static struct tree_node *header_enter(struct toml *t, struct tree_node *table, const struct reader_key *key) {
        struct tree_node *node = table_find(table, key);

        if (!node)
                return table_add(t, table, key, TOML_IMPLIED);
        if (node->mark == TOML_FROZEN || (node->kind != TREE_TABLE && node->kind != TREE_ARRAY))
                return table_refuse(t, key, node);
        return node->kind == TREE_ARRAY ? node->last : node;
}

/* The table of [header], by its last part. */
static struct tree_node *header_define(struct toml *t, struct tree_node *table, const struct reader_key *key) {
        struct tree_node *node = table_find(table, key);

        if (!node)
                return table_add(t, table, key, TOML_DEFINED);
        if (node->kind != TREE_TABLE || node->mark != TOML_IMPLIED)
                return table_refuse(t, key, node);
        node->mark = TOML_DEFINED;
        node->at = node->key_at = key->at;
        node->start = node->item = key->start;
        return node;
}

/* The table of [[header]]: one more in the array. */
static struct tree_node *header_append(struct toml *t, struct tree_node *table, const struct reader_key *key) {
        struct tree_node *array = table_find(table, key);

        if (array && (array->kind != TREE_ARRAY || array->mark == TOML_FROZEN))
                return table_refuse(t, key, array);
        if (!array) {
                array = table_add(t, table, key, TOML_IMPLIED);
                if (!array || reader_open(&t->r, array, TREE_ARRAY) < 0)
                        return NULL;
        }
        return table_add(t, array, &(struct reader_key){ .at = key->at, .start = key->start }, TOML_DEFINED);
}

static int header_read(struct toml *t, struct tree_node *root, struct tree_node **ret_section) {
        const bool array = reader_starts(&t->r, "[[");
        struct tree_node *table = root;
        struct reader_key key;

        t->section++;
        t->r.next += array ? 2 : 1;
        if (toml_key_part(t, &key) < 0)
                return -1;
        while (reader_take(&t->r, ".")) {
                table = header_enter(t, table, &key);
                if (!table || toml_key_part(t, &key) < 0)
                        return -1;
        }
        if (!reader_take(&t->r, array ? "]]" : "]"))
                return reader_expected(&t->r, "'.' or %s after the name of %s", array ? "']]'" : "']'",
                                       array ? "an array of tables" : "a table");
        table = array ? header_append(t, table, &key) : header_define(t, table, &key);
        if (!table)
                return -1;
        *ret_section = table;
        return 0;
}

static int statement_read(struct toml *t, struct tree_node *root, struct tree_node **section) {
        struct reader *r = &t->r;
        int c;

        toml_blanks(r);
        c = reader_peek(r);
        if (c == '[') {
                if (header_read(t, root, section) < 0)
                        return -1;
        } else if (is_bare(c) || c == '"' || c == '\'') {
                if (toml_pair(t, *section) < 0)
                        return -1;
        } else if (c != '#' && c != -1 && c != '\n' && !reader_starts(r, "\r\n")) {
                return reader_expected(r, "a key, a [table] or a comment");
        }
        toml_blanks(r);
        if (toml_comment(r) < 0)
                return -1;
        if (r->next < r->end && !toml_newline(r))
                return reader_expected(r, "the end of the line");
        return 0;
}

int toml_read(struct str text, struct arena *arena, struct tree_node **ret, struct tree_error *error) {
        struct toml t = { .section = 1 };
        struct tree_node *root, *section;

        if (reader_init(&t.r, text, TREE_TEXT_MAX, arena, error) < 0)
                return reader_abort(&t.r);
        root = section = reader_add(&t.r, NULL, &(struct reader_key){ 0 });
        if (!root)
                return reader_abort(&t.r);
        root->kind = TREE_TABLE;
        root->mark = TOML_DEFINED;
        while (t.r.next < t.r.end)
                if (statement_read(&t, root, &section) < 0)
                        return reader_abort(&t.r);
        *ret = root;
        return 0;
}
