/*
 * An error on its way to the code that can act on it: what happened, to which value. The caller owns the struct; each
 * layer that adds context does so once, in front. Fixed size, so that a child can send it in one write().
 */
#ifndef BAILEY_BASE_ERR_H
#define BAILEY_BASE_ERR_H

enum err_code {
        ERR_NONE,
        ERR_SYSTEM,      /* a system call failed; `sys` says how */
        ERR_MEMORY,      /* out of memory, or past an arena's limit */
        ERR_INVALID,     /* the input is wrong */
        ERR_TOO_COMPLEX, /* the input is past a limit of size or depth */
        ERR_NOT_FOUND,
        ERR_REFUSED,     /* policy says no */
        ERR_UNSUPPORTED, /* this host or backend cannot do it */
        ERR_NO_OVERLAY,  /* there can be no overlay of the home directory; the rest is possible */
        ERR_NO_IDENTITY, /* owners of files cannot be mapped for commands of root; the rest is possible */
        ERR_CHANGED,     /* a path is not what it was when it was looked at; says nothing of the host */
};

struct err {
        enum err_code code;
        int sys; /* errno, or 0 */
        char msg[248];
};

/* All of them are -1, so that a function can `return err_set(...)`. `err` may be NULL. A long message is cut and ends in
 * "...", never lost. errno is left alone.
 *
 * They are macros so that compilers and analyzers see the -1, and know that an out parameter is not read after it. */
#define err_set(err, code, ...) (err_set_message((err), (code), __VA_ARGS__), err_failed())

/* As above with ERR_SYSTEM, taking errno and appending ": " and its text. */
#define err_sys(err, ...) (err_sys_message((err), __VA_ARGS__), err_failed())

/* The message wherever memory is short: for which object does not matter to anyone. */
#define err_memory(err) err_set((err), ERR_MEMORY, "out of memory")

/* Puts "context: " in front of the message; a context takes at most half of the room. */
#define err_context(err, ...) (err_context_message((err), __VA_ARGS__), err_failed())

void err_set_message(struct err *err, enum err_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
void err_sys_message(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
void err_context_message(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What an errno means, never translated. Instead of strerror(), which takes locks: errors are also made in a process that was
 * just born of one with threads. */
const char *err_text(int sys);

static inline int err_failed(void) {
        return -1;
}

#endif
