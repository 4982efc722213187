#include "launch/warm/command_message.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/files.h"

size_t command_message_gather(const char *program, const char *cwd, const char *const *argv,
                              struct iovec ret[static MESSAGE_PARTS_MAX]) {
        size_t count = 0, bytes = 0;

        ret[count++] = (struct iovec){ (char *)program, strlen(program) + 1 };
        ret[count++] = (struct iovec){ (char *)cwd, strlen(cwd) + 1 };
        for (; *argv; argv++) {
                if (count == MESSAGE_PARTS_MAX)
                        return 0;
                ret[count++] = (struct iovec){ (char *)*argv, strlen(*argv) + 1 };
        }
        for (size_t i = 0; i < count; i++)
                bytes += ret[i].iov_len;
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

int command_message_receive(int work, struct command_message *ret, struct err *err) {
        int files[FDS_MAX];
        size_t file_count, count = 0;
        ssize_t len = fds_receive(work, ret->text, sizeof(ret->text), files, &file_count, 0);

        if (len == 0)
                _exit(0);
        if (len <= 0 || ret->text[len - 1] || file_count != 3)
                return err_sys(err, "taking the command over");
        ret->end = ret->text + len;
        ret->program = ret->text;
        ret->cwd = ret->text + strlen(ret->text) + 1;
        for (const char *word = ret->cwd + strlen(ret->cwd) + 1; word < ret->end && count < MESSAGE_WORDS_MAX;
             word += strlen(word) + 1)
                ret->argv[count++] = word;
        return take_files(files, err); /* the words are ended by what was never written */
}
