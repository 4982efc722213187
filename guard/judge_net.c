/*
 * Programs that talk to other hosts: which host, what is sent, and what kind of connection it is.
 */
#include "guard/options.h"
#include "guard/paths.h"
#include "guard/tables/names.h"
#include "policy/addresses.h"
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

/* Names that only a local network knows, and that no registry will ever sell. */
static bool is_plain_name(const struct host *host) {
        struct str name = host_text(host);

        return host->kind == HOST_NAME && (str_find(name, '.') == name.len || name_is_local_host(name));
}

/* Programs that look names up in the user's ~/.ssh/config first. */
static bool has_aliases(const struct call *call) {
        return in_words("ssh scp sftp rsync", call->name);
}

/* What a name or an address is by itself, if no list has it. */
static uint32_t host_class(const struct call *call, const struct host *host) {
        enum address_kind kind = host->kind == HOST_NAME ? ADDRESS_PUBLIC : host_address_kind(host);

        if (kind == ADDRESS_METADATA || kind == ADDRESS_LINK_LOCAL || name_is_metadata(host_text(host)))
                return HOST_METADATA;
        if (is_plain_name(host) && !host_is_loopback(host))
                return has_aliases(call) ? HOST_UNKNOWN : 0;
        if (kind == ADDRESS_PRIVATE)
                return HOST_PRIVATE;
        return call->guard->policy->guard.allow_any_domain ? 0 : HOST_UNLISTED;
}

/* What a package manager asks anyway, so that naming it changes nothing. */
static bool is_registry(const struct call *call, const struct host *host) {
        const struct preset_row *row = preset_find(STR("@packages"));

        if (!row || (call->program && call->program->judge != judge_package))
                return false;
        for (const char *const *pattern = row->hosts; *pattern; pattern++)
                if (host_matches(str_z(*pattern), host))
                        return true;
        return false;
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
        if (host_list_allows(policy->domain_allowlist, policy->domain_denylist, host) || is_registry(call, host) ||
            gateway_allows(call->guard, host))
                return 0;
        return host_class(call, host);
}

/* Where a URL begins, which may follow other text: name@git+https://host/. The length if there is none. */
static size_t url_start(struct str text) {
        const char *mark = text.len ? memmem(text.ptr, text.len, "://", 3) : NULL;
        size_t start = mark ? (size_t)(mark - text.ptr) : text.len;

        while (mark && start > 0 && (is_ascii_alnum((unsigned char)text.ptr[start - 1]) || strchr("+.-", text.ptr[start - 1])))
                start--;
        return start;
}

/* The place of a value in "host=db.example port=5432"; 0: there is none. */
static size_t after_host_key(struct str text) {
        for (size_t i = 0; i + 5 < text.len; i++)
                if ((i == 0 || text.ptr[i - 1] == ' ') && str_starts(str_skip(text, i), STR("host=")))
                        return i + 5;
        return 0;
}

/*
 * The host of what programs take for a place: a URL whose end may be unknown (http://$X/ says nothing, https://github.com/$X
 * enough), host, user@host, host:port, host:path, host=NAME. No text if it names a file.
 */
static struct arg host_part(const struct arg *place) {
        size_t start = url_start(place->text), key = after_host_key(place->text), scheme, end, colon;
        bool url = start < place->text.len;
        struct arg part = url ? arg_part(place, start, place->text.len) : *place;
        struct str rest;

        if (!url && key)
                return arg_part(place, key, str_find(str_skip(place->text, key), ' '));
        if (str_starts(part.text, STR("file:")) ||
            (!url && str_starts(part.text, STR("/")) && !str_starts(part.text, STR("//"))))
                return arg_part(place, 0, 0);
        scheme = url ? str_find(part.text, ':') + 3 : 0;
        scheme = !url && str_starts(part.text, STR("//")) ? 2 : scheme;
        rest = str_skip(part.text, scheme);
        for (end = 0; end < rest.len && !strchr("/?#", rest.ptr[end]); end++)
                ;
        colon = str_find(rest, ':');
        if (!url && colon < end && !(colon + 1 < rest.len && is_ascii_digit((unsigned char)rest.ptr[colon + 1])) &&
            (str_find(str_skip(rest, colon + 1), ':') == rest.len - colon - 1 || rest.ptr[colon + 1] == ':'))
                end = colon; /* host:path, host::module */
        return end < rest.len ? arg_part(&part, 0, scheme + end) : part;
}

