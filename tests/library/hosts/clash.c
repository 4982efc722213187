/* A program with functions that are called as some inside of the library are. */
#include <bailey.h>

int buf_append(void);
int launch_start(void);
int explain(void);

int buf_append(void) {
        return 1;
}

int launch_start(void) {
        return 2;
}

int explain(void) {
        return 3;
}

int main(void) {
        return buf_append() + launch_start() + explain() + !bailey_version();
}
