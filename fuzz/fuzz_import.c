/*
 * Any settings of another program: an error, or a config in which every denied command, path and host that was taken is denied.
 *
 * The first byte says which program, and in which language the rest is.
 */
#include <stdint.h>
#include <stdlib.h>

#include "policy/config.h"
#include "policy/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth) {
        if (!truth)
                abort();
}

static size_t count_settings(const struct config *config, const struct import *import) {
        size_t count = 0;

        for (const struct setting *setting = config->settings; setting; setting = setting->next)
                for (size_t i = 0; i < import->value_count; i++)
                        if (import->values[i].key == setting->key) {
                                count += key_is_list(setting->key->type) ? setting->value.items.count : 1;
                                break;
                        }
        return count;
}

/* What is written is a config, and it has all values: nothing in a value or in a comment can end its line. */
static void check(struct import *import, struct arena *arena) {
        struct config config = { .layer = LAYER_USER, .file = "c.toml", .trusted = true };
        struct err err = { 0 };
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        import_write(import, &text);
        require(!text.failed && config_read(buf_str(&text), CONFIG_TOML, arena, &config, &err) == 0);
        require(count_settings(&config, import) == import->value_count);
        for (size_t i = 0; i < import->left_count; i++)
                require(import->left[i].reason && import->left[i].reason[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct import_source source = { .path = "/home/u/.x/settings.json" };
        struct import_request request = { .sources = &source, .source_count = 1, .home = "/home/u", .workspace = "/work" };
        struct import import;
        struct err err = { 0 };
        ARENA_AUTO arena = { 0 };

        if (size < 1 || size > 8192)
                return 0;
        arena_init(&arena, 0);
        source.path = data[0] & 64 ? "/home/u/.x/config.toml" : "/home/u/.x/settings.json";
        source.project = data[0] & 128;
        source.text = str_from((const char *)data + 1, size - 1);
        request.format = &import_formats[data[0] % import_format_count];
        if (import_read(&request, &arena, &import, &err) == 0)
                check(&import, &arena);
        else
                require(err.msg[0] != 0);
        return 0;
}
