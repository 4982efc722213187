/*
 * Sets something aside, as the end of a command does: put_aside STATE DIRECTORY NAME. Prints the ID.
 */
#include <fcntl.h>
#include <stdio.h>

#include "protect/aside.h"

int main(int argc, char **argv) {
        char id[ASIDE_ID_SIZE];
        struct err err = { 0 };
        int dir;

        if (argc != 4)
                return 2;
        dir = open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (aside_add(argv[1], dir, argv[2], argv[3], argv[2], "new at a protected place while a command ran", id, &err) < 0) {
                fprintf(stderr, "%s\n", err.msg);
                return 1;
        }
        printf("%s\n", id);
        return 0;
}
