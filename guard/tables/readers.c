#include "guard/tables/readers.h"

#define PYTHON                                                                                                           \
        "python* pypy* ipython* pytest py.test pip pip3 pipx tox nox uv poetry pdm hatch pipenv coverage flask uvicorn " \
        "gunicorn celery"
#define NODE                                                                                                                 \
        "node nodejs npm npx yarn pnpm pnpx bun bunx deno tsx ts-node jest vitest mocha ava gulp grunt webpack vite rollup " \
        "esbuild eslint playwright cypress next nuxt nodemon tsc prettier"
#define RUBY "ruby irb rake rspec bundle rails gem jekyll"
#define CC "cc gcc g++ clang clang++ c++ tcc make"
#define JAVA "java javac jshell groovy gradle gradlew mvn mvnw ant kotlin kotlinc scala sbt scala-cli"

const struct reader readers[] = {
        { PYTHON, "*.py *.pth", "python3", CONTENT_CODE },
        { PYTHON, "tox.ini", NULL, CONTENT_VALUES },
        { "pip pip3 uv", "pip.conf uv.toml", NULL, CONTENT_HOSTS },
        { NODE, "*.js *.mjs *.cjs *.ts *.mts *.jsx *.tsx", "node", CONTENT_CODE },
        { NODE, "package.json", NULL, CONTENT_STRINGS },
        { NODE, ".npmrc .yarnrc .yarnrc.yml bunfig.toml", NULL, CONTENT_HOSTS },
        { RUBY, "*.rb Rakefile rakefile Gemfile *.gemspec *.rake", "ruby", CONTENT_CODE },
        { "perl prove cpan cpanm", "*.pl *.pm *.t *.PL", "perl", CONTENT_CODE },
        { "php phpunit composer artisan", "*.php", "php", CONTENT_CODE },
        { "composer", "composer.json", NULL, CONTENT_STRINGS },
        { "lua luajit busted luarocks nvim", "*.lua", "lua", CONTENT_CODE },
        { "r rscript", "*.r *.R .Rprofile", "r", CONTENT_CODE },
        { "julia", "*.jl", "julia", CONTENT_CODE },
        { "go", "*.go", "go", CONTENT_CODE, true },
        { "cargo rustc", "*.rs", "rust", CONTENT_CODE },
        { CC, "*.c *.cc *.cpp *.cxx *.h *.hpp", "c", CONTENT_CODE },
        { JAVA, "*.java *.kt *.kts *.scala *.sbt", "java", CONTENT_CODE },
        { JAVA, "*.groovy *.gradle", "groovy", CONTENT_CODE },
        { "elixir iex mix", "*.ex *.exs", "elixir", CONTENT_CODE },
        { "erl erlc escript rebar3", "*.erl *.escript", "erl", CONTENT_CODE },
        { "ghc ghci runghc runhaskell cabal stack", "*.hs", "ghc", CONTENT_CODE },
        { "ocaml ocamlc ocamlfind dune", "*.ml", "ocaml", CONTENT_CODE },
        { "nim nimble", "*.nim *.nims *.nimble", "nim", CONTENT_CODE },
        { "crystal shards", "*.cr", "crystal", CONTENT_CODE },
        { "dart flutter", "*.dart", "dart", CONTENT_CODE },
        { "swift swiftc", "*.swift", "swift", CONTENT_CODE },
        { "zig", "*.zig", "zig", CONTENT_CODE },
        { "dotnet csc mcs", "*.cs *.fs *.fsx *.csproj", "c#", CONTENT_CODE },
        { "v", "*.v *.vsh", "v", CONTENT_CODE },
        { "guile racket clojure clj bb sbcl clisp csi emacs emacsclient janet", "*.scm *.rkt *.clj *.lisp *.el *.janet .emacs",
          "guile", CONTENT_CODE },
        { "tclsh wish expect", "*.tcl *.exp", "tclsh", CONTENT_CODE },
        { "cmake ctest cpack", "CMakeLists.txt *.cmake", "cmake", CONTENT_CODE },
        { "meson ninja", "meson.build", "meson", CONTENT_CODE },
        { "octave octave-cli", "*.m .octaverc", "octave", CONTENT_CODE },
        { "make gmake", "Makefile makefile GNUmakefile *.mk *.mak", NULL, CONTENT_RECIPES, true },
        { "just", "justfile Justfile .justfile", NULL, CONTENT_VALUES, true },
        { "task", "Taskfile.yml Taskfile.yaml", NULL, CONTENT_VALUES, true },
        { "ninja samu", "build.ninja", NULL, CONTENT_VALUES, true },
        { "nix nix-shell nix-build nix-env home-manager", "*.nix", NULL, CONTENT_STRINGS },
        { "pre-commit", ".pre-commit-config.yaml", NULL, CONTENT_VALUES },
        { "foreman honcho overmind hivemind", "Procfile*", NULL, CONTENT_VALUES, true },
        { "mise", "mise.toml .mise.toml", NULL, CONTENT_VALUES },
        { JAVA, "build.gradle settings.gradle pom.xml build.xml", NULL, CONTENT_STRINGS },
        { "bazel bazelisk", "BUILD BUILD.bazel *.bzl", NULL, CONTENT_STRINGS },
        { "terraform tofu", "*.tf", NULL, CONTENT_VALUES },
        { "ansible-playbook ansible", "*.yml *.yaml", NULL, CONTENT_VALUES },
        { "act", "*.yml *.yaml", NULL, CONTENT_VALUES },
        { "go", "*.go", NULL, CONTENT_VALUES }, /* go:generate */
        { "direnv", ".envrc", NULL, CONTENT_SHELL },
        { "git", "pre-commit commit-msg pre-push post-checkout post-merge post-commit prepare-commit-msg pre-rebase", NULL,
          CONTENT_SHELL },
        { "bats", "*.bats *.bash", NULL, CONTENT_SHELL },
        { "docker podman buildah nerdctl kaniko", "Dockerfile* *.dockerfile *.Dockerfile Containerfile*", NULL, CONTENT_IMAGE,
          true },
        { "kubectl oc helm", "*.yml *.yaml *.json", NULL, CONTENT_COMPOSE, true },
        { "docker docker-compose podman podman-compose nerdctl",
          "docker-compose*.yml docker-compose*.yaml compose*.yml compose*.yaml", NULL, CONTENT_COMPOSE, true },
};

const size_t reader_count = sizeof(readers) / sizeof(*readers);

_Static_assert(sizeof(readers) / sizeof(*readers) <= 64, "a file keeps a bit for each");
