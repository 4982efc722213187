# shellcheck shell=bash
# For lib.sh, as root of the namespaces of a test: homes on a disk, a person with a name, the registries in their place, and a network.
: "${T:?}" "${H:?}" "${W=}" "${uid:?}"

# Also where bailey keeps homes of workspaces: overlays on a tmpfs need a newer kernel.
for place in "${H%/agent}" /var/lib /var/tmp; do
        mkdir -p -m 1777 "$T/disk/$place" && mount --bind "$T/disk/$place" "$place" || exit 1
done
mkdir -p "$H"
if [ "$uid" != 0 ]; then
        # Java takes a person's home from here
        grep -v -e "^[^:]*:[^:]*:$uid:" -e '^agent:' /etc/passwd >/run/passwd
        echo "agent:x:$uid:$uid::$H:/bin/bash" >>/run/passwd
        mount --bind /run/passwd /etc/passwd || exit 1
fi
cp -R "$T/../registry" /srv/registry && chown -R "$uid:$uid" /srv/registry || exit 1
ip link set lo up || exit 1
PATH=/srv/registry/bin:$PATH

# home_fresh: a second workspace, and no homes of workspaces that earlier work has left
home_fresh() {
        find /var/lib /var/tmp -mindepth 1 -delete
        mkdir -p "$H/other" "$H/.local/state"
}

# home_note NAME: what is in the home besides the workspaces and bailey's state, in $T/NAME. Times of directories may change, as
# bailey makes its own in them.
home_note() {
        find "$H" \( -path "$W" -o -path "$H/other" -o -path "$H/.local/state/bailey" \) -prune -o \
                \( -type d -printf '%P/ %m %U\n' \) -o \( -type f -printf '%P %m %U %T@\n' -exec sha256sum {} + \) -o \
                -printf '%P %y %m %U %l\n' | sort >"$T/$1"
}

# ---- projects that need the package "answer", for the hooks ----

# What runs for seconds is not worth the second compiler of Java, nor threads that collect its garbage.
java_flags='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'

npm_project() {
        cat >package.json <<'EOF'
{ "name": "project", "version": "1.0.0", "private": true, "dependencies": { "answer": "^1.0.0" },
  "scripts": { "test": "answer && node -e \"process.exit(require('answer') === 42 ? 0 : 1)\"" },
  "pnpm": { "onlyBuiltDependencies": ["answer"] } }
EOF
        printf '%s\n' registry=http://127.0.0.1:4873/npm/ audit=false fund=false update-notifier=false >.npmrc
}

yarn_project() {
        npm_project
        # where it is for anybody but root
        if [ "$uid" = 0 ]; then echo "cache-folder \"$H/.cache/yarn\"" >.yarnrc; fi
}

cargo_project() {
        mkdir -p src .cargo
        printf '[package]\nname = "project"\nversion = "1.0.0"\nedition = "2018"\n\n[dependencies]\nanswer = "1"\n' >Cargo.toml
        printf 'fn main() {\n    println!("{}", answer::answer());\n}\n\n#[test]\nfn is_right() {\n    assert_eq!(answer::answer(), 42);\n}\n' \
                >src/main.rs
        printf '[source.crates-io]\nreplace-with = "mirror"\n\n[source.mirror]\nregistry = "file:///srv/registry/crates-index"\n' \
                >.cargo/config.toml
}

go_project() {
        printf 'module example.com/project\n\ngo 1.16\n\nrequire example.com/answer v1.0.0\n' >go.mod
        printf 'package main\n\nimport (\n\t"fmt"\n\n\t"example.com/answer"\n)\n\nfunc main() {\n\tfmt.Println(answer.Answer())\n}\n' >main.go
}

gem_project() {
        printf 'source "http://127.0.0.1:4873/gems"\ngem "answer"\n' >Gemfile
}

java_source() {
        mkdir -p "$1"
        printf 'public class Main {\n\tpublic static void main(String[] a) { System.out.println(answer.Answer.value()); }\n}\n' >"$1/Main.java"
}

