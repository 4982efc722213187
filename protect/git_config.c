#include "protect/git.h"

#include <stdbool.h>

/* Bytes come joined: CR LF is LF, and the end of the text is a line's end too. */
struct reader {
        struct str text;
        size_t at;
        struct git_setting setting;
        char *out; /* what is being read: never longer than the text */
        size_t len;
};

enum { END = -1 };

static int peek(const struct reader *r) {
        size_t at = r->at;

        if (at < r->text.len && r->text.ptr[at] == '\r' && at + 1 < r->text.len && r->text.ptr[at + 1] == '\n')
                at++;
        return at < r->text.len ? (unsigned char)r->text.ptr[at] : END;
}

static int next(struct reader *r) {
        int c = peek(r);

        if (c == '\n' && r->text.ptr[r->at] == '\r')
                r->at++;
        if (c != END)
                r->at++;
        return c;
}

static bool is_blank(int c) {
        return c == ' ' || c == '\t' || c == '\r';
}

static void put(struct reader *r, int c) {
        r->out[r->len++] = (char)c;
}

/* What was put since `from`, as a string of its own; a NUL follows it. */
static struct str taken(struct reader *r, size_t from) {
        put(r, '\0');
        return str_from(r->out + from, r->len - from - 1);
}

static void skip_line(struct reader *r) {
        int c = next(r);

        while (c != '\n' && c != END)
                c = next(r);
}

/* After `[section`: ` "sub"]`. */
static bool read_subsection(struct reader *r) {
        size_t from = r->len;
        int c = next(r);

        while (is_blank(c))
                c = next(r);
        if (c != '"')
                return false;
        for (c = next(r); c != '"'; c = next(r)) {
                if (c == '\\')
                        c = next(r);
                if (c == '\n' || c == END)
                        return false;
                put(r, c);
        }
        r->setting.subsection = taken(r, from);
        return next(r) == ']';
}

/* After `[`. A dot starts a subsection, in the old way. */
static bool read_section(struct reader *r) {
        size_t from = r->len, dot;
        struct str name;
        int c;

        r->setting.subsection = str_from(NULL, 0);
        while (is_ascii_alnum((unsigned char)(c = peek(r))) || c == '-' || c == '.')
                put(r, ascii_lower((unsigned char)next(r)));
        name = taken(r, from);
        dot = str_find(name, '.');
        r->setting.section = str_take(name, dot);
        if (dot < name.len)
                r->setting.subsection = str_skip(name, dot + 1);
        if (is_blank(c)) /* git takes `[a.b "c"]` for a section that nothing else is in */
                return dot == name.len && read_subsection(r);
        return next(r) == ']';
}

static int escaped(int c) {
        static const char from[] = "ntb\\\"", to[] = "\n\t\b\\\"";
        const char *hit = c > 0 ? strchr(from, c) : NULL;

        return hit ? to[hit - from] : END;
}

/* After `=`: up to the end of the line, without comments and the blanks around it. */
static bool read_value(struct reader *r) {
        size_t from = r->len, end = r->len; /* blanks after `end` count only if something follows */
        bool quoted = false;

        for (;;) {
                int c = next(r);

                if (c == '\n' || c == END) {
                        r->len = end;
                        r->setting.value = taken(r, from);
                        return !quoted;
                }
                if (!quoted && (c == '#' || c == ';')) {
                        skip_line(r);
                        r->len = end;
                        r->setting.value = taken(r, from);
                        return true;
                }
                if (!quoted && is_blank(c)) {
                        if (r->len > from)
                                put(r, c);
                        continue;
                }
                if (c == '"' || c == '\\')
                        end = r->len; /* blanks before these count */
                if (c == '"') {
                        quoted = !quoted;
                        continue;
                }
                if (c == '\\') {
                        c = next(r);
                        if (c == '\n' || c == END)
                                continue;
                        c = escaped(c);
                        if (c == END)
                                return false;
                }
                put(r, c);
                end = r->len;
        }
}

/* At its first letter. */
static bool read_setting(struct reader *r) {
        size_t from = r->len;
        int c;

        while (is_ascii_alnum((unsigned char)(c = peek(r))) || c == '-')
                put(r, ascii_lower((unsigned char)next(r)));
        r->setting.name = taken(r, from);
        r->setting.value = str_from("", 0);
        while (is_blank(c = next(r)))
                ;
        return c == '=' ? read_value(r) : c == '\n' || c == END;
}

int git_config_read(struct str text, struct arena *arena, git_setting_fn *show, void *context, struct err *err) {
        struct reader r = { .text = text, .setting.section = STR("") }; /* git takes keys before the first section, too */

        if (str_starts(text, STR("\xef\xbb\xbf")))
                r.at = 3;
        /* each byte is put at most once, and each part, which takes two bytes or more, ends in one NUL; a bare key at the
         * end takes one */
        r.out = arena_bytes(arena, text.len * 2 + 4);
        if (!r.out)
                return err_memory(err);
        for (int c = peek(&r); c != END; c = peek(&r)) {
                if (c == '#' || c == ';') {
                        skip_line(&r);
                } else if (c == '\n' || is_blank(c)) {
                        next(&r);
                } else if (c == '[') {
                        next(&r);
                        if (!read_section(&r))
                                return 1;
                } else {
                        if (!is_ascii_alpha((unsigned char)c) || !read_setting(&r))
                                return 1;
                        if (show(context, &r.setting, err) < 0)
                                return -1;
                }
        }
        return 0;
}
