#include "launch/parts_windows.h"

#include <windows.h>

/* A plan has the numbers of Windows, on every system. */
_Static_assert(APPCONTAINER_PROCESS_TIME == JOB_OBJECT_LIMIT_PROCESS_TIME &&
                       APPCONTAINER_ACTIVE_PROCESSES == JOB_OBJECT_LIMIT_ACTIVE_PROCESS &&
                       APPCONTAINER_PRIORITY == JOB_OBJECT_LIMIT_PRIORITY_CLASS &&
                       APPCONTAINER_PROCESS_MEMORY == JOB_OBJECT_LIMIT_PROCESS_MEMORY &&
                       APPCONTAINER_JOB_MEMORY == JOB_OBJECT_LIMIT_JOB_MEMORY &&
                       APPCONTAINER_DIE_ON_EXCEPTION == JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION &&
                       APPCONTAINER_KILL_ON_CLOSE == JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
               "limits of jobs");
_Static_assert(APPCONTAINER_HANDLES == JOB_OBJECT_UILIMIT_HANDLES &&
                       APPCONTAINER_READ_CLIPBOARD == JOB_OBJECT_UILIMIT_READCLIPBOARD &&
                       APPCONTAINER_WRITE_CLIPBOARD == JOB_OBJECT_UILIMIT_WRITECLIPBOARD &&
                       APPCONTAINER_SYSTEM_PARAMETERS == JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS &&
                       APPCONTAINER_DISPLAY_SETTINGS == JOB_OBJECT_UILIMIT_DISPLAYSETTINGS &&
                       APPCONTAINER_GLOBAL_ATOMS == JOB_OBJECT_UILIMIT_GLOBALATOMS &&
                       APPCONTAINER_DESKTOP == JOB_OBJECT_UILIMIT_DESKTOP &&
                       APPCONTAINER_EXIT_WINDOWS == JOB_OBJECT_UILIMIT_EXITWINDOWS,
               "limits of screens");

enum { TICKS = 10000000 /* of a second */, DRAIN_PAUSE_MS = 5 };

/* No flag lets a process break away, and none is set beside these. */
static int set_limits(HANDLE job, const struct appcontainer_plan *plan, struct err *err) {
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {
                .BasicLimitInformation = {
                        .LimitFlags = plan->limits,
                        .PriorityClass = BELOW_NORMAL_PRIORITY_CLASS,
                        .ActiveProcessLimit = plan->active_processes,
                        .PerProcessUserTimeLimit.QuadPart = (LONGLONG)(plan->process_seconds * TICKS),
                },
                .ProcessMemoryLimit = plan->memory_bytes,
                .JobMemoryLimit = plan->memory_bytes,
        };
        JOBOBJECT_BASIC_UI_RESTRICTIONS screen = { .UIRestrictionsClass = plan->screen };

        if (!SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof(limits)))
                return error_last(err, "the limits of a job");
        if (!SetInformationJobObject(job, JobObjectBasicUIRestrictions, &screen, sizeof(screen)))
                return error_last(err, "what a job may not do to screens");
        return 0;
}

int job_object_make(const struct appcontainer_plan *plan, void **ret_job, struct err *err) {
        HANDLE job = CreateJobObjectW(NULL, NULL);

        if (!job)
                return error_last(err, "CreateJobObject");
        if (set_limits(job, plan, err) < 0) {
                CloseHandle(job);
                return -1;
        }
        *ret_job = job;
        return 0;
}

int job_object_take(void *job, void *process, struct err *err) {
        BOOL inside = FALSE;

        if (!AssignProcessToJobObject(job, process))
                return error_last(err, "AssignProcessToJobObject");
        if (!IsProcessInJob(process, job, &inside) || !inside)
                return err_set(err, ERR_UNSUPPORTED, "the command is not in its job, although Windows said so");
        return 0;
}

void job_object_kill(void *job, unsigned code) {
        TerminateJobObject(job, code);
}

void job_object_drain(void *job, unsigned milliseconds) {
        JOBOBJECT_BASIC_ACCOUNTING_INFORMATION told;
        ULONGLONG end = GetTickCount64() + milliseconds;

        while (QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &told, sizeof(told), NULL) &&
               told.ActiveProcesses > 0 && GetTickCount64() < end)
                Sleep(DRAIN_PAUSE_MS);
}
