/*
 * Programs with commands of their own: git, containers, package managers, make, service managers.
 */
#include "guard/options.h"
#include "guard/paths.h"
#include "guard/tables/tools.h"

/* The words that are no options, as `git -C x push origin` has push, origin; `values` are options that take the next
 * word. */
struct words {
        const struct arg *items[32];
        size_t index[32];
        size_t count;
};

static void words_collect(const struct call *call, const char *values, struct words *words) {
        words->count = 0;
        for (size_t i = 1; i < call->count && words->count < 32; i++) {
                const struct arg *arg = &call->args[i];

                if (arg->text.len > 1 && arg->text.ptr[0] == '-') {
                        if (in_words(values, arg->text))
                                i++;
                        continue;
                }
                words->index[words->count] = i;
                words->items[words->count++] = arg;
        }
}

static bool word_is(const struct words *words, size_t i, const char *text) {
        return i < words->count && arg_is(words->items[i], text);
}

/* Is any of these options there, also inside a cluster of short ones, or as the beginning of a long one? */
static bool has_option(const struct call *call, char letter, const char *name) {
        for (size_t i = 1; i < call->count; i++) {
                struct str text = call->args[i].text;

                if (str_is(text, "--"))
                        return false;
                if (text.len > 2 && text.ptr[0] == '-' && text.ptr[1] == '-') {
                        struct str given = str_take(str_skip(text, 2), str_find(str_skip(text, 2), '='));

                        if (name && given.len >= 3 && str_starts(str_z(name), given))
                                return true;
                } else if (letter && text.len > 1 && text.ptr[0] == '-' && str_find(text, letter) < text.len) {
                        return true;
                }
        }
        return false;
}

/* ---- git ---- */

/* url.https://HOST/.insteadOf: what is fetched comes from there. */
static void git_host(struct call *call, const struct arg *key) {
        size_t end = key->text.len;
        struct arg url;

        while (end > 4 && key->text.ptr[end - 1] != '.')
                end--;
        url = arg_part(key, 4, end > 5 ? end - 5 : 0);
        if (str_starts(key->text, STR("url.")))
                judge_host(call, &url);
}

static bool git_key_runs(struct guard *g, struct str key) {
        char *lower = arena_dup(g->arena, guard_lower(g, key));

        if (!lower)
                return true;
        for (size_t i = 0; i < key.len; i++)
                lower[i] = lower[i] == '/' ? '.' : lower[i]; /* * stops at a slash */
        for (const char *const *glob = git_keys; *glob; glob++)
                if (path_glob(str_z(*glob), str_from(lower, key.len)))
                        return true;
        return false;
}

/* core.pager=less is what it was; core.pager="sh -c id" is not. */
static void git_value(struct call *call, const struct arg *value) {
        struct arg code = *value;

        if (code.text.len && code.text.ptr[0] == '!')
                code = arg_part(&code, 1, code.text.len);
        guard_shell(call, &code, NULL, 0);
}

/* An alias of a git command, an editor by its name: nothing that was not there before. */
static bool git_value_plain(struct str key, struct str value) {
        if (str_starts(key, STR("alias.")))
                return value.len && value.ptr[0] != '!';
        return in_words("vim vi nvim nano emacs code cat less more true false : cache store manager osxkeychain delta meld",
                        value);
}

static void git_config_option(struct call *call, const struct arg *setting) {
        size_t equals = str_find(setting->text, '=');
        struct str key = str_take(setting->text, equals);
        struct arg value = arg_part(setting, equals + 1, setting->text.len);

        git_host(call, &(struct arg){ .text = key, .known = true, .range = setting->range });
        if (!git_key_runs(call->guard, key))
                return;
        guard_effect(call->guard, FX_CODE, CODE_OPTION, key, setting->range);
        git_value(call, &value);
}

