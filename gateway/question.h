/*
 * DNS for a command: over UDP and TCP, whatever server it asks. Names that are not allowed are never asked for outside.
 */
#ifndef BAILEY_GATEWAY_QUESTION_H
#define BAILEY_GATEWAY_QUESTION_H

#include "gateway/loop.h"

void question_udp_ready(struct gateway *gateway, struct watch *watch, uint32_t events);
void question_tcp_ready(struct gateway *gateway, struct watch *watch, uint32_t events);
void question_stream_expired(struct gateway *gateway, struct timer *timer);
void question_end(struct gateway *gateway, struct command *command); /* all of the command */
void question_free_dead(struct gateway *gateway);

/* One more may be read: COMMAND_QUESTIONS_SECOND, and not too many that wait. */
bool question_has_room(const struct command *command);

/* Reads on where that was put off; true: some still is. */
bool question_resume(struct command *command);

/*
 * The question's name has been looked up: the addresses that it may have. Returns it with those that lead to it from now on,
 * which are others where a proxy resolves it; NULL: there are none.
 */
const struct name *question_take_answer(struct gateway *gateway, struct command *command, const struct host *host,
                                        const struct resolution *resolution, struct vetted *ret);

#endif
