/*
 * An Aho-Corasick automaton: its node after some bytes is the longest end of them that a secret begins with. So what has to be
 * kept back is the node's own text, and all before it is decided.
 *
 * Most text comes nowhere near a secret. A secret of `stride + GRAM - 1` bytes covers GRAM bytes at one of any `stride`
 * places in a row, so it is enough to look at each stride-th place whether the bytes there are some of those that secrets
 * begin with; the automaton looks at the neighbourhood of a hit only.
 */
#include "run/redact.h"

#include <stdlib.h>

enum {
        GRAM = 4,
        STRIDE_MAX = 8,
        GRAM_BITS_MIN = 16, /* the set of grams has 2^this bits */
        GRAM_BITS_MAX = 20,
        GRAM_SPARSE = 32, /* bits for each gram */
        BYTES = 256,
        ROOT = 0,
};

struct needle {
        struct str value, mark;
};

struct node {
        uint32_t child, sibling; /* ROOT: none */
        uint32_t fail;           /* the longest end of this text that is a node, too */
        uint32_t found;          /* 1 + the longest needle that this text ends with; 0: none */
        uint32_t needle;         /* one that begins with this text ... */
        uint32_t depth;          /* ... of so many bytes */
        unsigned char byte;
};

struct redactor {
        struct arena arena; /* of all that it is made of */
        unsigned users;
        const char *missing;
        struct needle *needles;
        struct node *nodes;
        uint32_t needle_count, node_count;
        uint32_t first[BYTES]; /* the children of the root, which may be many */
        unsigned char *grams;  /* a set: one bit for each hash */
        unsigned gram_bits;
        size_t stride; /* 0: needles too short to look at less than every byte */
};

/* ---- the automaton ---- */

static uint32_t child_of(const struct redactor *r, uint32_t node, unsigned char byte) {
        uint32_t child = r->first[byte];

        if (node != ROOT)
                for (child = r->nodes[node].child; child && r->nodes[child].byte != byte;)
                        child = r->nodes[child].sibling;
        return child;
}

static uint32_t step(const struct redactor *r, uint32_t node, unsigned char byte) {
        uint32_t next;

        while (!(next = child_of(r, node, byte)) && node != ROOT)
                node = r->nodes[node].fail;
        return next;
}

static uint32_t add_node(struct redactor *r, uint32_t parent, unsigned char byte) {
        uint32_t made = r->node_count++;

        r->nodes[made] = (struct node){ .needle = r->needle_count, .depth = r->nodes[parent].depth + 1, .byte = byte };
        if (parent == ROOT) {
                r->first[byte] = made;
        } else {
                r->nodes[made].sibling = r->nodes[parent].child;
                r->nodes[parent].child = made;
        }
        return made;
}

/* The nodes of a needle; its last one is free when no other needle is the same. */
static struct node *add_path(struct redactor *r, struct str value) {
        uint32_t node = ROOT;

        for (size_t i = 0; i < value.len; i++) {
                uint32_t next = child_of(r, node, (unsigned char)value.ptr[i]);

                node = next ? next : add_node(r, node, (unsigned char)value.ptr[i]);
        }
        return &r->nodes[node];
}

/* What is known of a parent says it for its children, so these are taken in order of depth. */
static int link_nodes(struct redactor *r, struct arena *arena, struct err *err) {
        struct arena_mark mark = arena_mark(arena);
        uint32_t *queue = arena_alloc(arena, r->node_count * sizeof(*queue));
        size_t count = 0;

        if (!queue)
                return err_memory(err);
        for (size_t i = 0; i < BYTES; i++)
                if (r->first[i])
                        queue[count++] = r->first[i];
        for (size_t i = 0; i < count; i++) {
                const struct node *parent = &r->nodes[queue[i]];

                for (uint32_t child = parent->child; child; child = r->nodes[child].sibling) {
                        struct node *node = &r->nodes[child];

                        node->fail = step(r, parent->fail, node->byte);
                        if (!node->found)
                                node->found = r->nodes[node->fail].found;
                        queue[count++] = child;
                }
        }
        arena_rewind(arena, mark);
        return 0;
}

/* ---- the set of grams ---- */

static uint32_t gram_hash(const struct redactor *r, const char *at) {
        uint32_t gram;

        memcpy(&gram, at, sizeof(gram));
        return (gram * UINT32_C(0x9e3779b1)) >> (32 - r->gram_bits);
}

