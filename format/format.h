/*
 * What bailey.h hands out, as JSON and for people: each in the file with its name.
 */
#ifndef BAILEY_FORMAT_FORMAT_H
#define BAILEY_FORMAT_FORMAT_H

#include <stdbool.h>

#include "bailey.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * Texts of bailey.h as those of base/.
 */

static inline struct str text_str(struct bailey_text text) {
        return str_from(text.text, text.length);
}

/*
 * Colours, for the few words that people look for in an answer.
 */

enum paint { PAINT_NONE, PAINT_GOOD, PAINT_DOUBTFUL, PAINT_BAD };

/* Writes the text, in its colour if colours are wanted. */
void paint_put(struct buf *out, bool colors, enum paint paint, const char *text);

/* Returns true if answers are to have colours. `when`: "always", "never", or "auto" and NULL, which look at standard output,
 * NO_COLOR and TERM. */
bool paint_wanted(const char *when);

/*
 * Verdicts, as JSON and for people.
 */

const char *format_action(enum bailey_action action);

void format_verdict_json(const struct bailey_verdict *verdict, struct buf *out);

/* `source` is the command. */
void format_verdict_text(const struct bailey_verdict *verdict, struct str source, bool colors, struct buf *out);

/* The part of it that lists the commands found, one per line. */
void format_commands_text(const struct bailey_verdict *verdict, struct buf *out);

/* "reasons":[...] */
void put_reasons(struct buf *out, const struct bailey_reason *reasons, size_t count);

/*
 * How a command ended, as JSON; and the names of what becomes of limits.
 */

const char *format_limit_state(enum bailey_limit_state state);

/* The members exit_code, signal, timed_out and cancelled. */
void put_ending(struct buf *out, const struct bailey_outcome *o);

/* The member network, if the policy lists hosts. */
void put_network(struct buf *out, const struct bailey_traffic *network);

/* The member staged, if the workspace was. */
void put_findings(struct buf *out, const struct bailey_why_finding *findings, size_t count);
void put_staged(struct buf *out, const struct bailey_staged *staged);

/* All members but schemaVersion. */
void put_outcome(struct buf *out, const struct bailey_outcome *o);

void format_outcome_json(const struct bailey_outcome *outcome, struct buf *out);

/*
 * Stages, as JSON and for people.
 */

void format_stages_json(const struct bailey_stages *stages, struct buf *out);
void format_stages_text(const struct bailey_stages *stages, struct buf *out);

struct stage_style {
        bool stat; /* a line for each file, without the lines that differ */
        bool colors;
        bool terminal; /* what a terminal would act on is escaped in these lines; in names it always is */
};
void format_stage_changes_json(const struct bailey_stage_changes *changes, struct buf *out);
void format_stage_changes_text(const struct bailey_stage_changes *changes, const struct stage_style *style, struct buf *out);

/* Only a line for each, without a sum. */
void format_stage_rows(const struct bailey_stage_changes *changes, const struct stage_style *style, struct buf *out);

void format_applied_json(const struct bailey_stage_applied *applied, struct buf *out);
void format_applied_text(const struct bailey_stage_applied *applied, struct buf *out);
void format_undoables_json(const struct bailey_stage_undoables *found, struct buf *out);
void format_undoables_text(const struct bailey_stage_undoables *found, struct buf *out);

/*
 * Rules, policies, environment variables and trusted config files, as JSON and for people.
 */

/* All of them. */
void format_rules_json(struct buf *out);
void format_rules_text(struct buf *out);

void format_policies_json(const struct bailey_policy_names *names, struct buf *out);
void format_policies_text(const struct bailey_policy_names *names, struct buf *out);

void format_variables_json(const struct bailey_variables *variables, struct buf *out);
void format_variables_text(const struct bailey_variables *variables, struct buf *out);

void format_trusted_json(const struct bailey_trusted_files *files, struct buf *out);
void format_trusted_text(const struct bailey_trusted_files *files, struct buf *out);

/*
 * Settings of other programs.
 */

void format_import_json(const struct bailey_import *import, struct buf *out);
void format_import_config(const struct bailey_import *import, struct buf *out);  /* with the files that it comes from */
void format_import_changed(const struct bailey_import *import, struct buf *out); /* what the config file has now */
void format_import_left(const struct bailey_import_left *left, struct buf *out); /* a line */

/*
 * Why a command was stopped.
 */

void format_why_json(const struct bailey_why *why, struct buf *out);
void format_learned_json(const struct bailey_learned *learned, const char *path, const char *diff, struct buf *out);
void format_learned_text(const struct bailey_learned *learned, const char *diff, struct buf *out);
void format_learned_refused(const struct bailey_learn_refused *refused, struct buf *out);
void format_denied_text(const struct bailey_outcome *outcome, struct buf *out); /* of a run with evidence */
void format_why_text(const struct bailey_why *why, struct buf *out);

/*
 * What `allow` and `deny` have changed in a session.
 */

void format_changed_text(const struct bailey_changed *changed, struct buf *out);

/*
 * Container runtimes, and what is configured of them, as JSON and for people.
 */

void format_containers_json(const struct bailey_containers *containers, struct buf *out);
void format_containers_text(const struct bailey_containers *containers, struct buf *out);

/*
 * Which sandboxes work here, as JSON and for people.
 */

/* `stale`: homes of workspaces that are gone. */
void format_backends_json(const struct bailey_backends *backends, const struct bailey_homes *stale, struct buf *out);
void format_backends_text(const struct bailey_backends *backends, const struct bailey_homes *stale, bool colors,
                          struct buf *out);

/*
 * Homes of workspaces, as JSON and for people. Names in them were chosen by commands: control characters are escaped.
 */

void format_homes_json(const struct bailey_homes *homes, struct buf *out);
void format_homes_text(const struct bailey_homes *homes, struct buf *out);

/* The size of one, or of all of them together: "1.2 GiB", "at least 1.2 GiB". */
void format_home_size(const struct bailey_home *home, struct buf *out);
void format_homes_size(const struct bailey_homes *homes, struct buf *out);

/* What came of bailey_home_clear(). */
void format_cleared_json(const struct bailey_homes *homes, struct buf *out);
void format_cleared_text(const struct bailey_homes *homes, struct buf *out);

void format_home_changes_json(const struct bailey_home_changes *changes, struct buf *out);
void format_home_changes_text(const struct bailey_home_changes *changes, struct buf *out);

/* For bailey doctor: homes whose workspace is gone, in one line. Nothing if there are none. */
void format_stale_text(const struct bailey_homes *homes, struct buf *out);

/*
 * Whether the audit log is whole, and what is in it in numbers, as JSON and for people.
 */

void format_audit_check_json(const struct bailey_audit_check *check, struct buf *out);
void format_audit_check_text(const struct bailey_audit_check *check, struct buf *out);

void format_audit_stats_json(const struct bailey_audit_stats *stats, struct buf *out);
void format_audit_stats_text(const struct bailey_audit_stats *stats, struct buf *out);

#endif
