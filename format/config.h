/*
 * Rules, policies, environment variables and trusted config files, as JSON and for people.
 */
#ifndef BAILEY_FORMAT_CONFIG_H
#define BAILEY_FORMAT_CONFIG_H

#include "bailey.h"
#include "base/buf.h"

/* All of them. */
void format_rules_json(struct buf *out);
void format_rules_text(struct buf *out);

void format_policies_json(const struct bailey_policy_names *names, struct buf *out);
void format_policies_text(const struct bailey_policy_names *names, struct buf *out);

void format_variables_json(const struct bailey_variables *variables, struct buf *out);
void format_variables_text(const struct bailey_variables *variables, struct buf *out);

void format_trusted_json(const struct bailey_trusted_files *files, struct buf *out);
void format_trusted_text(const struct bailey_trusted_files *files, struct buf *out);

#endif
