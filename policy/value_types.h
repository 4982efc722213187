/*
 * What strings in a config have to look like, and how times and sizes are written.
 */
#ifndef BAILEY_POLICY_VALUE_TYPES_H
#define BAILEY_POLICY_VALUE_TYPES_H

#include "policy/keys.h"

extern const struct key_text text_path;              /* absolute, no control characters */
extern const struct key_text text_allowed_path;      /* and no pattern */
extern const struct key_text text_home_path;         /* or ~/... */
extern const struct key_text text_directory;         /* or empty */
extern const struct key_text text_denied_path;       /* absolute or not, perhaps a pattern */
extern const struct key_text text_socket;            /* the same, or ~/..., or $VARIABLE */
extern const struct key_text text_host;              /* see host_pattern_valid() */
extern const struct key_text text_network_host;      /* see egress_host_valid() */
extern const struct key_text text_port;              /* 1 to 65535 */
extern const struct key_text text_publish;           /* a port, or HOST:INSIDE */
extern const struct key_text text_proxy;             /* see upstream_setting_valid() */
extern const struct key_text text_credential_host;   /* see credential_place() */
extern const struct key_text text_credential_header; /* NAME, or NAME: SCHEME */
extern const struct key_text text_credential_user;   /* without a colon */
extern const struct key_text text_variable;          /* a variable's name */
extern const struct key_text text_variables;         /* or PREFIX* */
extern const struct key_text text_bypass;            /* a variable's name, or nothing */
extern const struct key_text text_program;           /* a name without a directory, or "git push" */
extern const struct key_text text_command;           /* words with one space between them */
extern const struct key_text text_image;             /* of a container */
extern const struct key_text text_registry;          /* of images: host or host:port */
extern const struct key_text text_capability;        /* ALL, NET_RAW, CAP_NET_RAW */
extern const struct key_text text_option;            /* of a command line: --name or --name=value */
extern const struct key_text text_policy;            /* a policy's name */
extern const struct key_text text_line;              /* anything without control characters */
extern const struct key_text text_pattern_name;      /* an identifier, for rule names */

/* "10s", "1.5 min", "250ms": ms, s, m or min, h, d. "64 KiB": B, K or KiB, KB (1000), and so on up to T. Both fail on
 * anything else, and on what does not fit. */
int duration_read(struct str text, int64_t *ret_nanoseconds);
int bytes_read(struct str text, int64_t *ret_bytes);

/* In the largest unit that leaves no fraction: "2m", "1500ms"; "100 KiB". Both can be read back. */
struct amount_text {
        char text[32];
};
struct amount_text duration_text(int64_t nanoseconds);
struct amount_text bytes_text(int64_t bytes);

#endif
