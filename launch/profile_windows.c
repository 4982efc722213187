#include "launch/parts_windows.h"

#include <windows.h>

#include <combaseapi.h>

#include "base/windows/wide.h"

typedef HRESULT WINAPI create_function(PCWSTR name, PCWSTR shown, PCWSTR description, SID_AND_ATTRIBUTES *capabilities,
                                       DWORD count, PSID *ret_sid);
typedef HRESULT WINAPI derive_function(PCWSTR name, PSID *ret_sid);
typedef HRESULT WINAPI delete_function(PCWSTR name);
typedef HRESULT WINAPI folder_function(PCWSTR sid, PWSTR *ret_path);
typedef BOOL WINAPI text_function(PSID sid, LPWSTR *ret_text);

/* NULL: this Windows has no such function. */
static void *find(const wchar_t *library, const char *name) {
        HMODULE module = LoadLibraryExW(library, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);

        return module ? (void *)GetProcAddress(module, name) : NULL;
}

static int missing(struct err *err, const char *name) {
        return err_set(err, ERR_UNSUPPORTED,
                       "appcontainer: this Windows has no %s: AppContainers need Windows 8 or later, and "
                       "wine has none",
                       name);
}

/* Nobody can guess it, and it tells who made it. */
static int set_name(struct profile *profile, struct err *err) {
        char id[ID_SIZE];

        if (id_new(id, err) < 0)
                return -1;
        swprintf(profile->name, PROFILE_NAME_SIZE, L"bailey.%lu.%hs", GetCurrentProcessId(), id);
        return 0;
}

static void find_folder(struct profile *profile) {
        folder_function *folder = find(L"userenv.dll", "GetAppContainerFolderPath");
        text_function *text = find(L"advapi32.dll", "ConvertSidToStringSidW");
        wchar_t *sid = NULL, *path = NULL;

        if (folder && text && text(profile->sid, &sid) && SUCCEEDED(folder(sid, &path)) && path &&
            wcslen(path) < sizeof(profile->folder) / sizeof(*profile->folder))
                wcscpy_s(profile->folder, sizeof(profile->folder) / sizeof(*profile->folder), path);
        LocalFree(sid);
        CoTaskMemFree(path);
}

int profile_make(struct profile *ret, struct err *err) {
        create_function *create = find(L"userenv.dll", "CreateAppContainerProfile");
        derive_function *derive = find(L"userenv.dll", "DeriveAppContainerSidFromAppContainerName");
        struct profile profile = { 0 };
        HRESULT result;

        if (!create)
                return missing(err, "CreateAppContainerProfile");
        if (!find(L"userenv.dll", "DeleteAppContainerProfile"))
                return missing(err, "DeleteAppContainerProfile");
        if (set_name(&profile, err) < 0)
                return -1;
        result = create(profile.name, profile.name, L"one command of bailey", NULL, 0, &profile.sid);
        if (result == HRESULT_FROM_WIN32(ERROR_ALREADY_EXISTS) && derive)
                result = derive(profile.name, &profile.sid);
        if (FAILED(result) || !profile.sid)
                return err_set(err, ERR_UNSUPPORTED, "appcontainer: CreateAppContainerProfile failed with 0x%08lx%s",
                               (unsigned long)result, result == E_NOTIMPL ? ", as wine does, which has no AppContainers" : "");
        find_folder(&profile);
        *ret = profile;
        return 0;
}

void profile_delete(struct profile *profile) {
        delete_function *delete = find(L"userenv.dll", "DeleteAppContainerProfile");

        if (!profile->name[0])
                return;
        if (delete)
                delete (profile->name);
        FreeSid(profile->sid);
        *profile = (struct profile){ 0 };
}