maven_project() {
        java_source src/main/java
        mkdir .mvn && echo "$java_flags" >.mvn/jvm.config
        cat >pom.xml <<'EOF'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId><artifactId>project</artifactId><version>1.0</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies><dependency><groupId>com.example</groupId><artifactId>answer</artifactId><version>1.0</version></dependency></dependencies>
</project>
EOF
        # Debian's maven has its plugins there
        cat >settings.xml <<'EOF'
<settings>
  <mirrors><mirror><id>system</id><mirrorOf>central</mirrorOf><url>file:///usr/share/maven-repo</url></mirror></mirrors>
  <profiles><profile><id>local</id><repositories><repository>
    <id>local</id><url>file:///srv/registry/maven</url>
  </repository></repositories></profile></profiles>
  <activeProfiles><activeProfile>local</activeProfile></activeProfiles>
</settings>
EOF
}

gradle_project() {
        java_source src/main/java
        echo "rootProject.name = 'project'" >settings.gradle
        echo "org.gradle.jvmargs=-XX:-UseContainerSupport $java_flags" >gradle.properties
        printf 'export JAVA_OPTS="-XX:-UseContainerSupport %s"\n' "$java_flags" >java.sh
        cat >build.gradle <<'EOF'
apply plugin: 'application'
mainClassName = 'Main'
repositories { maven { url 'http://127.0.0.1:4873/maven' } }
dependencies { compile 'com.example:answer:1.0' }
EOF
}

cmake_project() {
        printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(x C)' 'enable_testing()' 'add_executable(x main.c)' \
                'add_test(NAME x COMMAND x)' >CMakeLists.txt
        printf '#include <stdio.h>\nint main(void) { return printf("42\\n") != 3; }\n' >main.c
}

# ---- private places ----

# make_parent FILE: its directory; mostly that is there, and no program is started for it
make_parent() {
        [ -d "${1%/*}" ] || mkdir -p "${1%/*}"
}

# make_private: the paths of private.txt, and the settings of settings.txt, each with a mark that the person can read
make_private() {
        local path place text count=0

        while IFS= read -r path; do
                place=$H/$path
                make_parent "$place" && echo "private-mark of $path" >"$place" || return
                count=$((count + 1))
        done </srv/registry/private.txt
        while IFS=$'\t' read -r path text; do
                make_parent "$H/$path" && printf '%b\n' "$text" >"$H/$path" || return
                count=$((count + 1))
        done </srv/registry/settings.txt
        test "$count" -ge 500 && test "$(grep -rl 'private-mark' "$H" | wc -l)" = "$count"
}

# make_system: the paths of system.txt, which only root can read. What is there in /etc stays there. drop_system afterwards.
make_system() {
        local place count=0

        mkdir -p "$T/disk/etc" "$T/disk/etc-work"
        mount -t overlay -o "lowerdir=/etc,upperdir=$T/disk/etc,workdir=$T/disk/etc-work" bailey-work /etc ||
                mount -t overlay -o "userxattr,lowerdir=/etc,upperdir=$T/disk/etc,workdir=$T/disk/etc-work" bailey-work /etc || return
        for place in /var/backups /var/cache /var/log /var/spool /opt /usr/local/etc; do
                mount -t tmpfs -o mode=755 bailey-work "$place" || return
        done
        while IFS= read -r place; do
                make_parent "$place" && echo "private-mark of $place" >"$place" && chmod 600 "$place" || return
                # outside of these namespaces, who prepares this may be the person
                if [ "$uid" != 0 ] && [ -O "$place" ] && [ "$(id -u)" = "$uid" ]; then chmod 0 "$place"; fi
                count=$((count + 1))
        done </srv/registry/system.txt
        test "$count" -ge 100
}

drop_system() {
        umount /etc /var/backups /var/cache /var/log /var/spool /opt /usr/local/etc
}
