/*
 * What a command shows of a file or an environment with secrets: all of it, or only names and counts.
 */
#include "guard/options.h"
#include "guard/tables/names.h"
#include "policy/env.h"

enum { NAME_SHORTEST = 3 }; /* a name shorter than this picks too much */

/* ---- a command of a pipeline, as far as it can be read without running anything ---- */

static bool static_text(struct guard *g, const struct word *word, struct str *ret) {
        size_t len = 0, size = 1;
        char *out;

        for (const struct part *p = word->parts; p; p = p->next) {
                const struct part *inner = p->kind == PART_DOUBLE ? p->parts : p;

                if (inner && (inner->next != (inner == p ? p->next : NULL) ||
                              (inner->kind != PART_LITERAL && inner->kind != PART_QUOTED)))
                        return false;
                size += inner ? inner->text.len : 0;
        }
        if (!(out = guard_bytes(g, size)))
                return false;
        for (const struct part *p = word->parts; p; p = p->next) {
                const struct part *inner = p->kind == PART_DOUBLE ? p->parts : p;

                if (inner && inner->text.len)
                        memcpy(out + len, inner->text.ptr, inner->text.len);
                len += inner ? inner->text.len : 0;
        }
        *ret = str_from(out, len);
        return true;
}

/* False if something in it only the run can tell. */
static bool static_call(struct guard *g, const struct command *c, struct call *ret) {
        size_t count = 0;
        struct arg *args;
        struct str text;

        if (!c || c->kind != COMMAND_SIMPLE)
                return false;
        for (const struct word *w = c->simple.words; w; w = w->next)
                count++;
        args = count ? arena_alloc(g->arena, count * sizeof(*args)) : NULL;
        if (!args)
                return false;
        count = 0;
        for (const struct word *w = c->simple.words; w; w = w->next) {
                if (!static_text(g, w, &text))
                        return false;
                args[count++] = arg_text(g, text, w->range);
        }
        *ret = (struct call){ .guard = g, .args = args, .count = count, .name = arg_basename(args[0].text) };
        ret->program = program_find(ret->name);
        return true;
}

/* ---- filters ---- */

/* ^NAME=, A\|B: picks variables by their names, and none of them is likely to be a secret. */
static bool picks_plain(struct str pattern) {
        size_t token = 0, longest = 0;

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
                if (!strchr("^=$|\\()", c) || (c == '|' && longest < NAME_SHORTEST))
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
        struct options options;
        struct option o;
        size_t patterns = 0;
        enum scan scan;

        options_start(&options, stage);
        while ((scan = options_next(&options, &o)) != SCAN_END) {
                bool pattern = (scan == SCAN_OPTION && o.meaning == MEANS_SCRIPT) || (scan == SCAN_OPERAND && !patterns);

                counts |= scan == SCAN_OPTION && (str_is(o.name, "c") || str_is(o.name, "count") || str_is(o.name, "q") ||
                                                  str_is(o.name, "quiet") || str_is(o.name, "l") || str_is(o.name, "L"));
                only |= scan == SCAN_OPTION && (str_is(o.name, "o") || str_is(o.name, "only-matching"));
                other |= scan == SCAN_OPTION && !str_is(o.name, "i") && !str_is(o.name, "n") && !str_is(o.name, "E") &&
                         !str_is(o.name, "w") && !str_is(o.name, "F") && !str_is(o.name, "s") && !str_is(o.name, "o") &&
                         !str_is(o.name, "m") && !str_is(o.name, "h") && !str_is(o.name, "H") && o.meaning != MEANS_SCRIPT;
                if (pattern) {
                        patterns++;
                        plain &= picks_plain(o.value.text);
                        stops &= stops_at_equals(o.value.text);
                }
        }
        return counts || (patterns && !other && (plain || (only && stops)));
}

/* s/=.*?/x/: the value is replaced, and not put back. */
static bool sed_masks(struct str script) {
        char mark = script.len > 1 ? script.ptr[1] : '\0', pattern[6] = { '=', '.', '*', mark };
        struct str rest = str_skip(script, 2), end;

        if (!str_starts(script, STR("s")) || str_find(STR("/|,#:@!~%"), mark) == 9 || !str_starts(rest, str_from(pattern, 4)))
                return false;
        end = str_skip(rest, 4 + str_find(str_skip(rest, 4), mark));
        return (str_is(str_skip(end, 1), "") || str_is(str_skip(end, 1), "g")) && end.len && !memchr(rest.ptr, '&', rest.len) &&
               !memchr(rest.ptr, '\\', rest.len) && !memchr(rest.ptr, '\n', rest.len);
}

/* The only script of sed or awk, and whether nothing else is asked for but what `allowed` names. */
static struct str only_script(const struct call *stage, const char *allowed, struct str *ret_separator) {
        struct str script = STR("");
        struct options options;
        struct option o;
        size_t scripts = 0;
        enum scan scan;

        options_start(&options, stage);
        while ((scan = options_next(&options, &o)) != SCAN_END) {
                if (scan == SCAN_OPERAND ? !scripts : o.meaning == MEANS_SCRIPT) {
                        script = o.value.text;
                        scripts++;
                } else if (scan == SCAN_OPTION && str_is(o.name, "F")) {
                        *ret_separator = o.value.text;
                } else if (scan == SCAN_OPTION && (o.name.len != 1 || !strchr(allowed, o.name.ptr[0]))) {
                        return STR("");
                }
        }
        return scripts == 1 ? script : STR("");
}

static bool awk_masks(const struct call *stage) {
        struct str separator = STR(""), script = only_script(stage, "", &separator), wanted = STR("{print$1}");
        size_t at = 0;

        for (size_t i = 0; i < script.len; i++) {
                if (script.ptr[i] == ' ')
                        continue;
                if (at == wanted.len || script.ptr[i] != wanted.ptr[at++])
                        return false;
        }
        return at == wanted.len && str_is(separator, "=");
}

static bool cut_masks(const struct call *stage) {
        struct options options;
        struct option o;
        bool equals = false, first = false, other = false;
        enum scan scan;

        options_start(&options, stage);
        while ((scan = options_next(&options, &o)) != SCAN_END) {
                bool option = scan == SCAN_OPTION;

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
                return sed_masks(only_script(stage, "Er", &separator));
        if (str_ends(stage->name, STR("awk")))
                return awk_masks(stage);
        return stage->program->act == ACT_PATTERN && str_ends(stage->name, STR("grep")) && grep_masks(stage);
}

/* It changes no line, and writes none elsewhere. */
static bool stage_passes(const struct call *stage, const struct command *c) {
        if (c->redirs || !(str_is(stage->name, "sort") || str_is(stage->name, "uniq") || str_is(stage->name, "head") ||
                           str_is(stage->name, "tail")))
                return false;
        for (size_t i = 1; i < stage->count; i++) {
                struct str text = stage->args[i].text;

                if (!str_starts(text, STR("-")) ? !text.len || !is_ascii_digit((unsigned char)text.ptr[0])
                                                : str_find(text, 'o') < text.len)
                        return false;
        }
        return true;
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
