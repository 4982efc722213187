/*
 * Numbers with a point, whatever the program's locale has in its place.
 */
#ifndef BAILEY_BASE_NUMBER_H
#define BAILEY_BASE_NUMBER_H

enum { NUMBER_SIZE = 32 };

/* As "%.*g" writes it in C; at most 17 digits. */
void number_format(double value, int digits, char ret_text[static NUMBER_SIZE]);

#endif
