#!/usr/bin/env python3
"""The resolver of the made-up internet: resolver.py NAMES LOG ADDRESS...

Answers by UDP and TCP at port 53 of each address as names.txt has it. Of each question a line goes to LOG, before its answer: what is not
there was not asked.
"""
import ipaddress
import os
import socket
import struct
import sys
import threading

TYPES = {1: "A", 28: "AAAA", 12: "PTR", 16: "TXT", 33: "SRV", 65: "HTTPS", 15: "MX", 255: "ANY", 5: "CNAME", 6: "SOA"}
NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5
FLAGS = ("in turns", "then", "many", "servfail", "silent", "refused", "unserved", "lost")


class Name:
    def __init__(self, words):
        text = " ".join(words)
        self.flags = set()
        for flag in FLAGS:
            if text == flag or text.startswith(flag + " "):
                self.flags.add(flag)
                text = text[len(flag):].strip()
        self.alias = text[3:] if text.startswith("-> ") else None
        self.addresses = [] if self.alias else [ipaddress.ip_address(word) for word in text.split()]
        if "many" in self.flags:
            self.addresses += [ipaddress.ip_address(f"93.184.217.{n}") for n in range(100)]
        self.asked = {}

    def of_type(self, kind):
        """Those to tell now, and for how long."""
        there = [address for address in self.addresses if address.version == (4 if kind == 1 else 6)] if kind in (1, 28) else []
        if not self.flags & {"in turns", "then"}:
            return there, 300
        count = self.asked[kind] = self.asked.get(kind, -1) + 1
        if "then" in self.flags:
            count = min(count, len(there) - 1)
        return there[count % len(there):][:1] if there else [], 0


def read_names(path):
    names = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            words = line.partition("#")[0].split()
            if words:
                names[words[0]] = Name(words[1:])
    return names


def packed(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def record(name, kind, keep, data):
    return packed(name) + struct.pack("!HHIH", kind, 1, keep, len(data)) + data


class Resolver:
    def __init__(self, names, log):
        self.names = names
        self.log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        self.lock = threading.Lock()

    def look_up(self, name, kind):
        """The code of the answer and its records; None: no answer."""
        records, seen = [], set()
        if name.endswith(".silent.example"):
            return None
        while name in self.names and name not in seen:
            seen.add(name)
            known = self.names[name]
            if "silent" in known.flags:
                return None
            for flag, code in (("servfail", SERVFAIL), ("refused", REFUSED)):
                if flag in known.flags:
                    return code, []
            if known.alias is None:
                addresses, keep = known.of_type(kind)
                return NOERROR, records + [record(name, kind, keep, address.packed) for address in addresses]
            records.append(record(name, 5, 300, packed(known.alias)))
            name = known.alias
        return (NOERROR if name in seen else NXDOMAIN), records

    def answer(self, question, room):
        at, labels = 12, []
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode("latin1"))
            at += 1 + question[at]
        kind, = struct.unpack_from("!H", question, at + 1)
        name = ".".join(labels).lower()
        os.write(self.log, f"{name} {TYPES.get(kind, kind)}\n".encode())
        with self.lock:
            found = self.look_up(name, kind)
        if found is None:
            return None
        code, records = found
        begin = question[12:at + 5]
        whole = begin + b"".join(records)
        if 12 + len(whole) > room:
            return question[:2] + struct.pack("!HHHHH", 0x8380 | code, 1, 0, 0, 0) + begin
        return question[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(records), 0, 0) + whole

    def serve_udp(self, server):
        while True:
            question, client = server.recvfrom(4096)
            answer = self.answer(question, 512)
            if answer:
                server.sendto(answer, client)

    def serve_tcp(self, server):
        while True:
            threading.Thread(target=self.serve_client, args=(server.accept()[0],), daemon=True).start()

    def serve_client(self, client):
        with client, client.makefile("rb") as lines:
            while len(length := lines.read(2)) == 2:
                answer = self.answer(lines.read(struct.unpack("!H", length)[0]), 65535)
                if answer:
                    client.sendall(struct.pack("!H", len(answer)) + answer)


def main():
    resolver = Resolver(read_names(sys.argv[1]), sys.argv[2])
    for address in sys.argv[3:]:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        for kind, serve in ((socket.SOCK_DGRAM, resolver.serve_udp), (socket.SOCK_STREAM, resolver.serve_tcp)):
            server = socket.socket(family, kind)
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind((address, 53))
            if kind == socket.SOCK_STREAM:
                server.listen(64)
            threading.Thread(target=serve, args=(server,), daemon=True).start()
    print("ready", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
