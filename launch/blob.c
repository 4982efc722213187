#include "launch/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/mount.h"

/* Written and read on the same machine: native numbers. But a program that has the library in it starts bailey as it is
 * installed, which must be the same version. */
enum {
        BLOB_MAGIC = 0x32796c62,
        BLOB_MAX = 16 << 20, /* more than the kernel takes as arguments and environment */
};

/* ---- writing ---- */

static void put(struct buf *out, const void *bytes, size_t size) {
        buf_append(out, str_from(bytes, size));
}

static void put_size(struct buf *out, size_t value) {
        uint64_t wide = value;

        put(out, &wide, sizeof(wide));
}

static void put_text(struct buf *out, const char *text) {
        put_size(out, strlen(text) + 1);
        put(out, text, strlen(text) + 1);
}

static void put_texts(struct buf *out, const char *const *texts) {
        size_t count = 0;

        while (texts[count])
                count++;
        put_size(out, count);
        for (size_t i = 0; i < count; i++)
                put_text(out, texts[i]);
}

/* With the files that the sources are now, which no link leads to. */
static int put_wrapped(struct buf *out, const struct launch *launch, struct err *err) {
        put_size(out, launch->wrapped_count);
        for (size_t i = 0; i < launch->wrapped_count; i++) {
                struct wrapped_mount mount = launch->wrapped[i];
                struct mount_place place = {}; /* what is gone now must not come */

                if (mount.point && mount_make_point(mount.point, mount.source, mount.optional, err) < 0)
                        return -1;
                if (mount_note(mount.source, &place, err) < 0 &&
                    !(mount.optional && (err->sys == ENOENT || err->sys == ENOTDIR)))
                        return -1;
                put_size(out, mount.optional);
                put_text(out, mount.target);
                put_size(out, mount.write);
                put(out, &place.device, sizeof(place.device));
                put(out, &place.inode, sizeof(place.inode));
        }
        return 0;
}

static void put_filter(struct buf *out, const struct sock_filter *filter, size_t count) {
        put_size(out, count);
        put(out, filter, count * sizeof(*filter));
}

static void put_broker(struct buf *out, const struct broker_plan *broker) {
        static const char *const none[] = { NULL };

        put_size(out, broker->calls);
        put_filter(out, broker->filter, broker->filter_count);
        put_size(out, broker->own_network);
        put_size(out, broker->abstract);
        put_texts(out, broker->calls ? broker->private_places : none);
        put_texts(out, broker->calls ? broker->sockets : none);
        put_text(out, broker->calls ? broker->workspace : "");
        put_texts(out, broker->calls ? broker->configs : none);
        put_texts(out, broker->calls ? broker->roots : none);
}

static void put_launch(struct buf *out, const struct launch *launch) {
        put_size(out, BLOB_MAGIC);
        put_text(out, BAILEY_VERSION);
        put_size(out, launch->landlock.wanted);
        put_size(out, launch->landlock.required);
        put_size(out, launch->landlock.deny_tcp);
        put_size(out, launch->landlock.rule_count);
        for (size_t i = 0; i < launch->landlock.rule_count; i++) {
                put_text(out, launch->landlock.rules[i].path);
                put_size(out, launch->landlock.rules[i].grant);
        }
        put_filter(out, launch->seccomp, launch->seccomp_count);
        put_size(out, launch->wrapper_masks);
        put_broker(out, &launch->broker);
        put_size(out, launch->wrapper_network);
        put(out, &launch->terminal, sizeof(launch->terminal));
        put_size(out, launch->limit_count);
        put(out, launch->limits, launch->limit_count * sizeof(*launch->limits));
        put_text(out, launch->program);
        put_texts(out, launch->argv);
        put_texts(out, launch->envp);
        put_text(out, launch->cwd);
}

int blob_write(const struct launch *launch, struct err *err) {
        FD_AUTO fd = memfd_create("bailey-plan", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        BUF_AUTO out;

        buf_init(&out, BLOB_MAX);
        if (fd < 0)
                return err_sys(err, "plan");
        put_launch(&out, launch);
        if (put_wrapped(&out, launch, err) < 0)
                return -1;
        if (out.failed)
                return err_set(err, ERR_TOO_COMPLEX, "arguments and environment are more than %d bytes", BLOB_MAX);
        if (fd_write_all(fd, buf_str(&out), err) < 0)
                return err_context(err, "plan");
        if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0 || lseek(fd, 0, SEEK_SET) < 0)
                return err_sys(err, "plan");
        return TAKE_FD(fd);
}

/* ---- reading ---- */

struct reader {
        struct str rest;
        struct arena *arena;
        bool bad;
};

