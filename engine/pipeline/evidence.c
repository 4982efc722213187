/*
 * Evidence of a run: of the calls that pid 1 has noted (launch/evidence.h), those that the sandbox denies and the host would
 * not. The notes are of a hostile process: a path is looked at, never opened, and nothing is decided by it.
 */
#include "launch/evidence.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "engine/pipeline/run.h"
#include "engine/why_table.h"
#include "launch/egress.h"

enum { PORTS_MAX = 1024, FINDINGS_MAX = MISSES_MAX + EXPLAIN_FINDINGS_MAX + 64 };

struct ports {
        uint16_t items[PORTS_MAX];
        size_t count;
};

/* ---- misses ---- */

static void miss(struct run *run, const char *kind, const char *subject, const char *program) {
        struct run_evidence *evidence = &run->evidence;
        const char *copy;

        for (size_t i = 0; i < evidence->count; i++)
                if (strcmp(evidence->misses[i].kind, kind) == 0 && strcmp(evidence->misses[i].subject, subject) == 0)
                        return;
        copy = evidence->count < MISSES_MAX ? arena_dup(&run->arena, str_z(subject)) : NULL;
        if (copy)
                evidence->misses[evidence->count++] = (struct run_miss){ kind, copy, program };
        else
                evidence->lost = true;
}

static bool is_listed(const struct str_list *list, const char *path) {
        for (size_t i = 0; i < list->count; i++)
                if (path_within(path, list->items[i].ptr))
                        return true;
        return false;
}

static const char *protection_of(const struct run *run, const char *path) {
        const struct host *host = &run->attempt.host;
        const struct host_path *denied = host_paths_find(&host->write_deny, path);

        if (denied)
                return denied->program ? "bailey-program" : "write-denied";
        for (size_t i = 0; i < host->protection.read_only.count; i++)
                if (path_within(path, host->protection.read_only.items[i].path))
                        return "protected";
        return NULL;
}

static const char *mask_of(const struct run *run, const char *path) {
        const struct host_path *mask = host_paths_find(&run->attempt.host.masks, path);

        if (!mask)
                return NULL;
        return mask->pattern || is_listed(&run->order.policy->sandbox.fs_read_deny, path) ? "read-denied" : "credentials";
}

/* ---- the host ---- */

