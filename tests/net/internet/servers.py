#!/usr/bin/env python3
"""The servers of the made-up internet: servers.py DIRECTORY LOG ADDRESS...   or   servers.py DIRECTORY LOG --host ADDRESS...

DIRECTORY is what make.py made. At each address are http and https; at some addresses of names.txt more, by the table PORTS. LOG gets a line
of each connection, request and datagram, so that tests can see who came, and that nobody did. With --host it is what runs on the user's own
machine, which commands must not reach.
"""
import base64
import hashlib
import http.server
import ipaddress
import os
import re
import resource
import selectors
import socket
import ssl
import struct
import subprocess
import sys
import threading

import resolver

BLOCK = 1 << 20
STALE = 13
DIRECTORY = sys.argv[1]
LOG = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
ON_HOST = "--host" in sys.argv
NAMES = resolver.read_names(f"{DIRECTORY}/names.txt")


def log(*words):
    os.write(LOG, (" ".join(str(word) for word in words) + "\n").encode())


def where(connection):
    """The address and port that somebody wanted, as logs have it."""
    address, port = connection.getsockname()[:2]
    return f"{address} {port}"


def is_secret(address):
    """Is that an address that no command is to reach?"""
    return ON_HOST or not ipaddress.ip_address(address).is_global or address.startswith(("64:ff9b:", "2002:", "168.63.129.16"))


def receive_all(connection):
    while block := connection.recv(BLOCK):
        yield block


# ---- http ----

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *arguments):  # pylint: disable=redefined-builtin
        pass

    def say(self, body, status=200, **headers):
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def host(self):
        return re.sub(r":\d+$", "", self.headers.get("Host", "")).lower()

    def do_GET(self):
        log("http", where(self.connection), self.host() or "-", self.command, self.path)
        for name in ("Authorization", "Private-Token"):
            if self.headers.get_all(name):
                log("header", self.host(), name, *self.headers.get_all(name))
        address = self.connection.getsockname()[0]
        if is_secret(address):
            self.say(f"SECRET of {address}\n")
            return
        site = SITES.get(self.host(), ordinary)
        site(self, self.path.partition("?")[0])

    do_HEAD = do_POST = do_PUT = do_GET

    def do_CONNECT(self):
        """A proxy to everywhere, for those who find one."""
        log("connect", where(self.connection), self.path)
        self.say("SECRET of a proxy\n")

    def body(self):
        """In blocks."""
        if self.headers.get("Transfer-Encoding", "") == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return
        left = int(self.headers.get("Content-Length", 0))
        while left and (block := self.rfile.read(min(left, BLOCK))):
            left -= len(block)
            yield block


def ordinary(handler, path):
    what, _, more = path.lstrip("/").partition("/")
    if handler.path.startswith("http://"):
        handler.say("SECRET of a proxy\n")
    elif what == "ws":
        websocket(handler)
    elif what == "bytes":
        handler.say(b"x" * int(more))
    elif what == "sum":
        digest, size = hashlib.sha256(), 0
        for block in handler.body():
            digest.update(block)
            size += len(block)
        handler.say(f"{size} {digest.hexdigest()}\n")
    elif what == "redirect":
        handler.say("", 302, Location=f"http://{more}/")
    elif what == "dns-query":
        handler.say("an answer of DNS over HTTPS\n")
    else:
        handler.say(f"hello from {handler.host() or '-'}\n")


def websocket(handler):
    """Returns each text that comes, until the client has had enough."""
    key = handler.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    handler.send_response(101)
    for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade"),
                        ("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())):
        handler.send_header(name, value)
    handler.end_headers()
    while len(head := handler.rfile.read(2)) == 2:
        size = head[1] & 127
        mask = handler.rfile.read(4)
        text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(handler.rfile.read(size)))
        handler.wfile.write(bytes([head[0], size]) + text)
        if head[0] & 15 == 8:
            handler.rfile.read()  # until the client has closed: what it sends to a closed connection would reset it
            break
    handler.close_connection = True


