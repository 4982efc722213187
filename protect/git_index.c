#include "protect/git.h"

#include <limits.h>
#include <stdint.h>

/*
 * git checks neither the checksum nor the order of what it reads, and with threads it begins where an extension says. So what
 * git itself would not write is not read here in some way that may be ours alone: it is not known.
 */
enum {
        HEAD_SIZE = 12,
        STAT_SIZE = 40, /* times, device, inode, mode, owner, size */
        MODE_AT = 24,
        MODE_TYPE = 0170000,
        MODE_GITLINK = 0160000,
        MODE_FOLDER = 0040000, /* of a sparse index: all that is below it is in a tree object */
        FLAG_EXTENDED = 0x4000,
        FLAG_STAGE = 0x3000,
        FLAG_LENGTH = 0x0fff, /* this much or more */
        BLOCK_TABLE_HEAD = 4,
        BLOCK_SIZE = 8,
};

struct reader {
        const unsigned char *bytes;
        size_t len, at; /* `len` without the checksum at the end */
        unsigned id_size;
        uint32_t version, count;
        unsigned flags;
        uint32_t mode;
        size_t kept; /* of the name before, version 4 */
        size_t name_len, last_len;
        char name[PATH_MAX], last[PATH_MAX];
};

static uint32_t number(const unsigned char *p) {
        return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* As git packs offsets: each further byte adds one, so that no number has two forms. */
static bool read_varint(struct reader *r, size_t *ret) {
        size_t value = 0;

        for (unsigned i = 0; i < 4 && r->at < r->len; i++) {
                unsigned char c = r->bytes[r->at++];

                value = (i ? (value + 1) << 7 : 0) + (c & 0x7f);
                if (!(c & 0x80)) {
                        *ret = value;
                        return true;
                }
        }
        return false;
}

/* The name up to its NUL, which has to be where the length in the flags says. */
static bool read_name(struct reader *r) {
        const unsigned char *start, *end;
        size_t strip = 0, len, told = r->flags & FLAG_LENGTH;

        r->kept = 0;
        if (r->version == 4) {
                if (!read_varint(r, &strip) || strip > r->last_len)
                        return false;
                r->kept = r->last_len - strip;
        }
        start = r->bytes + r->at;
        end = memchr(start, 0, r->len - r->at);
        if (!end)
                return false;
        len = (size_t)(end - start);
        r->name_len = r->kept + len;
        if (r->name_len == 0 || r->name_len >= sizeof(r->name) ||
            told != (r->name_len < FLAG_LENGTH ? r->name_len : FLAG_LENGTH))
                return false;
        memcpy(r->name, r->last, r->kept);
        memcpy(r->name + r->kept, start, len);
        r->at += len + 1;
        return true;
}

/* Sorted by the bytes of names, then by the stages of a merge. */
static bool in_order(const struct reader *r, unsigned last_flags) {
        size_t len = r->name_len < r->last_len ? r->name_len : r->last_len;
        int order = memcmp(r->last, r->name, len);

        if (order)
                return order < 0;
        if (r->last_len != r->name_len)
                return r->last_len < r->name_len;
        return (last_flags & FLAG_STAGE) < (r->flags & FLAG_STAGE);
}

static bool read_entry(struct reader *r) {
        size_t start = r->at, fixed = STAT_SIZE + r->id_size + 2;
        unsigned last_flags = r->flags;

        if (r->len - r->at < fixed + 2)
                return false;
        r->mode = number(r->bytes + r->at + MODE_AT);
        r->flags = (unsigned)r->bytes[r->at + fixed - 2] << 8 | r->bytes[r->at + fixed - 1];
        r->at += fixed;
        if (r->flags & FLAG_EXTENDED) {
                if (r->version < 3)
                        return false;
                r->at += 2;
        }
        if (!read_name(r) || (r->last_len && !in_order(r, last_flags)))
                return false;
        if (r->version < 4) /* NULs up to a multiple of 8, at least the one */
                r->at = start + ((r->at - start + 7) & ~(size_t)7);
        memcpy(r->last + r->kept, r->name + r->kept, r->name_len - r->kept);
        r->last_len = r->name_len;
        return r->at <= r->len;
}

static bool is_plain(struct str path) {
        while (path.len) {
                struct str name = str_take(path, str_find(path, '/'));

                if (name.len == 0 || str_is(name, ".") || str_is(name, ".."))
                        return false;
                if (name.len + 1 == path.len)
                        return false; /* ends in a slash */
                path = str_skip(path, name.len < path.len ? name.len + 1 : name.len);
        }
        return true;
}

/* ---- blocks: where threads begin to read ---- */

/* The table, when git would use one. It is checked while the entries are read. */
struct blocks {
        struct str table; /* of offset and count, 4 bytes each */
        size_t entries_end;
        bool bad;
};

static const unsigned char *find_extension(const struct reader *r, size_t from, const char *name, uint32_t *ret_size) {
        while (from <= r->len && r->len - from >= 8) {
                uint32_t size = number(r->bytes + from + 4);

                if (size > r->len - from - 8)
                        return NULL;
                if (memcmp(r->bytes + from, name, 4) == 0) {
                        *ret_size = size;
                        return r->bytes + from + 8;
                }
                from += 8 + (size_t)size;
        }
        return NULL;
}

/* The extension at the very end says where the entries end: threads believe it. */
static void find_blocks(const struct reader *r, struct blocks *blocks) {
        size_t size = 4 + r->id_size, total = 8 + size;
        const unsigned char *end, *table;
        uint32_t table_size;

        if (r->len < HEAD_SIZE + total)
                return;
        end = r->bytes + r->len - total;
        if (memcmp(end, "EOIE", 4) != 0 || number(end + 4) != size)
                return;
        blocks->entries_end = number(end + 8);
        table = find_extension(r, blocks->entries_end, "IEOT", &table_size);
        if (!table)
                return;
        if (table_size < BLOCK_TABLE_HEAD || (table_size - BLOCK_TABLE_HEAD) % BLOCK_SIZE)
                blocks->bad = true;
        else
                blocks->table = str_from((const char *)table + BLOCK_TABLE_HEAD, table_size - BLOCK_TABLE_HEAD);
}

/* Before entry `i`, at `r->at`: a block that is to start with it does. `left` counts those of the block before. */
static bool at_block(const struct reader *r, struct blocks *blocks, uint32_t *left) {
        const unsigned char *row = (const unsigned char *)blocks->table.ptr;

        if (*left > 0 || !row)
                return true;
        if (blocks->table.len < BLOCK_SIZE || number(row) != r->at)
                return false;
        *left = number(row + 4);
        blocks->table = str_skip(blocks->table, BLOCK_SIZE);
        return *left > 0;
}

/* ---- the whole ---- */

/* After the entries. Of the extensions that git knows two mean that entries are elsewhere; one it does not know, and that is
 * not optional, makes it refuse the index. */
static bool read_extensions(struct reader *r) {
        while (r->len - r->at >= 8) {
                const unsigned char *name = r->bytes + r->at;
                uint32_t size = number(name + 4);

                if (name[0] < 'A' || name[0] > 'Z' || size > r->len - r->at - 8)
                        return false;
                r->at += 8 + (size_t)size;
        }
        return r->at == r->len;
}

static bool read_head(struct reader *r) {
        if (r->len < HEAD_SIZE || memcmp(r->bytes, "DIRC", 4) != 0)
                return false;
        r->version = number(r->bytes + 4);
        r->count = number(r->bytes + 8);
        r->at = HEAD_SIZE;
        return r->version >= 2 && r->version <= 4;
}

int git_index_read(struct str bytes, unsigned id_size, git_link_fn *show, void *context, bool *ret_known, struct err *err) {
        struct reader r = { .bytes = (const unsigned char *)bytes.ptr, .id_size = id_size };
        struct blocks blocks = { 0 };
        uint32_t left = 0;
        bool plain = true;

        *ret_known = false;
        if (bytes.len < HEAD_SIZE + id_size)
                return 0;
        r.len = bytes.len - id_size;
        if (!read_head(&r))
                return 0;
        find_blocks(&r, &blocks);
        for (uint32_t i = 0; i < r.count; i++) {
                bool first = left == 0 && blocks.table.ptr;
                struct str path;

                if (!at_block(&r, &blocks, &left) || !read_entry(&r))
                        return 0;
                if (left > 0)
                        left--;
                if (first && r.kept > 0) /* a thread has no name before */
                        return 0;
                path = str_from(r.name, r.name_len);
                if ((r.mode & MODE_TYPE) == MODE_FOLDER)
                        plain = false;
                if ((r.mode & MODE_TYPE) != MODE_GITLINK)
                        continue;
                if (!is_plain(path))
                        plain = false;
                else if (show(context, path, err) < 0)
                        return -1;
        }
        if (blocks.bad || left > 0 || blocks.table.len > 0 || (blocks.entries_end && blocks.entries_end != r.at))
                return 0;
        *ret_known = plain && read_extensions(&r);
        return 0;
}
