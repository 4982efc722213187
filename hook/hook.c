/*
 * One question to its answer: read it, judge the command, and say what the mode makes of the verdict.
 */
#include "hook/hook.h"

#include <string.h>

#include "bailey.h"
#include "hook/answer.h"
#include "hook/question.h"
#include "hook/wrap.h"

#define SIGNATURE "bailey: " /* so that the agent's user knows whose word it is */

enum { REASONS_MAX = 8, REASON_MAX = 8 << 10 };

const char *const hook_warned_names[] = {
        [HOOK_WARNED_ASK] = "ask",
        [HOOK_WARNED_DENY] = "deny",
        [HOOK_WARNED_ALLOW] = "allow",
        [HOOK_WARNED_ALLOW + 1] = NULL,
};

struct pass {
        const struct hook_options *options;
        struct question question;
        struct bailey_policy *policy;
        struct wrap wrap;
        struct buf inner;   /* the command that is wrapped already */
        struct buf reason;  /* of the verdict */
        struct buf command; /* to run instead */
        bool wrapped;
        int action; /* enum bailey_action */
        struct buf *said;
};

/* ---- the verdict ---- */

/* Agents take only UTF-8, and a command can spell other bytes: $'\xff'. */
static void put_utf8(struct buf *out, struct str text) {
        for (size_t len; text.len; text = str_skip(text, len ? len : 1)) {
                len = str_utf8(text);
                buf_append(out, len ? str_take(text, len) : STR("\xef\xbf\xbd"));
        }
}

/* Part of them is quoted from the command, and agents show them on terminals. */
static void put_visible(struct buf *out, struct bailey_text text) {
        BUF_AUTO valid;

        buf_init(&valid, HOOK_ANSWER_MAX);
        put_utf8(&valid, str_from(text.text, text.length));
        out->failed = out->failed || valid.failed;
        buf_visible(out, buf_str(&valid));
}

static void put_reasons(const struct bailey_verdict *verdict, struct buf *out) {
        for (size_t i = 0; i < verdict->reason_count && i < REASONS_MAX; i++) {
                if (i)
                        buf_char(out, '\n');
                put_visible(out, verdict->reasons[i].message);
                buf_append(out, STR(" ("));
                put_visible(out, verdict->reasons[i].rule);
                buf_char(out, ')');
        }
        if (verdict->reason_count > REASONS_MAX)
                buf_format(out, "\nand %zu more", verdict->reason_count - REASONS_MAX);
}

static int judge(struct pass *pass, struct err *err) {
        struct str command = pass->wrapped ? buf_str(&pass->inner) : pass->question.command;
        struct bailey_verdict verdict;

        pass->action = bailey_check_at(pass->policy, pass->question.cwd, true, command.ptr, command.len, &verdict);
        if (pass->action < 0)
                return err_memory(err);
        if (pass->action != BAILEY_ALLOWED)
                put_reasons(&verdict, &pass->reason);
        bailey_verdict_free(&verdict);
        return 0;
}

static int policy_find(struct pass *pass, struct err *err) {
        const struct hook_options *options = pass->options;
        const struct bailey_policy_options wanted = {
                .policy = options->policy,
                .workspace = pass->question.workspace,
                .config = options->config,
                .overrides = options->overrides,
                .environment = options->environment,
        };
        char error[sizeof(err->msg)];

        if (bailey_policy_load(&wanted, &pass->policy, error, sizeof(error)) < 0)
                return err_set(err, ERR_INVALID, "%s", error);
        for (size_t i = 0; bailey_policy_notice(pass->policy, i); i++)
                buf_format(pass->said, "%s\n", bailey_policy_notice(pass->policy, i));
        return 0;
}

/* ---- what is made of it ---- */

/* In front of the reasons. */
static void explain(struct pass *pass, const char *why, struct answer *answer) {
        BUF_AUTO text;

        buf_init(&text, REASON_MAX);
        buf_format(&text, SIGNATURE "%s%s", why, pass->reason.len ? ": " : "");
        buf_append(&text, buf_str(&pass->reason));
        buf_clear(&pass->reason);
        if (text.failed) /* too much of it */
                buf_format(&pass->reason, SIGNATURE "%s", why);
        else
                buf_append(&pass->reason, buf_str(&text));
        answer->reason = buf_str(&pass->reason);
}

static bool can_ask(const struct pass *pass) {
        switch (pass->question.event->asks) {
        case ASKS:
                return true;
        case ASKS_IF_TOLD:
                return pass->options->warned == HOOK_WARNED_ASK;
        case ASKS_LATER:
        case ASKS_NEVER:
                return false;
        }
        return false;
}

/* Returns true if the user is asked after the command was wrapped. */
static bool is_asked_later(const struct pass *pass) {
        return pass->question.event->asks == ASKS_LATER && pass->options->mode == HOOK_WRAP;
}

