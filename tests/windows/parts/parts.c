/*
 * The parts that a command is started with, each by itself, as far as wine has what they need: quoting, pipes, files, exit
 * codes, jobs, time limits. And that those which wine does not have fail, and say so.
 */
#include <windows.h>

#include "base/fd.h"
#include "base/program.h"
#include "base/time.h"
#include "base/windows/wide.h"
#include "launch/parts_windows.h"
#include "run/job.h"
#include "tests/windows/parts/tap.h"

static wchar_t child_path[WIDE_PATH_MAX]; /* child.exe, beside this program */
static char here[PATH_MAX];

static const char *const no_variables[] = { "PATH=", NULL };
static const char *const groups[] = { "S-1-5-32-544", "S-1-5-32-545", "S-1-5-11", NULL };
static const char *const none[] = { NULL };

static const struct appcontainer_plan plan = {
        .capabilities = none,
        .disabled_groups = groups,
        .integrity = "S-1-16-4096",
        .limits = APPCONTAINER_KILL_ON_CLOSE | APPCONTAINER_DIE_ON_EXCEPTION | APPCONTAINER_PRIORITY |
                  APPCONTAINER_ACTIVE_PROCESSES,
        .screen = 0xff,
        .active_processes = 8,
};

/* ---- a command without walls, the rest of it as in bailey ---- */

struct command {
        struct stream out, err;
        struct job job;
};

static void command_start(struct command *c, const char *const *argv, const char *const *envp) {
        struct contained *contained = calloc(1, sizeof(*contained));
        int out[2], errors[2];
        struct spawned spawned;
        struct err err = { 0 };
        struct spawn_setup setup = { .program = child_path, .argv = argv, .envp = envp, .cwd = here };

        *c = (struct command){ 0 };
        CHECK(stream_init(&c->out, 64 << 10, TERMINAL_KEEP, NULL, &err) == 0);
        CHECK(stream_init(&c->err, 64 << 10, TERMINAL_KEEP, NULL, &err) == 0);
        CHECK(fd_pipe(out, &err) == 0 && fd_pipe(errors, &err) == 0);
        setup.out = out[1];
        setup.err = errors[1];
        CHECK(job_object_make(&plan, &contained->job, &err) == 0);
        CHECK(spawn_suspended(&setup, &spawned, &err) == 0);
        CHECK(job_object_take(contained->job, spawned.process, &err) == 0);
        CHECK(ResumeThread(spawned.thread) == 1); /* it was suspended */
        if (tap_problem)
                printf("# %s\n", err.msg);
        CloseHandle(spawned.thread);
        contained->process = spawned.process;
        fd_close(out[1]);
        fd_close(errors[1]);
        c->job = (struct job){
                .launched = { .contained = contained },
                .sources = { { .stream = &c->out, .fd = out[0] }, { .stream = &c->err, .fd = errors[0] } },
                .begun = time_monotonic(),
                .cancel_fd = -1,
        };
}

static void command_end(struct command *c) {
        struct err err;

        while (!tap_problem && job_turn(&c->job, true, &err) == JOB_RUNS)
                ;
}

static void command_free(struct command *c) {
        stream_free(&c->out);
        stream_free(&c->err);
}

static struct captured output_of(const struct stream *stream, struct arena *arena) {
        struct captured captured = { 0 };
        struct err err;

        CHECK(stream_finish(stream, arena, &captured, &err) == 0);
        return captured;
}

static bool text_is(const struct stream *stream, const char *wanted) {
        struct captured captured;
        bool same;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        captured = output_of(stream, &arena);
        same = str_is(captured.text, wanted);
        if (!same)
                printf("# wanted %s\n# has %.*s\n", wanted, (int)captured.text.len, captured.text.ptr);
        return same;
}

static bool text_has(const struct stream *stream, const char *part) {
        struct captured captured;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        captured = output_of(stream, &arena);
        return memmem(captured.text.ptr, captured.text.len, part, strlen(part)) != NULL;
}

static void run_child(struct command *c, const char *const *argv) {
        command_start(c, argv, no_variables);
        command_end(c);
}

/* ---- arguments ---- */

