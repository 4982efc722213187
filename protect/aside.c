#include "protect/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/lock.h"
#include "base/time.h"
#include "base/tree.h"
#include "policy/files.h"
#include "protect/about.h"

enum { COPY_BYTES = 256 << 20, COPY_ENTRIES = 100000, NEW_ID_TRIES = 100 };
#define COPY_TIME (2 * TIME_SECOND) /* the end of a command waits for it */
#define REMOVE_TIME (60 * TIME_SECOND)
#define PATIENCE (2 * TIME_SECOND)

static const char item_name[] = "item", partial_name[] = "partial", renamed_name[] = "renamed";

/* 1: there is such a name; 0: there is none. */
static int look(int dir, const char *name, struct stat *ret, struct err *err) {
        if (fstatat(dir, name, ret, AT_SYMLINK_NOFOLLOW) == 0)
                return 1;
        return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(err, "cannot look at %s", name);
}

static mode_t mode_of_left(const char *kind) {
        return strcmp(kind, "directory") == 0 ? 0 : 0400;
}

/* ---- the store ---- */

static void entry_close(struct entry *entry) {
        fd_close(entry->fd);
        fd_close(entry->store);
}
#define ENTRY_AUTO __attribute__((cleanup(entry_close))) struct entry

static int store_open(const char *state_dir, bool make, int *ret_fd, struct err *err) {
        char path[PATH_MAX];

        if ((size_t)snprintf(path, sizeof(path), "%s/aside", state_dir) >= sizeof(path))
                return err_set(err, ERR_INVALID, "the path of the state directory is too long: %s", state_dir);
        return make ? directory_make(path, ret_fd, err) : directory_open(path, ret_fd, err);
}

