/*
 * The way of one verdict: the text, the tree, the walk through it, effects, rules, reasons.
 */
#include "guard/guard.h"

#include <stdio.h>

#include "base/buf.h"
#include "guard/judge.h"
#include "guard/paths.h"
#include "guard/rules.h"
#include "policy/pattern.h"

enum { MESSAGE_MAX = 2048, ALLOWED_MAX = 400 }; /* bytes */

/* Paths that rules are about by what they are, wherever they are. */
#define PATHS_JUDGED (PATH_CRITICAL | PATH_SYSTEM | PATH_DEVICE | PATH_SOCKET | PATH_HARMLESS)

const char *action_name(enum action action) {
        static const char *const names[] = { "allowed", "warned", "blocked" };

        return names[action];
}

/* ---- effects and reasons ---- */

char *guard_bytes(struct guard *g, size_t size) {
        char *bytes = arena_bytes(g->arena, size);

        g->failed |= !bytes;
        return bytes;
}

/* As people read it: what is unknown as a question mark, cut to a length that fits a sentence. */
static struct str shown(struct guard *g, struct str text) {
        const size_t most = 120;
        char *copy = guard_bytes(g, most + 3);
        size_t len = text.len < most ? text.len : most;

        if (!copy)
                return STR("?");
        for (size_t i = 0; i < len; i++) {
                unsigned char c = (unsigned char)text.ptr[i];

                copy[i] = c == UNKNOWN_BYTE ? '?' : c < ' ' || c == 0x7f ? ' ' : (char)c;
        }
        if (text.len > most) {
                for (unsigned dots = 0; dots < 3; dots++)
                        copy[len++] = '.';
        }
        return str_from(copy, len);
}

/* The text with its %s, if it has one, replaced. */
static void put_filled(const char *text, struct str name, struct buf *out) {
        const char *mark = strstr(text, "%s");

        if (!mark) {
                buf_append(out, str_z(text));
                return;
        }
        buf_append(out, str_from(text, (size_t)(mark - text)));
        buf_append(out, name);
        buf_append(out, str_z(mark + 2));
}

/* What the user is asked about is told apart in a loop, too. */
static bool same_subject(const struct reason *a, const struct reason *b) {
        bool asked = a->effect && b->effect && a->effect->flags & NAME_ASKED;

        return !asked || str_eq(a->effect->subject, b->effect->subject);
}

static bool reason_known(const struct guard *g, const struct reason *reason) {
        for (const struct reason *r = g->verdict->reasons; r; r = r->next)
                if (str_eq(r->id, reason->id) && r->range.start == reason->range.start && r->range.end == reason->range.end &&
                    same_subject(r, reason))
                        return true;
        return false;
}

/* Raises the action. Whether there is something to add: to repeat a reason says nothing, and costs a message. */
static bool reason_is_new(struct guard *g, const struct reason *reason) {
        enum action action = reason->severity == SEVERITY_BLOCK ? ACTION_BLOCKED : ACTION_WARNED;

        if (action > g->verdict->action)
                g->verdict->action = action;
        return g->reason_count < GUARD_MAX_REASONS && !reason_known(g, reason);
}

static void add_reason(struct guard *g, struct reason reason) {
        struct reason **tail = &g->verdict->reasons, *copy = ARENA_NEW(g->arena, struct reason);

        if (!copy) {
                g->failed = true;
                return;
        }
        while (*tail && (*tail)->severity >= reason.severity)
                tail = &(*tail)->next;
        *copy = reason;
        copy->next = *tail;
        *tail = copy;
        g->reason_count++;
}

/* What an effect is about, as a reason names it. What is not known at all is named as the command has it: $CMD. */
static struct str shown_subject(struct guard *g, const struct effect *effect) {
        struct str source = g->verdict->script.source;
        size_t known = 0;

        while (known < effect->subject.len && (unsigned char)effect->subject.ptr[known] == UNKNOWN_BYTE)
                known++;
        if (known < effect->subject.len || effect->range.start >= effect->range.end || effect->range.end > source.len)
                return shown(g, effect->subject);
        return shown(g, str_from(source.ptr + effect->range.start, effect->range.end - effect->range.start));
}

