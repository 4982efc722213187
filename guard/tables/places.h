/*
 * Places of the file system that matter, whatever is in them. Each list ends with NULL.
 */
#ifndef BAILEY_GUARD_TABLES_PLACES_H
#define BAILEY_GUARD_TABLES_PLACES_H

extern const char *const place_top[];             /* names in /: their loss is the loss of the system, or of the user's work */
extern const char *const place_system[];          /* no file in them belongs to the user */
extern const char *const place_temporary[];       /* what is deleted there is made again, or was not to be kept */
extern const char *const place_devices[];         /* patterns of those that do no harm */
extern const char *const place_sinks[];           /* patterns of what is written without becoming a file */
extern const char *const place_dotenv_examples[]; /* ends of .env.NAME that are meant to be read */
extern const char *const place_fixtures[];        /* directories of files that look like others, for tests and as templates */

#endif
