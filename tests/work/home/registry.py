#!/usr/bin/env python3
"""The package registries of tests/work/home: one package, "answer", for every package manager.

    registry.py make DIRECTORY                 make them
    registry.py serve DIRECTORY COMMAND...     serve them on 127.0.0.1:4873 while a command runs; its exit status

Of each request a line goes to the file that $REGISTRY_LOG names. The address is fixed because caches know packages by their URL: whoever
calls this has a network namespace of its own.
"""
import base64
import functools
import hashlib
import http.server
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile

PORT = 4873
URL = f"http://127.0.0.1:{PORT}"


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def tar(files):
    """A .tar.gz of {name: text}"""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as out:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            out.addfile(entry, io.BytesIO(text.encode()))
    return archive.getvalue()


def zipped(files):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as out:
        for name, text in files.items():
            out.writestr(name, text)
    return archive.getvalue()


def npm_package(root, manifest, files):
    """Adds a package that `npm pack` makes."""
    name, version = manifest["name"], manifest["version"]
    source = os.path.join(root, "source", name)
    for path, text in files.items():
        write(os.path.join(source, path), text)
    write(os.path.join(source, "package.json"), json.dumps(manifest))
    subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", source], cwd=os.path.join(root, "source"), check=True,
                   stdout=subprocess.DEVNULL)
    with open(os.path.join(root, "source", f"{name}-{version}.tgz"), "rb") as file:
        tarball = file.read()
    dist = {
        "tarball": f"{URL}/npm/{name}/-/{name}-{version}.tgz",
        "shasum": hashlib.sha1(tarball).hexdigest(),
        "integrity": "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode(),
    }
    write(f"{root}/npm/{name}/-/{name}-{version}.tgz", tarball)
    write(f"{root}/npm/{name}/index.json", json.dumps({
        "name": name, "dist-tags": {"latest": version}, "time": {version: "2020-01-01T00:00:00.000Z"},
        "versions": {version: {**manifest, "dist": dist}},
    }))


def make_npm(root):
    npm_package(root, {"name": "forty", "version": "1.0.0", "main": "forty.js"}, {"forty.js": "module.exports = 40;\n"})
    npm_package(root, {
        "name": "answer", "version": "1.0.0", "main": "answer.js", "bin": {"answer": "cli.js"}, "dependencies": {"forty": "^1.0.0"},
        "scripts": {"install": "node -e \"require('fs').writeFileSync('installed', 'yes')\""},
    }, {
        "answer.js": "module.exports = require('forty') + 2;\n",
        "cli.js": "#!/usr/bin/env node\nconsole.log(require('./answer.js'));\n",
    })


def make_pypi(root):
    info = "answer-1.0.dist-info"
    write(f"{root}/pypi/answer/answer-1.0-py3-none-any.whl", zipped({
        "answer.py": "VALUE = 42\n\ndef main():\n    print(VALUE)\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: answer\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nanswer = answer:main\n",
        f"{info}/RECORD": f"answer.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/entry_points.txt,,\n{info}/RECORD,,\n",
    }))
    name = "answer-1.0-py3-none-any.whl"
    write(f"{root}/pypi/answer/index.html", f'<!DOCTYPE html><html><body><a href="{name}">{name}</a></body></html>\n')


def make_cargo(root):
    crate = tar({
        "answer-1.0.0/Cargo.toml": '[package]\nname = "answer"\nversion = "1.0.0"\nedition = "2018"\n',
        "answer-1.0.0/src/lib.rs": "pub fn answer() -> i32 { 42 }\n",
    })
    write(f"{root}/crates/answer/1.0.0/download", crate)
    index = f"{root}/crates-index"
    write(f"{index}/config.json", json.dumps({"dl": f"{URL}/crates"}))
    write(f"{index}/an/sw/answer", json.dumps({
        "name": "answer", "vers": "1.0.0", "deps": [], "cksum": hashlib.sha256(crate).hexdigest(), "features": {}, "yanked": False,
    }) + "\n")
    for command in (["init", "--quiet", "--initial-branch=master"], ["add", "."],
                    ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "-m", "index"]):
        subprocess.run(["git", "-C", index, *command], check=True)


def make_go(root):
    module = "example.com/answer"
    go_mod = f"module {module}\n\ngo 1.16\n"
    at = f"{root}/go/{module}/@v"
    write(f"{at}/list", "v1.0.0\n")
    write(f"{at}/v1.0.0.info", json.dumps({"Version": "v1.0.0", "Time": "2020-01-01T00:00:00Z"}))
    write(f"{at}/v1.0.0.mod", go_mod)
    write(f"{at}/v1.0.0.zip", zipped({
        f"{module}@v1.0.0/go.mod": go_mod,
        f"{module}@v1.0.0/answer.go": "package answer\n\nfunc Answer() int { return 42 }\n",
    }))


def make_gems(root):
    source = f"{root}/source/gem"
    write(f"{source}/answer.gemspec", """Gem::Specification.new do |s|
  s.name = 'answer'
  s.version = '1.0.0'
  s.summary = 'the answer'
  s.authors = ['test']
  s.files = ['lib/answer.rb']
end
""")
    write(f"{source}/lib/answer.rb", "ANSWER = 42\n")
    gems = f"{root}/gems/gems"
    os.makedirs(gems)
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["gem", "build", "--silent", "answer.gemspec", "-o", f"{gems}/answer-1.0.0.gem"], cwd=source, **quiet)
    subprocess.run(["gem", "generate_index", "--directory", f"{root}/gems"], **quiet)


def make_maven(root):
    """One that maven and gradle share."""
    source = f"{root}/source/java"
    write(f"{source}/answer/Answer.java", "package answer;\n\npublic class Answer {\n        public static int value() { return 42; }\n}\n")
    subprocess.run(["javac", "-d", f"{source}/out", f"{source}/answer/Answer.java"], check=True)
    with open(f"{source}/out/answer/Answer.class", "rb") as file:
        program = file.read()
    files = {
        "answer-1.0.jar": zipped({"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\n", "answer/Answer.class": program}),
        "answer-1.0.pom": b"<project><modelVersion>4.0.0</modelVersion><groupId>com.example</groupId><artifactId>answer</artifactId>"
                          b"<version>1.0</version></project>\n",
    }
    for name, content in files.items():
        path = f"{root}/maven/com/example/answer/1.0/{name}"
        write(path, content)
        write(f"{path}.sha1", hashlib.sha1(content).hexdigest())


def make(root):
    """Those whose tools are there; the work that needs another is skipped."""
    for tool, part in ((None, make_pypi), (None, make_go), ("npm", make_npm), ("git", make_cargo), ("gem", make_gems), ("javac", make_maven)):
        if tool is None or shutil.which(tool):
            part(root)


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *arguments):  # pylint: disable=redefined-builtin
        if "REGISTRY_LOG" in os.environ:
            with open(os.environ["REGISTRY_LOG"], "a", encoding="utf-8") as log:
                log.write(format % arguments + "\n")

    def translate_path(self, path):
        # A directory stands for the file about it, with or without a slash at the end.
        path = super().translate_path(path)
        for name in ("index.json", "index.html"):
            if os.path.isfile(os.path.join(path, name)):
                return os.path.join(path, name)
        return path

    def end_headers(self):
        # Pages may change, packages never do.
        page = os.path.basename(self.translate_path(self.path)) in ("index.json", "index.html", "list")
        self.send_header("Cache-Control", "max-age=0" if page else "max-age=365000000, immutable")
        super().end_headers()


def serve(root, command):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), functools.partial(Handler, directory=root))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    else:
        sys.exit(serve(sys.argv[2], sys.argv[3:]))
