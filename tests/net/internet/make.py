#!/usr/bin/env python3
"""Makes what the made-up internet serves: make.py DIRECTORY

A certification authority and a certificate for all of names.txt, repositories of git, registries for npm and pip (those of tests/work/home),
an archive for apt, keys for ssh. Everything is made, nothing is fetched.
"""
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile

import resolver

HERE = os.path.dirname(os.path.abspath(__file__))


def run(*words, **more):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def make_certificates(root):
    names = [name for name in resolver.read_names(f"{HERE}/names.txt") if "_" not in name]
    extensions = "subjectAltName=" + ",".join(f"DNS:{name}" for name in names)
    new = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650"]
    run(*new, "-subj", "/CN=Made-up internet", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        "-keyout", f"{root}/ca-key.pem", "-out", f"{root}/ca.pem")
    run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=web.example", "-addext", extensions,
        "-keyout", f"{root}/key.pem", "-out", f"{root}/request.pem")
    run("openssl", "x509", "-req", "-in", f"{root}/request.pem", "-CA", f"{root}/ca.pem", "-CAkey", f"{root}/ca-key.pem", "-days", "3650",
        "-copy_extensions", "copy", "-out", f"{root}/certificate.pem")
    for name, host, days in (("expired", "expired.example", "-1"), ("wrong", "web.example", "3650")):
        run("openssl", "req", "-new", "-key", f"{root}/key.pem", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}",
            "-out", f"{root}/request.pem")
        run("openssl", "x509", "-req", "-in", f"{root}/request.pem", "-CA", f"{root}/ca.pem", "-CAkey", f"{root}/ca-key.pem", "-days", days,
            "-copy_extensions", "copy", "-out", f"{root}/{name}.pem")
    run("openssl", "req", "-x509", "-key", f"{root}/key.pem", "-days", "3650", "-subj", "/CN=self.example",
        "-addext", "subjectAltName=DNS:self.example", "-out", f"{root}/self.pem")
    if shutil.which("keytool"):
        run("keytool", "-importcert", "-noprompt", "-alias", "made-up", "-file", f"{root}/ca.pem", "-keystore", f"{root}/cacerts",
            "-storepass", "changeit", "-storetype", "JKS")


def make_git(root):
    work, bare = f"{root}/work", f"{root}/git/agent/hello.git"
    write(f"{work}/hello.txt", "hello from a repository\n")
    for words in (["init", "--quiet", "--initial-branch=main"], ["add", "."],
                  ["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "first"]):
        run("git", "-C", work, *words)
    run("git", "clone", "--quiet", "--bare", work, bare)
    run("git", "-C", bare, "config", "http.receivepack", "true")
    write(f"{bare}/git-daemon-export-ok", "")


def make_packages(root):
    spec = importlib.util.spec_from_file_location("registry", f"{HERE}/../../work/home/registry.py")
    registry = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(registry)
    registry.URL = "https://registry.npmjs.org"
    made = f"{root}/made"
    registry.make_pypi(made)
    os.makedirs(f"{root}/wheels")
    wheel = "answer-1.0-py3-none-any.whl"
    os.rename(f"{made}/pypi/answer/{wheel}", f"{root}/wheels/{wheel}")
    write(f"{root}/pypi/simple/answer/index.html",
          f'<!DOCTYPE html><html><body><a href="https://files.pythonhosted.org/{wheel}">{wheel}</a></body></html>\n')
    if shutil.which("npm"):
        registry.make_npm(made)
        os.makedirs(f"{root}/npm")
        os.rename(f"{made}/npm", f"{root}/npm/npm")  # tarballs are at /npm/NAME/-/
        for name in os.listdir(f"{root}/npm/npm"):
            os.symlink(f"npm/{name}", f"{root}/npm/{name}")


def ar_member(name, content):
    return f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)


def tarball(files):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz", format=tarfile.GNU_FORMAT) as out:
        for name, text in files.items():
            entry = tarfile.TarInfo("./" + name)
            entry.size = len(text)
            out.addfile(entry, io.BytesIO(text.encode()))
    return archive.getvalue()


def make_debian(root):
    control = ("Package: answer\nVersion: 1.0\nArchitecture: all\nMaintainer: a <a@example.com>\nDescription: the answer\n")
    package = b"!<arch>\n" + ar_member("debian-binary", b"2.0\n") + ar_member("control.tar.gz", tarball({"control": control})) + \
        ar_member("data.tar.gz", tarball({"usr/share/answer": "42\n"}))
    pool, name = "pool/main/a/answer", "answer_1.0_all.deb"
    write(f"{root}/debian/debian/{pool}/{name}", package)
    packages = f"{control}Filename: {pool}/{name}\nSize: {len(package)}\nSHA256: {hashlib.sha256(package).hexdigest()}\n\n"
    write(f"{root}/debian/debian/dists/stable/main/binary-all/Packages", packages)
    listed = f" {hashlib.sha256(packages.encode()).hexdigest()} {len(packages)} main/binary-all/Packages\n"
    write(f"{root}/debian/debian/dists/stable/Release",
          "Origin: test\nSuite: stable\nCodename: stable\nArchitectures: all\nComponents: main\nDate: Thu, 01 Jan 2026 00:00:00 UTC\n"
          f"SHA256:\n{listed}")


def make_ssh(root):
    for name in ("host_key", "user_key"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", f"{root}/{name}")
    with open(f"{root}/host_key.pub", encoding="ascii") as file:
        write(f"{root}/known_hosts", "github.com " + file.read())


def main():
    root = os.path.abspath(sys.argv[1])
    os.makedirs(root, exist_ok=True)
    shutil.copy(f"{HERE}/names.txt", root)
    make_certificates(root)
    make_git(root)
    make_packages(root)
    make_debian(root)
    make_ssh(root)


main()
