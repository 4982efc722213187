#include "sandbox/mounts.h"

#include <limits.h>
#include <string.h>

#include "base/buf.h"

enum { SMALL_TMPFS = 64 << 10 }; /* of a directory that only holds mount points */

struct compiler {
        bool lists; /* fs_read_allow and fs_write_allow count */
        struct mount_means means;
        const struct policy *policy;
        const struct host *host;
        struct arena *arena;
        struct mount_list *list;
        struct err *err;
};

static int add_step(struct compiler *c, enum mount_kind kind, const char *source, const char *target, uint64_t size) {
        struct mount_list *list = c->list;

        if (!arena_room(c->arena, &list->items, list->count, &list->room, sizeof(*list->items)))
                return err_memory(c->err);
        list->items[list->count++] = (struct mount_step){ .kind = kind, .source = source, .target = target, .size = size };
        return 0;
}

static bool is_mount(const struct mount_step *s) {
        return s->target && s->kind != MOUNT_SEAL && s->kind != MOUNT_SYMLINK && s->kind != MOUNT_LAYERS;
}

/* The mount that `path` is in; NULL: the root. */
static const struct mount_step *holder_of(const struct mount_list *list, const char *path) {
        const struct mount_step *last = NULL;

        for (size_t i = 0; i < list->count; i++)
                if (is_mount(&list->items[i]) && path_below(path, list->items[i].target))
                        last = &list->items[i];
        return last;
}

/* Of a path in the session's /tmp, the directory directly in there, if it holds another one. Other commands write there, so
 * that only one mount point is made in it, which nobody can rename who has it: all others are in a directory of the sandbox. */
static int add_between(struct compiler *c, const char *target) {
        const struct mount_step *holder = c->host->session_tmp ? holder_of(c->list, target) : NULL;
        const char *slash = NULL, *between;

        if (holder && holder->kind == MOUNT_SESSION_TMP)
                slash = strchr(target + strlen(holder->target) + 1, '/');
        if (!slash)
                return 0;
        between = arena_dup(c->arena, str_from(target, (size_t)(slash - target)));
        return between ? add_step(c, MOUNT_TMPFS, NULL, between, (uint64_t)c->policy->sandbox.tmp_bytes) : err_memory(c->err);
}

static int step(struct compiler *c, enum mount_kind kind, const char *source, const char *target, uint64_t size) {
        if (target && add_between(c, target) < 0)
                return -1;
        return add_step(c, kind, source, target, size);
}

/* Nothing that the kernel makes up has owners that could be mapped. */
static bool is_kernels(const char *path) {
        return path_within(path, "/proc") || path_within(path, "/sys") || path_within(path, "/dev");
}

/* For the command, with its owners as they are on disk, if it has ids of its own. Without, its permissions are those of
 * everybody. */
static int step_mapped(struct compiler *c, enum mount_kind kind, const char *source, const char *target) {
        if (step(c, kind, source, target, 0) < 0)
                return -1;
        c->list->items[c->list->count - 1].mapped = c->means.maps && !is_kernels(source);
        return 0;
}

static int bind(struct compiler *c, enum mount_kind kind, const char *path) {
        return step_mapped(c, kind, path, path);
}

static int bind_all(struct compiler *c, enum mount_kind kind, const struct host_paths *paths) {
        for (size_t i = 0; i < paths->count; i++)
                if (bind(c, kind, paths->items[i].path) < 0)
                        return -1;
        return 0;
}

/* Of the system, for everybody. */
static int bind_plain(struct compiler *c, const struct host_paths *paths) {
        for (size_t i = 0; i < paths->count; i++)
                if (step(c, MOUNT_READ, paths->items[i].path, paths->items[i].path, 0) < 0)
                        return -1;
        return 0;
}

static bool is_inside_another(const struct protected_paths *paths, const char *path) {
        for (size_t i = 0; i < paths->count; i++)
                if (paths->items[i].directory && path_within(path, paths->items[i].path) &&
                    strcmp(path, paths->items[i].path) != 0)
                        return true;
        return false;
}

/* What is in the workspace is written to its overlay, and what git writes elsewhere is not written at all: it would not wait to
 * be applied. */
static enum mount_kind write_kind(const struct compiler *c, const char *path) {
        if (!c->host->staged)
                return MOUNT_WRITE;
        return path_within(path, c->host->workspace) ? MOUNT_STAGE : MOUNT_READ;
}

