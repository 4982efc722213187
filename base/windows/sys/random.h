#ifndef BAILEY_BASE_WINDOWS_RANDOM_H
#define BAILEY_BASE_WINDOWS_RANDOM_H

ssize_t getrandom(void *bytes, size_t count, unsigned flags);

#endif
