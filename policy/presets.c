#include "policy/egress.h"

/*
 * What installs need: the registry, and the hosts that it sends downloads to. No host where anybody can put data for others to
 * read without an account of a registry: GitHub is a preset of its own.
 */
/* clang-format off */
#define NPM "npmjs.org", "*.npmjs.org", "registry.yarnpkg.com", "repo.yarnpkg.com", "nodejs.org"
#define PYTHON "pypi.org", "files.pythonhosted.org"
#define RUST "*.crates.io", "static.rust-lang.org"
#define RUBY "*.rubygems.org"
#define GO "proxy.golang.org", "sum.golang.org"
#define JAVA "repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", \
             "plugins-artifacts.gradle.org", "services.gradle.org"
#define DEBIAN "deb.debian.org", "security.debian.org", "archive.ubuntu.com", "*.archive.ubuntu.com", "security.ubuntu.com", \
               "ports.ubuntu.com"

static const char *const packages[] = { NPM, PYTHON, RUST, RUBY, GO, JAVA, DEBIAN, NULL };
static const char *const npm[] = { NPM, NULL };
static const char *const python[] = { PYTHON, NULL };
static const char *const rust[] = { RUST, NULL };
static const char *const ruby[] = { RUBY, NULL };
static const char *const go[] = { GO, NULL };
static const char *const java[] = { JAVA, NULL };
static const char *const debian[] = { DEBIAN, NULL };
static const char *const github[] = { "*.github.com", "*.githubusercontent.com", NULL };
static const char *const gitlab[] = { "gitlab.com", "registry.gitlab.com", NULL };
static const char *const containers[] = { "docker.io", "*.docker.io", "production.cloudflare.docker.com", "ghcr.io",
                                          "pkg-containers.githubusercontent.com", "quay.io", "*.quay.io", "gcr.io", NULL };

/* By name. */
const struct preset_row presets[] = {
        { "@containers", "Registries of container images.", containers },
        { "@debian", "Package archives of Debian and Ubuntu.", debian },
        { "@github", "GitHub: repositories, API, releases. It also stores what commands send to it.", github },
        { "@gitlab", "gitlab.com. It also stores what commands send to it.", gitlab },
        { "@go", "Go's module proxy and checksum database.", go },
        { "@java", "Maven Central and Gradle's plugins.", java },
        { "@npm", "The registries of npm and yarn, and downloads of Node.js.", npm },
        { "@packages", "All package registries in this table. `kind = \"packages\"` allows them, too.", packages },
        { "@python", "PyPI.", python },
        { "@ruby", "RubyGems.", ruby },
        { "@rust", "crates.io and Rust's toolchains.", rust },
};
/* clang-format on */

const size_t preset_count = sizeof(presets) / sizeof(*presets);

const struct preset_row *preset_find(struct str name) {
        for (size_t i = 0; i < preset_count; i++)
                if (str_is(name, presets[i].name))
                        return &presets[i];
        return NULL;
}
