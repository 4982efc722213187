/*
 * Any bytes as an agent's question: it is refused, or each answer is JSON in the agent's form; a wrapped command is exactly the
 * given one, and the rest of the tool's input is kept. The same bytes as a settings file: what is put in and taken out again
 * leaves the others as they were, whatever is taken out is all that goes, and bailey gets into it and out again.
 */
#include <stdint.h>
#include <stdlib.h>

#include "hook/answer.h"
#include "hook/edit.h"
#include "hook/entry.h"
#include "hook/install.h"
#include "hook/wrap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 16, TEXT_MAX = 1 << 24, NODES_MAX = 16 };

static const char *const no_environment[] = { "HOME=/nonexistent", NULL };
static const char *const overrides[] = { "audit.enabled=false", NULL };

static void require(bool truth) {
        if (!truth)
                abort();
}

/* ---- answers ---- */

/* What stands in the answer instead of the tool's input is that input, but for its command. */
static void check_input(const struct question *question, json_t *answer, struct str command) {
        json_t *input = json_at(answer, question->event->form->input);
        JSON_AUTO same = json_copy(question->input);
        const json_t *given = json_object_get(input, question->tool->command);

        require(json_is_string(given));
        require(str_eq(str_from(json_string_value(given), json_string_length(given)), command));
        json_object_set(same, question->tool->command, (json_t *)given);
        require(json_equal(same, input));
}

static void check_answer(const struct question *question, enum decision decision, struct str command) {
        const struct answer answer = { .decision = decision, .reason = STR("why\n\xc3\xbc \"'\\"), .command = command };
        struct err err;
        BUF_AUTO out;
        JSON_AUTO json = NULL;

        buf_init(&out, TEXT_MAX);
        require(answer_write(question, &answer, &out, &err) == 0);
        if (!out.len)
                return;
        require(json_read(buf_str(&out), &json, &err) == 0);
        if (command.ptr)
                check_input(question, json, command);
        if (decision == DECISION_DENY || decision == DECISION_ASK)
                require(json_is_string(json_at(json, question->event->form->decision)));
}

static void check_wrap(const struct question *question) {
        struct wrap wrap = { .program = "/bin/bailey", .workspace = question->workspace, .timeout = question->timeout };
        struct str command = question->command;
        BUF_AUTO wrapped, inner;

        buf_init(&wrapped, TEXT_MAX);
        buf_init(&inner, TEXT_MAX);
        if (memchr(command.ptr, '\0', command.len))
                return;
        wrap_command(&wrapped, &wrap, command);
        require(wrap_is(buf_str(&wrapped), &wrap, &inner));
        require(str_eq(command.len && command.ptr[0] == '-' ? str_skip(buf_str(&inner), 1) : buf_str(&inner), command));
        if (question->event->form->input && !question->tool->typed)
                for (enum decision decision = DECISION_NONE; decision <= DECISION_ASK; decision++)
                        check_answer(question, decision, buf_str(&wrapped));
}

static void check_question(struct str text) {
        const struct question_options options = { .workspace = "/", .environment = no_environment };
        struct question question;
        struct err err;

        if (question_read(text, &options, &question, &err) < 0)
                return;
        for (enum decision decision = DECISION_NONE; decision <= DECISION_ASK; decision++)
                check_answer(&question, decision, (struct str){});
        if (question.tool && question.tool->command)
                check_wrap(&question);
        question_free(&question);
}

static void check_hook(struct str text, enum hook_mode mode) {
        const struct hook_options options = {
                .mode = mode,
                .program = "/bin/bailey",
                .workspace = "/",
                .overrides = overrides,
                .environment = no_environment,
        };
        struct err err;
        BUF_AUTO answer, said;
        JSON_AUTO json = NULL;

        buf_init(&answer, TEXT_MAX);
        buf_init(&said, TEXT_MAX);
        if (hook_answer(text, &options, &answer, &said, &err) == 0 && answer.len)
                require(json_read(buf_str(&answer), &json, &err) == 0);
}

/* ---- settings ---- */

static void check_removed(const struct tree *before, struct str text, struct arena *arena) {
        struct tree with, after;
        struct err err;
        BUF_AUTO without;

        buf_init(&without, TEXT_MAX);
        require(tree_read(text, true, arena, &with, &err) == 0);
        require(with.root->count == before->root->count + 1);
        edit_remove(&with, with.root->last, &without);
        require(tree_read(buf_str(&without), true, arena, &after, &err) == 0);
        require(json_equal(after.json, before->json));
        tree_free(&with);
        tree_free(&after);
}

