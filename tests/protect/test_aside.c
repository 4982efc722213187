#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/tree.h"
#include "protect/aside.h"

/* $W is a workspace, $S the state directory; `across` has them on different file systems. */
struct scene {
        char work[PATH_MAX], state[PATH_MAX];
        struct arena arena;
        struct aside_list list;
        struct aside_restored restored;
        struct err err;
};

static int script_status(const struct scene *scene, const char *text) {
        int status = 0;
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
                setenv("W", scene->work, 1);
                setenv("S", scene->state, 1);
                if (chdir(scene->work) == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
                        execlp("bash", "bash", "-ceu", text, (char *)NULL);
                _exit(127);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void script(const struct scene *scene, const char *text) {
        int status = script_status(scene, text);

        if (status != 0)
                fail_msg("status %d of: %s", status, text);
}

static void make_directory(const char *below, char ret[static PATH_MAX]) {
        snprintf(ret, PATH_MAX, "%s/bailey aside XXXXXX", below);
        assert_non_null(mkdtemp(ret));
}

static void scene_begin(struct scene *scene, bool across, const char *layout) {
        struct stat work, state;

        *scene = (struct scene){ .err = { 0 } };
        make_directory(across ? "/dev/shm" : "/tmp", scene->work);
        make_directory("/tmp", scene->state);
        assert_int_equal(stat(scene->work, &work), 0);
        assert_int_equal(stat(scene->state, &state), 0);
        assert_int_equal(work.st_dev != state.st_dev, across);
        arena_init(&scene->arena, 0);
        script(scene, layout);
}

static void scene_end(struct scene *scene) {
        script(scene, "cd /; chmod -R u+rwx \"$W\" \"$S\"; rm -rf \"$W\" \"$S\"");
        arena_free(&scene->arena);
}

static const char why_new[] = "new at a protected place while a command ran";

/* Of what is directly in the workspace; `sub` is "" or "/directory". */
static int add(struct scene *scene, const char *sub, const char *name, char ret_id[static ASIDE_ID_SIZE]) {
        char path[2 * PATH_MAX];
        FD_AUTO fd = -1;

        snprintf(path, sizeof(path), "%s%s", scene->work, sub);
        fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        assert_true(fd >= 0);
        return aside_add(scene->state, fd, path, name, scene->work, why_new, ret_id, &scene->err);
}

static void adds(struct scene *scene, const char *name, char ret_id[static ASIDE_ID_SIZE]) {
        if (add(scene, "", name, ret_id) < 0)
                fail_msg("%s", scene->err.msg);
        setenv("ID", ret_id, 1);
}

static size_t lists(struct scene *scene) {
        if (aside_list(scene->state, &scene->arena, &scene->list, &scene->err) < 0)
                fail_msg("%s", scene->err.msg);
        return scene->list.count;
}

static void restores(struct scene *scene, const char *id, bool force) {
        if (aside_restore(scene->state, id, force, &scene->arena, &scene->restored, &scene->err) < 0)
                fail_msg("%s", scene->err.msg);
}

static void refuses(struct scene *scene, const char *id, bool force, const char *part) {
        assert_int_equal(aside_restore(scene->state, id, force, &scene->arena, &scene->restored, &scene->err), -1);
        if (!strstr(scene->err.msg, part))
                fail_msg("no '%s' in: %s", part, scene->err.msg);
}

static const char empty_store[] = "test -z \"$(ls -A \"$S/aside\")\"";

/* ---- there and back ---- */

static void there_and_back(bool across, const char *layout, const char *name, const char *kind) {
        static const char print[] =
                "find . -printf '%P %y %m %T@ %s %l %u\\n' | grep -av '^ ' | sed 's/ \\(d.*\\) [0-9]* / \\1 /' | sort; "
                "find . -type f -exec sha256sum {} + | sort; getfattr -d -R . 2>/dev/null || :";
        char id[ASIDE_ID_SIZE], before[1024], after[1024], path[2 * PATH_MAX];
        struct scene scene;

        scene_begin(&scene, across, layout);
        snprintf(before, sizeof(before), "{ %s; } >\"$S/before\"", print);
        script(&scene, before);
        adds(&scene, name, id);
        script(&scene, "test -z \"$(ls -A)\"");
        assert_int_equal(lists(&scene), 1);
        snprintf(path, sizeof(path), "%s/%s", scene.work, name);
        assert_string_equal(scene.list.items[0].path, path);
        assert_string_equal(scene.list.items[0].id, id);
        assert_string_equal(scene.list.items[0].kind, kind);
        assert_string_equal(scene.list.items[0].why, why_new);
        assert_string_equal(scene.list.items[0].workspace, scene.work);
        assert_string_equal(scene.list.items[0].note, "");
        assert_true(strncmp(scene.list.items[0].where, scene.state, strlen(scene.state)) == 0);
        restores(&scene, id, false);
        assert_string_equal(scene.restored.aside.path, path);
        assert_string_equal(scene.restored.replaced, "");
        snprintf(after, sizeof(after), "{ %s; } >\"$S/after\"; diff \"$S/before\" \"$S/after\"", print);
        script(&scene, after);
        assert_int_equal(lists(&scene), 0);
        script(&scene, empty_store);
        scene_end(&scene);
}

static void everything_comes_back(void **state) {
        (void)state;
        for (int across = 0; across < 2; across++) {
                there_and_back(across, "echo evil >.envrc; chmod 751 .envrc; touch -d 2001-02-03 .envrc", ".envrc", "file");
                there_and_back(across, "ln -s /etc/passwd .envrc", ".envrc", "link");
                there_and_back(across, "ln -s nowhere/at/all .claude", ".claude", "link");
                there_and_back(across, "mkfifo -m 604 .envrc", ".envrc", "other");
                there_and_back(across, "mkdir .git; : >.git/config", ".git", "directory");
                there_and_back(
                        across,
                        "mkdir -p .vscode/a/b/c .vscode/'new\nline' .vscode/.x; echo 1 >.vscode/a/b/c/f; mkfifo .vscode/p; "
                        "ln -s / .vscode/root; ln -s .. .vscode/a/up; printf x >.vscode/$'\\xff\\xfe'; chmod 4755 .vscode/a/b; "
                        "setfattr -n user.mime -v x .vscode/a/b/c/f 2>/dev/null || :; head -c 300000 /dev/urandom "
                        ">.vscode/big; "
                        "touch -d 2001-02-03 .vscode/a",
                        ".vscode", "directory");
                there_and_back(across, "echo x >$'.\\n\\xff\\x1b[31m'", ".\n\xff\x1b[31m", "file");
                there_and_back(
                        across, "n=$(printf '%0255d' 0); echo x >$n",
                        "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                        "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
                        "00000000000000000000000000000000000000000000000000000",
                        "file");
        }
}

static void nothing_is_no_error_of_the_store(void **state) {
        char id[ASIDE_ID_SIZE];
        struct scene scene;

        (void)state;
        scene_begin(&scene, false, ":");
        assert_int_equal(lists(&scene), 0); /* not even a directory */
        assert_int_equal(add(&scene, "", ".envrc", id), -1);
        assert_int_equal(scene.err.code, ERR_NOT_FOUND);
        assert_int_equal(lists(&scene), 0);
        scene_end(&scene);
}

/* What closes itself off, and what is around it. */
static void locked_directories(void **state) {
        (void)state;
        for (int across = 0; across < 2; across++) {
                char id[ASIDE_ID_SIZE];
                struct scene scene;

                scene_begin(&scene, across,
                            "mkdir -p .claude/a/b; echo x >.claude/a/b/f; chmod 000 .claude/a/b/f .claude/a/b; chmod 200 "
                            ".claude/a; "
                            "chmod 000 .claude; chmod 555 .");
                adds(&scene, ".claude", id);
                script(&scene, "test ! -e .claude; test $(stat -c %a .) = 555; chmod 755 .");
                assert_int_equal(lists(&scene), 1);
                assert_string_equal(scene.list.items[0].note, "");
                restores(&scene, id, false);
                script(&scene,
                       "test $(stat -c %a .claude) = 0; chmod 700 .claude; test $(stat -c %a .claude/a) = 200; chmod 700 "
                       ".claude/a\n"
                       "test $(stat -c %a .claude/a/b) = 0; chmod 700 .claude/a/b; test $(stat -c %a .claude/a/b/f) = 0\n"
                       "chmod 600 .claude/a/b/f; test $(cat .claude/a/b/f) = x");
                scene_end(&scene);
        }
}

static void links_are_not_followed(void **state) {
        (void)state;
        for (int across = 0; across < 2; across++) {
                char id[ASIDE_ID_SIZE];
                struct scene scene;
                struct aside dropped;

                scene_begin(&scene, across,
                            "mkdir keep .idea; echo mine >keep/f; ln -s ../keep .idea/d; ln -s \"$W/keep/f\" .idea/f");
                adds(&scene, ".idea", id);
                if (aside_drop(scene.state, id, &scene.arena, &dropped, &scene.err) < 0)
                        fail_msg("%s", scene.err.msg);
                assert_string_equal(dropped.kind, "directory");
                script(&scene, "test ! -e .idea; test $(cat keep/f) = mine");
                script(&scene, empty_store);
                scene_end(&scene);
        }
}

/* ---- what does not go into the store ---- */

static void too_much_stays_beside_its_place(const char *layout, const char *name, const char *mode, const char *note) {
        char id[ASIDE_ID_SIZE], check[512], left[3 * PATH_MAX];
        struct scene scene;
        struct aside dropped;

        scene_begin(&scene, true, layout);
        adds(&scene, name, id);
        setenv("NAME", name, 1);
        assert_int_equal(lists(&scene), 1);
        snprintf(left, sizeof(left), "%s/%s.aside-%s", scene.work, name, id);
        assert_string_equal(scene.list.items[0].where, left);
        if (!strstr(scene.list.items[0].note, note))
                fail_msg("no '%s' in: %s", note, scene.list.items[0].note);
        snprintf(check, sizeof(check),
                 "test ! -e $NAME; test $(stat -c %%a $NAME.aside-$ID) = %s; ls \"$S/aside/$ID\" | diff - <(echo about.json)",
                 mode);
        script(&scene, check);
        restores(&scene, id, false);
        script(&scene, "test $(stat -c %a $NAME) = 750; test $(ls -A | wc -l) = 1");
        adds(&scene, name, id);
        if (aside_drop(scene.state, id, &scene.arena, &dropped, &scene.err) < 0)
                fail_msg("%s", scene.err.msg);
        script(&scene, "test -z \"$(ls -A)\"");
        script(&scene, empty_store);
        scene_end(&scene);
}

static void what_cannot_be_copied(void **state) {
        (void)state;
        too_much_stays_beside_its_place("truncate -s 300M .envrc; chmod 750 .envrc", ".envrc", "400", "too large");
        too_much_stays_beside_its_place("mkdir -m 750 .claude; d=.claude; for i in $(seq 80); do d=$d/d; done; mkdir -p $d",
                                        ".claude", "0", "too deep");
        too_much_stays_beside_its_place(
                "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\".envrc\")'; chmod 750 .envrc", ".envrc", "400",
                "sockets");
}

static void copies(struct scene *scene, struct copy copy, const char *why) {
        FD_AUTO dir = open(scene->work, O_PATH | O_DIRECTORY | O_CLOEXEC);
        int failed = copy_tree(dir, "from", dir, "to", &copy, &scene->err);

        assert_int_equal(failed, why ? -1 : 0);
        if (why) {
                assert_int_equal(scene->err.code, ERR_TOO_COMPLEX);
                assert_non_null(strstr(scene->err.msg, why));
        }
        script(scene, why ? "rm -r to" : "diff -r from to; rm -r to");
}

static void copies_have_limits(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene, false, "mkdir from; seq 9 | (cd from; xargs touch); head -c 100 /dev/zero >from/1");
        copies(&scene, (struct copy){ .bytes = 100, .entries = 10, .deadline = INT64_MAX }, NULL);
        copies(&scene, (struct copy){ .bytes = 99, .entries = 10, .deadline = INT64_MAX }, "too large");
        copies(&scene, (struct copy){ .bytes = 100, .entries = 9, .deadline = INT64_MAX }, "too many");
        scene.err = (struct err){ 0 };
        assert_int_equal(script_status(&scene, "test ! -e to"), 0);
        {
                FD_AUTO dir = open(scene.work, O_PATH | O_DIRECTORY | O_CLOEXEC);
                struct copy late = { .bytes = 100, .entries = 10, .deadline = 1 };

                assert_int_equal(copy_tree(dir, "from", dir, "to", &late, &scene.err), -1);
                assert_non_null(strstr(scene.err.msg, "too long"));
        }
        scene_end(&scene);
}

static void sockets_inside_are_told(void **state) {
        char id[ASIDE_ID_SIZE];
        struct scene scene;

        (void)state;
        scene_begin(&scene, true,
                    "mkdir .kiro; echo x >.kiro/f; cd .kiro; python3 -c 'import socket; "
                    "socket.socket(socket.AF_UNIX).bind(\"s\")'");
        adds(&scene, ".kiro", id);
        assert_int_equal(lists(&scene), 1);
        assert_non_null(strstr(scene.list.items[0].note, "1 sockets or devices"));
        restores(&scene, id, false);
        script(&scene, "test $(cat .kiro/f) = x; test ! -e .kiro/s; test $(ls -A | wc -l) = 1");
        scene_end(&scene);
}

/* A lease keeps a reader waiting for as long as its holder likes; a copy does not wait. */
static void leases_do_not_delay(void **state) {
        char id[ASIDE_ID_SIZE], path[PATH_MAX + 16];
        struct scene scene;
        FD_AUTO leased = -1;

        (void)state;
        scene_begin(&scene, true, "echo evil >.envrc; chmod 600 .envrc");
        snprintf(path, sizeof(path), "%s/.envrc", scene.work);
        leased = open(path, O_RDWR | O_CLOEXEC);
        assert_true(leased >= 0);
        signal(SIGIO, SIG_IGN);
        assert_int_equal(fcntl(leased, F_SETLEASE, F_WRLCK), 0);
        adds(&scene, ".envrc", id);
        assert_int_equal(lists(&scene), 1);
        assert_non_null(strstr(scene.list.items[0].where, ".envrc.aside-"));
        fd_close(TAKE_FD(leased));
        restores(&scene, id, false);
        script(&scene, "test $(cat .envrc) = evil; test $(stat -c %a .envrc) = 600");
        scene_end(&scene);
}

/* ---- restoring ---- */

static void something_is_there_now(void **state) {
        (void)state;
        for (int across = 0; across < 2; across++) {
                char id[ASIDE_ID_SIZE];
                struct scene scene;

                scene_begin(&scene, across, "echo first >.envrc");
                adds(&scene, ".envrc", id);
                script(&scene, "mkdir .envrc; echo second >.envrc/f");
                refuses(&scene, id, false, "--force");
                script(&scene, "test $(cat .envrc/f) = second");
                assert_int_equal(lists(&scene), 1);
                restores(&scene, id, true);
                script(&scene, "test $(cat .envrc) = first; test $(ls -A | wc -l) = 1");
                assert_int_equal(lists(&scene), 1);
                assert_string_equal(scene.list.items[0].id, scene.restored.replaced);
                assert_non_null(strstr(scene.list.items[0].why, id));
                restores(&scene, scene.restored.replaced, true);
                script(&scene, "test $(cat .envrc/f) = second; test $(ls -A | wc -l) = 1");
                scene_end(&scene);
        }
}

static void the_way_back(void **state) {
        (void)state;
        for (int across = 0; across < 2; across++) {
                char id[ASIDE_ID_SIZE];
                struct scene scene;

                scene_begin(&scene, across, "mkdir -p sub/deep out; echo x >sub/deep/config");
                if (add(&scene, "/sub/deep", "config", id) < 0)
                        fail_msg("%s", scene.err.msg);
                script(&scene, "rm -r sub; ln -s out sub");
                refuses(&scene, id, false, "symbolic links are not followed");
                refuses(&scene, id, true, "symbolic links are not followed");
                script(&scene, "rm sub; mkdir sub; ln -s ../out sub/deep");
                refuses(&scene, id, true, "sub/deep is no directory");
                script(&scene, "test -z \"$(ls -A out)\"; rm -r sub");
                assert_int_equal(lists(&scene), 1);
                restores(&scene, id, false);
                script(&scene, "test $(cat sub/deep/config) = x; test -z \"$(ls -A out)\"");
                scene_end(&scene);
        }
}

/* What a command still has another name for, or open, is not what comes back. */
static void other_names_lead_elsewhere(void **state) {
        (void)state;
        for (int across = 0; across < 2; across++) {
                char id[ASIDE_ID_SIZE], path[PATH_MAX + 16];
                struct scene scene;
                FD_AUTO open_file = -1;

                scene_begin(&scene, across,
                            "echo mine >.envrc; ln .envrc other; mkdir .husky; echo mine >.husky/h; ln .husky/h another");
                snprintf(path, sizeof(path), "%s/.envrc", scene.work);
                open_file = open(path, O_WRONLY | O_CLOEXEC);
                assert_true(open_file >= 0);
                adds(&scene, ".envrc", id);
                restores(&scene, id, false);
                adds(&scene, ".husky", id);
                restores(&scene, id, false);
                assert_int_equal(write(open_file, "evil\n", 5), 5);
                script(&scene,
                       "echo evil >another; test $(cat other) = evil; test $(cat .envrc) = mine; test $(cat .husky/h) = mine");
                script(&scene, empty_store);
                scene_end(&scene);
        }
}

/* What is too much to be copied comes back all the same. */
static void much_comes_back(void **state) {
        char id[ASIDE_ID_SIZE];
        struct scene scene;

        (void)state;
        scene_begin(&scene, false,
                    "d=.claude; for i in $(seq 80); do d=$d/d; done; mkdir -p $d; echo x >$d/f; chmod 500 .claude; "
                    "mkdir .zed; truncate -s 1T .zed/f; mkdir .kiro; cd .kiro; python3 -c 'import socket; "
                    "socket.socket(socket.AF_UNIX).bind(\"s\")'");
        for (size_t i = 0; i < 3; i++) {
                adds(&scene, (const char *const[]){ ".claude", ".zed", ".kiro" }[i], id);
                restores(&scene, id, false);
        }
        script(&scene, "test $(cat $(find .claude -name f)) = x; test $(stat -c %a .claude) = 500; test $(stat -c %s .zed/f) = "
                       "1099511627776\n"
                       "test -S .kiro/s; test $(ls -A | wc -l) = 3");
        script(&scene, empty_store);
        scene_end(&scene);
}

/* ---- names ---- */

static void ids(void **state) {
        char id[ASIDE_ID_SIZE], first[2] = "";
        struct scene scene;

        (void)state;
        scene_begin(&scene, false, ":");
        for (int i = 0; i < 17; i++) { /* so that two of them begin alike */
                script(&scene, "echo x >.envrc");
                adds(&scene, ".envrc", id);
        }
        assert_int_equal(lists(&scene), 17);
        for (size_t i = 1; i < 17; i++)
                assert_true(scene.list.items[i - 1].at >= scene.list.items[i].at);
        for (size_t i = 0; i < 17 && !first[0]; i++)
                for (size_t j = 0; j < i; j++)
                        if (scene.list.items[i].id[0] == scene.list.items[j].id[0])
                                first[0] = scene.list.items[i].id[0];
        refuses(&scene, first, false, "IDs begin with");
        refuses(&scene, "", false, "bailey aside list");
        refuses(&scene, "..", false, "bailey aside list");
        refuses(&scene, "../aside", false, "bailey aside list");
        refuses(&scene, "zzzzzzzz", false, "nothing is set aside with the ID 'zzzzzzzz'");
        refuses(&scene, "0123456789abcdef", false, "bailey aside list");
        id[7] = '\0';
        restores(&scene, id, false);
        assert_int_equal(lists(&scene), 16);
        scene_end(&scene);
}

/* ---- after a kill ---- */

/* `change` makes of a complete entry what a killed bailey would have left. */
static void cut_short(bool across, const char *change, size_t count, const char *then) {
        char id[ASIDE_ID_SIZE];
        struct scene scene;

        scene_begin(&scene, across, "mkdir -m 750 .claude; echo x >.claude/f");
        adds(&scene, ".claude", id);
        script(&scene, "cd \"$S/aside/$ID\"; mv about.json moving.json");
        script(&scene, change);
        for (int again = 0; again < 2; again++)
                if (lists(&scene) != count)
                        fail_msg("%zu after: %s", scene.list.count, change);
        script(&scene, then);
        if (count) {
                assert_non_null(scene.list.items[0].where);
                script(&scene, "test -e \"$S/aside/$ID/about.json\" -a ! -e \"$S/aside/$ID/moving.json\"; rm -rf .claude");
                restores(&scene, id, false);
        }
        script(&scene, "test $(cat .claude/f) = x; test $(stat -c %a .claude) = 750; test $(ls -A | wc -l) = 1");
        script(&scene, empty_store);
        scene_end(&scene);
}

static void moves_that_were_cut_short(void **state) {
        (void)state;
        for (int across = 0; across < 2; across++) {
                cut_short(across, ":", 1, "test ! -e .claude");
                cut_short(across, "mv \"$S/aside/$ID/item\" .claude", 0, ":"); /* nothing had moved yet; or all is back */
                cut_short(across, "mv \"$S/aside/$ID/item\" .claude.aside-$ID", 1,
                          "test ! -e .claude; test $(stat -c %a .claude.aside-$ID) = 0");
                cut_short(across,
                          "mv \"$S/aside/$ID/item\" .claude.aside-$ID; mkdir \"$S/aside/$ID/partial\"; touch "
                          "\"$S/aside/$ID/partial/g\"",
                          1, "test ! -e \"$S/aside/$ID/partial\"");
                /* the copy is whole, and the original not removed; or a copy for the place is not whole */
                cut_short(across, "mkdir .claude.aside-$ID; echo half >.claude.aside-$ID/g", 1, "test ! -e .claude.aside-$ID");
        }
}

static void entries_that_make_no_sense(void **state) {
        char id[ASIDE_ID_SIZE];
        struct scene scene;
        struct aside dropped;

        (void)state;
        scene_begin(&scene, false,
                    "echo x >.envrc; mkdir -p \"$S/aside/01234567\" \"$S/aside/89abcdef\"; touch \"$S/aside/89abcdef/.new-x\"");
        assert_int_equal(lists(&scene), 0);
        script(&scene, empty_store);
        adds(&scene, ".envrc", id);
        script(&scene, "echo '{' >\"$S/aside/$ID/about.json\"; mkdir \"$S/aside/other\"; touch \"$S/aside/file\"");
        assert_int_equal(lists(&scene), 1);
        assert_string_equal(scene.list.items[0].path, "");
        assert_non_null(strstr(scene.list.items[0].note, "damaged"));
        refuses(&scene, id, false, scene.list.items[0].where);
        script(&scene, "test $(cat \"$S/aside/$ID/item\") = x; rm \"$S/aside/$ID/about.json\"");
        assert_int_equal(lists(&scene), 1); /* it is never lost */
        assert_int_equal(aside_drop(scene.state, id, &scene.arena, &dropped, &scene.err), 0);
        assert_int_equal(lists(&scene), 0);
        scene_end(&scene);
}

/* Whoever moves something holds its lock; others see it, and leave it alone. */
static void another_is_at_it(void **state) {
        char id[ASIDE_ID_SIZE], path[2 * PATH_MAX];
        struct scene scene;
        FD_AUTO fd = -1;

        (void)state;
        scene_begin(&scene, false, "echo x >.envrc");
        adds(&scene, ".envrc", id);
        script(&scene, "cd \"$S/aside/$ID\"; mv about.json moving.json; mv item \"$W/.envrc\"");
        snprintf(path, sizeof(path), "%s/aside/%s", scene.state, id);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_int_equal(flock(fd, LOCK_EX), 0);
        assert_int_equal(lists(&scene), 1);
        assert_null(scene.list.items[0].where);
        refuses(&scene, id, false, "another bailey");
        fd_close(TAKE_FD(fd));
        assert_int_equal(lists(&scene), 0);
        script(&scene, "test $(cat .envrc) = x");
        scene_end(&scene);
}

/* Killed anywhere between its first and its last step, all of it is at one of the two places. */
static void killed_anywhere(bool across) {
        struct scene scene;

        scene_begin(&scene, across,
                    "mkdir .vscode; cd .vscode; for i in $(seq 40); do echo $i >$i; mkdir d$i; ln -s $i l$i; done");
        for (unsigned i = 0; i < 16; i++) {
                char id[ASIDE_ID_SIZE];
                pid_t child = fork();

                assert_true(child >= 0);
                if (child == 0) {
                        add(&scene, "", ".vscode", id);
                        _exit(0);
                }
                usleep(i * 500);
                kill(child, SIGKILL);
                assert_int_equal(waitpid(child, NULL, 0), child);
                assert_true(lists(&scene) <= 1);
                if (scene.list.count) {
                        script(&scene, "test ! -e .vscode");
                        restores(&scene, scene.list.items[0].id, false);
                }
                script(&scene,
                       "test $(ls -A) = .vscode; test $(ls .vscode | wc -l) = 120; test $(cat .vscode/[0-9]* | wc -l) = 40");
                script(&scene, empty_store);
        }
        scene_end(&scene);
}

static void kills(void **state) {
        (void)state;
        killed_anywhere(false);
        killed_anywhere(true);
}

/* Modes mean nothing to root: so all of this is done as somebody else. */
static int become_user(void **state) {
        (void)state;
        if (getuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
                return -1;
        return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* or /proc/self/fd is closed to us */
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(everything_comes_back),
                cmocka_unit_test(nothing_is_no_error_of_the_store),
                cmocka_unit_test(locked_directories),
                cmocka_unit_test(links_are_not_followed),
                cmocka_unit_test(what_cannot_be_copied),
                cmocka_unit_test(copies_have_limits),
                cmocka_unit_test(sockets_inside_are_told),
                cmocka_unit_test(leases_do_not_delay),
                cmocka_unit_test(something_is_there_now),
                cmocka_unit_test(the_way_back),
                cmocka_unit_test(other_names_lead_elsewhere),
                cmocka_unit_test(much_comes_back),
                cmocka_unit_test(ids),
                cmocka_unit_test(moves_that_were_cut_short),
                cmocka_unit_test(entries_that_make_no_sense),
                cmocka_unit_test(another_is_at_it),
                cmocka_unit_test(kills),
        };

        return cmocka_run_group_tests(tests, become_user, NULL);
}
