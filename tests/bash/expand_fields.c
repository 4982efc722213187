/*
 * Helps expand_oracle.sh: for each script in a file of scripts (a NUL between them) prints one line for each command `P
 * words...` that a walk shows, in order: "call" (or "sampled"), and the words, in hexadecimal behind a dot, or ? when they are
 * not known. A line "end" and how it ended follows each. The environment is taken to be empty; with another argument, to be
 * unknown.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bash/eval/walk.h"

static void print_field(const struct field *field) {
        if (field->kind != FIELD_KNOWN) {
                printf(" ?");
                return;
        }
        printf(" .");
        for (size_t i = 0; i < field->text.len; i++)
                printf("%02x", (unsigned char)field->text.ptr[i]);
}

static bool show(void *context, const struct walk_visit *visit) {
        (void)context;
        if (visit->argc == 0 || visit->argv[0].kind != FIELD_KNOWN || !str_is(visit->argv[0].text, "P"))
                return true;
        printf(visit->sampled ? "sampled" : "call");
        for (size_t i = 1; i < visit->argc; i++)
                print_field(&visit->argv[i]);
        putchar('\n');
        return true;
}

static void walk(struct str text, bool unknown_environment) {
        static const char *const ends[] = { "complete", "too complex", "no memory", "stopped" };
        const struct walk_options options = { .arguments_known = true, .environment_known = !unknown_environment };
        const struct walk_visitor visitor = { .command = show };
        struct script script;
        enum walk_end end;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        shell_parse(text, &arena, &script);
        end = shell_walk(&script, &options, &visitor, &arena);
        printf("end %s%s\n", script.error.kind ? "syntax error, " : "", ends[end]);
}

int main(int argc, char **argv) {
        FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
        char *line = NULL;
        size_t capacity = 0;
        ssize_t n;

        if (!file) {
                perror("expand_fields");
                return 1;
        }
        while ((n = getdelim(&line, &capacity, '\0', file)) > 0)
                walk(str_from(line, (size_t)n - (line[n - 1] == '\0')), argc > 2);
        free(line);
        fclose(file);
        return 0;
}