static void connect_effect(struct call *call, const struct arg *url) {
        struct arg part = host_part(url);
        struct host host = { 0 };
        uint32_t flags;

        if (!part.text.len || (name_is_httpie(call->name) && part.text.ptr[0] == ':'))
                return; /* :3000/path is localhost */
        flags = host_flags(call, &part, &host);
        guard_effect(call->guard, FX_CONNECT, flags, host.len ? host_text(&host) : part.text, url->range);
}

void judge_host(struct call *call, const struct arg *host) {
        connect_effect(call, host);
}

/* Somebody who is only asked: no data come from there, so only the denylist speaks of it. */
void judge_peer(struct call *call, const struct arg *name) {
        struct arg part = host_part(name);
        struct host host = { 0 };

        if (host_flags(call, &part, &host) & HOST_DENIED)
                guard_effect(call->guard, FX_CONNECT, HOST_DENIED, host_text(&host), name->range);
        else if (part.text.len)
                guard_effect(call->guard, FX_CONNECT, 0, part.text, name->range);
}

/* The words that are a URL: git+https://host/x, name @ https://host/x, or name a database's host. What follows is for another
 * program. */
static void judge_url(struct call *call, const struct arg *arg) {
        struct str before = str_take(arg->text, url_start(arg->text)), scheme = str_skip(arg->text, before.len);

        if (scheme.len && name_is_network_scheme(str_take(scheme, str_find(scheme, ':'))) &&
            (!before.len || strchr("@: =", before.ptr[before.len - 1])))
                connect_effect(call, arg);
}

void judge_urls(struct call *call) {
        bool client = name_is_client(call->name), runs = false, value = false;

        for (size_t i = 1; i < call->count; i++) {
                const struct arg *arg = &call->args[i];
                struct str scheme = str_take(arg->text, str_find(arg->text, ':'));

                if ((i == 1 || call->args[i - 1].text.ptr[0] == '-' || runs) &&
                    (str_ends(call->name, STR("px")) || str_is(call->name, "bunx")) &&
                    in_words("github gitlab bitbucket gist", scheme))
                        guard_effect(call->guard, FX_CODE, CODE_NETWORK, arg->text, arg->range);
                if (arg_is(arg, "--") || (runs && !str_starts(arg->text, STR("-")) && !value))
                        return;
                value = str_starts(arg->text, STR("--")) && str_find(arg->text, '=') == arg->text.len;
                runs |= arg_is(arg, "run") || arg_is(arg, "exec") || arg_is(arg, "test");
                if (client && url_start(arg->text) == arg->text.len && after_host_key(arg->text))
                        connect_effect(call, arg);
                else
                        judge_url(call, arg);
        }
}

/* REGISTRY/NAME:TAG; without a dot, a colon or localhost in front of the slash it is docker.io's. */
void judge_image(struct call *call, const struct arg *image, bool registry) {
        const struct str_list *trusted = &call->guard->policy->container.trusted_registries;
        size_t slash = str_find(image->text, '/');
        struct arg host = arg_part(image, 0, slash);

        if (!registry && (slash == image->text.len || (str_find(host.text, '.') == slash && str_find(host.text, ':') == slash &&
                                                       host.known && !arg_is(&host, "localhost"))))
                host = arg_text(call->guard, STR("docker.io"), image->range);
        if (!registry && name_is_vendor_registry(host.text))
                return;
        for (size_t i = 0; i < trusted->count; i++)
                if (str_eq_nocase(trusted->items[i], host.text))
                        return;
        connect_effect(call, &host);
}

/* This machine, or a name that only its network knows. */
static bool leads_here(struct call *call, const struct arg *name) {
        struct host host = { 0 };

        return name->known && !(host_flags(call, name, &host) & ~(uint32_t)HOST_UNLISTED) && host.len &&
               (host_is_loopback(&host) || is_plain_name(&host));
}

bool socket_is_local(struct guard *g, struct str path) {
        struct call call = { .guard = g };
        struct str rest = str_skip(path, sizeof("/dev/tcp/") - 1);
        struct arg name = arg_text(g, str_take(rest, str_find(rest, '/')), g->range);

        return leads_here(&call, &name);
}