static int entry_new(struct entry *entry, struct err *err) {
        char id[ID_SIZE];
        struct stat status;

        for (int tries = 0; tries < NEW_ID_TRIES; tries++) {
                if (id_new(id, err) < 0)
                        return -1;
                snprintf(entry->id, sizeof(entry->id), "%.8s", id);
                if (mkdirat(entry->store, entry->id, 0700) < 0 && errno == EEXIST)
                        continue;
                entry->fd = openat(entry->store, entry->id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (entry->fd < 0 && errno != ENOENT)
                        return err_sys(err, "cannot make a directory in the store");
                if (entry->fd >= 0 && flock(entry->fd, LOCK_EX | LOCK_NB) == 0 && fstat(entry->fd, &status) == 0 &&
                    status.st_nlink > 0)
                        return 0; /* and not one that another process has found empty, and removed */
                fd_close(TAKE_FD(entry->fd));
        }
        return err_set(err, ERR_SYSTEM, "no ID is free in the store");
}

enum place { PLACE_GONE, PLACE_ITEM, PLACE_LEFT };

/* `ret_parent` is open for PLACE_LEFT only. */
static int locate(const struct entry *entry, enum place *ret, int *ret_parent, struct err *err) {
        struct err why = { 0 };
        FD_AUTO parent = -1;
        struct stat status;
        int got = look(entry->fd, item_name, &status, err);

        *ret_parent = -1;
        *ret = got > 0 ? PLACE_ITEM : PLACE_GONE;
        if (got != 0 || !entry->aside.path[0])
                return got < 0 ? -1 : 0;
        if (about_open_parent(entry, false, &parent, &why) < 0)
                return why.sys == ENOENT || why.sys == ENOTDIR ? 0 : err_set(err, why.code, "%s", why.msg);
        got = look(parent, entry->left, &status, err);
        if (got > 0) {
                *ret = PLACE_LEFT;
                *ret_parent = TAKE_FD(parent);
        }
        return got < 0 ? -1 : 0;
}

/* When this fails, it is still known to be moving, and the next look at the store finds out where it is. */
static void entry_kept(struct entry *entry) {
        about_mark(entry, false, NULL);
}

/* Both are there only while a copy is made or removed: the one in the store is whole. */
static int remove_left(const struct entry *entry) {
        FD_AUTO parent = -1;
        struct err why = { 0 };

        if (about_open_parent(entry, false, &parent, &why) < 0)
                return why.sys == ENOENT || why.sys == ENOTDIR ? 0 : -1;
        return move_remove(parent, entry->left, REMOVE_TIME, NULL);
}

/* A mount over it goes with it, unnoticed by the bailey process whose command it protects. When a name is
 * removed, the kernel takes away what is mounted there, and tells (launch/cover.h). Directories have no second name. */
static void drop_mounts(const struct entry *entry) {
        if (linkat(entry->fd, item_name, entry->fd, renamed_name, 0) == 0 && unlinkat(entry->fd, item_name, 0) == 0)
                move_rename(entry->fd, renamed_name, entry->fd, item_name);
}

/* The same, when a bailey was killed at it. */
static void end_drop_mounts(const struct entry *entry) {
        if (move_rename(entry->fd, renamed_name, entry->fd, item_name) < 0 && errno == EEXIST)
                unlinkat(entry->fd, renamed_name, 0);
}

/* Finishes what a bailey that was killed has begun, if that can be done now. True when nothing had moved yet, or all is back at
 * its place, and the entry is gone. */
static bool repair(struct entry *entry) {
        FD_AUTO parent = -1;
        enum place place;

        if (!entry->moving)
                return false;
        end_drop_mounts(entry);
        if (locate(entry, &place, &parent, NULL) < 0)
                return false;
        if (place == PLACE_GONE)
                return move_remove(entry->store, entry->id, REMOVE_TIME, NULL) == 0;
        if (place == PLACE_LEFT) {
                move_remove(entry->fd, partial_name, REMOVE_TIME, NULL);
                move_set_mode(parent, entry->left, mode_of_left(entry->aside.kind));
                entry->aside.note = "it was not copied, as bailey was killed";
                about_write(entry, NULL);
                entry_kept(entry);
        } else if (remove_left(entry) == 0) {
                entry_kept(entry);
        }
        return false;
}

/* ---- adding ---- */

static const char *kind_of(mode_t mode) {
        return S_ISREG(mode) ? "file" : S_ISDIR(mode) ? "directory" : S_ISLNK(mode) ? "link" : "other";
}

/* From its place on another file system, where it is under another name already. What takes too long to remove then, the next
 * look at the store goes on with. */
static void copy_in(struct entry *entry, int dir) {
        struct copy copy = { .bytes = COPY_BYTES, .entries = COPY_ENTRIES, .deadline = time_monotonic() + COPY_TIME };
        struct err why = { 0 };
        char note[sizeof(why.msg) + 32] = "";
        bool copied = copy_tree(dir, entry->left, entry->fd, partial_name, &copy, &why) == 0;

        if (!copied)
                snprintf(note, sizeof(note), "it was not copied: %s", why.msg);
        else if (copy.skipped)
                snprintf(note, sizeof(note), "%u sockets or devices in it were not kept", copy.skipped);
        entry->aside.note = note;
        if (note[0])
                about_write(entry, NULL);
        entry->aside.note = "";
        if (copied && renameat(entry->fd, partial_name, entry->fd, item_name) == 0) {
                if (move_remove(dir, entry->left, COPY_TIME, NULL) == 0)
                        entry_kept(entry);
                return;
        }
        move_remove(entry->fd, partial_name, COPY_TIME, NULL);
        move_set_mode(dir, entry->left, mode_of_left(entry->aside.kind));
        entry_kept(entry);
}

static int move_in(struct entry *entry, int dir, const char *name, struct err *err) {
        if (about_write(entry, err) < 0)
                return -1;
        if (move_new(dir, name, entry->fd, item_name) == 0) {
                drop_mounts(entry);
                entry_kept(entry);
                return 0;
        }
        if (errno != EXDEV || move_new(dir, name, dir, entry->left) < 0)
                return err_sys(err, "cannot move it");
        copy_in(entry, dir);
        return 0;
}

int aside_add(const char *state_dir, int dir, const char *dir_path, const char *name, const char *workspace, const char *why,
              char ret_id[static ASIDE_ID_SIZE], struct err *err) {
        ENTRY_AUTO entry = { .store = -1, .fd = -1 };
        char path[PATH_MAX];
        struct stat status;
        int got = look(dir, name, &status, err);

        if (got <= 0)
                return got < 0 ? -1 : err_set(err, ERR_NOT_FOUND, "there is no %s in %s", name, dir_path);
        if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir_path[1] ? dir_path : "", name) >= sizeof(path))
                return err_set(err, ERR_INVALID, "the path of %s is too long", name);
        if (store_open(state_dir, true, &entry.store, err) < 0 || entry_new(&entry, err) < 0)
                return err_context(err, "cannot set %s aside", path);
        about_set(&entry,
                  (struct aside){ .path = path,
                                  .workspace = workspace,
                                  .why = why,
                                  .kind = kind_of(status.st_mode),
                                  .note = "",
                                  .at = time_realtime() },
                  status.st_mode & 07777, true);
        if (move_in(&entry, dir, name, err) < 0) {
                move_remove(entry.store, entry.id, REMOVE_TIME, NULL); /* it has not moved */
                return err_context(err, "cannot set %s aside", path);
        }
        memcpy(ret_id, entry.id, ASIDE_ID_SIZE);
        return 0;
}

