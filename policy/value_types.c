#include "policy/value_types.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/time.h"
#include "policy/egress.h"
#include "policy/env.h"
#include "policy/hosts.h"
#include "policy/upstream.h"

/* ---- strings ---- */

static bool line_valid(struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
                        return false;
        return true;
}

static bool path_valid(struct str text) {
        return text.len > 0 && text.ptr[0] == '/' && line_valid(text);
}

/* What is to be opened has to be named. */
static bool allowed_path_valid(struct str text) {
        return path_valid(text) && str_find(text, '*') == text.len && str_find(text, '?') == text.len;
}

static bool home_path_valid(struct str text) {
        return allowed_path_valid(text.len && text.ptr[0] == '~' ? str_from(text.ptr + 1, text.len - 1) : text);
}

static bool directory_valid(struct str text) {
        return text.len == 0 || allowed_path_valid(text);
}

/* From / or from the workspace on. */
static bool denied_path_valid(struct str text) {
        return text.len > 0 && text.ptr[0] != '~' && line_valid(text);
}

static bool command_valid(struct str text) {
        if (text.len == 0 || !line_valid(text) || text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' ')
                return false;
        for (size_t i = 1; i < text.len; i++)
                if (text.ptr[i] == ' ' && text.ptr[i - 1] == ' ')
                        return false;
        return true;
}

static bool program_valid(struct str text) {
        return command_valid(text) && str_find(text, '/') >= str_find(text, ' ');
}

static bool bypass_valid(struct str text) {
        return text.len == 0 || env_name_valid(text);
}

static bool all_of(struct str text, const char *others) {
        for (size_t i = 0; i < text.len; i++)
                if (!is_ascii_alnum((unsigned char)text.ptr[i]) && (!text.ptr[i] || !strchr(others, text.ptr[i])))
                        return false;
        return true;
}

/* No dash in front: it is going to be an argument. */
static bool image_valid(struct str text) {
        return text.len > 0 && text.len < 256 && is_ascii_alnum((unsigned char)text.ptr[0]) && all_of(text, "._-/:@");
}

static bool registry_valid(struct str text) {
        struct host host;

        return str_find(text, '/') == text.len && str_find(text, '@') == text.len && host_from_url(text, &host) == 0;
}

static bool capability_valid(struct str text) {
        return text.len > 0 && is_ascii_alpha((unsigned char)text.ptr[0]) && text.len < 64 && all_of(text, "_");
}

static bool option_valid(struct str text) {
        return str_starts(text, STR("--")) && text.len > 2 && text.ptr[2] != '=' && line_valid(text) &&
               str_find(str_take(text, str_find(text, '=')), ' ') == str_find(text, '=');
}

static bool name_valid(struct str text) {
        return text.len > 0 && text.len <= 64 && is_ascii_alnum((unsigned char)text.ptr[0]) && all_of(text, "_-.");
}

static bool socket_valid(struct str text) {
        if (text.len && text.ptr[0] == '$')
                return env_name_valid(str_skip(text, 1));
        return path_valid(text.len && text.ptr[0] == '~' ? str_skip(text, 1) : text);
}

static bool port_valid(struct str text) {
        uint16_t port;

        return port_read(text, &port) == 0;
}

static bool publish_valid(struct str text) {
        struct published_port ports;

        return published_port_read(text, &ports) == 0;
}

const struct key_text text_path = { "an absolute path", path_valid, "^/[^\\u0000-\\u001f\\u007f]*$" };
const struct key_text text_allowed_path = { "an absolute path (patterns with * or ? are for deny lists)", allowed_path_valid,
                                            "^/[^\\u0000-\\u001f\\u007f*?]*$" };
const struct key_text text_home_path = { "a path in your home directory: ~/... or absolute", home_path_valid,
                                         "^~?/[^\\u0000-\\u001f\\u007f*?]+$" };
const struct key_text text_directory = { "an absolute path, or an empty string", directory_valid,
                                         "^(/[^\\u0000-\\u001f\\u007f*?]+)?$" };
const struct key_text text_denied_path = { "a path or a pattern, starting with / or relative to the workspace",
                                           denied_path_valid, "^[^\\u0000-\\u001f\\u007f~][^\\u0000-\\u001f\\u007f]*$" };
const struct key_text text_socket = { "an absolute path, ~/... or $NAME", socket_valid,
                                      "^(~?/[^\\u0000-\\u001f\\u007f]*|[$][A-Za-z_][A-Za-z0-9_]*)$" };
const struct key_text text_host = { "a host name, an address or *.name, without port or path", host_pattern_valid, NULL };
const struct key_text text_network_host = {
        "an ASCII host name (xn--...), an address or *.name, also with :PORT or :*, or a preset (@github)", egress_host_valid,
        NULL
};
const struct key_text text_port = { "a port: 1 to 65535", port_valid, "^[1-9][0-9]{0,4}$", .number = true };
const struct key_text text_publish = { "a port, or HOST_PORT:PORT", publish_valid, "^[1-9][0-9]{0,4}(:[1-9][0-9]{0,4})?$",
                                       .number = true };
const struct key_text text_proxy = { "auto, none or the URL of a proxy: http://user:password@host:port", upstream_setting_valid,
                                     "^(auto|none|http://[^\\u0000-\\u0020\\u007f/]+/?)$", .login = true };
const struct key_text text_credential_host = { "an ASCII host name (xn--...), also with :PORT", credential_host_valid, NULL };
const struct key_text text_credential_header = { "the name of a header, or NAME: SCHEME", credential_header_valid,
                                                 "^[A-Za-z][A-Za-z0-9-]*(: [!-~]+)?$" };
