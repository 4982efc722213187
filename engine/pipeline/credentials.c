#include "engine/pipeline/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "engine/installed.h"
#include "launch/clone.h"
#include "launch/files.h"
#include "policy/egress.h"
#include "policy/files.h"

enum {
        SECRET_MAX = 8 << 10,
        SECRETS_MAX = 256 << 10,
};

/* ---- the program ---- */

static bool is_ours(const struct stat *st) {
        return (st->st_uid == 0 || st->st_uid == geteuid()) && (st->st_mode & 022) == 0;
}

/* It gets the secrets, so nobody else may have a say in what it is. */
static int check_program(const char *path, struct err *err) {
        char directory[4096];
        struct stat st, above;
        const char *slash = strrchr(path, '/');

        if (stat(path, &st) < 0)
                return err_sys(err, "%s", path);
        snprintf(directory, sizeof(directory), "%.*s", slash > path ? (int)(slash - path) : 1, path);
        if (stat(directory, &above) < 0)
                return err_sys(err, "%s", directory);
        if (!S_ISREG(st.st_mode) || !is_ours(&st) || !is_ours(&above))
                return err_set(err, ERR_REFUSED, "%s: others can write it, or its directory: it must not get secrets", path);
        return 0;
}

/* Beside bailey where it was built, else where it was installed. */
static int find_program(const char *self, char *ret, size_t size, struct err *err) {
        const char *slash = self ? strrchr(self, '/') : NULL;

        if (!installed_tls[0])
                return err_set(err, ERR_UNSUPPORTED,
                               "sandbox.network.credential: bailey was built without OpenSSL, and so without bailey-tls");
        if (slash) {
                snprintf(ret, size, "%.*s/bailey-tls", (int)(slash - self), self);
                if (access(ret, F_OK) == 0)
                        return check_program(ret, err);
        }
        snprintf(ret, size, "%s", installed_tls);
        if (access(ret, F_OK) < 0)
                return err_set(err, ERR_UNSUPPORTED, "sandbox.network.credential: %s is missing", ret);
        return check_program(ret, err);
}

int credentials_check(const char *self, struct err *err) {
        char path[4096];

        return find_program(self, path, sizeof(path), err);
}

/* ---- secrets ---- */

/* A secret that somebody else can read is none. */
static int read_file(struct str file, const char *const *environment, char ret[static SECRET_MAX + 1], char *why, size_t size) {
        char path[4096];
        struct stat st;
        ssize_t len;

        if (credential_path(file, environment_get(environment, "HOME"), path, sizeof(path)) < 0) {
                snprintf(why, size, "there is no home for %.*s", (int)file.len, file.ptr);
                return -1;
        }
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

        if (fd < 0 || fstat(fd, &st) < 0)
                snprintf(why, size, "%s: %s", path, err_text(errno));
        else if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
                snprintf(why, size, "%s: it must be a file of the user that nobody else can read (chmod 600)", path);
        else if ((len = read(fd, ret, SECRET_MAX + 1)) < 0)
                snprintf(why, size, "%s: %s", path, err_text(errno));
        else if (len > SECRET_MAX)
                snprintf(why, size, "%s: it is larger than a secret can be", path);
        else {
                while (len && (ret[len - 1] == '\n' || ret[len - 1] == '\r'))
                        len--;
                ret[len] = '\0';
                return 0;
        }
        return -1;
}

static int read_secret(const struct credential *credential, const char *const *environment, char ret[static SECRET_MAX + 1],
                       char *why, size_t size) {
        char name[256];
        const char *value;

        if (credential->file.len)
                return read_file(credential->file, environment, ret, why, size);
        snprintf(name, sizeof(name), "%.*s", (int)credential->env.len, credential->env.ptr);
        value = environment_get(environment, name);
        if (!value || strlen(value) > SECRET_MAX) {
                snprintf(why, size, "the variable %s is %s where bailey was started", name, value ? "too long" : "not set");
                return -1;
        }
        snprintf(ret, SECRET_MAX + 1, "%s", value);
        return 0;
}

