#include "gateway/names.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a. A command that makes names collide makes only its own chain longer, by 4,096 at most. */
static unsigned bucket_of(const void *bytes, size_t len) {
        const unsigned char *at = bytes;
        uint32_t hash = 2166136261u;

        for (size_t i = 0; i < len; i++)
                hash = (hash ^ at[i]) * 16777619u;
        return (hash ^ hash >> 16) % NAMES_BUCKETS;
}

struct name *names_find(const struct names *names, struct str text) {
        for (struct name *name = names->by_text[bucket_of(text.ptr, text.len)]; name; name = name->next)
                if (str_eq(str_from(name->text, name->len), text))
                        return name;
        return NULL;
}

static void unlink_age(struct names *names, struct name *name) {
        *(name->older ? &name->older->newer : &names->oldest) = name->newer;
        *(name->newer ? &name->newer->older : &names->newest) = name->older;
}

static void link_newest(struct names *names, struct name *name) {
        name->older = names->newest;
        name->newer = NULL;
        *(names->newest ? &names->newest->newer : &names->oldest) = name;
        names->newest = name;
}

/* Takes out the pairs of a name, all of which are in these buckets. */
static void forget_pairs(struct names *names, const struct name *name) {
        for (size_t i = 0; i < NAMES_BUCKETS; i++) {
                struct name_pair **at = &names->by_address[i];

                while (*at) {
                        struct name_pair *pair = *at;

                        if (pair->name != name) {
                                at = &pair->next;
                                continue;
                        }
                        *at = pair->next;
                        free(pair);
                        names->pair_count--;
                }
        }
}

static void forget_oldest(struct names *names) {
        struct name *name = names->oldest, **at = &names->by_text[bucket_of(name->text, name->len)];

        while (*at != name)
                at = &(*at)->next;
        *at = name->next;
        unlink_age(names, name);
        forget_pairs(names, name);
        names->name_count--;
        free(name->addresses);
        free(name->real);
        free(name);
}

void names_free(struct names *names) {
        for (size_t i = 0; i < NAMES_BUCKETS; i++)
                while (names->by_address[i]) {
                        struct name_pair *pair = names->by_address[i];

                        names->by_address[i] = pair->next;
                        free(pair);
                }
        while (names->oldest) {
                struct name *name = names->oldest;

                names->oldest = name->newer;
                free(name->addresses);
                free(name->real);
                free(name);
        }
        *names = (struct names){};
}

static struct name *add_name(struct names *names, struct str text) {
        unsigned bucket = bucket_of(text.ptr, text.len);
        struct name *name;

        if (names->name_count >= NAMES_NAMES_MAX)
                forget_oldest(names);
        name = malloc(sizeof(*name) + text.len + 1);
        if (!name)
                return NULL;
        *name = (struct name){ .next = names->by_text[bucket], .len = (uint8_t)text.len };
        memcpy(name->text, text.ptr, text.len);
        name->text[text.len] = '\0';
        names->by_text[bucket] = name;
        names->name_count++;
        link_newest(names, name);
        return name;
}

static int add_pair(struct names *names, struct name *name, const uint8_t address[16]) {
        struct name_pair **bucket = &names->by_address[bucket_of(address, 16)], *pair;

        for (pair = *bucket; pair; pair = pair->next)
                if (pair->name == name && memcmp(pair->address, address, 16) == 0)
                        return 0;
        while (names->pair_count >= NAMES_PAIRS_MAX && names->oldest != name)
                forget_oldest(names);
        if (names->pair_count >= NAMES_PAIRS_MAX) /* one name that has them all: it begins anew */
                forget_pairs(names, name);
        pair = malloc(sizeof(*pair));
        if (!pair)
                return -1;
        *pair = (struct name_pair){ .next = *bucket, .name = name };
        memcpy(pair->address, address, 16);
        *bucket = pair;
        names->pair_count++;
        return 0;
}

struct name *names_put(struct names *names, struct str text, const uint8_t (*addresses)[16], size_t count, int64_t until) {
        struct name *name;
        uint8_t(*copy)[16] = NULL;

        if (!text.len || text.len > UINT8_MAX)
                return NULL;
        if (count > NAMES_ADDRESSES_MAX)
                count = NAMES_ADDRESSES_MAX;
        if (count && !(copy = malloc(count * sizeof(*copy))))
                return NULL;
        name = names_find(names, text);
        if (name) {
                unlink_age(names, name);
                link_newest(names, name);
        } else {
                name = add_name(names, text);
        }
        if (!name) {
                free(copy);
                return NULL;
        }
        if (count)
                memcpy(copy, addresses, count * sizeof(*copy));
        free(name->addresses);
        name->addresses = copy;
        name->count = (uint8_t)count;
        name->until = until;
        for (size_t i = 0; i < count; i++)
                if (add_pair(names, name, copy[i]) < 0)
                        return NULL;
        return name;
}

int names_set_real(struct name *name, const uint8_t (*addresses)[16], size_t count) {
        uint8_t(*copy)[16] = NULL;

        if (count && !(copy = malloc(count * sizeof(*copy))))
                return -1;
        if (count)
                memcpy(copy, addresses, count * sizeof(*copy));
        free(name->real);
        name->real = copy;
        name->real_count = (uint8_t)count;
        return 0;
}

const struct name_pair *names_of_address(const struct names *names, const uint8_t address[16],
                                         const struct name_pair *previous) {
        const struct name_pair *pair = previous ? previous->next : names->by_address[bucket_of(address, 16)];

        while (pair && memcmp(pair->address, address, 16) != 0)
                pair = pair->next;
        return pair;
}
