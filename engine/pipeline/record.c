#include "engine/pipeline/record.h"

#include "base/buf.h"
#include "base/id.h"
#include "engine/pipeline/verdict.h"

enum { SHOWN_MAX = 64 << 20 }; /* marks may be longer than what they stand for */

/* ---- the verdict ---- */

static void set_reasons(const struct verdict *verdict, struct arena *arena, struct audit_record *record) {
        struct audit_reason *reasons;
        size_t count = 0;

        for (const struct reason *r = verdict->reasons; r; r = r->next)
                record->reason_count++;
        if (!record->reason_count)
                return;
        reasons = arena_alloc(arena, record->reason_count * sizeof(*reasons));
        for (const struct reason *r = verdict->reasons; reasons && r; r = r->next)
                reasons[count++] = (struct audit_reason){
                        .rule = r->id,
                        .message = r->message,
                        .subject = r->effect ? r->effect->subject : STR(""),
                        .severity = r->severity == SEVERITY_BLOCK ? "block" : "warn",
                        .start = r->range.start,
                        .end = r->range.end,
                };
        record->reasons = reasons;
        record->reason_count = count;
}

void record_checked(const struct bailey_policy *policy, struct str command, const char *cwd, bool decides,
                    const struct verdict *verdict, struct arena *arena) {
        char id[ID_SIZE];
        struct audit_record record = {
                .kind = decides && verdict->action == ACTION_BLOCKED ? AUDIT_REFUSED : AUDIT_TESTED,
                .id = id,
                .command = command,
                .cwd = cwd,
                .policy = policy->policy->name,
                .action = action_name(verdict->action),
                .bypassed = policy->bypassed,
                .workspace = policy->policy->workspace.len ? arena_dup(arena, policy->policy->workspace) : NULL,
        };
        struct err ignored;

        set_reasons(verdict, arena, &record);
        if (id_new(id, &ignored) == 0)
                audit_write(policy->audit, &record, &ignored);
}

/* ---- input ---- */

static void keep(void *context, struct str bytes) {
        buf_append(context, bytes);
}

/* Whoever typed it knows it; whoever reads the log does not have to. Each input by itself. */
static struct str without_secrets(const struct run *run, struct str text, struct buf *out) {
        const struct redactor *redactor = run->lent.out_stream ? run->lent.out_stream->redactor : NULL;
        struct redact_state state = {};

        if (!redactor)
                return text;
        redact_feed(redactor, &state, text, keep, out);
        redact_end(redactor, &state, keep, out);
        return buf_str(out);
}

int record_input(const struct run *run, struct str text, const struct verdict *verdict, struct arena *arena, struct err *err) {
        struct audit_record record = {
                .kind = AUDIT_INPUT,
                .id = run->id,
                .cwd = run->facts.host.cwd,
                .workspace = run->facts.host.workspace,
                .policy = run->order.policy->name,
                .action = verdict ? action_name(verdict->action) : "none",
                .bypassed = run->order.bypassed,
        };
        BUF_AUTO shown;

        buf_init(&shown, SHOWN_MAX);
        record.command = without_secrets(run, text, &shown);
        if (shown.failed)
                return err_memory(err);
        if (verdict)
                set_reasons(verdict, arena, &record);
        if (audit_write(run->order.audit, &record, err) == 0 || !run->order.policy->audit.required)
                return 0;
        return err_context(err, "not written, because it cannot be recorded in the audit log");
}

/* ---- runs ---- */

static void set_guarantees(struct run *run, struct audit_record *record) {
        record->backend = run->attempt.launch.backend;
        record->guarantees = run_guarantee_names(run);
        while (record->guarantees && record->guarantees[record->guarantee_count])
                record->guarantee_count++;
}

static void set_network(struct run *run, struct audit_record *record) {
        const struct bailey_traffic *network = run->result.out.network;
        struct audit_host *hosts = network ? arena_alloc(&run->arena, (network->host_count + 1) * sizeof(*hosts)) : NULL;

        if (!hosts)
                return;
        for (size_t i = 0; i < network->host_count; i++) {
                const struct bailey_traffic_host *from = &network->hosts[i];

                hosts[i] = (struct audit_host){ from->host, from->by,          from->verdict, from->address,
                                                from->port, from->connections, from->up,      from->down };
        }
        record->network = true;
        record->network_up = network->up;
        record->network_down = network->down;
        record->hosts = hosts;
        record->host_count = network->host_count;
}

