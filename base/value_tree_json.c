/*
 * A tree written as JSON, for people (`bailey policy show`), for tests and for fuzzers.
 */
#include <math.h>
#include <stdio.h>

#include "base/value_tree.h"

struct writer {
        struct buf *buf;
        bool tagged;
};

/* The names the toml-test suite uses. */
static const char *const tags[] = {
        [TREE_STRING] = "string",
        [TREE_INTEGER] = "integer",
        [TREE_FLOAT] = "float",
        [TREE_BOOLEAN] = "bool",
        [TREE_NULL] = "null",
        [TREE_OFFSET_DATETIME] = "datetime",
        [TREE_LOCAL_DATETIME] = "datetime-local",
        [TREE_LOCAL_DATE] = "date-local",
        [TREE_LOCAL_TIME] = "time-local",
};

/* 17 digits say any double exactly. printf() uses the decimal point of the program's locale: it is replaced. */
static struct str float_text(double real, bool tagged, char text[static 64]) {
        char printed[64];
        size_t len = 0;
        bool whole = true;

        if (isnan(real))
                return tagged ? STR("nan") : STR("NaN");
        if (isinf(real) && tagged)
                return real < 0 ? STR("-inf") : STR("inf");
        if (isinf(real))
                return real < 0 ? STR("-Infinity") : STR("Infinity");
        snprintf(printed, sizeof(printed), "%.17g", real);
        for (const char *p = printed; *p; p++) {
                if (is_ascii_digit((unsigned char)*p) || strchr("+-e", *p)) {
                        whole = whole && *p != 'e';
                        text[len++] = *p;
                } else if (whole) { /* a locale's point may be several bytes */
                        whole = false;
                        text[len++] = '.';
                }
        }
        if (whole) {
                text[len++] = '.';
                text[len++] = '0';
        }
        return str_from(text, len);
}

static void scalar_write(const struct writer *w, const struct tree_node *node) {
        char text[64];
        struct str s = node->text;
        bool quoted = w->tagged;

        switch (node->kind) {
        case TREE_INTEGER:
                s = str_from(text, (size_t)snprintf(text, sizeof(text), "%lld", (long long)node->integer));
                break;
        case TREE_FLOAT:
                s = float_text(node->real, w->tagged, text);
                break;
        case TREE_BOOLEAN:
                s = node->boolean ? STR("true") : STR("false");
                break;
        case TREE_NULL:
                s = STR("null");
                break;
        default:
                quoted = true;
        }
        if (w->tagged)
                buf_format(w->buf, "{\"type\": \"%s\", \"value\": ", tags[node->kind]);
        if (quoted)
                buf_json(w->buf, s);
        else
                buf_append(w->buf, s);
        if (w->tagged)
                buf_char(w->buf, '}');
}

/* As deep as the tree, so never deeper than TREE_DEPTH_MAX. */
static void node_write(const struct writer *w, const struct tree_node *node) {
        if (node->kind != TREE_TABLE && node->kind != TREE_ARRAY) {
                scalar_write(w, node);
                return;
        }
        buf_char(w->buf, node->kind == TREE_TABLE ? '{' : '[');
        TREE_EACH(child, node) {
                if (child != node->first)
                        buf_append(w->buf, STR(", "));
                if (node->kind == TREE_TABLE) {
                        buf_json(w->buf, child->key);
                        buf_append(w->buf, STR(": "));
                }
                node_write(w, child);
        }
        buf_char(w->buf, node->kind == TREE_TABLE ? '}' : ']');
}

void tree_to_json(const struct tree_node *node, struct buf *buf) {
        node_write(&(struct writer){ buf, false }, node);
}

void tree_to_json_tagged(const struct tree_node *node, struct buf *buf) {
        node_write(&(struct writer){ buf, true }, node);
}
