/*
 * Programs that talk to other hosts: which host, what is sent, and what kind of connection it is.
 */
#include "guard/options.h"
#include "guard/paths.h"
#include "guard/tables/names.h"
#include "policy/egress.h"
#include "policy/hosts.h"

/* ---- hosts ---- */

static const struct host localhost = { .kind = HOST_NAME, .ascii = true, .len = 9, .text = "localhost" };

/* The gateway would let the connection pass. What the guard refuses besides would only have to be allowed twice. */
static bool gateway_allows(struct guard *g, const struct host *host) {
        struct egress *egress;

        if (!network_is_filtered(g->policy->sandbox.network))
                return false;
        if (!g->egress) {
                egress = ARENA_NEW(g->arena, struct egress);
                if (!egress || egress_from_policy(g->policy, g->arena, egress, NULL) < 0)
                        return false;
                g->egress = egress;
        }
        return egress_judge_name(g->egress, host) == EGRESS_ALLOWED;
}

static uint32_t host_flags(struct call *call, const struct arg *url, struct host *host) {
        const struct guard_policy *policy = &call->guard->policy->guard;

        if (!url->known)
                return HOST_UNKNOWN;
        if (host_from_url(url->text, host) < 0) /* known, and yet not certain to whom it leads */
                return policy->allow_any_domain ? 0 : HOST_UNLISTED;
        if (host_list_has(policy->domain_denylist, host))
                return HOST_DENIED;
        if (host_is_loopback(host) && host_list_has(policy->domain_allowlist, &localhost))
                return 0;
        if (policy->allow_any_domain || host_list_allows(policy->domain_allowlist, policy->domain_denylist, host))
                return 0;
        return gateway_allows(call->guard, host) ? 0 : HOST_UNLISTED;
}

/* The host of a URL whose end is not known: http://$X/ says nothing, https://github.com/$X enough. */
static struct arg known_authority(const struct arg *url) {
        size_t scheme = 0, end;

        for (size_t i = 0; i + 2 < url->text.len; i++) {
                if (memcmp(url->text.ptr + i, "://", 3) == 0) {
                        scheme = i + 3;
                        break;
                }
        }
        for (end = scheme; end < url->text.len && !strchr("/?#", url->text.ptr[end]); end++)
                ;
        return end < url->text.len ? arg_part(url, 0, end) : *url;
}

static void connect_effect(struct call *call, const struct arg *url) {
        struct arg authority = known_authority(url);
        struct host host = { 0 };
        uint32_t flags;

        if (name_is_httpie(call->name) && authority.text.len && authority.text.ptr[0] == ':')
                return; /* :3000/path is localhost */
        flags = host_flags(call, &authority, &host);

        guard_effect(call->guard, FX_CONNECT, flags, host.len ? host_text(&host) : authority.text, url->range);
}

void judge_host(struct call *call, const struct arg *host) {
        connect_effect(call, host);
}

/* A host that is not named by a URL: only the denylist speaks of it. */
void judge_peer(struct call *call, const struct arg *name) {
        struct host host = { 0 };

        if (host_flags(call, name, &host) & HOST_DENIED)
                guard_effect(call->guard, FX_CONNECT, HOST_DENIED, host_text(&host), name->range);
        else
                guard_effect(call->guard, FX_CONNECT, 0, name->text, name->range);
}

/* The path of /dev/tcp/HOST/PORT leads to this machine. */
bool socket_is_local(struct guard *g, struct str path) {
        struct call call = { .guard = g };
        struct str rest = str_skip(path, sizeof("/dev/tcp/") - 1);
        struct arg name = arg_text(g, str_take(rest, str_find(rest, '/')), g->range);
        struct host host = { 0 };

        return name.known && !(host_flags(&call, &name, &host) & (HOST_UNKNOWN | HOST_DENIED)) && host_is_loopback(&host);
}

void judge_upload(struct call *call, const struct arg *url, struct range range) {
        struct arg authority = known_authority(url);
        struct host host = { 0 };
        uint32_t flags = host_flags(call, &authority, &host);

        guard_effect(call->guard, FX_UPLOAD, flags, host.len ? host_text(&host) : authority.text, range);
}

/* ---- curl, wget ---- */

