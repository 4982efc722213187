#include <sys/stat.h>

#include "base/fd.h"
#include "base/time.h"
#include "run/sweep_journal.h"

enum { TEXT_MAX = 1 << 20 }; /* a longer one is not kept */

void sweep_shelf_clear(struct sweep_shelf *shelf) {
        while (shelf->count)
                journal_remove(&shelf->items[--shelf->count]);
        buf_free(&shelf->text);
        buf_init(&shelf->text, TEXT_MAX);
}

/* Somebody may have cleaned up. */
static bool is_there(const struct sweep_journal *journal) {
        struct stat status;

        return fstat(journal->fd, &status) == 0 && status.st_nlink > 0;
}

static bool take(struct sweep_shelf *shelf, int64_t until, struct sweep_journal *ret) {
        while (shelf->count) {
                struct sweep_journal *journal = &shelf->items[--shelf->count];

                if (is_there(journal) && sweep_journal_until(journal, until, NULL) == 0) {
                        *ret = *journal;
                        return true;
                }
                journal_remove(journal);
        }
        return false;
}

int sweep_shelf_begin(struct sweep_shelf *shelf, const char *state_dir, const char *workspace, const struct protection *before,
                      int64_t until, struct sweep_journal *ret, struct err *err) {
        BUF_AUTO text;

        if (journal_text(workspace, before, &text, err) < 0)
                return -1;
        if (shelf && !str_eq(buf_str(&shelf->text), buf_str(&text))) {
                sweep_shelf_clear(shelf);
                buf_append(&shelf->text, buf_str(&text));
                shelf->state++;
        }
        if (shelf && !shelf->text.failed && take(shelf, until, ret))
                return 0;
        if (journal_make(state_dir, str_z(before->workspace.path), buf_str(&text), ret, err) < 0)
                return -1;
        ret->shelf = shelf && !shelf->text.failed ? shelf->state : 0;
        if (until == SWEEP_UNTIL_ANY || sweep_journal_until(ret, until, err) == 0)
                return 0;
        journal_remove(ret);
        return -1;
}

static bool put_back(struct sweep_shelf *shelf, struct sweep_journal *journal) {
        if (!shelf || journal->shelf != shelf->state || shelf->count == SWEEP_SHELF_MAX ||
            sweep_journal_until(journal, SWEEP_UNTIL_NEVER, NULL) < 0)
                return false;
        shelf->items[shelf->count++] = *journal;
        journal->fd = -1;
        return true;
}

void sweep_shelf_end(struct sweep_shelf *shelf, struct sweep_journal *journal) {
        FD_AUTO gate = -1;

        if (journal->fd < 0)
                return;
        gate = journal_gate_of(journal);
        if (gate >= 0) {
                if (!put_back(shelf, journal))
                        journal_remove(journal);
                return;
        }
        /* It has been swept, and will be once more: what comes later is not its command's. */
        sweep_journal_until(journal, time_realtime(), NULL);
        sweep_journal_leave(journal);
}

void sweep_journal_end(struct sweep_journal *journal) {
        sweep_shelf_end(NULL, journal);
}