static int make_grams(struct redactor *r, struct arena *arena, struct err *err) {
        size_t shortest = SIZE_MAX;

        for (uint32_t i = 0; i < r->needle_count; i++)
                if (r->needles[i].value.len < shortest)
                        shortest = r->needles[i].value.len;
        if (shortest < GRAM)
                return 0;
        r->stride = shortest - GRAM + 1 < STRIDE_MAX ? shortest - GRAM + 1 : STRIDE_MAX;
        r->gram_bits = GRAM_BITS_MIN;
        while (r->gram_bits < GRAM_BITS_MAX && (size_t)1 << r->gram_bits < r->needle_count * r->stride * GRAM_SPARSE)
                r->gram_bits++;
        r->grams = arena_alloc(arena, ((size_t)1 << r->gram_bits) / 8);
        if (!r->grams)
                return err_memory(err);
        for (uint32_t i = 0; i < r->needle_count; i++)
                for (size_t at = 0; at < r->stride; at++) {
                        uint32_t hash = gram_hash(r, r->needles[i].value.ptr + at);

                        r->grams[hash / 8] |= (unsigned char)(1U << hash % 8);
                }
        return 0;
}

/* The first place, `from` or a number of strides behind it, where a needle's gram may stand; or where no gram fits in. */
static size_t next_gram(const struct redactor *r, struct str bytes, size_t from) {
        for (; from + GRAM <= bytes.len; from += r->stride) {
                uint32_t hash = gram_hash(r, bytes.ptr + from);

                if (r->grams[hash / 8] & 1U << hash % 8)
                        break;
        }
        return from;
}

/* ---- making one ---- */

static int add_needle(struct redactor *r, struct arena *arena, const struct redact_secret *secret, struct err *err) {
        static const struct str before = STR("[redacted "), after = STR("]");
        struct node *last = add_path(r, secret->value);
        size_t len = before.len + secret->name.len + after.len;
        char *value, *mark;

        if (last->found)
                return 0;
        value = arena_dup(arena, secret->value);
        mark = arena_bytes(arena, len);
        if (!value || !mark)
                return err_memory(err);
        memcpy(mark, before.ptr, before.len);
        for (size_t i = 0; i < secret->name.len; i++) {
                char c = secret->name.ptr[i];

                mark[before.len + i] = '?';
                if (c >= ' ' && c <= '~')
                        mark[before.len + i] = c;
        }
        mark[len - 1] = after.ptr[0];
        r->needles[r->needle_count] = (struct needle){ str_from(value, secret->value.len), str_from(mark, len) };
        last->found = ++r->needle_count;
        return 0;
}

static int fill(struct redactor *r, const struct redact_secret *secrets, size_t count, struct err *err) {
        struct arena *arena = &r->arena;
        size_t total = 0;

        for (size_t i = 0; i < count; i++) {
                if (secrets[i].value.len > REDACT_BYTES_MAX - total)
                        return err_set(err, ERR_TOO_COMPLEX, "more than %d bytes of secrets to remove from output",
                                       REDACT_BYTES_MAX);
                total += secrets[i].value.len;
        }
        if (total) {
                r->needles = arena_alloc(arena, (count < total ? count : total) * sizeof(*r->needles));
                r->nodes = arena_alloc(arena, (total + 1) * sizeof(*r->nodes));
                if (!r->needles || !r->nodes)
                        return err_memory(err);
        }
        r->node_count = 1; /* the root */
        for (size_t i = 0; i < count; i++)
                if (secrets[i].value.len && add_needle(r, arena, &secrets[i], err) < 0)
                        return -1;
        return r->needle_count && (link_nodes(r, arena, err) < 0 || make_grams(r, arena, err) < 0) ? -1 : 0;
}

int redactor_new(const struct redact_secret *secrets, size_t count, const char *missing, const struct redactor **ret,
                 struct err *err) {
        struct redactor *r = calloc(1, sizeof(*r));

        if (!r)
                return err_memory(err);
        arena_init(&r->arena, 0);
        r->users = 1;
        r->missing = missing ? arena_dup(&r->arena, str_z(missing)) : NULL;
        if (missing && !r->missing)
                err_memory(err);
        if ((missing && !r->missing) || fill(r, secrets, count, err) < 0) {
                redactor_leave(r);
                return -1;
        }
        *ret = r;
        return 0;
}

const char *redactor_missing(const struct redactor *redactor) {
        return redactor ? redactor->missing : NULL;
}

const struct redactor *redactor_use(const struct redactor *redactor) {
        if (redactor)
                ((struct redactor *)redactor)->users++;
        return redactor;
}

void redactor_leave(const struct redactor *redactor) {
        struct redactor *r = (struct redactor *)redactor;

        if (!r || --r->users)
                return;
        arena_free(&r->arena);
        free(r);
}

