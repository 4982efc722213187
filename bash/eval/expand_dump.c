#include "bash/eval/walk.h"

struct dump {
        struct buf *out;
        struct budget budget;
        bool any;
};

static const char *const field_names[] = {
        [FIELD_KNOWN] = "known",
        [FIELD_HOME] = "home",
        [FIELD_GLOB] = "glob",
        [FIELD_UNKNOWN] = "unknown",
};

static const struct {
        unsigned flag;
        const char *name;
} places[] = {
        { WALK_IN_SUBSHELL, "subshell" },  { WALK_IN_BACKGROUND, "background" },
        { WALK_IN_PIPELINE, "pipeline" },  { WALK_IN_CONDITION, "condition" },
        { WALK_IN_BRANCH, "branch" },      { WALK_IN_LOOP, "loop" },
        { WALK_IN_FUNCTION, "function" },  { WALK_IN_SUBSTITUTION, "substitution" },
        { WALK_IN_EVAL, "eval" },          { WALK_IN_TRAP, "trap" },
        { WALK_IN_DATA, "data" },          { WALK_AGAIN, "again" },
        { WALK_AFTER_CODE, "after code" },
};

static void key(struct dump *d, const char *name) {
        struct str made = buf_str(d->out);

        if (made.len && made.ptr[made.len - 1] != '{' && made.ptr[made.len - 1] != '[')
                buf_char(d->out, ',');
        buf_json(d->out, str_z(name));
        buf_char(d->out, ':');
}

static void text(struct dump *d, const char *name, struct str value) {
        key(d, name);
        buf_json(d->out, value);
}

static void separator(struct dump *d) {
        struct str made = buf_str(d->out);

        if (made.len && made.ptr[made.len - 1] != '[')
                buf_char(d->out, ',');
}

/* ---- values ---- */

static void piece(struct dump *d, const struct piece *p) {
        buf_char(d->out, '{');
        if (p->kind == PIECE_TEXT) {
                text(d, "text", p->text);
        } else if (p->kind == PIECE_HOME) {
                text(d, "home", p->text);
        } else {
                text(d, "because", str_z(unknown_name(p->because)));
                if (p->text.len)
                        text(d, "name", p->text);
                if (p->part) {
                        key(d, "range");
                        buf_format(d->out, "[%u,%u]", p->part->range.start, p->part->range.end);
                }
        }
        buf_char(d->out, '}');
}

static void pieces(struct dump *d, struct value value) {
        key(d, "pieces");
        buf_char(d->out, '[');
        for (const struct piece *p = value.pieces; p; p = p->next) {
                separator(d);
                piece(d, p);
        }
        buf_char(d->out, ']');
}

static void value(struct dump *d, const char *name, struct value v) {
        const struct piece *unknown = value_unknown_piece(v);
        struct str known;

        key(d, name);
        buf_char(d->out, '{');
        if (value_known(v, &known)) {
                text(d, "kind", STR("known"));
                text(d, "text", known);
        } else {
                text(d, "kind", unknown ? STR("unknown") : STR("home"));
                if (unknown)
                        text(d, "because", str_z(unknown_name(unknown->because)));
                pieces(d, v);
        }
        buf_char(d->out, '}');
}

static void field(struct dump *d, const struct field *f) {
        separator(d);
        buf_char(d->out, '{');
        text(d, "kind", str_z(field_names[f->kind]));
        if (f->kind == FIELD_KNOWN)
                text(d, "text", f->text);
        if (f->kind == FIELD_GLOB)
                text(d, "pattern", field_pattern(&d->budget, f));
        if (f->kind == FIELD_UNKNOWN) {
                text(d, "because", str_z(unknown_name(f->because)));
                if (f->may_split) {
                        key(d, "splits");
                        buf_append(d->out, STR("true"));
                }
        }
        if (f->kind != FIELD_KNOWN)
                pieces(d, f->value);
        buf_char(d->out, '}');
}

static void fields(struct dump *d, const char *name, const struct field *items, size_t count) {
        key(d, name);
        buf_char(d->out, '[');
        for (size_t i = 0; i < count; i++)
                field(d, &items[i]);
        buf_char(d->out, ']');
}

/* ---- commands ---- */

static void assigns(struct dump *d, const struct walk_assign *list) {
        key(d, "assigns");
        buf_char(d->out, '[');
        for (const struct walk_assign *a = list; a; a = a->next) {
                separator(d);
                buf_char(d->out, '{');
                text(d, "name", a->name);
                if (a->indexed)
                        value(d, "index", a->index);
                if (a->append) {
                        key(d, "append");
                        buf_append(d->out, STR("true"));
                }
                if (!a->compound)
                        value(d, "value", a->value);
                else if (a->elements)
                        assigns(d, a->elements);
                buf_char(d->out, '}');
        }
        buf_char(d->out, ']');
}

static void redirects(struct dump *d, const struct walk_redirect *list) {
        static const char *const ops[] = { "<", ">", ">|", ">>", "<>", "<&", ">&", "&>", "&>>", "<<", "<<-", "<<<" };

        key(d, "redirects");
        buf_char(d->out, '[');
        for (const struct walk_redirect *r = list; r; r = r->next) {
                separator(d);
                buf_char(d->out, '{');
                text(d, "op", str_z(ops[r->redir->op]));
                if (r->redir->fd >= 0) {
                        key(d, "fd");
                        buf_format(d->out, "%d", r->redir->fd);
                }
                if (r->redir->op >= REDIR_HEREDOC)
                        value(d, "body", r->body);
                else
                        fields(d, "target", r->targets, r->target_count);
                buf_char(d->out, '}');
        }
        buf_char(d->out, ']');
}

static void where(struct dump *d, unsigned flags) {
        key(d, "where");
        buf_char(d->out, '[');
        for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
                if (!(flags & places[i].flag))
                        continue;
                separator(d);
                buf_json(d->out, str_z(places[i].name));
        }
        buf_char(d->out, ']');
}

static bool command(void *context, const struct walk_visit *visit) {
        struct dump *d = context;

        buf_append(d->out, d->any ? STR(",\n {") : STR("\n {"));
        d->any = true;
        key(d, "range");
        buf_format(d->out, "[%u,%u]", visit->command->range.start, visit->command->range.end);
        fields(d, "argv", visit->argv, visit->argc);
        assigns(d, visit->assigns);
        redirects(d, visit->redirects);
        if (visit->input)
                value(d, "input", *visit->input);
        if (visit->where)
                where(d, visit->where);
        if (visit->recursive)
                text(d, "recursive", visit->callee->name);
        buf_char(d->out, '}');
        return !d->out->failed;
}

enum walk_end shell_expand_json(const struct script *script, struct buf *out, struct arena *arena) {
        struct dump dump = { .out = out, .budget = { .arena = arena, .steps = UINT64_MAX, .bytes = UINT64_MAX } };
        const struct walk_visitor visitor = { .context = &dump, .command = command };
        enum walk_end end;

        buf_char(out, '[');
        end = shell_walk(script, NULL, &visitor, arena);
        buf_append(out, STR("\n]"));
        return end;
}