static const char *const nasty[] = {
        "child.exe",
        "arguments",
        "",
        " ",
        "a b",
        "\t",
        "\"",
        "\"\"",
        "\\",
        "\\\\",
        "\\\"",
        "a\\",
        "a b\\",
        "a\\\\",
        "\\\\\"x",
        "x\\y",
        "C:\\Program Files\\",
        "%PATH%",
        "^&|<>()!",
        "a\nb",
        "'",
        "'\"'",
        "*",
        "?",
        "@file",
        "--",
        "/c",
        "\"a\" \"b\"",
        "a\" b",
        "\xc3\xa4\xe2\x82\xac\xf0\x9f\x8f\xb0",
        "end",
        NULL,
};

static void arguments_arrive(void) {
        struct command c;
        BUF_AUTO wanted;

        buf_init(&wanted, 1 << 16);
        for (const char *const *a = nasty + 2; *a; a++)
                buf_format(&wanted, "%u:%s\n", (unsigned)strlen(*a), *a);
        buf_char(&wanted, 0);
        run_child(&c, nasty);
        CHECK(text_is(&c.out, wanted.ptr));
        CHECK(c.job.outcome.status == 0);
        command_free(&c);
}

/* Every text of up to five of these, many at a time. */
enum { BATCH = 625 };

static void all_quotes_arrive(void) {
        static const char letters[] = "\\\" a";
        const char *argv[BATCH + 3] = { "child.exe", "arguments" };
        char texts[BATCH][6];
        size_t count = 0, batches = 0;
        int digits[5] = { 0 };

        while (digits[4] < 5 && !tap_problem) {
                size_t len = 0;

                for (int i = 0; i < 5; i++)
                        if (digits[i])
                                texts[count][len++] = letters[digits[i] - 1];
                texts[count][len] = 0;
                argv[2 + count] = texts[count];
                count++;
                for (int i = 0; i < 5 && ++digits[i] == 5 && i < 4; i++)
                        digits[i] = 0;
                if (count == BATCH || digits[4] == 5) {
                        struct command c;
                        BUF_AUTO wanted;

                        argv[2 + count] = NULL;
                        buf_init(&wanted, 1 << 16);
                        for (size_t i = 0; i < count; i++)
                                buf_format(&wanted, "%u:%s\n", (unsigned)strlen(texts[i]), texts[i]);
                        buf_char(&wanted, 0);
                        run_child(&c, argv);
                        CHECK(text_is(&c.out, wanted.ptr));
                        command_free(&c);
                        count = 0;
                        batches++;
                }
        }
        CHECK(batches == 5);
}

static void environment_is_all(void) {
        static const char *const argv[] = { "child.exe", "environment", NULL };
        static const char *const envp[] = { "zeta=1", "Alpha=\xc3\xa4 b", "TEMP=here", NULL };
        struct command c;

        command_start(&c, argv, envp);
        command_end(&c);
        CHECK(text_has(&c.out, "ALPHA=\xc3\xa4 b\n"));
        CHECK(text_has(&c.out, "\nTEMP=here\n") && text_has(&c.out, "\nZETA=1\n") &&
              text_has(&c.out, "\nSYSTEMROOT=C:\\windows\n"));
        CHECK(!text_has(&c.out, "USERPROFILE=") && !text_has(&c.out, "\nPATH="));
        command_free(&c);
}

/* ---- output and exit ---- */

static void streams_stay_apart(void) {
        static const char *const argv[] = { "child.exe", "both", NULL };
        struct command c;

        run_child(&c, argv);
        CHECK(text_is(&c.out, "to stdout\n"));
        CHECK(text_is(&c.err, "to stderr\n"));
        command_free(&c);
}

static void much_output_is_bounded(void) {
        static const char *const argv[] = { "child.exe", "much", "200000", NULL };
        struct captured captured;
        struct command c;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        run_child(&c, argv);
        captured = output_of(&c.out, &arena);
        CHECK(c.out.capture.total == 3888890);
        CHECK(captured.truncated && captured.text.len <= (64 << 10) + 200);
        CHECK(str_starts(captured.text, STR("line 0 of many\n")));
        CHECK(str_ends(captured.text, STR("line 199999 of many\n")));
        command_free(&c);
}