/* Another way to the host makes its name worthless: a proxy, --resolve NAME:PORT:ADDRESS, --connect-to NAME:PORT:NAME:PORT. */
static void proxy_effect(struct call *call, const struct option *o) {
        struct arg to = o->value;

        if (str_is(o->name, "unix-socket") && !path_place(call->guard, to.text, path_resolve(call->guard, to.text), 0))
                return;
        for (unsigned i = 0; i < 2 && (str_is(o->name, "resolve") || str_is(o->name, "connect-to")); i++)
                to = arg_part(&to, str_find(to.text, ':') + 1, to.text.len);
        to = host_part(&to);
        if (!leads_here(call, &to))
                guard_effect(call->guard, FX_CONNECT, HOST_UNLISTED, o->value.text, o->value.range);
}

void judge_upload(struct call *call, const struct arg *url, struct range range) {
        struct arg part = host_part(url);
        struct host host = { 0 };
        uint32_t flags = part.text.len ? host_flags(call, &part, &host) : HOST_UNKNOWN;

        if (str_starts(url->text, STR("file:")))
                return;
        guard_effect(call->guard, FX_UPLOAD, flags, host.len ? host_text(&host) : part.text, range);
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
        bool remote_name, deletes;
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
        case MEANS_PROXY:
                proxy_effect(call, o);
                break;
        case MEANS_METHOD:
                fetch->deletes = str_eq_nocase(o->value.text, STR("DELETE"));
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
        case MEANS_PROGRAM:
                judge_option(call, o);
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

/* The first URL, or the first word, or the one behind a method. */
static const struct arg *httpie_url(const struct fetch *fetch) {
        struct str first = fetch->kept[0].text;

        for (size_t i = 0; i < fetch->count; i++)
                if (url_scheme(fetch->kept[i].text).len)
                        return &fetch->kept[i];
        for (size_t i = 0; i < first.len; i++)
                if (!is_ascii_alpha((unsigned char)first.ptr[i]))
                        return &fetch->kept[0];
        return &fetch->kept[fetch->count > 1 && first.len && first.len < 8 && !str_is(first, "localhost") ? 1 : 0];
}

static void fetch_url(struct call *call, const struct arg *url, const struct fetch *fetch) {
        struct guard *g = call->guard;
        struct arg part = host_part(url);
        struct file_fact *fact;

        if (str_starts(url->text, STR("file:"))) {
                struct arg path = arg_part(url, str_starts(url->text, STR("file://")) ? 7 : 5, url->text.len);

                guard_path(g, FX_READ, 0, &path);
                return;
        }
        if (name_is_httpie(call->name) && url != httpie_url(fetch))
                return; /* METHOD and items */
        connect_effect(call, url);
        if (fetch->deletes && (!leads_here(call, &part) || str_ends(url->text, STR("/_all")) || str_ends(url->text, STR("/*"))))
                guard_effect(g, FX_HISTORY, 0, url->text, url->range); /* what another host has, or all of it */
        if (fetch->sends)
                judge_upload(call, url, url->range);
        fact = guard_file(g, fetch->output.text.len && !arg_is(&fetch->output, "-") ? fetch->output.text
                                                                                    : arg_basename(url->text));
        if (fact)
                fact->fetched = true;
}

void judge_fetch(struct call *call) {
        struct option option;
        struct fetch fetch = { 0 };

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION)
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

        if (str_starts(kind, STR("UNIX")) && call->count > 2 &&
            memmem(call->args[1].text.ptr, call->args[1].text.len, "LISTEN", 6) && !str_starts(call->args[1].text, STR("UNIX")))
                guard_effect(call->guard, FX_LISTEN, 0, rest.text, address->range); /* a socket of this machine, for others */
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
                struct arg server = arg_part(operand, 1, operand->text.len);

                if (str_starts(operand->text, STR("@")) || (str_is(call->name, "ping") && number == 0))
                        judge_peer(call, str_is(call->name, "ping") ? operand : &server);
                lookup_name(call, operand, false);
                return;
        }
        if (str_is(call->name, "socat"))
                socat_address(call, operand);
        else if (str_is(call->name, "openssl"))
                return;
        else if (in_words("mail mutt sendmail", call->name))
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

/* bash -i | nc HOST: who is there gets a shell. */
static bool sends_shell(const struct call *call) {
        const struct command *from = call->visit ? call->visit->pipe_from : NULL;
        const struct word *w = from && from->kind == COMMAND_SIMPLE ? from->simple.words : NULL;
        const struct program *program =
                w && w->parts && w->parts->kind == PART_LITERAL ? program_find(arg_basename(w->parts->text)) : NULL;

        return program && program->act == ACT_SHELL;
}