static void decide_warned(struct pass *pass, struct answer *answer) {
        enum hook_warned warned = pass->options->warned;

        if (warned == HOOK_WARNED_ALLOW)
                return;
        if (warned == HOOK_WARNED_DENY) {
                answer->decision = DECISION_DENY;
                explain(pass, "refused because of a warning", answer);
        } else if (can_ask(pass)) {
                answer->decision = DECISION_ASK;
                explain(pass, "warning", answer);
        } else if (!is_asked_later(pass)) {
                answer->decision = DECISION_DENY;
                explain(pass, "needs the user's consent, which this hook cannot ask for", answer);
        }
}

static void decide(struct pass *pass, struct answer *answer) {
        if (pass->action == BAILEY_BLOCKED) {
                answer->decision = DECISION_DENY;
                explain(pass, "blocked", answer);
        } else if (pass->action == BAILEY_WARNED) {
                decide_warned(pass, answer);
        }
}

/* ---- wrapping ---- */

static void wrap_prepare(struct pass *pass) {
        const struct question *question = &pass->question;

        pass->wrap = (struct wrap){
                .program = pass->options->program,
                .policy = pass->options->policy,
                .config = pass->options->config,
                .overrides = pass->options->overrides,
                .workspace = question->workspace,
                .timeout = question->background ? -1 : question->timeout,
        };
        pass->wrapped = wrap_is(question->command, &pass->wrap, &pass->inner);
}

static bool is_utf8(struct str text) {
        for (size_t len; text.len; text = str_skip(text, len)) {
                len = str_utf8(text);
                if (!len)
                        return false;
        }
        return true;
}

/* Commands that are not refused are wrapped; if the agent cannot change a command, it has to be wrapped already. */
static int wrap(struct pass *pass, struct answer *answer, struct err *err) {
        const struct question *question = &pass->question;
        const struct hook_form *form = question->event->form;

        if (answer->decision == DECISION_DENY || question->tool->typed)
                return 0;
        if (answer->decision == DECISION_NONE && pass->options->approve && !(pass->wrapped && form->input_needs_allow))
                answer->decision = DECISION_ALLOW;
        if (pass->wrapped)
                return 0;
        if (memchr(question->command.ptr, '\0', question->command.len)) {
                answer->decision = DECISION_DENY;
                explain(pass, "refused: a command cannot contain a NUL byte", answer);
                return 0;
        }
        wrap_command(&pass->command, &pass->wrap, question->command);
        if (pass->command.failed)
                return err_memory(err);
        if (!is_utf8(buf_str(&pass->command)))
                return err_set(err, ERR_INVALID,
                               "the path of the workspace, the bailey program or its config is not valid UTF-8");
        if (form->input) {
                answer->command = buf_str(&pass->command);
                return 0;
        }
        answer->decision = DECISION_DENY;
        explain(pass,
                "refused: the command would run outside the sandbox, because the agent did not use the command that bailey "
                "returned",
                answer);
        return 0;
}

/* ---- the whole ---- */

static int pass_run(struct pass *pass, struct answer *answer, struct err *err) {
        const struct question *question = &pass->question;

        if (!question->tool)
                return 0;
        if (!question->tool->command) {
                buf_append(&pass->reason, str_z(question->tool->refusal));
                answer->decision = DECISION_DENY;
                explain(pass, "refused", answer);
                return 0;
        }
        if (policy_find(pass, err) < 0)
                return -1;
        if (pass->options->mode == HOOK_WRAP)
                wrap_prepare(pass);
        if (judge(pass, err) < 0)
                return -1;
        decide(pass, answer);
        return pass->options->mode == HOOK_WRAP ? wrap(pass, answer, err) : 0;
}

int hook_answer(struct str question, const struct hook_options *options, struct buf *answer, struct buf *said,
                struct err *err) {
        const struct question_options how = { options->agent, options->workspace, options->environment };
        struct pass pass = { .options = options, .said = said };
        struct answer what = {};
        int status;

        if (question_read(question, &how, &pass.question, err) < 0)
                return -1;
        buf_init(&pass.inner, HOOK_QUESTION_MAX);
        buf_init(&pass.reason, HOOK_ANSWER_MAX);
        buf_init(&pass.command, HOOK_ANSWER_MAX);
        status = pass_run(&pass, &what, err);
        if (status == 0 && pass.reason.failed)
                status = err_memory(err);
        if (status == 0)
                status = answer_write(&pass.question, &what, answer, err);
        if (status == 0 && what.reason.len)
                buf_format(said, "%.*s\n", (int)(what.reason.len - STR(SIGNATURE).len), what.reason.ptr + STR(SIGNATURE).len);
        buf_free(&pass.inner);
        buf_free(&pass.reason);
        buf_free(&pass.command);
        bailey_policy_free(pass.policy);
        question_free(&pass.question);
        return status;
}