static void exit_codes_are_whole(void) {
        static const struct {
                const char *text;
                int code;
        } rows[] = { { "0", 0 }, { "1", 1 }, { "42", 42 }, { "255", 255 }, { "256", 256 }, { "0x10000", 0x10000 } };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                const char *const argv[] = { "child.exe", "exit", rows[i].text, NULL };
                struct command c;

                run_child(&c, argv);
                CHECK(c.job.outcome.status == rows[i].code);
                command_free(&c);
        }
}

static void there_is_no_input(void) {
        static const char *const argv[] = { "child.exe", "input", NULL };
        struct command c;

        run_child(&c, argv);
        CHECK(text_is(&c.out, "-1\n") || text_is(&c.out, "0\n"));
        command_free(&c);
}

/* ---- what it inherits ---- */

/* The same without a list: all that can be inherited is. */
static bool set_by_heir(const char *number) {
        STARTUPINFOW start = { .cb = sizeof(start) };
        PROCESS_INFORMATION process;
        wchar_t line[64];

        swprintf(line, 64, L"child handle %hs", number);
        if (!CreateProcessW(child_path, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &process))
                return false;
        WaitForSingleObject(process.hProcess, INFINITE);
        CloseHandle(process.hProcess);
        CloseHandle(process.hThread);
        return true;
}

/* One that could be inherited is not; with such a list, only what is on it is. */
static void only_two_files_are_inherited(void) {
        SECURITY_ATTRIBUTES inherit = { .nLength = sizeof(inherit), .bInheritHandle = TRUE };
        HANDLE event = CreateEventW(&inherit, TRUE, FALSE, NULL);
        const char *argv[] = { "child.exe", "handle", NULL, NULL };
        char number[32];
        struct command c;

        CHECK(event != NULL);
        snprintf(number, sizeof(number), "%llu", (unsigned long long)(uintptr_t)event);
        argv[2] = number;
        run_child(&c, argv);
        CHECK(c.job.outcome.status == 0 && WaitForSingleObject(event, 0) == WAIT_TIMEOUT);
        command_free(&c);
        CHECK(set_by_heir(number)); /* else the case would show nothing */
        CHECK(WaitForSingleObject(event, 0) == WAIT_OBJECT_0);
        CloseHandle(event);
}

/* ---- jobs ---- */

static bool is_gone(unsigned long pid) {
        HANDLE process = OpenProcess(SYNCHRONIZE, FALSE, pid);
        bool gone = !process || WaitForSingleObject(process, 300000) == WAIT_OBJECT_0;

        if (process)
                CloseHandle(process);
        return gone;
}

/* The command has ended by itself; what it left must not go on. */
static void nothing_is_left_behind(void) {
        static const char *const argv[] = { "child.exe", "leave", NULL };
        struct captured captured;
        struct command c;
        const char *digits;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        run_child(&c, argv);
        captured = output_of(&c.out, &arena);
        digits = captured.text.len ? arena_dup(&arena, captured.text) : "";
        digits += strcspn(digits, "0123456789");
        CHECK(*digits && is_gone(strtoul(digits, NULL, 10)));
        CHECK(c.job.outcome.status == 0);
        command_free(&c);
}

static void closing_the_job_kills(void) {
        static const char *const argv[] = { "child.exe", "sleep", "600", NULL };
        int out[2], errors[2];
        struct err err;
        struct spawn_setup setup = { .program = child_path, .argv = argv, .envp = no_variables, .cwd = here };
        struct spawned spawned = { 0 };
        void *job = NULL;

        CHECK(fd_pipe(out, &err) == 0 && fd_pipe(errors, &err) == 0);
        setup.out = out[1];
        setup.err = errors[1];
        CHECK(job_object_make(&plan, &job, &err) == 0);
        CHECK(spawn_suspended(&setup, &spawned, &err) == 0 && job_object_take(job, spawned.process, &err) == 0);
        ResumeThread(spawned.thread);
        CHECK(WaitForSingleObject(spawned.process, 200) == WAIT_TIMEOUT);
        CloseHandle(job);
        CHECK(WaitForSingleObject(spawned.process, 300000) == WAIT_OBJECT_0);
        CloseHandle(spawned.process);
        CloseHandle(spawned.thread);
        for (size_t i = 0; i < 2; i++) {
                fd_close(out[i]);
                fd_close(errors[i]);
        }
}

