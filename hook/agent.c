#include "hook/agent.h"

#include <stddef.h>
#include <string.h>

/* ---- answers ---- */

/* Claude Code, and who does as it does. */
static const struct hook_form nested = {
        .constant = "hookSpecificOutput.hookEventName",
        .value = "PreToolUse",
        .decision = "hookSpecificOutput.permissionDecision",
        .reasons = { "hookSpecificOutput.permissionDecisionReason" },
        .input = "hookSpecificOutput.updatedInput",
        .silence = "",
};

/* Codex 0.166 takes other keys, an input without a decision, and "ask" for a failed hook, and runs the command. */
static const struct hook_form nested_strict = {
        .constant = "hookSpecificOutput.hookEventName",
        .value = "PreToolUse",
        .decision = "hookSpecificOutput.permissionDecision",
        .reasons = { "hookSpecificOutput.permissionDecisionReason" },
        .input = "hookSpecificOutput.updatedInput",
        .silence = "",
        .input_needs_allow = true,
};

static const struct hook_form gemini = {
        .decision = "decision",
        .reasons = { "reason", "systemMessage" },
        .input = "hookSpecificOutput.tool_input",
        .silence = "",
};

/* With failClosed, no output is a failure. */
static const struct hook_form cursor_shell = {
        .decision = "permission",
        .reasons = { "user_message", "agent_message" },
        .silence = "{}",
};

static const struct hook_form cursor_tool = {
        .decision = "permission",
        .reasons = { "user_message", "agent_message" },
        .input = "updated_input",
        .silence = "{}",
};

static const struct hook_form copilot = {
        .decision = "permissionDecision",
        .reasons = { "permissionDecisionReason" },
        .input = "modifiedArgs",
        .silence = "",
};

/* ---- tools ---- */

#define OTHER_SHELL "bailey can judge only bash commands, not those of other shells"
#define AS_TASK "bailey cannot judge tasks: run the command in a terminal"

static const struct hook_tool claude_tools[] = {
        { "Bash", "command" },
        { "Monitor", "command", .may_lack = true },
        { "PowerShell", NULL, OTHER_SHELL },
        {},
};

static const struct hook_tool codex_tools[] = { { "Bash", "command" }, {} };

static const struct hook_tool gemini_tools[] = { { "run_shell_command", "command" }, {} };

static const struct hook_tool cursor_tools[] = { { "Shell", "command" }, { "Bash", "command" }, {} };

/* As VS Code calls its own, and as the Copilot CLI calls them for its sake. A task may be for any shell, quotes its arguments
 * in its own way, and stays in a file. */
static const struct hook_tool vscode_tools[] = {
        { "run_in_terminal", "command" },
        { "runInTerminal", "command" },
        { "send_to_terminal", "command", .typed = true },
        { "sendToTerminal", "command", .typed = true },
        { "create_and_run_task", NULL, AS_TASK },
        { "createAndRunTask", NULL, AS_TASK },
        { "copilot_createAndRunTask", NULL, AS_TASK },
        { "Bash", "command" },
        { "bash", "command" },
        { "PowerShell", NULL, OTHER_SHELL },
        { "powershell", NULL, OTHER_SHELL },
        {},
};

static const struct hook_tool copilot_tools[] = {
        { "bash", "command" },
        { "write_bash", "input", .may_lack = true, .typed = true },
        { "powershell", NULL, OTHER_SHELL },
        { "write_powershell", NULL, OTHER_SHELL },
        {},
};

/* ---- questions ---- */

const struct hook_event hook_events[] = {
        { .agent = "cursor",
          .name_field = "hook_event_name",
          .name = "beforeShellExecution",
          .tools = cursor_tools,
          .cwd_field = "cwd",
          .form = &cursor_shell,
          .asks = ASKS },
        { .agent = "cursor",
          .name_field = "hook_event_name",
          .name = "preToolUse",
          .tool_field = "tool_name",
          .input_field = "tool_input",
          .tools = cursor_tools,
          .cwd_field = "cwd",
          .input_cwd_field = "cwd",
          .form = &cursor_tool,
          .asks = ASKS_LATER },
        { .agent = "copilot",
          .marks = { "toolName" },
          .tool_field = "toolName",
          .input_field = "toolArgs",
          .tools = copilot_tools,
          .cwd_field = "cwd",
          .background_field = "detach",
          .form = &copilot,
          .asks = ASKS },
        { .agent = "gemini",
          .name_field = "hook_event_name",
          .name = "BeforeTool",
          .tool_field = "tool_name",
          .input_field = "tool_input",
          .tools = gemini_tools,
          .cwd_field = "cwd",
          .input_cwd_field = "dir_path",
          .background_field = "is_background",
          .form = &gemini,
          .asks = ASKS_IF_TOLD },
        { .agent = "codex",
          .name_field = "hook_event_name",
          .name = "PreToolUse",
          .marks = { "turn_id" },
          .tool_field = "tool_name",
          .input_field = "tool_input",
          .tools = codex_tools,
          .cwd_field = "cwd",
          .form = &nested_strict,
          .asks = ASKS_NEVER },
        { .agent = "vscode",
          .name_field = "hookEventName",
          .name = "PreToolUse",
          .tool_field = "tool_name",
          .input_field = "tool_input",
          .tools = vscode_tools,
          .cwd_field = "cwd",
          .background_field = "isBackground",
          .form = &nested,
          .asks = ASKS },
        { .agent = "vscode",
          .name_field = "hook_event_name",
          .name = "PreToolUse",
          .marks = { "timestamp" },
          .tool_field = "tool_name",
          .input_field = "tool_input",
          .tools = vscode_tools,
          .cwd_field = "cwd",
          .background_field = "isBackground",
          .form = &nested,
          .asks = ASKS },
        { .agent = "claude",
          .name_field = "hook_event_name",
          .name = "PreToolUse",
          .tool_field = "tool_name",
          .input_field = "tool_input",
          .tools = claude_tools,
          .cwd_field = "cwd",
          .background_field = "run_in_background",
          .timeout_field = "timeout",
          .form = &nested,
          .asks = ASKS },
};

