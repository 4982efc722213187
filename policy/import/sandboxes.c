/*
 * Sandboxes that have one file of JSON: Sandbox Runtime, Fence, Cursor.
 */
#include "policy/import/take.h"

static const char unknown[] = "unknown setting, which may deny something";
static const char own_sockets[] = "see sandbox.unix_sockets.paths";
static const char own_localhost[] = "commands can always listen at their private localhost";
static const char one_sandbox[] = "bailey chooses its sandbox: sandbox.backend";

/* ---- all that may be written is listed, the workspace too ---- */

static bool is_workspace(struct str path) {
        return str_is(path, ".") || str_is(path, "./") || str_is(path, "./**") || str_is(path, "**") || str_is(path, "/");
}

static void take_writable(struct importer *im, const struct import_row *row, struct setting_place at) {
        im->workspace_listed = true;
        im->workspace_allowed = false;
        if (at.node->kind == TREE_ARRAY)
                TREE_EACH(child, at.node)
        im->workspace_allowed |= child->kind == TREE_STRING && is_workspace(child->text);
        if (!im->workspace_allowed)
                import_set(im, at, "sandbox.workspace_write", "false");
        take_paths(im, row, at);
}

/* clang-format off */
const struct import_row srt_rows[] = {
        { "network.allowedDomains", take_hosts, IMPORT_ALLOWS, NULL },
        { "network.deniedDomains", take_hosts, IMPORT_DENIES, NULL },
        { "network.allowUnixSockets", take_left, IMPORT_ALLOWS, own_sockets },
        { "network.allowAllUnixSockets", take_left, IMPORT_ALLOWS, own_sockets },
        { "network.allowLocalBinding", take_left, IMPORT_ALLOWS, own_localhost },
        { "network.httpProxyPort", take_left, IMPORT_ALLOWS, "see sandbox.network.proxy" },
        { "network.socksProxyPort", take_left, IMPORT_ALLOWS, "see sandbox.network.proxy" },
        { "network.parentProxy", take_left, IMPORT_ALLOWS, "see sandbox.network.proxy" },
        { "network.?", take_left, IMPORT_DENIES, unknown },
        { "filesystem.denyRead", take_paths, IMPORT_DENIES, "sandbox.fs_read_deny" },
        { "filesystem.allowRead", take_left, IMPORT_ALLOWS, "bailey has no exceptions from denials" },
        { "filesystem.allowWrite", take_writable, IMPORT_ALLOWS, "sandbox.fs_write_allow" },
        { "filesystem.denyWrite", take_paths, IMPORT_DENIES, "sandbox.fs_write_deny" },
        { "filesystem.allowGitConfig", take_left, IMPORT_ALLOWS, "see sandbox.protect_workspace" },
        { "filesystem.?", take_left, IMPORT_DENIES, unknown },
        { "ignoreViolations", NULL, IMPORT_ALLOWS, NULL }, /* messages only */
        { "enableWeakerNestedSandbox", take_left, IMPORT_ALLOWS, one_sandbox },
        { "enableWeakerNetworkIsolation", take_left, IMPORT_ALLOWS, one_sandbox },
        { "allowAppleEvents", take_left, IMPORT_ALLOWS, "macOS only" },
        { "mandatoryDenySearchDepth", NULL, IMPORT_ALLOWS, NULL },
        { "allowPty", NULL, IMPORT_ALLOWS, NULL },
        { "ripgrep", NULL, IMPORT_ALLOWS, NULL },
        { "seccomp", NULL, IMPORT_ALLOWS, NULL },
        { "?", take_left, IMPORT_DENIES, unknown },
        {},
};
/* clang-format on */

/* ---- Fence ---- */

static void fence_command(struct importer *im, const struct import_row *row, struct setting_place at, struct str text) {
        import_command(im, at, row->kind, COMMAND_PREFIX, text);
}

static void take_fence_commands(struct importer *im, const struct import_row *row, struct setting_place at) {
        take_each(im, row, at, fence_command);
}