/* nc -l PORT waits to be called, and names no host. */
static bool has_listen(const struct call *call) {
        struct option option;

        EACH_OPTION (call, option)
                if (option.scan == SCAN_OPTION && option.meaning == MEANS_LISTEN)
                        return true;
        return false;
}

void judge_connect(struct call *call) {
        struct guard *g = call->guard;
        struct option option;
        size_t operands = 0;
        struct arg host = { 0 };
        bool listens = has_listen(call);

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPERAND) {
                        if (operands >= call->program->skip && !listens) {
                                connect_operand(call, &option.value, operands - call->program->skip);
                                host = host.text.len ? host : option.value;
                        }
                        operands++;
                        continue;
                }
                if (option.meaning == MEANS_PROGRAM || option.meaning == MEANS_SHELL)
                        guard_effect(g, FX_LISTEN, 0, option.value.text, option.value.range);
                if (option.meaning == MEANS_PAYLOAD)
                        lookup_name(call, &option.value, true);
                else if (option.meaning == MEANS_SSH_OPTION && option.has_value)
                        judge_ssh_option(call, &option.value);
                else if (option.meaning == MEANS_SEND_FILE)
                        guard_path(g, FX_READ, 0, &option.value);
                else
                        judge_option(call, &option);
        }
        if (!listens && sends_shell(call))
                guard_effect(g, FX_LISTEN, 0, host.text.len ? host.text : STR("another host"), call->args[0].range);
        if (!listens && call->program->traits & TRAIT_NETWORK && host.text.len && sends_input(call))
                judge_upload(call, &host, call->args[0].range);
}

/* ---- ssh, cloud ---- */

/* -o ProxyCommand=CODE and its kin run it here. */
void judge_ssh_option(struct call *call, const struct arg *option) {
        size_t equals = str_find(option->text, '='), space = str_find(option->text, ' ');
        size_t end = equals < space ? equals : space;
        struct arg code = arg_part(option, end + 1, option->text.len);
        struct str name = guard_lower(call->guard, str_take(option->text, end));

        if (in_words("hostname proxyjump", name))
                judge_host(call, &code);
        if (in_words("proxycommand localcommand knownhostscommand match pkcs11provider", name)) {
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
                else if (option.meaning == MEANS_URL && option.has_value) /* -J */
                        judge_host(call, &option.value);
        }
        if (!option.has_value)
                return;
        judge_host(call, &option.value);
        if (option.index + 2 < call->count && arg_is(&call->args[option.index + 1], "--"))
                option.index++;
        if (option.index + 1 < call->count) {
                struct str remote = guard_join(g, call->args + option.index + 1, call->count - option.index - 1, &known);

                guard_shell_text(call, remote, call->args[option.index + 1].range);
        } else if (call->input) {
                struct arg text = guard_arg(g, *call->input, call->args[0].range);

                guard_shell(call, &text, NULL, 0);
        }
        if (sends_input(call) && (!call->input || value_unknown_piece(*call->input)) && !runs_input(call, option.index + 1))
                judge_upload(call, &option.value, option.value.range);
}

static bool is_bucket(const struct call *call, const struct arg *arg) {
        size_t colon = str_find(arg->text, ':');

        if (str_starts(arg->text, STR("s3://")) || str_starts(arg->text, STR("gs://")))
                return true;
        return str_is(call->name, "rclone") && colon < arg->text.len;
}

void judge_remote(struct call *call) {
        if (str_is(call->name, "ssh")) {
                ssh(call);
                return;
        }
        /* aws s3 cp FILE s3://bucket/, rclone copy FILE remote: */
        for (size_t i = 2; i + 1 < call->count; i++) {
                const struct arg *target = &call->args[i + 1];
                bool copies = in_words("cp sync mv put copy move rsync", call->args[i - 1].text) ||
                              (i > 2 && !str_is(call->name, "gcloud")); /* which exports what is not here */

                if (is_bucket(call, target) && !is_bucket(call, &call->args[i]) && copies && call->args[i].text.len &&
                    (call->args[i].text.ptr[0] != '-' || call->args[i].text.len == 1) &&
                    !in_words("ls rm mb rb", call->args[i].text)) {
                        guard_path(call->guard, FX_READ, 0, &call->args[i]);
                        guard_effect(call->guard, FX_UPLOAD, HOST_UNLISTED, target->text, target->range);
                }
        }
}
