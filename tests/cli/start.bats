#!/usr/bin/env bats
# cli/glibc/start.c, which stands in for the start of libc in the static program; meson.build takes it where this works.

setup() {
        root=$BATS_TEST_DIRNAME/../..
        flags=(-std=gnu17 -D_GNU_SOURCE -O2 -fPIE)
        if ! "${CC:-cc}" "${flags[@]}" -fsyntax-only "$root/cli/glibc/start.c" 2>"$BATS_TEST_TMPDIR/why"; then
                grep -q 'this is the start of glibc' "$BATS_TEST_TMPDIR/why"
                skip 'another libc, or another processor'
        fi
}

# link NAME FILE...: with the quick start
link() {
        "${CC:-cc}" "${flags[@]}" -fno-stack-protector -c -o "$BATS_TEST_TMPDIR/start.o" "$root/cli/glibc/start.c"
        "${CC:-cc}" "${flags[@]}" -fstack-protector-all -static-pie -o "$BATS_TEST_TMPDIR/$1" "${@:2}" "$BATS_TEST_TMPDIR/start.o"
}

@test 'a program that is started by it has all that it needs' {
        link probe "$root/cli/glibc/probe.c"
        run "$BATS_TEST_TMPDIR/probe"
        [ "$status" -eq 0 ]
        [ "$output" = fine ]
}

@test 'it has asked the processor for nothing' {
        link probe "$root/cli/glibc/probe.c"
        run nm "$BATS_TEST_TMPDIR/probe"
        [[ $output != *intel_check_word* ]]
}

@test 'return addresses are guarded, by another secret each time' {
        cat >"$BATS_TEST_TMPDIR/secret.c" <<-'END'
		#include <stdio.h>
		int main(void) {
		        unsigned long secret;
		        __asm__("mov %%fs:0x28, %0" : "=r"(secret));
		        printf("%lx\n", secret);
		}
	END
        link secret "$BATS_TEST_TMPDIR/secret.c"
        first=$("$BATS_TEST_TMPDIR/secret")
        [[ $first == *00 && $first != 0 ]]
        [ "$("$BATS_TEST_TMPDIR/secret")" != "$first" ]
}

@test 'its addresses are other ones each time' {
        [ "$(cat /proc/sys/kernel/randomize_va_space)" != 0 ] || skip 'this system does not randomize addresses'
        cat >"$BATS_TEST_TMPDIR/where.c" <<-'END'
		#include <stdio.h>
		int main(void) {
		        printf("%p\n", (void *)main);
		}
	END
        link where "$BATS_TEST_TMPDIR/where.c"
        [ "$("$BATS_TEST_TMPDIR/where")" != "$("$BATS_TEST_TMPDIR/where")" ]
}
