# For people; meson and ninja do the work, tools/build starts them.
#   make          the release build: build/bailey       make run      build it and look around inside
#   make check    the tests that are quick              make test     every test
#   make lint     everything that is checked without running
#   make bench    what it costs [ROWS=mcp,cold QUICK=1 TEXTS=nl2bash.jsonl JSON=1 DOC=1]   make fuzz SECONDS=60   each that long
#   make install PREFIX=/usr/local DESTDIR=             make format   clang-format over all sources
#   make docs     docs/config.md and docs/commands.md from the tables, and the session in README.md   make clean
#   make screenshot   docs/images/audit.png, the picture in README.md
#   make stress   the MCP server: load, soak, kill -9     make test-engines   docker, podman and gVisor; installs them
PREFIX ?= /usr/local
SECONDS ?= 60
BENCH := $(if $(ROWS),--rows $(ROWS)) $(if $(QUICK),--quick) $(if $(TEXTS),--texts $(TEXTS)) $(if $(JSON),--json) \
	$(if $(DOC),--doc docs/performance.md)

.PHONY: all run check test test-engines lint bench fuzz stress install docs screenshot format clean

all:
	@tools/build release

run:
	@tools/deps run
	@tools/build release
	@build/bailey run 'tools/look-around'

# Which those are: tests/slow lists the others.
check:
	@tools/build release
	@tools/build asan
	@tests/run --quick

test:
	@tools/deps test
	@if [ "$${BAILEY_MUST_WORK:-0}" = 1 ] && [ "$$(id -u)" = 0 ]; then tools/deps engines windows; fi
	@tools/build release
	@tools/build asan
	@tests/run

ENGINES := docker podman rootless gvisor

# Their suites mostly wait, so that all of them run at once.
test-engines:
	@tools/deps test engines
	@tools/build release
	@tools/build asan
	@BAILEY_MUST_WORK=1 BAILEY_TEST_JOBS=8 tests/run $(foreach e,$(ENGINES),tests/container/$e.sh tests/escape/$e.sh)

lint:
	@tools/deps lint
	@tools/lint

bench:
	@tools/deps run
	@tools/build release all bench/bench bench/bench_sandbox bench/bench_net
	@build/bench/bench $(BENCH)

fuzz:
	@tools/deps fuzz
	@tools/build fuzz
	@tools/fuzz $(SECONDS)

stress:
	@tools/deps test
	@tools/build release
	@BAILEY=build/bailey tests/mcp/stress.sh full

install:
	@tools/deps run
	@PREFIX='$(PREFIX)' tools/build release
	@DESTDIR='$(DESTDIR)' meson install -C build --no-rebuild --quiet

docs:
	@tools/build release
	@python3 -B docs/make build/bailey docs
	@python3 -B docs/record build/bailey session --write

screenshot:
	@tools/deps test
	@tools/build release
	@python3 -B docs/record build/bailey screenshot docs/images/audit.png

format:
	@clang-format -i $$(git ls-files -co --exclude-standard '*.c' '*.h')

clean:
	@rm -rf build
