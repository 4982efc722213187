/*
 * `bailey aside` and `bailey restore`: what was found at protected places, and what becomes of it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bailey.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/log.h"
#include "cli/command.h"

enum { ANSWER_MAX = 64 << 20, SHOWN_BYTES = 16 << 10, SHOWN_ENTRIES = 200, PATH_WIDTH = 60 };
enum { OPTION_FORCE, OPTION_JSON };

#define ROW_FORCE(of) \
        { "force", 'f', NULL, "first set aside the file that is now at the original path", of }

static const struct option_row aside_options[] = {
        [OPTION_FORCE] = ROW_FORCE("restore"),
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON", "list show" },
        OPTION_ROW_HELP,
        {},
};

static const struct option_row restore_options[] = {
        [OPTION_FORCE] = ROW_FORCE(NULL),
        OPTION_ROW_HELP,
        {},
};

static const char *const *here(void) {
        return (const char *const *)environ;
}

static enum exit_status failed(const char *error) {
        log_line("aside: %s", error);
        return EXIT_PROBLEM;
}

static enum exit_status write_out(const struct buf *out) {
        if (out->failed)
                return failed("out of memory");
        fwrite(out->ptr, 1, out->len, stdout);
        return EXIT_DONE;
}

/* ---- list ---- */

static void put_json(struct buf *out, const struct bailey_aside *aside) {
        const struct {
                const char *key, *value;
        } fields[] = {
                { "id", aside->id },   { "time", aside->time }, { "kind", aside->kind },   { "path", aside->path },
                { "why", aside->why }, { "note", aside->note }, { "where", aside->where }, { "workspace", aside->workspace },
        };

        for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
                buf_format(out, "%s\"%s\": ", i ? ", " : "{", fields[i].key);
                if (fields[i].value)
                        buf_json(out, str_z(fields[i].value));
                else
                        buf_append(out, STR("null"));
        }
        buf_char(out, '}');
}

static void put_column(struct buf *out, const char *text, size_t width) {
        size_t start = out->len;

        buf_visible(out, str_z(text[0] ? text : "-"));
        do
                buf_char(out, ' ');
        while (!out->failed && out->len < start + width);
}

static void put_line(struct buf *out, const struct bailey_aside *aside, size_t width) {
        put_column(out, aside->id, 10);
        put_column(out, aside->time, 26);
        put_column(out, aside->kind, 11);
        put_column(out, aside->path, width + 2);
        buf_visible(out, str_z(aside->where ? aside->why : "content missing from the store"));
        buf_char(out, '\n');
}

static void put_list(struct buf *out, const struct bailey_aside_items *found, bool json) {
        size_t width = 4;

        for (size_t i = 0; i < found->count; i++) {
                size_t len = strlen(found->items[i].path);

                width = len > width && len <= PATH_WIDTH ? len : width;
        }
        buf_append(out, json ? STR("[") : found->count ? STR("") : STR("Nothing is set aside.\n"));
        for (size_t i = 0; i < found->count; i++) {
                if (json) {
                        buf_append(out, i ? STR(",\n ") : STR(""));
                        put_json(out, &found->items[i]);
                } else {
                        put_line(out, &found->items[i], width);
                }
        }
        buf_append(out, json ? STR("]\n") : STR(""));
}

static enum exit_status aside_list(const struct options *options) {
        struct bailey_aside_items found;
        enum exit_status status;
        char error[512];
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        if (bailey_aside_list(here(), &found, error, sizeof(error)) < 0)
                return failed(error);
        put_list(&out, &found, options->values[OPTION_JSON]);
        status = write_out(&out);
        bailey_aside_items_free(&found);
        return status;
}

/* ---- show ---- */

/* The one whose ID begins like that; NULL, which has been said, when there is none, or more than one. */
static const struct bailey_aside *find(const struct bailey_aside_items *found, const char *id) {
        const struct bailey_aside *one = NULL;

        for (size_t i = 0; i < found->count && id[0]; i++) {
                if (strncmp(found->items[i].id, id, strlen(id)) != 0)
                        continue;
                if (one) {
                        log_line("aside: ID '%s' is ambiguous; see 'bailey aside list'", id);
                        return NULL;
                }
                one = &found->items[i];
        }
        if (!one)
                log_line("aside: nothing is set aside with the ID '%.64s'; see 'bailey aside list'", id);
        return one;
}

static void put_fact(struct buf *out, const char *name, const char *value) {
        if (!value[0])
                return;
        buf_format(out, "%-10s ", name);
        buf_visible(out, str_z(value));
        buf_char(out, '\n');
}

static void put_text(struct buf *out, struct str text) {
        while (text.len) {
                size_t end = str_find(text, '\n');

                buf_append(out, STR("    "));
                buf_visible(out, str_take(text, end));
                buf_char(out, '\n');
                text = str_skip(text, end + 1);
        }
}

static void put_file(struct buf *out, const char *path) {
        FD_AUTO fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        struct stat status;
        struct err err;
        BUF_AUTO text;

        buf_init(&text, SHOWN_BYTES);
        if (fd < 0 || fstat(fd, &status) < 0) {
                buf_format(out, "cannot read it: %s\n", strerror(errno));
                return;
        }
        buf_format(out, "%-10s %lld\n", "bytes", (long long)status.st_size);
        if (!S_ISREG(status.st_mode) || fd_read_all(fd, &text, &err) < 0 || memchr(text.ptr ? text.ptr : "", '\0', text.len))
                buf_append(out, STR("Content not shown: too large, or not text.\n"));
        else if (text.len) {
                buf_char(out, '\n');
                put_text(out, buf_str(&text));
        }
}

