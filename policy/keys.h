/*
 * The config keys: one row holds all that is known of a key. Reading a file, defaults, `config show`, `config schema`
 * and `config init` are made from the rows; code that reads them does not change when a row is added.
 */
#ifndef BAILEY_POLICY_KEYS_H
#define BAILEY_POLICY_KEYS_H

#include "base/buf.h"
#include "policy/policy.h"

enum key_section {
        SECTION_TOP,
        SECTION_SANDBOX,
        SECTION_NETWORK,
        SECTION_SOCKETS,
        SECTION_GUARD,
        SECTION_PATTERN,    /* one of [[guard.dangerous_patterns]] */
        SECTION_CREDENTIAL, /* one of [[sandbox.network.credential]] */
        SECTION_CONTAINER,
        SECTION_LIMITS,
        SECTION_FLAGS,
        SECTION_RUN,
        SECTION_OUTPUT,
        SECTION_ENV,
        SECTION_AUDIT,
        SECTION_MCP,
        SECTION_POLICY, /* [policy.NAME]; holds all sections of the top again */
        SECTION_COUNT,
};

enum key_type {
        KEY_BOOLEAN,
        KEY_INTEGER,
        KEY_NUMBER,   /* double */
        KEY_BYTES,    /* an integer, or "64 KiB" */
        KEY_DURATION, /* nanoseconds; seconds, "1.5s", "2m", or { secs, nanos } */
        KEY_WORD,     /* one of `words`; an enum */
        KEY_STRING,
        KEY_LIST,        /* struct str_list */
        KEY_PAIRS,       /* struct env_pairs */
        KEY_PATTERNS,    /* struct user_pattern * and a count */
        KEY_CREDENTIALS, /* struct credential * and a count */
};

/* How a workspace's config that is not trusted may change a value. */
enum key_tighten {
        TIGHTEN_NEVER,
        TIGHTEN_ADD,   /* items to a list */
        TIGHTEN_TRUE,  /* only to true */
        TIGHTEN_FALSE, /* only to false */
        TIGHTEN_LESS,  /* only to a smaller value; 0 is the largest where it means "no limit" */
        TIGHTEN_WORD,  /* only to `tightest` */
        TIGHTEN_FEWER, /* only to a list of items that it has already */
        TIGHTEN_KIND,  /* of a network: from inherit to hosts, from these to deny */
        TIGHTEN_HOSTS, /* only to hosts that can be reached already */
};

/* What a string, or an item of a list, has to be. */
struct key_text {
        const char *expected; /* with its article: "an absolute path" */
        bool (*valid)(struct str text);
        const char *schema; /* a regular expression that says nearly the same, or NULL */
        bool number;        /* it can be written as a number, too, and is shown as one */
        bool login;         /* it may hold a password, which is not shown */
};

/* All members start at the same place, so that one that is no integer is stored by its size alone. */
union key_value {
        bool boolean;
        int64_t integer; /* KEY_INTEGER, KEY_BYTES, KEY_DURATION */
        double number;
        unsigned word; /* index into `words` */
        struct str text;
        struct str_list list;
        struct env_pairs pairs;
        struct key_items {
                const void *items;
                size_t count;
        } items; /* any of the lists */
};

struct key_row {
        const char *name; /* snake_case; camelCase is read too */
        const char *help;
        enum key_section section;
        enum key_type type;
        enum key_tighten tighten;
        unsigned tightest; /* of TIGHTEN_WORD */
        const char *const *words;
        const struct key_text *text;
        int64_t min, max;        /* of numbers, both included */
        union key_value initial; /* the built-in value */
        uint16_t offset, size;   /* of the field in struct policy (for sections of items: in the item); size 0: none */
        bool zero_is_none;       /* no limit */
};

extern const struct key_row keys[];
extern const size_t key_count;

/* ---- sections ---- */

struct section_row {
        enum key_section parent; /* a section has a row for each place it can stand in; the first is the usual one */
        enum key_section section;
        const char *name;
        const char *shorthand; /* the key that a plain string stands for: network = "deny" */
        const char *listed;    /* the key that a plain array stands for: unix_sockets = ["/run/x"] */
        const char *help;
};

extern const struct section_row sections[];
extern const size_t section_row_count;

/* A key that can stand in a second place, or has a second name. */
struct key_alias {
        enum key_section section;
        const char *name;
        const char *key; /* its path, as key_by_path() takes it */
};

extern const struct key_alias key_aliases[];
extern const size_t key_alias_count;

/* Returns NULL if there is no such key. `name` may be in snake_case or camelCase. */
const struct section_row *section_find(enum key_section parent, struct str name);
const struct key_row *key_run_policy(void);
const struct key_row *key_find(enum key_section section, struct str name); /* aliases, too */
const struct key_row *key_run_policy(void);
const struct key_row *key_by_path(struct str path); /* "container.resource_limits.cpus" */

static inline size_t key_index(const struct key_row *row) {
        return (size_t)(row - keys);
}

/* Returns true if `given` is the snake_case `name`, or that name in camelCase. */
bool key_name_is(const char *name, struct str given);
enum { KEY_NAME_MAX = 64, KEY_PATH_MAX = 128 };
void key_name_camel(const char *name, char ret_camel[static KEY_NAME_MAX]);

struct key_path {
        char text[KEY_PATH_MAX];
};
struct key_path section_path(enum key_section section); /* "guard", "container.resource_limits"; "" for the top */
struct key_path key_path(const struct key_row *row);

/* Returns true if there is one value of the key: it belongs neither to a pattern nor to [policy.NAME]. */
bool key_is_single(const struct key_row *row);

/* Writes the heading of the key's section, unless that is `*section`, which is set to it. */
void key_heading(const struct key_row *row, enum key_section *section, struct buf *out);

/* The name in `section` that `given` is most like, written in the same style; empty when nothing is near. */
struct key_path key_nearest(enum key_section section, struct str given);

/* Like key_nearest(), for a whole path: "sandbox.newtork", or "network" without its section. */
struct key_path key_nearest_path(struct str given);

/* ---- fields ---- */

/* `record` is the struct policy; for rows of a section of items, the item. */
void key_store(const struct key_row *row, void *record, const union key_value *value);
union key_value key_load(const struct key_row *row, const void *record);

/* Bytes of one item of a list. */
size_t key_item_size(enum key_type type);
bool key_is_list(enum key_type type);

/* The section that the tables in a list of this type have; SECTION_TOP: they have none. */
enum key_section key_items_section(enum key_type type);
static inline bool section_is_of_items(enum key_section section) {
        return section == SECTION_PATTERN || section == SECTION_CREDENTIAL;
}

/* ---- built-in policies ---- */

struct builtin_value {
        const char *key; /* path */
        union key_value value;
};

struct builtin_policy {
        const char *name, *extends, *help;
        const struct builtin_value *values; /* lists add */
        size_t count;
};

extern const struct builtin_policy builtin_policies[];
extern const size_t builtin_policy_count;

#endif