/* ---- finding ---- */

static bool is_id(const char *name) {
        return strlen(name) == ASIDE_ID_SIZE - 1 && strspn(name, "0123456789abcdef") == ASIDE_ID_SIZE - 1;
}

/* 1: there is nothing in it, and it is gone, if it was `locked` by us. */
static int entry_load(struct entry *entry, bool locked, struct arena *arena, struct err *err) {
        struct err why = { 0 };
        struct stat status;

        if (about_read(entry, arena, &why) == 0)
                return locked && repair(entry) ? 1 : 0;
        if (why.code == ERR_MEMORY)
                return err_memory(err);
        about_set(entry,
                  (struct aside){ .path = "", .workspace = "", .why = "", .kind = "other", .note = "about.json is damaged" }, 0,
                  false);
        if (why.code != ERR_NOT_FOUND || look(entry->fd, item_name, &status, err) != 0)
                return 0;
        if (locked) /* killed before it had said what it would move */
                move_remove(entry->store, entry->id, REMOVE_TIME, NULL);
        return 1;
}

/* ---- listing ---- */

/* Fills in what is not in the file. */
static int describe(const char *state_dir, const struct entry *entry, enum place place, struct arena *arena, struct aside *ret,
                    struct err *err) {
        const char *path = entry->aside.path;
        char where[PATH_MAX + NAME_MAX + 2] = "";

        if (place == PLACE_ITEM)
                snprintf(where, sizeof(where), "%s/aside/%s/%s", state_dir, entry->id, item_name);
        else if (place == PLACE_LEFT)
                snprintf(where, sizeof(where), "%.*s%s", (int)(about_name(entry) - path), path, entry->left);
        *ret = entry->aside;
        ret->id = arena_dup(arena, str_z(entry->id));
        ret->where = where[0] ? arena_dup(arena, str_z(where)) : NULL;
        return ret->id && (ret->where || !where[0]) ? 0 : err_memory(err);
}

/* 1: there is nothing to tell of it. */
static int list_one(const char *state_dir, struct entry *entry, struct arena *arena, struct aside *ret, struct err *err) {
        FD_AUTO parent = -1;
        enum place place = PLACE_GONE;
        int empty = entry_load(entry, flock(entry->fd, LOCK_EX | LOCK_NB) == 0, arena, err);

        if (empty)
                return empty;
        locate(entry, &place, &parent, NULL);
        return describe(state_dir, entry, place, arena, ret, err);
}

static int by_time(const void *a, const void *b) {
        const struct aside *left = a, *right = b;

        if (left->at != right->at)
                return left->at > right->at ? -1 : 1;
        return strcmp(left->id, right->id);
}

static int list_add(struct aside_list *list, struct aside item, struct arena *arena, struct err *err) {
        if (!arena_room(arena, &list->items, list->count, &list->room, sizeof(*list->items)))
                return err_memory(err);
        list->items[list->count++] = item;
        return 0;
}

