/*
 * Starts a command in its sandbox on Windows: profile, token, job, grants, a process that has not begun; then it is looked at
 * what it really got, and only then it begins. What is not as it should be ends it.
 */
#include "launch/start.h"

#include <windows.h>

#include "base/windows/wide.h"
#include "launch/parts_windows.h"

enum { KILLED_CODE = 137, LAST_WAIT_MS = 5000 };

static void close_handle(void **handle) {
        if (*handle)
                CloseHandle(*handle);
        *handle = NULL;
}

/* All of the command is gone then. */
static void contained_free(struct contained *c) {
        if (c->job) {
                job_object_kill(c->job, KILLED_CODE);
                job_object_drain(c->job, LAST_WAIT_MS);
        }
        close_handle(&c->job);
        close_handle(&c->process);
        grants_take_back(&c->grants, c->profile.sid);
        profile_delete(&c->profile);
        free(c);
}

/* In a job before it runs, and what its plan says that it is. */
static int let_begin(struct contained *c, const struct appcontainer_plan *plan, void *thread, struct err *err) {
        if (job_object_take(c->job, c->process, err) < 0 || token_check(c->process, plan, c->profile.sid, err) < 0)
                return -1;
        return ResumeThread(thread) == (DWORD)-1 ? error_last(err, "ResumeThread") : 0;
}

static int spawn(struct contained *c, const struct launch *launch, const struct launch_files *files, const wchar_t *program,
                 void *token, unsigned long *ret_pid, struct err *err) {
        struct spawn_setup setup = {
                .token = token,
                .container = c->profile.sid,
                .capabilities = launch->appcontainer->capabilities,
                .program = program,
                .argv = launch->argv,
                .envp = launch->envp,
                .temporary = c->profile.folder,
                .cwd = launch->cwd,
                .out = files->out,
                .err = files->err,
        };
        struct spawned spawned;
        int result;

        if (spawn_suspended(&setup, &spawned, err) < 0)
                return -1;
        c->process = spawned.process;
        *ret_pid = spawned.pid;
        result = let_begin(c, launch->appcontainer, spawned.thread, err);
        if (result < 0) {
                TerminateProcess(c->process, KILLED_CODE); /* it may not be in the job */
                WaitForSingleObject(c->process, LAST_WAIT_MS);
        }
        CloseHandle(spawned.thread);
        return result;
}

static int make_guarantees(struct contained *c, const struct launch *launch, const struct launch_files *files,
                           unsigned long *ret_pid, struct err *err) {
        const struct appcontainer_plan *plan = launch->appcontainer;
        wchar_t program[WIDE_PATH_MAX];
        void *token = NULL;
        int result;

        if (spawn_find(launch->program, launch->envp, launch->cwd, program, WIDE_PATH_MAX, err) < 0)
                return -1;
        if (profile_make(&c->profile, err) < 0 || token_make(plan, &token, err) < 0)
                return -1;
        result = job_object_make(plan, &c->job, err);
        if (result == 0)
                result = grants_give(plan, c->profile.sid, &c->grants, err);
        if (result == 0)
                result = spawn(c, launch, files, program, token, ret_pid, err);
        close_handle(&token);
        return result;
}

int launch_start(const struct launch *launch, const struct launch_files *files, struct launched *ret, struct err *err) {
        struct contained *contained;
        unsigned long pid = 0;

        if (!launch->appcontainer)
                return err_set(err, ERR_UNSUPPORTED, "%s: not for Windows", launch->backend);
        contained = calloc(1, sizeof(*contained));
        if (!contained)
                return err_memory(err);
        if (make_guarantees(contained, launch, files, &pid, err) < 0) {
                contained_free(contained);
                return -1;
        }
        *ret = (struct launched){ .pid = (pid_t)pid, .pidfd = -1, .control = -1, .report_fd = -1, .complaints = -1 };
        ret->contained = contained;
        return 0;
}

bool launch_announces(const struct launch *launch) {
        (void)launch;
        return false;
}

int launch_started(struct launched *launched) {
        return launched->contained ? 0 : -1;
}

/* There is nothing that could ask it to end. */
void launch_signal(struct launched *launched, int number) {
        (void)number;
        launch_kill(launched);
}

void launch_signal_foreground(struct launched *launched, int number) {
        launch_signal(launched, number);
}

void launch_kill(struct launched *launched) {
        launched->killed = true;
        if (launched->contained)
                job_object_kill(launched->contained->job, KILLED_CODE);
}

int launch_end(struct launched *launched, int *ret_status, struct err *err) {
        DWORD code = KILLED_CODE;

        (void)err;
        if (launched->contained) {
                WaitForSingleObject(launched->contained->process, INFINITE);
                GetExitCodeProcess(launched->contained->process, &code);
                contained_free(launched->contained);
                launched->contained = NULL;
        }
        *ret_status = (int)code;
        return 0;
}

/* They go with the command. */
void launch_reap(struct launched *launched) {
        (void)launched;
}