static bool is_printable(const char *text) {
        for (const char *c = text; *c; c++)
                if (*c < ' ' || *c > '~')
                        return false;
        return true;
}

static void put_base64(struct buf *out, struct str bytes) {
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

        for (size_t i = 0; i < bytes.len; i += 3) {
                unsigned group = 0;

                for (size_t k = 0; k < 3; k++)
                        group = group << 8 | (i + k < bytes.len ? (unsigned char)bytes.ptr[i + k] : 0u);
                for (size_t k = 0; k < 4; k++)
                        buf_char(out, i + k > bytes.len ? '=' : digits[group >> (18 - 6 * k) & 63]);
        }
}

/* The header. A base64 text has no colon, so that USER:PASSWORD can be told from what is encoded already. */
static void put_header(struct buf *out, const struct credential *credential, struct str secret) {
        BUF_AUTO login;

        buf_init(&login, (size_t)2 * SECRET_MAX);
        if (credential->user.len) {
                buf_append(&login, credential->user);
                buf_char(&login, ':');
        }
        buf_append(&login, secret);
        buf_append(out, credential->header);
        buf_append(out, str_find(credential->header, ':') < credential->header.len ? STR(" ") : STR(": "));
        if (str_ends(credential->header, STR(": Basic")) && str_find(buf_str(&login), ':') < login.len)
                put_base64(out, buf_str(&login));
        else
                buf_append(out, secret);
        explicit_bzero(login.ptr, login.len);
}

static int put_secret(struct buf *out, const struct credential *credential, const char *const *environment, struct err *err) {
        char secret[SECRET_MAX + 1] = "", why[4400] = "";
        struct egress_rule place;
        bool found = read_secret(credential, environment, secret, why, sizeof(why)) == 0;

        if (credential_place(credential->host, &place) < 0)
                return err_set(err, ERR_INVALID, "sandbox.network.credential: not a host");
        if (found && (!secret[0] || !is_printable(secret))) {
                snprintf(why, sizeof(why), "the secret is empty, or has other characters than a header can have");
                found = false;
        }
        buf_format(out, "%.*s %u %s ", (int)place.pattern.len, place.pattern.ptr, place.port, found ? "ok" : "no");
        if (found)
                put_header(out, credential, str_z(secret));
        for (const char *c = why; !found && *c; c++)
                buf_char(out, *c < ' ' || *c > '~' ? '?' : *c);
        buf_char(out, '\n');
        explicit_bzero(secret, sizeof(secret));
        return out->failed ? err_memory(err) : 0;
}

static void put_set(struct buf *out, const struct sandbox_policy *sandbox) {
        for (size_t i = 0; i < sandbox->network_credential_count; i++) {
                const struct credential *credential = &sandbox->network_credentials[i];
                const struct str texts[] = { credential->host, credential->header, credential->user, credential->env,
                                             credential->file };

                for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
                        buf_append(out, texts[k]);
                        buf_char(out, '\n');
                }
        }
}

static void forget(struct credentials *credentials) {
        if (credentials->secrets.ptr)
                explicit_bzero(credentials->secrets.ptr, credentials->secrets.len);
        buf_free(&credentials->secrets);
        buf_free(&credentials->set);
        credentials->prepared = false;
}

static int gather(struct credentials *credentials, const struct sandbox_policy *sandbox, const char *const *environment,
                  const char *self, struct err *err) {
        if (find_program(self, credentials->program, sizeof(credentials->program), err) < 0)
                return -1;
        for (size_t i = 0; i < sandbox->network_credential_count; i++)
                if (put_secret(&credentials->secrets, &sandbox->network_credentials[i], environment, err) < 0)
                        return -1;
        for (size_t i = 0; environment && environment[i] && !credentials->environment[0]; i++)
                if (strncmp(environment[i], "SSL_CERT_FILE=", sizeof("SSL_CERT_FILE=") - 1) == 0)
                        credentials->environment[0] = strdup(environment[i]);
        return 0;
}

