"""A real Chromium without a window, spoken to over a pipe; and test cases that print TAP.

The DevTools protocol is JSON messages, each ended by a NUL: no library is needed for that.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))

from only import matching  # noqa: E402

BAILEY = os.environ.get("BAILEY", os.path.join(ROOT, "build/asan/bailey"))
RECORDS = os.path.join(ROOT, "build/asan/tests/page_records")
SCREENSHOTS = os.path.join(ROOT, "build/screenshots")
WAIT = 90

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-pipe",
    "--allow-pre-commit-input",  # or keys are lost that come before the page is painted, which takes a busy machine its time
    "about:blank",
]

# What a page says when something in it is not as it should be; window.violations are those of its policy.
WATCH = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(event.effectiveDirective + " " + event.blockedURI + " " + event.sample));
"""


class Browser:
    def __init__(self, program):
        self.directory = tempfile.mkdtemp(prefix="bailey-page.")
        read_commands, write_commands = os.pipe()
        read_answers, write_answers = os.pipe()
        environment = {**os.environ, "HOME": self.directory, "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        self.log = open(os.path.join(self.directory, "log"), "wb")
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{read_commands} 4>&{write_answers}', program, *FLAGS,
             f"--user-data-dir={self.directory}/profile"],
            pass_fds=(read_commands, write_answers), env=environment, stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log)
        os.close(read_commands)
        os.close(write_answers)
        self.commands, self.answers = write_commands, read_answers
        self.pending, self.events, self.number = b"", [], 0

    def close(self):
        os.close(self.commands)
        os.close(self.answers)
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def receive(self, deadline):
        while b"\0" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self.answers, 1 << 20)
            if not got:
                with open(self.log.name, errors="replace") as log:
                    raise EOFError("the browser ended: " + log.read()[-2000:])
            self.pending += got
        message, _, self.pending = self.pending.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        deadline = time.monotonic() + WAIT
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def page(self, address, width=1400, dark=False, scripts=True):
        return Page(self, address, width, dark, scripts)


class Page:
    """One tab. Whatever goes wrong in it is in `complaints`."""

    def __init__(self, browser, address, width, dark, scripts):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScrollbarsHidden", hidden=True)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.open(address)

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.until('location.href !== "about:blank" && document.readyState === "complete"')

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def eval(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
                           allowUnsafeEvalBlockedByCSP=False)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, expression, seconds=WAIT):
        deadline = time.monotonic() + seconds
        while True:
            try:
                if self.eval(expression):
                    return
            except RuntimeError as error:  # between two documents
                if "context" not in str(error):
                    raise
            if time.monotonic() > deadline:
                raise TimeoutError(f"never true: {expression}")
            time.sleep(0.02)

    def text(self, selector):
        return self.eval(f"document.querySelector({json.dumps(selector)}).innerText")

    def texts(self, selector):
        return self.eval(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.innerText)")

    # ---- the keyboard ----

    KEYS = {"Tab": 9, "Enter": 13, "Space": 32, "ArrowRight": 39, "ArrowLeft": 37, "ArrowDown": 40, "Escape": 27}

    def press(self, key, shift=False):
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        name = " " if key == "Space" else key
        common = {"key": name, "code": key, "windowsVirtualKeyCode": self.KEYS[key], "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        for letter in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=letter, key=letter)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=letter)

    def tab_to(self, selector, limit=200):
        """Presses Tab until the element has the focus; fails when it never gets it."""
        for _ in range(limit):
            if self.eval(f"document.activeElement.matches({json.dumps(selector)})"):
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not lead to {selector}")

    # ---- looking ----

    def complaints(self):
        found = list(self.eval("window.violations || []"))
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, parameters = event["method"], event["params"]
            if method == "Page.javascriptDialogOpening":
                found.append("a dialog: " + parameters["message"])
            elif method == "Runtime.exceptionThrown":
                found.append("an exception: " + json.dumps(parameters["exceptionDetails"])[:500])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append("the console: " + json.dumps(parameters["args"])[:500])
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append("the log: " + parameters["entry"]["text"])
        return found

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.browser.events
                if event.get("sessionId") == self.session and event["method"] == "Network.requestWillBeSent"]

    def screenshot(self, name):
        size = self.eval("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": size[0], "height": min(size[1], 6000), "scale": 1})
        os.makedirs(SCREENSHOTS, exist_ok=True)
        with open(os.path.join(SCREENSHOTS, name + ".png"), "wb") as file:
            file.write(base64.b64decode(picture["data"]))


# ---- TAP ----

def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}\nwanted {wanted!r}")


def run(tests, needs_browser=True):
    """Each test is called with the browser; its first line of documentation is its name."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if needs_browser and not program:
        print("1..0 # skip no chromium here; tools/deps test installs it")
        return 0
    tests = matching(tests, lambda test: test.__doc__)
    print(f"1..{len(tests)}", flush=True)
    browser = Browser(program) if needs_browser else None
    failed = 0
    for number, test in enumerate(tests, 1):
        try:
            test(browser)
            print(f"ok {number} - {test.__doc__}", flush=True)
        except Exception:  # pylint: disable=broad-except
            failed = 1
            print(f"not ok {number} - {test.__doc__}")
            print("".join("# " + line + "\n" for line in traceback.format_exc().splitlines()), end="", flush=True)
    if browser:
        browser.close()
    return failed


def records(directory, count, *more):
    """A config file whose record holds that many commands."""
    path = os.path.join(directory, f"{count}{''.join(more)}.jsonl")
    subprocess.run([RECORDS, path, str(count), *more], check=True)
    config = path + ".toml"
    with open(config, "w", encoding="utf-8") as file:
        file.write(f'audit.path = "{path}"\n')
    return config


def bailey(*arguments, **options):
    return subprocess.run([BAILEY, *arguments], check=True, stdout=subprocess.PIPE, **options).stdout


def report(directory, config, *more):
    page = config + ".html"
    bailey("audit", "report", "--html", page, "--config", config, *more, cwd=directory)
    return page


def main(tests, needs_browser=True):
    sys.exit(run(tests, needs_browser))
