/*
 * JSON-RPC and the protocol's own methods, of both generations: with a session that begins by `initialize`, and without one,
 * where each request says which revision it speaks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/call.h"

enum rpc_error {
        RPC_PARSE = -32700,
        RPC_INVALID_REQUEST = -32600,
        RPC_NO_METHOD = -32601,
        RPC_INVALID_PARAMS = -32602,
        RPC_BUSY = -32000,
        RPC_UNSUPPORTED_VERSION = -32022,
};

/* The newest first. */
static const char *const session_versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };
static const char version_with_batches[] = "2025-03-26"; /* the next one took them out again */
static const char stateless_version[] = "2026-07-28";

/* The first ones in which a client's user can be asked, and choices have titles; they sort by their names. */
static const char version_that_asks[] = "2025-06-18", version_with_titles[] = "2025-11-25";

#define EXACT_BELOW 0x1p53 /* whole numbers that a double can hold */

#define META(name) "io.modelcontextprotocol/" name

/* ---- writing ---- */

static void begin(struct mcp_server *server, const char *id) {
        buf_append(batch_out(server), STR("{\"jsonrpc\":\"2.0\",\"id\":"));
        buf_append(batch_out(server), id ? str_z(id) : STR("null"));
}

void rpc_result_begin(struct mcp_server *server, const char *id, bool stateless) {
        begin(server, id);
        buf_append(batch_out(server), stateless ? STR(",\"result\":{\"resultType\":\"complete\",") : STR(",\"result\":{"));
}

void rpc_input_begin(struct mcp_server *server, const char *id) {
        begin(server, id);
        buf_append(batch_out(server), STR(",\"result\":{\"resultType\":\"input_required\","));
}

void rpc_result_end(struct mcp_server *server) {
        buf_append(batch_out(server), STR("}}\n"));
}

static void send_error(struct mcp_server *server, const char *id, enum rpc_error code, const char *message) {
        begin(server, id);
        buf_format(batch_out(server), ",\"error\":{\"code\":%d,\"message\":", (int)code);
        buf_json(batch_out(server), str_z(message));
        buf_append(batch_out(server), STR("}}\n"));
}

void rpc_progress(struct mcp_server *server, const struct call *call, double progress, struct str message) {
        struct buf *out = &server->wire.queue;

        buf_append(out, STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":"));
        buf_append(out, str_z(call->progress));
        buf_format(out, ",\"progress\":%.3f,\"message\":", progress);
        buf_json(out, message);
        buf_append(out, STR("}}\n"));
}

void rpc_request(struct mcp_server *server, const char *id, const char *method, struct str params) {
        struct buf *out = &server->wire.queue;

        buf_format(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":", id, method);
        buf_append(out, params);
        buf_append(out, STR("}\n"));
}

void rpc_cancel(struct mcp_server *server, const char *id) {
        buf_format(&server->wire.queue,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%s}}\n", id);
}

/* ---- a request ---- */

struct request {
        json_t *root, *params;
        char *id; /* JSON; NULL: a notification */
        const char *method;
        bool stateless;
};

static const char *text_of(json_t *object, const char *name) {
        return json_string_value(json_object_get(object, name));
}

static char *dump(json_t *value) {
        return json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
}

/* The revision is named with each request, or with none. -1: answered, with an error. */
static int read_version(struct mcp_server *server, struct request *request) {
        json_t *meta = json_object_get(request->params, "_meta");
        json_t *version = json_object_get(meta, META("protocolVersion"));
        const char *text = json_string_value(version);

        if (!version)
                return 0;
        if (!text || !json_is_object(json_object_get(meta, META("clientCapabilities")))) {
                send_error(server, request->id, RPC_INVALID_PARAMS,
                           "_meta: " META("protocolVersion") " is a string, and " META("clientCapabilities") " an object");
                return -1;
        }
        if (strcmp(text, stateless_version) != 0) {
                begin(server, request->id);
                buf_format(batch_out(server), ",\"error\":{\"code\":%d,\"message\":\"unsupported protocol version\",\"data\":{",
                           RPC_UNSUPPORTED_VERSION);
                buf_format(batch_out(server), "\"supported\":[\"%s\"],\"requested\":", stateless_version);
                buf_json(batch_out(server), str_z(text));
                buf_append(batch_out(server), STR("}}}\n"));
                return -1;
        }
        request->stateless = true;
        return 0;
}

