/*
 * Stages, for the outside: the list of them, what they would change, and their end.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/config.h"
#include "engine/stage_request.h"
#include "stage/text_diff.h"

enum { TEXT_MAX = 8 << 20, HUNKS_MAX = 64 << 20, TEXTS_MEMORY = 1 << 30 };

/* ---- the list ---- */

static const char *time_text(struct arena *arena, int64_t realtime) {
        char text[TIME_TEXT_SIZE];

        time_format(realtime, text);
        return arena_dup(arena, str_z(text));
}

static int count(const struct stage *stage, struct arena *arena, struct bailey_stage *ret, struct err *err) {
        const struct stage_compare compare = { .stage = stage };
        struct arena_mark mark = arena_mark(arena);
        struct stage_changes changes;
        struct stage_roots roots;
        int result;

        if (stage_open_roots(stage, &roots, err) < 0)
                return -1;
        result = stage_changes_find(&compare, &roots, arena, &changes, err);
        stage_close_roots(&roots);
        arena_rewind(arena, mark);
        if (result < 0)
                return -1;
        ret->changed = changes.counts[STAGE_CHANGED];
        ret->added = changes.counts[STAGE_ADDED];
        ret->deleted = changes.counts[STAGE_DELETED];
        ret->bytes = changes.bytes;
        return 0;
}

static int put_stage(const struct stage *stage, struct arena *arena, struct bailey_stage *ret, struct err *err) {
        struct err why = {};
        int64_t begun = stage->begun.tv_sec * TIME_SECOND + stage->begun.tv_nsec;

        *ret = (struct bailey_stage){ .name = stage->name,
                                      .workspace = stage->workspace,
                                      .discarded = stage->discarded ? time_text(arena, stage->discarded * TIME_SECOND) : NULL,
                                      .problem = stage->problem };
        if (!ret->discarded && stage->discarded)
                return err_memory(err);
        if (stage->problem)
                return 0;
        ret->busy = stage_is_busy(stage);
        ret->begun = time_text(arena, begun);
        if (count(stage, arena, ret, &why) < 0)
                ret->problem = arena_dup(arena, str_z(why.msg));
        return ret->begun && (ret->problem || !why.code) ? 0 : err_memory(err);
}

static int list(const char *const *environment, struct arena *arena, struct bailey_stages *ret, struct err *err) {
        struct bailey_stage *items;
        struct stage_list stages;
        struct directory state;
        int result = 0;

        if (directory_need_state(environment, &state, err) < 0 || stage_list(state.path, arena, &stages, err) < 0)
                return -1;
        items = arena_alloc(arena, (stages.count + 1) * sizeof(*items));
        if (!items)
                result = err_memory(err);
        for (size_t i = 0; result == 0 && i < stages.count; i++)
                result = put_stage(&stages.items[i], arena, &items[i], err);
        if (result == 0)
                *ret = (struct bailey_stages){ .items = items, .count = stages.count, .memory = arena };
        stage_list_close(&stages);
        return result;
}

