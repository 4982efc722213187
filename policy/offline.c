#include "policy/offline.h"

/*
 * Only settings that shorten the wait and change nothing else. Switches such as npm_config_offline, CARGO_NET_OFFLINE,
 * UV_OFFLINE, YARN_ENABLE_NETWORK and COMPOSER_DISABLE_NETWORK are no rows: they also forbid a registry on the command's own
 * localhost, and cargo's forbids git dependencies in directories of this machine, too. The exception is HF_HUB_OFFLINE, which
 * forbids a hub on localhost: that library retries for 23 s per file, and has no setting for it.
 *
 * npm and pnpm install from their caches if the network fails, so that prefer-offline is not necessary. It would use old lists
 * of versions of a registry on localhost.
 *
 * Not necessary for go (neither GOPROXY=off nor GOFLAGS=-mod=mod, which would let go change go.mod and ignore vendored
 * modules), bundler, gem, maven and git: they fail at once. There is no variable for gradle and yarn 1.
 */
const struct offline_row offline_rows[] = {
        { "CARGO_NET_RETRY", "0", "cargo does not retry" },
        { "CONDA_REMOTE_MAX_RETRIES", "0", "conda does not retry" },
        { "HF_HUB_OFFLINE", "1", "libraries of Hugging Face use their cache" },
        { "NUGET_ENHANCED_MAX_NETWORK_TRY_COUNT", "1", "nuget does not retry" },
        { "PIP_DISABLE_PIP_VERSION_CHECK", "1", "pip does not look for a newer pip" },
        { "PIP_RETRIES", "1", "pip retries once" }, /* with 0 it does not say why it finds no version */
        { "UV_HTTP_RETRIES", "0", "uv does not retry" },
        { "YARN_HTTP_RETRY", "0", "yarn does not retry" }, /* yarn 2 and later */
        { "npm_config_fetch_retries", "0", "npm does not retry" },
        { "pnpm_config_fetch_retries", "0", "pnpm does not retry" }, /* pnpm 11; before, npm's */
};

const size_t offline_count = sizeof(offline_rows) / sizeof(*offline_rows);
