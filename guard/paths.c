#include "guard/paths.h"

#include "guard/tables/places.h"
#include "policy/credentials.h"
#include "policy/unasked.h"

enum { PATH_LOOKED_UP = 512 };

/* ---- matching ---- */

/* Most globs of a table are ruled out by the bytes that the components of a path begin with. */
static void bytes_add(struct byte_set *set, char c) {
        set->bits[(unsigned char)c / 64] |= UINT64_C(1) << (unsigned char)c % 64;
}

static bool bytes_have(const struct byte_set *set, char c) {
        return set->bits[(unsigned char)c / 64] >> (unsigned char)c % 64 & 1;
}

static struct byte_set path_beginnings(struct str path) {
        struct byte_set set = { 0 };

        for (size_t i = 0; i < path.len; i++)
                if ((i == 0 || path.ptr[i - 1] == '/') && !str_is(str_take(str_skip(path, i), 3), "../"))
                        bytes_add(&set, path.ptr[i]);
        return set;
}

static char glob_beginning(const char *glob) {
        return strncmp(glob, "**/", 3) == 0 ? glob[3] : *glob;
}

static bool is_unasked(struct str path, const struct byte_set *beginnings) {
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_GUARDED));)
                if (bytes_have(beginnings, *row->path) &&
                    (row->places & UNASKED_SYSTEM ? path_glob_here : path_glob_anywhere)(str_z(row->path), path))
                        return true;
        return false;
}

/* In one of the places of a list that ends with NULL. */
static bool in_places(const char *const *globs, struct str text) {
        for (; *globs; globs++)
                if (path_glob(str_z(*globs), text))
                        return true;
        return false;
}

static bool is_credential(struct str path, const struct byte_set *beginnings) {
        for (size_t i = 0; i < credential_count; i++)
                if (bytes_have(beginnings, glob_beginning(credentials[i].glob)) && path_glob(str_z(credentials[i].glob), path))
                        return true;
        return false;
}

/* ---- resolving ---- */

/* /proc/self/root/x is /x, /proc/self/cwd/x is x. */
static struct str skip_proc_links(struct str path, bool *ret_cwd) {
        struct str rest;
        size_t slash;

        *ret_cwd = false;
        while (str_starts(path, STR("/proc/"))) {
                rest = str_skip(path, 6);
                slash = str_find(rest, '/');
                if (str_starts(str_skip(rest, slash), STR("/task/"))) {
                        rest = str_skip(rest, slash + 6);
                        slash = str_find(rest, '/');
                }
                rest = str_skip(rest, slash);
                if (str_is(rest, "/root") || str_is(rest, "/root/")) {
                        return STR("/");
                } else if (str_starts(rest, STR("/root/"))) {
                        path = str_skip(rest, 5);
                } else if (str_is(rest, "/cwd") || str_starts(rest, STR("/cwd/"))) {
                        *ret_cwd = true;
                        return str_skip(rest, 5);
                } else {
                        break;
                }
        }
        return path;
}

static struct str normalise(struct guard *g, struct str base, struct str path) {
        char *out = guard_bytes(g, base.len + path.len + 3);
        size_t len = 0;

        if (!out)
                return path;
        if (path.len && path.ptr[0] == '/') {
                out[len++] = '/';
        } else if (!(path.len && (path.ptr[0] == '~' || path.ptr[0] == UNKNOWN_BYTE)) && base.len) {
                memcpy(out, base.ptr, base.len);
                len = base.len;
        }
        len = path_append(out, len, path);
        return str_from(out, len);
}

struct str path_normal(struct guard *g, struct str path) {
        struct str base = g->cwd.len ? g->cwd : g->start;
        bool cwd;

        path = skip_proc_links(normalise(g, base, path), &cwd);
        return cwd ? normalise(g, base, path) : path;
}

/* Paths begin alike, so the byte where the shorter one ends tells more. */
static bool str_same_end(struct str path, struct str beginning) {
        return !beginning.len || path.ptr[beginning.len - 1] == beginning.ptr[beginning.len - 1];
}

