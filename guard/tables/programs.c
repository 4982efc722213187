/*
 * The programs the guard knows, sorted by name: what their operands and options are. A row is all it takes to teach it
 * one more.
 */
#include "guard/judge.h"

#define READS TRAIT_READS
#define SHOWS (TRAIT_READS | TRAIT_PRINTS)
#define ORDERED TRAIT_ORDERED
#define NETWORK TRAIT_NETWORK
#define ONE_DASH TRAIT_ONE_DASH
#define LOOKUP TRAIT_LOOKUP
#define FROM_INPUT TRAIT_FROM_INPUT
#define LOUD TRAIT_LOUD

#define GREP                                                                                                                  \
        "e=script regexp=script f=script-file file=script-file A= B= C= m= d= D= label= include= exclude= exclude-from=read " \
        "exclude-dir= color? max-count= context= r!recursive R!recursive recursive!recursive"
#define SUDO \
        "u= g= p= C= h= r= t= T= U= D=cd R= user= group= prompt= chdir=cd host= role= type= close-from= other-user= chroot="
#define SHELL_OPTIONS "c!shell o= O= rcfile=script-file init-file=script-file"
#define BWRAP                                                                                                              \
        "bind=pair dev-bind=pair ro-bind=pair ro-bind-try=pair bind-try=pair dev-bind-try=pair symlink=pair setenv=pair "  \
        "tmpfs= proc= dev= dir= chdir=cd unsetenv= uid= gid= hostname= args= seccomp= cap-add= cap-drop= lock-file= "      \
        "file=pair bind-data=pair ro-bind-data=pair chmod=pair perms= remount-ro= mqueue= overlay-src= sync-fd= info-fd= " \
        "exec-label="
#define SSH "b= B= c= D= E=write e= F=read I=runs i= J=url L= l= m= O= o=ssh-option p= P= Q= R=tunnel S= W= w="
#define CURL                                                                                                                   \
        "d=send data=send data-raw= data-binary=send data-urlencode=send data-ascii=send json=send F=send form=send "          \
        "form-string= T=send-file upload-file=send-file o=write output=write output-dir=cd D=write dump-header=write c=write " \
        "cookie-jar=write trace=write trace-ascii=write stderr=write etag-save=write K=runs config=runs x=proxy proxy=proxy "  \
        "preproxy=proxy socks4=proxy socks4a=proxy socks5=proxy socks5-hostname=proxy resolve=proxy connect-to=proxy "         \
        "doh-url=proxy url=url H=send header=send b=send cookie=send A= user-agent= e= referer= X= request= u= user= m= "      \
        "max-time= connect-timeout= retry= retry-delay= retry-max-time= w= write-out= r= range= C= continue-at= y= Y= z= E= "  \
        "cert= key= cacert= capath= interface= limit-rate= max-filesize= max-redirs= P= Q= quote= t= U= proxy-user= "          \
        "unix-socket=proxy abstract-unix-socket=proxy netrc-file=read etag-compare=read engine=runs ciphers= tls-max= "        \
        "local-port= keepalive-time= proto= url-query= aws-sigv4= oauth2-bearer= mail-from= mail-rcpt= mail-auth= cert-type= " \
        "key-type= pass= ciphers= tls13-ciphers= crlfile= delegation= dns-interface= dns-ipv4-addr= dns-ipv6-addr= "           \
        "dns-servers= ftp-account= ftp-alternative-to-user= ftp-method= ftp-port= happy-eyeballs-timeout-ms= hostpubmd5= "     \
        "hostpubsha256= hsts=write alt-svc=write krb= libcurl=write login-options= noproxy= parallel-max= pinnedpubkey= "      \
        "postquote= prequote= proto-default= proto-redir= proxy-header= proxy-cacert= pubkey= random-file= rate= "             \
        "request-target= sasl-authzid= service-name= speed-limit= speed-time= telnet-option= tftp-blksize= time-cond= "        \
        "tlspassword= tlsuser= trace-config= variable= expect100-timeout= create-file-mode= retry-connrefused! ip-tos="
#define CONTAINER_RUN                                                                                                      \
        "a= add-host= annotation= arch= attach= authfile= blkio-weight= c= cap-add= cap-drop= cgroup-parent= cgroupns= "   \
        "cidfile= cpu-period= cpu-quota= cpu-shares= cpus= cpuset-cpus= cpuset-mems= creds= device= dns= dns-option= "     \
        "dns-search= domainname= e= entrypoint= env= env-file= expose= gpus= group-add= h= health-cmd= health-interval= "  \
        "health-retries= health-start-period= health-timeout= hostname= ip= ip6= ipc= isolation= l= label= label-file= "   \
        "link= log-driver= log-opt= m= mac-address= memory= memory-reservation= memory-swap= mount= name= net= network= "  \
        "network-alias= oom-score-adj= os= p= password= pid= pids-limit= platform= pod= publish= pull= restart= runtime= " \
        "secret= security-opt= shm-size= stop-signal= stop-timeout= storage-opt= sysctl= tmpfs= u= ulimit= user= userns= " \
        "username= uts= v= variant= volume= volume-driver= volumes-from= w= workdir="
#define POWERSHELL                                                                                                           \
        "c!shell Command!shell command!shell EncodedCommand=runs enc=runs e=runs File=script-file f=script-file NoProfile! " \
        "nop! "                                                                                                              \
        "ExecutionPolicy= ep= WindowStyle= w="
#define DOWNLOAD "o=write output=write P= d=cd"
#define WGET                                                                                                                   \
        "O=write output-document=write o=write output-file=write a=write append-output=write P=cd directory-prefix=cd i=read " \
        "input-file=read post-file=send-file body-file=send-file post-data= body-data= method= header= U= user-agent= "        \
        "e=proxy execute=proxy use-askpass=runs B=url base=url t= tries= T= timeout= w= wait= Q= quota= l= level= A= accept= " \
        "R= reject= D= domains= I= X= user= password= referer= load-cookies=read save-cookies=write ca-certificate= "          \
        "certificate= private-key= limit-rate= config=runs rejected-log=write warc-file=write"

#define ANY "*"
#define APT "update download source install? upgrade? full-upgrade? dist-upgrade? build-dep?"
#define CONDA "install? create? update? search"
#define CONTAINER "pull push login build? run?"
#define DNF "install? update? upgrade? makecache search?"
#define PIP "install? download wheel? search index"

