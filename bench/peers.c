/*
 * The others, as far as they are installed: `echo hi` in each, beside the same without a sandbox. Each has its usual one; what
 * these are differs much, see docs/performance.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "bench/bench.h"

enum { WORDS_MAX = 20, LEAST = 10, BUDGET_S = 12 };

#define ROOT "@root"   /* a directory with nothing but a static bash */
#define IMAGE "@image" /* the same as an image of docker */

/* Ways to ask: the first that answers is measured. */
static const struct peer {
        const char *name, *argv[WORDS_MAX];
} peers[] = {
        { "firejail",
          { "firejail", "--quiet", "--noprofile", "--private-tmp", "--net=none", "--caps.drop=all", "--seccomp", "bash", "-c",
            "echo hi" } },
        { "nsjail", { "nsjail", "-Mo", "--really_quiet", "--chroot", "/", "--", "/bin/bash", "-c", "echo hi" } },
        { "codex", { "codex", "sandbox", "--", "bash", "-c", "echo hi" } },
        { "codex", { "codex", "sandbox", "linux", "--", "bash", "-c", "echo hi" } },
        { "codex", { "codex", "debug", "landlock", "--", "bash", "-c", "echo hi" } },
        { "srt", { "srt", "-c", "echo hi" } },
        { "podman", { "podman", "run", "--rm", "--network=none", "--rootfs", ROOT, "/bash", "-c", "echo hi" } },
        { "podman",
          { "podman", "--cgroup-manager=cgroupfs", "--runtime=runc", "run", "--rm", "--network=none", "--ulimit",
            "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "--rootfs", ROOT, "/bash", "-c", "echo hi" } },
        { "docker", { "docker", "run", "--rm", "--network=none", IMAGE, "/bash", "-c", "echo hi" } },
};

static const char image[] = "localhost/bailey-bench:latest";

/* A root for containers. Returns false without a static bash. */
static bool make_root(const struct bench *bench, char ret_root[static PATH_MAX]) {
        char from[PATH_MAX], command[4 * PATH_MAX];
        const char *const argv[] = { bench->bash, "-c", command, NULL };
        const struct child program = { .argv = argv };
        BUF_AUTO said;

        buf_init(&said, OUTPUT_MAX);
        snprintf(ret_root, PATH_MAX, "%.4000s/root", bench->place);
        if (!child_find(bench, "bash-static", from))
                return false;
        snprintf(command, sizeof(command), "mkdir -p '%s' && cp '%s' '%s/bash'", ret_root, from, ret_root);
        return child_output(bench, &program, &said);
}

static bool make_image(const struct bench *bench, const char *root, const char *docker, bool make) {
        char command[4 * PATH_MAX];
        const char *const argv[] = { bench->bash, "-c", command, NULL };
        const struct child program = { .argv = argv };
        BUF_AUTO said;

        buf_init(&said, OUTPUT_MAX);
        if (make)
                snprintf(command, sizeof(command), "set -o pipefail; tar -C '%s' -c . | '%s' import - %s", root, docker, image);
        else
                snprintf(command, sizeof(command), "'%s' rmi --force %s", docker, image);
        return child_output(bench, &program, &said);
}

static void take_turns(struct bench *bench, const struct child *program, const char *name) {
        const char *const argv[] = { bench->bash, "-c", "echo hi", NULL };
        const struct child plain = { .argv = argv };
        struct samples theirs = { 0 }, ours = { 0 };
        int64_t until = time_monotonic() + (bench->quick ? 0 : BUDGET_S * TIME_SECOND);
        char row_name[48], what[64];

        for (size_t i = 0; i < bench->n && (i < LEAST || time_monotonic() < until); i++) {
                samples_add(&theirs, child_time(bench, program, NULL));
                samples_add(&ours, child_time(bench, &plain, NULL));
        }
        snprintf(row_name, sizeof(row_name), "peers-%s", name);
        snprintf(what, sizeof(what), "peer %s: echo hi", name);
        row_ratio(row_add(bench, row_name, what, "bash -c 'echo hi'"), &theirs, &ours, NO_GOAL, 0);
        samples_free(&theirs);
        samples_free(&ours);
}

/* Measures it where it works; says why not where it does not. */
static bool try_peer(struct bench *bench, const struct peer *peer, const char *path, const char *root, struct buf *said) {
        const char *argv[WORDS_MAX + 1] = { path };
        const struct child program = { .argv = argv };
        bool image_made = false, works;

        for (size_t i = 1; i < WORDS_MAX && peer->argv[i]; i++) {
                argv[i] = peer->argv[i];
                if (strcmp(argv[i], ROOT) == 0)
                        argv[i] = root;
                if (strcmp(argv[i], IMAGE) == 0) {
                        argv[i] = image;
                        image_made = make_image(bench, root, path, true);
                }
        }
        works = child_output(bench, &program, said) && str_ends(buf_str(said), STR("hi\n"));
        if (works)
                take_turns(bench, &program, peer->name);
        if (image_made)
                make_image(bench, root, path, false);
        return works;
}

static void skip_peer(struct bench *bench, const char *name, struct str said) {
        char row_name[48], what[64];

        snprintf(row_name, sizeof(row_name), "peers-%s", name);
        snprintf(what, sizeof(what), "peer %s: echo hi", name);
        row_skip(row_add(bench, row_name, what, "bash -c 'echo hi'"), "does not work here: %.*s", (int)str_find(said, '\n'),
                 said.len ? said.ptr : "");
}

void measure_peers(struct bench *bench) {
        char path[PATH_MAX], root[PATH_MAX];
        bool has_root = make_root(bench, root), works;
        struct wrapped wrapped;
        BUF_AUTO said, answer;

        buf_init(&said, OUTPUT_MAX);
        buf_init(&answer, OUTPUT_MAX);
        if (bwrap_like_bailey(bench, &wrapped)) {
                if (child_output(bench, &wrapped.program, &said))
                        take_turns(bench, &wrapped.program, "bwrap");
                else
                        skip_peer(bench, "bwrap", buf_str(&said));
                wrapped_free(&wrapped);
        }
        for (size_t i = 0, next; i < sizeof(peers) / sizeof(*peers); i = next) {
                bool needs_root = strcmp(peers[i].name, "podman") == 0 || strcmp(peers[i].name, "docker") == 0;
                bool here = child_find(bench, peers[i].name, path);

                works = false;
                buf_clear(&said);
                if (needs_root && !has_root)
                        buf_append(&said, STR("it needs a bash-static"));
                for (next = i; next < sizeof(peers) / sizeof(*peers) && strcmp(peers[next].name, peers[i].name) == 0; next++) {
                        if (!here || works || (needs_root && !has_root))
                                continue;
                        buf_clear(&answer);
                        works = try_peer(bench, &peers[next], path, root, &answer);
                        if (next == i)
                                buf_append(&said, buf_str(&answer));
                }
                if (here && !works)
                        skip_peer(bench, peers[i].name, buf_str(&said));
        }
}
