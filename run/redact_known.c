#include "run/redact.h"

#include "base/buf.h"

enum {
        KEY_MAX = 64,
        BARE_MAX = 1024,   /* bytes of a value without quotes; so each byte is looked at a bounded number of times */
        PGPASS_FIELDS = 5, /* host:port:database:user:password */
};

struct reading {
        struct str text;
        redact_known_found *found;
        void *context;
};

/* ---- values ---- */

/* Hiding them would not help, and they occur in all output. */
static const char *const everybodys[] = { "password", "passw0rd",  "postgres", "changeit", "changeme",     "12345678",
                                          "required", "undefined", "optional", "disabled", "x-oauth-basic" };

static bool is_everybodys(struct str value) {
        for (size_t i = 0; i < sizeof(everybodys) / sizeof(*everybodys); i++)
                if (str_eq_nocase(value, str_z(everybodys[i])))
                        return true;
        return false;
}

static bool is_any(char c, const char *of) {
        return c && strchr(of, c);
}

static bool has_digit(struct str s) {
        for (size_t i = 0; i < s.len; i++)
                if (is_ascii_digit((unsigned char)s.ptr[i]))
                        return true;
        return false;
}

static bool has_letter(struct str s) {
        for (size_t i = 0; i < s.len; i++)
                if (is_ascii_alpha((unsigned char)s.ptr[i]))
                        return true;
        return false;
}

static bool holds(struct str s, struct str what) {
        return s.len >= what.len && memmem(s.ptr, s.len, what.ptr, what.len);
}

/* Where a secret is, and not the secret: a URL, ${NAME}, a path. A key in base64 may begin as a path does, and is found by its
 * looks. */
static bool says_where(struct str value) {
        struct str below = str_skip(value, 2);

        if (holds(value, STR("://")))
                return true;
        if (str_starts(value, STR("${")))
                return str_ends(value, STR("}"));
        return (str_starts(value, STR("/")) || str_starts(value, STR("~/"))) && str_find(below, '/') < below.len;
}

static int say(const struct reading *r, struct str value) {
        if (value.len < REDACT_VALUE_MIN || is_everybodys(value) || says_where(value))
                return 0;
        return r->found(r->context, value);
}

