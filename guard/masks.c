/*
 * What a command shows of a file or an environment with secrets: all of it, or only names and counts.
 */
#include "base/buf.h"
#include "guard/options.h"
#include "guard/tables/names.h"
#include "policy/env.h"
#include "bash/syntax/visit.h"

enum { SEARCHES_MOST = 16 }; /* of the whole script */
enum { NAME_SHORTEST = 3 };  /* a part of a name that is shorter than this picks too much */

/* ---- a command of a pipeline, as far as it can be read without running anything ---- */

static bool put_static(const struct part *part, struct buf *out) {
        for (; part; part = part->next) {
                if (part->kind == PART_DOUBLE ? !put_static(part->parts, out)
                                              : part->kind != PART_LITERAL && part->kind != PART_QUOTED)
                        return false;
                if (part->kind != PART_DOUBLE)
                        buf_append(out, part->text);
        }
        return true;
}

/* False if something in it only the run can tell. */
static bool static_call(struct guard *g, const struct command *c, struct call *ret) {
        struct arg *args;
        size_t count = 0;
        BUF_AUTO text;

        buf_init(&text, GUARD_MAX_TEXT);
        if (!c || c->kind != COMMAND_SIMPLE || !c->simple.words)
                return false;
        for (const struct word *w = c->simple.words; w; w = w->next)
                count++;
        args = arena_alloc(g->arena, count * sizeof(*args));
        count = 0;
        for (const struct word *w = c->simple.words; args && w; w = w->next) {
                const char *copy;

                buf_clear(&text);
                copy = put_static(w->parts, &text) && !text.failed ? arena_dup(g->arena, buf_str(&text)) : NULL;
                if (!copy)
                        return false;
                args[count++] = arg_text(g, str_from(copy, text.len), w->range);
        }
        if (!args)
                return false;
        *ret = (struct call){ .guard = g, .args = args, .count = count, .name = arg_basename(args[0].text) };
        ret->program = program_find(ret->name);
        return true;
}

/* ---- filters ---- */

/* ^NAME=, A\|B: picks variables by their names, and none of them is likely to be a secret. */
static bool picks_plain(struct str pattern) {
        size_t token = 0, longest = 0, shortest = NAME_SHORTEST;

        if (str_starts(pattern, STR("^"))) /* the beginning of a name, or all of it */
                shortest = str_ends(pattern, STR("=")) ? 1 : 2;
        for (size_t i = 0; i <= pattern.len; i++) {
                unsigned char c = i < pattern.len ? (unsigned char)pattern.ptr[i] : '|';

                if (is_ascii_alnum(c) || c == '_') {
                        token++;
                        continue;
                }
                if (token && (env_is_secret(str_take(str_skip(pattern, i - token), token)) ||
                              name_is_like_secret(str_take(str_skip(pattern, i - token), token))))
                        return false;
                longest = token > longest ? token : longest;
                token = 0;
                if (!strchr("^=$|\\()", c) || (c == '|' && longest < shortest))
                        return false;
                longest = c == '|' ? 0 : longest;
        }
        return true;
}

/* Of grep -o: ^[A-Z_]+ and ^[^=]* end before the value begins. */
static bool stops_at_equals(struct str pattern) {
        bool in_class = false;

        if (!str_starts(pattern, STR("^")))
                return false;
        for (size_t i = 1; i < pattern.len; i++) {
                struct str rest = str_skip(pattern, i);

                if (str_starts(rest, STR("[^")) && !str_starts(rest, STR("[^=")))
                        return false;
                if (pattern.ptr[i] == '[' || pattern.ptr[i] == ']')
                        in_class = pattern.ptr[i] == '[';
                else if (strchr(".\\|(", pattern.ptr[i]) || (pattern.ptr[i] == '=' && !in_class && rest.len > 1))
                        return false;
        }
        return true;
}