/* ---- methods ---- */

typedef void method(struct mcp_server *server, const struct request *request);

static void put_server_info(struct buf *out) {
        buf_append(out, STR("{\"name\":\"bailey\",\"title\":\"bailey\",\"version\":"));
        buf_json(out, str_z(bailey_version()));
        buf_char(out, '}');
}

static void put_instructions(struct mcp_server *server, struct buf *out) {
        struct bailey_abilities abilities;
        BUF_AUTO text;

        buf_init(&text, DESCRIPTION_MAX);
        if (bailey_abilities(bailey_session_policy(server->session), server->options->environment, &abilities) < 0) {
                out->failed = true;
                return;
        }
        describe_server(&abilities, &text);
        bailey_free(abilities.commands);
        buf_append(out, STR(",\"instructions\":"));
        buf_json(out, buf_str(&text));
        out->failed |= text.failed;
}

static void initialize(struct mcp_server *server, const struct request *request) {
        const char *asked = text_of(request->params, "protocolVersion"), *version = session_versions[0];
        struct buf *out = batch_out(server);

        if (!asked || server->batch) {
                send_error(server, request->id, server->batch ? RPC_INVALID_REQUEST : RPC_INVALID_PARAMS,
                           server->batch ? "initialize is not allowed in a batch"
                                         : "protocolVersion is missing or not a string");
                return;
        }
        for (size_t i = 0; i < sizeof(session_versions) / sizeof(*session_versions); i++)
                if (strcmp(asked, session_versions[i]) == 0)
                        version = session_versions[i];
        server->has_batches = strcmp(version, version_with_batches) == 0;
        client_read(&server->client, json_object_get(request->params, "capabilities"),
                    json_object_get(request->params, "clientInfo"));
        server->client.asks &= strcmp(version, version_that_asks) >= 0;
        server->client.knows_titles = strcmp(version, version_with_titles) >= 0;
        rpc_result_begin(server, request->id, false);
        buf_format(out, "\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},\"serverInfo\":", version);
        put_server_info(out);
        put_instructions(server, out);
        rpc_result_end(server);
}

static void discover(struct mcp_server *server, const struct request *request) {
        struct buf *out = batch_out(server);

        rpc_result_begin(server, request->id, true);
        buf_format(out, "\"supportedVersions\":[\"%s\"],\"capabilities\":{\"tools\":{}}", stateless_version);
        buf_append(out, STR(",\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{\"" META("serverInfo") "\":"));
        put_server_info(out);
        buf_char(out, '}');
        put_instructions(server, out);
        rpc_result_end(server);
}

static void ping(struct mcp_server *server, const struct request *request) {
        begin(server, request->id);
        buf_append(batch_out(server), STR(",\"result\":{"));
        rpc_result_end(server);
}

static void list_tools(struct mcp_server *server, const struct request *request) {
        rpc_result_begin(server, request->id, request->stateless);
        if (request->stateless)
                buf_append(batch_out(server), STR("\"ttlMs\":3600000,\"cacheScope\":\"private\","));
        tools_list(server, batch_out(server));
        rpc_result_end(server);
}

static struct call *call_find(struct mcp_server *server, const char *id) {
        struct call *call = server->calls;

        while (call && (call->done || strcmp(call->id, id) != 0))
                call = call->next;
        return call;
}

