/*
 * `bailey learn`: what a command needs besides its policy, found by running it.
 *
 * learn.c has the runs, learn_place.c their directories, learn_lines.c makes lines of findings, learn_refuse.c decides what is
 * never proposed, learn_config.c writes them to a config file.
 */
#ifndef BAILEY_ENGINE_API_LEARN_H
#define BAILEY_ENGINE_API_LEARN_H

#include <limits.h>

#include "engine/pipeline/run.h"
#include "engine/policy.h"
#include "sandbox/host.h"

enum { LEARN_LINES_MAX = 40, LEARN_REFUSED_MAX = 64, LEARN_NOTICES_MAX = 8 };

/* What a line opens: files of the user, hosts, services of this host. */
enum learn_reach { LEARN_NOTHING, LEARN_SHOWS, LEARN_CONNECTS, LEARN_SERVICE };

struct line {
        struct bailey_learn_line is;
        enum learn_reach reach;
        const char *path; /* of fs_write_allow: the path; NULL: of other keys */
        bool off;         /* it is left out: the command passes without it */
};

struct learn {
        const struct bailey_policy *policy;
        const struct bailey_learn_options *options;
        struct arena *arena;
        struct host host; /* what may not be proposed depends on it */
        const char *home, *workspace;
        char directory[PATH_MAX]; /* of copies; "": none yet */
        struct line lines[LEARN_LINES_MAX];
        size_t count;
        struct bailey_learn_refused refused[LEARN_REFUSED_MAX];
        size_t refused_count;
        const char *notices[LEARN_NOTICES_MAX + 1];
        size_t notice_count;
        bool full; /* there were more lines */
        unsigned runs;
};

/* ---- learn_lines.c ---- */

/* Adds what would allow the findings: those that are certain, or if these add nothing, also files that are only missing.
 * Returns whether there is any new line. */
bool lines_add(struct learn *l, const struct bailey_outcome *outcome);

/* The lines that are on, as overrides; the first of them sets the home directory. NULL: no memory. */
const char *const *lines_overrides(const struct learn *l, const char *home_dir, struct arena *arena);

/* Why only a command that is trusted may run with the lines that are on: it could send away files that it is not shown now, or
 * change something by a service that is outside of the sandbox. NULL: any may. */
const char *lines_need_trust(const struct learn *l);

/* ---- learn_refuse.c ---- */

enum learn_access { LEARN_READ, LEARN_WRITE };

/* Why a path is not proposed; NULL: it may be. `real` is where it leads. */
const char *refuse_path(struct learn *l, const char *real, enum learn_access access);
const char *refuse_host(const char *host);
const char *refuse_socket(struct learn *l, const char *real);
bool refuse_is_plain(const char *text); /* it can be shown and written to a config as it is */

/* ---- learn_place.c ---- */

/* The directory of copies, for one user alone, and not in the home directory. */
int place_begin(struct learn *l, struct err *err);
void place_end(struct learn *l);

struct place {
        char name[32]; /* in the directory */
        char home[PATH_MAX];
        char stage[STAGE_NAME_LONGEST + 1];
        struct run_copy copies[LEARN_LINES_MAX + 1];
};

/* Copies of the home of the workspace, and of what may be written. */
int place_make(struct learn *l, struct arena *arena, struct place *ret, struct err *err);

/* Removes them, and the stage. */
void place_remove(struct learn *l, const struct place *place, bool keep_stage);

/* The path of an entry below `top`; false: it is too long. */
struct walk_entry;
bool place_path(const struct walk_entry *entry, const char *top, char ret[static PATH_MAX]);

/* Can what is below the path be copied for a run? */
bool place_can_copy(const char *path);

void learn_notice(struct learn *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
