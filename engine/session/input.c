/*
 * What background commands of a session are given to read, and signals for them.
 */
#include <signal.h>
#include <stdio.h>

#include "engine/config.h"
#include "engine/pipeline/record.h"
#include "engine/session/session.h"
#include "run/terminal_keys.h"

static struct shell *find_running(struct bailey_session *session, const char *id, struct err *err) {
        struct shell *shell = session_find(session, id);

        if (!shell)
                err_set(err, ERR_NOT_FOUND, "no shell has the id %.64s", id);
        else if (shell->ended || shell->run->over)
                err_set(err, ERR_REFUSED, "the command has ended");
        else
                return shell;
        return NULL;
}

/* ---- commands for a shell ---- */

/*
 * A shell reads its commands one after the other, as it would a script. So all that it was given is one script, which ends with
 * what is new: then it does not matter in which pieces a command came, or what an earlier one has set. What does not belong to
 * a whole command yet may never be one: a signal can end it, or it was for a program that the shell runs. So what comes then is
 * judged once more as if that had not been there, and line by line.
 */
struct judging {
        struct guard_place place;
        struct policy policy;     /* whose limit is for all that was typed */
        const struct run *asking; /* whose user is asked about warnings, which cannot be done here; NULL: nobody is asked */
        struct arena arena;
        struct verdict verdict;
};

static void judging_begin(struct judging *j, const struct bailey_session *session, struct shell *shell) {
        *j = (struct judging){ .policy = *session->policy->policy };
        j->policy.guard.max_command_length = TYPED_MAX;
        run_place(shell->run, &j->place);
        if (shell->run->order.options.consent != BAILEY_CONSENT_ASSUMED)
                j->asking = shell->run;
        arena_init(&j->arena, 0);
}

static bool is_garbled(const struct verdict *verdict) {
        return verdict->script.error.kind != SYNTAX_OK && !verdict->script.unfinished;
}

/* `open`: that it cannot be parsed is no reason. */
static bool blocks(const struct verdict *verdict, bool open) {
        if (verdict->action != ACTION_BLOCKED)
                return false;
        for (const struct reason *r = verdict->reasons; r; r = r->next)
                if (r->severity == SEVERITY_BLOCK && !(open && r->effect && r->effect->flags & TEXT_SYNTAX))
                        return true;
        return !verdict->reasons; /* without memory there are none */
}

static bool needs_consent(const struct judging *j) {
        for (const struct reason *r = j->asking ? j->verdict.reasons : NULL; r; r = r->next)
                if (run_reason_asks(j->asking, r))
                        return true;
        return false;
}

/* May this be written? A text that goes on later may. */
static bool passes(struct judging *j, struct str text, bool garbled_too) {
        guard_check_at(text, &j->place, &j->policy, &j->arena, &j->verdict);
        return !blocks(&j->verdict, garbled_too || j->verdict.script.unfinished) && !needs_consent(j);
}

static bool lines_pass(struct judging *j, struct str text) {
        while (text.len) {
                struct str line = str_take(text, str_find(text, '\n'));

                if (!passes(j, line, true))
                        return false;
                text = str_skip(text, line.len + 1);
        }
        return true;
}

/* How much of it are whole lines of whole commands; at least what was so before. */
static size_t done_of(const struct script *script, size_t before) {
        struct str source = script->source;
        bool open_heredoc = script->unfinished && script->error.kind == SYNTAX_OK;

        if (!script->unfinished && source.len && source.ptr[source.len - 1] == '\n')
                return source.len;
        for (const struct command *c = open_heredoc ? NULL : script->commands; c; c = c->next) {
                size_t newline = c->range.end + str_find(str_skip(source, c->range.end), '\n');

                if (newline < source.len && newline >= before && (!c->next || c->next->range.start > newline))
                        before = newline + 1;
        }
        return before;
}

/* What is typed from now on follows this. */
static void keep_typed(struct typed *typed, struct buf *text, const struct script *script, size_t done) {
        struct buf before = typed->text;

        typed->text = *text;
        *text = before;
        typed->done = done_of(script, done);
}

/* As a script that begins with the first bytes of what was typed. */
static bool follows(struct judging *j, struct typed *typed, size_t first, struct str text, bool keep) {
        BUF_AUTO script;
        bool allowed;

        buf_init(&script, TYPED_MAX);
        buf_append(&script, str_take(buf_str(&typed->text), first));
        buf_append(&script, text);
        allowed = !script.failed && passes(j, buf_str(&script), !keep);
        if (allowed && keep)
                keep_typed(typed, &script, &j->verdict.script, typed->done < first ? typed->done : first);
        return allowed;
}