static void get(struct reader *r, void *ret, size_t size) {
        if (size > r->rest.len) {
                r->bad = true;
                size = 0;
        }
        if (size)
                memcpy(ret, r->rest.ptr, size);
        r->rest = str_skip(r->rest, size);
}

static size_t get_size(struct reader *r) {
        uint64_t wide = 0;

        get(r, &wide, sizeof(wide));
        if (wide > BLOB_MAX && wide != BLOB_MAGIC)
                r->bad = true;
        return r->bad ? 0 : (size_t)wide;
}

static void *get_array(struct reader *r, size_t count, size_t size) {
        void *items = count > r->rest.len ? NULL : arena_alloc(r->arena, (count + 1) * size);

        if (!items)
                r->bad = true;
        return items;
}

static const char *get_text(struct reader *r) {
        size_t size = get_size(r);
        char *text = get_array(r, size, 1);

        if (!text)
                return "";
        get(r, text, size);
        return text;
}

static const char *const *get_texts(struct reader *r) {
        static const char *const none[] = { NULL };
        size_t count = get_size(r);
        const char **texts = get_array(r, count, sizeof(*texts));

        for (size_t i = 0; texts && i < count; i++)
                texts[i] = get_text(r);
        return texts ? texts : none;
}

static void get_landlock(struct reader *r, struct landlock_plan *ret) {
        struct landlock_rule *rules;

        ret->wanted = get_size(r);
        ret->required = get_size(r);
        ret->deny_tcp = get_size(r);
        ret->rule_count = get_size(r);
        ret->rules = rules = get_array(r, ret->rule_count, sizeof(*rules));
        for (size_t i = 0; rules && i < ret->rule_count; i++) {
                rules[i].path = get_text(r);
                rules[i].grant = (uint32_t)get_size(r);
        }
}

static const struct sock_filter *get_filter(struct reader *r, size_t *ret_count) {
        size_t count = get_size(r);
        struct sock_filter *filter = get_array(r, count, sizeof(*filter));

        if (filter)
                get(r, filter, count * sizeof(*filter));
        *ret_count = count;
        return filter;
}

static void get_broker(struct reader *r, struct broker_plan *ret) {
        ret->calls = (uint32_t)get_size(r);
        ret->filter = get_filter(r, &ret->filter_count);
        ret->own_network = get_size(r);
        ret->abstract = get_size(r);
        ret->private_places = get_texts(r);
        ret->sockets = get_texts(r);
        ret->workspace = get_text(r);
        ret->configs = get_texts(r);
        ret->roots = get_texts(r);
}

static void get_wrapped(struct reader *r, struct launch *ret) {
        struct wrapped_mount *mounts;

        ret->wrapped_count = get_size(r);
        ret->wrapped = mounts = get_array(r, ret->wrapped_count, sizeof(*mounts));
        for (size_t i = 0; mounts && i < ret->wrapped_count; i++) {
                mounts[i].optional = get_size(r);
                mounts[i].source = mounts[i].target = get_text(r);
                mounts[i].write = get_size(r);
                get(r, &mounts[i].device, sizeof(mounts[i].device));
                get(r, &mounts[i].inode, sizeof(mounts[i].inode));
        }
}

int blob_read(int fd, struct arena *arena, struct launch *ret, struct err *err) {
        struct reader r = { .arena = arena };
        struct launch launch = { .own_pids = true, .announce = true };
        const char *version;
        BUF_AUTO text;

        buf_init(&text, BLOB_MAX);
        if (fd_read_all(fd, &text, err) < 0)
                return err_context(err, "plan");
        r.rest = buf_str(&text);
        r.bad = get_size(&r) != BLOB_MAGIC;
        version = get_text(&r);
        if (!r.bad && strcmp(version, BAILEY_VERSION) != 0)
                return err_set(err, ERR_UNSUPPORTED,
                               "the library is of version %.32s, and the program bailey of " BAILEY_VERSION, version);
        get_landlock(&r, &launch.landlock);
        launch.seccomp = get_filter(&r, &launch.seccomp_count);
        launch.wrapper_masks = get_size(&r);
        get_broker(&r, &launch.broker);
        launch.wrapper_network = get_size(&r);
        get(&r, &launch.terminal, sizeof(launch.terminal));
        launch.limit_count = get_size(&r);
        if (launch.limit_count > LAUNCH_LIMITS_MAX)
                r.bad = true;
        else
                get(&r, launch.limits, launch.limit_count * sizeof(*launch.limits));
        launch.program = get_text(&r);
        launch.argv = get_texts(&r);
        launch.envp = get_texts(&r);
        launch.cwd = get_text(&r);
        get_wrapped(&r, &launch);
        if (r.bad || r.rest.len)
                return err_set(err, ERR_INVALID, "plan: not written by this version of bailey");
        *ret = launch;
        return 0;
}