/* -d @file, -F name=@file, -H @file: what follows the @ is sent. */
static bool sends_file(struct call *call, const struct arg *data) {
        size_t at = str_find(data->text, '@'), equals = str_find(data->text, '=');
        struct arg file;

        if (at == data->text.len || (at > 0 && at != equals + 1))
                return data->value.pieces && guard_value_reads(call->guard, &data->value);
        file = arg_part(data, at + 1, data->text.len);
        if (!arg_is(&file, "-"))
                guard_path(call->guard, FX_READ, 0, &file);
        return true;
}

struct fetch {
        const struct arg *urls[16];
        struct arg kept[16];
        size_t count;
        bool sends;
        struct arg output;
        bool remote_name;
};

static void fetch_option(struct call *call, const struct option *o, struct fetch *fetch) {
        struct guard *g = call->guard;

        switch (o->meaning) {
        case MEANS_SEND:
                fetch->sends |= o->has_value && sends_file(call, &o->value);
                break;
        case MEANS_SEND_FILE:
                fetch->sends = true;
                guard_path(g, FX_READ, 0, &o->value);
                break;
        case MEANS_URL:
                if (fetch->count < 16)
                        fetch->kept[fetch->count++] = o->value;
                break;
        case MEANS_PROXY: /* another way to the host makes its name worthless */
                guard_effect(g, FX_CONNECT, HOST_UNLISTED, o->value.text, o->value.range);
                break;
        case MEANS_WRITE:
                fetch->output = o->value;
                guard_path(g, FX_WRITE, 0, &o->value);
                break;
        case MEANS_CD:
                if (path_flags(g, &o->value, path_resolve(g, o->value.text)) & (PATH_SYSTEM | PATH_STARTUP))
                        guard_path(g, FX_WRITE, 0, &o->value);
                break;
        case MEANS_READ:
                guard_path(g, FX_READ, 0, &o->value);
                break;
        case MEANS_PROGRAM:
                guard_shell(call, &o->value, NULL, 0);
                break;
        case MEANS_RUNS: /* a config file can say anything */
                guard_effect(g, FX_CODE, CODE_OPTION, o->name, o->value.range);
                guard_effect(g, FX_CONNECT, HOST_UNLISTED, STR("a host named in a config file"), o->value.range);
                break;
        default:
                break;
        }
        fetch->remote_name |= str_is(o->name, "O") && str_is(call->name, "curl");
}

/* The first word, or the one behind a method. */
static const struct arg *httpie_url(const struct fetch *fetch) {
        struct str first = fetch->kept[0].text;

        for (size_t i = 0; i < first.len; i++)
                if (!is_ascii_alpha((unsigned char)first.ptr[i]))
                        return &fetch->kept[0];
        return &fetch->kept[fetch->count > 1 && first.len && first.len < 8 && !str_is(first, "localhost") ? 1 : 0];
}

static void fetch_url(struct call *call, const struct arg *url, const struct fetch *fetch) {
        struct guard *g = call->guard;
        struct file_fact *fact;

        if (str_starts(url->text, STR("file:"))) {
                struct arg path = arg_part(url, str_starts(url->text, STR("file://")) ? 7 : 5, url->text.len);

                guard_path(g, FX_READ, 0, &path);
                return;
        }
        if (name_is_httpie(call->name) && url != httpie_url(fetch))
                return; /* METHOD and items */
        connect_effect(call, url);
        if (fetch->sends)
                judge_upload(call, url, url->range);
        fact = guard_file(g, fetch->output.text.len && !arg_is(&fetch->output, "-") ? fetch->output.text
                                                                                    : arg_basename(url->text));
        if (fact)
                fact->fetched = true;
}

void judge_fetch(struct call *call) {
        struct options options;
        struct option option;
        struct fetch fetch = { 0 };
        enum scan scan;

        options_start(&options, call);
        while ((scan = options_next(&options, &option)) != SCAN_END) {
                if (scan == SCAN_OPTION)
                        fetch_option(call, &option, &fetch);
                else if (fetch.count < 16)
                        fetch.kept[fetch.count++] = option.value;
        }
        for (size_t i = 0; i < fetch.count; i++)
                fetch_url(call, &fetch.kept[i], &fetch);
        if (call->visit && call->visit->pipe_from && fetch.sends && !fetch.count)
                guard_effect(call->guard, FX_UPLOAD, HOST_UNKNOWN, STR("an unknown host"), call->args[0].range);
}

/* ---- connections ---- */

