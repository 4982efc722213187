#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/sha256.h"

static const struct {
        const char *text, *hex;
} rows[] = {
        /* FIPS 180-4 examples, and the NIST byte-oriented short messages */
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
        { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
          "nopqrstu",
          "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
        { "\xd3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1" },
        { "\x11\xaf", "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98" },
};

static void known_answers(void **state) {
        char hex[SHA256_HEX_SIZE];

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                sha256_hex(str_z(rows[i].text), hex);
                assert_string_equal(hex, rows[i].hex);
        }
}

static void a_million_letters(void **state) {
        char *text = malloc(1000000), hex[SHA256_HEX_SIZE];

        (void)state;
        assert_non_null(text);
        memset(text, 'a', 1000000);
        sha256_hex(str_from(text, 1000000), hex);
        assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        free(text);
}

/* In pieces of every size around a block, the answer is the same. */
static void in_pieces(void **state) {
        char text[3 * SHA256_BLOCK], whole[SHA256_HEX_SIZE], pieces[SHA256_HEX_SIZE];
        uint8_t digest[SHA256_SIZE];

        (void)state;
        for (size_t i = 0; i < sizeof(text); i++)
                text[i] = (char)(i * 7);
        for (size_t len = 0; len <= sizeof(text); len++) {
                sha256_hex(str_from(text, len), whole);
                for (size_t piece = 1; piece <= SHA256_BLOCK + 1; piece += 9) {
                        struct sha256 sha;

                        sha256_init(&sha);
                        for (size_t at = 0; at < len; at += piece)
                                sha256_add(&sha, str_take(str_from(text + at, len - at), piece));
                        sha256_end(&sha, digest);
                        id_hex(str_from((char *)digest, sizeof(digest)), pieces);
                        assert_string_equal(whole, pieces);
                }
        }
}

/* RFC 4231: keys shorter and longer than a block. */
static void codes_of_rfc_4231(void **state) {
        char key[131], hex[SHA256_HEX_SIZE];
        uint8_t mac[SHA256_SIZE];
        struct {
                struct str key, text;
                const char *hex;
        } codes[] = {
                { STR("Jefe"), STR("what do ya want for nothing?"),
                  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
                { { key, 20 }, STR("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
                { { key, 131 },
                  STR("Test Using Larger Than Block-Size Key - Hash Key First"),
                  "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
                memset(key, i == 1 ? 0x0b : 0xaa, sizeof(key));
                sha256_hmac(codes[i].key, codes[i].text, mac);
                id_hex(str_from((const char *)mac, sizeof(mac)), hex);
                assert_string_equal(hex, codes[i].hex);
        }
}

static void same_and_not(void **state) {
        uint8_t a[SHA256_SIZE] = { 1 }, b[SHA256_SIZE] = { 1 };

        (void)state;
        assert_true(sha256_same(a, b));
        for (size_t i = 0; i < SHA256_SIZE; i++) {
                b[i] ^= 0x80;
                assert_false(sha256_same(a, b));
                b[i] ^= 0x80;
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(known_answers),     cmocka_unit_test(a_million_letters), cmocka_unit_test(in_pieces),
                cmocka_unit_test(codes_of_rfc_4231), cmocka_unit_test(same_and_not),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
