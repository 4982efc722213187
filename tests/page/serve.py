"""bailey audit serve: one reader, on this host only, and nobody gets in its way."""
import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time

from browser import BAILEY, WAIT, bailey, equal, main
from server import Agent, Answer, Server, serving as serve

DIRECTORY = tempfile.TemporaryDirectory(prefix="bailey-serve.")
PLACE = DIRECTORY.name


def serving(count=20, *more):
    return serve(PLACE, count, *more)


def test_reader(_):
    """the token gives a cookie, the cookie gives the page and its data"""
    with serving(20) as server:
        cookie, place = server.enter()
        page = server.ask(place, cookie=cookie)
        equal(page.status, 200)
        assert page.body.startswith(b"<!doctype html>") and b'"live":true' in page.body and b"connect-src 'self'" in page.body
        data = server.ask(place + "data?after=0", cookie="other=1; " + cookie + "; more=2")
        equal(data.status, 200)
        equal(data.fields["content-type"], "application/json")
        answer = json.loads(data.body)
        equal((answer["sums"]["commands"], len(answer["rows"]), answer["more"]), (20, 20, False))
        equal(json.loads(server.ask(place + f"data?after={answer['seen']}", cookie=cookie).body), {"seen": answer["seen"]})
        bailey("test", "--config", server.config, "ls -la", cwd=PLACE)
        new = json.loads(server.ask(place + f"data?after={answer['seen']}", cookie=cookie).body)
        equal((new["sums"]["commands"], [row["command"] for row in new["rows"]]), (21, ["ls -la"]))


def test_token(_):
    """a wrong token, and one that was used, get nowhere"""
    with serving() as server:
        for token in ("", "0", server.token[:-1], server.token + "0", server.token[:-1] + "g",
                      "00000000-0000-4000-8000-000000000000"):
            answer = server.ask(f"/?token={token}")
            equal((answer.status, "set-cookie" in answer.fields), (403, False))
        equal(server.ask("/").status, 404)
        cookie, place = server.enter()
        again = server.ask(f"/?token={server.token}")
        equal((again.status, "set-cookie" in again.fields), (403, False))
        assert b"it is valid once" in again.body
        equal(server.ask(place, cookie=cookie).status, 200)


def test_cookie(_):
    """without the right cookie there is neither page nor data"""
    with serving() as server:
        cookie, place = server.enter()
        for wrong in (None, "bailey=", cookie[:-1], cookie + "0", "Bailey" + cookie[6:], cookie + "; " + cookie, "x" + cookie,
                      "bailey=00000000-0000-4000-8000-000000000000"):
            for target in (place, place + "data?after=0"):
                equal(server.ask(target, cookie=wrong).status, 403)
        equal(server.ask(place, cookie=cookie, more=f"Cookie: {cookie}\r\n").status, 400)


def test_host(_):
    """a name that was made to lead here is refused"""
    with serving() as server:
        cookie, place = server.enter()
        for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", f"127.0.0.1:{server.port}.evil.example",
                     f"localhost:{server.port}", f"127.0.0.1:{server.port + 1}", f"[::1]:{server.port}"):
            equal(server.ask(place, cookie=cookie, host=host).status, 421)
            equal(server.ask(f"/?token={server.token}", host=host).status, 421)
        head = f"GET {place} HTTP/1.1\r\nCookie: {cookie}\r\n"
        equal(Answer(server.raw((head + "\r\n").encode())).status, 400)
        host = f"Host: 127.0.0.1:{server.port}\r\n"
        equal(Answer(server.raw((head + host + host + "\r\n").encode())).status, 400)
        equal(server.ask(place, cookie=cookie).status, 200)


