#!/usr/bin/env python3
"""Questions to a resolver, by hand: ask.py [OPTION...] NAME [TYPE]

Prints the code of the answer, its addresses or other data, and the text of an extended error. What has to hold for every answer is checked:
the number and the question come back as they were. NAME may have \\000 and so on for any byte, \\. for a dot in a label.

    --server ADDRESS     instead of 127.0.0.1
    --tcp                by TCP
    --slowly             by TCP, a byte at a time
    --times N            by TCP, in one piece; prints how many answers came
    --unfinished         by TCP, half a question; prints how that ended
    --edns               with EDNS
    --change HOW         two: two questions; answer: QR=1; opcode: 2; pointer, loop: names as pointers; short: without its end; none:
                         no question; class: CHAOS
    --then NAME          asks for that, too: "no answer" when only that has one, or has it first
    --flood N            N questions at once, of which no answer is waited for
"""
import argparse
import ipaddress
import re
import socket
import struct
import sys

TYPES = {"A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28, "SRV": 33, "SVCB": 64, "HTTPS": 65, "ANY": 255}
CODES = {0: "NOERROR", 1: "FORMERR", 2: "SERVFAIL", 3: "NXDOMAIN", 4: "NOTIMP", 5: "REFUSED"}
PATIENCE = 8  # seconds, for an answer that has to come


def labels(name):
    if name == ".":
        return []
    return [re.sub(rb"\\(\d{3}|.)", lambda m: bytes([int(m[1])]) if len(m[1]) == 3 else m[1], part.encode())
            for part in re.findall(r"(?:\\.|[^.\\])+", name)]


def question(options, number=0x1234):
    name = b"".join(bytes([len(label)]) + label for label in labels(options.name)) + b"\0"
    flags, count, of_class = 0x0100, 1, 1
    if options.change == "answer":
        flags |= 0x8000
    elif options.change == "opcode":
        flags |= 2 << 11
    elif options.change == "two":
        count = 2
    elif options.change == "none":
        count = 0
    elif options.change == "class":
        of_class = 3
    elif options.change == "loop":
        name = b"\xc0\x0c"
    elif options.change == "pointer":
        name = name[:-1] + b"\xc0\x04"
    asked = name + struct.pack("!HH", TYPES[options.type], of_class)
    more = b"\0" + struct.pack("!HHIH", 41, 1232, 0, 0) if options.edns else b""
    whole = struct.pack("!HHHHHH", number, flags, count, 0, 0, 1 if more else 0) + (asked * max(count, 1) if count else b"") + more
    return (whole[:-3] if options.change == "short" else whole), asked


def skip_name(answer, at):
    while answer[at]:
        if answer[at] >= 192:
            return at + 2
        at += 1 + answer[at]
    return at + 1


def read_name(answer, at):
    parts = []
    while answer[at]:
        if answer[at] >= 192:
            at = struct.unpack_from("!H", answer, at)[0] & 0x3fff
            continue
        parts.append(answer[at + 1:at + 1 + answer[at]].decode())
        at += 1 + answer[at]
    return ".".join(parts)


def show(answer, asked):
    number, flags, questions, answers, authorities, more = struct.unpack_from("!HHHHHH", answer)
    if number != 0x1234 or not flags & 0x8000 or questions != 1 or answer[12:12 + len(asked)] != asked:
        return "not an answer to this question: " + answer.hex()
    words, at, extended = [CODES.get(flags & 15, str(flags & 15))], 12 + len(asked), ""
    if flags & 0x0200:
        words.append("cut")
    for _ in range(answers + authorities + more):
        at = skip_name(answer, at)
        kind, size, keep, length = struct.unpack_from("!HHIH", answer, at)
        at += 10
        data = answer[at:at + length]
        if kind in (1, 28):
            words.append(str(ipaddress.ip_address(data)))
        elif kind in (5, 12):
            words.append(read_name(answer, at))
        elif kind == 41:
            words.append(f"edns {size}")
            while data:
                option, length2 = struct.unpack_from("!HH", data)
                if option == 15:
                    extended = f" ({struct.unpack_from('!H', data, 4)[0]}: {data[6:4 + length2].decode()})"
                data = data[4 + length2:]
        else:
            words.append(f"type {kind}")
        if kind != 41 and keep > 60:
            words.append(f"for {keep} s")
        at += length
    return " ".join(words) + extended


def by_udp(options):
    family = socket.AF_INET6 if ":" in options.server else socket.AF_INET
    wire, asked = question(options)
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.connect((options.server, 53))
        if options.flood:
            for _ in range(options.flood):
                try:
                    client.send(wire)
                except OSError:
                    pass
            return "sent"
        client.settimeout(PATIENCE)
        if options.change or options.then:
            return by_udp_after(client, wire, asked, options)
        for _ in range(3):
            try:
                client.send(wire)
                return show(client.recv(65536), asked)
            except (TimeoutError, socket.timeout):
                continue
            except ConnectionRefusedError:
                return "refused"
    return "no answer"


def by_udp_after(client, wire, asked, options):
    """Was it answered before the next question was, which is as it should be?"""
    options.change, options.name = None, options.then or options.name
    client.send(wire)
    client.send(question(options, 0x4321)[0])
    answer = client.recv(65536)
    return "no answer" if answer[:2] == b"\x43\x21" else show(answer, asked)


def receive(client, size):
    data = b""
    while len(data) < size:
        part = client.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def by_tcp(options):
    wire, asked = question(options)
    wire = struct.pack("!H", len(wire)) + wire
    with socket.create_connection((options.server, 53), PATIENCE) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if options.unfinished:
                client.sendall(wire[:len(wire) // 2])
                return "sent"
            if options.slowly:
                for byte in wire:
                    client.send(bytes([byte]))
            else:
                client.sendall(wire * (options.times or 1))
            said = set()
            for _ in range(options.times or 1):
                said.add(show(receive(client, struct.unpack("!H", receive(client, 2))[0]), asked))
            return f"{options.times} times " + " and ".join(sorted(said)) if options.times else said.pop()
        except (EOFError, ConnectionResetError):
            return "closed"
        except (TimeoutError, socket.timeout):
            return "no answer"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default="127.0.0.1")
    for flag in ("--tcp", "--slowly", "--unfinished", "--edns"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--times", type=int, default=0)
    parser.add_argument("--flood", type=int, default=0)
    parser.add_argument("--change")
    parser.add_argument("--then")
    parser.add_argument("name")
    parser.add_argument("type", nargs="?", default="A")
    options = parser.parse_args()
    print(by_tcp(options) if options.tcp or options.slowly or options.times or options.unfinished else by_udp(options))


sys.exit(main())