const struct key_text text_credential_user = { "a user, without a colon", credential_user_valid, "^[!-9;-~]+$" };
const struct key_text text_variable = { "a variable name", env_name_valid, "^[A-Za-z_][A-Za-z0-9_]*$" };
const struct key_text text_variables = { "a variable name, or a prefix followed by *", env_pattern_valid,
                                         "^[A-Za-z_][A-Za-z0-9_]*[*]?$" };
const struct key_text text_bypass = { "a variable name, or an empty string", bypass_valid, "^([A-Za-z_][A-Za-z0-9_]*)?$" };
const struct key_text text_program = { "the name of a program without its directory, optionally followed by words",
                                       program_valid, "^[^\\u0000-\\u0020\\u007f/]+( [^\\u0000-\\u0020\\u007f]+)*$" };
const struct key_text text_command = { "a command: words separated by single spaces", command_valid,
                                       "^[^\\u0000-\\u0020\\u007f]+( [^\\u0000-\\u0020\\u007f]+)*$" };
const struct key_text text_image = { "an image name", image_valid, "^[A-Za-z0-9][A-Za-z0-9._/:@-]*$" };
const struct key_text text_registry = { "a registry host, optionally with a port", registry_valid, NULL };
const struct key_text text_capability = { "ALL or a capability such as NET_RAW", capability_valid, "^[A-Za-z][A-Za-z0-9_]*$" };
const struct key_text text_option = { "an option: --name or --name=value", option_valid,
                                      "^--[^\\u0000-\\u0020\\u007f=]+(=[^\\u0000-\\u001f\\u007f]*)?$" };
const struct key_text text_policy = { "a policy name", name_valid, "^[A-Za-z0-9][A-Za-z0-9_.-]*$" };
const struct key_text text_line = { "a single line of text", line_valid, "^[^\\u0000-\\u001f\\u007f]*$" };
const struct key_text text_pattern_name = { "a name of letters, digits and -", name_valid, "^[A-Za-z0-9][A-Za-z0-9_.-]*$" };

/* ---- amounts ---- */

struct unit {
        const char *name;
        int64_t size;
        bool written; /* others are only read */
};

/* Larger ones first. */
static const struct unit time_units[] = {
        { "d", 86400 * TIME_SECOND, false },
        { "h", 3600 * TIME_SECOND, true },
        { "m", 60 * TIME_SECOND, true },
        { "min", 60 * TIME_SECOND, false },
        { "s", TIME_SECOND, true },
        { "ms", TIME_SECOND / 1000, true },
        { "us", TIME_SECOND / 1000000, true },
        { "ns", 1, true },
};
static const struct unit byte_units[] = {
        { "TiB", INT64_C(1) << 40, true },
        { "T", INT64_C(1) << 40, false },
        { "TB", INT64_C(1000000000000), false },
        { "GiB", INT64_C(1) << 30, true },
        { "G", INT64_C(1) << 30, false },
        { "GB", 1000000000, false },
        { "MiB", INT64_C(1) << 20, true },
        { "M", INT64_C(1) << 20, false },
        { "MB", 1000000, false },
        { "KiB", INT64_C(1) << 10, true },
        { "K", INT64_C(1) << 10, false },
        { "KB", 1000, false },
        { "B", 1, true },
};

enum { TIME_UNITS = sizeof(time_units) / sizeof(*time_units), BYTE_UNITS = sizeof(byte_units) / sizeof(*byte_units) };

static const struct unit *unit_find(const struct unit *units, size_t count, struct str name) {
        for (size_t i = 0; i < count; i++)
                if (str_eq_nocase(name, str_z(units[i].name)))
                        return &units[i];
        return NULL;
}

/* Digits, at most nine of them behind a point, an optional space, a unit. Exact: no floating point. */
static int amount_read(struct str text, const struct unit *units, size_t unit_count, int64_t *ret) {
        int64_t whole = 0, part = 0, scale = 1, value;
        const struct unit *unit;
        size_t i = 0, digits;

        while (i < text.len && is_ascii_digit((unsigned char)text.ptr[i]))
                if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, text.ptr[i++] - '0', &whole))
                        return -1;
        digits = i;
        if (i < text.len && text.ptr[i] == '.')
                for (i++; i < text.len && is_ascii_digit((unsigned char)text.ptr[i]) && scale < 1000000000; i++) {
                        part = part * 10 + (text.ptr[i] - '0');
                        scale *= 10;
                }
        if (digits == 0 || (i > digits && scale == 1))
                return -1;
        unit = unit_find(units, unit_count, str_skip(text, i < text.len && text.ptr[i] == ' ' ? i + 1 : i));
        if (!unit || __builtin_mul_overflow(whole, unit->size, &value))
                return -1;
        part = (int64_t)((__int128)part * unit->size / scale);
        return __builtin_add_overflow(value, part, ret) ? -1 : 0;
}

int duration_read(struct str text, int64_t *ret_nanoseconds) {
        return amount_read(text, time_units, TIME_UNITS, ret_nanoseconds);
}

int bytes_read(struct str text, int64_t *ret_bytes) {
        return amount_read(text, byte_units, BYTE_UNITS, ret_bytes);
}

static struct amount_text amount_text(int64_t value, const struct unit *units, const char *space) {
        const struct unit *unit = units;
        struct amount_text amount;

        while (unit->size != 1 && (value == 0 || !unit->written || value % unit->size != 0))
                unit++;
        snprintf(amount.text, sizeof(amount.text), "%" PRId64 "%s%s", value / unit->size, space, unit->name);
        return amount;
}

struct amount_text duration_text(int64_t nanoseconds) {
        return amount_text(nanoseconds, time_units, "");
}

struct amount_text bytes_text(int64_t bytes) {
        return amount_text(bytes, byte_units, " ");
}