def files(under):
    """A site of files; a directory stands for the page about it."""
    def site(handler, path):
        path = os.path.normpath(os.path.join(DIRECTORY, under, path.strip("/")))
        for name in (path, os.path.join(path, "index.json"), os.path.join(path, "index.html")):
            if path.startswith(DIRECTORY) and os.path.isfile(name):
                with open(name, "rb") as file:
                    handler.say(file.read(), Content_Type="text/html" if name.endswith("html") else "application/octet-stream")
                return
        handler.say("not found\n", 404)
    return site


def git(handler, path):
    """As a web server runs git http-backend."""
    environment = {
        "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": f"{DIRECTORY}/git", "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "agent",
        "PATH_INFO": path, "QUERY_STRING": handler.path.partition("?")[2], "REQUEST_METHOD": handler.command,
        "CONTENT_TYPE": handler.headers.get("Content-Type", ""), "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding", ""),
        "HTTP_GIT_PROTOCOL": handler.headers.get("Git-Protocol", ""), "REMOTE_ADDR": "192.0.2.1", "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
    }
    body = b"".join(handler.body())
    environment["CONTENT_LENGTH"] = str(len(body))
    output = subprocess.run(["git", "http-backend"], env=environment, input=body, stdout=subprocess.PIPE, check=False).stdout
    head, _, content = output.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
    handler.say(content, int(headers.pop("Status", "200").split()[0]), **{name.replace("-", "_"): value for name, value in headers.items()})


SITES = {"github.com": git, "registry.npmjs.org": files("npm"), "pypi.org": files("pypi"), "files.pythonhosted.org": files("wheels"),
         "deb.debian.org": files("debian")}


class Connection:
    """What a handler calls its server."""
    server_name, server_port = "internet", 80


def speak_http(connection):
    Handler(connection, connection.getpeername(), Connection)


def speak_tls(connection, speak, context=None):
    try:
        with (context or TLS).wrap_socket(connection, server_side=True) as secure:
            speak(secure)
    except (ssl.SSLError, OSError):
        pass


def speak_https(connection):
    speak_tls(connection, speak_http)


def with_certificate(name):
    """https with another one."""
    def speak(connection):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{DIRECTORY}/{name}.pem", f"{DIRECTORY}/key.pem")
        speak_tls(connection, speak_http, context)
    return speak


def no_tls(connection):
    connection.recv(65536)
    connection.sendall(b"\x16\x03\x01\x40\x00" + os.urandom(65536))


