/*
 * Which request gets which answer. Everything that is not the reader's own is refused without saying why.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bailey.h"
#include "base/time.h"
#include "cli/http.h"
#include "cli/serve.h"

enum { ANSWER_MAX = 128 << 20, NUMBER_DIGITS = 18 };

/* The page has a policy of its own inside, by which its script runs; this one is for all the rest. */
#define POLICY_FRAMES "frame-ancestors 'none'"
#define POLICY_NOTHING "default-src 'none'; base-uri 'none'; form-action 'none'; " POLICY_FRAMES

static void put_answer(struct buf *out, enum http_status status, const char *type, const char *policy, const char *more,
                       struct str body) {
        buf_init(out, ANSWER_MAX);
        buf_format(out, "HTTP/1.1 %d %s\r\n", (int)status, http_reason(status));
        buf_format(out, "Content-Type: %s\r\nContent-Length: %zu\r\nContent-Security-Policy: %s\r\n", type, body.len, policy);
        buf_append(out, STR("Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                            "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                            "Cross-Origin-Opener-Policy: same-origin\r\n"));
        buf_append(out, str_z(more));
        buf_append(out, STR("\r\n"));
        buf_append(out, body);
}

static void put_text(struct buf *out, enum http_status status, const char *text) {
        put_answer(out, status, "text/plain; charset=utf-8", POLICY_NOTHING,
                   status == HTTP_METHOD_NOT_ALLOWED ? "Allow: GET\r\n" : "", str_z(text));
}

static void put_problem(struct buf *out, enum http_status status) {
        char text[96];

        snprintf(text, sizeof(text), "%d %s\n", (int)status, http_reason(status));
        put_text(out, status, text);
}

/* The library's text as an answer, or the failure to make one. */
static void put_made(struct buf *out, int made, char *text, size_t length, const char *type, const char *policy) {
        if (made < 0) {
                put_problem(out, HTTP_FAILED);
                return;
        }
        put_answer(out, HTTP_OK, type, policy, "", str_from(text, length));
        bailey_free(text);
        if (out->failed) {
                buf_free(out);
                put_problem(out, HTTP_FAILED);
        }
}

/* ---- who asks ---- */

/* Takes as long whatever differs. */
static bool is_same(struct str given, const char *secret) {
        size_t length = strlen(secret);
        unsigned char differs = 0;

        if (given.len != length)
                return false;
        for (size_t i = 0; i < length; i++)
                differs |= (unsigned char)given.ptr[i] ^ (unsigned char)secret[i];
        return differs == 0;
}

static bool is_reader(const struct serve *serve, const struct http_request *request) {
        return serve->token_used && is_same(http_cookie(request, "bailey"), serve->session);
}

/* A page that goes on to the real one by itself: a cookie that is for requests from the same site only would not be sent
 * along with a redirect of a request that came from elsewhere, such as a terminal in a browser. */
static bool answer_token(struct serve *serve, struct str token, struct buf *ret) {
        char page[256], cookie[192];

        if (!is_same(token, serve->token) || serve->token_used) {
                put_text(ret, HTTP_FORBIDDEN,
                         "This address is wrong, or has been used already: it is valid once.\n"
                         "Run bailey audit serve again and open the address it prints.\n");
                return false;
        }
        serve->token_used = true;
        snprintf(cookie, sizeof(cookie), "Set-Cookie: bailey=%s; Path=%s; HttpOnly; SameSite=Strict\r\n", serve->session,
                 serve->place);
        snprintf(page, sizeof(page),
                 "<!doctype html><meta charset=\"utf-8\"><title>bailey</title><meta http-equiv=\"refresh\" "
                 "content=\"0;url=%s\"><p><a href=\"%s\">Continue</a></p>\n",
                 serve->place, serve->place);
        put_answer(ret, HTTP_OK, "text/html; charset=utf-8", POLICY_NOTHING, cookie, str_z(page));
        return true;
}

