# For people; meson and ninja do the work, tools/build starts them.
#   make          the release build: build/bailey       make run      build it and look around inside
#   make test     every test                            make lint     everything that is checked without running
#   make bench    measure                               make fuzz SECONDS=60   each target that long
#   make install PREFIX=/usr/local DESTDIR=             make format   clang-format over all sources
#   make clean
PREFIX ?= /usr/local
SECONDS ?= 60
BENCHES := $(sort $(basename $(wildcard bench/bench_*.c)))

.PHONY: all run test lint bench fuzz install format clean

all:
	@tools/build release

run:
	@tools/deps run
	@tools/build release
	@build/bailey run 'tools/look-around'

test:
	@tools/deps test
	@tools/build release
	@tools/build asan
	@tests/run

lint:
	@tools/deps lint
	@tools/lint

bench:
	@tools/deps run
	@tools/build release $(BENCHES)
	@set -e; for bench in $(BENCHES); do build/$$bench; done

fuzz:
	@tools/deps fuzz
	@tools/build fuzz
	@tools/fuzz $(SECONDS)

install:
	@PREFIX='$(PREFIX)' tools/build release
	@DESTDIR='$(DESTDIR)' meson install -C build --no-rebuild --quiet

format:
	@clang-format -i $$(git ls-files -co --exclude-standard '*.c' '*.h')

clean:
	@rm -rf build