int bailey_stage_list(const char *const *environment, struct bailey_stages *ret, char *ret_error, size_t error_size) {
        struct err err = {};
        struct arena *arena = config_memory_new(&err);

        if (arena && list(environment, arena, ret, &err) == 0)
                return 0;
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_stages_free(struct bailey_stages *stages) {
        config_memory_free(stages->memory);
        *stages = (struct bailey_stages){};
}

/* ---- what is in one ---- */

static const char *type_of(mode_t mode) {
        return S_ISREG(mode) ? "file" : S_ISDIR(mode) ? "directory" : S_ISLNK(mode) ? "link" : "other";
}

/* Of a file, or of a link where it leads; nothing of others. False: it is too large, or cannot be read. */
static bool read_side(int root, const struct stage_change *change, const struct stat *status, struct buf *out) {
        const char *name;
        FD_AUTO above = stage_open_above(root, change->path, &name);
        FD_AUTO fd = -1;
        struct err ignored;

        if (!S_ISREG(status->st_mode) && !S_ISLNK(status->st_mode))
                return true;
        if (S_ISLNK(status->st_mode)) {
                char target[PATH_MAX];
                ssize_t len = above < 0 ? -1 : readlinkat(above, name, target, sizeof(target));

                buf_format(out, "link to %.*s\n", len < 0 ? 0 : (int)len, target);
                return len >= 0;
        }
        fd = above < 0 ? -1 : openat(above, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        return fd >= 0 && status->st_size <= TEXT_MAX && fd_read_all(fd, out, &ignored) == 0;
}

static int put_text(const struct stage_asked *asked, const struct stage_change *change, struct bailey_stage_change *ret,
                    struct buf *hunks, struct err *err) {
        struct text_diff diff;
        struct arena arena;
        int result;
        char *text;
        BUF_AUTO before;
        BUF_AUTO after;

        buf_init(&before, TEXT_MAX);
        buf_init(&after, TEXT_MAX);
        if (!read_side(asked->roots.base, change, &change->before, &before) ||
            !read_side(asked->roots.upper, change, &change->after, &after) || text_is_binary(buf_str(&before)) ||
            text_is_binary(buf_str(&after))) {
                ret->binary = true;
                return 0;
        }
        arena_init(&arena, TEXTS_MEMORY);
        buf_clear(hunks);
        result = text_diff(buf_str(&before), buf_str(&after), &arena, &diff, hunks, err);
        arena_free(&arena);
        if (result < 0)
                return -1;
        text = arena_dup(asked->arena, buf_str(hunks));
        ret->added_lines = diff.added;
        ret->removed_lines = diff.removed;
        ret->text = text;
        ret->text_length = hunks->len;
        return text ? 0 : err_memory(err);
}

void stage_put_change(const struct stage_change *change, struct bailey_stage_change *ret) {
        *ret = (struct bailey_stage_change){
                .path = change->path,
                .kind = (enum bailey_stage_kind)change->kind,
                .type = type_of(change->kind == STAGE_DELETED ? change->before.st_mode : change->after.st_mode),
                .before_bytes = S_ISREG(change->before.st_mode) ? (uint64_t)change->before.st_size : 0,
                .after_bytes = S_ISREG(change->after.st_mode) ? (uint64_t)change->after.st_size : 0,
                .same_content = change->same_content,
                .before_mode = change->before.st_mode & 07777,
                .after_mode = change->kind == STAGE_DELETED ? 0 : change->after.st_mode & 07777,
                .conflict = change->conflict,
                .protected_by = change->protected_by
        };
}

/* Deletions first: nobody must overlook them. */
static int put_changes(const struct stage_asked *asked, bool texts, struct bailey_stage_changes *ret, struct err *err) {
        const struct stage_changes *changes = &asked->changes;
        struct bailey_stage_change *items = arena_alloc(asked->arena, (changes->count + 1) * sizeof(*items));
        size_t count = 0;
        BUF_AUTO hunks;

        buf_init(&hunks, HUNKS_MAX);
        if (!items)
                return err_memory(err);
        for (int deleted = 1; deleted >= 0; deleted--)
                for (size_t i = 0; i < changes->count; i++) {
                        const struct stage_change *change = &changes->items[i];

                        if (!asked->chosen[i] || !stage_is_told(changes, i) || (change->kind == STAGE_DELETED) != deleted)
                                continue;
                        stage_put_change(change, &items[count]);
                        if (texts && change->kind != STAGE_DELETED && !change->same_content &&
                            put_text(asked, change, &items[count], &hunks, err) < 0)
                                return -1;
                        ret->deleted += change->kind == STAGE_DELETED;
                        ret->changed += change->kind == STAGE_CHANGED;
                        ret->added += change->kind == STAGE_ADDED;
                        count++;
                }
        ret->items = items;
        ret->count = count;
        ret->name = asked->stage.name;
        ret->workspace = asked->stage.workspace;
        ret->digest = arena_dup(asked->arena, str_z(changes->digest));
        return ret->digest ? 0 : err_memory(err);
}

int bailey_stage_diff(const struct bailey_stage_request *request, struct bailey_stage_changes *ret, char *ret_error,
                      size_t error_size) {
        struct err err = {};
        struct arena *arena = config_memory_new(&err);
        struct stage_asked asked = { .arena = arena, .stage.fd = -1, .roots = { -1, -1 } };
        struct bailey_stage_changes changes = { .memory = arena };
        int result = -1;

        if (arena && stage_ask(request, false, &asked, &err) == 0 && stage_look(request, &asked, &err) == 0)
                result = put_changes(&asked, request->texts, &changes, &err);
        stage_done(&asked);
        if (result == 0) {
                *ret = changes;
                return 0;
        }
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_stage_changes_free(struct bailey_stage_changes *changes) {
        config_memory_free(changes->memory);
        *changes = (struct bailey_stage_changes){};
}

/* ---- the end ---- */

/* 1: it is done, but not recorded. */
static int record_end(const struct bailey_stage_request *request, const char *verb, const struct stage_request *which) {
        char text[128];

        if (!request->policy)
                return 0;
        snprintf(text, sizeof(text), "%s %s", verb, which->name);
        return stage_record(request, which->workspace, text) ? 0 : 1;
}

int bailey_stage_discard(const struct bailey_stage_request *request, char *ret_error, size_t error_size) {
        struct err err = {};
        ARENA_AUTO arena;
        struct stage_asked asked = { .arena = &arena, .stage.fd = -1, .roots = { -1, -1 } };
        struct stage_request which;
        int result;

        arena_init(&arena, 0);
        result = stage_ask(request, true, &asked, &err) == 0 ? stage_discard(asked.state.path, &asked.stage, &err) : -1;
        if (result == 0) {
                which = (struct stage_request){ .name = asked.stage.name, .workspace = asked.stage.workspace };
                result = record_end(request, "discard stage", &which);
        }
        stage_done(&asked);
        return result < 0 ? config_hand_error(&err, ret_error, error_size) : result;
}

int bailey_stage_take_back(const struct bailey_stage_request *request, char *ret_error, size_t error_size) {
        struct err err = {};
        ARENA_AUTO arena;
        struct stage_asked asked = { .arena = &arena };
        struct stage_request which;

        arena_init(&arena, 0);
        return stage_find(request, &asked, &which, &err) == 0 && stage_take_back(&which, &err) == 0
                       ? record_end(request, "take back stage", &which)
                       : config_hand_error(&err, ret_error, error_size);
}
