#include "bash/syntax/visit.h"

#include <assert.h>
#include <stddef.h>

/*
 * One way from a node to a child. Some structs hang behind a pointer and are no nodes themselves (struct for_clause,
 * struct param, ...): `via` is where that pointer is, `offset` where the child is from there.
 */
enum edge_kind { EDGE_END, EDGE_ONE, EDGE_LIST, EDGE_EMBEDDED };

struct edge {
        uint8_t kind;  /* enum edge_kind */
        uint8_t child; /* enum node_kind */
        uint8_t role;  /* enum node_role */
        bool indirect; /* via counts */
        uint16_t via, offset;
};

#define DIRECT(edge, node, role, type, member) \
        { EDGE_##edge, NODE_##node, ROLE_##role, false, 0, offsetof(type, member) }
#define BEHIND(edge, node, role, type, pointer, held, member) \
        { EDGE_##edge, NODE_##node, ROLE_##role, true, offsetof(type, pointer), offsetof(held, member) }
#define OF_COMMAND(edge, node, role, member) DIRECT(edge, node, role, struct command, member)
#define OF_FOR(edge, node, role, member) BEHIND(edge, node, role, struct command, each, struct for_clause, member)
#define OF_CASE(edge, node, role, member) BEHIND(edge, node, role, struct command, choice, struct case_clause, member)
#define OF_PARAM(edge, node, role, member) BEHIND(edge, node, role, struct part, param, struct param, member)

enum { EDGES_MAX = 5 }; /* the last one is always EDGE_END */

static const struct edge command_edges[][EDGES_MAX] = {
        [COMMAND_SIMPLE] = { OF_COMMAND(LIST, ASSIGN, ASSIGN, simple.assigns), OF_COMMAND(LIST, WORD, WORD, simple.words) },
        [COMMAND_SUBSHELL] = { OF_COMMAND(LIST, COMMAND, BODY, body) },
        [COMMAND_GROUP] = { OF_COMMAND(LIST, COMMAND, BODY, body) },
        [COMMAND_IF] = { OF_COMMAND(LIST, CLAUSE, CLAUSE, clauses) },
        [COMMAND_WHILE] = { OF_COMMAND(LIST, COMMAND, CONDITION, loop.condition), OF_COMMAND(LIST, COMMAND, BODY, loop.body) },
        [COMMAND_UNTIL] = { OF_COMMAND(LIST, COMMAND, CONDITION, loop.condition), OF_COMMAND(LIST, COMMAND, BODY, loop.body) },
        [COMMAND_FOR] = { OF_FOR(LIST, WORD, WORD, words), OF_FOR(LIST, COMMAND, BODY, body) },
        [COMMAND_SELECT] = { OF_FOR(LIST, WORD, WORD, words), OF_FOR(LIST, COMMAND, BODY, body) },
        [COMMAND_FOR_ARITH] = { OF_FOR(ONE, PART, START, arith[0]), OF_FOR(ONE, PART, TEST, arith[1]),
                                OF_FOR(ONE, PART, STEP, arith[2]), OF_FOR(LIST, COMMAND, BODY, body) },
        [COMMAND_CASE] = { OF_CASE(ONE, WORD, SUBJECT, subject), OF_CASE(LIST, ITEM, ITEM, items) },
        [COMMAND_ARITH] = { OF_COMMAND(ONE, PART, EXPRESSION, arith) },
        [COMMAND_COND] = { OF_COMMAND(ONE, COND, EXPRESSION, cond) },
        [COMMAND_FUNCTION] = { BEHIND(ONE, COMMAND, BODY, struct command, function, struct function, body) },
        [COMMAND_COPROC] = { BEHIND(ONE, COMMAND, BODY, struct command, coproc, struct coproc, body) },
};
static const struct edge command_redirs[EDGES_MAX] = { OF_COMMAND(LIST, REDIR, REDIR, redirs) };

static const struct edge part_edges[][EDGES_MAX] = {
        [PART_LITERAL] = { { .kind = EDGE_END } },
        [PART_QUOTED] = { { .kind = EDGE_END } },
        [PART_DOUBLE] = { DIRECT(LIST, PART, PART, struct part, parts) },
        [PART_PARAM] = { OF_PARAM(ONE, WORD, INDEX, index), OF_PARAM(ONE, WORD, ARGUMENT, arg),
                         OF_PARAM(ONE, WORD, ARGUMENT2, arg2) },
        [PART_COMMAND] = { DIRECT(LIST, COMMAND, BODY, struct part, body) },
        [PART_ARITH] = { DIRECT(LIST, PART, PART, struct part, parts) },
        [PART_EXTGLOB] = { DIRECT(LIST, PART, PART, struct part, parts) },
};

static const struct edge node_edges[NODE_KINDS][EDGES_MAX] = {
        [NODE_WORD] = { DIRECT(LIST, PART, PART, struct word, parts) },
        [NODE_ASSIGN] = { DIRECT(ONE, WORD, INDEX, struct assign, index),
                          DIRECT(LIST, ASSIGN, ELEMENT, struct assign, elements),
                          DIRECT(ONE, WORD, VALUE, struct assign, value) },
        [NODE_REDIR] = { DIRECT(ONE, WORD, INDEX, struct redir, fd_index), DIRECT(ONE, WORD, TARGET, struct redir, target),
                         BEHIND(EMBEDDED, WORD, DOCUMENT, struct redir, heredoc, struct heredoc, body) },
        [NODE_CLAUSE] = { DIRECT(LIST, COMMAND, CONDITION, struct if_clause, condition),
                          DIRECT(LIST, COMMAND, BODY, struct if_clause, body) },
        [NODE_ITEM] = { DIRECT(LIST, WORD, PATTERN, struct case_item, patterns),
                        DIRECT(LIST, COMMAND, BODY, struct case_item, body) },
        [NODE_COND] = { DIRECT(ONE, WORD, LEFT, struct cond, left), DIRECT(ONE, WORD, RIGHT, struct cond, right),
                        DIRECT(LIST, COND, OPERAND, struct cond, children) },
};

static const struct {
        const char *name;
        bool many;
} roles[ROLE_KINDS] = {
        [ROLE_COMMAND] = { "commands", true },     [ROLE_ASSIGN] = { "assigns", true },
        [ROLE_WORD] = { "words", true },           [ROLE_REDIR] = { "redirects", true },
        [ROLE_CONDITION] = { "condition", true },  [ROLE_BODY] = { "body", true },
        [ROLE_CLAUSE] = { "clauses", true },       [ROLE_SUBJECT] = { "subject", false },
        [ROLE_ITEM] = { "items", true },           [ROLE_PATTERN] = { "patterns", true },
        [ROLE_START] = { "start", false },         [ROLE_TEST] = { "test", false },
        [ROLE_STEP] = { "step", false },           [ROLE_EXPRESSION] = { "expression", false },
        [ROLE_LEFT] = { "left", false },           [ROLE_RIGHT] = { "right", false },
        [ROLE_OPERAND] = { "operands", true },     [ROLE_PART] = { "parts", true },
        [ROLE_INDEX] = { "index", false },         [ROLE_ARGUMENT] = { "argument", false },
        [ROLE_ARGUMENT2] = { "argument2", false }, [ROLE_VALUE] = { "value", false },
        [ROLE_ELEMENT] = { "elements", true },     [ROLE_TARGET] = { "target", false },
        [ROLE_DOCUMENT] = { "document", false },
};

const char *node_role_name(enum node_role role) {
        return roles[role].name;
}

bool node_role_many(enum node_role role) {
        return roles[role].many;
}

/* All that stand in lists begin with their `next`. */
static_assert(offsetof(struct command, next) == 0 && offsetof(struct word, next) == 0 && offsetof(struct part, next) == 0 &&
                      offsetof(struct assign, next) == 0 && offsetof(struct redir, next) == 0 &&
                      offsetof(struct if_clause, next) == 0 && offsetof(struct case_item, next) == 0 &&
                      offsetof(struct cond, next) == 0,
              "the list walker follows the first member");

static const void *pointer_at(const void *base, size_t offset) {
        const void *pointer;

        memcpy(&pointer, (const char *)base + offset, sizeof(pointer));
        return pointer;
}

static int edge_visit(const struct edge *edge, const void *base, node_visit *visit, void *data) {
        const void *holder = edge->indirect ? pointer_at(base, edge->via) : base;
        struct node child = { .kind = edge->child, .role = edge->role };
        int stop = 0;

        if (!holder)
                return 0;
        child.any = edge->kind == EDGE_EMBEDDED ? (const char *)holder + edge->offset : pointer_at(holder, edge->offset);
        while (child.any && !stop) {
                stop = visit(&child, data);
                child.any = edge->kind == EDGE_LIST ? pointer_at(child.any, 0) : NULL;
        }
        return stop;
}

static int edges_visit(const struct edge *edge, const void *base, node_visit *visit, void *data) {
        int stop = 0;

        for (; edge->kind != EDGE_END && !stop; edge++)
                stop = edge_visit(edge, base, visit, data);
        return stop;
}

int shell_visit_children(const struct node *node, node_visit *visit, void *data) {
        int stop;

        if (node->kind == NODE_PART)
                return edges_visit(part_edges[node->part->kind], node->any, visit, data);
        if (node->kind != NODE_COMMAND)
                return edges_visit(node_edges[node->kind], node->any, visit, data);
        stop = edges_visit(command_edges[node->command->kind], node->any, visit, data);
        return stop ? stop : edges_visit(command_redirs, node->any, visit, data);
}

int shell_visit_list(const struct command *list, enum node_role role, node_visit *visit, void *data) {
        int stop = 0;

        for (; list && !stop; list = list->next)
                stop = visit(&(struct node){ .kind = NODE_COMMAND, .role = role, .command = list }, data);
        return stop;
}

static int range_extend(const struct node *node, void *data) {
        struct range range = node_range(node), *whole = data;

        if (whole->end == 0 || range.start < whole->start)
                whole->start = range.start;
        if (range.end > whole->end)
                whole->end = range.end;
        return 0;
}

struct range node_range(const struct node *node) {
        struct range whole = { 0, 0 };

        switch (node->kind) {
        case NODE_COMMAND:
                return node->command->range;
        case NODE_WORD:
                return node->word->range;
        case NODE_PART:
                return node->part->range;
        case NODE_ASSIGN:
                return node->assign->range;
        case NODE_REDIR:
                return node->redir->range;
        case NODE_COND:
                return node->cond->range;
        default:
                shell_visit_children(node, range_extend, &whole);
                return whole;
        }
}
