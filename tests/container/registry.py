#!/usr/bin/env python3
"""A registry with one image, tiny:1, made of a busybox: registry.py PORT BUSYBOX. Serves what `docker pull` asks for, slowly."""

import gzip
import hashlib
import http.server
import io
import json
import sys
import tarfile
import time


def layer(busybox):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name in ("bin", "tmp", "var", "var/tmp"):
            info = tarfile.TarInfo(name)
            info.type, info.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(info)
        tar.add(busybox, "bin/busybox")
        for name in ("sh", "echo"):
            info = tarfile.TarInfo("bin/" + name)
            info.type, info.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(info)
    return raw.getvalue()


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def contents(busybox):
    raw = layer(busybox)
    packed = gzip.compress(raw, mtime=0)
    config = json.dumps({"architecture": "amd64", "os": "linux", "config": {"Env": ["PATH=/bin"]},
                         "rootfs": {"type": "layers", "diff_ids": [digest(raw)]}}).encode()
    kind = "application/vnd.docker.distribution.manifest.v2+json"
    manifest = json.dumps({
        "schemaVersion": 2, "mediaType": kind,
        "config": {"mediaType": "application/vnd.docker.container.image.v1+json", "size": len(config), "digest": digest(config)},
        "layers": [{"mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip", "size": len(packed), "digest": digest(packed)}],
    }).encode()
    found = {"/v2/": ("application/json", b"{}")}
    for data in (config, packed):
        found["/v2/tiny/blobs/" + digest(data)] = ("application/octet-stream", data)
    for name in ("1", digest(manifest)):
        found["/v2/tiny/manifests/" + name] = (kind, manifest)
    return found


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, body):
        kind, data = self.server.found.get(self.path, (None, b""))
        self.send_response(200 if kind else 404)
        self.send_header("Content-Type", kind or "text/plain")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Docker-Distribution-API-Version", "registry/2.0")
        if "/manifests/" in self.path:
            self.send_header("Docker-Content-Digest", digest(data))
        self.end_headers()
        for start in range(0, len(data) if body else 0, 1 << 18):
            self.wfile.write(data[start:start + (1 << 18)])
            time.sleep(0.05)

    def do_GET(self):
        self.answer(True)

    def do_HEAD(self):
        self.answer(False)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
server.found = contents(sys.argv[2])
server.serve_forever()
