/*
 * The start of a static program, as glibc 2.36 does it on x86-64, but without its questions to the processor: about 70 CPUID
 * instructions, of which most are about caches, in every program at every start. Each of them is for the hypervisor to answer
 * on a virtual machine. That takes 1 to 8 us each time, and altogether as long as all the rest of a start, or several times
 * that.
 *
 * What the answers are for: variants of memcpy(), strlen() and the like for newer processors. Those for every x86-64 are as
 * good for texts as short as commands.
 *
 * Only the program is linked with this, not the library: what is linked statically on the machine it is built on can know the
 * inside of its libc. meson.build proves with probe.c that it works; where it does not, the usual start is taken.
 */
#include <elf.h>
#include <features.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC__ == 2 && __GLIBC_MINOR__ == 36
enum { KNOWN = 1 };
#else
enum { KNOWN = 0 };
#endif
_Static_assert(KNOWN, "this is the start of glibc 2.36 for x86-64");

/* Nothing here may be called by way of a table before that is relocated. */
#pragma GCC visibility push(hidden)

/* ---- of libc ---- */

typedef void initializer(int argc, char **argv, char **envp);

extern void *__libc_stack_end, *_dl_random;
extern int __libc_enable_secure;
extern char _edata[];
extern unsigned int _dl_x86_cpu_features[]; /* it begins with the kind of the processor */
extern initializer *__preinit_array_start[], *__preinit_array_end[], *__init_array_start[], *__init_array_end[];
extern void (*__fini_array_start[])(void), (*__fini_array_end[])(void);

void _dl_aux_init(Elf64_auxv_t *values);
void __tunables_init(char **envp);
void _dl_relocate_static_pie(void);
void __libc_setup_tls(void);
void __libc_early_init(bool initial);
void __libc_init_first(int argc, char **argv, char **envp);
void __libc_check_standard_fds(void);
void _init(void);
void _fini(void);

/* ---- of libc-start.o, in whose place this stands ---- */

enum {
        KIND_OTHER = 4, /* no processor that more is known of */
        CACHE = 32 << 10,
        SHARED_CACHE = 1 << 20,
        LARGE = SHARED_CACHE / 4 * 3, /* what is copied past the caches */
        PAGE = 4096,
        STACK = 12 * PAGE,
        POPULATE_WRITE = 23,
        REP = 2048, /* what `rep movsb` is for, where it is used */
};

/* As these are when nothing is known, but for LARGE, which would be 0. memcpy() and others read them. */
long __x86_data_cache_size = CACHE, __x86_data_cache_size_half = CACHE / 2;
long __x86_shared_cache_size = SHARED_CACHE, __x86_shared_cache_size_half = SHARED_CACHE / 2;
long __x86_shared_non_temporal_threshold = LARGE, __x86_rep_movsb_stop_threshold = LARGE;
long __x86_rep_movsb_threshold = REP, __x86_rep_stosb_threshold = REP;
int __x86_string_control;

#pragma GCC visibility pop

int __cxa_atexit(void (*function)(void *), void *argument, void *object);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

/* All pages of a range at once, which is faster than one fault for each. There is no errno yet, and older kernels need not know
 * it. */
static inline void populate(const void *from, const void *to) {
        uintptr_t start = (uintptr_t)from & ~(uintptr_t)(PAGE - 1);
        long result;

        __asm__ volatile("syscall"
                         : "=a"(result)
                         : "0"(SYS_madvise), "D"(start), "S"((uintptr_t)to - start), "d"(POPULATE_WRITE)
                         : "rcx", "r11", "memory");
        (void)result;
}

/* Where the compiler looks for the secrets that guard return addresses, and libc for that of its own pointers. The lowest byte
 * of the first is 0, so that no string can be it. */
static inline void set_guards(const uintptr_t random[2]) {
        __asm__ volatile("mov %0, %%fs:0x28\n\tmov %1, %%fs:0x30" : : "r"(random[0] & ~(uintptr_t)0xff), "r"(random[1]));
}

static void finish(void *unused) {
        (void)unused;
        for (size_t i = (size_t)(__fini_array_end - __fini_array_start); i > 0; i--)
                __fini_array_start[i - 1]();
        _fini();
}

/* Not to be compiled with guards of its own: there are none before. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end) {
        char **end = argv + argc + 1;

        (void)init, (void)fini, (void)rtld_fini; /* of dynamic programs, or of older ones */
        environ = end;
        __libc_stack_end = stack_end;
        while (*end)
                end++;
        _dl_aux_init((Elf64_auxv_t *)(end + 1));
        __tunables_init(environ);
        _dl_x86_cpu_features[0] = KIND_OTHER;
        populate(__preinit_array_start, _edata); /* what is relocated */
        populate((char *)__builtin_frame_address(0) - STACK, __builtin_frame_address(0));
        _dl_relocate_static_pie();
        __libc_setup_tls();
        set_guards(_dl_random);
        __libc_early_init(true);
        __libc_init_first(argc, argv, environ);
        __cxa_atexit(finish, NULL, NULL);
        if (__libc_enable_secure)
                __libc_check_standard_fds();
        for (initializer **each = __preinit_array_start; each < __preinit_array_end; each++)
                (*each)(argc, argv, environ);
        _init();
        for (initializer **each = __init_array_start; each < __init_array_end; each++)
                (*each)(argc, argv, environ);
        exit(main(argc, argv, environ));
}