static void time_runs_out(void) {
        static const char *const argv[] = { "child.exe", "sleep", "600", NULL };
        struct command c;

        command_start(&c, argv, no_variables);
        c.job.deadline = c.job.begun + TIME_SECOND;
        command_end(&c);
        CHECK(c.job.outcome.timed_out && !c.job.outcome.cancelled);
        CHECK(c.job.outcome.duration >= TIME_SECOND && c.job.outcome.duration < 500 * TIME_SECOND);
        command_free(&c);
}

static void somebody_cancels(void) {
        static const char *const argv[] = { "child.exe", "sleep", "600", NULL };
        int ends[2];
        struct command c;
        struct err err;

        CHECK(fd_pipe(ends, &err) == 0);
        command_start(&c, argv, no_variables);
        c.job.cancel_fd = ends[0];
        CHECK(write(ends[1], "", 1) == 1);
        command_end(&c);
        CHECK(c.job.outcome.cancelled && !c.job.outcome.timed_out);
        CHECK(c.job.outcome.duration < 500 * TIME_SECOND);
        command_free(&c);
        fd_close(ends[0]);
        fd_close(ends[1]);
}

/* ---- what wine does not do ---- */

/* Wine says that it has set the integrity level, and has not. */
static void a_wrong_integrity_is_seen(void) {
        static const char *const argv[] = { "child.exe", "both", NULL };
        struct err err = { 0 };
        struct spawn_setup setup = { .program = child_path, .argv = argv, .envp = no_variables, .cwd = here };
        struct spawned spawned = { 0 };
        unsigned long level = 0;
        int out[2], errors[2];
        char byte;

        CHECK(fd_pipe(out, &err) == 0 && fd_pipe(errors, &err) == 0);
        setup.out = out[1];
        setup.err = errors[1];
        CHECK(token_make(&plan, &setup.token, &err) == 0);
        CHECK(spawn_suspended(&setup, &spawned, &err) == 0);
        CHECK(token_integrity(spawned.process, &level, &err) == 0 && level != 0x1000);
        CHECK(token_check(spawned.process, &plan, NULL, &err) < 0 && err.code == ERR_UNSUPPORTED);
        CHECK(strstr(err.msg, "integrity level 0x") && strstr(err.msg, "instead of 0x1000"));
        TerminateProcess(spawned.process, 1);
        CHECK(WaitForSingleObject(spawned.process, 300000) == WAIT_OBJECT_0);
        fd_close(out[1]);
        fd_close(errors[1]);
        CHECK(read(out[0], &byte, 1) <= 0); /* it had not begun */
        fd_close(out[0]);
        fd_close(errors[0]);
        CloseHandle(spawned.process);
        CloseHandle(spawned.thread);
        CloseHandle(setup.token);
}

static void a_token_loses_its_groups(void) {
        struct err err;
        void *token = NULL;
        union {
                TOKEN_GROUPS groups;
                char room[8192];
        } info;
        DWORD size = 0, denied = 0;

        CHECK(token_make(&plan, &token, &err) == 0);
        CHECK(GetTokenInformation(token, TokenGroups, &info, sizeof(info), &size));
        for (DWORD i = 0; i < info.groups.GroupCount; i++)
                denied += (info.groups.Groups[i].Attributes & SE_GROUP_USE_FOR_DENY_ONLY) != 0;
        CHECK(denied >= 2);
        CloseHandle(token);
}

static void there_are_no_appcontainers(void) {
        struct profile profile;
        struct err err = { 0 };

        CHECK(profile_make(&profile, &err) < 0 && err.code == ERR_UNSUPPORTED);
        CHECK(strstr(err.msg, "wine"));
}

