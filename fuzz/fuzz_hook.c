/*
 * Any bytes as an agent's question: it is refused, or each answer is JSON in the agent's form; a wrapped command is exactly the
 * given one, and the rest of the tool's input is kept. The same bytes as a settings file, and as JSON5: what is put in and
 * taken out again leaves the others as they were, and whatever is taken out is all that goes. bailey gets into a settings file
 * and out again.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/json5_edit.h"
#include "hook/answer.h"
#include "hook/entry.h"
#include "hook/install.h"
#include "hook/settings.h"
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

/* The value at a path like "a.b"; NULL when there is none. */
static json_t *json_at(json_t *json, const char *path) {
        while (json && path) {
                const char *dot = strchr(path, '.');

                json = dot ? json_object_getn(json, path, (size_t)(dot - path)) : json_object_get(json, path);
                path = dot ? dot + 1 : NULL;
        }
        return json;
}

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

static struct json5_file file_read(struct str text, const struct json5_rules *rules, struct arena *arena) {
        struct tree_node *root;

        require(json5_read(text, rules, arena, &root, NULL) == 0);
        return (struct json5_file){ text, rules, root };
}

/* The values as jansson has them; NULL where it has no word for one of them. */
static json_t *values_of(const struct tree_node *root) {
        json_t *values;
        BUF_AUTO json;

        buf_init(&json, (size_t)64 << 20);
        tree_to_json(root, &json);
        values = json.failed ? NULL : json_loadb(json.ptr, json.len, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
        return values;
}

/* In the order of the text; the root is number 0. */
static const struct tree_node *node_at(const struct tree_node *node, size_t index, size_t *seen) {
        const struct tree_node *found = NULL;

        if ((*seen)++ == index)
                return node;
        if (node->kind != TREE_TABLE && node->kind != TREE_ARRAY)
                return NULL;
        for (const struct tree_node *child = node->first; child && !found; child = child->next)
                found = node_at(child, index, seen);
        return found;
}

/* The value of a node. With `gone` it is taken out of what holds it, and not returned. */
static json_t *value_of(json_t *root, const struct tree_node *node, bool gone) {
        json_t *parent = node->parent ? value_of(root, node->parent, false) : NULL, *value = root;
        size_t index = 0;

        for (const struct tree_node *before = node->previous; before; before = before->previous)
                index++;
        if (parent && node->parent->kind == TREE_ARRAY) {
                value = json_array_get(parent, index);
                require(!gone || json_array_remove(parent, index) == 0);
        } else if (parent) {
                value = json_object_getn(parent, node->key.ptr, node->key.len);
                require(!gone || json_object_deln(parent, node->key.ptr, node->key.len) == 0);
        }
        return gone ? NULL : value;
}

/* Are the values of a text those of `before` without this node? Found out without tree_equal(), on which the editor relies. */
static void check_gone(const struct json5_file *before, const struct tree_node *node, struct arena *arena) {
        JSON_AUTO wanted = values_of(before->root);
        JSON_AUTO now = NULL;
        BUF_AUTO without;

        buf_init(&without, TEXT_MAX);
        require(json5_remove(before, node, arena, &without) == 0);
        now = values_of(file_read(buf_str(&without), before->rules, arena).root);
        if (!wanted || !now)
                return;
        value_of(wanted, node, true);
        require(json_equal(now, wanted));
}

static void check_edits(const struct json5_file *file, struct arena *arena) {
        const struct tree_node *root = file->root, *node;
        struct json5_file new;
        struct tree_node *value;
        BUF_AUTO with, without;

        buf_init(&with, TEXT_MAX);
        buf_init(&without, TEXT_MAX);
        require(json5_read(STR("{k: [1, {l: 'v'}]}"), &json5_all, arena, &value, NULL) == 0);
        if (root->kind == TREE_ARRAY || (root->kind == TREE_TABLE && !tree_get(root, STR("new key")))) {
                require(json5_insert(file, root, root->kind == TREE_TABLE ? "new key" : NULL, value, arena, &with) == 0);
                new = file_read(buf_str(&with), file->rules, arena);
                require(new.root->count == root->count + 1 && tree_equal(new.root->last, value, NULL));
                require(json5_remove(&new, new.root->last, arena, &without) == 0);
                require(tree_equal(file_read(buf_str(&without), file->rules, arena).root, root, NULL));
        }
        for (size_t i = 1, seen = 0; i < NODES_MAX && (node = node_at(root, i, &seen)); i++, seen = 0)
                check_gone(file, node, arena);
}

/* JSON5 has more ways to write the same. */
static void check_json5(struct str text) {
        struct json5_file file = { .text = text, .rules = &json5_all };
        struct tree_node *root;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (json5_read(text, &json5_all, &arena, &root, NULL) < 0)
                return;
        file.root = root;
        check_edits(&file, &arena);
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
        struct json5_file file;
        struct err err;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        for (const struct hook_agent *agent = hook_agents; agent->name; agent++) {
                if (settings_parse(agent, text, &arena, &file, &err) < 0)
                        continue;
                if (agent->comments)
                        check_edits(&file, &arena);
                if (entry_check(file.root, agent, &err) == 0)
                        for (enum hook_mode mode = HOOK_DENY; mode <= HOOK_WRAP; mode++)
                                check_install(agent, text, mode);
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
        check_json5(text);
        return 0;
}