struct str path_resolve(struct guard *g, struct str path) {
        path = path_normal(g, path);
        for (const struct file_fact *f = g->files; f; f = f->next) {
                if (!f->stands_for.len || path.len < f->path.len || !str_same_end(path, f->path) || !str_starts(path, f->path))
                        continue;
                if (path.len == f->path.len)
                        return f->stands_for;
                if (path.ptr[f->path.len] == '/')
                        return normalise(g, f->stands_for, str_skip(path, f->path.len + 1));
        }
        return path;
}

/* ---- what it is ---- */

static struct str last_component(struct str path) {
        size_t start = path.len;

        while (start > 0 && path.ptr[start - 1] != '/')
                start--;
        return str_skip(path, start);
}

static struct str parent(struct str path) {
        struct str last = last_component(path);
        size_t len = path.len - last.len;

        return str_take(path, len > 1 ? len - 1 : len);
}

static bool is_dotenv(struct str path) {
        struct str name = last_component(path);
        struct str end;

        if (str_is(name, ".env") || str_is(name, ".env.local"))
                return true;
        if (!str_starts(name, STR(".env.")))
                return false;
        for (end = name; str_find(end, '.') < end.len; end = str_skip(end, str_find(end, '.') + 1))
                ;
        return !in_places(place_dotenv_examples, end);
}

static bool is_home(struct str path) {
        if (path.len && path.ptr[0] == '~' && str_find(path, '/') == path.len)
                return true;
        if (str_find(path, UNKNOWN_BYTE) < path.len)
                return false; /* something below */
        return str_is(path, "/root") || path_glob(STR("/home/*"), path) || path_glob(STR("/Users/*"), path);
}

/* A component with wildcards that could be one of these names. */
static bool may_be_top(struct str name) {
        for (const char *const *top = place_top; *top; top++)
                if (path_glob(name, str_z(*top)))
                        return true;
        return false;
}

/* A pattern for all that is in a directory, or all whose name begins with a dot. */
static bool names_all(struct str last) {
        return in_words("* .* ** .[!.]* .?* ?*", last);
}

static bool is_critical(struct str path) {
        bool all = names_all(last_component(path));

        if (str_is(path, "/") || is_home(path) || str_is(path, "~/.."))
                return true;
        if (all && path.len > 1 && (path.ptr[0] == '/' || path.ptr[0] == '~'))
                return is_critical(parent(path));
        return path.len > 1 && path.ptr[0] == '/' && str_find(str_skip(path, 1), '/') == path.len - 1 &&
               may_be_top(str_skip(path, 1));
}

/* `path` is `root`, or below it. */
static bool is_within(struct str path, struct str root) {
        return root.len && str_starts(path, root) &&
               (path.len == root.len || path.ptr[root.len] == '/' || root.ptr[root.len - 1] == '/');
}

static bool is_under(struct str path, const char *const *roots) {
        for (; *roots; roots++)
                if (is_within(path, str_z(*roots)))
                        return true;
        return false;
}

/* The first component may be a pattern: /e?c/passwd. */
static bool is_system(struct str path) {
        struct str top = str_take(str_skip(path, 1), str_find(str_skip(path, 1), '/'));

        if (is_under(path, place_system))
                return true;
        if (str_find(top, '*') == top.len && str_find(top, '?') == top.len)
                return false;
        return path_glob(top, STR("etc")) || path_glob(top, STR("usr")) || path_glob(top, STR("bin")) ||
               path_glob(top, STR("boot")) || path_glob(top, STR("dev"));
}

static bool has_dot_component(struct str path) {
        for (size_t i = 0; i + 1 < path.len; i++)
                if (path.ptr[i] == '.' && path.ptr[i + 1] != '.' && path.ptr[i + 1] != '/' &&
                    (i == 0 || path.ptr[i - 1] == '/'))
                        return true;
        return false;
}

/* ---- patterns against patterns ---- */

static struct str first_component(struct str path) {
        return str_take(path, str_find(path, '/'));
}