/* Options of sub-commands whose argument is run. */
static void git_code_options(struct call *call) {
        for (size_t i = 1; i < call->count; i++) {
                const struct arg *arg = &call->args[i];
                size_t equals = str_find(arg->text, '=');
                struct str given = str_take(arg->text, equals);

                if (given.len < 5 || !str_starts(given, STR("--")))
                        continue;
                for (const char *const *name = git_code_option_names; *name; name++) {
                        struct arg code;

                        if (!str_starts(str_z(*name), given) || (given.len < 6 && !str_is(given, *name)))
                                continue;
                        if (equals < arg->text.len)
                                code = arg_part(arg, equals + 1, arg->text.len);
                        else if (i + 1 < call->count)
                                code = call->args[i + 1];
                        else
                                continue;
                        guard_effect(call->guard, FX_CODE, CODE_OPTION, given, arg->range);
                        guard_shell(call, &code, NULL, 0);
                        break;
                }
        }
}

/* URLs: those of hosts, and ext::CODE. */
static void git_remote(struct call *call, const struct words *words, size_t first, bool push) {
        for (size_t i = first; i < words->count; i++) {
                const struct arg *arg = words->items[i];

                if (str_starts(arg->text, STR("ext::"))) {
                        struct arg rest = arg_part(arg, 5, arg->text.len);
                        guard_effect(call->guard, FX_CODE, CODE_OPTION, STR("ext::"), arg->range);
                        guard_shell(call, &rest, NULL, 0);
                        return;
                }
                if (memmem(arg->text.ptr, arg->text.len, "://", 3) || str_find(arg->text, '@') < str_find(arg->text, ':')) {
                        judge_host(call, arg);
                        if (push)
                                judge_upload(call, arg, arg->range);
                }
                if (first == 1)
                        return;
        }
}

/* show REV:FILE, blame FILE, grep x FILE, add FILE: what is in it becomes seen. */
static void git_reads(struct call *call, const struct words *words) {
        for (size_t i = 1; i < words->count; i++) {
                const struct arg *arg = words->items[i];
                size_t colon = str_find(arg->text, ':');
                struct arg path = colon < arg->text.len ? arg_part(arg, colon + 1, arg->text.len) : *arg;

                if (path_flags(call->guard, &path, path_resolve(call->guard, path.text)) & (PATH_CREDENTIAL | PATH_DOTENV))
                        guard_path(call->guard, FX_READ, 0, &path);
        }
}

/* A branch has no such name: ".", "src/", "*.c", "a.c", but "v1.x" and "release/2.0" may be one. */
static bool is_file_name(struct str name) {
        struct str last = arg_basename(name);
        size_t dot = last.len;

        while (dot > 0 && last.ptr[dot - 1] != '.')
                dot--;
        if (!last.len || last.ptr[0] == '.' || str_find(name, '*') < name.len)
                return name.len > 0;
        if (dot == 0 || dot == last.len || last.len - dot > 5 || str_is(str_skip(last, dot), "x"))
                return false;
        for (size_t i = dot; i < last.len; i++)
                if (!is_ascii_alnum((unsigned char)last.ptr[i]) || (i == dot && is_ascii_digit((unsigned char)last.ptr[i])))
                        return false;
        return true;
}

/* checkout -- FILE, checkout FILE, checkout COMMIT FILE: what is in the files now is gone. */
static void git_checkout(struct call *call, const struct words *words) {
        bool branch = has_option(call, 'b', "orphan") || has_option(call, 'B', "track") || has_option(call, 't', "help");
        bool files = words->count > 2 || (words->count > 1 && is_file_name(words->items[1]->text));

        for (size_t i = 1; i + 1 < call->count; i++)
                files |= arg_is(&call->args[i], "--");
        if (files && !branch)
                guard_effect(call->guard, FX_HISTORY, 0, STR("git checkout of files"), call->args[0].range);
}

static bool is_one_of(const struct words *words, const char *list) {
        return words->count && in_words(list, words->items[0]->text);
}