/* One that can be given to a shell as it is: the user is told to. */
static bool is_host_name(struct str host) {
        for (size_t i = 0; i < host.len; i++)
                if (!is_ascii_alnum((unsigned char)host.ptr[i]) && !strchr(".-_", host.ptr[i]))
                        return false;
        return host.len > 0 && host.len <= 253 && host.ptr[0] != '-';
}

/* "grep, cat, ls", or as many as fit. */
static void put_allowed(const struct str_list *commands, struct buf *out) {
        for (size_t i = 0; i < commands->count; i++) {
                if (out->len + commands->items[i].len > ALLOWED_MAX) {
                        buf_append(out, STR(", ... (guard.allowed_commands)"));
                        return;
                }
                buf_format(out, "%s%.*s", i ? ", " : "", (int)commands->items[i].len, commands->items[i].ptr);
        }
}

static void put_remedy(struct guard *g, const struct rule *rule, struct str subject, struct buf *out) {
        const struct str_list *allowed = &g->policy->guard.allowed_commands;
        BUF_AUTO name;

        buf_init(&name, MESSAGE_MAX);
        if (rule->names == NAMES_HOST && is_host_name(subject))
                buf_append(&name, subject);
        else if (rule->names == NAMES_ALLOWED)
                put_allowed(allowed, &name);
        put_filled(name.len ? rule->remedy : rule->instead, buf_str(&name), out);
}

static struct str rule_message(struct guard *g, const struct rule *rule, const struct effect *effect, size_t *ret_what) {
        BUF_AUTO text;
        char *copy;

        buf_init(&text, MESSAGE_MAX);
        put_filled(rule->message, shown_subject(g, effect), &text);
        *ret_what = text.len;
        buf_append(&text, STR(". "));
        put_remedy(g, rule, effect->subject, &text);
        copy = text.failed ? NULL : arena_dup(g->arena, buf_str(&text));
        g->failed |= !copy;
        return copy ? str_from(copy, text.len) : STR("refused");
}

static void apply_rules(struct guard *g, const struct effect *effect, const struct effect *kept) {
        for (size_t i = 0; i < rule_count; i++) {
                struct reason reason;
                size_t what;

                if (!rule_applies(&rules[i], effect, &g->policy->guard))
                        continue;
                reason = (struct reason){ .rule = &rules[i],
                                          .id = str_z(rules[i].id),
                                          .severity = rules[i].severity,
                                          .range = effect->range,
                                          .effect = kept };
                if (!reason_is_new(g, &reason))
                        continue;
                reason.message = rule_message(g, &rules[i], effect, &what);
                reason.what = str_take(reason.message, what);
                add_reason(g, reason);
        }
}

/* Loops and alternatives show a command again and again; it is enough to look at what was said last. */
static bool effect_known(const struct guard *g, const struct effect *effect) {
        for (size_t i = 0; i < EFFECTS_RECENT; i++) {
                const struct effect *e = g->recent[i];

                if (e && e->kind == effect->kind && e->flags == effect->flags && e->range.start == effect->range.start &&
                    e->range.end == effect->range.end && str_eq(e->subject, effect->subject))
                        return true;
        }
        return false;
}

void guard_effect(struct guard *g, enum effect_kind kind, uint32_t flags, struct str subject, struct range range) {
        struct effect effect = { .kind = kind, .flags = flags, .subject = subject, .range = range }, *kept = NULL;

        if (g->muted >> kind & 1)
                return;
        if (kind == FX_CONNECT && g->contained) /* it fails, and the hint says why */
                effect.flags &= ~(uint32_t)(HOST_UNLISTED | HOST_PRIVATE);
        if (kind == FX_ENVIRON && !(flags & NAME_SECRET) && guard_shows_names(g, kind))
                return;
        if (g->effect_count < GUARD_MAX_EFFECTS && !effect_known(g, &effect) && (kept = ARENA_NEW(g->arena, struct effect))) {
                *kept = effect;
                kept->subject = shown(g, subject);
                g->recent[g->effect_count % EFFECTS_RECENT] = kept;
                *g->effect_tail = kept;
                g->effect_tail = &kept->next;
                g->effect_count++;
        }
        apply_rules(g, &effect, kept);
}

