#include "sandbox/container/image.h"

#include "base/buf.h"

enum { NAME_MAX_LENGTH = 255, TAG_MAX = 128 };

static bool is_lower(char c) {
        return is_ascii_digit((unsigned char)c) || (c >= 'a' && c <= 'z');
}

static bool is_hex(char c) {
        return is_ascii_digit((unsigned char)c) || (c >= 'a' && c <= 'f');
}

/* ---- parts ---- */

/* Between two letters or digits: one dot, one or two underscores, any number of dashes. */
static bool separator_valid(struct str s) {
        if (s.len == 0 || str_is(s, ".") || str_is(s, "_") || str_is(s, "__"))
                return true;
        for (size_t i = 0; i < s.len; i++)
                if (s.ptr[i] != '-')
                        return false;
        return true;
}

static bool component_valid(struct str s) {
        size_t gap = 0;

        if (s.len == 0 || !is_lower(s.ptr[0]) || !is_lower(s.ptr[s.len - 1]))
                return false;
        for (size_t i = 0; i < s.len; i++) {
                if (!is_lower(s.ptr[i])) {
                        gap++;
                        continue;
                }
                if (!separator_valid(str_from(s.ptr + i - gap, gap)))
                        return false;
                gap = 0;
        }
        return true;
}

static bool path_valid(struct str path) {
        for (;;) {
                size_t slash = str_find(path, '/');

                if (!component_valid(str_take(path, slash)))
                        return false;
                if (slash == path.len)
                        return true;
                path = str_skip(path, slash + 1);
        }
}

static bool tag_valid(struct str tag) {
        if (tag.len == 0 || tag.len > TAG_MAX || tag.ptr[0] == '.' || tag.ptr[0] == '-')
                return false;
        for (size_t i = 0; i < tag.len; i++)
                if (!is_ascii_alnum((unsigned char)tag.ptr[i]) && !strchr("_.-", tag.ptr[i]))
                        return false;
        return true;
}

/* sha256 and sha512 are all there are; a shorter one would name nothing. */
static bool digest_valid(struct str digest) {
        struct str hex = str_skip(digest, sizeof("sha256:") - 1);

        if (!(str_starts(digest, STR("sha256:")) && hex.len == 64) && !(str_starts(digest, STR("sha512:")) && hex.len == 128))
                return false;
        for (size_t i = 0; i < hex.len; i++)
                if (!is_hex(hex.ptr[i]))
                        return false;
        return true;
}

static bool port_valid(struct str port) {
        if (port.len == 0 || port.len > 5)
                return false;
        for (size_t i = 0; i < port.len; i++)
                if (!is_ascii_digit((unsigned char)port.ptr[i]))
                        return false;
        return true;
}

/* Labels of letters, digits and inner dashes, with dots between; then perhaps a port. */
static bool registry_valid(struct str registry) {
        size_t colon = str_find(registry, ':');
        struct str host = str_take(registry, colon);
        char before = '.';

        if (host.len == 0 || (colon < registry.len && !port_valid(str_skip(registry, colon + 1))))
                return false;
        for (size_t i = 0; i < host.len; i++) {
                char c = host.ptr[i];

                if (!is_ascii_alnum((unsigned char)c) && c != '.' && c != '-')
                        return false;
                if ((c == '.' || c == '-') && (before == '.' || i + 1 == host.len))
                        return false;
                if (c == '.' && before == '-')
                        return false;
                before = c;
        }
        return true;
}

/* ---- the whole ---- */

/* The first part is a registry only if it looks like one; otherwise it is a directory of docker.io. */
static bool is_registry(struct str part) {
        return str_find(part, '.') < part.len || str_find(part, ':') < part.len || str_is(part, "localhost");
}

static int refuse(struct str name, const char *what, struct str part, struct err *err) {
        return err_set(err, ERR_INVALID, "image %.*s: '%.*s' is not %s", (int)str_take(name, 100).len, name.ptr,
                       (int)str_take(part, 60).len, part.len ? part.ptr : "", what);
}

int image_read(struct str name, struct image *ret, struct err *err) {
        struct image image = { .registry = STR("docker.io") };
        size_t at = str_find(name, '@'), slash, colon;
        struct str rest = str_take(name, at);

        if (name.len == 0 || name.len > NAME_MAX_LENGTH + TAG_MAX)
                return err_set(err, ERR_INVALID, "image: a name of 1 to %d bytes is needed", NAME_MAX_LENGTH + TAG_MAX);
        if (at < name.len) {
                image.digest = str_skip(name, at + 1);
                if (!digest_valid(image.digest))
                        return refuse(name, "a digest: sha256: and 64 digits", image.digest, err);
        }
        slash = str_find(rest, '/');
        if (slash < rest.len && is_registry(str_take(rest, slash))) {
                image.registry = str_take(rest, slash);
                rest = str_skip(rest, slash + 1);
                if (!registry_valid(image.registry))
                        return refuse(name, "a registry: a host name, perhaps with a port", image.registry, err);
        }
        colon = str_find(rest, ':');
        image.path = str_take(rest, colon);
        if (colon < rest.len) {
                image.tag = str_skip(rest, colon + 1);
                if (!tag_valid(image.tag))
                        return refuse(name, "a tag: letters, digits, _ . -", image.tag, err);
        }
        if (image.path.len > NAME_MAX_LENGTH || !path_valid(image.path))
                return refuse(name, "the path of an image: lower case, digits and . _ - between them", image.path, err);
        image.local = str_is(image.registry, "localhost");
        *ret = image;
        return 0;
}

static struct str canonical(struct str registry) {
        return str_eq_nocase(registry, STR("index.docker.io")) ? STR("docker.io") : registry;
}

const char *image_full_name(const struct image *image, struct arena *arena) {
        struct str registry = canonical(image->registry);
        bool bare = str_is(registry, "docker.io") && str_find(image->path, '/') == image->path.len;
        BUF_AUTO text;

        buf_init(&text, 2 * NAME_MAX_LENGTH + TAG_MAX + 256);
        buf_append(&text, registry);
        buf_append(&text, bare ? STR("/library/") : STR("/"));
        buf_append(&text, image->path);
        if (image->tag.len)
                buf_char(&text, ':');
        buf_append(&text, image->tag);
        if (image->digest.len)
                buf_char(&text, '@');
        buf_append(&text, image->digest);
        return text.failed ? NULL : arena_dup(arena, buf_str(&text));
}

bool image_trusted(const struct image *image, const struct str_list *registries) {
        if (image->local)
                return true;
        for (size_t i = 0; i < registries->count; i++)
                if (str_eq_nocase(canonical(image->registry), canonical(registries->items[i])))
                        return true;
        return false;
}
