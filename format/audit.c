#include "format/audit.h"

#include "format/json.h"

void format_audit_check_text(const struct bailey_audit_check *check, struct buf *out) {
        if (check->problem) {
                buf_format(out, "%s:%llu: ", check->file, check->line);
                if (check->id[0])
                        buf_format(out, "record %s: ", check->id);
                buf_format(out, "%s\n", check->problem);
        } else {
                buf_format(out, "ok: %llu records in %zu file%s%s, last hash %s\n", check->records, check->files,
                           check->files == 1 ? "" : "s",
                           !check->records || check->from_start ? "" : ", earlier records rotated away", check->last);
        }
        if (check->repairs)
                buf_format(out, "records interrupted by a killed writer: %llu\n", check->repairs);
        if (check->torn)
                buf_format(out, "%s:%llu: incomplete record of %llu bytes: its writer was killed; the next writer repairs it\n",
                           check->path, check->line, check->torn_bytes);
}

void format_audit_check_json(const struct bailey_audit_check *check, struct buf *out) {
        put_begin(out);
        put_switch(out, "ok", !check->problem);
        put_number(out, "records", (long long)check->records);
        put_number(out, "files", (long long)check->files);
        put_number(out, "repairs", (long long)check->repairs);
        put_switch(out, "from_start", check->from_start);
        put_text(out, "last", check->last);
        if (check->torn)
                put_number(out, "torn_bytes", (long long)check->torn_bytes);
        if (check->problem) {
                put_text(out, "file", check->file);
                put_number(out, "line", (long long)check->line);
                put_text(out, "id", check->id);
                put_text(out, "problem", check->problem);
        }
        put_end(out);
        buf_char(out, '\n');
}
