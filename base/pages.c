#include "base/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Less is got faster where such memory was used before. */
enum { LARGE = 1 << 20 };

void *pages_new(size_t size) {
        void *pages;

        if (size < LARGE)
                return malloc(size);
        pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
                return NULL;
        (void)madvise(pages, size, MADV_DONTFORK);
        return pages;
}

void pages_free(void *pages, size_t size) {
        if (size < LARGE)
                free(pages);
        else if (pages)
                munmap(pages, size);
}