static void put_directory(struct buf *out, const char *path) {
        struct dirent **names;
        int count = scandir(path, &names, NULL, alphasort), shown = 0;

        if (count < 0) {
                buf_format(out, "cannot read it: %s\n", strerror(errno));
                return;
        }
        buf_format(out, "%-10s %d\n\n", "entries", count - 2);
        for (int i = 0; i < count; i++) {
                const char *name = names[i]->d_name;

                if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && shown++ < SHOWN_ENTRIES) {
                        buf_append(out, STR("    "));
                        buf_visible(out, str_z(name));
                        buf_append(out, names[i]->d_type == DT_DIR ? STR("/\n") : STR("\n"));
                }
                free(names[i]);
        }
        free(names);
        if (shown > SHOWN_ENTRIES)
                buf_format(out, "    and %d more\n", shown - SHOWN_ENTRIES);
}

static void put_link(struct buf *out, const char *path) {
        char text[PATH_MAX];
        ssize_t len = readlink(path, text, sizeof(text) - 1);

        if (len < 0)
                return;
        text[len] = '\0';
        put_fact(out, "target", text);
}

static void put_content(struct buf *out, const struct bailey_aside *aside) {
        if (!aside->where)
                buf_append(out, STR("Its content is missing from the store.\n"));
        else if (strcmp(aside->kind, "directory") == 0)
                put_directory(out, aside->where);
        else if (strcmp(aside->kind, "link") == 0)
                put_link(out, aside->where);
        else
                put_file(out, aside->where);
}

static void put_facts(struct buf *out, const struct bailey_aside *aside) {
        put_fact(out, "id", aside->id);
        put_fact(out, "path", aside->path);
        put_fact(out, "kind", aside->kind);
        put_fact(out, "why", aside->why);
        put_fact(out, "time", aside->time);
        put_fact(out, "workspace", aside->workspace);
        put_fact(out, "stored at", aside->where ? aside->where : "");
        put_fact(out, "note", aside->note);
        put_content(out, aside);
}

static enum exit_status aside_show(const struct options *options) {
        enum exit_status status = EXIT_PROBLEM;
        const struct bailey_aside *aside;
        struct bailey_aside_items found;
        char error[512];
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        if (bailey_aside_list(here(), &found, error, sizeof(error)) < 0)
                return failed(error);
        aside = find(&found, options->operands[0]);
        if (aside) {
                (options->values[OPTION_JSON] ? put_json : put_facts)(&out, aside);
                if (options->values[OPTION_JSON])
                        buf_char(&out, '\n');
                status = write_out(&out);
        }
        bailey_aside_items_free(&found);
        return status;
}

/* ---- restore, drop ---- */

static void say(const char *verb, const struct bailey_aside *aside) {
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        buf_format(&out, "%s ", verb);
        buf_visible(&out, str_z(aside->path[0] ? aside->path : aside->id));
        buf_char(&out, '\n');
        write_out(&out);
}

static enum exit_status aside_restore(const struct options *options) {
        POLICY_AUTO policy = policy_from_options(NULL, NULL, NULL, NULL);
        struct bailey_aside_done done;
        char error[512];

        if (bailey_aside_restore(policy, here(), options->operands[0], options->values[OPTION_FORCE] != NULL, &done, error,
                                 sizeof(error)) < 0)
                return failed(error);
        say("restored", &done.aside);
        if (done.replaced)
                printf("the file that was there is set aside as %s\n", done.replaced);
        if (done.running)
                printf("a command is still running in this workspace; the file may be set aside again when it ends\n");
        if (policy && !done.recorded)
                log_line("aside: cannot write this to the audit log");
        bailey_aside_done_free(&done);
        return EXIT_DONE;
}

static enum exit_status aside_drop(const struct options *options) {
        POLICY_AUTO policy = policy_from_options(NULL, NULL, NULL, NULL);
        struct bailey_aside_done done;
        char error[512];

        if (bailey_aside_drop(policy, here(), options->operands[0], &done, error, sizeof(error)) < 0)
                return failed(error);
        say("dropped", &done.aside);
        if (policy && !done.recorded)
                log_line("aside: cannot write this to the audit log");
        bailey_aside_done_free(&done);
        return EXIT_DONE;
}

/* ---- the rows ---- */

static const struct cli_subcommand subcommands[] = {
        { "list", "", "list what is set aside, newest first", aside_list },
        { "show", "ASIDE_ID", "show one item and its content", aside_show },
        { "restore", "ASIDE_ID", "restore an item to its original path", aside_restore },
        { "drop", "ASIDE_ID", "delete an item permanently", aside_drop },
        {},
};

static const struct help_row examples[] = {
        { "bailey aside", "list what is set aside" },
        { "bailey aside show 1a2b", "show one item; a unique prefix of its ID is enough" },
        { "bailey restore 1a2b", "restore a file" },
        {},
};

const struct cli_command cli_aside = {
        .name = "aside",
        .summary = "list, restore or delete files found at protected paths",
        .details =
                "If a command creates a file that a program on the host would run later (a git hook, .envrc, settings of an\n"
                "editor), the file is not deleted but set aside: moved out of the workspace until you restore or drop it.\n",
        .options = aside_options,
        .subcommands = subcommands,
        .by_default = "list",
        .examples = examples,
};

static const struct help_row restore_examples[] = {
        { "bailey restore 1a2b3c4d", "restore the item with this ID" },
        {},
};

const struct cli_command cli_restore = {
        .name = "restore",
        .operands = "ASIDE_ID",
        .summary = "restore a file that was set aside",
        .details = "The same as bailey aside restore. Creates missing directories; does not follow symbolic links.\n",
        .options = restore_options,
        .examples = restore_examples,
        .run = aside_restore,
};
