/*
 * The rows, for people, for programs, and in a document.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "bench/bench.h"

static const char begin_mark[] = "<!-- the table begins -->\n", end_mark[] = "<!-- the table ends -->\n";

enum { DOCUMENT_MAX = 1 << 20, TEXT = 32 };

/* Three digits that say something, however large it is. */
static void number(char text[static TEXT], double value, const char *unit) {
        int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
        bool close = !unit[0] || strcmp(unit, "x") == 0;

        snprintf(text, TEXT, "%.*f%s%s", decimals, value, close ? "" : " ", unit);
}

static void number_or_none(char text[static TEXT], double value, const char *unit) {
        if (value < 0)
                snprintf(text, TEXT, "-");
        else
                number(text, value, unit);
}

static void goal_text(char text[static TEXT], const struct row *row) {
        if (row->sense == NO_GOAL)
                snprintf(text, TEXT, "-");
        else
                snprintf(text, TEXT, "%s %g%s%s", row->sense == AT_MOST ? "<=" : ">=", row->goal,
                         strcmp(row->unit, "x") == 0 ? "" : " ", row->unit);
}

static const char *verdict(const struct row *row) {
        return row->skipped ? "skipped" : row->sense == NO_GOAL ? "-" : row_passes(row) ? "pass" : "FAIL";
}

/* The processors' name, the kernel, and when. */
static void machine_text(struct buf *out) {
        char line[256], model[128] = "unknown processor", day[32];
        FILE *file = fopen("/proc/cpuinfo", "re");
        time_t now = time(NULL);
        struct utsname host;
        struct tm parts;

        while (file && fgets(line, sizeof(line), file))
                if (sscanf(line, "model name : %127[^\n]", model) == 1)
                        break;
        if (file)
                fclose(file);
        uname(&host);
        gmtime_r(&now, &parts);
        strftime(day, sizeof(day), "%Y-%m-%d", &parts);
        buf_format(out, "%ld x %s, %s %s, %s, %s", sysconf(_SC_NPROCESSORS_ONLN), model, host.sysname, host.release,
                   host.machine, day);
}

void table_print(const struct bench *bench) {
        BUF_AUTO machine;

        buf_init(&machine, OUTPUT_MAX);
        machine_text(&machine);
        printf("%.*s\n\n%-62s %9s %9s %10s %-7s %6s %9s %9s %6s  %s\n", (int)machine.len, machine.ptr, "measure", "median",
               "p95", "goal", "", "cpu", "us", "other us", "n", "compared with");
        for (const struct row *row = bench->list; row < bench->list + bench->count; row++) {
                char value[TEXT], p95[TEXT], goal[TEXT], cpu[TEXT], ours[TEXT], theirs[TEXT];

                if (row->skipped) {
                        printf("%-62s %9s %9s %10s %-7s %s\n", row->what, "-", "-", "-", "skipped", row->note);
                        continue;
                }
                number(value, row->value, row->unit);
                number_or_none(p95, row->p95, row->unit);
                goal_text(goal, row);
                number_or_none(ours, row->median_us, "");
                number_or_none(theirs, row->against_us, "");
                number_or_none(cpu, row->cpu, "x");
                printf("%-62s %9s %9s %10s %-7s %6s %9s %9s %6zu  %s%s%s\n", row->what, value, p95, goal, verdict(row), cpu,
                       ours, theirs, row->n, row->against, row->note[0] && row->against[0] ? "; " : "", row->note);
        }
}

/* ---- JSON ---- */

static void json_text(struct buf *out, const char *name, const char *text) {
        buf_format(out, "\"%s\":", name);
        buf_json(out, str_z(text));
}

static void json_number(struct buf *out, const char *name, double value) {
        if (value < 0)
                buf_format(out, ",\"%s\":null", name);
        else
                buf_format(out, ",\"%s\":%.6g", name, value);
}

