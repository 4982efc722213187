#include "launch/parts_windows.h"

#include <windows.h>

#include <sddl.h>

#include "base/windows/wide.h"

enum { GROUPS_MAX = 8, SID_SIZE = 68 };

/* ---- making ---- */

static int sid_of(const char *text, PSID *ret, struct err *err) {
        return ConvertStringSidToSidA(text, ret) ? 0 : error_last(err, text);
}

static int restrict_token(HANDLE own, const struct appcontainer_plan *plan, HANDLE *ret, struct err *err) {
        SID_AND_ATTRIBUTES groups[GROUPS_MAX] = { 0 };
        DWORD count = 0;
        int result = 0;

        for (; plan->disabled_groups[count] && result == 0; count++)
                result = count < GROUPS_MAX ? sid_of(plan->disabled_groups[count], &groups[count].Sid, err)
                                            : err_set(err, ERR_TOO_COMPLEX, "more than %d groups to disable", GROUPS_MAX);
        if (result == 0 && !CreateRestrictedToken(own, DISABLE_MAX_PRIVILEGE, count, groups, 0, NULL, 0, NULL, ret))
                result = error_last(err, "CreateRestrictedToken");
        for (DWORD i = 0; i < GROUPS_MAX; i++)
                LocalFree(groups[i].Sid);
        return result;
}

static int lower_integrity(HANDLE token, const struct appcontainer_plan *plan, struct err *err) {
        TOKEN_MANDATORY_LABEL label = { .Label.Attributes = SE_GROUP_INTEGRITY };
        int result = sid_of(plan->integrity, &label.Label.Sid, err);

        if (result == 0 &&
            !SetTokenInformation(token, TokenIntegrityLevel, &label, sizeof(label) + GetLengthSid(label.Label.Sid)))
                result = error_last(err, "the integrity level of a token");
        LocalFree(label.Label.Sid);
        return result;
}

int token_make(const struct appcontainer_plan *plan, void **ret_token, struct err *err) {
        HANDLE own = NULL, token = NULL;
        int result;

        if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY | TOKEN_DUPLICATE | TOKEN_ASSIGN_PRIMARY | TOKEN_ADJUST_DEFAULT,
                              &own))
                return error_last(err, "OpenProcessToken");
        result = restrict_token(own, plan, &token, err);
        CloseHandle(own);
        if (result == 0 && lower_integrity(token, plan, err) < 0) {
                CloseHandle(token);
                result = -1;
        }
        if (result == 0)
                *ret_token = token;
        return result;
}

/* ---- checking ---- */

static int open_token(HANDLE process, HANDLE *ret, struct err *err) {
        return OpenProcessToken(process, TOKEN_QUERY, ret) ? 0 : error_last(err, "the token of the command");
}

static int query_integrity(HANDLE token, unsigned long *ret, struct err *err) {
        union {
                TOKEN_MANDATORY_LABEL label;
                char room[sizeof(TOKEN_MANDATORY_LABEL) + SID_SIZE];
        } info;
        DWORD size;
        PSID sid;

        if (!GetTokenInformation(token, TokenIntegrityLevel, &info, sizeof(info), &size))
                return error_last(err, "the integrity level of the command");
        sid = info.label.Label.Sid;
        *ret = *GetSidSubAuthority(sid, (DWORD)(*GetSidSubAuthorityCount(sid) - 1));
        return 0;
}

int token_integrity(void *process, unsigned long *ret, struct err *err) {
        HANDLE token;
        int result;

        if (open_token(process, &token, err) < 0)
                return -1;
        result = query_integrity(token, ret, err);
        CloseHandle(token);
        return result;
}

static int check_integrity(HANDLE token, const struct appcontainer_plan *plan, struct err *err) {
        const char *last = strrchr(plan->integrity, '-');
        unsigned long wanted = last ? strtoul(last + 1, NULL, 10) : 0, has = 0;

        if (query_integrity(token, &has, err) < 0)
                return -1;
        if (has == wanted)
                return 0;
        return err_set(
                err, ERR_UNSUPPORTED,
                "the command got integrity level 0x%lx instead of 0x%lx, although Windows said it was set; it was killed "
                "before it began",
                has, wanted);
}

/* It is one, and the one that was made for it, and no other that may have been granted something else. */
static int check_container(HANDLE token, void *sid, struct err *err) {
        union {
                TOKEN_APPCONTAINER_INFORMATION container;
                char room[sizeof(TOKEN_APPCONTAINER_INFORMATION) + SID_SIZE];
        } info;
        DWORD contained = 0, size;

        if (!GetTokenInformation(token, TokenIsAppContainer, &contained, sizeof(contained), &size))
                return error_last(err, "whether the command is an AppContainer");
        if (!contained)
                return err_set(err, ERR_UNSUPPORTED,
                               "the command is not an AppContainer, although Windows made it one; it was "
                               "killed before it began");
        if (!GetTokenInformation(token, TokenAppContainerSid, &info, sizeof(info), &size))
                return error_last(err, "which AppContainer the command is");
        if (!sid || !info.container.TokenAppContainer || !EqualSid(info.container.TokenAppContainer, sid))
                return err_set(err, ERR_UNSUPPORTED,
                               "the command is another AppContainer than the one that was made for it; it was killed before it "
                               "began");
        return 0;
}

int token_check(void *process, const struct appcontainer_plan *plan, void *sid, struct err *err) {
        HANDLE token;
        int result;

        if (open_token(process, &token, err) < 0)
                return -1;
        result = check_integrity(token, plan, err);
        if (result == 0)
                result = check_container(token, sid, err);
        CloseHandle(token);
        return result;
}
