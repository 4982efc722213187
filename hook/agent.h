/*
 * What is known of the agents that ask before they run a command: how each of them asks, how it wants to be answered, and
 * where its settings are. All of it is in tables; nothing else here knows an agent by name.
 */
#ifndef BAILEY_HOOK_AGENT_H
#define BAILEY_HOOK_AGENT_H

#include <stdbool.h>

/* ---- questions ---- */

/* A tool that gets commands to a shell. */
struct hook_tool {
        const char *name;    /* NULL ends the table */
        const char *command; /* the field of its input; NULL: bailey cannot judge it, and refuses it */
        const char *refusal; /* what is said then */
        bool may_lack;       /* it does other things, too: then there is no such field */
        bool typed;          /* goes to a shell that runs already: is checked, but cannot be sandboxed */
};

/* Can a hook have the user asked? */
enum hook_asks {
        ASKS_NEVER,   /* "ask" is an error there, and the command then runs */
        ASKS_IF_TOLD, /* only where somebody watches: without, the agent waits for ever */
        ASKS_LATER,   /* not here; but another event of the same command can */
        ASKS,
};

/* Where in an answer things stand: paths of keys, "a.b". NULL: not there at all. */
struct hook_form {
        const char *constant, *value; /* what is in every answer that says something */
        const char *decision;         /* "allow", "deny", "ask" */
        const char *reasons[2];       /* NULL-terminated unless there are two */
        const char *input;            /* the tool's input instead of the given one */
        const char *silence;          /* the answer that says nothing */
        bool input_needs_allow;       /* it counts only with a decision to allow */
};

/* A kind of question. Rows stand in the order in which they are tried. */
struct hook_event {
        const char *agent;
        const char *name_field, *name; /* NULL: the event has no name */
        const char *marks[2];          /* fields that tell it from those below; one of them has to be there */
        const char *tool_field;        /* NULL: there is one tool only */
        const char *input_field;       /* NULL: the question itself */
        const struct hook_tool *tools;
        const char *cwd_field, *input_cwd_field;
        const char *background_field, *timeout_field; /* of the input; milliseconds */
        const struct hook_form *form;
        enum hook_asks asks;
};

extern const struct hook_event hook_events[];
extern const unsigned hook_event_count;

/* ---- agents ---- */

/* An entry of a settings file: `entry` is JSON in which "$" stands for the command. */
struct hook_entry {
        const char *event; /* in "hooks"; NULL ends the table */
        const char *entry;
        bool wrap_only; /* not needed where commands are only judged */
};

struct hook_agent {
        const char *name;  /* NULL ends the table */
        const char *title; /* as people call it */

        /* The directory of the project. The agent's model has no say in these, but in where a command starts. */
        const char *project_variable; /* in the environment of a hook */
        const char *project_field;    /* of the question: an array of them */

        const char *home_variable; /* names the directory `home` */
        const char *base_variable; /* or the one above, instead of HOME */
        const char *home;
        const char *file;         /* in that directory */
        const char *project_file; /* in the project */
        const char *fresh;        /* what a new file holds; "hooks" in it stays when it is empty */
        const struct hook_entry *entries;
        const char *off_path; /* a setting that switches all hooks off */
        const char *advice;   /* what the user has to do besides; NULL: nothing */

        bool project_here; /* the project is where the hook is started */
        bool own_file;     /* nothing but hooks is in it, and without one it can go */
        bool comments;     /* are allowed in it */
        bool or_fail;      /* takes a hook that cannot run for one that has nothing to say */
        bool off_value;    /* of the setting at off_path */
};

/* Their names, as the choice of an argument. */
#define HOOK_AGENTS "claude|codex|gemini|cursor|copilot|vscode"
extern const struct hook_agent hook_agents[];

/* NULL: there is none of this name. */
const struct hook_agent *hook_agent_find(const char *name);

#endif