int credentials_prepare(struct credentials *credentials, const struct policy *policy, const char *const *environment,
                        const char *self, struct err *err) {
        BUF_AUTO set;

        buf_init(&set, SECRETS_MAX);
        put_set(&set, &policy->sandbox);
        if (set.failed)
                return err_memory(err);
        if (credentials->prepared)
                return str_eq(buf_str(&set), buf_str(&credentials->set))
                               ? 0
                               : err_set(err, ERR_UNSUPPORTED,
                                         "sandbox.network.credential: all commands of a session have the same ones");
        buf_init(&credentials->secrets, SECRETS_MAX);
        buf_init(&credentials->set, SECRETS_MAX);
        buf_append(&credentials->set, buf_str(&set));
        if (credentials->set.failed || gather(credentials, &policy->sandbox, environment, self, err) < 0) {
                forget(credentials);
                return credentials->set.failed ? err_memory(err) : -1;
        }
        credentials->prepared = true;
        return 0;
}

/* ---- the process ---- */

/* As engine/pipeline/gateway_start.c. Its end needs no pidfd: the kernel kills it with the last end of `alive`. */
static _Noreturn void become_tls(const struct credentials *credentials, int socket, int alive, int secrets) {
        const char *const argv[] = { "bailey-tls", NULL };
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        int from[] = { null, null, null, socket, alive, secrets };
        struct err err = {};

        setsid();
        if (null < 0 || files_arrange(from, sizeof(from) / sizeof(*from), false, &err) < 0)
                _exit(1);
        if (vfork() == 0) { /* NOLINT(clang-analyzer-security.insecureAPI.vfork): as in launch/inside.c */
                execve(credentials->program, (char *const *)argv, (char *const *)credentials->environment);
                _exit(1); /* NOLINT(clang-analyzer-unix.Vfork): its end of the socket is closed with it */
        }
        _exit(0);
}

static int secrets_file(const struct credentials *credentials, struct err *err) {
        FD_AUTO fd = memfd_create("bailey-secrets", MFD_CLOEXEC);
        struct str rest = buf_str(&credentials->secrets);

        while (fd >= 0 && rest.len) {
                ssize_t n = write(fd, rest.ptr, rest.len);

                if (n <= 0)
                        return err_sys(err, "memfd");
                rest = str_skip(rest, (size_t)n);
        }
        return fd < 0 ? err_sys(err, "memfd") : TAKE_FD(fd);
}

int credentials_start(struct credentials *credentials, int socket, struct err *err) {
        FD_AUTO secrets = secrets_file(credentials, err), mine = -1, its = -1, pidfd = -1;
        int ends[2], status;
        pid_t pid;

        if (secrets < 0 || check_program(credentials->program, err) < 0)
                return -1;
        if (pipe2(ends, O_CLOEXEC) < 0)
                return err_sys(err, "bailey-tls");
        its = ends[0];
        mine = ends[1];
        pid = clone_process(0, -1, &pidfd);
        if (pid == 0)
                become_tls(credentials, socket, its, secrets);
        if (pid < 0)
                return err_sys(err, "bailey-tls: fork");
        if (clone_reap(pidfd, &status) == 0 && status != 0)
                return err_set(err, ERR_SYSTEM, "bailey-tls cannot be started");
        fd_close(credentials->alive);
        credentials->alive = TAKE_FD(mine);
        return 0;
}

void credentials_free(struct credentials *credentials) {
        fd_close(TAKE_FD(credentials->alive));
        free((char *)credentials->environment[0]);
        credentials->environment[0] = NULL;
        if (credentials->prepared)
                forget(credentials);
}