/* Could a component of a path that bash will glob be what the table names? Counts the bytes that are literally the same. */
static bool component_meets(struct str glob, struct str table, size_t *ret_literal) {
        size_t same = 0;

        while (same < glob.len && same < table.len && glob.ptr[same] == table.ptr[same] && glob.ptr[same] != '*' &&
               glob.ptr[same] != '?')
                same++;
        *ret_literal = same;
        if (!same && glob.len && table.len && !strchr("*?", glob.ptr[0]) && !strchr("*?", table.ptr[0]))
                return false; /* as most do */
        if (table.len && table.ptr[0] == '.' && glob.len && glob.ptr[0] != '.')
                return false; /* * does not match names that begin with a dot */
        if (path_glob(glob, table) || path_glob(table, glob))
                return true;
        return str_ends(table, STR("*")) && path_glob(glob, str_take(table, table.len - 1));
}

/* `table` from here on, against `path` from here on. At least one component must say literally what it means. */
static bool components_meet(struct str path, struct str table, size_t literal) {
        while (path.len && table.len) {
                struct str mine = first_component(path), theirs = first_component(table);
                size_t same = 0;

                if (str_is(theirs, "**"))
                        return literal > 1; /* anything below */
                if (!component_meets(mine, theirs, &same))
                        return false;
                literal = same > literal ? same : literal;
                path = str_skip(path, mine.len + 1);
                table = str_skip(table, theirs.len + 1);
        }
        return !path.len && !table.len && literal > 1;
}

static bool meets_anywhere(struct str path, struct str table) {
        for (; path.len; path = str_skip(path, first_component(path).len + 1))
                if (components_meet(path, table, 0))
                        return true;
        return false;
}

static bool glob_meets(struct str path, struct str table) {
        if (str_starts(table, STR("**/")))
                return meets_anywhere(path, str_skip(table, 3));
        return path.len && path.ptr[0] == '/' && components_meet(str_skip(path, 1), str_skip(table, 1), 0);
}

/* [e] is some one byte, as far as this goes. */
static struct str without_brackets(struct guard *g, struct str path) {
        char *out = guard_bytes(g, path.len + 1);
        size_t len = 0;

        for (size_t i = 0; out && i < path.len; i++) {
                size_t close = path.ptr[i] == '[' ? str_find(str_skip(path, i + 2), ']') : path.len;

                if (path.ptr[i] == '[' && i + 2 + close < path.len && close < 64) {
                        out[len++] = '?';
                        i += 2 + close;
                } else {
                        out[len++] = path.ptr[i];
                }
        }
        return out ? str_from(out, len) : path;
}

/* A pattern that could stand for a file with credentials, or one that begins to run later. */
static uint32_t glob_flags(struct str path) {
        static const char *const dotenv[] = { "**/.env", "**/.env.local", "**/.env.production" };
        uint32_t flags = 0;

        for (size_t i = 0; i < credential_count; i++)
                if (glob_meets(path, str_z(credentials[i].glob)))
                        flags |= PATH_CREDENTIAL;
        for (size_t i = 0; i < sizeof(dotenv) / sizeof(*dotenv); i++)
                if (glob_meets(path, str_z(dotenv[i])))
                        flags |= PATH_DOTENV;
        if (glob_meets(path, STR("/proc/*/environ")))
                flags |= PATH_ENVIRON;
        for (const struct unasked *row = NULL;
             (row = unasked_next(row, UNASKED_GUARDED));) /* those of the system are PATH_SYSTEM */
                if (!(row->places & UNASKED_SYSTEM) && meets_anywhere(path, str_z(row->path)))
                        flags |= PATH_STARTUP;
        return flags;
}

static uint32_t device_flags(struct guard *g, struct str path) {
        if (str_starts(path, STR("/dev/tcp/")) || str_starts(path, STR("/dev/udp/")))
                return socket_is_local(g, path) ? 0 : PATH_SOCKET;
        if (in_places(place_devices, path))
                return in_places(place_sinks, path) ? PATH_HARMLESS : 0;
        return PATH_DEVICE;
}