void judge_git(struct call *call) {
        struct words words;

        for (size_t i = 1; i < call->count && call->args[i].text.len && call->args[i].text.ptr[0] == '-'; i++) {
                struct arg setting = call->args[i];

                if (arg_is(&setting, "-c") && i + 1 < call->count)
                        git_config_option(call, &call->args[++i]);
                else if (str_starts(setting.text, STR("-c")) && setting.text.len > 2) {
                        setting = arg_part(&setting, 2, setting.text.len);
                        git_config_option(call, &setting);
                } else if (arg_is(&setting, "-C") && i + 1 < call->count && call->args[i + 1].known) {
                        call->guard->cwd = path_resolve(call->guard, call->args[++i].text);
                }
        }
        words_collect(call, "-c -C --git-dir --work-tree --namespace --exec-path -m -b -B -u -o -F --message", &words);
        git_code_options(call);
        for (size_t i = 1; i + 1 < call->count && is_one_of(&words, "rebase difftool"); i++)
                if (arg_is(&call->args[i], "-x"))
                        guard_shell(call, &call->args[i + 1], NULL, 0);
        for (size_t i = 2; i < call->count && word_is(&words, 0, "grep"); i++) { /* -OPAGER */
                struct arg pager = arg_part(&call->args[i], 2, call->args[i].text.len);

                if (str_starts(call->args[i].text, STR("-O")))
                        guard_shell(call, &pager, NULL, 0);
        }
        if (word_is(&words, 0, "checkout") && !has_option(call, 'p', "patch"))
                git_checkout(call, &words);
        if (is_one_of(&words, "annotate blame cat-file diff grep show"))
                git_reads(call, &words);
        if (is_one_of(&words, "clone fetch pull ls-remote push remote submodule archive"))
                git_remote(call, &words, word_is(&words, 0, "remote") || word_is(&words, 0, "submodule") ? 2 : 1,
                           word_is(&words, 0, "push"));
        if (word_is(&words, 0, "config") && words.count > 2)
                git_host(call, words.items[words.count - 2]);
        if (word_is(&words, 0, "config") && words.count > 2 &&
            !git_value_plain(words.items[words.count - 2]->text, words.items[words.count - 1]->text) &&
            git_key_runs(call->guard, words.items[words.count - 2]->text)) {
                guard_effect(call->guard, FX_LATER, 0, words.items[words.count - 2]->text, words.items[words.count - 2]->range);
                git_value(call, words.items[words.count - 1]);
        }
        if (word_is(&words, 0, "bisect") && word_is(&words, 1, "run") && words.count > 2)
                guard_rest(call, words.index[2]);
        if (word_is(&words, 0, "submodule") && word_is(&words, 1, "foreach") && words.count > 2)
                guard_shell(call, words.items[2], NULL, 0);
        if (word_is(&words, 0, "clean") && words.count > 1)
                guard_path(call->guard, FX_DELETE, HOW_RECURSIVE, words.items[1]);
        if (word_is(&words, 0, "diff") && has_option(call, 0, "no-index"))
                for (size_t i = 1; i < words.count; i++)
                        guard_path(call->guard, FX_READ, 0, words.items[i]);
}

/* ---- ourselves ---- */

/* What it runs is judged by options that the command itself chose. */
void judge_bailey(struct call *call) {
        struct options options;
        struct option option;
        bool run = false, known;
        enum scan scan;

        options_start(&options, call);
        while ((scan = options_next(&options, &option)) != SCAN_END && !(scan == SCAN_OPERAND && run))
                run |= scan == SCAN_OPERAND && arg_is(&option.value, "run");
        if (scan == SCAN_OPERAND)
                guard_shell_text(call, guard_join(call->guard, call->args + option.index, call->count - option.index, &known),
                                 option.value.range);
}

/* ---- containers ---- */

static bool mount_is_dangerous(struct guard *g, struct str source) {
        struct arg path = arg_text(g, source, g->range);
        uint32_t flags = path_flags(g, &path, path_resolve(g, source));

        if (flags & (PATH_CRITICAL | PATH_SYSTEM | PATH_DEVICE | PATH_CREDENTIAL))
                return source.len && (source.ptr[0] == '/' || source.ptr[0] == '~');
        return str_ends(source, STR("docker.sock")) || str_ends(source, STR("podman.sock")) ||
               str_ends(source, STR("containerd.sock"));
}

/* Files that everybody may read, and that the container may only read. */
static bool mount_is_readable(struct str text, struct str source) {
        return in_words("/etc/localtime /etc/timezone /etc/resolv.conf /etc/hosts /etc/machine-id /etc/ssl/certs "
                        "/etc/os-release",
                        source) &&
               (str_ends(text, STR(":ro")) || str_ends(text, STR(",readonly")) || str_ends(text, STR(",ro")));
}

