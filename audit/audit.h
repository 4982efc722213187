/*
 * The audit log: requests and their outcomes; the newest records in memory, all of them in a file. One for each engine; may be
 * used from several threads.
 */
#ifndef BAILEY_AUDIT_AUDIT_H
#define BAILEY_AUDIT_AUDIT_H

#include "audit/record.h"
#include "base/err.h"
#include "policy/policy.h"

struct audit;

/* `policy` must outlive it. Opens nothing yet; the file is opened once, with the first record. */
int audit_open(const struct audit_policy *policy, const char *const *environment, struct audit **ret, struct err *err);
void audit_close(struct audit *audit);

/* The id that all its records have. */
const char *audit_session(const struct audit *audit);

/* The path of the newest file; NULL if neither the policy nor the environment defines it. */
const char *audit_path(const struct audit *audit);

/* For an engine that was created without an environment: sets the path of the file, unless it is known. */
void audit_settle(struct audit *audit, const char *const *environment);

/* A record waits at most `patience` for others that write, and not past `until` (monotonic; 0: any). */
void audit_hurry(struct audit *audit, int64_t patience, int64_t until);

/* Creates the file, if the policy requires one. */
int audit_ready(struct audit *audit, struct err *err);

/* Adds a record to the ring, and to the file if the policy requires one. Fails if the file could not be written. */
int audit_write(struct audit *audit, const struct audit_record *record, struct err *err);

/* The newest records of a kind, if the policy requires no file: then they are only in memory. A line each. */
void audit_unwritten(struct audit *audit, enum audit_kind kind, size_t count, struct buf *out);

/* A JSON array of the newest records in memory. */
void audit_recent(struct audit *audit, size_t count, struct buf *out);

#endif