/* In the order of the text; the root is number 0. */
static const struct node *node_at(const struct node *node, size_t index, size_t *seen) {
        const struct node *found = NULL;

        if ((*seen)++ == index)
                return node;
        for (const struct node *child = node->first; child && !found; child = child->next)
                found = node_at(child, index, seen);
        return found;
}

static json_t *key_of(const struct tree *tree, const struct node *member) {
        struct str rest = str_skip(tree->bare, member->item);
        json_t *key = json_loadb(rest.ptr, rest.len, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL);

        require(json_is_string(key));
        return key;
}

/* The value of a node. With `gone` it is taken out of what holds it, and not returned. */
static json_t *value_of(const struct tree *tree, json_t *root, const struct node *node, bool gone) {
        json_t *parent = node->parent ? value_of(tree, root, node->parent, false) : NULL, *value = root;
        size_t index = 0;

        for (const struct node *before = node->previous; before; before = before->previous)
                index++;
        if (parent && node->parent->kind == '[') {
                value = json_array_get(parent, index);
                require(!gone || json_array_remove(parent, index) == 0);
        } else if (parent) {
                JSON_AUTO key = key_of(tree, node);

                value = json_object_get(parent, json_string_value(key));
                require(!gone || json_object_del(parent, json_string_value(key)) == 0);
        }
        return gone ? NULL : value;
}

static void check_gone(const struct tree *tree, const struct node *node, struct arena *arena) {
        JSON_AUTO wanted = json_deep_copy(tree->json);
        struct tree after;
        struct err err;
        BUF_AUTO without;

        buf_init(&without, TEXT_MAX);
        value_of(tree, wanted, node, true);
        edit_remove(tree, node, &without);
        require(tree_read(buf_str(&without), true, arena, &after, &err) == 0);
        require(json_equal(after.json, wanted));
        tree_free(&after);
}

static void check_edits(const struct tree *tree, struct arena *arena) {
        JSON_AUTO value = json_pack("{s:[i,{s:s}]}", "k", 1, "l", "v");
        const struct node *node;
        BUF_AUTO with;

        buf_init(&with, TEXT_MAX);
        if (!tree_member(tree, tree->root, "new key")) {
                edit_insert(tree, tree->root, "new key", value, &with);
                require(!with.failed);
                check_removed(tree, buf_str(&with), arena);
        }
        for (size_t i = 1, seen = 0; i < NODES_MAX && (node = node_at(tree->root, i, &seen)); i++, seen = 0)
                check_gone(tree, node, arena);
}

/* What can be read, and has nothing strange in the place of our entries, takes them in, once, and lets them go. */
static void check_install(const struct hook_agent *agent, struct str text, enum hook_mode mode) {
        const struct hook_options options = { .mode = mode, .program = "/bin/bailey", .environment = no_environment };
        struct err err;
        BUF_AUTO with, again, without;

        buf_init(&with, TEXT_MAX);
        buf_init(&again, TEXT_MAX);
        buf_init(&without, TEXT_MAX);
        require(hook_change_text(agent, &options, text, &with, &err) >= 0);
        require(hook_change_text(agent, &options, buf_str(&with), &again, &err) == 0);
        require(str_eq(buf_str(&with), buf_str(&again)));
        require(hook_change_text(agent, NULL, buf_str(&with), &without, &err) == 1);
        require(hook_change_text(agent, NULL, buf_str(&without), &again, &err) == 0);
}

static void check_settings(struct str text) {
        struct tree tree;
        struct err err;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        for (const struct hook_agent *agent = hook_agents; agent->name; agent++) {
                if (tree_read(text, agent->comments, &arena, &tree, &err) < 0)
                        continue;
                if (agent->comments)
                        check_edits(&tree, &arena);
                if (entry_check(tree.json, agent, &err) == 0)
                        for (enum hook_mode mode = HOOK_DENY; mode <= HOOK_WRAP; mode++)
                                check_install(agent, text, mode);
                tree_free(&tree);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct str text = str_from((const char *)data, size);

        if (size > INPUT_MAX)
                return 0;
        check_question(text);
        check_hook(text, HOOK_DENY);
        check_hook(text, HOOK_WRAP);
        check_settings(text);
        return 0;
}
