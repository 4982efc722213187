#!/usr/bin/env python3
"""Connections by hand: raw.py WHAT HOST PORT [ARGUMENT...]; prints in a few words what came of it.

    say TEXT                   sends it (\\r, \\n, \\xNN), and reads
    hello [OPTION...]          a ClientHello; see hello_options()
    silent                     sends nothing, and waits for the end
    half                       sends, ends its side, and reads
    listen-on SIZE             reads to the end, then sends SIZE bytes
    reset-me, reset-it         the server resets; the client does
    down SIZE, up SIZE         so many bytes, and their sum
    stuck                      writes to somebody who does not read: how much that one seems to take
    idle-reader                does not read from somebody who writes, until its standard input ends
    urgent, fastopen, mptcp    "x" by these means, to an echo
    udp                        a datagram
    many COUNT                 connections at once that send half a request; then a byte on its standard output, and waits for its end

HOST may be an address. What comes back is named: seen (mirror), alert NAME, http CODE, ssh TEXT, reset, closed, refused, no answer, no such
name, text ...
"""
import argparse
import hashlib
import os
import re
import socket
import struct
import sys

PATIENCE = 20
BLOCK = 1 << 20
ALERTS = {40: "handshake_failure", 49: "access_denied", 50: "decode_error", 80: "internal_error", 112: "unrecognized_name"}


def connect(host, port):
    return socket.create_connection((host, int(port)), PATIENCE)


def read_all(client):
    data = b""
    while part := client.recv(65536):
        data += part
    return data


def ssh_text(data):
    """The text of a plain SSH_MSG_DISCONNECT behind the banner."""
    packet = data.partition(b"\n")[2]
    if len(packet) < 14 or packet[5] != 1:
        return "ssh " + data.split(b"\r\n")[0].decode("latin1")
    size, = struct.unpack_from("!I", packet, 10)
    return "ssh " + packet[14:14 + size].decode("latin1")


def name_of(data):
    if not data:
        return "closed"
    if data[0] == 21 and len(data) >= 7:
        return "alert " + ALERTS.get(data[6], str(data[6]))
    if data.startswith(b"SEEN"):
        return "seen"
    if data.startswith(b"HTTP/1."):
        head, _, body = data.partition(b"\r\n\r\n")
        return f"http {head.split()[1].decode()} {body.decode('latin1').strip()}".strip()
    if data.startswith(b"SSH-2.0"):
        return ssh_text(data)
    return "text " + data[:200].decode("latin1").strip()


def outcome(client):
    data = b""
    try:
        while part := client.recv(65536):
            data += part
            if data.startswith(b"SEEN") and data.endswith(b"\n"):
                break
    except ConnectionResetError:
        return name_of(data) if data else "reset"
    except (TimeoutError, socket.timeout):
        return name_of(data) if data else "no answer"
    return name_of(data)


def unescape(text):
    simple = {"r": b"\r", "n": b"\n", "t": b"\t", "0": b"\0", "\\": b"\\"}
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda m: bytes([int(m[1][1:], 16)]) if len(m[1]) == 3 else simple[m[1].decode()], text.encode())


def say(host, port, text):
    with connect(host, port) as client:
        client.sendall(unescape(text))
        return outcome(client)


# ---- a ClientHello ----

