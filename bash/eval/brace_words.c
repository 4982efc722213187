/*
 * Back from the strands that brace expansion made to words with parts.
 */
#include "bash/eval/brace_internal.h"

struct part_chain {
        struct part *first, *last;
};

static bool starts_with_name_byte(const struct part *p) {
        return p->kind == PART_LITERAL && p->text.len && (is_ascii_alnum((unsigned char)*p->text.ptr) || *p->text.ptr == '_');
}

static bool absorbs_text(const struct part *p) {
        return p->kind == PART_PARAM && !p->param->braced && str_is_name(p->param->name);
}

/* $a{b,c} is $ab and $ac: braces come first. The name takes what it can of the text behind it. */
static bool absorb(struct budget *budget, struct part *param_part, struct part *text) {
        struct param *param = BUDGET_NEW(budget, struct param);
        size_t taken = 0;
        char *name;

        while (taken < text->text.len && (is_ascii_alnum((unsigned char)text->text.ptr[taken]) || text->text.ptr[taken] == '_'))
                taken++;
        name = budget_bytes(budget, param_part->param->name.len + taken);
        if (!param || !name)
                return false;
        *param = *param_part->param;
        memcpy(name, param->name.ptr, param->name.len);
        memcpy(name + param->name.len, text->text.ptr, taken);
        param->name.ptr = name;
        param->name.len += taken;
        param_part->param = param;
        text->text = str_skip(text->text, taken);
        return true;
}

/* A literal behind a literal becomes one with it: a tilde may have been cut from what follows. */
static bool join_literals(struct brace *b, struct part *last, struct str more) {
        char *text = budget_bytes(b->budget, last->text.len + more.len);

        if (!text)
                return false;
        memcpy(text, last->text.ptr, last->text.len);
        memcpy(text + last->text.len, more.ptr, more.len);
        last->text = str_from(text, last->text.len + more.len);
        return true;
}

static void chain_part(struct brace *b, struct part_chain *chain, const struct part *part, struct str text, bool seam) {
        struct part *copy = budget_spend(b->budget, 1) ? BUDGET_NEW(b->budget, struct part) : NULL;
        struct part *last = chain->last;

        if (!copy) {
                b->failed = true;
                return;
        }
        *copy = *part;
        copy->next = NULL;
        if (copy->kind == PART_LITERAL)
                copy->text = text;
        /* `{$,x}a` makes an expansion out of nothing; too odd to follow */
        if (seam && last && last->kind == PART_LITERAL && last->text.ptr[last->text.len - 1] == '$')
                b->failed = true;
        if (seam && last && absorbs_text(last) && starts_with_name_byte(copy)) {
                if (!absorb(b->budget, last, copy))
                        b->failed = true;
                if (copy->text.len == 0)
                        return;
        }
        if (last && last->kind == PART_LITERAL && copy->kind == PART_LITERAL) {
                b->failed |= !join_literals(b, last, copy->text);
                return;
        }
        if (last)
                last->next = copy;
        else
                chain->first = copy;
        chain->last = copy;
}

static void chain_slice(struct brace *b, struct part_chain *chain, const struct slice *slice) {
        static const struct part literal = { .kind = PART_LITERAL };

        if (slice->start < 0) {
                chain_part(b, chain, &literal, slice->made, true);
                return;
        }
        for (int32_t i = slice->start; i < slice->end && !b->failed;) {
                const struct part *part = b->parts[i];
                int32_t n = 1;

                while (part->kind == PART_LITERAL && i + n < slice->end && b->parts[i + n] == part)
                        n++;
                chain_part(b, chain, part,
                           part->kind == PART_LITERAL ? str_from(part->text.ptr + b->offsets[i], (size_t)n) : STR(""),
                           i == slice->start);
                i += n;
        }
}

const struct word *brace_make_words(struct brace *b, const struct word *word, struct strands all) {
        struct word *first = NULL, **tail = &first;

        for (size_t i = 0; i < all.count && !b->failed; i++) {
                struct part_chain chain = { NULL, NULL };
                struct word *made = BUDGET_NEW(b->budget, struct word);

                for (size_t j = 0; made && j < all.items[i].count; j++)
                        chain_slice(b, &chain, &all.items[i].slices[j]);
                if (!made)
                        return NULL;
                made->range = word->range;
                made->parts = chain.first;
                *tail = made;
                tail = &made->next;
        }
        return b->failed ? NULL : first;
}