static struct call *call_new(struct mcp_server *server, const struct request *request) {
        json_t *meta = json_object_get(request->params, "_meta"), *token = json_object_get(meta, "progressToken");
        struct call *call = calloc(1, sizeof(*call));

        if (!call)
                return NULL;
        call->child_fd = -1;
        call->id = strdup(request->id);
        call->progress = json_is_string(token) || json_is_integer(token) ? dump(token) : NULL;
        call->stateless = request->stateless;
        call->begun = call->told_at = server->now;
        if (!call->id) {
                call_free(call);
                return NULL;
        }
        call->params = json_incref(request->params);
        client_read(&call->client, json_object_get(meta, META("clientCapabilities")),
                    json_object_get(meta, META("clientInfo")));
        call->client.knows_titles = true;
        call->batch = batch_join(server);
        call->next = server->calls;
        server->calls = call;
        server->call_count++;
        return call;
}

static void call_tool(struct mcp_server *server, const struct request *request) {
        const char *name = text_of(request->params, "name");
        json_t *arguments = json_object_get(request->params, "arguments");
        struct call *call;

        if (!name || (arguments && !json_is_object(arguments))) {
                send_error(server, request->id, RPC_INVALID_PARAMS, "tools/call needs a name, and arguments must be an object");
                return;
        }
        if (call_find(server, request->id)) {
                send_error(server, request->id, RPC_INVALID_REQUEST, "duplicate id: a request with this id is still running");
                return;
        }
        if (server->call_count == CALLS_MAX)
                calls_drop_done(server); /* a read may bring many that are answered at once */
        call = server->call_count < CALLS_MAX ? call_new(server, request) : NULL;
        if (!call) {
                send_error(server, request->id, RPC_BUSY, "too many concurrent requests");
                return;
        }
        if (!tools_call(server, call, name, arguments)) {
                char message[128];

                snprintf(message, sizeof(message), "unknown tool '%.32s'; see tools/list", name);
                send_error(server, request->id, RPC_INVALID_PARAMS, message);
                call->done = true;
        }
}

static void cancelled(struct mcp_server *server, const struct request *request) {
        json_t *id = json_object_get(request->params, "requestId");
        char *text = json_is_string(id) || json_is_number(id) ? dump(id) : NULL;
        struct call *call = text ? call_find(server, text) : NULL;

        if (call)
                call_cancel(server, call);
        free(text);
}

static const struct method_row {
        const char *name;
        method *run;
        bool stateless, session; /* in which generation it is known */
} methods[] = {
        { "initialize", initialize, false, true },    { "ping", ping, false, true },
        { "server/discover", discover, true, false }, { "tools/call", call_tool, true, true },
        { "tools/list", list_tools, true, true },
};

static const struct method_row *method_find(const char *name) {
        for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
                if (strcmp(methods[i].name, name) == 0)
                        return &methods[i];
        return NULL;
}

static void serve(struct mcp_server *server, struct request *request) {
        const struct method_row *row = method_find(request->method);
        char message[128];

        if (read_version(server, request) < 0)
                return;
        if (row && (request->stateless ? row->stateless : row->session)) {
                row->run(server, request);
        } else if (row && !request->stateless) {
                snprintf(message, sizeof(message), "%s needs _meta: %s and %s", row->name, META("protocolVersion"),
                         META("clientCapabilities"));
                send_error(server, request->id, RPC_INVALID_PARAMS, message);
        } else {
                snprintf(message, sizeof(message), "unknown method '%.64s'", request->method);
                send_error(server, request->id, RPC_NO_METHOD, message);
        }
}

/* ---- a line ---- */