def hello_options(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--sni", action="append", default=[], help="a name, several for several; \\0 for NUL")
    parser.add_argument("--kind", type=int, default=0, help="of name; 0 is host_name")
    parser.add_argument("--lists", type=int, default=1, help="extensions server_name")
    parser.add_argument("--trailing", action="store_true", help="bytes behind the list of names")
    parser.add_argument("--records", type=int, default=1 << 14, help="bytes in a record")
    parser.add_argument("--segments", type=int, default=0, help="bytes in a segment")
    parser.add_argument("--pad", type=int, default=0, help="bytes of padding")
    parser.add_argument("--ech", action="store_true", help="a real encrypted hello; --sni is the outer name")
    parser.add_argument("--grease", action="store_true", help="extensions, versions and suites that mean nothing")
    parser.add_argument("--garbage", action="store_true", help="record of a handshake with something else in it")
    parser.add_argument("--short", action="store_true", help="never the whole")
    parser.add_argument("--alert", action="store_true", help="a warning in front, which servers made with Go skip")
    parser.add_argument("--ssl2", action="store_true", help="a hello of SSL 2")
    return parser.parse_args(words)


def extension(kind, data):
    return struct.pack("!HH", kind, len(data)) + data


def server_names(options):
    names = b"".join(bytes([options.kind]) + struct.pack("!H", len(name)) + name for name in map(unescape, options.sni))
    data = struct.pack("!H", len(names)) + names + (b"zzz" if options.trailing else b"")
    return extension(0, data) * options.lists


def client_hello(options):
    suites = b"\x13\x01\x13\x02\xc0\x2b\xc0\x2f"
    more = server_names(options) if options.sni else b""
    more += extension(10, b"\0\2\0\x1d") + extension(13, b"\0\4\4\3\x08\4") + extension(43, b"\2\3\4")
    if options.grease:
        suites = b"\x0a\x0a" + suites
        more = extension(0x2a2a, b"") + more + extension(0xfafa, b"\0") + extension(0xfe0d, b"\0" + os.urandom(200))
    if options.ech:
        more += extension(0xfe0d, b"\0\0\1\0\1\x17\0\x20" + os.urandom(32) + b"\0\x90" + os.urandom(144))
    if options.pad:
        more += extension(21, b"\0" * options.pad)
    body = b"\3\3" + os.urandom(32) + b"\x20" + os.urandom(32) + struct.pack("!H", len(suites)) + suites + b"\1\0" + \
        struct.pack("!H", len(more)) + more
    message = b"\1" + struct.pack("!I", len(body))[1:] + body
    if options.garbage:
        message = os.urandom(len(message))
    if options.short:
        message = message[:-5]
    if options.ssl2:
        return b"\x80\x2e\1\0\2\0\x15\0\0\0\x10" + os.urandom(37)
    return b"".join(b"\x16\3\1" + struct.pack("!H", len(message[at:at + options.records])) + message[at:at + options.records]
                    for at in range(0, len(message), options.records))


def hello(host, port, *words):
    options = hello_options(words)
    wire = (b"\x15\3\1\0\2\1\x5a" if options.alert else b"") + client_hello(options)
    with connect(host, port) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        step = options.segments or len(wire)
        try:
            for at in range(0, len(wire), step):
                client.sendall(wire[at:at + step])
        except (BrokenPipeError, ConnectionResetError):
            pass
        return outcome(client)


# ---- how connections end ----

def silent(host, port):
    with connect(host, port) as client:
        return outcome(client)


def half(host, port):
    with connect(host, port) as client:
        client.sendall(b"abc")
        client.shutdown(socket.SHUT_WR)
        return read_all(client).decode().split()[0]


def listen_on(host, port, size):
    with connect(host, port) as client:
        said = read_all(client).decode().strip()
        client.sendall(b"y" * int(size))
        return said


def reset_me(host, port):
    with connect(host, port) as client:
        client.sendall(b"x")
        return outcome(client)


def reset_it(host, port):
    with connect(host, port) as client:
        client.recv(1)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return "done"


def down(host, port, size):
    digest, left = hashlib.sha256(), int(size)
    with connect(host, port) as client:
        client.sendall(f"{size}\n".encode())
        while left:
            data = client.recv(min(left, BLOCK))
            if not data:
                return f"{left} bytes are missing"
            left -= len(data)
            digest.update(data)
        return "equal" if read_all(client) == digest.digest() else "different"


def up(host, port, size):
    digest, block = hashlib.sha256(), bytearray(os.urandom(BLOCK))
    with connect(host, port) as client:
        for at in range(0, int(size), BLOCK):
            block[:8] = at.to_bytes(8, "big")
            part = bytes(block[:int(size) - at])
            digest.update(part)
            client.sendall(part)
        client.shutdown(socket.SHUT_WR)
        return "equal" if read_all(client).decode() == f"{size} {digest.hexdigest()}\n" else "different"


def stuck(host, port):
    taken = 0
    with connect(host, port) as client:
        client.settimeout(1)
        try:
            while taken < 1 << 30:
                taken += client.send(bytes(BLOCK))
        except (TimeoutError, socket.timeout):
            return "little" if taken < 64 << 20 else f"{taken} bytes"
    return f"{taken} bytes"


def idle_reader(host, port):
    with connect(host, port) as client:
        client.recv(1)
        print("began", flush=True)
        sys.stdin.read()
        return "done"


# ---- other ways to send ----

def echo_of(client):
    client.settimeout(PATIENCE)
    return "echo" if client.recv(1) == b"x" else "closed"


def urgent(host, port):
    with connect(host, port) as client:
        client.sendall(b"x")
        client.send(b"!", socket.MSG_OOB)
        return echo_of(client)


def address_of(host, port):
    return socket.getaddrinfo(host, int(port), socket.AF_INET, socket.SOCK_STREAM)[0][4]


def fastopen(host, port):
    with socket.socket() as client:
        client.sendto(b"x", socket.MSG_FASTOPEN, address_of(host, port))
        return echo_of(client)


def mptcp(host, port):
    try:
        client = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
    except OSError:
        return "echo"  # a program that cannot have it takes TCP
    with client:
        client.connect(address_of(host, port))
        client.sendall(b"x")
        return echo_of(client)


def udp(host, port):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.settimeout(1)
        client.connect((host, int(port)))
        client.send(b"x")
        try:
            return "text " + client.recv(100).decode()
        except (TimeoutError, socket.timeout):
            return "no answer"


def many(host, port, count):
    address, clients = address_of(host, port), []
    for _ in range(int(count)):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(address)
        clients.append(client)
    for client in clients:
        try:
            client.setblocking(True)
            client.settimeout(0.2)
            client.send(b"GET / HT")
        except OSError:
            pass
    print("began", flush=True)
    sys.stdin.read()
    return "done"


def main():
    what = sys.argv[1].replace("-", "_")
    try:
        print(globals()[what](*sys.argv[2:]))
    except socket.gaierror as error:
        print("no such name" if error.errno in (socket.EAI_NONAME, socket.EAI_NODATA) else "again later")
    except ConnectionRefusedError:
        print("refused")
    except ConnectionResetError:
        print("reset")
    except (TimeoutError, socket.timeout):
        print("no answer")
    except OSError as error:
        print(error.strerror)


main()