/* `j->verdict` is the one that counts. */
static bool judge(struct judging *j, struct typed *typed, struct str text) {
        bool was_open = typed->text.len > typed->done;

        if (was_open && (!follows(j, typed, typed->done, text, false) || !lines_pass(j, text)))
                return false;
        if (follows(j, typed, typed->text.len, text, true))
                return true;
        return was_open && is_garbled(&j->verdict) && follows(j, typed, typed->done, text, true);
}

/* The most severe reason comes first. */
static int refuse(const struct verdict *verdict, struct err *err) {
        const struct reason *r = verdict->reasons;

        if (!r)
                return err_set(err, ERR_MEMORY, "blocked, and not written: out of memory");
        if (verdict->action != ACTION_BLOCKED)
                return err_set(err, ERR_REFUSED, "not written: %.*s: %.*s The user has to be asked first: run it with Bash",
                               (int)r->id.len, r->id.ptr, (int)r->message.len, r->message.ptr);
        return err_set(err, ERR_REFUSED, "blocked, and not written: %.*s: %.*s", (int)r->id.len, r->id.ptr, (int)r->message.len,
                       r->message.ptr);
}

/* The shell would run it. */
static int check_commands(struct bailey_session *session, struct shell *shell, struct str text, struct err *err) {
        const struct guard_policy *guard = &session->policy->policy->guard;
        struct judging j;
        bool allowed;
        int result;

        if (text.len > guard->max_command_length)
                return err_set(err, ERR_REFUSED,
                               "not written: %zu bytes for a shell; the limit is %u (guard.max_command_length_bytes)", text.len,
                               guard->max_command_length);
        if (shell->typed.text.len + text.len > TYPED_MAX)
                return err_set(err, ERR_REFUSED, "not written: a shell can be given %d bytes of commands in all: start another",
                               TYPED_MAX);
        judging_begin(&j, session, shell);
        allowed = judge(&j, &shell->typed, text) || session->policy->bypassed;
        result = record_input(shell->run, text, &j.verdict, &j.arena, err);
        if (result == 0 && !allowed)
                result = refuse(&j.verdict, err);
        arena_free(&j.arena);
        return result;
}

/* ---- what is typed at a terminal ---- */

enum { END_OF_INPUT = 4, KEYS_MAX = 1024, SHOWN_MAX = 2 * INPUT_QUEUE_MAX };

/* What is to be written, and as what it is judged and recorded. */
struct typing {
        struct buf bytes, commands, shown;
};

static void typing_begin(struct typing *typing) {
        buf_init(&typing->bytes, INPUT_QUEUE_MAX + 1);
        buf_init(&typing->commands, INPUT_QUEUE_MAX + 1);
        buf_init(&typing->shown, SHOWN_MAX);
}

static void typing_end(struct typing *typing) {
        buf_free(&typing->bytes);
        buf_free(&typing->commands);
        buf_free(&typing->shown);
}

/* Where a line ends, a key says so by a carriage return. */
static void type_text(struct typing *typing, struct str text, bool terminal) {
        buf_append(&typing->bytes, text);
        for (size_t i = 0; i < text.len; i++)
                buf_char(&typing->commands, terminal && text.ptr[i] == '\r' ? '\n' : text.ptr[i]);
        buf_append(&typing->shown, buf_str(&typing->commands));
}

/* What edits the line or recalls another one is not followed: the keys that type a text are. */
static int type_key(struct typing *typing, const struct shell *shell, const char *name, struct err *err) {
        struct screen_state state;
        size_t before = typing->bytes.len;
        struct str sent;

        screen_state(shell->screen, &state);
        if (!terminal_key(name, state.application_cursor, &typing->bytes))
                return err_set(err, ERR_INVALID,
                               "there is no key '%.32s': expected such as Enter, Tab, Escape, Up, PageDown, F1, C-c, M-x, or "
                               "a character",
                               name);
        sent = str_skip(buf_str(&typing->bytes), before);
        if (str_is(sent, "\r")) {
                buf_char(&typing->commands, '\n');
                buf_char(&typing->shown, '\n');
        } else if ((unsigned char)sent.ptr[0] >= ' ' && sent.ptr[0] != 0x7f) {
                buf_append(&typing->commands, sent);
                buf_append(&typing->shown, sent);
        } else {
                buf_format(&typing->shown, "<%s>", name);
        }
        return 0;
}