/* ---- a stream ---- */

struct feed {
        const struct redactor *redactor;
        struct redact_state *state;
        struct str bytes; /* the chunk */
        uint64_t base;    /* where it begins in the stream */
        struct str held;  /* what was kept back of the bytes before it */
        redact_out *out;
        void *context;
};

static struct feed feed_begin(const struct redactor *r, struct redact_state *state, struct str bytes) {
        struct feed f = { .redactor = r, .state = state, .bytes = bytes, .base = state->at };

        if (state->node != ROOT) {
                const struct node *node = &r->nodes[state->node];

                f.held = str_take(r->needles[node->needle].value, node->depth);
        }
        return f;
}

static void say(const struct feed *f, struct str bytes) {
        if (bytes.len)
                f->out(f->context, bytes);
}

/* The stream's bytes from `passed` to `end`. */
static void pass(const struct feed *f, uint64_t end) {
        uint64_t from = f->state->passed;

        if (from >= end)
                return;
        f->state->passed = end;
        if (from < f->base) {
                uint64_t until = end < f->base ? end : f->base;

                say(f, str_take(str_skip(f->held, (size_t)(from - (f->base - f->held.len))), (size_t)(until - from)));
                from = until;
        }
        say(f, str_take(str_skip(f->bytes, (size_t)(from - f->base)), (size_t)(end - from)));
}

/* No needle that begins before `safe` is still to be found. */
static void settle(const struct feed *f, uint64_t safe) {
        struct redact_state *s = f->state;
        uint32_t done = 0;

        for (; done < s->span_count && s->spans[done].end <= safe; done++) {
                pass(f, s->spans[done].start);
                say(f, f->redactor->needles[s->spans[done].needle].mark);
                s->passed = s->spans[done].end;
                s->redactions++;
        }
        s->span_count -= done;
        memmove(s->spans, s->spans + done, s->span_count * sizeof(*s->spans));
        if (s->span_count && s->spans[0].start < safe)
                safe = s->spans[0].start; /* it ends behind `safe`, and may yet grow */
        pass(f, safe);
}

static void add_span(struct redact_state *s, uint64_t end, uint32_t needle, const struct needle *needles) {
        struct redact_span span = { end - needles[needle].value.len, end, needle };

        while (s->span_count && (span.start < s->spans[s->span_count - 1].end || s->span_count == REDACT_SPANS)) {
                const struct redact_span *last = &s->spans[--s->span_count];

                if (last->start < span.start)
                        span.start = last->start;
                if (needles[last->needle].value.len >= needles[span.needle].value.len)
                        span.needle = last->needle;
        }
        s->spans[s->span_count++] = span;
}

/* Returns the node after the chunk. */
static uint32_t scan(const struct feed *f) {
        const struct redactor *r = f->redactor;
        uint32_t node = f->state->node;
        size_t at = 0, awake = 0; /* the automaton reads at least until there */

        while (at < f->bytes.len) {
                size_t depth = r->nodes[node].depth;

                /* Going back over a few bytes is cheap; over more of them it might be done too often. */
                if (r->stride && at >= awake && depth < GRAM && depth <= at) {
                        size_t from = at - depth, hit = next_gram(r, f->bytes, from);

                        at = hit - from >= r->stride ? hit - r->stride + 1 : from;
                        awake = hit + GRAM;
                        node = ROOT;
                }
                node = step(r, node, (unsigned char)f->bytes.ptr[at++]);
                if (r->nodes[node].found) {
                        settle(f, f->base + at - r->nodes[node].depth);
                        add_span(f->state, f->base + at, r->nodes[node].found - 1, r->needles);
                }
        }
        return node;
}

void redact_feed(const struct redactor *r, struct redact_state *state, struct str bytes, redact_out *out, void *context) {
        struct feed f;
        uint32_t node;

        if (bytes.len == 0)
                return;
        if (r->needle_count == 0) {
                state->at = state->passed += bytes.len;
                out(context, bytes);
                return;
        }
        f = feed_begin(r, state, bytes);
        f.out = out;
        f.context = context;
        node = scan(&f);
        state->at += bytes.len;
        settle(&f, state->at - r->nodes[node].depth);
        state->node = node;
}

void redact_end(const struct redactor *r, struct redact_state *state, redact_out *out, void *context) {
        struct feed f;

        if (r->needle_count == 0)
                return;
        f = feed_begin(r, state, STR(""));
        f.out = out;
        f.context = context;
        settle(&f, state->at);
        state->node = ROOT;
}