static int hex_digit(char c) {
        if (is_ascii_digit((unsigned char)c))
                return c - '0';
        c = (char)ascii_lower((unsigned char)c);
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte of two hexadecimal digits that `s` begins with; -1: it does not. */
static int hex_byte(struct str s) {
        int high = s.len >= 2 ? hex_digit(s.ptr[0]) : -1, low = s.len >= 2 ? hex_digit(s.ptr[1]) : -1;

        return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* A form in which it may stand elsewhere: without these escapes. */
typedef void unescape(struct buf *out, struct str value);

/* \" \\ \n \u0026, and of other characters whatever stands behind it. */
static void without_backslashes(struct buf *out, struct str value) {
        static const char from[] = "nrt", to[] = "\n\r\t";

        for (size_t i = 0; i < value.len; i++) {
                struct str rest = str_skip(value, i + 1);
                int code = str_starts(rest, STR("u00")) ? hex_byte(str_skip(rest, 3)) : -1;

                if (value.ptr[i] != '\\' || !rest.len) {
                        buf_char(out, value.ptr[i]);
                        continue;
                }
                i += code >= 0 ? 5 : 1;
                buf_char(out, code >= 0                   ? (char)code
                              : is_any(rest.ptr[0], from) ? to[strchr(from, rest.ptr[0]) - from]
                                                          : rest.ptr[0]);
        }
}

static void without_percents(struct buf *out, struct str value) {
        for (size_t i = 0; i < value.len; i++) {
                int code = value.ptr[i] == '%' ? hex_byte(str_skip(value, i + 1)) : -1;

                buf_char(out, code >= 0 ? (char)code : value.ptr[i]);
                i += code >= 0 ? 2 : 0;
        }
}

static int say_both(const struct reading *r, struct str value, char escape, unescape *plain) {
        int result = say(r, value);
        BUF_AUTO meant;

        buf_init(&meant, REDACT_FILE_MAX);
        if (result < 0 || str_find(value, escape) == value.len)
                return result;
        plain(&meant, value);
        return meant.failed ? -1 : say(r, buf_str(&meant));
}

/* ---- texts ---- */

static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\r';
}

static bool is_space(char c) {
        return is_blank(c) || c == '\n';
}

static struct str trim(struct str s) {
        while (s.len && is_space(s.ptr[0]))
                s = str_skip(s, 1);
        while (s.len && is_space(s.ptr[s.len - 1]))
                s.len--;
        return s;
}

static struct str take_line(struct str *text) {
        size_t end = str_find(*text, '\n');
        struct str line = str_take(*text, end);

        *text = str_skip(*text, end + 1);
        return line;
}

/* What stands between the quote that `s` begins with and the next one; false: there is none on this line. */
static bool quoted(struct str s, struct str *ret) {
        if (!s.len || !is_any(s.ptr[0], "\"'"))
                return false;
        for (size_t i = 1; i < s.len && s.ptr[i] != '\n'; i++) {
                if (s.ptr[i] == s.ptr[0]) {
                        *ret = str_from(s.ptr + 1, i - 1);
                        return true;
                }
                i += s.ptr[i] == '\\';
        }
        return false;
}

/* ---- .netrc ---- */

static struct str take_word(struct str *text) {
        struct str word, inner;
        size_t end = 0;

        while (text->len && is_space(text->ptr[0]))
                *text = str_skip(*text, 1);
        if (quoted(*text, &inner)) {
                *text = str_skip(*text, inner.len + 2);
                return inner;
        }
        while (end < text->len && !is_space(text->ptr[end]))
                end++;
        word = str_take(*text, end);
        *text = str_skip(*text, end);
        return word;
}

/* A macro goes up to an empty line. */
static void skip_macro(struct str *text) {
        take_line(text);
        while (text->len && trim(take_line(text)).len)
                ;
}

static int read_netrc(const struct reading *r) {
        struct str rest = r->text, word;
        bool begun = false;
        int result = 0;

        while (result == 0 && (word = take_word(&rest)).len) {
                bool entry = str_is(word, "machine") || str_is(word, "default") || str_is(word, "macdef");

                if (word.ptr[0] == '#') {
                        take_line(&rest);
                        continue;
                }
                if (!begun && !entry)
                        break; /* another kind of file */
                begun = true;
                if (str_is(word, "macdef"))
                        skip_macro(&rest);
                else if (str_is(word, "password") || str_is(word, "passwd"))
                        result = say_both(r, take_word(&rest), '\\', without_backslashes);
                else if (!str_is(word, "default"))
                        take_word(&rest); /* a name, which may be any word */
        }
        return result;
}

/* ---- .pgpass ---- */

/* The next field, up to a colon that is not escaped. */
static struct str take_field(struct str *line) {
        struct str field;
        size_t end = 0;

        while (end < line->len && line->ptr[end] != ':')
                end += line->ptr[end] == '\\' ? 2 : 1;
        field = str_take(*line, end);
        *line = str_skip(*line, field.len + 1);
        return field;
}

static bool is_port(struct str s) {
        for (size_t i = 0; i < s.len; i++)
                if (!is_ascii_digit((unsigned char)s.ptr[i]))
                        return str_is(s, "*");
        return s.len > 0;
}

static int read_pgpass(const struct reading *r) {
        for (struct str rest = r->text; rest.len;) {
                struct str line = trim(take_line(&rest)), fields[PGPASS_FIELDS];
                size_t count = 0;

                if (!line.len || line.ptr[0] == '#')
                        continue;
                while (count < PGPASS_FIELDS && line.len && (fields[count] = take_field(&line)).len)
                        count++;
                if (count == PGPASS_FIELDS && !line.len && is_port(fields[1]) &&
                    say_both(r, fields[count - 1], '\\', without_backslashes) < 0)
                        return -1;
        }
        return 0;
}

/* ---- URLs, as in .git-credentials ---- */

static int read_urls(const struct reading *r) {
        static const struct str start = STR("://");
        struct str rest = r->text;

        while (rest.len >= start.len) {
                const char *at = memmem(rest.ptr, rest.len, start.ptr, start.len);
                size_t end = 0, colon;

                if (!at)
                        break;
                rest = str_skip(rest, (size_t)(at - rest.ptr) + start.len);
                while (end < rest.len && !is_space(rest.ptr[end]) && !is_any(rest.ptr[end], "@/?#\"'<>"))
                        end++;
                colon = str_find(str_take(rest, end), ':');
                if (colon < end && end < rest.len && rest.ptr[end] == '@' &&
                    say_both(r, str_skip(str_take(rest, end), colon + 1), '%', without_percents) < 0)
                        return -1;
        }
        return 0;
}

/* ---- key = value, key: value, "key": "value" ---- */

/* What a key ends with that says so; in lower case, without what separates words. */
static const struct {
        const char *end;
        bool word; /* a word by itself: no bypass */
} secret_keys[] = {
        { "password", false },   { "passwd", false }, { "passphrase", false }, { "secret", false },
        { "token", false },      { "apikey", false }, { "secretkey", false },  { "accesskey", false },
        { "privatekey", false }, { "pass", true },    { "pwd", true },         { "auth", true },
};

static bool is_separator(char c) {
        return c == '_' || c == '-' || c == '.';
}

static bool is_upper(char c) {
        return c >= 'A' && c <= 'Z';
}

/* SECRET_KEY, secret-key and secretKey end with "secretkey". */
static bool key_ends(struct str key, const char *end, bool word) {
        size_t left = strlen(end), at = key.len;
        char before;

        while (left && at) {
                char c = (char)ascii_lower((unsigned char)key.ptr[--at]);

                if (c == end[left - 1])
                        left--;
                else if (!is_separator(c))
                        return false;
        }
        before = at ? key.ptr[at - 1] : '_';
        return !left && (!word || is_separator(before) || (is_upper(key.ptr[at]) && !is_upper(before)));
}

static bool is_secret_key(struct str key) {
        if (str_eq_nocase(key, STR("NOPASSWD"))) /* sudoers: which commands */
                return false;
        for (size_t i = 0; i < sizeof(secret_keys) / sizeof(*secret_keys); i++)
                if (key_ends(key, secret_keys[i].end, secret_keys[i].word))
                        return true;
        return false;
}

/* The word that ends before `at`; not the user of a URL. */
static struct str key_before(struct str text, size_t at) {
        size_t end = at, start;

        while (end && is_blank(text.ptr[end - 1]))
                end--;
        if (end && is_any(text.ptr[end - 1], "\"'"))
                end--;
        for (start = end; start && end - start < KEY_MAX; start--)
                if (!is_ascii_alnum((unsigned char)text.ptr[start - 1]) && !is_separator(text.ptr[start - 1]))
                        break;
        if (start && text.ptr[start - 1] == '/')
                return (struct str){};
        return str_from(text.ptr + start, end - start);
}

/* To the end of the line, without a comment. In the middle of something else, it is the first word that counts. */
static int say_bare(const struct reading *r, struct str line) {
        size_t end = 0, comment;
        struct str word;

        for (comment = 1; comment < line.len; comment++)
                if (is_blank(line.ptr[comment - 1]) && is_any(line.ptr[comment], "#;"))
                        break;
        line = trim(str_take(line, comment));
        while (end < line.len && !is_space(line.ptr[end]))
                end++;
        word = str_take(line, end);
        while (word.len && is_any(word.ptr[word.len - 1], ",;\"'`)}]"))
                word.len--;
        if (say(r, line) < 0)
                return -1;
        if (word.len == line.len || says_where(str_take(line, end)))
                return 0;
        return end == line.len || (has_digit(word) && has_letter(word)) ? say(r, word) : 0;
}

static int say_setting(const struct reading *r, struct str after) {
        struct str value;

        while (after.len && is_blank(after.ptr[0]))
                after = str_skip(after, 1);
        if (quoted(after, &value))
                return say_both(r, value, '\\', without_backslashes);
        after = str_take(after, BARE_MAX);
        value = str_take(after, str_find(after, '\n'));
        return value.len && !is_any(value.ptr[0], "{[=") ? say_bare(r, value) : 0;
}

static int read_settings(const struct reading *r) {
        for (size_t i = 0; i < r->text.len; i++)
                if ((r->text.ptr[i] == '=' || r->text.ptr[i] == ':') && is_secret_key(key_before(r->text, i)) &&
                    say_setting(r, str_skip(r->text, i + 1)) < 0)
                        return -1;
        return 0;
}

/* ---- all of them ---- */

int redact_known(struct str text, redact_known_found *found, void *context) {
        static int (*const formats[])(const struct reading *) = { read_netrc, read_pgpass, read_urls, read_settings };
        const struct reading r = { text, found, context };

        for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
                if (formats[i](&r) < 0)
                        return -1;
        return 0;
}