void guard_path(struct guard *g, enum effect_kind kind, uint32_t flags, const struct arg *path) {
        struct str resolved;

        if (path->text.len == 0 || (path->text.len == 1 && path->text.ptr[0] == '-'))
                return;
        resolved = path_resolve(g, path->text);
        flags |= path_flags(g, path, resolved);
        if (kind == FX_DELETE && flags & HOW_RECURSIVE && path_unset_is_critical(g, path))
                flags |= PATH_CRITICAL;
        if ((kind == FX_DELETE || flags & HOW_EMPTIES) && !(flags & PATHS_JUDGED))
                flags |= path_place(g, path->text, resolved, flags);
        if (kind == FX_READ && flags & PATH_DOTENV && !(flags & PATH_CREDENTIAL) && guard_shows_names(g, kind))
                flags &= ~(uint32_t)PATH_DOTENV;
        if (kind == FX_READ && flags & PATH_SYSTEM)
                flags &= ~(uint32_t)PATH_SYSTEM;
        guard_effect(g, kind, flags, flags & PATH_CRITICAL && !path->known ? path->text : resolved, path->range);
}

void guard_opaque(struct guard *g, struct str what, struct range range) {
        guard_effect(g, FX_CODE, CODE_OPAQUE, what, range);
}

/* ---- the walk ---- */

static bool on_visit(void *context, const struct walk_visit *visit) {
        struct guard *g = context;

        guard_visit(g, visit);
        return !g->failed && g->inner.steps;
}

/* Text that bash takes for code: when it came from the network, wherever it was kept meanwhile. */
static bool on_code(void *context, const struct walk_visit *visit, enum walk_code code, struct value text) {
        struct guard *g = context;

        (void)visit;
        if ((code == WALK_CODE_EVAL || code == WALK_CODE_TRAP || code == WALK_CODE_PROMPT) && guard_value_network(g, &text))
                guard_effect(g, FX_CODE, CODE_NETWORK, STR("the network"), g->range);
        if (code == WALK_CODE_EVAL && guard_value_has(g, &text, TRAIT_DECODES))
                guard_effect(g, FX_CODE, CODE_PIPED, STR("eval"), g->range);
        return !g->failed;
}

static bool on_written(void *context, const struct walk_visit *visit) {
        struct guard *g = context;
        struct command alone = *visit->command;

        alone.next = NULL;
        guard_written(g, visit, guard_list_network(g, &alone));
        return !g->failed;
}

/* The content of a file that the command wrote itself; of one that it fetched, only where it is from. */
static bool on_file(void *context, struct str path, struct value *ret) {
        static const struct origin network = { .marked = true };
        static const struct piece fetched = { .kind = PIECE_UNKNOWN, .because = UNKNOWN_OUTPUT, .origin = &network };
        const struct file_fact *fact = guard_file_find(context, path);

        if (!fact || (!fact->fetched && !fact->content_known))
                return false;
        *ret = fact->content;
        if (fact->fetched)
                *ret = (struct value){ &fetched };
        return true;
}

bool guard_spend(struct guard *g, uint64_t steps) {
        g->inner.steps -= g->inner.steps < steps ? g->inner.steps : steps;
        return g->inner.steps;
}

/* Walks a script, the root one or one inside it. */
void guard_script(struct guard *g, const struct script *script, const struct walk_options *options) {
        struct walk_visitor visitor = {
                .context = g, .command = on_visit, .code = on_code, .written = on_written, .file = on_file
        };
        struct walk_options inner = *options;

        if (g->depth)
                inner.budget = &g->inner;
        switch (shell_walk(script, &inner, &visitor, g->arena)) {
        case WALK_TOO_COMPLEX:
                guard_effect(g, FX_TEXT, TEXT_LONG, STR("too complex to analyse"), g->range);
                break;
        case WALK_STOPPED:
                if (!g->failed)
                        guard_effect(g, FX_TEXT, TEXT_LONG, STR("too many nested commands to analyse"), g->range);
                break;
        case WALK_NO_MEMORY:
                g->failed = true;
                break;
        default:
                break;
        }
}

static void check_syntax(struct guard *g, const struct script *script) {
        const struct syntax_error *error = &script->error;
        char text[160];
        int len;

        if (error->kind == SYNTAX_OK)
                return;
        len = snprintf(text, sizeof(text), "cannot be parsed: line %u, column %u: %s", error->line, error->column,
                       error->message);
        guard_effect(g, FX_TEXT, error->kind == SYNTAX_TOO_COMPLEX ? TEXT_LONG : TEXT_SYNTAX, str_from(text, (size_t)len),
                     (struct range){ error->offset, error->offset });
}

