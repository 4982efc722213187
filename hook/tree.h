/*
 * The text of a JSON file and where in it things stand, so that a part can be changed and the rest stays as people wrote it.
 */
#ifndef BAILEY_HOOK_TREE_H
#define BAILEY_HOOK_TREE_H

#include "base/arena.h"
#include "base/err.h"
#include "hook/json.h"

struct node {
        struct node *parent, *next, *first, *last; /* siblings and children in their order */
        struct node *previous;
        size_t count;      /* of children */
        size_t item;       /* where its key begins, or it itself */
        size_t start, end; /* of the value */
        char kind;         /* its first byte: '{', '[', '"', ... */
};

struct tree {
        struct str text;
        struct str bare; /* the same with blanks instead of comments, and of a byte order mark */
        struct node *root;
        json_t *json; /* the same as values */
};

/* The root has to be an object. `comments`: there may be some. */
int tree_read(struct str text, bool comments, struct arena *arena, struct tree *ret, struct err *err);
void tree_free(struct tree *tree);

/* Is what stands right before `at` part of a comment that ends with its line? Only for trees with comments. */
bool tree_in_line_comment(const struct tree *tree, size_t at);

/* NULL: there is none. */
struct node *tree_member(const struct tree *tree, const struct node *object, const char *key);
struct node *tree_item(const struct node *array, size_t index);

#endif
