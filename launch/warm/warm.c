#include "launch/warm/warm.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/files.h"
#include "launch/identity.h"
#include "launch/kernel.h"
#include "launch/mount.h"
#include "launch/report.h"
#include "launch/tmp_holder.h"
#include "launch/warm/command_message.h"

/* ---- the key ---- */

static void put(struct buf *out, const void *bytes, size_t size) {
        buf_append(out, str_from(bytes, size));
}

static void put_text(struct buf *out, const char *text) {
        put(out, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void put_places(struct buf *out, const struct mount_step *step) {
        bool link = step->kind == MOUNT_SYMLINK || step->kind == MOUNT_TEXT,
             same = step->source && step->target && strcmp(step->source, step->target) == 0;
        struct mount_places places = { .target = mount_look(step->point ? NULL : step->target) };

        places.source = same && !step->point ? places.target : mount_look(link ? NULL : step->source);
        put(out, &places, sizeof(places));
}

static void put_mount(struct buf *out, const struct mount_step *step) {
        put(out, &step->kind, sizeof(step->kind));
        put(out, &step->size, sizeof(step->size));
        put(out, &step->mapped, sizeof(step->mapped));
        put_text(out, step->source);
        put_text(out, step->target);
        put_text(out, step->point);
}

static void put_landlock(struct buf *out, const struct landlock_plan *landlock) {
        unsigned char flags[] = { landlock->wanted, landlock->required, landlock->deny_tcp };

        put(out, flags, sizeof(flags));
        for (size_t i = 0; i < landlock->rule_count; i++) {
                put(out, &landlock->rules[i].grant, sizeof(landlock->rules[i].grant));
                put_text(out, landlock->rules[i].path); /* which is mounted, or does not matter: it is looked up inside */
        }
}

static void put_list(struct buf *out, const char *const *texts) {
        for (; texts && *texts; texts++)
                put_text(out, *texts);
        put_text(out, NULL);
}

static void put_broker(struct buf *out, const struct broker_plan *broker) {
        unsigned char flags[] = { broker->own_network, broker->abstract };

        put(out, &broker->calls, sizeof(broker->calls));
        put(out, flags, sizeof(flags));
        put_list(out, broker->private_places);
        put_list(out, broker->sockets);
        put_text(out, broker->workspace);
        put_list(out, broker->configs);
}

/* Not the hosts: these are the gateway's. */
static void put_egress(struct buf *out, const struct launch_egress *egress) {
        unsigned char flags[] = { egress->wanted, egress->needs_transparent, egress->publish_count > 0 };

        put(out, flags, sizeof(flags));
        put(out, &egress->port_count, sizeof(egress->port_count));
        put(out, egress->ports, egress->port_count * sizeof(*egress->ports));
        put(out, &egress->host_port_count, sizeof(egress->host_port_count));
        put(out, egress->host_ports, egress->host_port_count * sizeof(*egress->host_ports));
        put(out, &egress->shell_port_count, sizeof(egress->shell_port_count));
        put(out, egress->shell_ports, egress->shell_port_count * sizeof(*egress->shell_ports));
}

/* What is read before the command arrives, by the dynamic loader. All others arrive with it. */
static bool is_of_loader(const char *variable) {
        static const char *const begin[] = { "LD_", "GLIBC_", "MALLOC_" };

        for (size_t i = 0; i < sizeof(begin) / sizeof(*begin); i++)
                if (strncmp(variable, begin[i], strlen(begin[i])) == 0)
                        return true;
        return false;
}

void warm_key(const struct launch *launch, struct buf *out) {
        for (size_t i = 0; i < launch->mount_count; i++) /* first: warm_places() */
                put_places(out, &launch->mounts[i]);
        put(out, &launch->namespaces, sizeof(launch->namespaces));
        put(out, &launch->id_base, sizeof(launch->id_base));
        for (size_t i = 0; i < launch->mount_count; i++)
                put_mount(out, &launch->mounts[i]);
        put_landlock(out, &launch->landlock);
        put_text(out, launch->hostname);
        put(out, launch->seccomp, launch->seccomp_count * sizeof(*launch->seccomp));
        put_broker(out, &launch->broker);
        if (launch->tmp)
                put(out, &launch->tmp->id, sizeof(launch->tmp->id));
        put_egress(out, &launch->egress);
        put(out, launch->limits, launch->limit_count * sizeof(*launch->limits));
        put(out, &launch->share.memory_percent, sizeof(launch->share.memory_percent));
        put(out, &launch->share.pids, sizeof(launch->share.pids));
        for (const char *const *variable = launch->envp; *variable; variable++)
                if (is_of_loader(*variable))
                        put_text(out, *variable);
}

const struct mount_places *warm_places(struct str key) {
        return (const struct mount_places *)(const void *)key.ptr;
}

/* ---- outside ---- */

bool warm_possible(const struct launch *launch) {
        return launch->namespaces && launch->own_pids && !launch->wrapper && !launch->container && !launch->stage &&
               !(launch->broker.calls & BROKER_EVIDENCE) && launch->group.memory_bytes == 0 && launch->group.pids == 0;
}

bool warm_fits(const struct launch *launch) {
        struct command_message_head head;
        struct iovec parts[MESSAGE_PARTS_MAX];

        return !launch->announce && command_message_gather(launch, &head, parts) > 0;
}

int warm_ready(struct warm *warm, struct err *err) {
        int files[FDS_MAX];
        size_t count;
        char byte;

        if (fds_receive(warm->work, &byte, 1, files, &count, 0) == 1 && count == 1) {
                warm->mounts = files[0];
                return 0;
        }
        if (launch_started(&warm->launched) == 0 || warm->launched.said == 0)
                return err_set(err, ERR_SYSTEM, "the sandbox ended before it was ready");
        *err = warm->launched.failure;
        return -1;
}

bool warm_unchanged(const struct warm *warm) {
        struct pollfd mounts = { .fd = warm->mounts, .events = POLLPRI };

        return poll(&mounts, 1, 0) == 0;
}

int warm_send(int work, const struct launch *launch, const struct launch_files *files) {
        const int message[] = { files->in, files->out, files->err };
        struct command_message_head head;
        struct iovec parts[MESSAGE_PARTS_MAX];
        size_t count = command_message_gather(launch, &head, parts);

        return count == 0 ? -1 : fds_send(work, parts, count, message, 3);
}

int warm_hand_over(struct warm *warm, const struct launch *launch, const struct launch_files *files, struct launched *ret) {
        identity_give_pipe(files->in, launch->id_base);
        identity_give_pipe(files->out, launch->id_base);
        identity_give_pipe(files->err, launch->id_base);
        if (warm_send(warm->work, launch, files) < 0) {
                warm_discard(warm);
                return -1;
        }
        fd_close(TAKE_FD(warm->work));
        fd_close(TAKE_FD(warm->mounts));
        *ret = warm->launched;
        return 0;
}

void warm_discard(struct warm *warm) {
        int status;

        fd_close(TAKE_FD(warm->work));
        fd_close(TAKE_FD(warm->mounts));
        launch_kill(&warm->launched);
        launch_end(&warm->launched, &status, NULL);
        launch_reap(&warm->launched);
}

/* ---- inside ---- */

int warm_tell_ready(int work, struct err *err) {
        FD_AUTO mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
        char zero = 0;
        struct iovec byte = { &zero, 1 };

        return mounts < 0 || fds_send(work, &byte, 1, &mounts, 1) < 0 ? err_sys(err, "telling that it is ready") : 0;
}

/* Ends with who wants it, even if somebody else has the other end of `work`, too. */
static void wait_for_work(int work, int outside) {
        struct pollfd fds[] = { { .fd = work, .events = POLLIN }, { .fd = outside, .events = POLLIN } };

        while (poll(fds, 2, -1) < 0)
                ;
        if (fds[1].revents)
                _exit(125);
}

bool warm_comes_up(int up, pid_t pid, int outside) {
        FD_AUTO shell = kernel_pidfd_open(pid);
        struct pollfd fds[] = { { .fd = up, .events = POLLIN },
                                { .fd = outside, .events = POLLIN },
                                { .fd = shell, .events = POLLIN } };
        char byte;

        while (poll(fds, 3, -1) < 0)
                ;
        if (fds[1].revents)
                _exit(125);
        return fds[0].revents & POLLIN && read(up, &byte, 1) == 1;
}

int warm_await(int work, int outside, struct launch *launch, struct err *err) {
        struct command_message *message = command_message_new(err);

        if (!message)
                return -1;
        wait_for_work(work, outside);
        if (command_message_receive(work, message, err) < 0)
                return -1;
        launch->program = message->program;
        launch->cwd = message->cwd;
        launch->argv = message->argv;
        launch->envp = message->envp;
        return 0;
}
