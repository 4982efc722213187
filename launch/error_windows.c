#include "launch/parts_windows.h"

#include <windows.h>

#include "base/windows/wide.h"

void error_windows_message(struct err *err, const char *what, unsigned long number) {
        wchar_t wide[128] = L"unknown error";
        char text[4 * 128] = "unknown error"; /* UTF-8, whatever the system's own code page is */
        DWORD len = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, number, LANG_USER_DEFAULT,
                                   wide, sizeof(wide) / sizeof(*wide), NULL);

        while (len > 0 && wcschr(L"\r\n.", wide[len - 1]))
                wide[--len] = 0;
        if (!WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, sizeof(text), NULL, NULL))
                text[0] = 0;
        err_set(err, ERR_SYSTEM, "%s: error 0x%lx: %s", what, number, text);
        if (err && (number == ERROR_NOT_ENOUGH_MEMORY || number == ERROR_OUTOFMEMORY))
                err->sys = ENOMEM;
}