void judge_mount(struct call *call, const struct arg *mount) {
        struct str text = mount->text;
        struct str source = str_take(text, str_find(text, ':'));

        for (struct str rest = text; rest.len; rest = str_skip(rest, str_find(rest, ',') + 1)) {
                struct str field = str_take(rest, str_find(rest, ','));

                if (str_starts(field, STR("source=")) || str_starts(field, STR("src=")))
                        source = str_skip(field, str_find(field, '=') + 1);
        }
        if (mount_is_dangerous(call->guard, source) && !mount_is_readable(text, source))
                guard_effect(call->guard, FX_CONTAINER, 0, text, mount->range);
}

static bool is_cluster(struct str text) {
        for (size_t i = 1; i < text.len; i++)
                if (!is_ascii_alpha((unsigned char)text.ptr[i]))
                        return false;
        return text.len > 2 && text.ptr[0] == '-';
}

static void container_option(struct call *call, size_t i) {
        const struct arg *arg = &call->args[i];
        size_t equals = str_find(arg->text, '=');

        for (const struct container_danger *o = container_dangers; o->name; o++) {
                struct str name = str_z(o->name);
                struct arg value = { 0 };

                if (str_eq(arg->text, name) && o->values && i + 1 < call->count)
                        value = call->args[i + 1];
                else if (equals < arg->text.len && str_eq(str_take(arg->text, equals), name))
                        value = arg_part(arg, equals + 1, arg->text.len);
                else if (name.len == 2 && is_cluster(arg->text) && arg->text.ptr[arg->text.len - 1] == name.ptr[1] &&
                         i + 1 < call->count)
                        value = call->args[i + 1]; /* -itv /:/h */
                else if (name.len == 2 && str_starts(arg->text, name) && arg->text.len > 2)
                        value = arg_part(arg, 2, arg->text.len);
                else if (!str_eq(arg->text, name))
                        continue;
                if (!o->values) {
                        if (!arg_is(&value, "false"))
                                guard_effect(call->guard, FX_CONTAINER, 0, arg->text, arg->range);
                } else if (!*o->values) {
                        judge_mount(call, &value);
                } else if (in_words(o->values, guard_lower(call->guard, value.text))) {
                        guard_effect(call->guard, FX_CONTAINER, 0, arg->text, arg->range);
                }
        }
}

/* docker pull IMAGE, docker run [OPTIONS] IMAGE, docker login HOST. The options of `run` are a row of their own. */
static void container_images(struct call *call) {
        const struct program *row = program_row(STR("docker run"));
        struct options options;
        struct option option;
        struct words words;
        struct call inner = *call;
        unsigned muted = call->guard->muted;
        bool exec; /* the operand is a container, or a service */
        size_t at;
        enum scan scan;

        words_collect(call, "-H --host -c --context --config -l --log-level -f --file -p --project-name", &words);
        at = is_one_of(&words, "compose container") && words.count > 1;
        exec = word_is(&words, at, "exec") || (at && word_is(&words, at, "run"));
        if (!(exec || is_one_of(&words, "pull push run create login")) || words.index[at] + 1 >= call->count)
                return;
        inner.args += words.index[at];
        inner.count -= words.index[at];
        inner.program = row;
        options_start(&options, &inner);
        while ((scan = options_next(&options, &option)) == SCAN_OPTION)
                ;
        if (scan == SCAN_OPERAND && !exec)
                judge_image(call, &option.value, word_is(&words, 0, "login"));
        if (scan == SCAN_OPERAND && (exec || is_one_of(&words, "run create"))) {
                call->guard->muted |= MUTED_INSIDE;
                guard_rest(&inner, option.index + 1);
                call->guard->muted = muted;
        }
}

void judge_container(struct call *call) {
        if (!str_is(call->name, "kubectl"))
                container_images(call);
        for (size_t i = 1; i < call->count; i++) {
                const struct arg *arg = &call->args[i];

                container_option(call, i);
                if (memmem(arg->text.ptr, arg->text.len, "\"privileged\":true", 17) ||
                    memmem(arg->text.ptr, arg->text.len, "\"hostPID\":true", 14)) /* --overrides=JSON */
                        guard_effect(call->guard, FX_CONTAINER, 0, arg->text, arg->range);
                if (arg_is(arg, "--") && i + 1 < call->count && str_is(call->name, "kubectl"))
                        guard_rest(call, i + 1);
        }
}

