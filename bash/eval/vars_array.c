/*
 * Arrays. Appending to the end of a buffer that nobody has grown beyond leaves every older array as it was, so that
 * a+=(x) costs one element and not all of them.
 */
#include "bash/eval/vars.h"

static const struct array empty_array;

struct array *array_new(struct budget *budget, bool assoc) {
        struct array *array = BUDGET_NEW(budget, struct array);

        if (array)
                array->assoc = assoc;
        return array;
}

/* A copy with room for `extra` more elements. The buffer is its own. */
static struct array *copy(struct budget *budget, const struct array *array, size_t extra) {
        size_t capacity = array->count + array->count / 2 + extra + 4;
        struct array *result = BUDGET_NEW(budget, struct array);
        struct element *items;

        if (!result || !budget_spend(budget, 1 + array->count / 4) || !budget_spend_bytes(budget, capacity * sizeof(*items)))
                return NULL;
        *result = *array;
        items = budget_alloc(budget, capacity * sizeof(*items));
        result->used = BUDGET_NEW(budget, size_t);
        if (!items || !result->used)
                return NULL;
        if (array->count)
                memcpy(items, array->items, array->count * sizeof(*items));
        result->items = items;
        result->capacity = capacity;
        *result->used = array->count;
        return result;
}

static const struct array *append(struct budget *budget, const struct array *array, const struct element *element) {
        struct array *result;

        if (array->count >= ARRAY_MAX) {
                budget_spend(budget, UINT64_MAX);
                return array;
        }
        if (array->used && *array->used == array->count && array->count < array->capacity) {
                result = budget_spend(budget, 1) ? BUDGET_NEW(budget, struct array) : NULL;
                if (result)
                        *result = *array;
        } else {
                result = copy(budget, array, 1);
        }
        if (!result)
                return array;
        result->items[result->count++] = *element;
        *result->used = result->count;
        return result;
}

/* Where an index is, or would be. */
static size_t place(const struct array *array, int64_t index) {
        size_t low = 0, high = array->count;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (array->items[middle].index < index)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

const struct element *array_find(struct budget *budget, const struct array *array, int64_t index, struct str key) {
        if (!array->assoc) {
                size_t at = place(array, index);

                return at < array->count && array->items[at].index == index ? &array->items[at] : NULL;
        }
        budget_spend(budget, array->count / 4);
        for (size_t i = 0; i < array->count; i++)
                if (str_eq(array->items[i].key, key))
                        return &array->items[i];
        return NULL;
}

int64_t array_next_index(const struct array *array) {
        return array->count && !array->assoc ? array->items[array->count - 1].index + 1 : 0;
}

bool array_count_known(const struct array *array) {
        for (size_t i = 0; i < array->count; i++)
                if (array->items[i].may_split)
                        return false;
        return !array->uncertain;
}

const struct array *array_set(struct budget *budget, const struct array *array, int64_t index, struct str key,
                              struct value value) {
        const struct element element = { .index = index, .key = key, .value = value };
        const struct element *old = array_find(budget, array, index, key);
        struct array *result;
        size_t at;

        if (!old && (array->assoc || index >= array_next_index(array)))
                return append(budget, array, &element);
        at = old ? (size_t)(old - array->items) : place(array, index);
        result = copy(budget, array, 1);
        if (!result)
                return array;
        if (!old) {
                memmove(result->items + at + 1, result->items + at, (result->count - at) * sizeof(*result->items));
                *result->used = ++result->count;
        }
        result->items[at] = element;
        return result;
}

const struct array *array_append(struct budget *budget, const struct array *array, struct value value, bool may_split) {
        const struct array *from = array ? array : &empty_array;
        const struct element element = { .index = array_next_index(from), .value = value, .may_split = may_split };
        const struct array *result = append(budget, from, &element);

        return may_split ? array_uncertain(budget, result) : result;
}

const struct array *array_skip(struct budget *budget, const struct array *array, size_t count) {
        struct array *result = BUDGET_NEW(budget, struct array);

        if (!result)
                return array;
        *result = *array;
        result->items += count;
        result->count -= count;
        result->used = NULL; /* whoever appends, copies */
        return result;
}

const struct array *array_remove(struct budget *budget, const struct array *array, int64_t index, struct str key) {
        const struct element *old = array_find(budget, array, index, key);
        struct array *result = old ? copy(budget, array, 0) : NULL;
        size_t at;

        if (!result)
                return array;
        at = (size_t)(old - array->items);
        *result->used = --result->count;
        memmove(result->items + at, result->items + at + 1, (result->count - at) * sizeof(*result->items));
        return result;
}

const struct array *array_uncertain(struct budget *budget, const struct array *array) {
        struct array *result;

        if (array->uncertain || !(result = BUDGET_NEW(budget, struct array)))
                return array;
        *result = *array;
        result->uncertain = true;
        return result;
}

const struct array *array_blurred(struct budget *budget, const struct array *array) {
        struct array *result = copy(budget, array, 1);

        if (!result)
                return array;
        result->uncertain = true;
        for (size_t i = 0; i < result->count; i++)
                result->items[i].may_split = true;
        return result;
}

/* ---- the order of keys ---- */

/* bash 5.2: FNV-1 over the key, 1024 buckets, newest first in each. */
static uint32_t bucket(struct str key) {
        uint32_t h = 2166136261u;

        for (size_t i = 0; i < key.len; i++) {
                h *= 16777619u;
                h ^= (uint32_t)(int32_t)(signed char)key.ptr[i];
        }
        return h & 1023;
}

const struct array *array_listed(struct budget *budget, const struct array *array) {
        struct array *result;
        size_t starts[1025] = { 0 };

        if (!array->assoc || array->count < 2 || !(result = copy(budget, array, 0)))
                return array;
        if (array->count > 2048) /* bash has more buckets by now */
                return array_uncertain(budget, array);
        for (size_t i = 0; i < array->count; i++)
                starts[bucket(array->items[i].key) + 1]++;
        for (size_t i = 1; i < 1025; i++)
                starts[i] += starts[i - 1];
        for (size_t i = array->count; i-- > 0;)
                result->items[starts[bucket(array->items[i].key)]++] = array->items[i];
        return result;
}