static bool grep_masks(const struct call *stage) {
        bool counts = false, only = false, other = false, plain = true, stops = true;
        struct option o;
        size_t patterns = 0;

        EACH_OPTION (stage, o) {
                bool pattern = (o.scan == SCAN_OPTION && o.meaning == MEANS_SCRIPT) || (o.scan == SCAN_OPERAND && !patterns);

                counts |= o.scan == SCAN_OPTION && in_words("c count q quiet l L", o.name);
                only |= o.scan == SCAN_OPTION && in_words("o only-matching", o.name);
                other |= o.scan == SCAN_OPTION && !in_words("i n E P w F s o m h H", o.name) && o.meaning != MEANS_SCRIPT;
                if (pattern) {
                        patterns++;
                        plain &= picks_plain(o.value.text);
                        stops &= stops_at_equals(o.value.text);
                }
        }
        return counts || (patterns && !other && (plain || (only && stops)));
}

/* s/=.*$/x/: the value is replaced, and not put back. */
static bool sed_masks(struct str script) {
        char mark = script.len > 1 ? script.ptr[1] : '\0';
        struct str rest = str_skip(script, 2);
        size_t end;

        if (!str_starts(script, STR("s")) || !mark || !strchr("/|,#:@!~%", mark) || !str_starts(rest, STR("=.*")) ||
            memchr(rest.ptr, '&', rest.len) || memchr(rest.ptr, '\\', rest.len) || memchr(rest.ptr, '\n', rest.len))
                return false;
        rest = str_skip(rest, str_starts(rest, STR("=.*$")) ? 4 : 3);
        end = str_find(str_skip(rest, 1), mark) + 1;
        if (rest.len == 0 || rest.ptr[0] != mark || end == rest.len)
                return false;
        rest = str_skip(rest, end + 1);
        return rest.len == 0 || str_is(rest, "g") || str_is(rest, "p") || str_is(rest, "gp");
}

/* The only script of sed or awk, and whether nothing else is asked for but what `allowed` names. */
static struct str only_script(const struct call *stage, const char *allowed, struct str *ret_separator) {
        struct str script = STR("");
        struct option o;
        size_t scripts = 0;

        EACH_OPTION (stage, o) {
                if (o.scan == SCAN_OPERAND ? !scripts : o.meaning == MEANS_SCRIPT) {
                        script = o.value.text;
                        scripts++;
                } else if (o.scan == SCAN_OPTION && str_is(o.name, "F")) {
                        *ret_separator = o.value.text;
                } else if (o.scan == SCAN_OPTION && (o.name.len != 1 || !strchr(allowed, o.name.ptr[0]))) {
                        return STR("");
                }
        }
        return scripts == 1 ? script : STR("");
}

/* {print $1}, /REGEX/ {print $1 "=***"}: nothing behind the first = */
static bool awk_masks(const struct call *stage) {
        struct str separator = STR(""), script = str_trim(only_script(stage, "", &separator));
        static const char *const words[] = { "{", "print", "$1" };

        if (str_starts(script, STR("/")))
                script = str_skip(script, str_find(str_skip(script, 1), '/') + 2);
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
                script = str_trim(script);
                if (!str_starts(script, str_z(words[i])))
                        return false;
                script = str_skip(script, strlen(words[i]));
        }
        script = str_trim(script);
        if (str_starts(script, STR("\"")))
                script = str_trim(str_skip(script, str_find(str_skip(script, 1), '"') + 2));
        return str_is(script, "}") && str_is(separator, "=");
}

static bool cut_masks(const struct call *stage) {
        struct option o;
        bool equals = false, first = false, other = false;

        EACH_OPTION (stage, o) {
                bool option = o.scan == SCAN_OPTION;

                equals |= option && (str_is(o.name, "d") || str_is(o.name, "delimiter")) && arg_is(&o.value, "=");
                first |= option && (str_is(o.name, "f") || str_is(o.name, "fields")) && arg_is(&o.value, "1");
                other |= option && str_is(o.name, "complement");
        }
        return equals && first && !other;
}

/* What comes out of it are names, counts, or variables that are no secrets. */
static bool stage_masks(const struct call *stage) {
        struct str separator;

        if (!stage->program)
                return false;
        if (str_is(stage->name, "wc"))
                return true;
        if (str_is(stage->name, "cut"))
                return cut_masks(stage);
        if (str_is(stage->name, "sed"))
                return sed_masks(only_script(stage, "Erne", &separator));
        if (str_ends(stage->name, STR("awk")))
                return awk_masks(stage);
        return stage->program->act == ACT_PATTERN && str_ends(stage->name, STR("grep")) && grep_masks(stage);
}