/* ---- packages and builds ---- */

void judge_package(struct call *call) {
        struct guard *g = call->guard;
        struct option option;
        bool strict = g->policy->guard.allow_only_listed;

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION && option.meaning == MEANS_URL && option.has_value) {
                        judge_host(call, &option.value);
                } else if (option.scan == SCAN_OPTION &&
                           (option.meaning == MEANS_RUNS || option.meaning == MEANS_PROGRAM || option.meaning == MEANS_SHELL)) {
                        guard_effect(g, FX_CODE, CODE_OPTION, option.name,
                                     call->args[option.index < call->count ? option.index : 0].range);
                        if (option.has_value && option.meaning != MEANS_RUNS)
                                guard_shell(call, &option.value, NULL, 0);
                } else if (option.scan == SCAN_OPTION && option.meaning == MEANS_PROXY) {
                        guard_effect(g, FX_CONNECT, HOST_UNLISTED, option.value.text, option.value.range);
                } else if (option.scan == SCAN_OPTION && option.meaning == MEANS_WRITE && option.has_value) {
                        guard_path(g, FX_WRITE, 0, &option.value);
                } else if (option.scan == SCAN_OPERAND && str_is(call->name, "go") &&
                           str_find(option.value.text, '.') < str_find(option.value.text, '/') &&
                           option.value.text.ptr[0] != '.') {
                        judge_peer(call, &option.value); /* its proxy is asked, whatever the module's host is */
                } else if (option.scan == SCAN_OPTION && option.meaning == MEANS_CD && strict) {
                        guard_effect(g, FX_CODE, CODE_OPTION, option.name, call->args[0].range);
                }
        }
}

/* make SHELL=x, make --eval: the makefile's own commands are what a build is, these are not. */
void judge_make(struct call *call) {
        struct guard *g = call->guard;
        struct option option;

        EACH_OPTION (call, option) {
                if (option.scan == SCAN_OPTION &&
                    (option.meaning == MEANS_RUNS || option.meaning == MEANS_SCRIPT_FILE || option.meaning == MEANS_CD)) {
                        guard_effect(g, FX_CODE, CODE_OPTION, option.name, option.value.range);
                        if (option.meaning == MEANS_RUNS && option.has_value)
                                judge_recipes(call, option.value.text, option.value.range);
                } else if (option.scan == SCAN_OPERAND && str_find(option.value.text, '=') < option.value.text.len) {
                        guard_effect(g, FX_CODE, CODE_OPTION, option.value.text, option.value.range);
                        if (str_starts(option.value.text, STR("SHELL="))) {
                                struct arg shell = arg_part(&option.value, 6, option.value.text.len);

                                guard_shell(call, &shell, NULL, 0);
                        }
                }
        }
}

/* ---- the system ---- */

/* kill -9 -1, kill of all that is in /proc, pkill of a user, killall of a pattern that every name matches. */
void judge_kill(struct call *call) {
        struct options options;
        struct option option;
        bool by_name = !str_is(call->name, "kill"), all = by_name && call->count > 1;
        enum scan scan;

        for (size_t i = 1; i < call->count && !by_name; i++)
                all |= (i > 1 && arg_is(&call->args[i], "-1")) || call->args[i].glob;
        options_start(&options, call);
        while (by_name && (scan = options_next(&options, &option)) != SCAN_END)
                all &= scan == SCAN_OPTION ? option.meaning != MEANS_ASK : in_words(". .* ^ .+ ^.*", option.value.text);
        if (all)
                guard_effect(call->guard, FX_EXHAUST, 0, STR("killing every process"), call->args[0].range);
}

void judge_gpg(struct call *call) {
        bool secret = false;

        for (size_t i = 1; i < call->count; i++) /* --export alone is about public keys */
                secret |= str_starts(call->args[i].text, STR("--export-s")) &&
                          !str_starts(call->args[i].text, STR("--export-ssh"));
        if (secret)
                guard_effect(call->guard, FX_READ, PATH_CREDENTIAL, STR("secret keys"), call->args[0].range);
}
