/*
 * TOML: dates and times, checked as Python's datetime checks them (years from 1, no leap seconds).
 */
#include "policy/toml_parts.h"

static bool digits_ahead(const struct reader *r, size_t count, char behind) {
        for (size_t i = 0; i < count; i++)
                if (reader_ahead(r, i) < '0' || reader_ahead(r, i) > '9')
                        return false;
        return reader_ahead(r, count) == behind;
}

/* A field of `width` digits in a range. */
static int field_read(struct reader *r, const char *name, int width, int least, int most, int *ret) {
        const char *from = r->next;
        int value = 0;

        for (int i = 0; i < width; i++, r->next++) {
                if (reader_peek(r) < '0' || reader_peek(r) > '9')
                        return reader_expected(r, "the %d digits of the %s", width, name);
                value = value * 10 + (*r->next - '0');
        }
        if (value < least || value > most)
                return reader_fail(r, reader_pos(r, from), "the %s %0*d is not between %0*d and %0*d", name, width, value,
                                   width, least, width, most);
        *ret = value;
        return 0;
}

static int month_days(int year, int month) {
        static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
        bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

        return days[month - 1] + (month == 2 && leap);
}

static int separator_read(struct reader *r, const char *separator, const char *of) {
        return reader_take(r, separator) ? 0 : reader_expected(r, "'%s' in a %s", separator, of);
}

static int date_read(struct reader *r) {
        int year = 1, month = 1, day = 1;

        if (field_read(r, "year", 4, 1, 9999, &year) < 0 || separator_read(r, "-", "date") < 0 ||
            field_read(r, "month", 2, 1, 12, &month) < 0 || separator_read(r, "-", "date") < 0)
                return -1;
        return field_read(r, "day", 2, 1, month_days(year, month), &day);
}

static int time_read(struct reader *r) {
        int value;

        if (field_read(r, "hour", 2, 0, 23, &value) < 0 || separator_read(r, ":", "time") < 0 ||
            field_read(r, "minute", 2, 0, 59, &value) < 0 || separator_read(r, ":", "time") < 0 ||
            field_read(r, "second", 2, 0, 59, &value) < 0)
                return -1;
        if (!reader_take(r, "."))
                return 0;
        if (field_read(r, "fraction", 1, 0, 9, &value) < 0)
                return -1;
        while (reader_peek(r) >= '0' && reader_peek(r) <= '9')
                r->next++;
        return 0;
}

/* 1: there is an offset. */
static int offset_read(struct reader *r) {
        int value;

        if (reader_take(r, "Z") || reader_take(r, "z"))
                return 1;
        if (!reader_take(r, "+") && !reader_take(r, "-"))
                return 0;
        if (field_read(r, "hour of the offset", 2, 0, 23, &value) < 0 || separator_read(r, ":", "time offset") < 0)
                return -1;
        return field_read(r, "minute of the offset", 2, 0, 59, &value) < 0 ? -1 : 1;
}

static int moment_read(struct reader *r, enum tree_kind *ret) {
        int offset;

        if (digits_ahead(r, 2, ':')) {
                *ret = TREE_LOCAL_TIME;
                return time_read(r);
        }
        if (date_read(r) < 0)
                return -1;
        *ret = TREE_LOCAL_DATE;
        if (reader_peek(r) == ' ' && (reader_ahead(r, 1) < '0' || reader_ahead(r, 1) > '9'))
                return 0;
        if (!reader_take(r, " ") && !reader_take(r, "T") && !reader_take(r, "t"))
                return 0;
        if (time_read(r) < 0)
                return -1;
        offset = offset_read(r);
        *ret = offset > 0 ? TREE_OFFSET_DATETIME : TREE_LOCAL_DATETIME;
        return offset < 0 ? -1 : 0;
}

int toml_date(struct reader *r, struct tree_node *node) {
        const char *from = r->next;

        if (!digits_ahead(r, 4, '-') && !digits_ahead(r, 2, ':'))
                return 0;
        if (moment_read(r, &node->kind) < 0)
                return -1;
        node->text = reader_copy(r, from, r->next);
        return 1;
}