static int type_keys(struct typing *typing, const struct shell *shell, const char *const *keys, struct err *err) {
        if (keys && *keys && !shell->screen)
                return err_set(err, ERR_REFUSED, "keys are for a terminal: it has none (pty: true)");
        for (size_t i = 0; keys && keys[i]; i++) {
                if (i == KEYS_MAX)
                        return err_set(err, ERR_REFUSED, "more than %d keys at once", KEYS_MAX);
                if (type_key(typing, shell, keys[i], err) < 0)
                        return -1;
        }
        return 0;
}

static int type(struct typing *typing, const struct shell *shell, const struct bailey_input *input, struct err *err) {
        type_text(typing, str_from(input->text, input->text ? input->length : 0), shell->screen);
        if (type_keys(typing, shell, input->keys, err) < 0)
                return -1;
        if (input->end && shell->screen)
                buf_char(&typing->bytes, END_OF_INPUT);
        return typing->bytes.failed || typing->commands.failed || typing->shown.failed ? err_memory(err) : 0;
}

/* ---- writing ---- */

/* A password is not for the record. */
static int record_other(struct shell *shell, struct str shown, struct err *err) {
        char text[64];
        int len;

        if (!job_hides_input(&shell->run->job))
                return record_input(shell->run, shown, NULL, NULL, err);
        len = snprintf(text, sizeof(text), "(%zu bytes that the terminal does not show)", shown.len);
        return record_input(shell->run, str_from(text, (size_t)len), NULL, NULL, err);
}

static int check_input(struct bailey_session *session, struct shell *shell, const struct typing *typing, struct err *err) {
        struct str commands = buf_str(&typing->commands), shown = buf_str(&typing->shown);

        if (shell->run->judged.verdict.reads_code && commands.len && check_commands(session, shell, commands, err) < 0)
                return -1;
        if (shell->run->judged.verdict.reads_code && shown.len == commands.len)
                return 0;
        return shown.len ? record_other(shell, shown, err) : 0;
}

static int give(struct shell *shell, struct str bytes, bool end, struct err *err) {
        struct input_queue *queue = &shell->input;

        if (input_queue_add(queue, bytes, err) < 0)
                return -1;
        queue->ending |= end && !shell->screen;
        job_give(&shell->run->job);
        return queue->unread ? input_queue_check(queue, bytes.len, err) : 0; /* which says why */
}

static int write_input(struct bailey_session *session, struct shell *shell, const struct bailey_input *input,
                       struct typing *typing, struct err *err) {
        if (!shell->has_input)
                return err_set(err, ERR_REFUSED,
                               "its standard input is empty: it was not started with an open one (stdin: true)");
        if (input->text && input_queue_check(&shell->input, input->length, err) < 0)
                return -1;
        if (type(typing, shell, input, err) < 0 || input_queue_check(&shell->input, typing->bytes.len, err) < 0 ||
            check_input(session, shell, typing, err) < 0)
                return -1;
        return give(shell, buf_str(&typing->bytes), input->end, err);
}

int bailey_input(struct bailey_session *session, const char *id, const struct bailey_input *input,
                 struct bailey_input_taken *ret, char *ret_error, size_t error_size) {
        struct err err = {};
        struct shell *shell = find_running(session, id, &err);
        struct typing typing;
        int result;

        if (!shell)
                return config_hand_error(&err, ret_error, error_size);
        typing_begin(&typing);
        result = write_input(session, shell, input, &typing, &err);
        if (result == 0)
                *ret = (struct bailey_input_taken){ .taken = typing.bytes.len, .waiting = input_queue_waiting(&shell->input) };
        typing_end(&typing);
        if (result < 0)
                return config_hand_error(&err, ret_error, error_size);
        session_arm(session);
        return 0;
}

/* ---- signals ---- */

int bailey_signal(struct bailey_session *session, const char *id, int signal, char *ret_error, size_t error_size) {
        struct err err = {};
        struct shell *shell = find_running(session, id, &err);

        if (!shell)
                return config_hand_error(&err, ret_error, error_size);
        if (signal < 1 || signal > SIGRTMAX)
                err_set(&err, ERR_INVALID, "%d is not the number of a signal", signal);
        else if (shell->run->guarded.held_until && signal == SIGCONT) /* it must not go on now */
                err_set(&err, ERR_REFUSED, "the command is stopped while protected files are restored; try again");
        else
                job_signal(&shell->run->job, signal);
        return err.code ? config_hand_error(&err, ret_error, error_size) : 0;
}
