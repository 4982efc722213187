#include "launch/parts_windows.h"

#include <windows.h>

#include <aclapi.h>

#include "base/windows/wide.h"

enum {
        RIGHTS_READ = FILE_GENERIC_READ | FILE_GENERIC_EXECUTE,
        RIGHTS_WRITE = RIGHTS_READ | FILE_GENERIC_WRITE, /* not: who owns it, who may do what with it */
};

static EXPLICIT_ACCESSW entry_of(void *sid, ACCESS_MODE mode, DWORD rights, DWORD inheritance) {
        return (EXPLICIT_ACCESSW){
                .grfAccessPermissions = rights,
                .grfAccessMode = mode,
                .grfInheritance = inheritance,
                .Trustee = { .TrusteeForm = TRUSTEE_IS_SID, .TrusteeType = TRUSTEE_IS_UNKNOWN, .ptstrName = sid },
        };
}

/* Reads, changes and writes it. Windows propagates inherited entries. */
static DWORD change(wchar_t *path, EXPLICIT_ACCESSW *entries, ULONG count) {
        PSECURITY_DESCRIPTOR descriptor = NULL;
        PACL is = NULL, becomes = NULL;
        DWORD error =
                GetNamedSecurityInfoW(path, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, &is, NULL, &descriptor);

        if (error == ERROR_SUCCESS)
                error = SetEntriesInAclW(count, entries, is, &becomes);
        if (error == ERROR_SUCCESS)
                error = SetNamedSecurityInfoW(path, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, becomes, NULL);
        LocalFree(becomes);
        LocalFree(descriptor);
        return error;
}

/* What is in a directory may be deleted and renamed, the directory itself not. */
static int give(wchar_t *path, const struct appcontainer_grant *grant, void *sid, struct err *err) {
        DWORD all = grant->directory ? SUB_CONTAINERS_AND_OBJECTS_INHERIT : NO_INHERITANCE;
        EXPLICIT_ACCESSW entries[] = {
                entry_of(sid, GRANT_ACCESS, grant->write ? RIGHTS_WRITE : RIGHTS_READ, all),
                entry_of(sid, GRANT_ACCESS, DELETE, all | INHERIT_ONLY),
        };
        DWORD error = change(path, entries, grant->write && grant->directory ? 2 : 1);

        return error == ERROR_SUCCESS ? 0 : error_windows(err, grant->path, error);
}

static void take_back(wchar_t *path, void *sid) {
        EXPLICIT_ACCESSW entry = entry_of(sid, REVOKE_ACCESS, 0, NO_INHERITANCE);

        change(path, &entry, 1);
}

int grants_give(const struct appcontainer_plan *plan, void *sid, struct grants *ret, struct err *err) {
        struct grants grants = { .paths = calloc(plan->grant_count + 1, sizeof(*grants.paths)) };

        if (!grants.paths)
                return err_memory(err);
        for (size_t i = 0; i < plan->grant_count; i++) {
                struct wide_path wide;
                wchar_t *path = wide_path(plan->grants[i].path, &wide) == 0 ? _wcsdup(wide.text) : NULL;
                int result = path ? give(path, &plan->grants[i], sid, err) : err_sys(err, "%s", plan->grants[i].path);

                if (result < 0) {
                        free(path);
                        grants_take_back(&grants, sid);
                        return err_context(err, "cannot be granted to the command");
                }
                grants.paths[grants.count++] = path;
        }
        *ret = grants;
        return 0;
}

void grants_take_back(struct grants *grants, void *sid) {
        while (grants->count > 0) {
                take_back(grants->paths[--grants->count], sid);
                free(grants->paths[grants->count]);
        }
        free(grants->paths);
        *grants = (struct grants){ 0 };
}
