/*
 * What a program says to its user on stderr. For programs only: library code returns a struct err and never prints.
 */
#ifndef BAILEY_BASE_LOG_H
#define BAILEY_BASE_LOG_H

/* Writes "bailey: <message>\n" in one write(), so that lines of several processes do not mix. Characters that would
 * not be seen and bytes that are not UTF-8 are escaped, as a message may quote an agent; a very long one is cut and ends in
 * "...". */
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