const struct program programs[] = {
        { ".", ACT_SPECIAL, 0, 0, "", judge_source },
        { "7z", ACT_READ, READS, 1, "", NULL },
        { ":", ACT_UNKNOWN, 0, 0, "", NULL, .prints = ANY },
        { "[", ACT_NAMES, 0, 0, "", NULL, .prints = ANY },
        { "ack", ACT_PATTERN, READS, 0, GREP " pager=program", NULL, .prints = ANY },
        { "ag", ACT_PATTERN, READS, 0, GREP " pager=program", NULL, .prints = ANY },
        { "alias", ACT_SPECIAL, 0, 0, "", judge_alias },
        { "ansible-galaxy", ACT_UNKNOWN, 0, 0, "", NULL, .online = "*?" },
        { "apk", ACT_UNKNOWN, 0, 0, "", NULL, .online = "add? fetch update upgrade?" },
        { "apt", ACT_NAMES, 0, 0, "", NULL, .online = APT },
        { "apt-get", ACT_UNKNOWN, 0, 0, "", NULL, .online = APT },
        { "arch", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "aria2c", ACT_FETCH, NETWORK, 0, "d=cd o=write i=read input-file=read all-proxy=proxy on-download-complete=program",
          judge_fetch, .codes = "6 19" },
        { "arp", ACT_NAMES, 0, 0, "", NULL },
        { "asdf", ACT_NAMES, ORDERED, 0, "", NULL },
        { "ash", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "at", ACT_SPECIAL, 0, 0, "", judge_crontab },
        { "awk", ACT_CODE, READS, 0,
          "f=script-file file=script-file e=code source=code v= F= assign= field-separator= i=script-file include=script-file "
          "l=runs load=runs E=script-file o? p? d?",
          judge_code, .prints = ANY },
        { "aws", ACT_SPECIAL, 0, 0, "", judge_remote, .online = "*?" },
        { "aws-vault", ACT_NAMES, ORDERED, 0, "", NULL },
        { "axel", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "az", ACT_UNKNOWN, 0, 0, "", NULL, .online = "*?" },
        { "bailey", ACT_SPECIAL, 0, 0, "", judge_bailey },
        { "base32", ACT_READ, SHOWS, 0, "w= wrap=", NULL },
        { "base64", ACT_READ, SHOWS, 0, "w= wrap= i=read", NULL },
        { "basename", ACT_NAMES, 0, 0, "", NULL, .prints = ANY },
        { "basenc", ACT_READ, SHOWS, 0, "w= wrap=", NULL },
        { "bash", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "bat", ACT_READ, SHOWS, 0, "l= pager=program style= theme= language= line-range= r= H=", NULL, .prints = ANY },
        { "batcat", ACT_READ, SHOWS, 0, "l= pager=program", NULL },
        { "batch", ACT_SPECIAL, 0, 0, "", judge_crontab },
        { "bind", ACT_SPECIAL, 0, 0, "x=shell", judge_alias },
        { "blkdiscard", ACT_WRITE, 0, 0, "", NULL },
        { "brew", ACT_UNKNOWN, 0, 0, "", NULL, .online = "install? update upgrade? fetch tap? search" },
        { "builtin", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "bun", ACT_CODE, 0, 0, "e=code eval=code print=code", judge_code, .online = "install? i? add? update? x? create?" },
        { "bundle", ACT_NAMES, 0, 0, "", NULL, .online = "install? update? add?" },
        { "bunx", ACT_COMMAND, ORDERED, 0, "p= package=", NULL, .online = "*?" },
        { "busybox", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "bwrap", ACT_COMMAND, ORDERED, 0, BWRAP, NULL },
        { "bzcat", ACT_READ, SHOWS, 0, "", NULL },
        { "bzip2", ACT_READ, READS, 0, "", NULL },
        { "caffeinate", ACT_COMMAND, ORDERED, 0, "t= w=", NULL },
        { "cap_mkdb", ACT_NAMES, 0, 0, "", NULL },
        { "capsh", ACT_ESCALATE, 0, 0, "", NULL },
        { "cargo", ACT_SPECIAL, 0, 0,
          "git=url index=url config=runs Z=runs manifest-path=runs target-dir=runs C=cd out-dir=write artifact-dir=write",
          judge_package, .online = "install? fetch? build? check? test? run? update? add? search publish clippy? doc? bench?" },
        { "cat", ACT_READ, SHOWS, 0, "", NULL, .prints = ANY },
        { "catchsegv", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "cd", ACT_SPECIAL, LOUD, 0, "", judge_cd, .prints = ANY },
        { "cfdisk", ACT_WRITE, 0, 0, "", NULL },
        { "cgexec", ACT_COMMAND, ORDERED, 0, "g=", NULL },
        { "chamber", ACT_NAMES, ORDERED, 0, "", NULL },
        { "chattr", ACT_SPECIAL, 0, 1, "R!recursive v= p=", judge_permit },
        { "chgrp", ACT_SPECIAL, 0, 1, "R!recursive recursive!recursive reference= from=", judge_permit },
        { "chmod", ACT_SPECIAL, LOUD, 1, "R!recursive recursive!recursive reference=", judge_permit },
        { "choom", ACT_COMMAND, ORDERED, 0, "n= p=", NULL },
        { "chown", ACT_SPECIAL, 0, 1, "R!recursive recursive!recursive reference= from=", judge_permit },
        { "chpst", ACT_COMMAND, ORDERED, 0, "u= U= b= e= m= d= o= p= f= c= l= L= n= /=", NULL },
        { "chronic", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "chroot", ACT_ESCALATE, ORDERED, 1, "userspec= groups=", NULL },
        { "chrt", ACT_COMMAND, ORDERED, 1, "T= P= D= sched-runtime= sched-period= sched-deadline=", NULL },
        { "cksum", ACT_READ, READS, 0, "a=", NULL },
        { "clickhouse-client", ACT_ESCAPES, 0, 0, "q=code query=code h= host= u= user=", judge_escapes },
        { "cmp", ACT_READ, READS, 0, "i= n= ignore-initial= bytes=", NULL, .prints = ANY },
        { "column", ACT_READ, SHOWS, 0, "s= o= N= c= t!", NULL, .prints = ANY },
        { "comm", ACT_READ, READS, 0, "", NULL, .prints = ANY },
        { "command", ACT_COMMAND, ORDERED, 0, "v!ask V!ask", NULL },
        { "compgen", ACT_SPECIAL, 0, 0, "C=shell F= W= A= G= X= P= S= o=", judge_alias },
        { "complete", ACT_SPECIAL, 0, 0, "C=shell F= W= A= G= X= P= S= o=", judge_alias },
        { "composer", ACT_UNKNOWN, 0, 0, "", NULL, .online = "install? update? require? create-project?" },
        { "conda", ACT_SPECIAL, 0, 0, "n= p= name= prefix= c= channel= cwd=cd f= file=", judge_package, .online = CONDA },
        { "cp", ACT_SPECIAL, READS | LOUD, 0,
          "t=target target-directory=target S= suffix= r!recursive R!recursive a!recursive recursive!recursive "
          "archive!recursive",
          judge_copy },
        { "cpio", ACT_READ, READS, 0, "F=read O=write I=read D=cd H= rsh-command=program", NULL },
        { "cpulimit", ACT_COMMAND, ORDERED, 0, "l= p= e= limit= pid= exe=", NULL },
        { "crontab", ACT_SPECIAL, 0, 0, "u= l!ask", judge_crontab },
        { "cryptsetup", ACT_WRITE, 0, 1, "", NULL },
        { "csh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "csplit", ACT_READ, READS, 0, "f= n= b=", NULL },
        { "curl", ACT_FETCH, NETWORK | READS, 0, CURL, judge_fetch, .codes = "5 6 7 28 35 56" },
        { "curlie", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "cut", ACT_READ, SHOWS, 0, "b= c= d= f= output-delimiter= bytes= characters= fields= delimiter=", NULL,
          .prints = ANY },
        { "daemonize", ACT_COMMAND, ORDERED, 0, "a= c= e= E= o= p= l= u=", NULL },
        { "dash", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "date", ACT_UNKNOWN, 0, 0, "", NULL, .prints = ANY },
        { "dbus-launch", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "dbus-run-session", ACT_COMMAND, ORDERED, 0, "config-file= dbus-daemon=program", NULL },
        { "dc", ACT_ESCAPES, READS, 0, "e=code expression=code f=script-file", judge_escapes },
        { "dd", ACT_SPECIAL, READS, 0, "", judge_dd },
        { "declare", ACT_SPECIAL, 0, 0, "", judge_declare },
        { "deno", ACT_CODE, 0, 0, "", judge_code, .online = "install? add? cache? run?" },
        { "df", ACT_NAMES, 0, 0, "", NULL },
        { "diff", ACT_READ, SHOWS, 0,
          "U= C= W= x= I= F= L= label= exclude= X=read r!recursive recursive!recursive to-file=read from-file=read", NULL,
          .prints = ANY },
        { "diff3", ACT_READ, SHOWS, 0, "L= diff-program=program", NULL },
        { "dig", ACT_CONNECT, LOOKUP, 0, "b= c= f=read k= p= q= t= x= y=", judge_connect, .online = ANY, .codes = "9" },
        { "direnv", ACT_NAMES, 0, 0, "", NULL },
        { "dirname", ACT_NAMES, 0, 0, "", NULL, .prints = ANY },
        { "dnf", ACT_UNKNOWN, 0, 0, "", NULL, .online = DNF },
        { "doas", ACT_ESCALATE, ORDERED, 0, "u= C= a=", NULL },
        { "docker", ACT_SPECIAL, 0, 0, "", judge_container, .online = CONTAINER },
        { "docker run", ACT_NAMES, ORDERED, 0, CONTAINER_RUN, NULL },
        { "docker-compose", ACT_SPECIAL, 0, 0, "", judge_container },
        { "doppler", ACT_NAMES, ORDERED, 0, "p= c= project= config=", NULL },
        { "dotenv", ACT_COMMAND, ORDERED, 0, "f= e=", NULL },
        { "dotnet", ACT_UNKNOWN, 0, 0, "", NULL, .online = "restore? build? add?" },
        { "dtach", ACT_COMMAND, ORDERED, 0, "n= c= A= a= N= r=", NULL },
        { "du", ACT_NAMES, 0, 0, "", NULL },
        { "duckdb", ACT_ESCAPES, READS | ONE_DASH, 0, "c=code cmd=code init=script-file", judge_escapes },
        { "dumb-init", ACT_COMMAND, ORDERED, 0, "r= rewrite=", NULL },
        { "eatmydata", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "echo", ACT_NAMES, TRAIT_PRINTS | LOUD, 0, "", judge_print, .prints = ANY },
        { "ed", ACT_ESCAPES, READS, 0, "p=", judge_escapes },
        { "egrep", ACT_PATTERN, READS, 0, GREP, NULL, .prints = ANY },
        { "elinks", ACT_FETCH, NETWORK | ONE_DASH, 0, DOWNLOAD, judge_fetch },
        { "elixir", ACT_CODE, 0, 0, "e=code eval=code r=script-file", judge_code },
        { "elvish", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "emacs", ACT_ESCAPES, READS, 0, "eval=code execute=code f= funcall= l=script-file load=script-file", judge_escapes },
        { "enable", ACT_SPECIAL, 0, 0, "f=runs", judge_hash },
        { "entr", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "env", ACT_SPECIAL, ORDERED, 0, "u= C=cd S=shell unset= chdir=cd split-string=shell i! ignore-environment!",
          judge_env },
        { "envdir", ACT_COMMAND, ORDERED, 1, "", NULL },
        { "envuidgid", ACT_COMMAND, ORDERED, 1, "", NULL },
        { "es", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "eval", ACT_NAMES, 0, 0, "", NULL },
        { "ex", ACT_ESCAPES, READS, 0, "c=code S=script-file cmd=code", judge_escapes },
        { "exa", ACT_NAMES, 0, 0, "", NULL },
        { "exec", ACT_COMMAND, ORDERED, 0, "a=", NULL },
        { "exit", ACT_UNKNOWN, 0, 0, "", NULL, .prints = ANY },
        { "expand", ACT_READ, SHOWS, 0, "t= tabs=", NULL },
        { "expect", ACT_ESCAPES, 0, 0, "c=code f=script-file", judge_escapes },
        { "export", ACT_SPECIAL, LOUD, 0, "", judge_declare, .prints = ANY },
        { "eza", ACT_NAMES, 0, 0, "", NULL },
        { "fakechroot", ACT_COMMAND, ORDERED, 0, "l= e= lib=", NULL },
        { "fakeroot", ACT_COMMAND, ORDERED, 0, "l= s= i= lib= faked=", NULL },
        { "faketime", ACT_COMMAND, ORDERED, 1, "f= p=", NULL },
        { "fallocate", ACT_SPECIAL, 0, 0, "l=size length=size o= offset=", judge_exhaust },
        { "false", ACT_UNKNOWN, 0, 0, "", NULL, .prints = ANY },
        { "fd", ACT_NAMES, 0, 0,
          "x=command exec=command X=command exec-batch=command e= E= t= d= S= extension= exclude= type= base-directory=",
          NULL },
        { "fdfind", ACT_NAMES, 0, 0, "x=command exec=command X=command exec-batch=command e= E= t= d=", NULL },
        { "fgrep", ACT_PATTERN, READS, 0, GREP, NULL, .prints = ANY },
        { "file", ACT_NAMES, 0, 0, "f=read files-from=read m=read magic-file=read C!write compile!write e= F= P= S!runs", NULL,
          .prints = ANY },
        { "find", ACT_SPECIAL, ONE_DASH, 0, "", judge_find, .prints = ANY },
        { "firejail", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "fish", ACT_SHELL, ORDERED | FROM_INPUT, 0,
          "c=shell command=shell C=shell init-command=shell o=write d=", judge_shell },
        { "flock", ACT_COMMAND, ORDERED, 1, "w= E= c=shell command=shell timeout= wait= conflict-exit-code=", NULL },
        { "fmt", ACT_READ, SHOWS, 0, "w= p= g=", NULL },
        { "fnm", ACT_NAMES, ORDERED, 0, "", NULL },
        { "fold", ACT_READ, SHOWS, 0, "w= width=", NULL },
        { "ftp", ACT_CONNECT, NETWORK, 0, "", judge_ftp },
        { "gallery-dl", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "gawk", ACT_CODE, READS, 0,
          "f=script-file file=script-file e=code source=code v= F= assign= i=script-file include=script-file l=runs load=runs "
          "E=script-file",
          judge_code, .prints = ANY },
        { "gcloud", ACT_SPECIAL, 0, 0, "", judge_remote, .online = "*?" },
        { "gdb", ACT_ESCAPES, ONE_DASH, 0, "ex=code eval-command=code iex=code x=script-file command=script-file p= pid= args!",
          judge_escapes },
        { "gdisk", ACT_WRITE, 0, 0, "l!ask", NULL },
        { "gem", ACT_SPECIAL, 0, 0, "s=url source=url i=cd v= version= P=", judge_package,
          .online = "install? update? fetch push" },
        { "get", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "getent", ACT_CONNECT, LOOKUP, 1, "", judge_connect },
        { "getfacl", ACT_NAMES, 0, 0, "", NULL },
        { "gh", ACT_UNKNOWN, 0, 0, "", NULL, .online = "*?" },
        { "git", ACT_SPECIAL, 0, 0, "C= c= git-dir= work-tree= namespace= exec-path?", judge_git,
          .online = "clone? fetch? pull? push? ls-remote? submodule? remote? archive? lfs?",
          .prints = "log show diff grep blame status branch rev-parse" },
        { "git-lfs", ACT_NAMES, 0, 0, "", NULL },
        { "go", ACT_SPECIAL, ONE_DASH, 0,
          "exec=runs toolexec=runs o=write C=cd overlay=runs modfile=runs ldflags=runs gcflags=runs tags= run= timeout= count= "
          "coverprofile=write cpuprofile=write memprofile=write vettool=runs gccgoflags=runs compiler=runs pkgdir=runs "
          "trace=write blockprofile=write mutexprofile=write outputdir=write c!write",
          judge_package, .online = "get? install? mod? build? test? run? vet? generate?" },
        { "gosu", ACT_ESCALATE, ORDERED, 1, "", NULL },
        { "gpg", ACT_SPECIAL, 0, 0, "", judge_gpg },
        { "gpg2", ACT_SPECIAL, 0, 0, "", judge_gpg },
        { "grep", ACT_PATTERN, READS, 0, GREP, NULL, .prints = ANY },
        { "groovy", ACT_CODE, 0, 0, "e=code", judge_code },
        { "gsutil", ACT_SPECIAL, 0, 0, "", judge_remote, .online = "*?" },
        { "guile", ACT_CODE, 0, 0, "c=code l=script-file s=script-file", judge_code },
        { "gunzip", ACT_READ, READS, 0, "S=", NULL },
        { "gzip", ACT_READ, READS, 0, "S=", NULL },
        { "halt", ACT_NAMES, 0, 0, "", NULL },
        { "hash", ACT_SPECIAL, 0, 0, "p=program d= t=", judge_hash },
        { "hatch", ACT_NAMES, ORDERED, 0, "", NULL },
        { "hd", ACT_READ, SHOWS, 0, "n= s=", NULL },
        { "head", ACT_READ, SHOWS, 0, "n= c=size lines= bytes=size", judge_exhaust, .prints = ANY },
        { "heaptrack", ACT_COMMAND, ORDERED, 0, "o=", NULL },
        { "helm", ACT_SPECIAL, 0, 0, "repo=url f= values= n= namespace= set= version=", judge_package,
          .online = "install? upgrade? pull repo?" },
        { "help", ACT_NAMES, 0, 0, "", NULL },
        { "hexdump", ACT_READ, SHOWS, 0, "n= s= e= f=read", NULL, .prints = ANY },
        { "hg", ACT_SPECIAL, 0, 0, "r= m= u= R=", judge_package },
        { "history", ACT_SPECIAL, 0, 0, "", judge_history },
        { "host", ACT_CONNECT, LOOKUP, 0, "c= t= W= R= m= N=", judge_connect, .online = ANY, .codes = "1" },
        { "http", ACT_FETCH, NETWORK, 0, "o=write output=write d! a= auth= session= proxy=proxy", judge_fetch },
        { "httpie", ACT_FETCH, NETWORK, 0, "o=write output=write proxy=proxy", judge_fetch },
        { "httrack", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "hyperfine", ACT_TEXT, ORDERED, 0,
          "w= m= M= r= p=shell s=shell c=shell prepare=shell setup=shell cleanup=shell warmup= runs=", NULL },
        { "iconv", ACT_READ, SHOWS, 0, "f= t= o=write from-code= to-code= output=write", NULL },
        { "ifne", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "init", ACT_SPECIAL, 0, 0, "", judge_systemctl },
        { "install", ACT_SPECIAL, READS, 0,
          "t=target target-directory=target m= o= g= S= mode= owner= group= strip-program=program", judge_copy },
        { "iojs", ACT_CODE, 0, 0, "e=code", judge_code },
        { "ionice", ACT_COMMAND, ORDERED, 0, "c= n= p= P= u= class= classdata= pid= pgid= uid=", NULL },
        { "ip", ACT_SPECIAL, 0, 0, "", judge_systemctl },
        { "irb", ACT_CODE, FROM_INPUT, 0, "r= I=", judge_code },
        { "java", ACT_NAMES, ONE_DASH, 0, "agentpath=runs javaagent=runs", NULL },
        { "join", ACT_READ, SHOWS, 0, "t= o= 1= 2= j= e= a= v=", NULL },
        { "journalctl", ACT_UNKNOWN, 0, 0, "", NULL, .prints = ANY },
        { "jq", ACT_PATTERN, SHOWS, 0,
          "f=script-file from-file=script-file L=cd indent= arg= argjson= slurpfile= rawfile= args! jsonargs!", judge_code,
          .prints = ANY },
        { "julia", ACT_CODE, 0, 0, "e=code eval=code E=code print=code L=script-file load=script-file", judge_code },
        { "kill", ACT_SPECIAL, 0, 0, "s= n= signal=", judge_kill },
        { "killall", ACT_NAMES, 0, 0, "s= u= signal= user=", NULL },
        { "ksh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "kubectl", ACT_SPECIAL, 0, 0, "", judge_container, .online = "*?" },
        { "less", ACT_ESCAPES, SHOWS, 0, "b= h= j= k=runs o=write O=write p= P= t= T= x= y= z=", judge_escapes, .prints = ANY },
        { "lftp", ACT_ESCAPES, NETWORK, 0, "c=code e=code f=script-file u= p=", judge_escapes },
        { "links", ACT_FETCH, NETWORK | ONE_DASH, 0, DOWNLOAD, judge_fetch },
        { "links2", ACT_FETCH, NETWORK | ONE_DASH, 0, DOWNLOAD, judge_fetch },
        { "ln", ACT_SPECIAL, LOUD, 0, "t=target target-directory=target S= suffix= s! symbolic!", judge_copy },
        { "local", ACT_SPECIAL, 0, 0, "", judge_declare },
        { "loginctl", ACT_SPECIAL, 0, 0, "", judge_systemctl },
        { "loksh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "look", ACT_PATTERN, READS, 0, "t=", NULL },
        { "ls", ACT_NAMES, 0, 0, "", NULL, .prints = ANY },
        { "lsattr", ACT_NAMES, 0, 0, "", NULL },
        { "ltrace", ACT_COMMAND, ORDERED, 0, "o=write e= p= u= s= l= x= n= a= w= D= F=", NULL },
        { "lua", ACT_CODE, FROM_INPUT, 0, "e=code l=", judge_code },
        { "luajit", ACT_CODE, FROM_INPUT, 0, "e=code l=", judge_code },
        { "lwp-request", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "lynx", ACT_FETCH, NETWORK | ONE_DASH, 0, "cmd_script=runs cfg=runs", judge_fetch },
        { "lzcat", ACT_READ, SHOWS, 0, "", NULL },
        { "m4", ACT_ESCAPES, READS, 0, "D= U= I= s! F=write R=read o=write", judge_escapes },
        { "machinectl", ACT_ESCALATE, 0, 0, "", NULL },
        { "mail", ACT_CONNECT, 0, 0, "s= a=send-file A=send-file c= b= r=", judge_connect },
        { "make", ACT_SPECIAL, 0, 0,
          "C=cd directory=cd f=script-file file=script-file makefile=script-file eval=runs E=runs I=runs include-dir=runs "
          "e!runs environment-overrides!runs j? jobs? l? load-average? o= W= old-file= what-if= O?",
          judge_make },
        { "mamba", ACT_UNKNOWN, 0, 0, "", NULL, .online = CONDA },
        { "man", ACT_NAMES, 0, 0, "P=program pager=program H?program html?program", NULL },
        { "mapfile", ACT_NAMES, 0, 0, "C=shell c= d= n= O= s= t! u=", judge_alias },
        { "mariadb", ACT_ESCAPES, 0, 0,
          "e=code execute=code h=url u= P= D= host=url user= port= database= init-command=code pager=program", judge_escapes },
        { "mawk", ACT_CODE, READS, 0, "f=script-file v= F=", judge_code, .prints = ANY },
        { "mc", ACT_SPECIAL, 0, 0, "", judge_remote },
        { "md5sum", ACT_READ, READS, 0, "", NULL },
        { "micromamba", ACT_SPECIAL, 0, 0, "n= p= name= prefix= c= channel= cwd=cd", judge_package, .online = CONDA },
        { "mise", ACT_NAMES, 0, 0, "c=shell command=shell C=cd", NULL },
        { "mkdir", ACT_WRITE, LOUD, 0, "m= mode=", NULL },
        { "mke2fs", ACT_WRITE, 0, 0, "", NULL },
        { "mkfifo", ACT_WRITE, 0, 0, "m= mode=", NULL },
        { "mknod", ACT_WRITE, 0, 0, "m= mode=", NULL },
        { "mksh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "mkswap", ACT_WRITE, 0, 0, "", NULL },
        { "mongo", ACT_ESCAPES, 0, 0, "eval=code f=script-file file=script-file host=url port= u= p=", judge_escapes },
        { "mongodump", ACT_NAMES, ONE_DASH, 0, "h=url host=url uri=url u= p= d= o=write out=write", NULL },
        { "mongorestore", ACT_NAMES, ONE_DASH, 0, "h=url host=url uri=url u= p= d=", NULL },
        { "mongos", ACT_ESCAPES, 0, 0, "eval=code f=script-file file=script-file host=url port= u= p=", judge_escapes },
        { "mongosh", ACT_ESCAPES, 0, 0, "eval=code f=script-file file=script-file host=url port= u= p=", judge_escapes },
        { "more", ACT_READ, SHOWS, 0, "n=", NULL, .prints = ANY },
        { "mosh", ACT_CONNECT, NETWORK, 0, "p= ssh=program client=program server=", judge_connect },
        { "most", ACT_READ, SHOWS, 0, "", NULL },
        { "mutt", ACT_CONNECT, 0, 0, "a=send-file s= c= b= F= i=read", judge_connect },
        { "mv", ACT_SPECIAL, LOUD, 0, "t=target target-directory=target S= suffix=", judge_copy },
        { "mysql", ACT_ESCAPES, 0, 0,
          "e=code execute=code h=url u= P= D= host=url user= port= database= init-command=code pager=program", judge_escapes },
        { "mysqladmin", ACT_NAMES, 0, 0, "h=url host=url u= P=", NULL },
        { "mysqldump", ACT_NAMES, 0, 0, "h=url host=url u= P= r=write result-file=write", NULL },
        { "namei", ACT_NAMES, 0, 0, "", NULL },
        { "nano", ACT_READ, READS, 0, "", NULL },
        { "nawk", ACT_CODE, READS, 0, "f=script-file v= F=", judge_code },
        { "nc", ACT_CONNECT, NETWORK, 0,
          "e=program exec=program c=shell sh-exec=shell p= s= w= i= q= x=proxy X= I= O= T= P= k! l!listen lua-exec=runs "
          "proxy=proxy",
          judge_connect },
        { "ncat", ACT_CONNECT, NETWORK, 0,
          "e=program exec=program c=shell sh-exec=shell p= s= w= i= x= proxy=proxy proxy-type= l!listen listen!listen "
          "lua-exec=runs",
          judge_connect },
        { "nerdctl", ACT_SPECIAL, 0, 0, "", judge_container, .online = CONTAINER },
        { "netcat", ACT_CONNECT, NETWORK, 0, "e=program exec=program c=shell p= s= w= i= q= x=proxy l!listen", judge_connect },
        { "nice", ACT_COMMAND, ORDERED, 0, "n= adjustment=", NULL },
        { "nix", ACT_NAMES, 0, 0, "c=command command=command f= expr= option=", NULL },
        { "nix-shell", ACT_NAMES, 0, 0, "run=shell command=shell p= packages= A= I= E=", NULL },
        { "nl", ACT_READ, SHOWS, 0, "b= d= f= h= i= l= n= s= v= w=", NULL, .prints = ANY },
        { "node", ACT_CODE, FROM_INPUT, 0,
          "e=code eval=code p=code print=code r=script-file require=script-file import=script-file loader=script-file "
          "experimental-loader=script-file",
          judge_code },
        { "nodejs", ACT_CODE, FROM_INPUT, 0, "e=code eval=code p=code print=code r=script-file require=script-file",
          judge_code },
        { "nodemon", ACT_NAMES, 0, 0, "x=shell exec=shell e= w= i= ext= watch= ignore=", NULL },
        { "nohup", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "npm", ACT_SPECIAL, 0, 0,
          "script-shell=runs registry=url prefix=cd C=cd node-options=runs userconfig=runs globalconfig=runs workspace= w= "
          "loglevel=",
          judge_package,
          .online = "install? i? ci? add? update? up? view info search publish outdated audit exec? x? init? create?" },
        { "nproc-run", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "npx", ACT_SPECIAL, 0, 0, "c=shell call=shell p= package= registry=url", judge_package, .online = "*?" },
        { "nsenter", ACT_ESCALATE, ORDERED, 0, "t= S= G= r? w? m? u? i? n? p? C? U? T? target=", NULL },
        { "nslookup", ACT_CONNECT, LOOKUP, 0, "", judge_connect, .online = ANY, .codes = "1" },
        { "nu", ACT_SHELL, ORDERED | FROM_INPUT, 0, "c!shell commands!shell e!shell execute!shell config=script-file",
          judge_shell },
        { "numactl", ACT_COMMAND, ORDERED, 0,
          "N= m= C= p= i= w= cpunodebind= membind= physcpubind= preferred= interleave=", NULL },
        { "nvim", ACT_ESCAPES, READS, 0, "c=code S=script-file u=script-file cmd=code l=script-file", judge_escapes },
        { "nvm", ACT_NAMES, ORDERED, 0, "", NULL },
        { "nvme", ACT_WRITE, 0, 1, "", NULL },
        { "od", ACT_READ, SHOWS, 0, "A= j= N= t= w? S=", NULL, .prints = ANY },
        { "oksh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "op", ACT_NAMES, ORDERED, 0, "env-file= account=", NULL },
        { "openssl", ACT_SPECIAL, ONE_DASH | READS, 1,
          "in=read out=write engine=runs provider=runs connect=url pass= k= K= iv= config=runs inkey=read key=read cert= "
          "CAfile= servername= proxy=proxy",
          judge_connect },
        { "osascript", ACT_ESCAPES, 0, 0, "e=code l=", judge_escapes },
        { "pacman", ACT_UNKNOWN, 0, 0, "", NULL, .online = "*?" },
        { "parallel", ACT_SPECIAL, ORDERED, 0,
          "j= jobs= P= N= n= L= I= a=read arg-file=read S= sshlogin= tmpdir= results=write joblog=write C= colsep= d= "
          "delimiter= k! delay= timeout= retries= halt=",
          judge_parallel },
        { "parted", ACT_WRITE, 0, 0, "l!ask list!ask", NULL },
        { "paste", ACT_READ, SHOWS, 0, "d= delimiters=", NULL },
        { "patch", ACT_WRITE, 0, 0, "d=cd i=read o=write r=write p= B= z= input=read output=write directory=cd", NULL },
        { "pdm", ACT_NAMES, ORDERED, 0, "", NULL },
        { "perf", ACT_COMMAND, ORDERED, 1, "e= o=write p= c= F=", NULL },
        { "perl", ACT_CODE, FROM_INPUT | READS, 0, "e=code E=code M= m= I= i? F= l? 0? C? x?", judge_code },
        { "pg_dump", ACT_NAMES, 0, 0, "f=write file=write h=url host=url U= p= d= t= n=", NULL },
        { "pg_restore", ACT_NAMES, 0, 0, "f=write file=write h=url host=url U= p= d= t= n=", NULL },
        { "php", ACT_CODE, FROM_INPUT, 0,
          "r=code run=code B=code R=code E=code f=script-file F=script-file d= c= z= t= S=", judge_code },
        { "ping", ACT_CONNECT, LOOKUP, 0, "c= i= I= l= m= M= p=payload Q= s= S= t= T= w= W=", judge_connect, .online = ANY,
          .codes = "2" },
        { "pip", ACT_SPECIAL, 0, 0,
          "i=url index-url=url extra-index-url=url f=url find-links=url r=read requirement=read c= t=cd target=cd proxy=proxy "
          "trusted-host= log=write python=program config-settings= global-option=",
          judge_package, .online = PIP },
        { "pip3", ACT_SPECIAL, 0, 0,
          "i=url index-url=url extra-index-url=url f=url find-links=url r=read requirement=read c= t=cd target=cd proxy=proxy "
          "trusted-host= log=write python=program",
          judge_package, .online = PIP },
        { "pipenv", ACT_NAMES, 0, 0, "", NULL },
        { "pipx", ACT_SPECIAL, 0, 0, "index-url=url i=url spec= python= pip-args=", judge_package,
          .online = "install? run? upgrade? inject?" },
        { "pixi", ACT_NAMES, ORDERED, 0, "", NULL },
        { "pkexec", ACT_ESCALATE, ORDERED, 0, "user=", NULL },
        { "pkg-config", ACT_NAMES, 0, 0, "", NULL },
        { "pnpm", ACT_SPECIAL, 0, 0, "registry=url C=cd dir=cd script-shell=runs filter= F=", judge_package,
          .online = "install? i? add? update? up? dlx? create? fetch? publish audit outdated" },
        { "podman", ACT_SPECIAL, 0, 0, "", judge_container, .online = CONTAINER },
        { "poetry", ACT_NAMES, 0, 0, "C=cd directory=cd P=", NULL, .online = "install? add? update? lock? publish" },
        { "popd", ACT_SPECIAL, LOUD, 0, "", judge_cd },
        { "posh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "post", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "powershell", ACT_SHELL, ORDERED | FROM_INPUT | ONE_DASH, 0, POWERSHELL, judge_shell },
        { "pr", ACT_READ, SHOWS, 0, "l= w= o= h= D=", NULL },
        { "print", ACT_NAMES, TRAIT_PRINTS, 0, "", judge_print },
        { "printenv", ACT_SPECIAL, 0, 0, "", judge_printenv },
        { "printf", ACT_NAMES, TRAIT_PRINTS | LOUD, 0, "v=", judge_print, .prints = ANY },
        { "prlimit", ACT_COMMAND, ORDERED, 0, "p= o= pid= output=", NULL },
        { "proot", ACT_COMMAND, ORDERED, 0, "r= b= w= q= k= rootfs= bind= cwd=", NULL },
        { "proxychains", ACT_COMMAND, ORDERED, 0, "f=", NULL },
        { "proxychains4", ACT_COMMAND, ORDERED, 0, "f=", NULL },
        { "ps", ACT_SPECIAL, 0, 0, "", judge_ps },
        { "psql", ACT_ESCAPES, 0, 0,
          "c=code command=code f=script-file h=url U= d= p= o=write L=write host=url username= dbname= port= file=script-file "
          "output=write v= P= F= R=",
          judge_escapes },
        { "ptx", ACT_READ, SHOWS, 0, "", NULL },
        { "puf", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "pushd", ACT_SPECIAL, LOUD, 0, "", judge_cd },
        { "pwd", ACT_UNKNOWN, 0, 0, "", NULL, .prints = ANY },
        { "pwsh", ACT_SHELL, ORDERED | FROM_INPUT | ONE_DASH, 0, POWERSHELL, judge_shell },
        { "pyenv", ACT_NAMES, ORDERED, 0, "", NULL },
        { "pytest", ACT_SPECIAL, 0, 0,
          "p=runs pdb!runs pdbcls=runs c=runs rootdir=runs o=runs override-ini=runs confcutdir=runs basetemp=write "
          "junitxml=write junit-xml=write log-file=write k= m= n= W= cov= cov-report= maxfail= import-mode=runs ignore= "
          "deselect= debug?write result-log=write html=write trace!runs",
          judge_package },
        { "python", ACT_CODE, FROM_INPUT, 0, "c=code m=module W= X= Q=", judge_code },
        { "python2", ACT_CODE, FROM_INPUT, 0, "c=code m=module W= X= Q=", judge_code },
        { "python3", ACT_CODE, FROM_INPUT, 0, "c=code m=module W= X=", judge_code },
        { "r", ACT_CODE, FROM_INPUT, 0, "e=code f=script-file file=script-file", judge_code },
        { "rbash", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "rbenv", ACT_NAMES, ORDERED, 0, "", NULL },
        { "rc", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "rclone", ACT_SPECIAL, 0, 0, "", judge_remote },
        { "readarray", ACT_NAMES, 0, 0, "C=shell c= d= n= O= s= t! u=", judge_alias },
        { "readlink", ACT_NAMES, 0, 0, "", NULL },
        { "readonly", ACT_SPECIAL, 0, 0, "", judge_declare },
        { "realpath", ACT_NAMES, 0, 0, "", NULL },
        { "redis-cli", ACT_NAMES, 0, 0, "h=url p= a= n= u=url s= r= i=", NULL },
        { "return", ACT_UNKNOWN, 0, 0, "", NULL, .prints = ANY },
        { "rev", ACT_READ, SHOWS, 0, "", NULL },
        { "rg", ACT_PATTERN, READS, 0, GREP " pre=program t= T= g= glob= type= iglob= hostname-bin=program", NULL,
          .prints = ANY },
        { "rimraf", ACT_DELETE, 0, 0, "", NULL },
        { "rlwrap", ACT_COMMAND, ORDERED, 0, "f= H= C= a? b= l= m? p? q= s= S= t= w= z=runs", NULL },
        { "rm", ACT_DELETE, LOUD, 0, "r!recursive R!recursive recursive!recursive interactive?", NULL },
        { "rmdir", ACT_DELETE, LOUD, 0, "", NULL },
        { "rr", ACT_COMMAND, ORDERED, 1, "", NULL },
        { "rscript", ACT_CODE, 0, 0, "e=code", judge_code },
        { "rsync", ACT_SPECIAL, READS, 0,
          "e=program rsh=program rsync-path=program f= filter= exclude= include= exclude-from=read include-from=read "
          "files-from=read T=cd temp-dir=cd compare-dest= copy-dest= link-dest= backup-dir= suffix= log-file=write "
          "password-file=read port= bwlimit= max-size= min-size= timeout= out-format= M= delete!delete delete-after!delete "
          "delete-before!delete delete-during!delete delete-excluded!delete remove-source-files!delete",
          judge_copy, .codes = "10 255" },
        { "ruby", ACT_CODE, FROM_INPUT | READS, 0, "e=code r= I= C=cd E= F= K= x? i? 0?", judge_code },
        { "run0", ACT_ESCALATE, ORDERED, 0, "u= g= D=cd user= group= chdir=cd", NULL },
        { "runuser", ACT_ESCALATE, ORDERED, 0, "u= g= G= c=shell s=program user= group= command=shell shell=program", NULL },
        { "rustup", ACT_NAMES, ORDERED, 0, "", NULL, .online = "*?" },
        { "rye", ACT_NAMES, ORDERED, 0, "", NULL },
        { "s3cmd", ACT_SPECIAL, 0, 0, "", judge_remote },
        { "scala", ACT_CODE, 0, 0, "e=code", judge_code },
        { "scp", ACT_SPECIAL, READS, 0, "S=program o=ssh-option c= D= F=read i= J= l= P= X=", judge_copy, .codes = "255" },
        { "screen", ACT_SPECIAL, ORDERED, 0, "S= c=script-file e= h= p= r? s=program t= T= X!", judge_tmux },
        { "script", ACT_WRITE, 0, 0,
          "c=shell command=shell I=write O=write B=write T=write E= m= o= log-in=write log-out=write log-io=write "
          "log-timing=write t?",
          NULL },
        { "scriptreplay", ACT_READ, READS, 0, "", NULL },
        { "sdiff", ACT_READ, SHOWS, 0, "w= o=write diff-program=program", NULL },
        { "security", ACT_SPECIAL, 0, 0, "", judge_security },
        { "sed", ACT_SPECIAL, SHOWS, 0,
          "e=script expression=script f=script-file file=script-file i?in-place in-place?in-place l= line-length=", judge_sed,
          .prints = ANY },
        { "sem", ACT_SPECIAL, ORDERED, 0, "j= jobs= id= semaphorename= semaphoretimeout=", judge_parallel },
        { "sendmail", ACT_CONNECT, 0, 0, "f= F=", judge_connect },
        { "set", ACT_SPECIAL, LOUD, 0, "o=", judge_set, .prints = ANY },
        { "setarch", ACT_COMMAND, ORDERED, 1, "", NULL },
        { "setfacl", ACT_SPECIAL, 0, 0, "m= x= M=read X=read R!recursive recursive!recursive modify= remove=", judge_permit },
        { "setlock", ACT_COMMAND, ORDERED, 1, "", NULL },
        { "setpriv", ACT_ESCALATE, ORDERED, 0, "", NULL },
        { "setsid", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "sfdisk", ACT_WRITE, 0, 0, "l!ask list!ask d!ask dump!ask", NULL },
        { "sftp", ACT_CONNECT, NETWORK, 0,
          "b=read B= c= D=program F=read i= J= l= o=ssh-option P= R= S=program s= X=", judge_connect, .codes = "255" },
        { "sgdisk", ACT_WRITE, 0, 0, "p!ask print!ask i=ask info=ask", NULL },
        { "sh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "sha1sum", ACT_READ, READS, 0, "", NULL },
        { "sha256sum", ACT_READ, READS, 0, "", NULL },
        { "sha512sum", ACT_READ, READS, 0, "", NULL },
        { "shred", ACT_DELETE, 0, 0, "n= s= iterations= size= random-source=read", NULL },
        { "shuf", ACT_READ, SHOWS, 0, "n= i= o=write head-count= input-range= output=write random-source=read", NULL },
        { "sleep", ACT_UNKNOWN, 0, 0, "", NULL, .prints = ANY },
        { "smbclient", ACT_CONNECT, NETWORK, 0, "c= U= W= I=url p= A=read D= user= command=", judge_connect },
        { "socat", ACT_CONNECT, NETWORK, 0, "b= t= T= L= W= lf=write", judge_connect },
        { "softlimit", ACT_COMMAND, ORDERED, 0, "m= d= s= l= a= o= p= f= c= r= t=", NULL },
        { "sort", ACT_READ, SHOWS, 0,
          "k= t= o=write S= T= batch-size= compress-program=program files0-from=read output=write key= field-separator= "
          "buffer-size= temporary-directory= parallel= random-source=read sort=",
          NULL, .prints = ANY },
        { "source", ACT_SPECIAL, 0, 0, "", judge_source },
        { "split", ACT_READ, READS, 0,
          "a= b= C= l= n= t= filter=shell additional-suffix= bytes= lines= number= suffix-length=", NULL },
        { "sqlcmd", ACT_ESCAPES, 0, 0, "Q=code q=code i=script-file S= U= P= d=", judge_escapes },
        { "sqlite3", ACT_ESCAPES, READS | ONE_DASH, 0,
          "cmd=code init=script-file separator= newline= nullvalue=", judge_escapes },
        { "srm", ACT_DELETE, 0, 0, "r!recursive R!recursive recursive!recursive", NULL },
        { "ssh", ACT_SPECIAL, ORDERED, 0, SSH, judge_remote, .online = ANY, .codes = "255" },
        { "ssh-add", ACT_NAMES, 0, 0, "", NULL },
        { "ssh-agent", ACT_COMMAND, ORDERED, 0, "a= t= E= P=", NULL },
        { "ssh-copy-id", ACT_NAMES, 0, 0, "", NULL },
        { "ssh-keygen", ACT_NAMES, 0, 0, "", NULL },
        { "sshfs", ACT_CONNECT, NETWORK, 0, "o=ssh-option p= F=read", judge_connect },
        { "start-stop-daemon", ACT_NAMES, 0, 0,
          "start! stop! x=program exec=program a=program startas=program p= pidfile= u= user= n= name=", judge_daemon },
        { "stat", ACT_NAMES, 0, 0, "", NULL, .prints = ANY },
        { "stdbuf", ACT_COMMAND, ORDERED, 0, "i= o= e= input= output= error=", NULL },
        { "strace", ACT_COMMAND, ORDERED, 0, "o=write e= p= s= u= E= a= P= I= S= O= b= X= output=write", NULL },
        { "strings", ACT_READ, SHOWS, 0, "n= t= e= T= bytes= radix= encoding=", NULL, .prints = ANY },
        { "su", ACT_ESCALATE, 0, 0, "c=shell command=shell s=program shell=program g= G= w= session-command=shell", NULL },
        { "sudo", ACT_ESCALATE, ORDERED, 0, SUDO, NULL },
        { "sudoedit", ACT_ESCALATE, 0, 0, SUDO, NULL },
        { "svn", ACT_SPECIAL, 0, 0, "r= revision= m= message= username= password=", judge_package,
          .online = "checkout? co? update? up? commit?" },
        { "systemctl", ACT_SPECIAL, 0, 0, "", judge_systemctl },
        { "systemd-inhibit", ACT_COMMAND, ORDERED, 0, "what= who= why= mode=", NULL },
        { "systemd-run", ACT_ESCALATE, ORDERED, 0,
          "u= p= r! E= t! M= H= unit= property= description= slice= uid= gid= nice= working-directory=cd setenv= machine= "
          "host= on-active= on-calendar=",
          NULL },
        { "tac", ACT_READ, SHOWS, 0, "s= separator=", NULL, .prints = ANY },
        { "tail", ACT_READ, SHOWS, 0, "n= c= s= lines= bytes= pid= sleep-interval= f!endless F!endless follow?endless retry!",
          NULL, .prints = ANY },
        { "tar", ACT_SPECIAL, 0, 0,
          "f= file= C=cd directory=cd I=program use-compress-program=program F=program info-script=program "
          "new-volume-script=program to-command=shell checkpoint-action=checkpoint checkpoint? rsh-command=program "
          "rmt-command=program T=read files-from=read X=read exclude-from=read g= listed-incremental= exclude= transform= "
          "xform= strip-components= b= L= K= N= H= V= owner= group= mode= mtime= sort= one-top-level? index-file=write "
          "remove-files!delete x!extract extract!extract get!extract c! create!",
          judge_tar },
        { "taskset", ACT_COMMAND, ORDERED, 1, "", NULL },
        { "tclsh", ACT_ESCAPES, FROM_INPUT, 0, "", judge_escapes },
        { "tcpdump", ACT_NAMES, 0, 0, "z=program w=write r=read i= s= c= C= G= F=read", NULL },
        { "tcsh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "tee", ACT_WRITE, TRAIT_PRINTS, 0, "a!add append!add output-error?", NULL },
        { "telinit", ACT_SPECIAL, 0, 0, "", judge_systemctl },
        { "telnet", ACT_CONNECT, NETWORK, 0, "b= e= l= n=write x!", judge_connect },
        { "terraform", ACT_UNKNOWN, 0, 0, "", NULL, .online = "init? plan? apply?" },
        { "test", ACT_NAMES, 0, 0, "", NULL, .prints = ANY },
        { "tftp", ACT_CONNECT, NETWORK, 0, "m= R=", judge_connect },
        { "time", ACT_COMMAND, ORDERED, 0, "f= o=write format= output=write", NULL },
        { "timeout", ACT_COMMAND, ORDERED, 1, "k= s= kill-after= signal=", NULL },
        { "tini", ACT_COMMAND, ORDERED, 0, "p= e=", NULL },
        { "tmux", ACT_SPECIAL, 0, 0, "c=shell f=script-file L= S= T=", judge_tmux },
        { "torify", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "torsocks", ACT_COMMAND, ORDERED, 0, "a= P=", NULL },
        { "touch", ACT_WRITE, LOUD, 0, "d= t= r= date= reference=", NULL },
        { "toybox", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "tr", ACT_NAMES, 0, 0, "", NULL, .prints = ANY },
        { "traceroute", ACT_UNKNOWN, 0, 0, "", NULL, .online = ANY },
        { "trap", ACT_NAMES, 0, 0, "", NULL },
        { "tree", ACT_NAMES, 0, 0, "o=write L= I= P= H= T= filelimit= charset= sort= timefmt= fromfile=read infofile=read",
          NULL },
        { "true", ACT_UNKNOWN, 0, 0, "", NULL, .prints = ANY },
        { "truncate", ACT_WRITE, 0, 0, "s= r= size= reference=", NULL },
        { "ts-node", ACT_CODE, 0, 0, "e=code eval=code p=code print=code", judge_code },
        { "tsocks", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "tsort", ACT_READ, SHOWS, 0, "", NULL },
        { "tsx", ACT_CODE, 0, 0, "e=code eval=code", judge_code },
        { "type", ACT_NAMES, 0, 0, "", NULL },
        { "typeset", ACT_SPECIAL, 0, 0, "", judge_declare },
        { "unbuffer", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "unexpand", ACT_READ, SHOWS, 0, "t=", NULL },
        { "uniq", ACT_READ, SHOWS, 0, "f= s= w=", NULL, .prints = ANY },
        { "unlink", ACT_DELETE, 0, 0, "", NULL },
        { "unshare", ACT_ESCALATE, ORDERED, 0,
          "R= w= S= G= propagation= root= wd= setuid= setgid= map-user= map-group=", NULL },
        { "unxz", ACT_READ, READS, 0, "", NULL },
        { "unzip", ACT_NAMES, 0, 0, "d=write x= P=", NULL },
        { "uuencode", ACT_READ, SHOWS, 0, "", NULL },
        { "uv", ACT_SPECIAL, 0, 0,
          "index-url=url default-index=url index=url extra-index-url=url i=url with= with-requirements= p= python= package= "
          "group= extra= directory=cd project=",
          judge_package, .online = "*?" },
        { "uvx", ACT_SPECIAL, 0, 0, "index-url=url default-index=url from= with= p= python=", judge_package, .online = "*?" },
        { "valgrind", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "vi", ACT_ESCAPES, READS, 0, "c=code S=script-file u=script-file cmd=code", judge_escapes },
        { "view", ACT_ESCAPES, READS, 0, "c=code S=script-file u=script-file cmd=code", judge_escapes },
        { "vim", ACT_ESCAPES, READS, 0, "c=code S=script-file u=script-file w=write cmd=code", judge_escapes },
        { "vimdiff", ACT_ESCAPES, READS, 0, "c=code S=script-file u=script-file cmd=code", judge_escapes },
        { "volta", ACT_NAMES, ORDERED, 0, "", NULL },
        { "w3m", ACT_FETCH, NETWORK | ONE_DASH, 0, DOWNLOAD, judge_fetch },
        { "watch", ACT_TEXT, ORDERED, 0, "n= interval= d? differences? q= equexit=", NULL },
        { "watchexec", ACT_COMMAND, ORDERED, 0, "e= w= i= exts= watch= ignore= debounce= shell=", NULL },
        { "wc", ACT_READ, READS, 0, "files0-from=read", NULL, .prints = ANY },
        { "wget", ACT_FETCH, NETWORK | READS, 0, WGET, judge_fetch, .codes = "4" },
        { "whatis", ACT_NAMES, 0, 0, "", NULL },
        { "whereis", ACT_NAMES, 0, 0, "", NULL },
        { "which", ACT_NAMES, 0, 0, "", NULL },
        { "whois", ACT_UNKNOWN, 0, 0, "", NULL, .online = ANY },
        { "wipe", ACT_DELETE, 0, 0, "r!recursive Q= q! f! S= C= l=", NULL },
        { "wipefs", ACT_WRITE, 0, 0, "n!ask no-act!ask J!ask", NULL },
        { "with-contenv", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "xargs", ACT_SPECIAL, ORDERED, 0,
          "a=read arg-file=read d= E= e? I= i? L= l? n= P= s= delimiter= eof? replace? max-lines? max-args= max-procs= "
          "max-chars= process-slot-var=",
          judge_xargs },
        { "xh", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "xonsh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "xvfb-run", ACT_COMMAND, ORDERED, 0, "n= s= e=write f= p= w= server-num= server-args= error-file=write", NULL },
        { "xxd", ACT_READ, SHOWS, 0, "c= g= l= s= o= cols= groupsize= len= seek=", NULL, .prints = ANY },
        { "xz", ACT_READ, READS, 0, "T= S=", NULL },
        { "xzcat", ACT_READ, SHOWS, 0, "", NULL },
        { "yarn", ACT_SPECIAL, 0, 0, "registry=url cwd=cd script-shell=runs", judge_package, .online = "*?" },
        { "yash", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "youtube-dl", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "yq", ACT_PATTERN, SHOWS, 0, "i! from-file=script-file", NULL, .prints = ANY },
        { "yt-dlp", ACT_FETCH, NETWORK, 0, DOWNLOAD, judge_fetch },
        { "yum", ACT_UNKNOWN, 0, 0, "", NULL, .online = DNF },
        { "zcat", ACT_READ, SHOWS, 0, "", NULL, .prints = ANY },
        { "zgrep", ACT_PATTERN, READS, 0, GREP, NULL, .prints = ANY },
        { "zip", ACT_READ, READS, 0, "T! TT=program unzip-command=program i= x= b= O=write", NULL },
        { "zsh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "zstd", ACT_READ, READS, 0, "o=write T=", NULL },
        { "zstdcat", ACT_READ, SHOWS, 0, "", NULL },
        { "zypper", ACT_UNKNOWN, 0, 0, "", NULL, .online = "*?" },
};

const size_t program_count = sizeof(programs) / sizeof(*programs);

/* Names with a version or an architecture in them are the same program: python3.11, x86_64-linux-gnu-gcc is not one we
 * know. */
static const struct program *find_exact(struct str name) {
        size_t low = 0, high = program_count;

        while (name.len && low < high) {
                size_t middle = (low + high) / 2;
                int order = strncmp(name.ptr, programs[middle].name, name.len);

                if (order == 0 && !programs[middle].name[name.len])
                        return &programs[middle];
                if (order <= 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return NULL;
}

static const struct program loader = {
        "ld.so", ACT_COMMAND, ORDERED, 0, "library-path= preload=runs audit=runs argv0= inhibit-rpath=", judge_loader
};
static const struct program personality = { "linux64", ACT_COMMAND, ORDERED, 0, "", NULL };

const struct program *program_row(struct str name) {
        const struct program *program = find_exact(name);
        struct str stem = name;

        if (program || !name.len)
                return program;
        if (str_starts(name, STR("ld-linux")) || str_starts(name, STR("ld-musl")) || str_starts(name, STR("ld.so")))
                return &loader;
        if (str_is(name, "linux32") || str_is(name, "linux64") || str_is(name, "x86_64") || str_is(name, "i386"))
                return &personality;
        while (stem.len > 1 && (is_ascii_digit((unsigned char)stem.ptr[stem.len - 1]) || stem.ptr[stem.len - 1] == '.'))
                stem.len--;
        if (str_ends(stem, STR("-")) && stem.len > 1)
                stem.len--;
        return stem.len < name.len ? find_exact(stem) : NULL;
}

const struct program *program_find(struct str name) {
        const struct program *row = program_row(name);

        return row && row->act != ACT_UNKNOWN ? row : NULL;
}
