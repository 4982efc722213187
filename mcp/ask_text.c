/*
 * What the user reads, and what an answer means. All that comes from outside stands on lines that begin with a mark, with its
 * invisible characters shown, so that no command can look like a sentence of bailey's.
 */
#include <string.h>

#include "format/format.h"
#include "mcp/ask.h"

enum { COLUMNS = 76 };

/* ---- the message ---- */

/* A line of the command: one that is longer than the window goes on behind a mark of its own, and not where a window breaks it.
 */
static void put_line(struct buf *out, struct str line) {
        char room[STR_VISIBLE_SIZE];
        size_t column = 0, taken;

        buf_append(out, STR("\n| "));
        for (; line.len; line = str_skip(line, taken)) {
                struct str shown = str_visible(line, room, &taken);

                if (column + shown.len > COLUMNS) {
                        buf_append(out, STR("\n|+ "));
                        column = 0;
                }
                buf_append(out, shown);
                column += shown.len;
        }
}

static void put_command(struct buf *out, struct str command) {
        while (command.len && !out->failed) {
                size_t end = str_find(command, '\n');

                put_line(out, str_take(command, end));
                command = str_skip(command, end + 1);
        }
}

static void put_item(struct buf *out, const struct bailey_asked *item) {
        static const char *const words[] = { [BAILEY_ASKED_WARNING] = "\n- warning of the guard: ",
                                             [BAILEY_ASKED_HOST] = "\n- it connects to the host ",
                                             [BAILEY_ASKED_WRITE] = "\n- it writes to " };

        buf_append(out, str_z(words[item->kind]));
        buf_visible(out, text_str(item->subject));
        if (item->why.length) {
                buf_append(out, STR(": "));
                buf_visible(out, text_str(item->why));
        }
}

bool ask_message(const struct bailey_question *question, const char *reason, struct buf *out) {
        buf_append(out, STR("bailey: an agent wants to run a command that needs your consent. The command:"));
        put_command(out, str_z(question->command));
        if (out->failed || out->len > ASK_SHOWN_MAX)
                return false;
        if (question->cwd) {
                buf_append(out, STR("\nDirectory: "));
                buf_visible(out, str_z(question->cwd));
        }
        buf_append(out, STR("\nReasons for this question:"));
        for (size_t i = 0; i < question->count; i++)
                put_item(out, &question->items[i]);
        if (reason) {
                buf_append(out, STR("\nThe agent's explanation (not checked by bailey):"));
                put_line(out, str_z(reason));
        }
        return !out->failed;
}

/* ---- the form ---- */

static const struct answer_row {
        const char *word, *title;
        enum bailey_consent consent;
} answers[] = {
        { "deny", "No, do not run it", BAILEY_CONSENT_NONE },
        { "once", "Yes, run it once", BAILEY_CONSENT_ONCE },
        { "session", "Yes, and do not ask about this again in this session", BAILEY_CONSENT_SESSION },
        { "always", "Yes, and save this permanently in your config file", BAILEY_CONSENT_ALWAYS },
};
enum { ANSWERS = sizeof(answers) / sizeof(*answers) };

static bool is_offered(const struct bailey_question *question, const struct answer_row *row) {
        return !(row->consent == BAILEY_CONSENT_SESSION && !question->session) &&
               !(row->consent == BAILEY_CONSENT_ALWAYS && !question->always);
}

typedef void put_answer(const struct answer_row *row, struct buf *out);

static void put_word(const struct answer_row *row, struct buf *out) {
        buf_format(out, "\"%s\"", row->word);
}

static void put_title(const struct answer_row *row, struct buf *out) {
        buf_format(out, "\"%s\"", row->title);
}

static void put_both(const struct answer_row *row, struct buf *out) {
        buf_format(out, "{\"const\":\"%s\",\"title\":\"%s\"}", row->word, row->title);
}

static void put_answers(const struct bailey_question *question, put_answer *put, struct buf *out) {
        const char *comma = "";

        for (size_t i = 0; i < ANSWERS; i++) {
                if (!is_offered(question, &answers[i]))
                        continue;
                buf_append(out, str_z(comma));
                put(&answers[i], out);
                comma = ",";
        }
}

void ask_schema(const struct bailey_question *question, bool titles, struct buf *out) {
        buf_append(out, STR("{\"type\":\"object\",\"properties\":{\"decision\":{\"type\":\"string\",\"title\":\"Decision\","));
        if (titles) {
                buf_append(out, STR("\"oneOf\":["));
                put_answers(question, put_both, out);
        } else {
                buf_append(out, STR("\"enum\":["));
                put_answers(question, put_word, out);
                buf_append(out, STR("],\"enumNames\":["));
                put_answers(question, put_title, out);
        }
        buf_append(out, STR("]}},\"required\":[\"decision\"]}"));
}

/* ---- the answer ---- */

enum bailey_consent ask_read(const struct bailey_question *question, json_t *result, const char **ret_word) {
        const char *action = json_string_value(json_object_get(result, "action"));
        const char *decision = json_string_value(json_object_get(json_object_get(result, "content"), "decision"));

        *ret_word = "no valid answer";
        if (action && strcmp(action, "decline") == 0)
                *ret_word = "declined";
        if (action && strcmp(action, "cancel") == 0)
                *ret_word = "cancelled";
        if (!action || strcmp(action, "accept") != 0 || !decision)
                return BAILEY_CONSENT_NONE;
        for (size_t i = 0; i < ANSWERS; i++)
                if (strcmp(answers[i].word, decision) == 0 && is_offered(question, &answers[i])) {
                        *ret_word = answers[i].word;
                        return answers[i].consent;
                }
        return BAILEY_CONSENT_NONE;
}

/* ---- without an answer ---- */

void ask_remedy(const struct bailey_question *question, struct buf *out) {
        bool warned = false;

        for (size_t i = 0; i < question->count; i++) {
                const struct bailey_asked *item = &question->items[i];

                warned |= item->kind == BAILEY_ASKED_WARNING;
                if (item->kind == BAILEY_ASKED_HOST)
                        buf_append(out, STR(" To allow the host, the user can run: bailey allow "));
                else if (item->kind == BAILEY_ASKED_WRITE)
                        buf_append(out, STR(" To allow the path, the user can start the server with --write "));
                if (item->kind != BAILEY_ASKED_WARNING)
                        buf_visible(out, text_str(item->subject));
        }
        if (warned)
                buf_append(out, STR(" The user can run the command, or set mcp.warned = \"run\"."));
}