static int list_named(const char *state_dir, int store, const char *id, struct arena *arena, struct aside_list *list,
                      struct err *err) {
        struct entry entry = { .store = store };
        FD_AUTO fd = openat(store, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct aside item;
        int got;

        if (fd < 0)
                return 0; /* gone meanwhile */
        entry.fd = fd;
        snprintf(entry.id, sizeof(entry.id), "%.8s", id);
        got = list_one(state_dir, &entry, arena, &item, err);
        return got == 0 ? list_add(list, item, arena, err) : got < 0 ? -1 : 0;
}

int aside_list(const char *state_dir, struct arena *arena, struct aside_list *ret, struct err *err) {
        struct aside_list list = { 0 };
        FD_AUTO store = -1;
        const struct dirent *name;
        DIR *stream;
        int failed = 0;

        if (store_open(state_dir, false, &store, err) < 0)
                return -1;
        if (store < 0) {
                *ret = list;
                return 0;
        }
        stream = tree_list(store, ".");
        if (!stream)
                return err_sys(err, "cannot list what is set aside");
        while (!failed && (name = readdir(stream)))
                if (is_id(name->d_name))
                        failed = list_named(state_dir, store, name->d_name, arena, &list, err);
        closedir(stream);
        if (failed)
                return -1;
        if (list.count)
                qsort(list.items, list.count, sizeof(*list.items), by_time);
        *ret = list;
        return 0;
}

/* ---- restoring ---- */

static int find_id(const char *state_dir, const char *given, struct arena *arena, const char **ret, struct err *err) {
        struct aside_list list;
        size_t count = 0;

        if (aside_list(state_dir, arena, &list, err) < 0)
                return -1;
        for (size_t i = 0; i < list.count && given[0]; i++)
                if (strncmp(list.items[i].id, given, strlen(given)) == 0 && count++ == 0)
                        *ret = list.items[i].id;
        if (count == 0)
                return err_set(err, ERR_NOT_FOUND, "nothing is set aside with the ID '%.64s'; see 'bailey aside list'", given);
        if (count > 1)
                return err_set(err, ERR_INVALID, "%zu IDs begin with '%s'; see 'bailey aside list'", count, given);
        return 0;
}

static int entry_find(const char *state_dir, const char *given, struct arena *arena, struct entry *entry, struct err *err) {
        const char *id = "";
        int empty;

        if (find_id(state_dir, given, arena, &id, err) < 0 || store_open(state_dir, false, &entry->store, err) < 0)
                return -1;
        snprintf(entry->id, sizeof(entry->id), "%s", id);
        entry->fd = openat(entry->store, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (entry->fd < 0 || lock_take(entry->fd, LOCK_EX, time_monotonic() + PATIENCE) < 0)
                return err_sys(err, "another bailey process is moving %s", id);
        empty = entry_load(entry, true, arena, err);
        return empty > 0 ? err_set(err, ERR_NOT_FOUND, "%s: already restored", id) : empty;
}

static int copy_out(const struct entry *entry, int parent, bool limited, struct err *err) {
        struct copy copy = { .bytes = UINT64_MAX, .entries = UINT64_MAX, .deadline = INT64_MAX };
        if (limited)
                copy = (struct copy){ .bytes = COPY_BYTES, .entries = COPY_ENTRIES, .deadline = INT64_MAX };
        if (copy_tree(entry->fd, item_name, parent, entry->left, &copy, err) == 0) {
                if (limited && copy.skipped)
                        err_set_message(err, ERR_TOO_COMPLEX, "there are sockets or devices in it");
                else if (move_rename(parent, entry->left, parent, about_name(entry)) == 0)
                        return 0;
                else
                        err_sys_message(err, "cannot move it");
        }
        move_remove(parent, entry->left, REMOVE_TIME, NULL);
        return -1;
}

/*
 * As a copy, where that can be made: a command may have other names for the files, or have them open, and could change what
 * its user has looked at. What cannot be copied is moved.
 */
static int move_out(const struct entry *entry, enum place place, int parent, struct err *err) {
        const char *from = place == PLACE_ITEM ? item_name : entry->left, *name = about_name(entry);
        int dir = place == PLACE_ITEM ? entry->fd : parent;
        struct err why = { 0 };

        move_set_mode(dir, from, entry->mode);
        if (place == PLACE_ITEM && copy_out(entry, parent, true, &why) == 0)
                return 0;
        if (place == PLACE_ITEM && why.code != ERR_TOO_COMPLEX && why.code != ERR_UNSUPPORTED)
                return err_set(err, why.code, "%s", why.msg);
        if (move_new(dir, from, parent, name) == 0)
                return 0;
        return errno == EXDEV ? copy_out(entry, parent, false, err) : err_sys(err, "cannot move it");
}

/* What stands at its place gives way, or is in the way. */
static int make_room(const char *state_dir, const struct entry *entry, int parent, bool force, struct aside_restored *restored,
                     struct err *err) {
        const char *path = entry->aside.path, *name = about_name(entry);
        char directory[PATH_MAX], why[64];
        struct stat status;
        int got = look(parent, name, &status, err);

        if (got <= 0)
                return got;
        if (!force)
                return err_set(err, ERR_REFUSED, "%s exists; use --force to replace it (the existing file is set aside)", path);
        snprintf(directory, sizeof(directory), "%.*s", name - path > 1 ? (int)(name - path) - 1 : 1, path);
        snprintf(why, sizeof(why), "in the place of %s, which was restored", entry->id);
        return aside_add(state_dir, parent, directory, name, entry->aside.workspace, why, restored->replaced, err);
}

int aside_restore(const char *state_dir, const char *id, bool force, struct arena *arena, struct aside_restored *ret,
                  struct err *err) {
        struct aside_restored restored = { .replaced = "" };
        ENTRY_AUTO entry = { .store = -1, .fd = -1 };
        FD_AUTO parent = -1;
        FD_AUTO to = -1;
        enum place place;

        if (entry_find(state_dir, id, arena, &entry, err) < 0 || locate(&entry, &place, &parent, err) < 0 ||
            describe(state_dir, &entry, place, arena, &restored.aside, err) < 0)
                return -1;
        if (place == PLACE_GONE)
                return err_set(err, ERR_NOT_FOUND, "the stored copy next to %s is missing", entry.aside.path);
        if (!entry.aside.path[0])
                return err_set(err, ERR_INVALID, "about.json is damaged, so move it yourself: %s", restored.aside.where);
        if (about_open_parent(&entry, true, &to, err) < 0 || make_room(state_dir, &entry, to, force, &restored, err) < 0)
                return -1;
        if (about_mark(&entry, true, err) < 0)
                return -1;
        if (move_out(&entry, place, to, err) < 0) {
                entry_kept(&entry);
                if (restored.replaced[0])
                        err_context_message(err, "what stood there is set aside as %s", restored.replaced);
                return err_context(err, "cannot restore %s", entry.aside.path);
        }
        move_remove(entry.store, entry.id, REMOVE_TIME, NULL); /* if some of it cannot be removed, that is listed as empty */
        *ret = restored;
        return 0;
}

int aside_drop(const char *state_dir, const char *id, struct arena *arena, struct aside *ret, struct err *err) {
        ENTRY_AUTO entry = { .store = -1, .fd = -1 };
        FD_AUTO parent = -1;
        struct aside aside;
        enum place place;

        if (entry_find(state_dir, id, arena, &entry, err) < 0 || locate(&entry, &place, &parent, err) < 0 ||
            describe(state_dir, &entry, place, arena, &aside, err) < 0)
                return -1;
        if (place == PLACE_LEFT && move_remove(parent, entry.left, REMOVE_TIME, err) < 0)
                return err_context(err, "cannot remove %s", aside.where);
        if (move_remove(entry.store, entry.id, REMOVE_TIME, err) < 0)
                return err_context(err, "cannot remove what is kept as %s", entry.id);
        *ret = aside;
        return 0;
}