/* ${X:?} ends the shell rather than be empty. */
static bool demands_value(const struct part *part) {
        if (part && part->kind == PART_DOUBLE)
                part = part->parts;
        return part && part->kind == PART_PARAM && part->param->op == PARAM_ERROR && part->param->colon;
}

/* A directory that bash itself knows is never empty. */
static bool may_be_unset(const struct piece *piece) {
        return (piece->because == UNKNOWN_ENV && !str_is(piece->text, "PWD") && !str_is(piece->text, "OLDPWD")) ||
               piece->because == UNKNOWN_POSITIONAL;
}

/* $UNSET/, $UNSET/x, $A$B/, $A/$B: with the variables empty, it is a path from the root. */
bool path_unset_is_critical(struct guard *g, const struct arg *arg) {
        const struct piece *piece = arg->value.pieces;
        char *rest = guard_bytes(g, arg->text.len + 1);
        size_t len = 0;

        if (arg->text.len < 2 || arg->text.ptr[0] != UNKNOWN_BYTE || !piece || !rest)
                return false;
        if (arg->field && arg->field->word && demands_value(arg->field->word->parts))
                return false;
        if (str_starts(arg->text, STR("\1/..")) && piece->because == UNKNOWN_ENV && str_is(piece->text, "PWD"))
                return true; /* up and up from wherever it is */
        for (; piece; piece = piece->next)
                if (piece->kind != PIECE_UNKNOWN ? piece->kind == PIECE_HOME : !may_be_unset(piece) || piece->nonempty)
                        return false;
        for (size_t i = 0; i < arg->text.len; i++)
                if (arg->text.ptr[i] != UNKNOWN_BYTE)
                        rest[len++] = arg->text.ptr[i];
        return len && rest[0] == '/' && is_critical(normalise(g, (struct str){ 0 }, str_from(rest, len)));
}

/* Files of a test or a template inside the workspace, which are not taken for the real ones. */
static bool is_fixture(const struct guard *g, struct str path) {
        struct str workspace = g->policy->workspace;

        if (workspace.len && str_starts(path, workspace) && path.len > workspace.len && path.ptr[workspace.len] == '/')
                path = str_skip(path, workspace.len + 1);
        if (!path.len || strchr("/~.\1", path.ptr[0]))
                return false;
        for (size_t end; (end = str_find(path, '/')) < path.len; path = str_skip(path, end + 1))
                if (in_places(place_fixtures, str_take(path, end)))
                        return true;
        return false;
}

/* Most paths begin no component like anything in the tables. */
static bool may_be_in_table(struct guard *g, const struct byte_set *beginnings) {
        uint64_t common = 0;

        if (!bytes_have(&g->table_beginnings, '.')) {
                for (size_t i = 0; i < credential_count; i++)
                        bytes_add(&g->table_beginnings, glob_beginning(credentials[i].glob));
                for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_GUARDED));)
                        bytes_add(&g->table_beginnings, *row->path);
        }
        for (size_t i = 0; i < 4; i++)
                common |= beginnings->bits[i] & g->table_beginnings.bits[i];
        return common;
}

/* The workspace is the user's, also where it is in the home. */
static bool is_in_own_home(const struct guard *g, struct str path) {
        struct str workspace = g->policy->workspace;

        if (!g->own_home.len || !str_starts(path, STR("~/")))
                return false;
        if (!str_starts(workspace, g->own_home))
                return true;
        workspace = str_skip(workspace, g->own_home.len);
        return !str_starts(workspace, STR("/")) || !str_starts(str_skip(path, 1), workspace);
}

/* ---- where it is ---- */

/* The home directory that a path of the user's is below, as far as its name tells: /home/me of /home/me/src. */
static struct str home_of(struct str path) {
        size_t skip = str_starts(path, STR("/home/")) ? 6 : str_starts(path, STR("/Users/")) ? 7 : 0;

        if (is_within(path, STR("/root")))
                return str_take(path, 5);
        return skip && path.len > skip ? str_take(path, skip + str_find(str_skip(path, skip), '/')) : STR("");
}