/* Links are left out: what a link stands for is listed beside it. So is what a directory that is read-only holds anyway: it may
 * be closed, and nothing can be mounted in it then. */
static int bind_protected(struct compiler *c, enum mount_kind kind, const struct protected_paths *paths) {
        for (size_t i = 0; i < paths->count; i++)
                if (!paths->items[i].link && (kind == MOUNT_WRITE || !is_inside_another(paths, paths->items[i].path)) &&
                    bind(c, kind == MOUNT_WRITE ? write_kind(c, paths->items[i].path) : kind, paths->items[i].path) < 0)
                        return -1;
        return 0;
}

/* A layer: what is at this path on the host is not what the command sees. */
static bool is_layer(const struct mount_step *s) {
        return s->kind == MOUNT_WRITE && s->source && s->target && strcmp(s->source, s->target) != 0;
}

static bool shows_host(const struct mount_step *s) {
        return s->kind == MOUNT_READ || s->kind == MOUNT_SHOWN || s->kind == MOUNT_STAGE ||
               (s->kind == MOUNT_WRITE && !is_layer(s));
}

/* Does the command see the host's file of this path? The last mount over it decides: it covers those below it, too. */
static bool visible(const struct mount_list *list, const char *path) {
        bool seen = false;

        for (size_t i = 0; i < list->count; i++) {
                const struct mount_step *s = &list->items[i];

                if (s->kind == MOUNT_ROOT_HOST)
                        seen = true;
                if (is_mount(s) && path_within(path, s->target))
                        seen = shows_host(s);
        }
        return seen;
}

/* Is that by its owner's permissions, too? Not if it is just part of the host's root. */
static bool open_to_command(const struct compiler *c, const char *path) {
        bool open = !c->means.maps;

        for (size_t i = 0; i < c->list->count; i++)
                if (is_mount(&c->list->items[i]) && path_within(path, c->list->items[i].target))
                        open = !c->means.maps || c->list->items[i].mapped;
        return open && visible(c->list, path);
}

bool mounts_cover(const struct mount_list *mounts, size_t i, const char *path) {
        for (size_t j = i + 1; j < mounts->count; j++)
                if (is_mount(&mounts->items[j]) && path_within(path, mounts->items[j].target))
                        return true;
        return false;
}

/* ---- parts ---- */

static int add_scratch(struct compiler *c) {
        uint64_t size = (uint64_t)c->policy->sandbox.tmp_bytes;

        for (size_t i = 0; i < c->host->scratch.count; i++) {
                const char *path = c->host->scratch.items[i].path;
                bool shared = c->host->session_tmp && strcmp(path, "/tmp") == 0;

                if (step(c, shared ? MOUNT_SESSION_TMP : MOUNT_TMPFS, NULL, path, size) < 0)
                        return -1;
        }
        return step(c, MOUNT_PROC, NULL, "/proc", 0) < 0 ? -1 : step(c, MOUNT_DEV, NULL, "/dev", size);
}

static int add_emptied(struct compiler *c) {
        for (size_t i = 0; i < c->host->emptied.count; i++)
                if (step(c, MOUNT_TMPFS, NULL, c->host->emptied.items[i].path, SMALL_TMPFS) < 0)
                        return -1;
        return 0;
}

static int seal_emptied(struct compiler *c) {
        for (size_t i = 0; i < c->host->emptied.count; i++)
                if (step(c, MOUNT_SEAL, NULL, c->host->emptied.items[i].path, 0) < 0)
                        return -1;
        return 0;
}

/* The command cannot search these directories, so that it would not get to what is mounted below. Nothing else in them can be
 * reached by it: they are replaced by empty ones. */
static int open_way(struct compiler *c, const char *path) {
        const struct host_paths *closed = &c->host->closed;

        for (size_t i = 0; c->means.maps && i < closed->count; i++)
                if (path_below(path, closed->items[i].path) && visible(c->list, closed->items[i].path) &&
                    !open_to_command(c, closed->items[i].path) &&
                    step(c, MOUNT_TMPFS, NULL, closed->items[i].path, SMALL_TMPFS) < 0)
                        return -1;
        return 0;
}