def cut_tls(connection):
    """Half of a hello."""
    connection.recv(65536)
    connection.sendall(b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03")


def mute(connection):
    receive_all(connection)
    FOREVER.append(connection.dup())


def endless_head(connection):
    speak_tls(connection, endless)


def say_bytes(secure):
    """All that came, also behind the request."""
    data = secure.recv(65536)
    secure.settimeout(0.3)
    try:
        while block := secure.recv(65536):
            data += block
    except OSError:
        pass
    log("raw", repr(data))
    secure.settimeout(None)
    secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nseen\n")


def raw(connection):
    speak_tls(connection, say_bytes)


def note_name(connection, name, _):
    log("sni", where(connection), name)


# ---- other protocols ----

def mirror(connection):
    """Says what it saw first: nothing that the gateway refuses gets here."""
    data = connection.recv(65536)
    while 0 < len(data) < 20000 and connection_waits(connection):
        more = connection.recv(65536)
        if not more:
            break
        data += more
    log("bytes", where(connection), len(data), data[:24].hex())
    if data:
        connection.sendall(f"SEEN {len(data)}\n".encode())


def connection_waits(connection):
    """Does more come, soon? The one place where time counts: to see a hello in pieces as one."""
    with selectors.DefaultSelector() as wait:
        wait.register(connection, selectors.EVENT_READ)
        return bool(wait.select(0.05))


def greet(connection):
    """Speaks first, then returns what comes."""
    connection.sendall(b"220 welcome\n")
    for block in receive_all(connection):
        connection.sendall(block)


def pattern(size):
    """Bytes of which no two blocks are equal."""
    block = bytearray(os.urandom(BLOCK))
    for at in range(0, size, BLOCK):
        block[:8] = at.to_bytes(8, "big")
        yield bytes(block[:min(BLOCK, size - at)])


def source(connection):
    """A number in a line: so many bytes, then their sum."""
    with connection.makefile("rb") as lines:
        size = int(lines.readline())
    digest = hashlib.sha256()
    for block in pattern(size):
        digest.update(block)
        connection.sendall(block)
    connection.sendall(digest.digest())


def sink(connection):
    """Reads to the end, and says how much that was; log, too."""
    digest, size = hashlib.sha256(), 0
    for block in receive_all(connection):
        digest.update(block)
        size += len(block)
    log("sunk", where(connection), size)
    connection.sendall(f"{size} {digest.hexdigest()}\n".encode())


def half_close(connection):
    """Ends its own side first, and reads on."""
    connection.sendall(b"that was all\n")
    connection.shutdown(socket.SHUT_WR)
    log("heard", where(connection), sum(map(len, receive_all(connection))))


def reset(connection):
    connection.recv(1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def report_reset(connection):
    """How the client ended it."""
    connection.sendall(b"x")
    try:
        end = "end" if not connection.recv(1) else "data"
        while end == "data":
            end = "end" if not connection.recv(1) else "data"
    except ConnectionResetError:
        end = "reset"
    log("ended", where(connection), end)


def stale(connection):
    """Never reads."""
    FOREVER.append(connection.dup())


def slow(connection):
    """Sends as long as somebody takes it, and says how much that was."""
    block = b"s" * BLOCK
    sent = 0
    connection.settimeout(1)
    try:
        while sent < 1 << 30:
            sent += connection.send(block)
    except OSError:
        pass
    log("blocked", where(connection), sent)
    receive_all(connection)


# ---- proxies ----

LOGIN = "Basic " + base64.b64encode(b"agent:open sesame").decode()


def read_head(connection):
    """The lines of a request, without the empty one; nothing behind them is read."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            raise OSError("no request")
        head += byte
    return head.decode().split("\r\n")[:-2]


def pass_on(source_end, target_end):
    try:
        for block in receive_all(source_end):
            target_end.sendall(block)
        target_end.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def forward(connection, lines, headers, name, path):
    """One request, and the answer to it; then it is over, as the client has to see for itself."""
    with socket.create_connection((str(NAMES[name].addresses[0]), 80)) as host:
        method = lines[0].split(" ")[0]
        kept = [line for line in lines[1:] if not line.lower().startswith(("proxy-", "connection:"))]
        host.sendall("\r\n".join([f"{method} /{path} HTTP/1.1", *kept, "Connection: close", "", ""]).encode())
        left = int(headers.get("content-length", 0))
        while left and (block := connection.recv(min(left, BLOCK))):
            left -= len(block)
            host.sendall(block)
        for block in receive_all(host):
            connection.sendall(block)


def tunnel(connection, login=None):
    """To whatever name is asked for, which it resolves by itself, and has no use for addresses. Like squid it takes CONNECT not for plain HTTP."""
    lines = read_head(connection)
    method, place, _ = lines[0].split(" ")
    log("proxy", where(connection), method, place)
    name, _, port = place.rpartition(":")
    headers = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines[1:]}
    if place.startswith("http://"):
        name, _, path = place[len("http://"):].partition("/")
    if headers.get("host") not in (place, name):
        connection.sendall(b"HTTP/1.1 400 SECRET of a proxy\r\n\r\n")
    elif login and headers.get("proxy-authorization") != login:
        connection.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\nSECRET")
    elif port == "80":
        connection.sendall(b"HTTP/1.1 403 SECRET of a proxy\r\n\r\n")
    elif name not in NAMES or not NAMES[name].addresses:
        connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 16\r\n\r\nthe proxy: none\n")
    elif method != "CONNECT":
        forward(connection, lines, headers, name, path)
    else:
        with socket.create_connection((str(NAMES[name].addresses[0]), int(port))) as host:
            connection.sendall(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 gate\r\n\r\n")
            back = threading.Thread(target=pass_on, args=(host, connection), daemon=True)
            back.start()
            pass_on(connection, host)
            back.join()


def tunnel_with_login(connection):
    tunnel(connection, LOGIN)


def garbage(connection):
    read_head(connection)
    connection.sendall(b"SSH-2.0-SECRET\r\n")


def endless(connection):
    read_head(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X: SECRET\r\n" * 1000)


def hang_up(connection):
    read_head(connection)


FOREVER = []

# Port -> what is spoken there, beside http and https everywhere.
PORTS = {
    "echo.example": {8: greet, 9: sink, 11: half_close, 12: reset, STALE: stale, 14: report_reset, 19: source, 20: slow, 22: greet, 443: greet},
    "mirror.example": {80: mirror, 443: mirror, 22: mirror, 8443: mirror},
    "mirror6.example": {80: mirror, 443: mirror},
    "web.example": {853: mirror, 8080: speak_http, 8443: speak_https},
    "evil.example": {22: greet, 7: mirror, 853: mirror, 8080: speak_http, 5432: mirror},
    "proxy.example": {80: speak_http, 443: speak_http, 22: mirror},
    "h2.example": {443: None},
    "gate.example": {3128: tunnel},
    "login.example": {3128: tunnel_with_login},
    "broken-gate.example": {3128: garbage, 3129: endless, 3130: hang_up},
    "expired.example": {443: with_certificate("expired")},
    "wrong.example": {443: with_certificate("wrong")},
    "self.example": {443: with_certificate("self")},
    "garbled.example": {443: no_tls},
    "cut.example": {443: cut_tls},
    "mute.example": {443: mute},
    "endless.example": {443: endless_head},
    "raw.example": {443: raw},
    "db.example": {},
    "github.com": {},
}


class Echo(threading.Thread):
    """Returns what comes, on thousands of connections."""

    def __init__(self, listener):
        super().__init__(daemon=True)
        self.wait = selectors.DefaultSelector()
        self.wait.register(listener, selectors.EVENT_READ)
        self.listener = listener

    def run(self):
        while True:
            for key, _ in self.wait.select():
                if key.fileobj is self.listener:
                    self.wait.register(self.listener.accept()[0], selectors.EVENT_READ)
                else:
                    self.give_back(key.fileobj)

    def give_back(self, connection):
        try:
            data = connection.recv(65536)
            if data:
                connection.sendall(data)
                return
        except OSError:
            pass
        self.wait.unregister(connection)
        connection.close()


def listen(address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    server = socket.socket(family)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    server.bind((address, port))
    server.listen(4096)
    return server


def converse(speak, connection):
    with connection:
        try:
            speak(connection)
        except OSError:
            pass


def udp(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    server = socket.socket(family, socket.SOCK_DGRAM)
    server.bind((address, 443))
    while True:
        data, client = server.recvfrom(65536)
        log("udp", address, 443, len(data))
        server.sendto(data, client)


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, hard), hard))
    special = {str(address): name for name in PORTS for address in NAMES[name].addresses}
    wait = selectors.DefaultSelector()
    for address in [word for word in sys.argv[3:] if word != "--host"]:
        ports = {80: speak_http, 443: speak_https, **PORTS.get(special.get(address), {})}
        if ON_HOST:
            ports = {80: speak_http, 443: speak_https, 22: greet, 5432: mirror}
        for port, speak in ports.items():
            if speak:
                wait.register(listen(address, port), selectors.EVENT_READ, speak)
        if special.get(address) == "echo.example":
            Echo(listen(address, 7)).start()
        if special.get(address) in ("web.example", "evil.example"):
            threading.Thread(target=udp, args=(address,), daemon=True).start()
    threading.stack_size(256 << 10)
    print("ready", flush=True)
    while True:
        for key, _ in wait.select():
            connection, _ = key.fileobj.accept()
            log("tcp", where(connection))
            threading.Thread(target=converse, args=(key.data, connection), daemon=True).start()


TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
TLS.load_cert_chain(f"{DIRECTORY}/certificate.pem", f"{DIRECTORY}/key.pem")
TLS.sni_callback = note_name
main()
