#include "bash/syntax/names.h"
#include "bash/syntax/printer.h"

/* `${x:-1}` is not `${x: -1}`. */
static bool offset_needs_space(const struct word *offset) {
        const struct part *first = offset ? offset->parts : NULL;

        return first && first->kind == PART_LITERAL && first->text.len && first->text.ptr[0] &&
               strchr("-+=?", first->text.ptr[0]);
}

static void print_operand(struct printer *p, const struct param *param) {
        if (param->colon && param->op != PARAM_SUBSTRING)
                buf_char(p->out, ':');
        print_text(p, shell_param_text(param->op));
        if (param->transform)
                buf_char(p->out, param->transform);
        if (param->op == PARAM_SUBSTRING && offset_needs_space(param->arg))
                buf_char(p->out, ' ');
        if (param->arg)
                print_word(p, param->arg);
        if (param->arg2) {
                buf_char(p->out, param->op == PARAM_SUBSTRING ? ':' : '/');
                print_word(p, param->arg2);
        }
}

void print_param(struct printer *p, const struct param *param) {
        if (!param->braced) {
                buf_char(p->out, '$');
                buf_append(p->out, param->name);
                return;
        }
        print_text(p, "${");
        if (param->op != PARAM_BAD) {
                if (param->length)
                        buf_char(p->out, '#');
                if (param->indirect || param->op == PARAM_NAMES)
                        buf_char(p->out, '!');
                buf_append(p->out, param->name);
                if (param->index) {
                        buf_char(p->out, '[');
                        print_word(p, param->index);
                        buf_char(p->out, ']');
                }
        }
        print_operand(p, param);
        buf_char(p->out, '}');
}