static int seal_ways(struct compiler *c) {
        const struct host_paths *closed = &c->host->closed;
        size_t count = c->list->count;

        for (size_t i = 0; c->means.maps && i < closed->count; i++)
                for (size_t j = 0; j < count; j++)
                        if (c->list->items[j].kind == MOUNT_TMPFS && c->list->items[j].size == SMALL_TMPFS &&
                            strcmp(c->list->items[j].target, closed->items[i].path) == 0 &&
                            !mounts_cover(c->list, j, closed->items[i].path) &&
                            step(c, MOUNT_SEAL, NULL, closed->items[i].path, 0) < 0)
                                return -1;
        return 0;
}

/* The directory above that hides `path` from the command already; NULL: none does. */
static const char *closed_above(const struct compiler *c, const char *path) {
        const struct host_paths *closed = &c->host->closed;

        for (size_t i = 0; c->means.maps && i < closed->count; i++)
                if (path_below(path, closed->items[i].path) && visible(c->list, closed->items[i].path) &&
                    !open_to_command(c, closed->items[i].path))
                        return closed->items[i].path;
        return NULL;
}

/* What is shown of the user's home must not be changed there: without an overlay it is read-only. Then caches are left out, as
 * tools that cannot write theirs fail. */
static int add_shown(struct compiler *c) {
        const struct home *home = &c->host->home;

        if (home->count && c->means.overlays && step_mapped(c, MOUNT_LAYERS, home->layer, home->path) < 0)
                return -1;
        for (size_t i = 0; i < home->count; i++) {
                const struct home_item *item = &home->items[i];

                if ((c->means.overlays || item->kind == SHOWN_TOOLS) &&
                    step_mapped(c, c->means.overlays ? MOUNT_SHOWN : MOUNT_READ, item->source, item->path) < 0)
                        return -1;
        }
        return 0;
}

/* Another one of the user's own is hidden, too, unless something that commands need is in there. */
static int hide_other_homes(struct compiler *c) {
        const struct host_paths *homes = &c->host->homes;

        for (size_t i = 1; i < homes->count; i++)
                if (visible(c->list, homes->items[i].path) && !path_within(homes->items[0].path, homes->items[i].path) &&
                    !path_within(c->host->workspace, homes->items[i].path) &&
                    step(c, MOUNT_MASK_DIR, NULL, homes->items[i].path, 0) < 0)
                        return -1;
        return 0;
}

static int add_home(struct compiler *c) {
        const struct home *home = &c->host->home;
        const struct host_paths *homes = &c->host->homes;

        if (home->path)
                return open_way(c, home->path) < 0 || step_mapped(c, MOUNT_WRITE, home->files, home->path) < 0 ||
                                       add_shown(c) < 0
                               ? -1
                               : hide_other_homes(c);
        if (c->policy->sandbox.home == HOME_NONE && homes->count && !path_within(homes->items[0].path, c->host->workspace))
                return step(c, MOUNT_TMPFS, NULL, homes->items[0].path, (uint64_t)c->policy->sandbox.tmp_bytes);
        if (c->policy->sandbox.root == ROOT_MINIMAL)
                return 0;
        for (size_t i = 0; i < homes->count; i++)
                if (!open_to_command(c, homes->items[i].path) &&
                    (open_way(c, homes->items[i].path) < 0 || bind(c, MOUNT_READ, homes->items[i].path) < 0))
                        return -1;
        return 0;
}

/* Is it in a directory that is replaced by another? Then it is shown later. */
static bool is_replaced(const struct host *host, const char *path) {
        return host_paths_find(&host->scratch, path) || host_paths_find(&host->emptied, path) ||
               host_paths_find(&host->homes, path) || is_kernels(path);
}

/* It comes with the workspace, or with what can be written: that is mounted later, and would cover it. */
static bool comes_later(const struct compiler *c, const char *path) {
        if (path_within(path, c->host->workspace))
                return true;
        for (size_t i = 0; c->lists && i < c->host->write.count; i++)
                if (path_within(path, c->host->write.items[i].path))
                        return true;
        return false;
}

/* With its owners, where the command has only everybody's permissions otherwise. */
static int open_one(struct compiler *c, const char *path) {
        if (!path[1] || is_replaced(c->host, path) || comes_later(c, path) || open_to_command(c, path))
                return 0;
        return open_way(c, path) < 0 || bind(c, MOUNT_READ, path) < 0 ? -1 : 0;
}

/* fs_read_allow in the host's root, and the repository of the workspace: git refuses those of others. First: private
 * directories may be in there. */
