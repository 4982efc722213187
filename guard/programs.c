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

#define GREP                                                                                                     \
        "e=s regexp=s f=S file=S A= B= C= m= d= D= label= include= exclude= exclude-from=r exclude-dir= color? " \
        "max-count= context= r!R R!R recursive!R"
#define SUDO                                                                                                        \
        "u= g= p= C= h= r= t= T= U= D=d R= user= group= prompt= chdir=d host= role= type= close-from= other-user= " \
        "chroot="
#define SHELL_OPTIONS "c!c o= O= rcfile=S init-file=S"
#define SSH "b= B= c= D= E=w e= F=r I=X i= J= L= l= m= O= o=o p= P= Q= R=p S= W= w="
#define CURL                                                                                                          \
        "d=a data=a data-raw= data-binary=a data-urlencode=a data-ascii=a json=a F=a form=a form-string= T=U "        \
        "upload-file=U "                                                                                              \
        "o=w output=w output-dir=d D=w dump-header=w c=w cookie-jar=w trace=w trace-ascii=w stderr=w etag-save=w "    \
        "K=X config=X x=p proxy=p preproxy=p socks4=p socks4a=p socks5=p socks5-hostname=p resolve=p connect-to=p "   \
        "doh-url=p "                                                                                                  \
        "url=u H=a header=a b=a cookie=a A= user-agent= e= referer= X= request= u= user= m= max-time= "               \
        "connect-timeout= "                                                                                           \
        "retry= retry-delay= retry-max-time= w= write-out= r= range= C= continue-at= y= Y= z= E= cert= key= cacert= " \
        "capath= "                                                                                                    \
        "interface= limit-rate= max-filesize= max-redirs= P= Q= quote= t= U= proxy-user= unix-socket=p "              \
        "abstract-unix-socket=p "                                                                                     \
        "netrc-file=r etag-compare=r engine=X ciphers= tls-max= local-port= keepalive-time= proto= url-query= "       \
        "aws-sigv4= oauth2-bearer="
#define WGET                                                                                                           \
        "O=w output-document=w o=w output-file=w a=w append-output=w P=d directory-prefix=d i=r input-file=r "         \
        "post-file=U "                                                                                                 \
        "body-file=U post-data= body-data= method= header= U= user-agent= e=p execute=p use-askpass=X B=u base=u t= "  \
        "tries= T= "                                                                                                   \
        "timeout= w= wait= Q= quota= l= level= A= accept= R= reject= D= domains= I= X= user= password= referer= "      \
        "load-cookies=r save-cookies=w ca-certificate= certificate= private-key= limit-rate= config=X rejected-log=w " \
        "warc-file=w"

