#include "batch/place.h"

#include <stdlib.h>

enum { KEY_MAX = JOB_LINE_MAX, OVERRIDES = 1024 };

static void key_add(struct buf *key, const char *text) {
        if (text)
                buf_append(key, str_z(text));
        buf_char(key, 0);
}

static void key_make(const struct job *job, struct buf *ret) {
        buf_init(ret, KEY_MAX);
        key_add(ret, job->workspace);
        key_add(ret, job->policy);
        for (const char *const *variable = job->env; variable && *variable; variable++)
                key_add(ret, *variable);
}

static void place_free(struct place *place) {
        bailey_session_free(place->session);
        bailey_policy_free(place->policy);
        buf_free(&place->key);
        free(place);
}

void places_free(struct places *places) {
        for (size_t i = 0; i < places->count; i++)
                place_free(places->items[i]);
        places->count = 0;
}

/* The one that is used least recently leaves, if there are too many that are idle. */
static void make_room(struct places *places) {
        struct place **oldest = NULL;
        size_t idle = 0;

        for (size_t i = 0; i < places->count; i++) {
                if (places->items[i]->running)
                        continue;
                idle++;
                if (!oldest || places->items[i]->used < (*oldest)->used)
                        oldest = &places->items[i];
        }
        if (!oldest || (idle < places->idle_max && places->count < PLACES_MAX))
                return;
        place_free(*oldest);
        *oldest = places->items[--places->count];
}

/* Jobs know nothing of each other: what one leaves in /tmp is not there for the next. Options given by the user come later, and
 * count. */
static int load_policy(const struct places *places, const struct job *job, struct bailey_policy **ret, struct err *err) {
        const char *overrides[OVERRIDES + 1] = { "run.tmp=command" };
        struct bailey_policy_options options = *places->options;
        size_t count = 1;
        char error[sizeof(err->msg)];

        for (const char *const *item = options.overrides; item && *item; item++) {
                if (count == OVERRIDES)
                        return err_set(err, ERR_TOO_COMPLEX, "more than %d options", OVERRIDES - 1);
                overrides[count++] = *item;
        }
        for (const char *const *item = job->env; item && *item; item++) {
                if (count == OVERRIDES)
                        return err_set(err, ERR_TOO_COMPLEX, "env: more than %d variables", OVERRIDES / 2);
                overrides[count++] = *item;
        }
        options.overrides = overrides;
        options.workspace = job->workspace ? job->workspace : options.workspace;
        options.policy = job->policy ? job->policy : options.policy;
        if (bailey_policy_load(&options, ret, error, sizeof(error)) < 0)
                return err_set(err, ERR_INVALID, "%s", error);
        return 0;
}

static int place_open(const struct places *places, const struct job *job, struct place *place, struct err *err) {
        char error[sizeof(err->msg)];

        if (load_policy(places, job, &place->policy, err) < 0)
                return -1;
        if (bailey_session_new(place->policy, places->environment, &place->session, error, sizeof(error)) < 0)
                return err_set(err, ERR_SYSTEM, "%s", error);
        return 0;
}

static struct place *place_find(struct places *places, const struct buf *key) {
        for (size_t i = 0; i < places->count; i++)
                if (str_eq(buf_str(&places->items[i]->key), buf_str(key)))
                        return places->items[i];
        return NULL;
}

/* Takes the key. */
static struct place *place_add(struct places *places, const struct job *job, struct buf key, struct err *err) {
        struct place *place = calloc(1, sizeof(*place));

        if (!place) {
                buf_free(&key);
                err_memory(err);
                return NULL;
        }
        place->key = key;
        make_room(places);
        if (places->count == PLACES_MAX)
                err_set(err, ERR_REFUSED, "too many combinations of workspace, policy and variables (maximum: %d)", PLACES_MAX);
        if (places->count == PLACES_MAX || place_open(places, job, place, err) < 0) {
                place_free(place);
                return NULL;
        }
        return places->items[places->count++] = place;
}

struct place *place_enter(struct places *places, const struct job *job, struct err *err) {
        struct place *place;
        struct buf key;

        key_make(job, &key);
        if (key.failed) {
                buf_free(&key);
                err_memory(err);
                return NULL;
        }
        place = place_find(places, &key);
        if (place)
                buf_free(&key);
        else
                place = place_add(places, job, key, err);
        if (!place)
                return NULL;
        place->running++;
        place->used = ++places->uses;
        return place;
}

void place_leave(struct place *place) {
        place->running--;
}