static int add_opened(struct compiler *c) {
        const struct host_paths *read = &c->host->read;

        for (size_t i = 0; c->means.maps && i < read->count; i++)
                if (open_one(c, read->items[i].path) < 0)
                        return -1;
        return c->means.maps && c->host->repository ? open_one(c, c->host->repository) : 0;
}

static int add_host_root(struct compiler *c) {
        if (step(c, MOUNT_ROOT_HOST, NULL, NULL, 0) < 0 || add_opened(c) < 0 || add_scratch(c) < 0 || add_emptied(c) < 0 ||
            add_home(c) < 0)
                return -1;
        return bind_plain(c, &c->host->kept);
}

static int add_minimal_root(struct compiler *c) {
        const struct host_paths *system = &c->host->system;

        if (step(c, MOUNT_ROOT_EMPTY, NULL, NULL, SMALL_TMPFS) < 0)
                return -1;
        for (size_t i = 0; i < system->count; i++)
                if (system->items[i].link ? step(c, MOUNT_SYMLINK, system->items[i].link, system->items[i].path, 0) < 0
                                          : step(c, MOUNT_READ, system->items[i].path, system->items[i].path, 0) < 0)
                        return -1;
        return add_scratch(c) < 0 || add_home(c) < 0 ? -1 : bind_plain(c, &c->host->kept);
}

/* The writable mount that holds `path`; NULL: what holds it cannot be written. As above, the last one counts. */
static const struct mount_step *writable_root(const struct compiler *c, const char *path) {
        const struct mount_step *last = holder_of(c->list, path);

        return last && (last->kind == MOUNT_WRITE || last->kind == MOUNT_STAGE) ? last : NULL;
}

/* What is at `path` in the directory that `root` mounts. */
static const char *path_in(struct compiler *c, const struct mount_step *root, const char *path) {
        BUF_AUTO text;

        buf_init(&text, PATH_MAX);
        buf_append(&text, str_z(root->source));
        buf_append(&text, str_z(path + strlen(root->target)));
        return text.failed ? NULL : arena_dup(c->arena, buf_str(&text));
}