/* With ~ for the home that the workspace is in, so that both spellings of a place are the same. */
static struct str home_short(struct guard *g, struct str path) {
        struct str home = home_of(g->policy->workspace);
        char *out;

        if (!home.len || !is_within(path, home) || !(out = guard_bytes(g, path.len)))
                return path;
        out[0] = '~';
        memcpy(out + 1, path.ptr + home.len, path.len - home.len);
        return str_from(out, path.len - home.len + 1);
}

/* All of the workspace, or what git keeps of it; a lock that git left behind is nothing that is missed. */
static bool is_whole(struct str below, uint32_t how) {
        if (is_within(below, STR(".git")))
                return !str_ends(below, STR(".lock"));
        return how & HOW_RECURSIVE && (!below.len || names_all(below));
}

bool path_is_temporary(struct str path) {
        return is_under(path, place_temporary);
}

/* What is lost there is not what the command was given to work on, or all of that. */
uint32_t path_place(struct guard *g, struct str text, struct str path, uint32_t how) {
        const struct str_list *writable = &g->policy->sandbox.fs_write_allow;
        struct str workspace = home_short(g, g->policy->workspace), whole;

        path = home_short(g, path);
        if (!path.len || (path.ptr[0] != '/' && path.ptr[0] != '~'))
                return str_is(path, "..") || str_starts(path, STR("../")) ? PATH_OUTSIDE
                       : path.len && path.ptr[0] == UNKNOWN_BYTE          ? 0
                       : is_whole(path, how)                              ? PATH_WHOLE
                                                                          : 0;
        if (is_within(path, workspace))
                return is_whole(str_skip(path, workspace.len + 1), how) ? PATH_WHOLE : 0;
        whole = names_all(last_component(path)) ? parent(path) : path;
        if (how & HOW_RECURSIVE && is_within(workspace, whole))
                return PATH_OUTSIDE;
        if (!g->cwd.len && str_starts(text, STR("..")))
                return PATH_OUTSIDE; /* also where the workspace itself is in a temporary place */
        if (is_under(path, place_temporary) || (g->own_home.len && path.ptr[0] == '~'))
                return 0;
        for (size_t i = 0; i < writable->count; i++)
                if (is_within(path, home_short(g, writable->items[i])))
                        return 0;
        return PATH_OUTSIDE;
}

uint32_t path_flags(struct guard *g, const struct arg *arg, struct str path) {
        uint32_t flags = arg->known ? 0 : PATH_UNKNOWN;
        bool dots = has_dot_component(path), fixture = true;
        struct byte_set begins;
        struct str whole = path;

        if (arg->glob)
                path = without_brackets(g, path);
        if (str_starts(path, STR("/dev/")))
                return flags | device_flags(g, path);
        if (str_starts(path, STR("/proc/")) && in_places(place_sinks, path))
                return flags | PATH_HARMLESS;
        if (is_critical(path))
                flags |= PATH_CRITICAL;
        if (path.ptr && path.len && path.ptr[0] == '/' && is_system(path))
                flags |= PATH_SYSTEM;
        if (path_glob(STR("/proc/*/environ"), path) || path_glob(STR("/proc/*/task/*/environ"), path))
                flags |= PATH_ENVIRON;
        if (str_ends(path, STR(".pub")))
                return flags;
        if (path.len > PATH_LOOKED_UP)
                path = str_skip(path, path.len - PATH_LOOKED_UP); /* what it is, its end tells */
        begins = path_beginnings(path);
        if (may_be_in_table(g, &begins) && is_credential(path, &begins))
                flags |= PATH_CREDENTIAL;
        if (flags & PATH_CREDENTIAL || !dots || !is_fixture(g, whole))
                fixture = false;
        if (dots && !fixture && is_dotenv(path))
                flags |= PATH_DOTENV;
        if (!fixture && !is_in_own_home(g, whole) && may_be_in_table(g, &begins) && is_unasked(path, &begins))
                flags |= PATH_STARTUP;
        return arg->glob ? flags | glob_flags(path) : flags;
}