/* Looking a name up tells it to the network: a name made of a file's content carries that out. */
static void lookup_name(struct call *call, const struct arg *name, bool whole) {
        if (!whole && str_find(name->text, '.') == name->text.len)
                return; /* host $(hostname) asks for a name of ours */
        for (const struct piece *piece = name->value.pieces; piece; piece = piece->next)
                if (piece->kind == PIECE_UNKNOWN && piece->because == UNKNOWN_OUTPUT)
                        guard_effect(call->guard, FX_UPLOAD, HOST_UNKNOWN, name->text, name->range);
}

/* socat's addresses: TCP:host:port, EXEC:program. */
static void socat_address(struct call *call, const struct arg *address) {
        size_t colon = str_find(address->text, ':');
        struct str kind = str_take(address->text, colon);
        struct arg rest = arg_part(address, colon + 1, str_find(str_skip(address->text, colon + 1), ','));

        if (str_eq_nocase(kind, STR("exec")) || str_eq_nocase(kind, STR("system")) || str_eq_nocase(kind, STR("shell"))) {
                guard_effect(call->guard, FX_LISTEN, 0, rest.text, address->range);
                guard_shell(call, &rest, NULL, 0);
        } else if (str_eq_nocase(str_take(kind, 3), STR("tcp")) || str_eq_nocase(str_take(kind, 3), STR("udp")) ||
                   str_eq_nocase(kind, STR("openssl")) || str_eq_nocase(kind, STR("socks4"))) {
                if (str_find(str_skip(kind, 3), 'L') == kind.len - 3 && colon < address->text.len)
                        connect_effect(call, &rest);
        }
}

static void connect_operand(struct call *call, const struct arg *operand, size_t number) {
        if (call->program->traits & TRAIT_LOOKUP) {
                lookup_name(call, operand, false);
                return;
        }
        if (str_is(call->name, "socat"))
                socat_address(call, operand);
        else if (str_is(call->name, "openssl"))
                return;
        else if (str_is(call->name, "mail"))
                guard_effect(call->guard, FX_UPLOAD, HOST_UNKNOWN, operand->text, operand->range);
        else if (number == 0)
                connect_effect(call, operand);
}

static bool sends_input(const struct call *call) {
        for (const struct walk_redirect *r = call->visit ? call->visit->redirects : NULL; r; r = r->next)
                if (r->redir->op == REDIR_INPUT)
                        return true;
        return call->visit && call->visit->pipe_from;
}

/* nc -l PORT waits to be called, and names no host. */
static bool has_listen(const struct call *call) {
        struct options options;
        struct option option;
        enum scan scan;

        options_start(&options, call);
        while ((scan = options_next(&options, &option)) != SCAN_END)
                if (scan == SCAN_OPTION && option.meaning == MEANS_LISTEN)
                        return true;
        return false;
}

void judge_connect(struct call *call) {
        struct guard *g = call->guard;
        struct options options;
        struct option option;
        size_t operands = 0;
        struct arg host = { 0 };
        bool listens = has_listen(call);
        enum scan scan;

        options_start(&options, call);
        while ((scan = options_next(&options, &option)) != SCAN_END) {
                if (scan == SCAN_OPERAND) {
                        if (operands >= call->program->skip && !listens) {
                                connect_operand(call, &option.value, operands - call->program->skip);
                                host = host.text.len ? host : option.value;
                        }
                        operands++;
                        continue;
                }
                if (option.meaning == MEANS_PROGRAM || option.meaning == MEANS_SHELL) {
                        guard_effect(g, FX_LISTEN, 0, option.value.text, option.value.range);
                        guard_shell(call, &option.value, NULL, 0);
                } else if (option.meaning == MEANS_PAYLOAD) {
                        lookup_name(call, &option.value, true);
                } else if (option.meaning == MEANS_URL && option.has_value) {
                        connect_effect(call, &option.value);
                } else if (option.meaning == MEANS_READ && option.has_value) {
                        guard_path(g, FX_READ, 0, &option.value);
                } else if (option.meaning == MEANS_WRITE && option.has_value) {
                        guard_path(g, FX_WRITE, 0, &option.value);
                } else if (option.meaning == MEANS_SSH_OPTION && option.has_value) {
                        judge_ssh_option(call, &option.value);
                } else if (option.meaning == MEANS_SEND_FILE) {
                        guard_path(g, FX_READ, 0, &option.value);
                } else if (option.meaning == MEANS_RUNS) {
                        guard_effect(g, FX_CODE, CODE_OPTION, option.name, option.value.range);
                }
        }
        if (!listens && call->program->traits & TRAIT_NETWORK && host.text.len && sends_input(call))
                judge_upload(call, &host, call->args[0].range);
}

