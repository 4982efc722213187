/*
 * What a failure can be explained by: which programs need the network, whose exit status is that of the whole command, and
 * whether anything does more than print. It is noted while the command is judged, as it runs in the sandbox only later.
 */
#include "guard/options.h"
#include "policy/hosts.h"

enum { NEEDS_MAX = 16 };

/* ---- columns of the table ---- */

/* Is the word in the list? *ret_certain: without a question mark. */
static bool list_has(const char *list, struct str word, bool *ret_certain) {
        size_t len;

        for (; *list; list += len + (list[len] == ' ')) {
                len = strcspn(list, " ");
                *ret_certain = list[len - 1] != '?';
                if (*list == '*' || str_eq(str_from(list, len - !*ret_certain), word))
                        return true;
        }
        return false;
}

/* The first operand; cargo +nightly build is cargo build. */
static struct str subcommand(const struct call *call, const struct program *row) {
        struct call copy = *call;
        struct options options;
        struct option option;
        enum scan scan;

        copy.program = row;
        options_start(&options, &copy);
        while ((scan = options_next(&options, &option)) != SCAN_END)
                if (scan == SCAN_OPERAND && !str_starts(option.value.text, STR("+")))
                        return option.value.text;
        return STR("");
}

static bool column_has(const struct call *call, const struct program *row, const char *column, bool *ret_certain) {
        *ret_certain = false;
        return column && list_has(column, *column == '*' ? STR("") : subcommand(call, row), ret_certain);
}

/* ---- hosts ---- */

enum reach {
        REACH_NOTHING,
        REACH_LOCAL,
        REACH_UNKNOWN, /* a host that only the run can tell */
        REACH_OTHERS,
};

/* Where the call's effects lead, the farthest of them. */
static enum reach reach_of_effects(const struct effect *effect) {
        enum reach farthest = REACH_NOTHING, reach;
        struct host host;

        for (; effect; effect = effect->next) {
                if (effect->kind != FX_CONNECT && effect->kind != FX_UPLOAD)
                        continue;
                reach = effect->flags & HOST_UNKNOWN ? REACH_UNKNOWN : REACH_OTHERS;
                if (host_from_url(effect->subject, &host) == 0 && host_is_loopback(&host))
                        reach = REACH_LOCAL;
                farthest = reach > farthest ? reach : farthest;
        }
        return farthest;
}

static bool is_number(struct str s) {
        size_t i = 0;

        while (i < s.len && is_ascii_digit((unsigned char)s.ptr[i]))
                i++;
        return i == s.len;
}

/* The same for programs that have no such effects, as ping and ssh: one of their words names this host. */
static enum reach reach_of_words(const struct call *call) {
        struct host host;

        for (size_t i = 1; i < call->count; i++) {
                struct str word = call->args[i].text;

                word = str_skip(word, str_find(word, '@') < word.len ? str_find(word, '@') + 1 : 0);
                if (!is_number(word) && word.ptr[0] != '-' && host_from_url(word, &host) == 0 && host_is_loopback(&host))
                        return REACH_LOCAL;
        }
        return REACH_NOTHING;
}

/* ---- exit status ---- */

static bool is_pipe(const struct command *command) {
        return command->join == JOIN_PIPE || command->join == JOIN_PIPE_BOTH;
}

/* When this command fails, is its status that of its script? So it is when nothing that follows runs then: a && b | c. */
static bool status_is_last(const struct walk_visit *visit) {
        const struct command *c = visit->script->commands;

        while (c && c != visit->command)
                c = c->next;
        if (!c || c->negated || is_pipe(c))
                return false;
        for (; c; c = c->next)
                if (c->next ? c->join != JOIN_AND && !is_pipe(c) : c->join == JOIN_BACKGROUND)
                        return false;
        return true;
}

static bool status_is_all(const struct guard *g, const struct walk_visit *visit) {
        if (!visit || !status_is_last(visit))
                return false;
        for (const struct frame *frame = g->frame; frame; frame = frame->outer)
                if (!frame->visit || !status_is_last(frame->visit))
                        return false;
        return true;
}

/* ---- has it run? ---- */

/* With no output, it has succeeded. A redirection may hide what it says. */
static bool is_loud(const struct command *c) {
        const struct word *w = c->kind == COMMAND_SIMPLE && !c->redirs && !c->negated ? c->simple.words : NULL;
        const struct part *p = w ? w->parts : NULL;
        const struct program *row = p && !p->next && p->kind == PART_LITERAL ? program_row(p->text) : NULL;

        return row && row->traits & TRAIT_LOUD;
}

/* It is this command, or has it in a substitution. */
static bool is_or_expands(const struct command *c, const struct walk_visit *visit) {
        const struct command *inner = visit->command;

        return c == inner || (c->kind == COMMAND_SIMPLE && !(visit->where & WALK_IN_BRANCH) &&
                              c->range.start <= inner->range.start && inner->range.end <= c->range.end);
}

