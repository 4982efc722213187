/*
 * The programs whose settings can be read, and where these are. Knowledge only.
 */
#include "policy/import/take.h"

static const struct import_place claude_places[] = {
        { IMPORT_SYSTEM, NULL, "/etc/claude-code/managed-settings.json" },
        { IMPORT_HOME, "CLAUDE_CONFIG_DIR", ".claude/settings.json" },
        { IMPORT_PROJECT, NULL, ".claude/settings.json" },
        { IMPORT_PROJECT, NULL, ".claude/settings.local.json" },
        {},
};

static const struct import_place codex_places[] = {
        { IMPORT_SYSTEM, NULL, "/etc/codex/requirements.toml" },
        { IMPORT_SYSTEM, NULL, "/etc/codex/config.toml" },
        { IMPORT_HOME, "CODEX_HOME", ".codex/config.toml" },
        { IMPORT_HOME, NULL, ".codex/rules/" },
        { IMPORT_PROJECT, NULL, ".codex/config.toml" },
        { IMPORT_PROJECT, NULL, ".codex/rules/" },
        {},
};

static const struct import_place srt_places[] = {
        { IMPORT_HOME, NULL, ".srt-settings.json" },
        {},
};

static const struct import_place gemini_places[] = {
        { IMPORT_SYSTEM, NULL, "/etc/gemini-cli/settings.json" },
        { IMPORT_SYSTEM, NULL, "/etc/gemini-cli/policies/" },
        { IMPORT_HOME, NULL, ".gemini/settings.json" },
        { IMPORT_HOME, NULL, ".gemini/policies/" },
        { IMPORT_PROJECT, NULL, ".gemini/settings.json" },
        { IMPORT_PROJECT, NULL, ".gemini/policies/" },
        {},
};

static const struct import_place cursor_places[] = {
        { IMPORT_HOME, NULL, ".cursor/sandbox.json" },
        { IMPORT_PROJECT, NULL, ".cursor/sandbox.json" },
        {},
};

static const struct import_place fence_places[] = {
        { IMPORT_HOME, NULL, ".config/fence/fence.json" },
        { IMPORT_HOME, NULL, ".config/fence/fence.jsonc" },
        { IMPORT_HOME, NULL, ".fence.json" },
        { IMPORT_PROJECT, NULL, "fence.json" },
        { IMPORT_PROJECT, NULL, "fence.jsonc" },
        {},
};

const struct import_format import_formats[] = {
        { "claude", "Claude Code", claude_places, claude_rows, false, false },
        { "codex", "Codex", codex_places, codex_rows, false, true },
        { "srt", "Sandbox Runtime", srt_places, srt_rows, false, false },
        { "gemini", "Gemini CLI", gemini_places, gemini_rows, false, false },
        { "cursor", "Cursor", cursor_places, cursor_rows, false, false },
        { "fence", "Fence", fence_places, fence_rows, false, false },
};

const size_t import_format_count = sizeof(import_formats) / sizeof(*import_formats);

const struct import_format *import_format_find(const char *name) {
        for (size_t i = 0; i < import_format_count; i++)
                if (strcmp(import_formats[i].name, name) == 0)
                        return &import_formats[i];
        return NULL;
}