/* ---- ssh, cloud ---- */

/* -o ProxyCommand=CODE and its kin run it here. */
void judge_ssh_option(struct call *call, const struct arg *option) {
        static const char *const runs[] = { "proxycommand", "localcommand", "knownhostscommand", "match", "pkcs11provider" };
        size_t equals = str_find(option->text, '='), space = str_find(option->text, ' ');
        size_t end = equals < space ? equals : space;
        struct arg code = arg_part(option, end + 1, option->text.len);

        for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
                if (!str_eq_nocase(str_take(option->text, end), str_z(runs[i])))
                        continue;
                guard_effect(call->guard, FX_CODE, CODE_OPTION, str_take(option->text, end), option->range);
                guard_shell(call, &code, NULL, 0);
        }
}

/* ssh HOST bash -s < script.sh: the script is run there, which is what it is for. */
static bool runs_input(const struct call *call, size_t first) {
        struct str word = first < call->count ? call->args[first].text : STR("");
        const struct program *program = program_find(arg_basename(str_take(word, str_find(word, ' '))));

        return program && program->act == ACT_SHELL;
}

static void ssh(struct call *call) {
        struct guard *g = call->guard;
        struct options options;
        struct option option;
        bool known;

        options_start(&options, call);
        while (options_next(&options, &option) == SCAN_OPTION) {
                if (option.meaning == MEANS_SSH_OPTION && option.has_value)
                        judge_ssh_option(call, &option.value);
                else if (option.meaning == MEANS_TUNNEL) /* -R: others come in through it */
                        guard_effect(g, FX_LISTEN, 0, option.value.text, option.value.range);
                else if (option.meaning == MEANS_RUNS)
                        guard_effect(g, FX_CODE, CODE_OPTION, option.name, call->args[0].range);
        }
        if (!option.has_value)
                return;
        if (option.index + 2 < call->count && arg_is(&call->args[option.index + 1], "--"))
                option.index++;
        if (option.index + 1 < call->count) {
                struct str remote = guard_join(g, call->args + option.index + 1, call->count - option.index - 1, &known);

                guard_shell_text(call, remote, call->args[option.index + 1].range);
        } else if (call->input) {
                struct arg text = guard_arg(g, *call->input, call->args[0].range);

                guard_shell(call, &text, NULL, 0);
        }
        if (sends_input(call) && (!call->input || value_unknown_piece(*call->input)) && !runs_input(call, option.index + 1)) {
                struct str host = option.value.text;
                size_t at = str_find(host, '@');
                struct arg name = at < host.len ? arg_part(&option.value, at + 1, host.len) : option.value;

                judge_upload(call, &name, option.value.range);
        }
}

static bool is_bucket(const struct call *call, const struct arg *arg) {
        size_t colon = str_find(arg->text, ':');

        if (str_starts(arg->text, STR("s3://")) || str_starts(arg->text, STR("gs://")))
                return true;
        return str_is(call->name, "rclone") && colon > 0 && colon < arg->text.len;
}

void judge_remote(struct call *call) {
        if (str_is(call->name, "ssh")) {
                ssh(call);
                return;
        }
        /* aws s3 cp FILE s3://bucket/, rclone copy FILE remote: */
        for (size_t i = 2; i + 1 < call->count; i++) {
                const struct arg *target = &call->args[i + 1];
                bool copies = arg_is(&call->args[i - 1], "cp") || arg_is(&call->args[i - 1], "sync") ||
                              arg_is(&call->args[i - 1], "mv") || arg_is(&call->args[i - 1], "put") ||
                              arg_is(&call->args[i - 1], "copy") || arg_is(&call->args[i - 1], "move") || i > 2;

                if (is_bucket(call, target) && !is_bucket(call, &call->args[i]) && copies && call->args[i].text.len &&
                    (call->args[i].text.ptr[0] != '-' || call->args[i].text.len == 1) && !arg_is(&call->args[i], "ls") &&
                    !arg_is(&call->args[i], "rm") && !arg_is(&call->args[i], "mb") && !arg_is(&call->args[i], "rb")) {
                        guard_path(call->guard, FX_READ, 0, &call->args[i]);
                        guard_effect(call->guard, FX_UPLOAD, HOST_UNLISTED, target->text, target->range);
                }
        }
}
