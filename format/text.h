/*
 * Texts of bailey.h as those of base/.
 */
#ifndef BAILEY_FORMAT_TEXT_H
#define BAILEY_FORMAT_TEXT_H

#include "bailey.h"
#include "base/str.h"

static inline struct str text_str(struct bailey_text text) {
        return str_from(text.text, text.length);
}

#endif