/* As bailey would: with all walls. It must not have begun. */
static void a_launch_fails_closed(void) {
        static const char *const argv[] = { "child.exe", "both", NULL };
        struct launch launch = {
                .backend = "appcontainer",
                .appcontainer = &plan,
                .argv = argv,
                .envp = no_variables,
                .cwd = here,
        };
        struct launch_files files;
        struct launched launched;
        struct err err = { 0 };
        char path[PATH_MAX], byte;
        int ends[2];

        CHECK(wide_path_back(child_path, path, sizeof(path)) == 0 && fd_pipe(ends, &err) == 0);
        launch.program = path;
        files = (struct launch_files){ .in = -1, .out = ends[1], .err = ends[1] };
        CHECK(launch_start(&launch, &files, &launched, &err) < 0 && err.code == ERR_UNSUPPORTED);
        fd_close(ends[1]);
        CHECK(read(ends[0], &byte, 1) <= 0);
        fd_close(ends[0]);
        launch.appcontainer = NULL;
        CHECK(launch_start(&launch, &files, &launched, &err) < 0 && err.code == ERR_UNSUPPORTED);
}

/* ---- programs ---- */

static void programs_are_found_in_path_only(void) {
        char directory[PATH_MAX + 8], full[PATH_MAX];
        const char *envp[] = { directory, NULL };
        wchar_t found[WIDE_PATH_MAX];
        struct err err;

        CHECK(wide_path_back(child_path, full, sizeof(full)) == 0);
        *strrchr(full, '/') = 0;
        snprintf(directory, sizeof(directory), "PATH=C:\\nowhere;;%s", full);
        CHECK(spawn_find("child", envp, here, found, WIDE_PATH_MAX, &err) == 0);
        CHECK(spawn_find("child.exe", envp, here, found, WIDE_PATH_MAX, &err) == 0);
        CHECK(spawn_find("child", no_variables, full, found, WIDE_PATH_MAX, &err) < 0 && err.code == ERR_NOT_FOUND);
        CHECK(spawn_find("./child", no_variables, full, found, WIDE_PATH_MAX, &err) == 0);
        CHECK(spawn_find("x.bat", envp, here, found, WIDE_PATH_MAX, &err) < 0 && strstr(err.msg, "cmd.exe"));
        CHECK(spawn_find("C:\\x.CMD", envp, here, found, WIDE_PATH_MAX, &err) < 0 && strstr(err.msg, "cmd.exe"));
        CHECK(spawn_find("child", envp, here, found, 8, &err) < 0 && strstr(err.msg, "too long"));
        CHECK(spawn_find("missing", envp, here, found, WIDE_PATH_MAX, &err) < 0 && err.code == ERR_NOT_FOUND);
}

int main(int argc, char **argv) {
        wchar_t *name;

        if (program_begin(&argc, &argv) < 0 || !GetModuleFileNameW(NULL, child_path, WIDE_PATH_MAX - 16) ||
            !(name = wcsrchr(child_path, L'\\')) || !getcwd(here, sizeof(here)))
                return 1;
        wcscpy_s(name + 1, 16, L"child.exe");
        tap_case("arguments arrive as they are", arguments_arrive);
        tap_case("every text of backslashes, quotes and spaces arrives", all_quotes_arrive);
        tap_case("the environment is what it is given, and SYSTEMROOT", environment_is_all);
        tap_case("stdout and stderr stay apart", streams_stay_apart);
        tap_case("of much output head and tail are kept", much_output_is_bounded);
        tap_case("exit codes have 32 bits", exit_codes_are_whole);
        tap_case("there is nothing to read", there_is_no_input);
        tap_case("only two files are inherited", only_two_files_are_inherited);
        tap_case("what a command leaves behind is killed", nothing_is_left_behind);
        tap_case("closing the job kills", closing_the_job_kills);
        tap_case("a command is killed when its time is over", time_runs_out);
        tap_case("a command is killed when somebody wants it", somebody_cancels);
        tap_case("a process with the wrong integrity level is seen", a_wrong_integrity_is_seen);
        tap_case("a token's groups are for denying only", a_token_loses_its_groups);
        tap_case("without AppContainers there is an error", there_are_no_appcontainers);
        tap_case("without walls nothing begins", a_launch_fails_closed);
        tap_case("programs are found in PATH, and nowhere else", programs_are_found_in_path_only);
        return tap_end();
}