/* It changes no line, and writes none elsewhere. */
static bool stage_passes(const struct call *stage, const struct command *c) {
        if (c->redirs || !in_words("sort uniq head tail", stage->name))
                return false;
        for (size_t i = 1; i < stage->count; i++) {
                struct str text = stage->args[i].text;

                if (!str_starts(text, STR("-")) ? !text.len || !is_ascii_digit((unsigned char)text.ptr[0])
                                                : str_find(text, 'o') < text.len)
                        return false;
        }
        return true;
}

/* ---- export $(grep -v '^#' .env | xargs) ---- */

static bool stage_feeds(const struct call *stage, const struct command *c) {
        if (str_is(stage->name, "xargs"))
                return stage->count == 1 || (stage->count == 3 && arg_is(&stage->args[1], "-d") && !c->redirs);
        return !c->redirs && in_words("cat grep egrep cut tr", stage->name);
}

/* Variables are set as by `source .env`, and nothing is shown. `body` is the pipeline. */
static bool sets_variables(struct guard *g, const struct command *body) {
        struct call stage;

        for (const struct command *c = body; c; c = c->next) {
                if (!static_call(g, c, &stage) || !stage_feeds(&stage, c))
                        return false;
                if (c->join != JOIN_PIPE)
                        return !c->next;
        }
        return false;
}

struct body_search {
        struct guard *g;
        const struct command *command;
        bool found;
};

static int find_body(const struct node *node, void *data) {
        struct body_search *search = data;
        const struct command *c = node->kind == NODE_COMMAND ? node->command : NULL;
        const struct word *w = c && c->kind == COMMAND_SIMPLE ? c->simple.words : NULL;

        if (w && w->parts && !w->parts->next && w->parts->kind == PART_LITERAL && str_is(w->parts->text, "export"))
                for (w = w->next; w; w = w->next) {
                        const struct part *part = w->parts && !w->parts->next ? w->parts : NULL;

                        for (const struct command *in = part && part->kind == PART_COMMAND ? part->body : NULL; in;
                             in = in->next)
                                search->found |= in == search->command && sets_variables(search->g, part->body);
                }
        return search->found || shell_visit_children(node, find_body, data);
}

/* ---- the command ---- */

/* The output goes nowhere else. */
static bool writes_pipe(const struct walk_visit *visit) {
        for (const struct walk_redirect *r = visit->redirects; r; r = r->next)
                if (r->redir->fd <= 1 && r->redir->op != REDIR_INPUT)
                        return false;
        return true;
}

/* A function or an alias may have the name of any program. */
static bool has_names_of_its_own(struct guard *g, const struct script *script) {
        struct str source = script->source;

        if (g->named_script != script) {
                g->named_script = script;
                g->has_names = memmem(source.ptr, source.len, "()", 2) || memmem(source.ptr, source.len, "function", 8) ||
                               memmem(source.ptr, source.len, "alias", 5);
        }
        return g->has_names;
}

bool guard_shows_names(struct guard *g, enum effect_kind kind) {
        const unsigned shows = TRAIT_READS | TRAIT_PRINTS;
        const struct walk_visit *visit = g->visit;
        struct call own, next;

        if (!visit || visit->callee || has_names_of_its_own(g, visit->script) || !static_call(g, visit->command, &own))
                return false;
        if (kind == FX_READ && stage_masks(&own))
                return true;
        if (kind == FX_READ && visit->where & WALK_IN_SUBSTITUTION && stage_feeds(&own, visit->command) &&
            g->searches++ < SEARCHES_MOST) {
                struct body_search search = { .g = g, .command = visit->command };

                if (shell_visit_list(visit->script->commands, ROLE_COMMAND, find_body, &search))
                        return true;
        }
        if (!writes_pipe(visit) ||
            (kind == FX_READ && (!own.program || (own.program->traits & shows) != shows || str_is(own.name, "sed"))))
                return false;
        for (const struct command *c = visit->pipe_to; static_call(g, c, &next); c = c->next) {
                if (stage_masks(&next))
                        return true;
                if (c->join != JOIN_PIPE || !stage_passes(&next, c))
                        break;
        }
        return false;
}
