#include "hook/answer.h"

static const char *const words[] = {
        [DECISION_ALLOW] = "allow",
        [DECISION_DENY] = "deny",
        [DECISION_ASK] = "ask",
};

/* The given input with another command in it: agents replace the whole. */
static json_t *input_instead(const struct question *question, struct str command) {
        json_t *input = json_copy(question->input);

        if (input && json_object_set_new(input, question->tool->command, json_stringn(command.ptr, command.len)) < 0) {
                json_decref(input);
                return NULL;
        }
        return input;
}

static int fill(const struct question *question, const struct answer *answer, json_t *json) {
        const struct hook_form *form = question->event->form;
        enum decision decision = answer->decision;
        int status = 0;

        if (form->constant)
                status |= json_put(json, form->constant, json_string(form->value));
        if (decision == DECISION_NONE && answer->command.ptr && form->input_needs_allow)
                decision = DECISION_ALLOW;
        if (decision != DECISION_NONE)
                status |= json_put(json, form->decision, json_string(words[decision]));
        for (size_t i = 0; i < 2 && form->reasons[i] && answer->reason.len; i++)
                status |= json_put(json, form->reasons[i], json_stringn(answer->reason.ptr, answer->reason.len));
        if (answer->command.ptr)
                status |= json_put(json, form->input, input_instead(question, answer->command));
        return status;
}

int answer_write(const struct question *question, const struct answer *answer, struct buf *out, struct err *err) {
        JSON_AUTO json = json_object();
        char *text;

        if (answer->decision == DECISION_NONE && !answer->command.ptr) {
                buf_append(out, str_z(question->event->form->silence));
        } else {
                text = json && fill(question, answer, json) == 0 ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17))
                                                                 : NULL;
                if (!text)
                        return err_memory(err);
                buf_append(out, str_z(text));
                free(text);
        }
        if (out->len)
                buf_char(out, '\n');
        return out->failed ? err_memory(err) : 0;
}
