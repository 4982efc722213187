#include "hook/tree.h"

#include <string.h>

/* ---- comments ---- */

static bool is_comment(struct str text, size_t i) {
        return text.ptr[i] == '/' && i + 1 < text.len && (text.ptr[i + 1] == '/' || text.ptr[i + 1] == '*');
}

static size_t comment_end(struct str text, size_t i) {
        bool line = text.ptr[i + 1] == '/';

        for (i += 2; i < text.len; i++) {
                if (line && text.ptr[i] == '\n')
                        return i;
                if (!line && text.ptr[i] == '*' && i + 1 < text.len && text.ptr[i + 1] == '/')
                        return i + 2;
        }
        return text.len;
}

static size_t string_end(struct str text, size_t i) {
        for (i++; i < text.len && text.ptr[i] != '"'; i++)
                if (text.ptr[i] == '\\')
                        i++;
        return i < text.len ? i + 1 : text.len;
}

/* Blanks take the place of what is not JSON, so that all else stays where it is. */
static char *bare_copy(struct str text, bool comments, struct arena *arena) {
        char *bare = arena_dup(arena, text);

        if (!bare)
                return NULL;
        if (str_starts(text, STR("\xef\xbb\xbf")))
                memset(bare, ' ', 3);
        for (size_t i = 0; i < text.len;) {
                size_t end = i + 1;

                if (text.ptr[i] == '"') {
                        end = string_end(text, i);
                } else if (comments && is_comment(text, i)) {
                        end = comment_end(text, i);
                        for (size_t j = i; j < end; j++)
                                bare[j] = bare[j] == '\n' || bare[j] == '\r' ? bare[j] : ' ';
                }
                i = end;
        }
        return bare;
}

bool tree_in_line_comment(const struct tree *tree, size_t at) {
        struct str text = tree->text;
        size_t end;

        for (size_t i = 0; i < at; i = end) {
                end = i + 1;
                if (text.ptr[i] == '"')
                        end = string_end(text, i);
                else if (is_comment(text, i))
                        end = comment_end(text, i);
                if (at <= end && is_comment(text, i))
                        return text.ptr[i + 1] == '/';
        }
        return false;
}

/* ---- places ---- */

static size_t skip_blanks(struct str text, size_t i) {
        while (i < text.len && json_blank(text.ptr[i]))
                i++;
        return i;
}

static struct node *node_add(struct node *parent, size_t item, size_t start, char kind, struct arena *arena) {
        struct node *node = ARENA_NEW(arena, struct node);

        if (!node)
                return NULL;
        *node = (struct node){ .parent = parent, .item = item, .start = start, .kind = kind };
        if (!parent)
                return node;
        node->previous = parent->last;
        if (parent->last)
                parent->last->next = node;
        else
                parent->first = node;
        parent->last = node;
        parent->count++;
        return node;
}

/* The parser has accepted the text: what is looked for is there. */
static size_t scalar_end(struct str text, size_t i) {
        if (text.ptr[i] == '"')
                return string_end(text, i);
        while (i < text.len && !json_blank(text.ptr[i]) && !strchr(",]}", text.ptr[i]))
                i++;
        return i;
}

/* A value, its key in front of it in an object. Goes down into what has children, and up behind their end. */
static struct node *places(struct str text, struct arena *arena) {
        struct node *root = NULL, *parent = NULL;
        size_t i = skip_blanks(text, 0);

        while (i < text.len) {
                size_t item = i;
                struct node *node;

                if (parent && (text.ptr[i] == '}' || text.ptr[i] == ']')) {
                        parent->end = i + 1;
                        parent = parent->parent;
                        i = skip_blanks(text, i + 1);
                        continue;
                }
                if (text.ptr[i] == ',') {
                        i = skip_blanks(text, i + 1);
                        continue;
                }
                if (parent && parent->kind == '{')
                        i = skip_blanks(text, skip_blanks(text, string_end(text, i)) + 1);
                if (i >= text.len)
                        break;
                node = node_add(parent, item, i, text.ptr[i], arena);
                if (!node)
                        return NULL;
                root = root ? root : node;
                if (node->kind == '{' || node->kind == '[') {
                        parent = node;
                        i++;
                } else {
                        i = node->end = scalar_end(text, i);
                }
                i = skip_blanks(text, i);
        }
        return root;
}

int tree_read(struct str text, bool comments, struct arena *arena, struct tree *ret, struct err *err) {
        char *bare = bare_copy(text, comments, arena);
        struct tree tree = { .text = text };

        if (!bare)
                return err_set(err, ERR_MEMORY, "out of memory");
        tree.bare = str_from(bare, text.len);
        if (json_read(tree.bare, &tree.json, err) < 0)
                return -1;
        tree.root = places(tree.bare, arena);
        if (!tree.root) {
                tree_free(&tree);
                return err_set(err, ERR_MEMORY, "out of memory");
        }
        *ret = tree;
        return 0;
}

void tree_free(struct tree *tree) {
        json_decref(tree->json);
        tree->json = NULL;
}

/* ---- finding ---- */

static bool key_is(struct str text, const struct node *member, const char *key) {
        struct str quoted = str_take(str_skip(text, member->item), string_end(text, member->item) - member->item);
        JSON_AUTO decoded = json_loadb(quoted.ptr, quoted.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

        return json_string_length(decoded) == strlen(key) && memcmp(json_string_value(decoded), key, strlen(key)) == 0;
}

struct node *tree_member(const struct tree *tree, const struct node *object, const char *key) {
        if (!object || object->kind != '{')
                return NULL;
        for (struct node *member = object->first; member; member = member->next)
                if (key_is(tree->bare, member, key))
                        return member;
        return NULL;
}

struct node *tree_item(const struct node *array, size_t index) {
        struct node *item = array ? array->first : NULL;

        while (item && index-- > 0)
                item = item->next;
        return item;
}
