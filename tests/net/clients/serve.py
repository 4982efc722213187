#!/usr/bin/env python3
"""serve.py ADDRESS PORT NAME: a server that says who it is."""
import http.server
import socket
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"served by {sys.argv[3]}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET


server = Server((sys.argv[1], int(sys.argv[2])), Handler)
print("listening at", sys.argv[2], flush=True)
server.serve_forever()
