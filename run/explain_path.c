#include "run/explain.h"

/* Of a file's name: after such a byte, or before it, a path goes on. */
static bool is_name_byte(char c) {
        return is_ascii_alnum((unsigned char)c) || (c && strchr("._-+@%~", c));
}

static bool starts_here(struct str line, size_t at) {
        if (at >= 2 && line.ptr[at - 1] == '/' && line.ptr[at - 2] == '.' && line.ptr[at] != '/')
                at -= 2; /* ./name */
        return at == 0 || (line.ptr[at - 1] != '/' && !is_name_byte(line.ptr[at - 1]));
}

bool explain_is_under(struct str text, struct str path) {
        char next = text.len > path.len ? text.ptr[path.len] : ' ';

        if (str_is(path, "/"))
                return str_starts(text, path);
        if (!str_starts(text, path) || path.len == 0)
                return false;
        /* "/x/.ssh." may end a sentence, "/x/.ssh.old" is another file. */
        if (next == '.' && (text.len == path.len + 1 || !is_name_byte(text.ptr[path.len + 1])))
                return true;
        return !is_name_byte(next);
}

static bool names_text(struct str line, struct str path) {
        const char *hit;

        for (size_t at = 0; path.len > 0 && at + path.len <= line.len; at++) {
                hit = memmem(line.ptr + at, line.len - at, path.ptr, path.len);
                if (!hit)
                        return false;
                at = (size_t)(hit - line.ptr);
                if (starts_here(line, at) && explain_is_under(str_skip(line, at), path))
                        return true;
        }
        return false;
}

/* Of /home/u/.ssh below /home/u: .ssh */
static struct str relative(struct str path, const char *base) {
        size_t len = base ? strlen(base) : 0;

        if (len < 2 || path.len <= len + 1 || !str_starts(path, str_z(base)) || path.ptr[len] != '/')
                return STR("");
        return str_skip(path, len + 1);
}

/* ~/.ssh: the relative path, after a tilde and a slash. */
static bool names_from_home(struct str line, struct str path) {
        const char *tilde;

        for (size_t at = 0; path.len > 0 && at < line.len; at++) {
                tilde = memmem(line.ptr + at, line.len - at, "~/", 2);
                if (!tilde)
                        return false;
                at = (size_t)(tilde - line.ptr);
                if (starts_here(line, at) && explain_is_under(str_skip(line, at + 2), path))
                        return true;
        }
        return false;
}

bool explain_names(const struct explain_input *in, struct str line, struct str path) {
        return names_text(line, path) || names_from_home(line, relative(path, in->home)) ||
               names_text(line, relative(path, in->workspace));
}

bool explain_next_path(struct str line, size_t *at) {
        for (size_t i = *at ? *at : 1; i + 1 < line.len; i++) {
                char next = line.ptr[i + 1];

                /* Not // of a URL, and not a / that stands alone. */
                if (line.ptr[i] == '/' && (is_name_byte(next) || (unsigned char)next >= 0x80) && starts_here(line, i)) {
                        *at = i;
                        return true;
                }
        }
        return false;
}

struct str explain_path_text(struct str text) {
        size_t len = 0;

        while (len < text.len && (is_name_byte(text.ptr[len]) || text.ptr[len] == '/'))
                len++;
        return str_take(text, len);
}
