#include "guard/options.h"

#include "guard/paths.h"

void options_start(struct options *options, const struct call *call) {
        *options = (struct options){ .call = call, .next = 1 };
}

/* A row of the program's option list. */
struct row {
        struct str name;
        char arity; /* = ? ! */
        char meaning;
};

/* Takes the next row off the list; false at its end. */
static bool row_next(const char **list, struct row *ret) {
        const char *s = *list;
        size_t len;

        while (*s == ' ')
                s++;
        if (!*s)
                return false;
        len = strcspn(s + 1, "=?! ") + 1;
        *ret = (struct row){ .name = { s, len } };
        s += len;
        if (*s && *s != ' ')
                ret->arity = *s++;
        if (*s && *s != ' ')
                ret->meaning = *s++;
        *list = s;
        return true;
}

static bool find_short(const struct program *program, char name, struct row *ret) {
        const char *list = program && program->options ? program->options : "";

        while (row_next(&list, ret))
                if (ret->name.len == 1 && ret->name.ptr[0] == name)
                        return true;
        *ret = (struct row){ 0 };
        return false;
}

/* Exactly, or by a beginning of it, as getopt_long takes it; between several the first, which is the more suspicious
 * one. */
static bool find_long(const struct program *program, struct str name, struct row *ret) {
        const char *list = program && program->options ? program->options : "";
        struct row row;
        bool found = false;

        while (name.len && row_next(&list, &row)) {
                if (row.name.len < 2 || !str_starts(row.name, name))
                        continue;
                if (!found || row.name.len == name.len)
                        *ret = row;
                found = true;
                if (row.name.len == name.len)
                        break;
        }
        return found;
}

static void take_value(struct options *o, struct option *ret) {
        if (o->next >= o->call->count)
                return;
        ret->value = o->call->args[o->next++];
        ret->has_value = true;
}

static enum scan long_option(struct options *o, const struct arg *arg, size_t dashes, struct option *ret) {
        struct str text = str_skip(arg->text, dashes);
        size_t equals = str_find(text, '=');
        struct row row = { 0 };
        bool found;

        ret->name = str_take(text, equals);
        found = find_long(o->call->program, ret->name, &row);
        if (found) {
                ret->name = row.name;
                ret->meaning = row.meaning;
        }
        if (equals < text.len) {
                ret->value = arg_part(arg, dashes + equals + 1, text.len - equals - 1);
                ret->has_value = true;
        } else if (found && row.arity == '=') {
                take_value(o, ret);
                o->next += row.meaning == '2'; /* two of them: bwrap --bind FROM TO */
        }
        return SCAN_OPTION;
}

static enum scan short_option(struct options *o, const struct arg *arg, struct option *ret) {
        struct row row = { 0 };

        ret->name = str_take(str_skip(arg->text, o->cluster), 1);
        if (find_short(o->call->program, ret->name.ptr[0], &row))
                ret->meaning = row.meaning;
        o->cluster++;
        if (row.arity == '=' || row.arity == '?') {
                if (o->cluster < arg->text.len) {
                        ret->value = arg_part(arg, o->cluster, arg->text.len - o->cluster);
                        ret->has_value = true;
                } else if (row.arity == '=') {
                        o->cluster = 0;
                        o->next++;
                        take_value(o, ret);
                        return SCAN_OPTION;
                }
                o->cluster = arg->text.len;
        }
        if (o->cluster >= arg->text.len) {
                o->cluster = 0;
                o->next++;
        }
        return SCAN_OPTION;
}

static enum scan operand(struct options *o, const struct arg *arg, struct option *ret) {
        ret->value = *arg;
        ret->has_value = true;
        o->next++;
        return SCAN_OPERAND;
}

/* -C DIR: the rest of the call happens there. Only places that do not depend on where we are, as options are read twice. */
static void go_there(struct options *o, const struct option *option) {
        struct str to = option->value.text;

        if (option->meaning == 'd' && option->has_value && to.len && (to.ptr[0] == '/' || to.ptr[0] == '~'))
                o->call->guard->cwd = path_resolve(o->call->guard, to);
}

static enum scan next_word(struct options *o, struct option *ret);

enum scan options_next(struct options *o, struct option *ret) {
        enum scan scan = next_word(o, ret);

        if (scan == SCAN_OPTION)
                go_there(o, ret);
        return scan;
}

static enum scan next_word(struct options *o, struct option *ret) {
        const struct arg *arg;
        unsigned traits = o->call->program ? o->call->program->traits : 0;

        *ret = (struct option){ .index = o->next };
        if (o->next >= o->call->count)
                return SCAN_END;
        arg = &o->call->args[o->next];
        if (o->cluster)
                return short_option(o, arg, ret);
        if (o->only_operands || arg->text.len < 2 || arg->text.ptr[0] != '-') {
                o->only_operands |= traits & TRAIT_ORDERED;
                return operand(o, arg, ret);
        }
        if (arg_is(arg, "--")) {
                o->only_operands = true;
                o->next++;
                return next_word(o, ret);
        }
        if (arg->text.ptr[1] == '-') {
                o->next++;
                return long_option(o, arg, 2, ret);
        }
        if (traits & TRAIT_ONE_DASH && arg->text.len > 2) {
                o->next++;
                return long_option(o, arg, 1, ret);
        }
        o->cluster = 1;
        return short_option(o, arg, ret);
}