/* A directory on the way to a mount can be renamed, and another one put in its place; a mount cannot. */
static int add_anchors(struct compiler *c, const char *path) {
        const struct mount_step *found = writable_root(c, path), root = found ? *found : (struct mount_step){};

        if (!found)
                return 0;
        for (const char *slash = strchr(path + strlen(root.target) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
                const char *anchor = arena_dup(c->arena, str_from(path, (size_t)(slash - path)));
                const char *source = anchor ? path_in(c, &root, anchor) : NULL;

                if (!source)
                        return err_memory(c->err);
                if (step_mapped(c, root.kind, source, anchor) < 0)
                        return -1;
        }
        return 0;
}

/* Nobody but bailey makes mount points in a layer. */
static int set_points(struct compiler *c) {
        for (size_t i = 0; i < c->list->count; i++) {
                struct mount_step *s = &c->list->items[i];
                const struct mount_step *holder = NULL;

                for (size_t j = 0; is_mount(s) && j < i; j++)
                        if (is_mount(&c->list->items[j]) && path_below(s->target, c->list->items[j].target))
                                holder = &c->list->items[j];
                if (!holder || !is_layer(holder))
                        continue;
                s->point = path_in(c, holder, s->target);
                if (!s->point)
                        return err_memory(c->err);
        }
        return 0;
}

/* What can be read is added only where it is not to be seen already: every mount costs. */
static int add_readable(struct compiler *c) {
        for (size_t i = 0; i < c->host->read.count; i++) {
                const char *path = c->host->read.items[i].path;

                if (!visible(c->list, path) && !comes_later(c, path) &&
                    (open_way(c, path) < 0 || add_anchors(c, path) < 0 || bind(c, MOUNT_READ, path) < 0))
                        return -1;
        }
        return 0;
}

/* What fs_write_allow lists outside of the workspace is not staged. */
static enum mount_kind granted_kind(const struct compiler *c, const char *path) {
        return c->host->staged && path_within(path, c->host->workspace) ? MOUNT_STAGE : MOUNT_WRITE;
}

static int bind_granted(struct compiler *c, const struct host_path *item) {
        return step_mapped(c, granted_kind(c, item->path), item->copy ? item->copy : item->path, item->path);
}

static int add_writable(struct compiler *c) {
        const struct protection *protection = &c->host->protection;
        bool write = c->policy->sandbox.workspace_write && !protection->sealed;

        if (open_way(c, c->host->workspace) < 0 || add_anchors(c, c->host->workspace) < 0 ||
            bind(c, write ? write_kind(c, c->host->workspace) : MOUNT_READ, c->host->workspace) < 0)
                return -1;
        for (size_t i = 0; c->lists && i < c->host->write.count; i++)
                if (open_way(c, c->host->write.items[i].path) < 0 || add_anchors(c, c->host->write.items[i].path) < 0 ||
                    bind_granted(c, &c->host->write.items[i]) < 0)
                        return -1;
        if (!write)
                return 0;
        for (size_t i = 0; i < protection->git_write.count; i++)
                if (open_way(c, protection->git_write.items[i].path) < 0)
                        return -1;
        if (bind_protected(c, MOUNT_WRITE, &protection->git_write) < 0)
                return -1;
        if (!c->policy->sandbox.protect_workspace)
                return 0;
        return bind_protected(c, MOUNT_WRITE, &protection->anchors) < 0 ? -1
                                                                        : bind_protected(c, MOUNT_READ, &protection->read_only);
}

/* In a place that commands can write, they could otherwise put another one there. */
static int add_sockets(struct compiler *c) {
        const struct host_paths *sockets = &c->host->sockets;

        if (c->policy->sandbox.unix_sockets == UNIX_SOCKETS_DENY || c->host->no_broker)
                return 0;
        for (size_t i = 0; i < sockets->count; i++) {
                const char *path = sockets->items[i].path;

                if (sockets->items[i].socket && (!open_to_command(c, path) || writable_root(c, path)) &&
                    (open_way(c, path) < 0 || add_anchors(c, path) < 0 || bind(c, MOUNT_SOCKET, path) < 0))
                        return -1;
        }
        return 0;
}

/* Any name server would answer, as all addresses are local, but not every file names one that can be used inside. If there is
 * no file, programs ask 127.0.0.1 anyway. */
static int add_resolver(struct compiler *c) {
        for (size_t i = 0; network_is_filtered(c->policy->sandbox.network) && i < c->host->resolver.count; i++)
                if (step(c, MOUNT_TEXT, "nameserver 127.0.0.1\n", c->host->resolver.items[i].path, 0) < 0)
                        return -1;
        return 0;
}

/* Also where only something in it is to be seen. */
static bool reachable(const struct mount_list *list, const char *path) {
        for (size_t i = 0; i < list->count; i++) {
                const struct mount_step *s = &list->items[i];

                if ((shows_host(s) || s->kind == MOUNT_SOCKET) && path_within(s->target, path))
                        return true;
        }
        return visible(list, path);
}

/* What the command cannot get at is denied as a whole: there nothing can be mounted. */
static int deny_closed(struct compiler *c, const char *closed) {
        const struct mount_step *last = &c->list->items[c->list->count - 1];

        if (last->kind == MOUNT_MASK_DIR && strcmp(last->target, closed) == 0)
                return 0;
        return step(c, MOUNT_MASK_DIR, NULL, closed, 0);
}

/* As the owner's as it was before. */
static int deny_writing(struct compiler *c, const char *path) {
        bool mapped = open_to_command(c, path);

        if (add_anchors(c, path) < 0 || bind(c, MOUNT_READ, path) < 0)
                return -1;
        c->list->items[c->list->count - 1].mapped = c->means.maps && mapped;
        return 0;
}

/* Deny wins, so it comes last. */
static int add_denied(struct compiler *c) {
        const struct host_paths *masks = &c->host->masks;
        const char *closed;

        if (host_check_workspace(c->host, c->err) < 0)
                return -1;
        for (size_t i = 0; i < c->host->write_deny.count; i++) {
                const char *path = c->host->write_deny.items[i].path;

                if (!reachable(c->list, path))
                        continue;
                closed = closed_above(c, path);
                if ((closed ? deny_closed(c, closed) : deny_writing(c, path)) < 0)
                        return -1;
        }
        for (size_t i = 0; i < masks->count; i++) {
                const struct host_path *mask = &masks->items[i];

                if (!reachable(c->list, mask->path))
                        continue;
                closed = closed_above(c, mask->path);
                if (closed) {
                        if (deny_closed(c, closed) < 0)
                                return -1;
                        continue;
                }
                if (add_anchors(c, mask->path) < 0 ||
                    step(c, mask->directory ? MOUNT_MASK_DIR : MOUNT_MASK_FILE, NULL, mask->path, 0) < 0)
                        return -1;
        }
        return 0;
}

int mounts_compile(const struct policy *policy, const struct host *host, const struct mount_means *means, struct arena *arena,
                   struct mount_list *ret, struct err *err) {
        struct mount_list list = {};
        struct compiler c = {
                .lists = true, .means = *means, .policy = policy, .host = host, .arena = arena, .list = &list, .err = err
        };
        bool minimal = policy->sandbox.root == ROOT_MINIMAL;

        if ((minimal ? add_minimal_root(&c) : add_host_root(&c)) < 0 || add_readable(&c) < 0 || add_writable(&c) < 0 ||
            add_sockets(&c) < 0 || add_resolver(&c) < 0 || add_denied(&c) < 0)
                return -1;
        if (seal_ways(&c) < 0 || (minimal ? step(&c, MOUNT_SEAL, NULL, "/", 0) < 0 : seal_emptied(&c) < 0) ||
            set_points(&c) < 0)
                return -1;
        *ret = list;
        return 0;
}

/* ---- containers ---- */

/* Engines mount in the order of depth, and nothing twice: what a later one covers must not be among them. */
static void drop_covered(struct mount_list *list) {
        size_t kept = 0;

        for (size_t i = 0; i < list->count; i++) {
                bool covered = false;

                for (size_t j = i + 1; j < list->count && !covered; j++)
                        covered = path_within(list->items[i].target, list->items[j].target);
                if (!covered)
                        list->items[kept++] = list->items[i];
        }
        list->count = kept;
}

int mounts_container(const struct policy *policy, const struct host *host, struct arena *arena, struct mount_list *ret,
                     struct err *err) {
        struct mount_list list = {};
        struct compiler c = { .policy = policy, .host = host, .arena = arena, .list = &list, .err = err };

        c.lists = policy->container.mount_policy == MOUNT_CUSTOM;
        if (policy->container.mount_policy == MOUNT_HOME && bind_all(&c, MOUNT_READ, &host->homes) < 0)
                return -1;
        if ((c.lists && add_readable(&c) < 0) || add_writable(&c) < 0 || add_denied(&c) < 0)
                return -1;
        for (size_t i = 0; i < host->engines.count; i++)
                if (reachable(&list, host->engines.items[i].path) && !host_masked_by(host, host->engines.items[i].path) &&
                    step(&c, MOUNT_MASK_FILE, NULL, host->engines.items[i].path, 0) < 0)
                        return -1;
        drop_covered(&list);
        *ret = list;
        return 0;
}

/* ---- Landlock, in addition to the mounts ---- */

static bool is_writable(const struct mount_list *mounts, size_t i) {
        const struct mount_step *s = &mounts->items[i];

        if (s->kind == MOUNT_WRITE || s->kind == MOUNT_STAGE || s->kind == MOUNT_DEV || s->kind == MOUNT_SESSION_TMP)
                return true;
        return s->kind == MOUNT_TMPFS && s->size != SMALL_TMPFS;
}

/* A rule for a directory above it says the same. One for a private directory does not, for a directory of the host that is
 * mounted in it: a process that has that open from outside (launch/broker.h) does not come by there. */
static bool is_covered(const struct mount_list *mounts, size_t index) {
        const struct mount_step *step = &mounts->items[index];

        for (size_t i = 0; i < index; i++)
                if (is_writable(mounts, i) && path_within(step->target, mounts->items[i].target) &&
                    (step->kind != MOUNT_WRITE || (mounts->items[i].kind == MOUNT_WRITE && !is_layer(&mounts->items[i]))) &&
                    (step->kind != MOUNT_STAGE || mounts->items[i].kind == MOUNT_STAGE))
                        return true;
        return false;
}

int mounts_landlock(const struct mount_list *mounts, struct arena *arena, struct landlock_plan *ret, struct err *err) {
        struct landlock_rule *rules = arena_alloc(arena, (mounts->count + 1) * sizeof(*rules));
        size_t count = 0;

        if (!rules)
                return err_memory(err);
        rules[count++] = (struct landlock_rule){ .path = "/", .grant = GRANT_READ };
        for (size_t i = 0; i < mounts->count; i++)
                if (is_writable(mounts, i) && !is_covered(mounts, i))
                        rules[count++] = (struct landlock_rule){ mounts->items[i].target, GRANT_READ | GRANT_WRITE };
        *ret = (struct landlock_plan){ .wanted = true, .rules = rules, .rule_count = count };
        return 0;
}