/* clang-format off */
const struct import_row fence_rows[] = {
        { "$schema", NULL, IMPORT_ALLOWS, NULL },
        { "extends", take_left, IMPORT_DENIES, "the settings of a template or of another file; import that file, too" },
        { "network.allowedDomains", take_hosts, IMPORT_ALLOWS, NULL },
        { "network.deniedDomains", take_hosts, IMPORT_DENIES, NULL },
        { "network.allowUnixSockets", take_left, IMPORT_ALLOWS, own_sockets },
        { "network.allowAllUnixSockets", take_left, IMPORT_ALLOWS, own_sockets },
        { "network.allowLocalBinding", take_left, IMPORT_ALLOWS, own_localhost },
        { "network.allowLocalOutbound", take_left, IMPORT_ALLOWS, "see sandbox.network.host_ports" },
        { "network.allowLocalOutboundPorts", take_left, IMPORT_ALLOWS, "see sandbox.network.host_ports" },
        { "network.httpProxyPort", NULL, IMPORT_ALLOWS, NULL },
        { "network.socksProxyPort", NULL, IMPORT_ALLOWS, NULL },
        { "network.upstreamProxy", take_left, IMPORT_ALLOWS, "see sandbox.network.proxy" },
        { "network.?", take_left, IMPORT_DENIES, unknown },
        { "filesystem.defaultDenyRead", take_left, IMPORT_DENIES, "see sandbox.root = \"minimal\"" },
        { "filesystem.strictDenyRead", take_left, IMPORT_DENIES, "see sandbox.root = \"minimal\"" },
        { "filesystem.allowRead", take_paths, IMPORT_ALLOWS, "sandbox.fs_read_allow" },
        { "filesystem.allowExecute", take_left, IMPORT_ALLOWS, "readable files can also be executed" },
        { "filesystem.denyRead", take_paths, IMPORT_DENIES, "sandbox.fs_read_deny" },
        { "filesystem.allowWrite", take_writable, IMPORT_ALLOWS, "sandbox.fs_write_allow" },
        { "filesystem.denyWrite", take_paths, IMPORT_DENIES, "sandbox.fs_write_deny" },
        { "filesystem.allowGitConfig", take_left, IMPORT_ALLOWS, "see sandbox.protect_workspace" },
        { "filesystem.wslInterop", NULL, IMPORT_ALLOWS, NULL },
        { "filesystem.?", take_left, IMPORT_DENIES, unknown },
        { "command.deny", take_fence_commands, IMPORT_DENIES, NULL },
        { "command.allow", take_left, IMPORT_ALLOWS, "bailey has no exceptions from denials" },
        { "command.useDefaults", NULL, IMPORT_ALLOWS, NULL }, /* bailey has a list of its own */
        { "command.acceptSharedBinaryCannotRuntimeDeny", NULL, IMPORT_ALLOWS, NULL },
        { "command.?", take_left, IMPORT_DENIES, unknown },
        { "ssh", take_left, IMPORT_DENIES, "bailey does not check commands that run on other machines" },
        { "allowPty", NULL, IMPORT_ALLOWS, NULL },
        { "forceNewSession", NULL, IMPORT_ALLOWS, NULL },
        { "?", take_left, IMPORT_DENIES, unknown },
        {},
};
/* clang-format on */

/* ---- Cursor ---- */

static void take_cursor_type(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (place_says(at, "workspace_readonly"))
                import_set(im, at, "sandbox.workspace_write", "false");
        else if (place_says(at, "insecure_none"))
                import_leave(im, at, IMPORT_ALLOWS, "bailey runs no commands without a sandbox");
        else if (!place_says(at, "workspace_readwrite"))
                import_leave(im, at, row->kind, unknown);
}

/* They count in one type only. */
static void take_cursor_writable(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (import_says(im, "type", "workspace_readonly"))
                import_leave(im, at, row->kind, "has no effect with \"workspace_readonly\"");
        else
                take_paths(im, row, at);
}

static void take_cursor_default(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (place_says(at, "allow"))
                import_any_host(im, at);
        else if (place_says(at, "deny"))
                import_no_host(im, at, false);
        else
                import_leave(im, at, row->kind, unknown);
}

static void take_cursor_boundary(struct importer *im, const struct import_row *row, struct setting_place at) {
        if (place_says(at, "workspace"))
                import_set(im, at, "sandbox.root", "\"minimal\"");
        else
                import_leave(im, at, row->kind, unknown);
}

/* clang-format off */
const struct import_row cursor_rows[] = {
        { "type", take_cursor_type, IMPORT_DENIES, NULL },
        { "additionalReadwritePaths", take_cursor_writable, IMPORT_ALLOWS, "sandbox.fs_write_allow" },
        { "additionalReadonlyPaths", take_paths, IMPORT_ALLOWS, "sandbox.fs_read_allow" },
        { "additionalReadPaths", take_paths, IMPORT_ALLOWS, "sandbox.fs_read_allow" },
        { "readBoundary", take_cursor_boundary, IMPORT_DENIES, NULL },
        { "disableTmpWrite", NULL, IMPORT_ALLOWS, NULL }, /* the /tmp of this machine cannot be written */
        { "enableSharedBuildCache", NULL, IMPORT_ALLOWS, NULL },
        { "networkPolicy.default", take_cursor_default, IMPORT_DENIES, NULL },
        { "networkPolicy.allow", take_hosts, IMPORT_ALLOWS, NULL },
        { "networkPolicy.deny", take_hosts, IMPORT_DENIES, NULL },
        { "networkPolicy.version", NULL, IMPORT_ALLOWS, NULL },
        { "networkPolicy.?", take_left, IMPORT_DENIES, unknown },
        { "?", take_left, IMPORT_DENIES, unknown },
        {},
};
/* clang-format on */
