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
        { PYTHON, "*.py *.pth", CONTENT_CODE, "python3" },
        { PYTHON, "tox.ini", CONTENT_VALUES, NULL },
        { "pip pip3 uv", "pip.conf uv.toml", CONTENT_HOSTS, NULL },
        { NODE, "*.js *.mjs *.cjs *.ts *.mts *.jsx *.tsx", CONTENT_CODE, "node" },
        { NODE, "package.json", CONTENT_STRINGS, NULL },
        { NODE, ".npmrc .yarnrc .yarnrc.yml bunfig.toml", CONTENT_HOSTS, NULL },
        { RUBY, "*.rb Rakefile rakefile Gemfile *.gemspec *.rake", CONTENT_CODE, "ruby" },
        { "perl prove cpan cpanm", "*.pl *.pm *.t *.PL", CONTENT_CODE, "perl" },
        { "php phpunit composer artisan", "*.php", CONTENT_CODE, "php" },
        { "composer", "composer.json", CONTENT_STRINGS, NULL },
        { "lua luajit busted luarocks nvim", "*.lua", CONTENT_CODE, "lua" },
        { "r rscript", "*.r *.R .Rprofile", CONTENT_CODE, "r" },
        { "julia", "*.jl", CONTENT_CODE, "julia" },
        { "go", "*.go", CONTENT_CODE, "go" },
        { "cargo rustc", "*.rs", CONTENT_CODE, "rust" },
        { CC, "*.c *.cc *.cpp *.cxx *.h *.hpp", CONTENT_CODE, "c" },
        { JAVA, "*.java *.kt *.kts *.scala *.sbt", CONTENT_CODE, "java" },
        { JAVA, "*.groovy *.gradle", CONTENT_CODE, "groovy" },
        { "elixir iex mix", "*.ex *.exs", CONTENT_CODE, "elixir" },
        { "erl erlc escript rebar3", "*.erl *.escript", CONTENT_CODE, "erl" },
        { "ghc ghci runghc runhaskell cabal stack", "*.hs", CONTENT_CODE, "ghc" },
        { "ocaml ocamlc ocamlfind dune", "*.ml", CONTENT_CODE, "ocaml" },
        { "nim nimble", "*.nim *.nims *.nimble", CONTENT_CODE, "nim" },
        { "crystal shards", "*.cr", CONTENT_CODE, "crystal" },
        { "dart flutter", "*.dart", CONTENT_CODE, "dart" },
        { "swift swiftc", "*.swift", CONTENT_CODE, "swift" },
        { "zig", "*.zig", CONTENT_CODE, "zig" },
        { "dotnet csc mcs", "*.cs *.fs *.fsx *.csproj", CONTENT_CODE, "c#" },
        { "v", "*.v *.vsh", CONTENT_CODE, "v" },
        { "guile racket clojure clj bb sbcl clisp csi emacs emacsclient janet", "*.scm *.rkt *.clj *.lisp *.el *.janet .emacs",
          CONTENT_CODE, "guile" },
        { "tclsh wish expect", "*.tcl *.exp", CONTENT_CODE, "tclsh" },
        { "cmake ctest cpack", "CMakeLists.txt *.cmake", CONTENT_CODE, "cmake" },
        { "meson ninja", "meson.build", CONTENT_CODE, "meson" },
        { "octave octave-cli", "*.m .octaverc", CONTENT_CODE, "octave" },
        { "make gmake", "Makefile makefile GNUmakefile *.mk *.mak", CONTENT_RECIPES, NULL, true },
        { "just", "justfile Justfile .justfile", CONTENT_VALUES, NULL, true },
        { "task", "Taskfile.yml Taskfile.yaml", CONTENT_VALUES, NULL, true },
        { "ninja samu", "build.ninja", CONTENT_VALUES, NULL, true },
        { "nix nix-shell nix-build nix-env home-manager", "*.nix", CONTENT_STRINGS, NULL },
        { "pre-commit", ".pre-commit-config.yaml", CONTENT_VALUES, NULL },
        { "foreman honcho overmind hivemind", "Procfile*", CONTENT_VALUES, NULL, true },
        { "mise", "mise.toml .mise.toml", CONTENT_VALUES, NULL },
        { "terraform tofu", "*.tf", CONTENT_VALUES, NULL },
        { "ansible-playbook ansible", "*.yml *.yaml", CONTENT_VALUES, NULL },
        { "act", "*.yml *.yaml", CONTENT_VALUES, NULL },
        { "go", "*.go", CONTENT_VALUES, NULL }, /* go:generate */
        { "direnv", ".envrc", CONTENT_SHELL, NULL },
        { "git", "pre-commit commit-msg pre-push post-checkout post-merge post-commit prepare-commit-msg pre-rebase",
          CONTENT_SHELL, NULL },
        { "bats", "*.bats *.bash", CONTENT_SHELL, NULL },
        { "docker docker-compose podman podman-compose nerdctl",
          "docker-compose*.yml docker-compose*.yaml compose*.yml compose*.yaml", CONTENT_COMPOSE, NULL, true },
};

const size_t reader_count = sizeof(readers) / sizeof(*readers);