/* When the script fails silently, has this command run? Behind && it has if all before it would say that they failed; behind ||
 * if its own status is the script's. In the body of an if or of a loop, it is unknown. */
static bool has_run(const struct guard *g, const struct walk_visit *visit) {
        const struct command *c = visit->script->commands;
        bool runs = true;

        if (!(visit->where & WALK_IN_BRANCH) && !g->errexit)
                return true;
        for (; c && !is_or_expands(c, visit); c = c->next) {
                if (c->join == JOIN_AND || (c->join == JOIN_END && g->errexit))
                        runs &= is_loud(c);
                else if (c->join == JOIN_OR)
                        runs &= status_is_last(visit);
                else if (c->join == JOIN_END)
                        runs = true;
        }
        return c && runs;
}

/* ! COMMAND fails when the command does not; in the condition of an if, it is as good as any other. */
static bool fails_by_success(const struct walk_visit *visit) {
        const struct command *c = visit->script->commands;

        while (c && c != visit->command)
                c = c->next;
        return c && c->negated;
}

/* And so have the commands around it; nobody waits for what is in the background. */
static bool surely_runs(const struct guard *g, const struct walk_visit *visit) {
        if (g->leaves || !visit || visit->where & WALK_IN_BACKGROUND || fails_by_success(visit) || !has_run(g, visit))
                return false;
        for (const struct frame *frame = g->frame; frame; frame = frame->outer)
                if (!frame->visit || !has_run(g, frame->visit))
                        return false;
        return true;
}

static void note_end(struct call *call) {
        struct guard *g = call->guard;

        g->leaves |= str_is(call->name, "exit") || str_is(call->name, "return");
        for (size_t i = 1; str_is(call->name, "set") && i < call->count; i++) {
                struct str word = call->args[i].text;

                g->errexit |= str_is(word, "errexit") || (word.len > 1 && word.ptr[0] == '-' && str_find(word, 'e') < word.len);
        }
}

/* ---- notes ---- */

/* "git clone" */
static struct str title(struct call *call, const struct program *row) {
        struct arg words[2] = { arg_text(call->guard, call->name, call->args[0].range) };

        if (row->act == ACT_CODE && !row->online)
                return STR("");
        if (!row->online || *row->online == '*')
                return call->name;
        words[1] = arg_text(call->guard, subcommand(call, row), call->args[0].range);
        return guard_join(call->guard, words, words[1].text.len ? 2 : 1, &(bool){ false });
}

static void need_add(struct call *call, const struct program *row, bool reaches) {
        struct guard *g = call->guard;
        struct network_need **tail = &g->verdict->needs;

        if (g->need_count++ >= NEEDS_MAX)
                return;
        while (*tail)
                tail = &(*tail)->next;
        *tail = ARENA_NEW(g->arena, struct network_need);
        if (!*tail) {
                g->failed = true;
                return;
        }
        **tail = (struct network_need){
                .program = title(call, row),
                .codes = row->codes,
                .reaches = reaches,
                .connects = reaches && surely_runs(g, call->visit),
                .status = status_is_all(g, call->visit),
        };
}

/* Only these can need the network: the others, as `export https_proxy=...`, speak of hosts without connecting to them. */
static bool may_connect(const struct program *row) {
        return row->online || row->codes || row->act == ACT_FETCH || row->act == ACT_CONNECT || row->act == ACT_CODE;
}

static void note_network(struct call *call, const struct program *row, struct need_mark mark) {
        enum reach reach = reach_of_effects(*mark.effects);
        bool certain, online = column_has(call, row, row->online, &certain);

        if (online && reach == REACH_NOTHING)
                reach = reach_of_words(call);
        if (reach == REACH_LOCAL)
                call->guard->verdict->local = true;
        else if (row->act == ACT_CODE && call->guard->need_count != mark.needs)
                return; /* the program inside the code is noted */
        else if (online || reach != REACH_NOTHING)
                need_add(call, row, reach == REACH_OTHERS || (certain && reach == REACH_NOTHING));
}

struct need_mark need_begin(struct guard *g) {
        return (struct need_mark){ .effects = g->effect_tail, .calls = ++g->call_count, .needs = g->need_count };
}

void need_end(struct call *call, const struct program *row, struct need_mark mark) {
        struct guard *g = call->guard;
        bool runs_others = g->call_count != mark.calls;

        if (!g->acts && !(row && column_has(call, row, row->prints, &(bool){ false })))
                g->acts = !runs_others || (row && may_connect(row));
        if (row && may_connect(row))
                note_network(call, row, mark);
        else if (row && row->prints)
                note_end(call);
}
