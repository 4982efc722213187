#include "sandbox/syscalls.h"

#define SYSCALL(name, x86_64, aarch64, group, action) { #name, { x86_64, aarch64 }, GROUP_##group, SYSCALL_##action },

const struct syscall_row syscall_table[] = {
#include "sandbox/syscalls.def"
};

const size_t syscall_count = sizeof(syscall_table) / sizeof(*syscall_table);