/* ---- the user's patterns ---- */

static struct str pattern_message(struct guard *g, const struct user_pattern *pattern) {
        struct str regex = shown(g, pattern->regex);
        char text[480], *copy;
        int len =
                snprintf(text, sizeof(text), "matches a pattern in guard.dangerous_patterns: %.*s", (int)regex.len, regex.ptr);

        if (pattern->message.len)
                return pattern->message;
        if (len >= (int)sizeof(text))
                len = sizeof(text) - 1;
        copy = arena_dup(g->arena, str_from(text, (size_t)len));
        g->failed |= !copy;
        return copy ? str_from(copy, (size_t)len) : pattern->name;
}

static void check_patterns(struct guard *g, struct str command) {
        const struct guard_policy *policy = &g->policy->guard;
        struct str printed;

        if (!policy->pattern_count)
                return;
        printed = text_normalised(g);
        for (size_t i = 0; i < policy->pattern_count; i++) {
                const struct user_pattern *pattern = &policy->patterns[i];
                struct reason reason = { .id = pattern->name,
                                         .severity = pattern->severity,
                                         .range = { 0, (uint32_t)command.len } };

                if ((user_pattern_matches(pattern, command) == PATTERN_NO &&
                     user_pattern_matches(pattern, printed) == PATTERN_NO) ||
                    !reason_is_new(g, &reason))
                        continue;
                reason.message = reason.what = pattern_message(g, pattern);
                add_reason(g, reason);
        }
}

/* ---- the entry ---- */

static void check(struct guard *g, struct str command, const struct guard_place *place) {
        const struct walk_options options = {
                .name = STR("bash"),
                .arguments_known = true,
                .bindings = place->variables,
                .binding_count = place->variable_count,
        };
        struct script *script = &g->verdict->script;
        size_t most = g->policy->guard.max_command_length;
        char text[128];
        int len;

        g->range = (struct range){ 0, (uint32_t)command.len };
        if (command.len > (most > GUARD_MAX_TEXT ? most : GUARD_MAX_TEXT)) {
                len = snprintf(text, sizeof(text), "%zu bytes long; the limit is %d", command.len, GUARD_MAX_TEXT);
                guard_effect(g, FX_TEXT, TEXT_LONG, str_from(text, (size_t)len), g->range);
                return;
        }
        text_check_bytes(g, command);
        shell_parse(command, g->arena, script);
        if (text_is_long(g, script))
                return;
        g->root = script;
        g->inner = (struct walk_budget){ .steps = GUARD_STEPS_LEAST + (uint64_t)GUARD_STEPS_PER_BYTE * command.len,
                                         .memory = GUARD_MEMORY_LEAST + (uint64_t)GUARD_MEMORY_PER_BYTE * command.len };
        check_syntax(g, script);
        text_check_tree(g, script);
        guard_script(g, script, &options);
        check_patterns(g, command);
        g->verdict->prints_only = g->call_count && !g->acts;
}

int guard_check(struct str command, const struct policy *policy, struct arena *arena, struct verdict *ret) {
        return guard_check_at(command, &(struct guard_place){}, policy, arena, ret);
}

int guard_check_at(struct str command, const struct guard_place *place, const struct policy *policy, struct arena *arena,
                   struct verdict *ret) {
        struct guard g = {
                .policy = policy,
                .arena = arena,
                .verdict = ret,
                .effect_tail = &ret->effects,
                .start = place->start.len ? place->start : policy->workspace,
                .own_home = place->home,
                .contained = place->contained && !policy->guard.block_unreachable_hosts,
        };

        g.kept_tail = &g.kept;

        *ret = (struct verdict){ .script = { .source = command } };
        g.budget = (struct budget){ .arena = arena, .steps = 1 << 20, .bytes = 4 << 20 };
        if (policy->guard.mode == GUARD_OFF)
                return 0;
        check(&g, command, place);
        if (g.failed || arena->failed) {
                ret->action = ACTION_BLOCKED;
                return -1;
        }
        ret->would_block = ret->action == ACTION_BLOCKED && policy->guard.mode == GUARD_WARN;
        if (ret->would_block)
                ret->action = ACTION_WARNED;
        return 0;
}