static bool host_has(const char *path, int mode) {
        return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

/* The directory of a path; false: that is the root. */
static bool directory_of(const char *path, char ret[static PATH_MAX]) {
        size_t len = strlen(path);

        while (len > 0 && path[len - 1] != '/')
                len--;
        if (len <= 1 || len >= PATH_MAX)
                return false;
        memcpy(ret, path, len - 1);
        ret[len - 1] = '\0';
        return true;
}

/* The nearest directory above that exists. */
static bool existing_directory_of(const char *path, char ret[static PATH_MAX]) {
        if (!directory_of(path, ret))
                return false;
        while (!host_has(ret, F_OK)) {
                char *slash = strrchr(ret, '/');

                if (slash == ret)
                        return false;
                *slash = '\0';
        }
        return true;
}

/* ---- paths ---- */

/* A missing or unreadable file counts if it, or the file that links of the host lead to, is one that the user could use. */
static void judge_unseen(struct run *run, const struct evidence_note *note) {
        const struct home *home = &run->attempt.host.home;
        const char *mask = mask_of(run, note->path);
        char real[PATH_MAX];

        if (!realpath(note->path, real) || !host_has(note->path, R_OK))
                return;
        if (!mask)
                mask = mask_of(run, real);
        if (mask)
                miss(run, mask, note->path, note->program);
        else if (note->want == EVIDENCE_READ)
                miss(run, home->path && path_below(note->path, home->path) ? "hidden" : "unseen", note->path, note->program);
        else
                miss(run, "outside", note->path, note->program);
}

/* What is to be written: the file itself, or the directory in which an entry would change. */
static void judge_unwritable(struct run *run, const struct evidence_note *note) {
        const struct host *host = &run->attempt.host;
        const char *kind = protection_of(run, note->path), *mask = mask_of(run, note->path);
        char directory[PATH_MAX];

        if (kind || mask) {
                miss(run, kind ? kind : mask, note->path, note->program);
                return;
        }
        if (path_within(note->path, host->workspace) && !run->order.policy->sandbox.workspace_write) {
                miss(run, "workspace-read-only", host->workspace, note->program);
                return;
        }
        if (note->want == EVIDENCE_WRITE && host_has(note->path, W_OK))
                miss(run, "outside", note->path, note->program);
        else if (note->want == EVIDENCE_ENTRY && existing_directory_of(note->path, directory) && host_has(directory, W_OK))
                miss(run, "outside", directory, note->program);
}

/* An entry of a directory that is not shown: the directory is what would have to be written. */
static void judge_hidden_entry(struct run *run, const struct evidence_note *note) {
        char directory[PATH_MAX];

        if (directory_of(note->path, directory) && host_has(directory, W_OK))
                judge_unwritable(run, note);
}

/* ---- connections ---- */

static void judge_socket(struct run *run, const struct evidence_note *note) {
        const struct host *host = &run->attempt.host;
        const char *mask = mask_of(run, note->path);
        struct stat st;

        if (stat(note->path, &st) < 0 || !S_ISSOCK(st.st_mode) || host_paths_find(&host->sockets, note->path))
                return;
        if (mask && !host_paths_find(&host->engines, note->path))
                miss(run, mask, note->path, note->program);
        else
                miss(run, host_paths_find(&host->engines, note->path) ? "engine-socket" : "socket", note->path, note->program);
}

static void find_ports(struct ports *ret) {
        FD_AUTO diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

        ret->count = diag < 0 ? 0 : listeners_read(diag, ret->items, PORTS_MAX);
}

static void judge_port(struct run *run, const struct evidence_note *note, const struct ports *ports) {
        long port = strtol(note->path + 1, NULL, 10);

        for (size_t i = 0; run->order.policy->sandbox.network != NETWORK_INHERIT && i < ports->count; i++)
                if (ports->items[i] == port)
                        miss(run, "host-port", note->path + 1, note->program);
}

static void judge(struct run *run, const struct evidence_note *note, const struct ports *ports) {
        if (note->want == EVIDENCE_PORT)
                judge_port(run, note, ports);
        else if (note->want == EVIDENCE_SOCKET)
                judge_socket(run, note);
        else if (note->why == EVIDENCE_READ_ONLY)
                judge_unwritable(run, note);
        else if (note->want == EVIDENCE_ENTRY)
                judge_hidden_entry(run, note);
        else
                judge_unseen(run, note);
}

/* ---- the run ---- */

/* Many programs look for files that they can do without: what was refused comes first, then what is only missing. */
static bool is_certain(const struct evidence_note *note) {
        return note->why != EVIDENCE_MISSING || note->want > EVIDENCE_ENTRY;
}

/* What the output says is about the policy in which names are seen. */
static void put_kinds(struct run *run) {
        for (size_t i = 0; run->order.own && i < run->result.findings.count; i++)
                if (strcmp(run->result.findings.items[i].kind, "host") == 0)
                        run->result.findings.items[i].kind = "host-deny";
}

void run_evidence(struct run *run) {
        struct evidence_notes notes;
        struct ports ports;
        struct err err = {};

        if (!run->order.options.evidence)
                return;
        put_kinds(run);
        if (run->evidence.notes < 0) {
                run_notice(run, "what the command was denied could not be seen: %s",
                           run->attempt.host.no_broker ? run->attempt.host.no_broker : "only native and bwrap can do that");
                return;
        }
        if (evidence_read(run->evidence.notes, &run->arena, &notes, &err) < 0) {
                run_notice(run, "%s", err.msg);
                return;
        }
        find_ports(&ports);
        run->evidence.lost = notes.lost;
        for (int round = 0; round < 2; round++)
                for (size_t i = 0; i < notes.count; i++)
                        if (is_certain(&notes.items[i]) == (round == 0))
                                judge(run, &notes.items[i], &ports);
}

/* ---- for the outcome ---- */

static bool is_known(const struct bailey_why_finding *findings, size_t count, const char *kind, const char *subject) {
        for (size_t i = 0; i < count; i++)
                if (strcmp(findings[i].kind, kind) == 0 && strcmp(findings[i].subject, subject) == 0)
                        return true;
        return false;
}

static int add_finding(struct run *run, const char *kind, const char *subject, const char *program,
                       struct bailey_why_finding *findings, size_t *count) {
        const struct why_row *row = why_finding(kind);
        const struct why_subject about = { .kind = str_z(kind),
                                           .subject = str_z(subject),
                                           .program = str_z(program ? program : "") };

        if (!row || *count == FINDINGS_MAX || is_known(findings, *count, kind, subject))
                return 0;
        return why_finding_make(row, &about, &run->arena, &findings[(*count)++]);
}

static int add_hosts(struct run *run, struct bailey_why_finding *findings, size_t *count) {
        const struct bailey_traffic *network = run->result.out.network;
        const struct policy *policy = run->order.own ? run->order.own->before->policy : run->order.policy;
        int result = 0;

        for (size_t i = 0; network && i < network->host_count && result == 0; i++) {
                const struct bailey_traffic_host *host = &network->hosts[i];
                const char *kind = why_host_kind(str_z(host->verdict), policy);

                if (kind)
                        result = add_finding(run, kind, why_host_subject(str_z(host->host), host->port, policy, &run->arena),
                                             NULL, findings, count);
        }
        return result;
}

int run_evidence_findings(struct run *run) {
        struct bailey_why_finding *findings;
        size_t count = 0;
        int result = 0;

        if (!run->order.options.evidence)
                return 0;
        findings = arena_alloc(&run->arena, FINDINGS_MAX * sizeof(*findings));
        if (!findings)
                return -1;
        for (size_t i = 0; i < run->evidence.count && result == 0; i++)
                result = add_finding(run, run->evidence.misses[i].kind, run->evidence.misses[i].subject,
                                     run->evidence.misses[i].program, findings, &count);
        if (result == 0)
                result = add_hosts(run, findings, &count);
        for (size_t i = 0; i < run->result.findings.count && result == 0; i++)
                result = add_finding(run, run->result.findings.items[i].kind, run->result.findings.items[i].subject, NULL,
                                     findings, &count);
        run->result.out.findings = findings;
        run->result.out.finding_count = count;
        run->result.out.findings_lost = run->evidence.lost;
        return result;
}
