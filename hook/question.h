/*
 * What an agent asks: may this command run?
 */
#ifndef BAILEY_HOOK_QUESTION_H
#define BAILEY_HOOK_QUESTION_H

#include "hook/agent.h"
#include "hook/json.h"

struct question {
        json_t *json;
        const struct hook_event *event;
        const struct hook_agent *agent;
        const struct hook_tool *tool; /* NULL: not about a shell; nothing below counts then */
        json_t *input;                /* of the tool */
        struct str command;           /* may hold NUL */
        char *cwd;                    /* where it starts; NULL: not said */
        char *workspace;
        bool background;
        double timeout; /* seconds; 0: not said */
};

struct question_options {
        const char *agent;              /* NULL: as it looks */
        const char *workspace;          /* NULL: the project, as the agent tells it */
        const char *const *environment; /* where agents tell it */
};

/* On failure nothing is to be freed. */
int question_read(struct str text, const struct question_options *options, struct question *ret, struct err *err);
void question_free(struct question *question);

#endif
