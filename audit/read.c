#include "audit/read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

enum { OPEN_TRIES = 64 };

#define AGAIN_PATIENCE (TIME_SECOND / 5) /* there is a next time */

/* ---- opening ---- */

/* 1: open, 0: there is no such file. */
static int source_open(const char *path, int number, struct audit_source *ret, struct err *err) {
        struct rotated_path name = rotated_path(path, number);
        FD_AUTO fd = open(name.text, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        struct stat status;

        if (fd < 0 && errno == ENOENT)
                return 0;
        if (fd < 0 || fstat(fd, &status) < 0)
                return err_sys(err, "%s", name.text);
        if (!S_ISREG(status.st_mode))
                return err_set(err, ERR_REFUSED, "%s: not a regular file", name.text);
        *ret = (struct audit_source){
                .number = number, .size = (uint64_t)status.st_size, .device = status.st_dev, .inode = status.st_ino
        };
        ret->fd = TAKE_FD(fd);
        return 1;
}

static bool leads_to(const char *path, const struct audit_source *source) {
        struct stat status;

        return stat(path, &status) == 0 && status.st_dev == source->device && status.st_ino == source->inode;
}

/* The newest file, locked, so that nobody writes or rotates while the others are opened. */
static int newest_open(const char *path, int64_t patience, struct audit_source *ret, struct err *err) {
        int64_t until = time_monotonic() + patience;

        for (int i = 0; i < OPEN_TRIES; i++) {
                struct audit_source source;
                struct stat status;
                int found = source_open(path, 0, &source, err);

                if (found <= 0)
                        return found;
                if (audit_lock(source.fd, LOCK_SH, path, until, err) < 0) {
                        fd_close(source.fd);
                        return -1;
                }
                if (leads_to(path, &source) && fstat(source.fd, &status) == 0) {
                        source.size = (uint64_t)status.st_size;
                        *ret = source;
                        return 1;
                }
                fd_close(source.fd);
        }
        return err_set(err, ERR_SYSTEM, "%s: it is replaced again and again", path);
}

/* The N of a name that is `base`.N; 0: it is another one. */
static int rotated_number(const char *name, const char *base) {
        size_t len = strlen(base);
        const char *digits = name + len + 1;
        int number = 0;

        if (strncmp(name, base, len) != 0 || name[len] != '.' || *digits < '1' || strlen(digits) > 4)
                return 0;
        for (; *digits; digits++) {
                if (!is_ascii_digit((unsigned char)*digits))
                        return 0;
                number = number * 10 + (*digits - '0');
        }
        return number <= AUDIT_ROTATED_MAX ? number : 0;
}

static int compare_numbers(const void *a, const void *b) {
        return *(const int *)b - *(const int *)a;
}

size_t audit_rotated_list(const char *path, int ret_numbers[static AUDIT_ROTATED_MAX]) {
        const char *slash = strrchr(path, '/');
        struct rotated_path directory = rotated_path(path, 0);
        struct dirent *entry;
        size_t count = 0;
        DIR *entries;

        if (!slash)
                return 0;
        directory.text[slash > path ? slash - path : 1] = 0;
        entries = opendir(directory.text);
        while (entries && count < AUDIT_ROTATED_MAX && (entry = readdir(entries))) {
                ret_numbers[count] = rotated_number(entry->d_name, slash + 1);
                count += ret_numbers[count] != 0;
        }
        if (entries)
                closedir(entries);
        qsort(ret_numbers, count, sizeof(*ret_numbers), compare_numbers);
        return count;
}

static int older_open(struct audit_reader *reader, struct err *err) {
        int numbers[AUDIT_ROTATED_MAX];
        size_t count = audit_rotated_list(reader->path, numbers);

        for (size_t i = 0; i < count; i++) {
                int there = source_open(reader->path, numbers[i], &reader->sources[reader->count], err);

                if (there < 0)
                        return -1;
                reader->count += (size_t)there;
        }
        return 0;
}

static void sources_close(struct audit_reader *reader) {
        for (size_t i = 0; reader->sources && i < reader->count; i++)
                fd_close(reader->sources[i].fd);
        reader->count = 0;
}

/*
 * The older files where there is no newest one, and so no lock: it has just been renamed, and nobody has made the next one
 * yet. They are those of one moment if nobody has by now. 0: somebody has.
 */
static int older_open_unlocked(struct audit_reader *reader, struct err *err) {
        struct rotated_path first_path = rotated_path(reader->path, 1);
        struct audit_source first = { .fd = -1 }; /* kept open, so that no other file gets its number */
        int there = source_open(reader->path, 1, &first, err);
        int result = there < 0 ? -1 : older_open(reader, err);
        bool same = there ? leads_to(first_path.text, &first) : access(first_path.text, F_OK) < 0;

        fd_close(first.fd);
        if (result < 0)
                return -1;
        return same && access(reader->path, F_OK) < 0;
}

static int sources_open(struct audit_reader *reader, int64_t patience, struct err *err) {
        for (int i = 0; i < OPEN_TRIES; i++) {
                struct audit_source newest;
                int found = newest_open(reader->path, patience, &newest, err), result;

                if (found < 0)
                        return -1;
                if (found) {
                        result = older_open(reader, err);
                        flock(newest.fd, LOCK_UN);
                        reader->sources[reader->count++] = newest;
                        return result;
                }
                result = older_open_unlocked(reader, err);
                if (result)
                        return result < 0 ? -1 : 0;
                sources_close(reader);
        }
        return err_set(err, ERR_SYSTEM, "%s: it is replaced again and again", reader->path);
}

static void read_source(struct audit_reader *reader) {
        const struct audit_source *source = &reader->sources[reader->index];

        reader->lines = (struct lines){
                .fd = source->fd,
                .memory = reader->lines.memory,
                .size = CHAIN_LINE_MAX,
                .limit = source->size,
        };
}

int audit_reader_open(const char *path, struct audit_reader *ret, struct err *err) {
        struct audit_reader reader = {};

        snprintf(reader.path, sizeof(reader.path), "%s", path);
        reader.lines.memory = malloc(CHAIN_LINE_MAX);
        reader.sources = calloc(AUDIT_ROTATED_MAX + 1, sizeof(*reader.sources));
        if (!reader.lines.memory || !reader.sources) {
                audit_reader_close(&reader);
                return err_memory(err);
        }
        if (sources_open(&reader, AUDIT_PATIENCE, err) < 0) {
                audit_reader_close(&reader);
                return -1;
        }
        if (reader.count)
                read_source(&reader);
        *ret = reader;
        return 0;
}

static void sources_free(struct audit_reader *reader) {
        sources_close(reader);
        free(reader->sources);
}

void audit_reader_close(struct audit_reader *reader) {
        sources_free(reader);
        free(reader->lines.memory);
        *reader = (struct audit_reader){};
}

/* ---- lines ---- */

bool audit_reader_advance(struct audit_reader *reader) {
        if (reader->index + 1 >= reader->count)
                return false;
        reader->index++;
        read_source(reader);
        return true;
}

int audit_reader_next(struct audit_reader *reader, struct str *ret_line, struct err *err) {
        while (reader->count) {
                int kind = lines_next(&reader->lines, ret_line, err);

                if (kind < 0)
                        return err_context(err, "%s", rotated_path(reader->path, reader->sources[reader->index].number).text);
                if (kind != LINE_END || !audit_reader_advance(reader))
                        return kind;
        }
        return LINE_END;
}

/* The files as they are now, from the one that was the newest on, and from where it was read to. Others may have been the
 * newest since, each for a while. Where it is not among them any more, it was read to its end, or all of them are new. */
static void sources_replace(struct audit_reader *reader, struct audit_reader *now) {
        const struct audit_source *last = reader->count ? &reader->sources[reader->count - 1] : NULL;
        size_t at = 0;
        bool found;

        while (last && at < now->count && (now->sources[at].device != last->device || now->sources[at].inode != last->inode))
                at++;
        found = last && at < now->count;
        sources_free(reader);
        reader->sources = now->sources;
        reader->count = now->count;
        reader->index = found ? at : 0;
        if (found) {
                reader->lines.fd = now->sources[at].fd;
                reader->lines.limit = now->sources[at].size;
        } else if (now->count) {
                read_source(reader);
        }
}

/* 1: it has. */
static int has_grown(struct audit_reader *reader, const struct audit_source *source, struct err *err) {
        struct stat status;

        if (fstat(source->fd, &status) < 0)
                return err_sys(err, "%s", reader->path);
        if ((uint64_t)status.st_size <= reader->lines.limit)
                return 0;
        reader->lines.limit = (uint64_t)status.st_size;
        return 1;
}

int audit_reader_again(struct audit_reader *reader, struct err *err) {
        const struct audit_source *last = reader->count ? &reader->sources[reader->count - 1] : NULL;
        struct audit_reader now = {};
        struct err why = {};
        int result;

        if (!reader->sources) /* closed */
                return 0;
        result = last ? has_grown(reader, last, err) : 0;
        if (result || (last && leads_to(reader->path, last)))
                return result < 0 ? -1 : 0;
        memcpy(now.path, reader->path, sizeof(now.path));
        now.sources = calloc(AUDIT_ROTATED_MAX + 1, sizeof(*now.sources));
        if (!now.sources)
                return err_memory(err);
        result = sources_open(&now, AGAIN_PATIENCE, &why);
        if (result < 0 && err)
                *err = why;
        /* Nobody writes to it any more, but may have, between the look at its size and the one at its name. */
        if (result == 0 && last)
                result = has_grown(reader, last, err);
        if (result == 0)
                sources_replace(reader, &now);
        else
                sources_free(&now);
        return result < 0 && why.sys != EWOULDBLOCK ? -1 : 0; /* a busy one is asked again later */
}
