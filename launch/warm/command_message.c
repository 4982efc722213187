#include "launch/warm/command_message.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/files.h"

/* Returns how many texts were added; SIZE_MAX: they are too many. */
static size_t add_texts(const char *const *texts, size_t most, struct iovec *ret) {
        size_t count = 0;

        for (; texts[count]; count++) {
                if (count == most)
                        return SIZE_MAX;
                ret[count] = (struct iovec){ (char *)texts[count], strlen(texts[count]) + 1 };
        }
        return count;
}

size_t command_message_gather(const struct launch *launch, struct command_message_head *head,
                              struct iovec ret[static MESSAGE_PARTS_MAX]) {
        size_t count = 3, words, variables, bytes = 0;

        ret[0] = (struct iovec){ head, sizeof(*head) };
        ret[1] = (struct iovec){ (char *)launch->program, strlen(launch->program) + 1 };
        ret[2] = (struct iovec){ (char *)launch->cwd, strlen(launch->cwd) + 1 };
        words = add_texts(launch->argv, MESSAGE_WORDS_MAX, ret + count);
        if (words == SIZE_MAX)
                return 0;
        count += words;
        variables = add_texts(launch->envp, MESSAGE_VARIABLES_MAX, ret + count);
        if (variables == SIZE_MAX)
                return 0;
        count += variables;
        for (size_t i = 1; i < count; i++)
                bytes += ret[i].iov_len;
        *head = (struct command_message_head){ (uint32_t)words, (uint32_t)variables, launch->leaves_state };
        return bytes <= MESSAGE_TEXT_MAX ? count : 0;
}

struct command_message *command_message_new(struct err *err) {
        struct command_message *message =
                mmap(NULL, sizeof(*message), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (message != MAP_FAILED)
                return message;
        err_sys(err, "memory for a command");
        return NULL;
}

static int take_files(const int files[static 3], struct err *err) {
        for (int i = 0; i < 3; i++)
                if (dup2(files[i], i) < 0)
                        return err_sys(err, "files of the command");
        return 0;
}

static const char *take_texts(const char *at, const char *end, size_t count, const char **ret) {
        for (size_t i = 0; i < count && at < end; i++) {
                ret[i] = at;
                at += strlen(at) + 1;
        }
        return at;
}

/* The lists are ended by what was never written. */
static bool take_apart(struct command_message *message, const char *end) {
        const struct command_message_head *head = &message->record.head;

        if (head->words > MESSAGE_WORDS_MAX || head->variables > MESSAGE_VARIABLES_MAX || end[-1])
                return false;
        message->end = end;
        message->program = message->record.text;
        message->cwd = message->program + strlen(message->program) + 1;
        if (message->cwd >= end)
                return false;
        message->words_end = take_texts(message->cwd + strlen(message->cwd) + 1, end, head->words, message->argv);
        return take_texts(message->words_end, end, head->variables, message->envp) == end;
}

int command_message_receive(int work, struct command_message *ret, struct err *err) {
        int files[FDS_MAX];
        size_t file_count;
        ssize_t len = fds_receive(work, &ret->record, sizeof(ret->record), files, &file_count, 0);

        if (len == 0)
                _exit(0);
        if (len <= (ssize_t)sizeof(ret->record.head) || file_count != 3 || !take_apart(ret, (const char *)&ret->record + len))
                return err_sys(err, "taking the command over");
        return take_files(files, err);
}
