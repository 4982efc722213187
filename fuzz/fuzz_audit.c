/*
 * Any bytes may stand in the file: a reader reads or passes over them, verify names what is wrong or nothing, the next
 * writer writes behind them or refuses; and what it wrote is whole.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/print.h"
#include "audit/verify.h"
#include "base/fd.h"
#include "format/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];

static void remove_files(void) {
        char command[96];

        snprintf(command, sizeof(command), "rm -rf %.*s", (int)(strrchr(path, '/') - path), path);
        if (system(command) != 0) /* NOLINT(cert-env33-c): the path is our own */
                perror(command);
}

static void make_place(void) {
        char memory[] = "/dev/shm/fuzz_audit.XXXXXX", disk[] = "/tmp/fuzz_audit.XXXXXX";
        const char *directory;

        if (path[0])
                return;
        directory = mkdtemp(memory);
        if (!directory)
                directory = mkdtemp(disk);
        if (!directory)
                abort();
        snprintf(path, sizeof(path), "%s/a", directory);
        atexit(remove_files);
}

static void put(const char *name, struct str bytes) {
        FD_AUTO fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        if (fd < 0 || fd_write_all(fd, bytes, NULL) < 0)
                abort();
}

static struct audit_check check_all(void) {
        struct audit_check check;
        struct audit_reader reader;

        if (audit_reader_open(path, &reader, NULL) < 0 || audit_verify(&reader, 0, &check, NULL) < 0)
                abort();
        if (check.problem && !check.line)
                abort();
        audit_reader_close(&reader);
        return check;
}

static void check_plain(const struct buf *out) {
        for (size_t i = 0; i < out->len; i++)
                if (((unsigned char)out->ptr[i] < ' ' && out->ptr[i] != '\n') || out->ptr[i] == 0x7f)
                        abort();
}

/* As the library hands them out. */
static void show(struct audit_stats *stats, struct buf *out) {
        static struct bailey_audit_count items[COUNTERS_MAX];
        const struct bailey_audit_stats shown = { stats->commands, stats->first, stats->last, items, stats->count, NULL };

        audit_stats_sort(stats);
        for (size_t i = 0; i < stats->count; i++) {
                const struct audit_counter *counter = &stats->counters[i];

                items[i] =
                        (struct bailey_audit_count){ (enum bailey_audit_group)counter->group, counter->name, counter->count };
        }
        format_audit_stats_text(&shown, out);
        check_plain(out);
        format_audit_stats_json(&shown, out);
}

static void read_all(void) {
        const struct audit_query query = { .rule = "r" };
        struct audit_stats *stats = audit_stats_new();
        struct audit_reader reader;
        struct str line;
        ARENA_AUTO arena;
        BUF_AUTO out;
        int kind;

        arena_init(&arena, 0);
        buf_init(&out, 64 << 20);
        if (!stats || audit_reader_open(path, &reader, NULL) < 0)
                abort();
        while ((kind = audit_reader_next(&reader, &line, NULL)) > 0) {
                const struct tree_node *record = kind == LINE_WHOLE ? audit_parse(line, &arena) : NULL;

                if (!record)
                        continue;
                audit_matches(&query, record);
                audit_print_line(record, &out);
                audit_print_details(record, &out);
                audit_print_csv(record, &out);
                audit_stats_add(stats, record);
                arena_reset(&arena);
        }
        if (kind < 0)
                abort();
        show(stats, &out);
        audit_stats_free(stats);
        audit_reader_close(&reader);
}

static void write_one(bool was_whole) {
        struct audit_file file;
        BUF_AUTO line;

        buf_init(&line, CHAIN_LINE_MAX);
        audit_file_init(&file, path, 64 << 10, 1);
        if (audit_file_append(&file, STR("\"v\":1,\"kind\":\"tested\",\"id\":\"x\""), &line, NULL) == 0) {
                struct audit_check check = check_all();

                if (was_whole && (check.problem || check.torn))
                        abort();
        }
        audit_file_close(&file);
}

/* A byte says where the older file ends and the newest begins, in 256 parts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct str all = str_from((const char *)data + 1, size ? size - 1 : 0);
        struct audit_check check;
        size_t older;
        char name[80];

        if (size < 2)
                return 0;
        make_place();
        older = data[0] * all.len / 256;
        snprintf(name, sizeof(name), "%s.1", path);
        unlink(name);
        if (older)
                put(name, str_take(all, older));
        put(path, str_skip(all, older));
        read_all();
        check = check_all();
        write_one(!check.problem);
        return 0;
}