const unsigned hook_event_count = sizeof(hook_events) / sizeof(*hook_events);

/* ---- settings ---- */

static const struct hook_entry claude_entries[] = {
        { "PreToolUse",
          "{\"matcher\":\"Bash|Monitor|PowerShell\",\"hooks\":[{\"type\":\"command\",\"command\":\"$\",\"timeout\":30,"
          "\"onFailure\":\"block\"}]}" },
        {},
};

static const struct hook_entry codex_entries[] = {
        { "PreToolUse", "{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"$\",\"timeout\":30}]}" },
        {},
};

static const struct hook_entry gemini_entries[] = {
        { "BeforeTool",
          "{\"matcher\":\"run_shell_command\",\"hooks\":[{\"type\":\"command\",\"name\":\"bailey\",\"command\":\"$\","
          "\"timeout\":30000}]}" },
        {},
};

static const struct hook_entry cursor_entries[] = {
        { "beforeShellExecution", "{\"command\":\"$\",\"timeout\":30,\"failClosed\":true}" },
        { "preToolUse", "{\"command\":\"$\",\"matcher\":\"Shell\",\"timeout\":30,\"failClosed\":true}", .wrap_only = true },
        {},
};

/* VS Code reads the files of the Copilot CLI. */
static const struct hook_entry copilot_entries[] = {
        { "preToolUse", "{\"type\":\"command\",\"bash\":\"$\",\"timeoutSec\":30}" },
        {},
};

const struct hook_agent hook_agents[] = {
        { .name = "claude",
          .title = "Claude Code",
          .project_variable = "CLAUDE_PROJECT_DIR",
          .home_variable = "CLAUDE_CONFIG_DIR",
          .home = ".claude",
          .file = "settings.json",
          .project_file = ".claude/settings.json",
          .fresh = "{}",
          .entries = claude_entries,
          .or_fail = true,
          .off_path = "disableAllHooks",
          .off_value = true },
        { .name = "codex",
          .title = "Codex",
          .project_here = true,
          .home_variable = "CODEX_HOME",
          .home = ".codex",
          .file = "hooks.json",
          .project_file = ".codex/hooks.json",
          .fresh = "{}",
          .own_file = true,
          .entries = codex_entries,
          .or_fail = true,
          .advice = "Codex runs a new or changed hook only after you trust it: start codex and open /hooks" },
        { .name = "gemini",
          .title = "Gemini CLI",
          .project_variable = "GEMINI_PROJECT_DIR",
          .base_variable = "GEMINI_CLI_HOME",
          .home = ".gemini",
          .file = "settings.json",
          .project_file = ".gemini/settings.json",
          .fresh = "{}",
          .comments = true,
          .entries = gemini_entries,
          .or_fail = true,
          .off_path = "hooksConfig.enabled",
          .off_value = false },
        { .name = "cursor",
          .title = "Cursor",
          .project_variable = "CURSOR_PROJECT_DIR",
          .project_field = "workspace_roots",
          .home = ".cursor",
          .file = "hooks.json",
          .project_file = ".cursor/hooks.json",
          .fresh = "{\"version\":1,\"hooks\":{}}",
          .own_file = true,
          .entries = cursor_entries },
        { .name = "copilot",
          .title = "Copilot CLI",
          .project_variable = "COPILOT_PROJECT_DIR",
          .home_variable = "COPILOT_HOME",
          .home = ".copilot",
          .file = "hooks/bailey.json",
          .project_file = ".github/hooks/bailey.json",
          .fresh = "{\"version\":1,\"hooks\":{}}",
          .own_file = true,
          .entries = copilot_entries,
          .or_fail = true },
        { .name = "vscode",
          .title = "VS Code",
          .home_variable = "COPILOT_HOME",
          .home = ".copilot",
          .file = "hooks/bailey.json",
          .project_file = ".github/hooks/bailey.json",
          .fresh = "{\"version\":1,\"hooks\":{}}",
          .own_file = true,
          .entries = copilot_entries,
          .or_fail = true },
        {},
};

const struct hook_agent *hook_agent_find(const char *name) {
        for (const struct hook_agent *agent = hook_agents; agent->name; agent++)
                if (strcmp(agent->name, name) == 0)
                        return agent;
        return NULL;
}