/* ---- what is asked ---- */

static void answer_page(struct serve *serve, struct buf *ret) {
        char *text = NULL;
        size_t length = 0;
        int made = bailey_audit_page_html(serve->page, &text, &length);

        put_made(ret, made, text, length, "text/html; charset=utf-8", POLICY_FRAMES);
}

static bool read_number(struct str text, unsigned long long *ret) {
        unsigned long long number = 0;

        if (!text.len || text.len > NUMBER_DIGITS)
                return false;
        for (size_t i = 0; i < text.len; i++) {
                if (!is_ascii_digit((unsigned char)text.ptr[i]))
                        return false;
                number = number * 10 + (unsigned long long)(text.ptr[i] - '0');
        }
        *ret = number;
        return true;
}

static void answer_data(struct serve *serve, struct str query, struct buf *ret) {
        unsigned long long after;
        char *text = NULL;
        size_t length = 0;
        int made;

        if (!str_starts(query, STR("after=")) || !read_number(str_skip(query, sizeof("after=") - 1), &after)) {
                put_problem(ret, HTTP_BAD_REQUEST);
                return;
        }
        if (bailey_audit_page_read(serve->page, serve->problem, sizeof(serve->problem)) >= 0)
                serve->problem[0] = '\0';
        made = bailey_audit_page_data(serve->page, after, serve->problem[0] ? serve->problem : NULL, &text, &length);
        put_made(ret, made, text, length, "application/json", POLICY_NOTHING);
}

/* What was found out last, and since when that is known; meanwhile somebody looks again. */
static void answer_shells(struct serve *serve, struct buf *ret) {
        struct shells_asker *shells = &serve->shells;
        int64_t age = (time_monotonic() - shells->last_time) / (TIME_SECOND / 1000);
        struct str known = buf_str(&shells->last);
        bool problem = known.len && known.ptr[0] == '"';
        BUF_AUTO out;

        shells_asker_ask(shells);
        buf_init(&out, ANSWER_MAX);
        buf_format(&out, "{\"age_ms\":%lld,\"sessions\":%s", (long long)age, problem ? "null,\"problem\":" : "");
        buf_append(&out, known.len ? known : STR("null"));
        buf_char(&out, '}');
        if (out.failed)
                put_problem(ret, HTTP_FAILED);
        else
                put_answer(ret, HTTP_OK, "application/json", POLICY_NOTHING, "", buf_str(&out));
}

static bool answer_place(struct serve *serve, const struct http_request *request, struct str name, struct buf *ret) {
        if (!is_reader(serve, request)) {
                put_problem(ret, HTTP_FORBIDDEN);
                return false;
        }
        if (str_is(name, "") && !request->query.len)
                answer_page(serve, ret);
        else if (str_is(name, "data"))
                answer_data(serve, request->query, ret);
        else if (str_is(name, "shells") && !request->query.len)
                answer_shells(serve, ret);
        else
                put_problem(ret, HTTP_NOT_FOUND);
        return true;
}

bool serve_answer(struct serve *serve, struct str head, struct buf *ret) {
        static const char token_name[] = "token=";
        struct http_request request;
        enum http_status status = http_read(head, &request);

        if (status == HTTP_INCOMPLETE)
                return false;
        if (status == HTTP_OK && !str_is(request.host, serve->host)) /* a name that was made to lead here */
                status = HTTP_MISDIRECTED;
        if (status != HTTP_OK) {
                put_problem(ret, status);
                return false;
        }
        if (str_is(request.path, "/") && str_starts(request.query, str_z(token_name)))
                return answer_token(serve, str_skip(request.query, sizeof(token_name) - 1), ret);
        if (str_starts(request.path, str_z(serve->place)))
                return answer_place(serve, &request, str_skip(request.path, strlen(serve->place)), ret);
        put_problem(ret, HTTP_NOT_FOUND);
        return false;
}