static void json_row(struct buf *out, const struct row *row) {
        buf_append(out, STR("{"));
        json_text(out, "name", row->name);
        buf_char(out, ',');
        json_text(out, "measure", row->what);
        buf_char(out, ',');
        json_text(out, "against", row->against);
        buf_char(out, ',');
        json_text(out, "note", row->note);
        buf_format(out, ",\"skipped\":%s", row->skipped ? "true" : "false");
        if (!row->skipped) {
                buf_char(out, ',');
                json_text(out, "unit", row->unit);
                json_number(out, "value", row->value);
                json_number(out, "p95", row->p95);
                json_number(out, "cpu", row->cpu);
                json_number(out, "median_us", row->median_us);
                json_number(out, "against_us", row->against_us);
                buf_format(out, ",\"n\":%zu", row->n);
                json_number(out, "goal", row->sense == NO_GOAL ? -1 : row->goal);
                buf_format(out, ",\"goal_is\":%s",
                           row->sense == NO_GOAL   ? "null"
                           : row->sense == AT_MOST ? "\"at most\""
                                                   : "\"at least\"");
                buf_format(out, ",\"ok\":%s", row->sense == NO_GOAL ? "null" : row_passes(row) ? "true" : "false");
        }
        buf_append(out, STR("}"));
}

void table_json(const struct bench *bench) {
        BUF_AUTO out, machine;

        buf_init(&out, OUTPUT_MAX);
        buf_init(&machine, OUTPUT_MAX);
        machine_text(&machine);
        buf_append(&out, STR("{\"machine\":"));
        buf_json(&out, buf_str(&machine));
        buf_append(&out, STR(",\"rows\":["));
        for (size_t i = 0; i < bench->count; i++) {
                if (i)
                        buf_char(&out, ',');
                json_row(&out, &bench->list[i]);
        }
        printf("%.*s]}\n", (int)out.len, out.ptr);
}

/* ---- Markdown ---- */

static void document_row(struct buf *out, const struct row *row) {
        char value[TEXT], p95[TEXT], goal[TEXT], cpu[TEXT], ours[TEXT], theirs[TEXT];

        if (row->skipped) {
                buf_format(out, "| %s | %s | - | - | - | skipped: %s | - | - | - |\n", row->what, row->against, row->note);
                return;
        }
        number(value, row->value, row->unit);
        number_or_none(p95, row->p95, row->unit);
        goal_text(goal, row);
        number_or_none(ours, row->median_us, "us");
        number_or_none(theirs, row->against_us, "us");
        number_or_none(cpu, row->cpu, "x");
        buf_format(out, "| %s%s%s%s | %s | **%s** | %s | %s | %s | %s | %s / %s | %zu |\n", row->what, row->note[0] ? " (" : "",
                   row->note, row->note[0] ? ")" : "", row->against[0] ? row->against : "-", value, p95, goal, verdict(row),
                   cpu, ours, theirs, row->n);
}

static void document_table(const struct bench *bench, struct buf *out) {
        machine_text(out);
        buf_append(out, STR(".\n\n| measure | compared with | median | p95 | goal | met | cpu | medians | n "
                            "|\n|---|---|---|---|---|---|---|---|---|\n"));
        for (size_t i = 0; i < bench->count; i++)
                document_row(out, &bench->list[i]);
}

int table_document(const struct bench *bench, const char *path) {
        const char *begin, *end;
        struct err err;
        BUF_AUTO before, after;
        FD_AUTO fd = open(path, O_RDWR | O_CLOEXEC);

        buf_init(&before, DOCUMENT_MAX);
        buf_init(&after, DOCUMENT_MAX);
        if (fd < 0 || fd_read_all(fd, &before, &err) < 0) {
                fprintf(stderr, "bench: %s: cannot be read\n", path);
                return -1;
        }
        buf_char(&before, '\0');
        begin = strstr(before.ptr, begin_mark);
        end = begin ? strstr(begin, end_mark) : NULL;
        if (!end) {
                fprintf(stderr, "bench: %s: no place for the table: it has no lines %s and %s", path, begin_mark, end_mark);
                return -1;
        }
        begin += strlen(begin_mark);
        buf_append(&after, str_from(before.ptr, (size_t)(begin - before.ptr)));
        document_table(bench, &after);
        buf_append(&after, str_z(end));
        if (after.failed || ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0 || fd_write_all(fd, buf_str(&after), &err) < 0) {
                fprintf(stderr, "bench: %s: cannot be written: %s\n", path, strerror(errno));
                return -1;
        }
        return 0;
}