const struct program programs[] = {
        { ".", ACT_SPECIAL, 0, 0, "", judge_source },
        { "7z", ACT_READ, READS, 1, "", NULL },
        { "[", ACT_NAMES, 0, 0, "", NULL },
        { "ack", ACT_PATTERN, READS, 0, GREP " pager=x", NULL },
        { "ag", ACT_PATTERN, READS, 0, GREP " pager=x", NULL },
        { "alias", ACT_SPECIAL, 0, 0, "", judge_alias },
        { "apt", ACT_NAMES, 0, 0, "", NULL },
        { "aria2c", ACT_FETCH, NETWORK, 0, "d=d o=w i=r input-file=r all-proxy=p on-download-complete=x", judge_fetch },
        { "arp", ACT_NAMES, 0, 0, "", NULL },
        { "ash", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "at", ACT_SPECIAL, 0, 0, "", judge_crontab },
        { "awk", ACT_CODE, READS, 0,
          "f=S file=S e=e source=e v= F= assign= field-separator= i=S include=S l=X load=X E=S o? p? d?", judge_code },
        { "aws", ACT_SPECIAL, 0, 0, "", judge_remote },
        { "base32", ACT_READ, SHOWS, 0, "w= wrap=", NULL },
        { "base64", ACT_READ, SHOWS, 0, "w= wrap= i=r", NULL },
        { "basename", ACT_NAMES, 0, 0, "", NULL },
        { "basenc", ACT_READ, SHOWS, 0, "w= wrap=", NULL },
        { "bash", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "bat", ACT_READ, SHOWS, 0, "l= pager=x style= theme= language= line-range= r= H=", NULL },
        { "batcat", ACT_READ, SHOWS, 0, "l= pager=x", NULL },
        { "batch", ACT_SPECIAL, 0, 0, "", judge_crontab },
        { "bind", ACT_SPECIAL, 0, 0, "x=c", judge_alias },
        { "builtin", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "bun", ACT_CODE, 0, 0, "e=e eval=e print=e", judge_code },
        { "bundle", ACT_COMMAND, ORDERED, 1, "", NULL },
        { "busybox", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "bzcat", ACT_READ, SHOWS, 0, "", NULL },
        { "bzip2", ACT_READ, READS, 0, "", NULL },
        { "cap_mkdb", ACT_NAMES, 0, 0, "", NULL },
        { "capsh", ACT_ESCALATE, 0, 0, "", NULL },
        { "cargo", ACT_SPECIAL, 0, 0, "config=X Z=X manifest-path=X target-dir=X C=d out-dir=w artifact-dir=w", judge_package },
        { "cat", ACT_READ, SHOWS, 0, "", NULL },
        { "catchsegv", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "cd", ACT_SPECIAL, 0, 0, "", judge_cd },
        { "cgexec", ACT_COMMAND, ORDERED, 0, "g=", NULL },
        { "chattr", ACT_SPECIAL, 0, 1, "R!R v= p=", judge_permit },
        { "chgrp", ACT_SPECIAL, 0, 1, "R!R recursive!R reference= from=", judge_permit },
        { "chmod", ACT_SPECIAL, 0, 1, "R!R recursive!R reference=", judge_permit },
        { "choom", ACT_COMMAND, ORDERED, 0, "n= p=", NULL },
        { "chown", ACT_SPECIAL, 0, 1, "R!R recursive!R reference= from=", judge_permit },
        { "chpst", ACT_COMMAND, ORDERED, 0, "u= U= b= e= m= d= o= p= f= c= l= L= n= /=", NULL },
        { "chroot", ACT_ESCALATE, ORDERED, 1, "userspec= groups=", NULL },
        { "chrt", ACT_COMMAND, ORDERED, 1, "T= P= D= sched-runtime= sched-period= sched-deadline=", NULL },
        { "cksum", ACT_READ, READS, 0, "a=", NULL },
        { "cmp", ACT_READ, READS, 0, "i= n= ignore-initial= bytes=", NULL },
        { "column", ACT_READ, SHOWS, 0, "s= o= N= c= t!", NULL },
        { "comm", ACT_READ, READS, 0, "", NULL },
        { "command", ACT_COMMAND, ORDERED, 0, "v!v V!v", NULL },
        { "compgen", ACT_SPECIAL, 0, 0, "", judge_compgen },
        { "complete", ACT_SPECIAL, 0, 0, "C=c F= W= A= G= X= P= S= o=", judge_alias },
        { "cp", ACT_SPECIAL, READS, 0, "t=t target-directory=t S= suffix= r!R R!R a!R recursive!R archive!R", judge_copy },
        { "cpio", ACT_READ, READS, 0, "F=r O=w I=r D=d H= rsh-command=x", NULL },
        { "crontab", ACT_SPECIAL, 0, 0, "u= l!v", judge_crontab },
        { "csh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "csplit", ACT_READ, READS, 0, "f= n= b=", NULL },
        { "curl", ACT_FETCH, NETWORK | READS, 0, CURL, judge_fetch },
        { "cut", ACT_READ, SHOWS, 0, "b= c= d= f= output-delimiter= bytes= characters= fields= delimiter=", NULL },
        { "dash", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "dbus-run-session", ACT_COMMAND, ORDERED, 0, "config-file= dbus-daemon=x", NULL },
        { "dd", ACT_SPECIAL, READS, 0, "", judge_dd },
        { "declare", ACT_SPECIAL, 0, 0, "", judge_declare },
        { "deno", ACT_CODE, 0, 0, "", judge_code },
        { "df", ACT_NAMES, 0, 0, "", NULL },
        { "diff", ACT_READ, SHOWS, 0, "U= C= W= x= I= F= L= label= exclude= X=r r!R recursive!R to-file=r from-file=r", NULL },
        { "diff3", ACT_READ, SHOWS, 0, "L= diff-program=x", NULL },
        { "dig", ACT_CONNECT, LOOKUP, 0, "b= c= f=r k= p= q= t= x= y=", judge_connect },
        { "direnv", ACT_COMMAND, ORDERED, 2, "", NULL },
        { "dirname", ACT_NAMES, 0, 0, "", NULL },
        { "doas", ACT_ESCALATE, ORDERED, 0, "u= C= a=", NULL },
        { "docker", ACT_SPECIAL, 0, 0, "", judge_container },
        { "docker-compose", ACT_SPECIAL, 0, 0, "", judge_container },
        { "dotenv", ACT_COMMAND, ORDERED, 0, "f= e=", NULL },
        { "du", ACT_NAMES, 0, 0, "", NULL },
        { "dumb-init", ACT_COMMAND, ORDERED, 0, "r= rewrite=", NULL },
        { "echo", ACT_NAMES, TRAIT_PRINTS, 0, "", judge_print },
        { "ed", ACT_ESCAPES, READS, 0, "p=", judge_escapes },
        { "egrep", ACT_PATTERN, READS, 0, GREP, NULL },
        { "enable", ACT_SPECIAL, 0, 0, "f=X", judge_hash },
        { "entr", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "env", ACT_SPECIAL, ORDERED, 0, "u= C=d S=c unset= chdir=d split-string=c i! ignore-environment!", judge_env },
        { "eval", ACT_NAMES, 0, 0, "", NULL },
        { "ex", ACT_ESCAPES, READS, 0, "c=e S=S cmd=e", judge_escapes },
        { "exa", ACT_NAMES, 0, 0, "", NULL },
        { "exec", ACT_COMMAND, ORDERED, 0, "a=", NULL },
        { "expand", ACT_READ, SHOWS, 0, "t= tabs=", NULL },
        { "expect", ACT_ESCAPES, 0, 0, "c=e f=S", judge_escapes },
        { "export", ACT_SPECIAL, 0, 0, "", judge_declare },
        { "eza", ACT_NAMES, 0, 0, "", NULL },
        { "fakechroot", ACT_COMMAND, ORDERED, 0, "l= e= lib=", NULL },
        { "fakeroot", ACT_COMMAND, ORDERED, 0, "l= s= i= lib= faked=", NULL },
        { "faketime", ACT_COMMAND, ORDERED, 1, "f= p=", NULL },
        { "fallocate", ACT_SPECIAL, 0, 0, "l=z length=z o= offset=", judge_exhaust },
        { "fd", ACT_NAMES, 0, 0, "x=C exec=C X=C exec-batch=C e= E= t= d= S= extension= exclude= type= base-directory=", NULL },
        { "fdfind", ACT_NAMES, 0, 0, "x=C exec=C X=C exec-batch=C e= E= t= d=", NULL },
        { "fgrep", ACT_PATTERN, READS, 0, GREP, NULL },
        { "file", ACT_NAMES, 0, 0, "f=r files-from=r m=r magic-file=r C!w compile!w e= F= P= S!X", NULL },
        { "find", ACT_SPECIAL, ONE_DASH, 0, "", judge_find },
        { "fish", ACT_SHELL, ORDERED | FROM_INPUT, 0, "c=c command=c C=c init-command=c o=w d=", judge_shell },
        { "flock", ACT_COMMAND, ORDERED, 1, "w= E= c=c command=c timeout= wait= conflict-exit-code=", NULL },
        { "fmt", ACT_READ, SHOWS, 0, "w= p= g=", NULL },
        { "fold", ACT_READ, SHOWS, 0, "w= width=", NULL },
        { "ftp", ACT_CONNECT, NETWORK, 0, "", judge_connect },
        { "gawk", ACT_CODE, READS, 0, "f=S file=S e=e source=e v= F= assign= i=S include=S l=X load=X E=S", judge_code },
        { "gdb", ACT_ESCAPES, ONE_DASH, 0, "ex=e eval-command=e iex=e x=S command=S p= pid= args!", judge_escapes },
        { "getent", ACT_CONNECT, LOOKUP, 1, "", judge_connect },
        { "getfacl", ACT_NAMES, 0, 0, "", NULL },
        { "git", ACT_SPECIAL, 0, 0, "", judge_git },
        { "git-lfs", ACT_NAMES, 0, 0, "", NULL },
        { "go", ACT_SPECIAL, ONE_DASH, 0,
          "exec=X toolexec=X o=w C=d overlay=X modfile=X ldflags=X gcflags=X tags= run= timeout= count= coverprofile=w "
          "cpuprofile=w memprofile=w vettool=X gccgoflags=X compiler=X pkgdir=X trace=w blockprofile=w mutexprofile=w "
          "outputdir=w c!w",
          judge_package },
        { "gosu", ACT_ESCALATE, ORDERED, 1, "", NULL },
        { "gpg", ACT_SPECIAL, 0, 0, "", judge_gpg },
        { "gpg2", ACT_SPECIAL, 0, 0, "", judge_gpg },
        { "grep", ACT_PATTERN, READS, 0, GREP, NULL },
        { "guile", ACT_CODE, 0, 0, "c=e l=S s=S", judge_code },
        { "gunzip", ACT_READ, READS, 0, "S=", NULL },
        { "gzip", ACT_READ, READS, 0, "S=", NULL },
        { "halt", ACT_NAMES, 0, 0, "", NULL },
        { "hash", ACT_SPECIAL, 0, 0, "p=x d= t=", judge_hash },
        { "hd", ACT_READ, SHOWS, 0, "n= s=", NULL },
        { "head", ACT_READ, SHOWS, 0, "n= c=z lines= bytes=z", judge_exhaust },
        { "help", ACT_NAMES, 0, 0, "", NULL },
        { "hexdump", ACT_READ, SHOWS, 0, "n= s= e= f=r", NULL },
        { "history", ACT_SPECIAL, 0, 0, "", judge_history },
        { "host", ACT_CONNECT, LOOKUP, 0, "c= t= W= R= m= N=", judge_connect },
        { "http", ACT_FETCH, NETWORK, 0, "o=w output=w d! a= auth= session= proxy=p", judge_fetch },
        { "httpie", ACT_FETCH, NETWORK, 0, "o=w output=w proxy=p", judge_fetch },
        { "hyperfine", ACT_TEXT, ORDERED, 0, "w= m= M= r= p=c s=c c=c prepare=c setup=c cleanup=c warmup= runs=", NULL },
        { "iconv", ACT_READ, SHOWS, 0, "f= t= o=w from-code= to-code= output=w", NULL },
        { "init", ACT_SPECIAL, 0, 0, "", judge_systemctl },
        { "install", ACT_SPECIAL, READS, 0, "t=t target-directory=t m= o= g= S= mode= owner= group= strip-program=x",
          judge_copy },
        { "iojs", ACT_CODE, 0, 0, "e=e", judge_code },
        { "ionice", ACT_COMMAND, ORDERED, 0, "c= n= p= P= u= class= classdata= pid= pgid= uid=", NULL },
        { "ip", ACT_SPECIAL, 0, 0, "", judge_systemctl },
        { "java", ACT_NAMES, ONE_DASH, 0, "agentpath=X javaagent=X", NULL },
        { "join", ACT_READ, SHOWS, 0, "t= o= 1= 2= j= e= a= v=", NULL },
        { "jq", ACT_PATTERN, SHOWS, 0, "f=S from-file=S L=d indent= arg= argjson= slurpfile= rawfile= args! jsonargs!",
          judge_code },
        { "julia", ACT_CODE, 0, 0, "e=e eval=e E=e print=e L=S load=S", judge_code },
        { "kill", ACT_SPECIAL, 0, 0, "s= n= signal=", judge_kill },
        { "killall", ACT_NAMES, 0, 0, "s= u= signal= user=", NULL },
        { "ksh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "kubectl", ACT_SPECIAL, 0, 0, "", judge_container },
        { "less", ACT_READ, SHOWS, 0, "b= h= j= k=X o=w O=w p= P= t= T= x= y= z=", NULL },
        { "ln", ACT_SPECIAL, 0, 0, "t=t target-directory=t S= suffix= s!R symbolic!R", judge_copy },
        { "local", ACT_SPECIAL, 0, 0, "", judge_declare },
        { "loginctl", ACT_SPECIAL, 0, 0, "", judge_systemctl },
        { "look", ACT_PATTERN, READS, 0, "t=", NULL },
        { "ls", ACT_NAMES, 0, 0, "", NULL },
        { "lsattr", ACT_NAMES, 0, 0, "", NULL },
        { "ltrace", ACT_COMMAND, ORDERED, 0, "o=w e= p= u= s= l= x= n= a= w= D= F=", NULL },
        { "lua", ACT_CODE, FROM_INPUT, 0, "e=e l=", judge_code },
        { "luajit", ACT_CODE, FROM_INPUT, 0, "e=e l=", judge_code },
        { "lynx", ACT_FETCH, NETWORK | ONE_DASH, 0, "cmd_script=X cfg=X", judge_fetch },
        { "lzcat", ACT_READ, SHOWS, 0, "", NULL },
        { "m4", ACT_ESCAPES, READS, 0, "D= U= I= s! F=w R=r o=w", judge_escapes },
        { "machinectl", ACT_ESCALATE, 0, 0, "", NULL },
        { "mail", ACT_CONNECT, 0, 0, "s= a=U A=U c= b= r=", judge_connect },
        { "make", ACT_SPECIAL, 0, 0,
          "C=d directory=d f=S file=S makefile=S eval=X E=X I=X include-dir=X e!X environment-overrides!X j? jobs? l? "
          "load-average? o= W= old-file= what-if= O?",
          judge_make },
        { "man", ACT_NAMES, 0, 0, "P=x pager=x H?x html?x", NULL },
        { "mapfile", ACT_NAMES, 0, 0, "C=c c= d= n= O= s= t! u=", judge_alias },
        { "mawk", ACT_CODE, READS, 0, "f=S v= F=", judge_code },
        { "md5sum", ACT_READ, READS, 0, "", NULL },
        { "mkdir", ACT_WRITE, 0, 0, "m= mode=", NULL },
        { "mkfifo", ACT_WRITE, 0, 0, "m= mode=", NULL },
        { "mknod", ACT_WRITE, 0, 0, "m= mode=", NULL },
        { "mksh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "more", ACT_READ, SHOWS, 0, "n=", NULL },
        { "most", ACT_READ, SHOWS, 0, "", NULL },
        { "mv", ACT_SPECIAL, 0, 0, "t=t target-directory=t S= suffix=", judge_copy },
        { "mysql", ACT_ESCAPES, 0, 0, "e=e execute=e h= u= P= D= host= user= port= database= init-command=e pager=x",
          judge_escapes },
        { "namei", ACT_NAMES, 0, 0, "", NULL },
        { "nano", ACT_READ, READS, 0, "", NULL },
        { "nawk", ACT_CODE, READS, 0, "f=S v= F=", judge_code },
        { "nc", ACT_CONNECT, NETWORK, 0, "e=x exec=x c=c sh-exec=c p= s= w= i= q= x=p X= I= O= T= P= k! l!l lua-exec=X proxy=p",
          judge_connect },
        { "ncat", ACT_CONNECT, NETWORK, 0,
          "e=x exec=x c=c sh-exec=c p= s= w= i= x= proxy=p proxy-type= l!l listen!l lua-exec=X", judge_connect },
        { "netcat", ACT_CONNECT, NETWORK, 0, "e=x exec=x c=c p= s= w= i= q= x=p l!l", judge_connect },
        { "nice", ACT_COMMAND, ORDERED, 0, "n= adjustment=", NULL },
        { "nl", ACT_READ, SHOWS, 0, "b= d= f= h= i= l= n= s= v= w=", NULL },
        { "node", ACT_CODE, FROM_INPUT, 0, "e=e eval=e p=e print=e r=S require=S import=S loader=S experimental-loader=S",
          judge_code },
        { "nodejs", ACT_CODE, FROM_INPUT, 0, "e=e eval=e p=e print=e r=S require=S", judge_code },
        { "nohup", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "npm", ACT_SPECIAL, 0, 0,
          "script-shell=X registry=u prefix=d C=d node-options=X userconfig=X globalconfig=X workspace= w= loglevel=",
          judge_package },
        { "npx", ACT_SPECIAL, 0, 0, "c=c call=c p= package= registry=u", judge_package },
        { "nsenter", ACT_ESCALATE, ORDERED, 0, "t= S= G= r? w? m? u? i? n? p? C? U? T? target=", NULL },
        { "nslookup", ACT_CONNECT, LOOKUP, 0, "", judge_connect },
        { "numactl", ACT_COMMAND, ORDERED, 0,
          "N= m= C= p= i= w= cpunodebind= membind= physcpubind= preferred= interleave=", NULL },
        { "od", ACT_READ, SHOWS, 0, "A= j= N= t= w? S=", NULL },
        { "openssl", ACT_SPECIAL, ONE_DASH | READS, 1,
          "in=r out=w engine=X provider=X connect=u pass= k= K= iv= config=X inkey=r key=r cert= CAfile= servername= proxy=p",
          judge_connect },
        { "osascript", ACT_ESCAPES, 0, 0, "e=e l=", judge_escapes },
        { "parallel", ACT_SPECIAL, ORDERED, 0,
          "j= jobs= P= N= n= L= I= a=r arg-file=r S= sshlogin= tmpdir= results=w joblog=w C= colsep= d= delimiter= k! delay= "
          "timeout= retries= halt=",
          judge_parallel },
        { "paste", ACT_READ, SHOWS, 0, "d= delimiters=", NULL },
        { "patch", ACT_WRITE, 0, 0, "d=d i=r o=w r=w p= B= z= input=r output=w directory=d", NULL },
        { "perf", ACT_COMMAND, ORDERED, 1, "e= o=w p= c= F=", NULL },
        { "perl", ACT_CODE, FROM_INPUT | READS, 0, "e=e E=e M= m= I= i? F= l? 0? C? x?", judge_code },
        { "pg_dump", ACT_NAMES, 0, 0, "f=w file=w", NULL },
        { "php", ACT_CODE, FROM_INPUT, 0, "r=e run=e B=e R=e E=e f=S F=S d= c= z= t= S=", judge_code },
        { "ping", ACT_CONNECT, LOOKUP, 0, "c= i= I= l= m= M= p=q Q= s= S= t= T= w= W=", judge_connect },
        { "pip", ACT_SPECIAL, 0, 0,
          "i=u index-url=u extra-index-url=u f=u find-links=u r=r requirement=r c= t=d target=d proxy=p trusted-host= log=w "
          "python=x config-settings= global-option=",
          judge_package },
        { "pip3", ACT_SPECIAL, 0, 0,
          "i=u index-url=u extra-index-url=u f=u find-links=u r=r requirement=r c= t=d target=d proxy=p trusted-host= log=w "
          "python=x",
          judge_package },
        { "pipenv", ACT_COMMAND, ORDERED, 1, "", NULL },
        { "pkexec", ACT_ESCALATE, ORDERED, 0, "user=", NULL },
        { "pkg-config", ACT_NAMES, 0, 0, "", NULL },
        { "pnpm", ACT_SPECIAL, 0, 0, "registry=u C=d dir=d script-shell=X", judge_package },
        { "podman", ACT_SPECIAL, 0, 0, "", judge_container },
        { "poetry", ACT_COMMAND, ORDERED, 1, "C=d", NULL },
        { "popd", ACT_SPECIAL, 0, 0, "", judge_cd },
        { "posh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "pr", ACT_READ, SHOWS, 0, "l= w= o= h= D=", NULL },
        { "print", ACT_NAMES, TRAIT_PRINTS, 0, "", judge_print },
        { "printenv", ACT_SPECIAL, 0, 0, "", judge_compgen },
        { "printf", ACT_NAMES, TRAIT_PRINTS, 0, "v=", judge_print },
        { "prlimit", ACT_COMMAND, ORDERED, 0, "p= o= pid= output=", NULL },
        { "proxychains", ACT_COMMAND, ORDERED, 0, "f=", NULL },
        { "proxychains4", ACT_COMMAND, ORDERED, 0, "f=", NULL },
        { "ps", ACT_SPECIAL, 0, 0, "", judge_ps },
        { "psql", ACT_ESCAPES, 0, 0,
          "c=e command=e f=S h= U= d= p= o=w L=w host= username= dbname= port= file=S output=w v= P= F= R=", judge_escapes },
        { "ptx", ACT_READ, SHOWS, 0, "", NULL },
        { "pushd", ACT_SPECIAL, 0, 0, "", judge_cd },
        { "pytest", ACT_SPECIAL, 0, 0,
          "p=X pdb!X pdbcls=X c=X rootdir=X o=X override-ini=X confcutdir=X basetemp=w junitxml=w junit-xml=w log-file=w k= m= "
          "n= W= cov= cov-report= maxfail= import-mode=X ignore= deselect= debug?w result-log=w html=w trace!X",
          judge_package },
        { "python", ACT_CODE, FROM_INPUT, 0, "c=e m=m W= X= Q=", judge_code },
        { "python2", ACT_CODE, FROM_INPUT, 0, "c=e m=m W= X= Q=", judge_code },
        { "python3", ACT_CODE, FROM_INPUT, 0, "c=e m=m W= X=", judge_code },
        { "r", ACT_CODE, FROM_INPUT, 0, "e=e f=S file=S", judge_code },
        { "rbash", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "readarray", ACT_NAMES, 0, 0, "C=c c= d= n= O= s= t! u=", judge_alias },
        { "readlink", ACT_NAMES, 0, 0, "", NULL },
        { "readonly", ACT_SPECIAL, 0, 0, "", judge_declare },
        { "realpath", ACT_NAMES, 0, 0, "", NULL },
        { "rev", ACT_READ, SHOWS, 0, "", NULL },
        { "rg", ACT_PATTERN, READS, 0, GREP " pre=x t= T= g= glob= type= iglob= hostname-bin=x", NULL },
        { "rlwrap", ACT_COMMAND, ORDERED, 0, "f= H= C= a? b= l= m? p? q= s= S= t= w= z=X", NULL },
        { "rm", ACT_DELETE, 0, 0, "r!R R!R recursive!R interactive?", NULL },
        { "rmdir", ACT_DELETE, 0, 0, "", NULL },
        { "rscript", ACT_CODE, 0, 0, "e=e", judge_code },
        { "rsync", ACT_SPECIAL, READS, 0,
          "e=x rsh=x rsync-path=x f= filter= exclude= include= exclude-from=r include-from=r files-from=r T=d temp-dir=d "
          "compare-dest= copy-dest= link-dest= backup-dir= suffix= log-file=w password-file=r port= bwlimit= max-size= "
          "min-size= timeout= out-format= M= delete!D delete-after!D delete-before!D delete-during!D delete-excluded!D "
          "remove-source-files!D",
          judge_copy },
        { "ruby", ACT_CODE, FROM_INPUT, 0, "e=e r= I= C=d E= F= K= x? i? 0?", judge_code },
        { "runuser", ACT_ESCALATE, ORDERED, 0, "u= g= G= c=c s=x user= group= command=c shell=x", NULL },
        { "scp", ACT_SPECIAL, READS, 0, "S=x o=o c= D= F=r i= J= l= P= X=", judge_copy },
        { "screen", ACT_SPECIAL, ORDERED, 0, "S= c=S e= h= p= r? s=x t= T= X!", judge_tmux },
        { "script", ACT_WRITE, 0, 0, "c=c command=c I=w O=w B=w T=w E= m= o= log-in=w log-out=w log-io=w log-timing=w t?",
          NULL },
        { "scriptreplay", ACT_READ, READS, 0, "", NULL },
        { "sdiff", ACT_READ, SHOWS, 0, "w= o=w diff-program=x", NULL },
        { "security", ACT_SPECIAL, 0, 0, "", judge_security },
        { "sed", ACT_SPECIAL, SHOWS, 0, "e=s expression=s f=S file=S i?i in-place?i l= line-length=", judge_sed },
        { "sem", ACT_SPECIAL, ORDERED, 0, "j= jobs= id= semaphorename= semaphoretimeout=", judge_parallel },
        { "set", ACT_SPECIAL, 0, 0, "o=", judge_set },
        { "setarch", ACT_COMMAND, ORDERED, 1, "", NULL },
        { "setfacl", ACT_SPECIAL, 0, 0, "m= x= M=r X=r R!R recursive!R modify= remove=", judge_permit },
        { "setpriv", ACT_ESCALATE, ORDERED, 0, "", NULL },
        { "setsid", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "sftp", ACT_CONNECT, NETWORK, 0, "b=r B= c= D=x F=r i= J= l= o=o P= R= S=x s= X=", judge_connect },
        { "sh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "sha1sum", ACT_READ, READS, 0, "", NULL },
        { "sha256sum", ACT_READ, READS, 0, "", NULL },
        { "sha512sum", ACT_READ, READS, 0, "", NULL },
        { "shred", ACT_DELETE, 0, 0, "n= s= iterations= size= random-source=r", NULL },
        { "shuf", ACT_READ, SHOWS, 0, "n= i= o=w head-count= input-range= output=w random-source=r", NULL },
        { "socat", ACT_CONNECT, NETWORK, 0, "b= t= T= L= W= lf=w", judge_connect },
        { "softlimit", ACT_COMMAND, ORDERED, 0, "m= d= s= l= a= o= p= f= c= r= t=", NULL },
        { "sort", ACT_READ, SHOWS, 0,
          "k= t= o=w S= T= batch-size= compress-program=x files0-from=r output=w key= field-separator= buffer-size= "
          "temporary-directory= parallel= random-source=r sort=",
          NULL },
        { "source", ACT_SPECIAL, 0, 0, "", judge_source },
        { "split", ACT_READ, READS, 0,
          "a= b= C= l= n= t= filter=c additional-suffix= bytes= lines= number= suffix-length=", NULL },
        { "sqlite3", ACT_ESCAPES, READS | ONE_DASH, 0, "cmd=e init=S separator= newline= nullvalue=", judge_escapes },
        { "ssh", ACT_SPECIAL, ORDERED, 0, SSH, judge_remote },
        { "ssh-add", ACT_NAMES, 0, 0, "", NULL },
        { "ssh-agent", ACT_COMMAND, ORDERED, 0, "a= t= E= P=", NULL },
        { "ssh-copy-id", ACT_NAMES, 0, 0, "", NULL },
        { "ssh-keygen", ACT_NAMES, 0, 0, "", NULL },
        { "stat", ACT_NAMES, 0, 0, "", NULL },
        { "stdbuf", ACT_COMMAND, ORDERED, 0, "i= o= e= input= output= error=", NULL },
        { "strace", ACT_COMMAND, ORDERED, 0, "o=w e= p= s= u= E= a= P= I= S= O= b= X= output=w", NULL },
        { "strings", ACT_READ, SHOWS, 0, "n= t= e= T= bytes= radix= encoding=", NULL },
        { "su", ACT_ESCALATE, 0, 0, "c=c command=c s=x shell=x g= G= w= session-command=c", NULL },
        { "sudo", ACT_ESCALATE, ORDERED, 0, SUDO, NULL },
        { "sudoedit", ACT_ESCALATE, 0, 0, SUDO, NULL },
        { "systemctl", ACT_SPECIAL, 0, 0, "", judge_systemctl },
        { "systemd-run", ACT_ESCALATE, ORDERED, 0,
          "u= p= r! E= t! M= H= unit= property= description= slice= uid= gid= nice= working-directory=d setenv= machine= host= "
          "on-active= on-calendar=",
          NULL },
        { "tac", ACT_READ, SHOWS, 0, "s= separator=", NULL },
        { "tail", ACT_READ, SHOWS, 0, "n= c= s= lines= bytes= pid= sleep-interval= f!L F!L follow?L retry!", NULL },
        { "tar", ACT_SPECIAL, 0, 0,
          "f=F file=F C=d directory=d I=x use-compress-program=x F=x info-script=x new-volume-script=x to-command=c "
          "checkpoint-action=k checkpoint? rsh-command=x rmt-command=x T=r files-from=r X=r exclude-from=r g= "
          "listed-incremental= exclude= transform= xform= strip-components= b= L= K= N= H= V= owner= group= mode= mtime= sort= "
          "one-top-level? index-file=w remove-files!D x!e extract!e get!e c!n create!n",
          judge_tar },
        { "taskset", ACT_COMMAND, ORDERED, 1, "", NULL },
        { "tclsh", ACT_CODE, FROM_INPUT, 0, "", judge_code },
        { "tcpdump", ACT_NAMES, 0, 0, "z=x w=w r=r i= s= c= C= G= F=r", NULL },
        { "tcsh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "tee", ACT_WRITE, TRAIT_PRINTS, 0, "output-error?", NULL },
        { "telinit", ACT_SPECIAL, 0, 0, "", judge_systemctl },
        { "telnet", ACT_CONNECT, NETWORK, 0, "b= e= l= n=w x!", judge_connect },
        { "test", ACT_NAMES, 0, 0, "", NULL },
        { "time", ACT_COMMAND, ORDERED, 0, "f= o=w format= output=w", NULL },
        { "timeout", ACT_COMMAND, ORDERED, 1, "k= s= kill-after= signal=", NULL },
        { "tini", ACT_COMMAND, ORDERED, 0, "p= e=", NULL },
        { "tmux", ACT_SPECIAL, 0, 0, "c=c f=S L= S= T=", judge_tmux },
        { "torify", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "torsocks", ACT_COMMAND, ORDERED, 0, "a= P=", NULL },
        { "touch", ACT_WRITE, 0, 0, "d= t= r= date= reference=", NULL },
        { "toybox", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "tr", ACT_NAMES, 0, 0, "", NULL },
        { "trap", ACT_NAMES, 0, 0, "", NULL },
        { "tree", ACT_NAMES, 0, 0, "o=w L= I= P= H= T= filelimit= charset= sort= timefmt= fromfile=r infofile=r", NULL },
        { "truncate", ACT_WRITE, 0, 0, "s= r= size= reference=", NULL },
        { "ts-node", ACT_CODE, 0, 0, "e=e eval=e p=e print=e", judge_code },
        { "tsort", ACT_READ, SHOWS, 0, "", NULL },
        { "tsx", ACT_CODE, 0, 0, "e=e eval=e", judge_code },
        { "type", ACT_NAMES, 0, 0, "", NULL },
        { "typeset", ACT_SPECIAL, 0, 0, "", judge_declare },
        { "unbuffer", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "unexpand", ACT_READ, SHOWS, 0, "t=", NULL },
        { "uniq", ACT_READ, SHOWS, 0, "f= s= w=", NULL },
        { "unlink", ACT_DELETE, 0, 0, "", NULL },
        { "unshare", ACT_ESCALATE, ORDERED, 0,
          "R= w= S= G= propagation= root= wd= setuid= setgid= map-user= map-group=", NULL },
        { "unxz", ACT_READ, READS, 0, "", NULL },
        { "unzip", ACT_NAMES, 0, 0, "d=w x= P=", NULL },
        { "uuencode", ACT_READ, SHOWS, 0, "", NULL },
        { "valgrind", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "vi", ACT_ESCAPES, READS, 0, "c=e S=S u=S cmd=e", judge_escapes },
        { "view", ACT_ESCAPES, READS, 0, "c=e S=S u=S cmd=e", judge_escapes },
        { "vim", ACT_ESCAPES, READS, 0, "c=e S=S u=S s=S w=w cmd=e", judge_escapes },
        { "vimdiff", ACT_ESCAPES, READS, 0, "c=e S=S u=S cmd=e", judge_escapes },
        { "watch", ACT_TEXT, ORDERED, 0, "n= interval= d? differences? q= equexit=", NULL },
        { "wc", ACT_READ, READS, 0, "files0-from=r", NULL },
        { "wget", ACT_FETCH, NETWORK | READS, 0, WGET, judge_fetch },
        { "whatis", ACT_NAMES, 0, 0, "", NULL },
        { "whereis", ACT_NAMES, 0, 0, "", NULL },
        { "which", ACT_NAMES, 0, 0, "", NULL },
        { "with-contenv", ACT_COMMAND, ORDERED, 0, "", NULL },
        { "xargs", ACT_SPECIAL, ORDERED, 0,
          "a=r arg-file=r d= E= e? I= i? L= l? n= P= s= delimiter= eof? replace? max-lines? max-args= max-procs= max-chars= "
          "process-slot-var=",
          judge_xargs },
        { "xvfb-run", ACT_COMMAND, ORDERED, 0, "n= s= e=w f= p= w= server-num= server-args= error-file=w", NULL },
        { "xxd", ACT_READ, SHOWS, 0, "c= g= l= s= o= cols= groupsize= len= seek=", NULL },
        { "xz", ACT_READ, READS, 0, "T= S=", NULL },
        { "xzcat", ACT_READ, SHOWS, 0, "", NULL },
        { "yarn", ACT_SPECIAL, 0, 0, "registry=u cwd=d script-shell=X", judge_package },
        { "yash", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "yq", ACT_PATTERN, SHOWS, 0, "i! from-file=S", NULL },
        { "zcat", ACT_READ, SHOWS, 0, "", NULL },
        { "zgrep", ACT_PATTERN, READS, 0, GREP, NULL },
        { "zip", ACT_READ, READS, 0, "T! TT=x unzip-command=x i= x= b= O=w", NULL },
        { "zsh", ACT_SHELL, ORDERED | FROM_INPUT, 0, SHELL_OPTIONS, judge_shell },
        { "zstd", ACT_READ, READS, 0, "o=w T=", NULL },
        { "zstdcat", ACT_READ, SHOWS, 0, "", NULL },
};

const size_t program_count = sizeof(programs) / sizeof(*programs);

/* Names with a version or an architecture in them are the same program: python3.11, x86_64-linux-gnu-gcc is not one we
 * know. */
static const struct program *find_exact(struct str name) {
        size_t low = 0, high = program_count;

        while (low < high) {
                size_t middle = (low + high) / 2;
                int order = str_cmp(name, str_z(programs[middle].name));

                if (order == 0)
                        return &programs[middle];
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return NULL;
}

static const struct program loader = {
        "ld.so", ACT_COMMAND, ORDERED, 0, "library-path= preload=X audit=X argv0= inhibit-rpath=", judge_loader
};
static const struct program personality = { "linux64", ACT_COMMAND, ORDERED, 0, "", NULL };

const struct program *program_find(struct str name) {
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
