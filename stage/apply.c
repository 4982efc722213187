#include "stage/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "base/tree.h"
#include "stage/attributes.h"

#define COPY_FOR (600 * TIME_SECOND)

struct planner {
        const struct stage_plan *plan;
        struct arena *arena;
        struct stage_journal *out;
        struct err *err;
        const char *last_above; /* whose times were noted last */
};

static const struct stage_change *item(const struct planner *p, size_t i) {
        return &p->plan->changes->items[i];
}

/* ---- hard links ---- */

struct name {
        ino_t inode;
        size_t index;
};

static int compare_inodes(const void *a, const void *b) {
        const struct name *one = a, *other = b;

        return one->inode < other->inode ? -1 : one->inode > other->inode;
}

/* In the stage, as what it shares its content with stays there, where commands can write it. */
static int make_own(const struct planner *p, struct stage_change *change) {
        struct copy copy = { .bytes = UINT64_MAX, .entries = 1, .deadline = time_monotonic() + COPY_FOR };
        const char *name;
        FD_AUTO above = stage_open_above(p->plan->roots->upper, change->path, &name);
        char temporary[48];

        if (above < 0)
                return err_sys(p->err, "%s", change->path);
        snprintf(temporary, sizeof(temporary), ".bailey-own-%d-%lld", (int)getpid(), (long long)time_monotonic());
        if (copy_tree(above, name, above, temporary, &copy, p->err) < 0) {
                (void)unlinkat(above, temporary, 0);
                return err_context(p->err, "%s", change->path);
        }
        if (renameat(above, temporary, above, name) < 0 || fstatat(above, name, &change->after, AT_SYMLINK_NOFOLLOW) < 0)
                return err_sys(p->err, "%s", change->path);
        return 0;
}

/* All names of one file have to go, or none. */
static int settle_links(const struct planner *p) {
        struct stage_changes *changes = p->plan->changes;
        struct name *names = arena_alloc(p->arena, (changes->count + 1) * sizeof(*names));
        size_t count = 0;

        if (!names)
                return err_memory(p->err);
        for (size_t i = 0; i < changes->count; i++)
                if (p->plan->included[i] && changes->items[i].kind != STAGE_DELETED &&
                    S_ISREG(changes->items[i].after.st_mode) && changes->items[i].after.st_nlink > 1)
                        names[count++] = (struct name){ changes->items[i].after.st_ino, i };
        if (count)
                qsort(names, count, sizeof(*names), compare_inodes);
        for (size_t first = 0, next; first < count; first = next) {
                for (next = first; next < count && names[next].inode == names[first].inode;)
                        next++;
                if (changes->items[names[first].index].after.st_nlink == next - first)
                        continue;
                for (size_t i = first; i < next; i++)
                        if (make_own(p, &changes->items[names[i].index]) < 0)
                                return -1;
        }
        return 0;
}

/* ---- steps ---- */

static size_t length_above(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash ? (size_t)(slash - path) : 0;
}

/* Directories that both have get the time that they have in the stage; it is noted before anything is moved out of them. */
static int note_times(struct planner *p, const char *path) {
        struct stage_step step = { .kind = STEP_TIMES, .path = arena_dup(p->arena, str_take(str_z(path), length_above(path))) };
        struct stat after, before;
        FD_AUTO upper = -1, base = -1;

        if (!step.path)
                return err_memory(p->err);
        if (p->last_above && strcmp(p->last_above, step.path) == 0)
                return 0;
        p->last_above = step.path;
        upper = stage_open_beneath(p->plan->roots->upper, step.path, O_RDONLY | O_DIRECTORY);
        base = stage_open_beneath(p->plan->roots->base, step.path, O_RDONLY | O_DIRECTORY);
        if (upper < 0 || base < 0) /* it is deleted in part, or made */
                return 0;
        if (fstat(upper, &after) < 0 || fstat(base, &before) < 0)
                return err_sys(p->err, "%s", step.path);
        step.after_time = after.st_mtim;
        step.before_time = before.st_mtim;
        return stage_journal_add(p->out, &step, p->arena, p->err);
}

static int add(struct planner *p, enum stage_step_kind kind, size_t i) {
        const struct stage_change *change = item(p, i);
        const struct stage_step step = { .kind = kind,
                                         .path = change->path,
                                         .after = change->kind == STAGE_DELETED ? 0 : change->after.st_ino,
                                         .before = change->before.st_ino,
                                         .after_mode = change->after.st_mode & 07777,
                                         .before_mode = change->before.st_mode & 07777 };
        size_t last = i + change->part_count;

        if (kind == STEP_EXCHANGE || kind == STEP_DELETE)
                for (size_t k = i; k <= last; k++)
                        p->out->bytes += S_ISREG(item(p, k)->before.st_mode) ? (uint64_t)item(p, k)->before.st_size : 0;
        return stage_journal_add(p->out, &step, p->arena, p->err);
}

static size_t count_included(const struct planner *p, size_t i) {
        size_t count = 0;

        for (size_t k = i; k <= i + item(p, i)->part_count; k++)
                count += p->plan->included[k];
        return count;
}

/* Returns how many changes it has dealt with; 0: failed. */
static size_t add_change(struct planner *p, size_t i) {
        const struct stage_change *change = item(p, i);
        size_t all = change->part_count + 1, wanted = count_included(p, i);
        bool directory = S_ISDIR(change->kind == STAGE_DELETED ? change->before.st_mode : change->after.st_mode);

        if (!wanted)
                return all;
        if (change->replaced && wanted != all) {
                err_set(p->err, ERR_INVALID, "%s replaces another file or directory, and can only be applied as a whole",
                        change->path);
                return 0;
        }
        if (change->kind == STAGE_CHANGED && directory && !change->replaced)
                return add(p, STEP_MODE, i) < 0 ? 0 : 1;
        if (change->kind == STAGE_CHANGED)
                return add(p, STEP_EXCHANGE, i) < 0 ? 0 : all;
        if (change->kind == STAGE_DELETED)
                return wanted == all ? (add(p, STEP_DELETE, i) < 0 ? 0 : all) : 1;
        if (wanted == all)
                return add(p, STEP_MOVE, i) < 0 ? 0 : all;
        return add(p, STEP_DIRECTORY, i) < 0 ? 0 : 1;
}

static int add_all(struct planner *p) {
        for (size_t i = 0, done; i < p->plan->changes->count; i += done) {
                done = add_change(p, i);
                if (!done)
                        return -1;
        }
        return 0;
}

/* After all others, and of the directories that steps are done in. */
static int add_times(struct planner *p) {
        size_t count = p->out->count;

        for (size_t i = 0; i < count; i++)
                if (p->out->steps[i].kind != STEP_MODE && note_times(p, p->out->steps[i].path) < 0)
                        return -1;
        return 0;
}

int stage_plan(const struct stage_plan *plan, struct arena *arena, struct stage_journal *ret, struct err *err) {
        struct stage_journal journal = { .workspace = plan->stage->workspace,
                                         .stage = plan->stage->path,
                                         .name = plan->stage->name };
        struct planner p = { .plan = plan, .arena = arena, .out = &journal, .err = err };

        if (settle_links(&p) < 0 || add_all(&p) < 0 || add_times(&p) < 0)
                return -1;
        *ret = journal;
        return 0;
}
