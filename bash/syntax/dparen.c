/*
 * `((` and `$((`: arithmetic if the two parentheses close together, else a subshell or a command substitution. bash
 * decides by trying, and so do we; what an attempt finds out is kept, so that every byte is tried a bounded number of
 * times.
 */
#include "bash/syntax/parser.h"

static bool known_not_arith(const struct parser *p, uint32_t pos) {
        const uint8_t *bits = p->in.notes->not_arith;

        return bits && (bits[pos / 8] >> pos % 8 & 1);
}

static void note_not_arith(struct parser *p, uint32_t pos) {
        struct notes *notes = p->in.notes;

        if (!notes->not_arith)
                notes->not_arith = shell_new(p, p->in.size / 8 + 1);
        notes->not_arith[pos / 8] |= (uint8_t)(1 << pos % 8);
}

void shell_arith_open(struct parser *p) {
        shell_enter(p);
        p->open_parens[p->depth] = p->pos;
}

/* A parenthesis inside arithmetic closes. If it is the second of a pair `((` and the first does not close with it, then
 * that pair, should it be tried later, is known not to be arithmetic. */
void shell_arith_close(struct parser *p) {
        uint32_t second = p->open_parens[p->depth];

        shell_leave(p);
        if (second && p->in.text[second - 1] == '(' && p->open_parens[p->depth] == second - 1 &&
            shell_peek_after(p, p->pos) != ')')
                note_not_arith(p, second - 1);
}

/* Reads the text of an expression up to the ) that closes nothing in it. */
static struct part *arith_parts(struct parser *p, uint32_t open) {
        struct part_list parts = { 0 };

        p->pos = open;
        shell_arith_open(p);
        p->pos = open + 1;
        shell_parts(p, IN_ARITH, &parts);
        if (shell_peek(p) != ')')
                shell_unclosed(p, open, "parenthesis", ")");
        shell_leave(p);
        return parts.first;
}

static int raw_after(const struct parser *p) {
        return p->pos + 1 < p->in.end ? (unsigned char)p->in.text[p->pos + 1] : END_OF_INPUT;
}

/* The position is at the first of two parentheses. `joins`: a \newline between those that close is skipped, as
 * everywhere but in the command ((...)). On failure it stays there. */
static bool arith_try(struct parser *p, struct part *arith, bool joins) {
        uint32_t first = shell_joined(p, p->pos);

        if (known_not_arith(p, first))
                return false;
        p->attempts++;
        arith->parts = arith_parts(p, shell_joined(p, first + 1));
        p->attempts--;
        if ((joins ? shell_peek_after(p, p->pos) : raw_after(p)) != ')') {
                note_not_arith(p, first);
                arith->range.end = p->pos; /* of the text tried */
                p->pos = first;
                return false;
        }
        p->pos = shell_joined(p, p->pos + 1) + 1;
        arith->range = shell_range(p, first, p->pos);
        return true;
}

/* Behind ((a) bash loses its place in what it puts back. */
static bool joined_after(const struct parser *p, uint32_t pos) {
        return pos + 2 < p->in.end && p->in.text[pos + 1] == '\\' && p->in.text[pos + 2] == '\n';
}

/* (( where a command may start. When it is two subshells, bash has read the text up to the byte after the first ) that
 * closes and puts it back, so that a here-document begun in that stretch finds its body only behind it. */
bool shell_arith_command(struct parser *p, struct part *arith) {
        if (arith_try(p, arith, false))
                return true;
        if (!p->attempts && arith->range.end && joined_after(p, arith->range.end))
                shell_fail(p, SYNTAX_ERROR, arith->range.end, "unexpected `)' before a line that is joined");
        if (arith->range.end + 2 > p->stretch_end)
                p->stretch_end = arith->range.end + 2;
        return false;
}

/* The position is at the first of two parentheses that begin a command substitution. Its end is found by counting; its
 * text bash parses when it expands it, so that a syntax error in it does not reject the script. */
static struct part *counted_substitution(struct parser *p, struct part_list *out, enum part_style style, uint32_t start) {
        uint32_t first = p->pos;
        struct source in = p->in;
        struct part *part;

        p->attempts++;
        arith_parts(p, first);
        p->attempts--;
        in.end = p->pos++;
        part = shell_part(p, out, PART_COMMAND, style, start);
        shell_deferred(p, in, first + 1, part);
        return part;
}

/* $((: arithmetic, or a command substitution that begins with a subshell. */
void shell_arith_dollar(struct parser *p, struct part_list *out, uint32_t start) {
        struct part attempt = { .kind = PART_ARITH };
        struct part *part;

        if (shell_memo_use(p, start, false, out))
                return;
        if (arith_try(p, &attempt, true)) {
                part = shell_part(p, out, PART_ARITH, STYLE_PLAIN, start);
                part->parts = attempt.parts;
        } else {
                part = counted_substitution(p, out, STYLE_PLAIN, start);
        }
        shell_memo_keep(p, start, false, part);
}

/* <(( and >((: never arithmetic, but found in the same way. */
void shell_process_dparen(struct parser *p, struct part_list *out, enum part_style style, uint32_t start) {
        shell_memo_keep(p, start, false, counted_substitution(p, out, style, start));
}