static bool was_denied(const struct run_evidence *evidence, const struct explain_finding *finding) {
        for (size_t i = 0; i < evidence->count; i++)
                if (strcmp(evidence->misses[i].kind, finding->kind) == 0 &&
                    strcmp(evidence->misses[i].subject, finding->subject) == 0)
                        return true;
        return false;
}

/* What was seen, and then what the output says. */
static void set_findings(struct run *run, struct audit_record *record) {
        const struct explain_findings *from = &run->result.findings;
        const struct run_evidence *evidence = &run->evidence;
        struct audit_finding *findings = arena_alloc(&run->arena, (evidence->count + from->count + 1) * sizeof(*findings));
        size_t count = 0;

        for (size_t i = 0; findings && i < evidence->count; i++)
                findings[count++] = (struct audit_finding){ evidence->misses[i].kind, evidence->misses[i].subject,
                                                            evidence->misses[i].program };
        for (size_t i = 0; findings && i < from->count; i++)
                if (!was_denied(evidence, &from->items[i]))
                        findings[count++] = (struct audit_finding){ from->items[i].kind, from->items[i].subject, NULL };
        record->findings = findings;
        record->finding_count = count;
}

static void set_outcome(struct run *run, struct audit_record *record) {
        record->exit_code = run->result.out.exit_code;
        record->signal = run->result.out.signal;
        record->timed_out = run->job.outcome.timed_out;
        record->cancelled = run->job.outcome.cancelled;
        record->duration_ms = run->result.out.duration_ms;
        record->output_known = run->result.out.output != NULL;
        record->output_bytes = run->result.out.output_bytes;
        record->truncated = run->result.captured.truncated;
        record->redactions = run->result.redactions;
        record->redactions_partial = run->lent.out_stream && redactor_missing(run->lent.out_stream->redactor);
        record->notices = run->result.notices;
        record->notice_count = run->result.notice_count;
        set_network(run, record);
        set_findings(run, record);
}

static int write_record(struct run *run, enum audit_kind kind, struct err *err) {
        struct str workspace = run->order.policy->workspace;
        struct audit_record record = {
                .kind = kind,
                .id = run->id,
                .command = run->judged.command,
                .description = run->order.options.description,
                .argv = run->order.options.command == NULL,
                .cwd = run->facts.host.cwd ? run->facts.host.cwd : run->begun.cwd,
                .workspace = run->facts.host.workspace ? run->facts.host.workspace
                             : workspace.len           ? arena_dup(&run->arena, workspace)
                                                       : NULL,
                .policy = run->order.policy->name,
                .action =
                        run->judged.command.ptr ? action_name(run->judged.verdict.action) : "none", /* no command, no verdict */
                .bypassed = run->order.bypassed,
                .message = kind == AUDIT_INTENT || kind == AUDIT_REFUSED ? NULL : run->result.out.message,
        };

        set_reasons(&run->judged.verdict, &run->arena, &record);
        set_guarantees(run, &record);
        if (kind == AUDIT_OUTCOME)
                set_outcome(run, &record);
        return audit_write(run->order.audit, &record, err);
}

static int unrecorded(struct run *run, struct err *err) {
        struct err why = *err;

        run->result.unrecorded = true;
        if (!run->order.policy->audit.required) {
                run_notice(run, "this command is not in the audit log: %s", why.msg);
                return 0;
        }
        return err_set(err, why.code == ERR_MEMORY ? ERR_MEMORY : ERR_SYSTEM,
                       "not run, because it cannot be written to the audit log (set audit.required = false to allow that): %s",
                       why.msg);
}

int record_ready(struct run *run, struct err *err) {
        return audit_ready(run->order.audit, err) < 0 ? unrecorded(run, err) : 0;
}

int record_intent(struct run *run, struct err *err) {
        if (run->result.unrecorded)
                return 0;
        return write_record(run, AUDIT_INTENT, err) < 0 ? unrecorded(run, err) : 0;
}

void record_end(struct run *run) {
        static const enum audit_kind kinds[] = {
                [BAILEY_EXITED] = AUDIT_OUTCOME,  [BAILEY_TIMED_OUT] = AUDIT_OUTCOME, [BAILEY_CANCELLED] = AUDIT_OUTCOME,
                [BAILEY_REFUSED] = AUDIT_REFUSED, [BAILEY_NOT_FOUND] = AUDIT_FAILED,  [BAILEY_FAILED] = AUDIT_FAILED,
                [BAILEY_PLANNED] = AUDIT_TESTED,
        };
        struct err err = {};

        if (!run->result.unrecorded && write_record(run, kinds[run->result.out.end], &err) < 0)
                run_notice(run, "the outcome of this command is not in the audit log: %s", err.msg);
}