def test_methods(_):
    """other methods are refused"""
    with serving() as server:
        cookie, place = server.enter()
        for method in ("POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "GETX"):
            answer = server.ask(place, method=method, cookie=cookie)
            equal((answer.status, answer.fields["allow"]), (405, "GET"))
        equal(server.ask(place, method="CONNECT x:1", cookie=cookie).status, 400)


def test_paths(_):
    """no path leads to a file, or around the cookie"""
    with serving() as server:
        cookie, place = server.enter()
        for target in ("/..", "/../../etc/passwd", "/%2e%2e/etc/passwd", "//", "/favicon.ico", "/data?after=0", place[:-1],
                       "/." + place, place.upper()):
            equal(server.ask(target, cookie=cookie).status, 404)
        for target in (place + "../", place + "../../etc/passwd", place + "%2e%2e/etc/passwd", place + "data/", place + "?x",
                       place + "DATA?after=0", place + "."):
            equal(server.ask(target, cookie=cookie).status, 404)
            equal(server.ask(target).status, 403)
        for query in ("", "?", "?after=", "?after=-1", "?after=1x", "?after=9999999999999999999",
                      "?after=1&after=2", "?before=1"):
            equal(server.ask(place + "data" + query, cookie=cookie).status, 400)
        for target in ("x", "http://127.0.0.1/", "*", "/a\tb", "/a\x00b", "/é", "/a b"):
            equal(server.ask(target, cookie=cookie).status, 400)


def test_malformed(_):
    """what is not quite HTTP/1.1 is refused, whatever it would mean"""
    with serving() as server:
        host = f"Host: 127.0.0.1:{server.port}\r\n"
        good = f"GET / HTTP/1.1\r\n{host}"
        for text, status in (
                (f"GET / HTTP/1.0\r\n{host}\r\n", 505),
                (f"GET / HTTP/2.0\r\n{host}\r\n", 505),
                ("GET /\r\n\r\n", 400),
                ("\r\n\r\n", 400),
                (f"GET  / HTTP/1.1\r\n{host}\r\n", 400),
                (f"GET / HTTP/1.1 \r\n{host}\r\n", 505),
                (f"GET / HTTP/1.1\n{host}\r\n", 400),
                (good + "A: b\nC: d\r\n\r\n", 400),
                (good + "A: b\rC: d\r\n\r\n", 400),
                (good + "A : b\r\n\r\n", 400),
                (good + " folded\r\n\r\n", 400),
                (good + "no colon\r\n\r\n", 400),
                (good + ": empty\r\n\r\n", 400),
                (good + "A: \x01\r\n\r\n", 400),
                (good + "Content-Length: 5\r\n\r\nhello", 400),
                (good + "Content-Length: 5\r\n\r\n", 400),
                (good + "Transfer-Encoding: chunked\r\n\r\n", 400),
                (good + "\r\nGET / HTTP/1.1\r\n", 400),
                (good + "Content-Length: 0\r\n\r\n", 404),
                (good + "X: " + "a" * 20000 + "\r\n\r\n", 404),
        ):
            equal((text[:60], Answer(server.raw(text.encode("latin-1"))).status), (text[:60], status))
        # A token that came in such a request was not used up.
        server.raw(f"GET /?token={server.token} HTTP/1.0\r\n{host}\r\n".encode())
        server.enter()


def test_large(_):
    """a request past the limit is refused, and costs nothing"""
    with serving() as server:
        long = b"GET / HTTP/1.1\r\nX: " + b"a" * 100000 + b"\r\n\r\n"
        equal(Answer(server.raw(long)).status, 431)
        equal(Answer(server.raw(b"a" * 40000)).status, 431)
        equal(Answer(server.raw(b"GET /" + b"a" * 40000 + b" HTTP/1.1\r\n\r\n")).status, 431)
        with server.connect() as connection:  # a megabyte: the connection may end before it is all sent
            with contextlib.suppress(ConnectionError, TimeoutError):
                for _ in range(64):
                    connection.sendall(b"b" * 16384)
        server.enter()


def test_slow(_):
    """slow ones and idle ones are dropped in time, and keep nobody waiting"""
    with serving(2000) as server:
        before = server.descriptors()
        cookie, place = server.enter()
        idle = [server.connect() for _ in range(100)]  # more than the table holds
        drip = server.connect()
        start = time.monotonic()
        asked = 0
        ended = None
        while time.monotonic() - start < WAIT and ended is None:
            try:
                drip.sendall(b"G" if asked == 0 else b"E")
                time.sleep(0.2)
            except (BrokenPipeError, ConnectionResetError):
                ended = time.monotonic() - start
            equal(server.ask(place + "data?after=100000", cookie=cookie).status, 200)
            asked += 1
        assert ended is not None and asked > 1, "it is never dropped, or keeps the reader waiting until it is"
        deadline = time.monotonic() + WAIT
        while server.descriptors() > before and time.monotonic() < deadline:
            time.sleep(0.2)
        equal(server.descriptors(), before)
        for connection in [*idle, drip]:
            connection.close()


def test_reader_that_does_not_read(_):
    """a reader that takes nothing of a large answer does not stop the others"""
    with serving(10000) as server:
        cookie, place = server.enter()
        stuck = []
        for _ in range(8):
            connection = server.connect()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(f"GET {place} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nCookie: {cookie}\r\n\r\n".encode())
            stuck.append(connection)
        answer = server.ask(place, cookie=cookie)
        equal(answer.status, 200)
        assert len(answer.body) > 1 << 20, len(answer.body)
        for connection in stuck:
            connection.close()
        equal(server.ask(place + "data?after=1", cookie=cookie).status, 200)


def test_loopback(_):
    """it listens on 127.0.0.1 and nowhere else"""
    with serving() as server:
        port = f"{server.port:04X}"
        listening = []
        for table in ("tcp", "tcp6"):
            with contextlib.suppress(FileNotFoundError), open(f"/proc/net/{table}", encoding="ascii") as file:
                words = [line.split() for line in file]
                listening += [word[1] for word in words if word[1].endswith(":" + port) and word[3] == "0A"]
        equal(listening, ["0100007F:" + port])


def reopened():
    """A server at the port of one that has just ended. Somebody else may have taken it, but not again and again."""
    for attempt in range(20):
        with serving() as server:
            port = server.port
        try:
            return Server(PLACE, 20, "--port", str(port)), port
        except AssertionError:
            if attempt == 19:
                raise


def test_end(_):
    """SIGINT and SIGTERM end it, also while somebody is connected; --port takes that port or says why not"""
    for number in (signal.SIGINT, signal.SIGTERM):
        server = Server(PLACE, 20)
        with server.connect() as connection:
            connection.sendall(b"GET")
            time.sleep(0.1)
            equal(server.close(number), 0)
    with serving() as server:
        for port, why in ((str(server.port), "Address already in use"), ("65536", "from 0 to 65535"), ("x", "from 0 to 65535"),
                          ("-1", "from 0 to 65535")):
            refused = subprocess.run([BAILEY, "audit", "serve", "--port", port, "--config", server.config], cwd=PLACE,
                                     check=False, capture_output=True, text=True)
            equal((refused.returncode, refused.stdout), (2, ""))
            assert why in refused.stderr, refused.stderr
    other, port = reopened()
    equal(other.port, port)
    equal(other.close(), 0)


def test_shells(_):
    """what runs in the background is told, or why not, and a session that does not answer keeps nobody waiting"""

    def known():
        return json.loads(server.ask(place + "shells", cookie=cookie).body)

    def shells():
        return [shell for session in known()["sessions"] or [] for shell in session.get("shells", [])]

    def errors():
        return [session["error"] for session in known()["sessions"] if "error" in session]

    def until(condition):
        deadline = time.monotonic() + WAIT
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert condition()

    with serving() as server:
        cookie, place = server.enter()
        equal(server.ask(place + "shells").status, 403)
        equal(server.ask(place + "shells?x", cookie=cookie).status, 404)
        equal(shells(), [])
        agent = Agent(PLACE, server.config, "sleep 600; echo '</script>'")
        until(shells)
        equal([(shell["command"], shell["status"]) for shell in shells()], [("sleep 600; echo '</script>'", "running")])
        os.kill(agent.process.pid, signal.SIGSTOP)
        try:
            start = time.monotonic()
            for _ in range(20):  # each of which would take 5 seconds
                equal(server.ask(place + "shells", cookie=cookie).status, 200)
                equal(server.ask(place + "data?after=100000", cookie=cookie).status, 200)
            assert time.monotonic() - start < WAIT, "it waits for the session"
            until(errors)
            equal((errors(), shells()), (["it does not respond"], []))
        finally:
            os.kill(agent.process.pid, signal.SIGCONT)
        until(lambda: shells() and not errors())
        os.chmod(os.path.join(PLACE, "bailey"), 0o755)
        until(lambda: "problem" in known())
        equal(known()["sessions"], None)
        assert known()["problem"].endswith("is accessible to others (mode 755): run chmod 700 on it"), known()
        os.chmod(os.path.join(PLACE, "bailey"), 0o700)
        until(shells)
        agent.close()
        until(lambda: not shells())
        with open(f"/proc/{server.process.pid}/task/{server.process.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        equal(len(children), 1)
        equal(server.close(), 0)
        equal(os.path.exists(f"/proc/{children[0]}"), False)


def test_problem(_):
    """a record that cannot be read any more is told, and the page stays"""
    with serving() as server:
        cookie, place = server.enter()
        path = server.config[:-len(".toml")]
        os.rename(path, path + ".away")
        os.mkdir(path)
        answer = json.loads(server.ask(place + "data?after=100000", cookie=cookie).body)
        assert "not a regular file" in answer["problem"], answer
        os.rmdir(path)
        os.rename(path + ".away", path)
        deadline = time.monotonic() + WAIT
        while "problem" in answer and time.monotonic() < deadline:
            answer = json.loads(server.ask(place + "data?after=100000", cookie=cookie).body)
        assert "problem" not in answer, answer
        equal(server.ask(place, cookie=cookie).status, 200)


main([test_reader, test_token, test_cookie, test_host, test_methods, test_paths, test_malformed, test_large, test_slow,
      test_reader_that_does_not_read, test_loopback, test_end, test_shells, test_problem], needs_browser=False)
