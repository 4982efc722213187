/*
 * Nodes and their index. Config may come from a repository nobody has looked at yet, so finding a key must not get slow
 * on keys chosen for that: instead of a hash (which needs a secret seed) each table has a crit-bit tree, where finding
 * or adding a key takes at most nine steps per byte of that key, whatever the others are.
 */
#include "base/value_tree.h"

#include <math.h>
#include <stdio.h>

/* Two groups of keys that are the same up to `byte`, and differ there in `bit`. */
struct tree_fork {
        uint32_t byte;
        uint16_t bit;
        bool leaf[2];           /* is this side a node, or another fork? */
        void *side[2];          /* without the bit, with it */
        struct tree_node *some; /* any node below */
};

/* A byte of a key with one bit in front that says "there is one", so that no key is a prefix of another. */
static unsigned key_unit(struct str key, size_t i) {
        return i < key.len ? 0x100u | (unsigned char)key.ptr[i] : 0;
}

/* The node with this key if there is one, else one that shares as much of its beginning as any does. */
static struct tree_node *index_nearest(const struct tree_node *table, struct str key) {
        const struct tree_fork *fork = table->index;

        if (!fork)
                return table->first; /* the only one */
        for (;;) {
                int side = (key_unit(key, fork->byte) & fork->bit) != 0;

                if (fork->byte > key.len)
                        return fork->some; /* all below are longer than `key`, and the same up to there */
                if (fork->leaf[side])
                        return fork->side[side];
                fork = fork->side[side];
        }
}

static unsigned highest_bit(unsigned bits) {
        while (bits & (bits - 1))
                bits &= bits - 1;
        return bits;
}

/* Puts `fork`, which knows its place and its new leaf on `side`, where its place belongs on the way to that leaf. */
static void index_insert(struct tree_node *table, struct tree_fork *fork, int side, struct tree_node *only) {
        struct str key = fork->some->key;
        struct tree_fork *parent = NULL, *below = table->index;
        int turn = 0;

        while (below && (below->byte < fork->byte || (below->byte == fork->byte && below->bit > fork->bit))) {
                parent = below;
                turn = (key_unit(key, below->byte) & below->bit) != 0;
                below = parent->leaf[turn] ? NULL : parent->side[turn];
        }
        fork->leaf[!side] = !below;
        fork->side[!side] = below ? (void *)below : parent ? parent->side[turn] : only;
        if (!parent) {
                table->index = fork;
        } else {
                parent->leaf[turn] = false;
                parent->side[turn] = fork;
        }
}

static bool index_add(struct arena *arena, struct tree_node *table, struct tree_node *node) {
        struct tree_node *near = index_nearest(table, node->key);
        struct tree_fork *fork;
        size_t byte = 0;
        int side;

        if (!near)
                return true;
        fork = ARENA_NEW(arena, struct tree_fork);
        if (!fork)
                return false;
        while (key_unit(near->key, byte) == key_unit(node->key, byte))
                byte++;
        fork->byte = (uint32_t)byte;
        fork->bit = (uint16_t)highest_bit(key_unit(near->key, byte) ^ key_unit(node->key, byte));
        fork->some = node;
        side = (key_unit(node->key, byte) & fork->bit) != 0;
        fork->leaf[side] = true;
        fork->side[side] = node;
        index_insert(table, fork, side, near);
        return true;
}

const struct tree_node *tree_get(const struct tree_node *table, struct str key) {
        const struct tree_node *near = table->kind == TREE_TABLE ? index_nearest(table, key) : NULL;

        return near && str_eq(near->key, key) ? near : NULL;
}

struct tree_node *tree_add(struct arena *arena, struct tree_node *parent, struct str key) {
        struct tree_node *node = ARENA_NEW(arena, struct tree_node);

        if (!node)
                return NULL;
        node->kind = TREE_NULL;
        node->key = key;
        node->depth = parent ? parent->depth + 1 : 1;
        node->parent = parent;
        if (!parent)
                return node;
        if (parent->kind == TREE_TABLE && !index_add(arena, parent, node))
                return NULL;
        node->previous = parent->last;
        *(parent->last ? &parent->last->next : &parent->first) = node;
        parent->last = node;
        parent->count++;
        return node;
}

static bool array_equal(const struct tree_node *a, const struct tree_node *b, const struct tree_node *except) {
        const struct tree_node *other = b->first;

        TREE_EACH(item, a) {
                other = other && other == except ? other->next : other;
                if (!other || !tree_equal(item, other, except))
                        return false;
                other = other->next;
        }
        return true;
}

static bool table_equal(const struct tree_node *a, const struct tree_node *b, const struct tree_node *except) {
        TREE_EACH(member, a) {
                const struct tree_node *other = tree_get(b, member->key);

                if (!other || other == except || !tree_equal(member, other, except))
                        return false;
        }
        return true;
}

/* As deep as the trees. */
bool tree_equal(const struct tree_node *a, const struct tree_node *b, const struct tree_node *except) {
        if (a->kind != b->kind)
                return false;
        switch (a->kind) {
        case TREE_TABLE:
        case TREE_ARRAY:
                if (a->count + (except && except->parent == b) != b->count)
                        return false;
                return a->kind == TREE_TABLE ? table_equal(a, b, except) : array_equal(a, b, except);
        case TREE_INTEGER:
                return a->integer == b->integer;
        case TREE_FLOAT:
                return a->real == b->real || (isnan(a->real) && isnan(b->real));
        case TREE_BOOLEAN:
                return a->boolean == b->boolean;
        case TREE_NULL:
                return true;
        default:
                return str_eq(a->text, b->text);
        }
}

const char *tree_kind_name(enum tree_kind kind) {
        static const char *const names[] = {
                [TREE_TABLE] = "a table",
                [TREE_ARRAY] = "an array",
                [TREE_STRING] = "a string",
                [TREE_INTEGER] = "an integer",
                [TREE_FLOAT] = "a float",
                [TREE_BOOLEAN] = "a boolean",
                [TREE_NULL] = "null",
                [TREE_OFFSET_DATETIME] = "a date-time",
                [TREE_LOCAL_DATETIME] = "a local date-time",
                [TREE_LOCAL_DATE] = "a date",
                [TREE_LOCAL_TIME] = "a time",
        };

        return names[kind];
}

int tree_error_set(struct err *err, const char *file, const struct tree_error *error) {
        const size_t most = 8; /* of a file name, where nothing else fits */
        char place[32] = ":";
        size_t len = strlen(file), room;

        if (error->at.line)
                snprintf(place, sizeof(place), ":%u:%u:", error->at.line, error->at.column);
        room = sizeof(err->msg) - 1 - strlen(place) - 1 - strlen(error->message);
        if (room < most || room > sizeof(err->msg))
                room = most;
        if (len <= room)
                return err_set(err, error->code, "%s%s %s", file, place, error->message);
        return err_set(err, error->code, "...%s%s %s", file + len - (room - 3), place, error->message);
}