/* Returns whether it is one to serve; else it was answered. */
static bool read_request(struct mcp_server *server, json_t *root, struct request *request) {
        json_t *id = json_object_get(root, "id"), *method_name = json_object_get(root, "method");
        const char *version = text_of(root, "jsonrpc");

        *request = (struct request){ .root = root, .params = json_object_get(root, "params") };
        if (json_is_string(id) || json_is_number(id))
                request->id = dump(id);
        request->method = json_string_value(method_name);
        if (json_is_array(root))
                send_error(server, NULL, RPC_INVALID_REQUEST,
                           server->has_batches ? "empty batch" : "batches are not supported: send one message per line");
        else if (!json_is_object(root) || !version || strcmp(version, "2.0") != 0)
                send_error(server, request->id, RPC_INVALID_REQUEST, "a message must be an object with \"jsonrpc\": \"2.0\"");
        else if (!method_name && (json_object_get(root, "result") || json_object_get(root, "error")))
                ask_hear(server, root); /* to a question, or to nothing that was asked */
        else if (!request->method)
                send_error(server, request->id, RPC_INVALID_REQUEST, "method is missing or not a string");
        else if (id && !request->id)
                send_error(server, NULL, RPC_INVALID_REQUEST, "id must be a string or a number");
        else if (request->params && !json_is_object(request->params))
                send_error(server, request->id, RPC_INVALID_PARAMS, "params is not an object");
        else
                return true;
        return false;
}

static void take_message(struct mcp_server *server, json_t *root) {
        struct request request;

        if (read_request(server, root, &request)) {
                if (request.id)
                        serve(server, &request);
                else if (strcmp(request.method, "notifications/cancelled") == 0)
                        cancelled(server, &request);
        }
        free(request.id);
}

static bool is_blank(struct str line) {
        for (size_t i = 0; i < line.len; i++)
                if (line.ptr[i] != ' ' && line.ptr[i] != '\t')
                        return false;
        return true;
}

/* The id of a message with a whole number that is too large, as JSON; NULL: it has none. */
static char *id_beside_large(struct str line, size_t flags) {
        json_t *root = json_loadb(line.ptr, line.len, flags | JSON_DECODE_INT_AS_REAL, NULL), *id = json_object_get(root, "id");
        double number = json_real_value(id);
        bool is_exact = json_is_real(id) && fabs(number) < EXACT_BELOW && trunc(number) == number;
        json_t *whole = is_exact ? json_integer((json_int_t)number) : NULL; /* as it was sent */
        char *text = json_is_string(id) || json_is_real(id) ? dump(whole ? whole : id) : NULL;

        json_decref(whole);
        json_decref(root);
        return text;
}

static void refuse_line(struct mcp_server *server, struct str line, size_t flags, const json_error_t *error) {
        char *id;

        if (json_error_code(error) != json_error_numeric_overflow) {
                send_error(server, NULL, RPC_PARSE, error->text);
                return;
        }
        id = id_beside_large(line, flags);
        send_error(server, id, RPC_INVALID_REQUEST,
                   "number out of range: integers and ids must be from -9223372036854775808 to 9223372036854775807");
        free(id);
}

void rpc_take(void *context, struct str line, bool too_long) {
        static const size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY;
        struct mcp_server *server = context;
        json_error_t error;
        json_t *root;

        if (too_long) {
                send_error(server, NULL, RPC_INVALID_REQUEST, "the line is longer than 8 MiB");
                return;
        }
        if (is_blank(line))
                return;
        if (memchr(line.ptr, 0, line.len)) { /* jansson passes over one behind a number */
                send_error(server, NULL, RPC_PARSE, "the line contains a NUL byte");
                return;
        }
        root = json_loadb(line.ptr, line.len, flags, &error);
        if (!root) {
                refuse_line(server, line, flags, &error);
                return;
        }
        if (!server->has_batches || json_array_size(root) == 0)
                take_message(server, root);
        else if (json_array_size(root) > BATCH_MAX)
                send_error(server, NULL, RPC_INVALID_REQUEST, "the batch has more than 256 messages");
        else if (!batch_take(server, root, take_message))
                send_error(server, NULL, RPC_BUSY, "out of memory for a batch");
        json_decref(root);
}
