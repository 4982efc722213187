"""The audit page in a real browser: right numbers, no script but its own, usable without a mouse, readable when narrow."""
import collections
import json
import os
import re
import signal
import sys
import tempfile

from browser import bailey, equal, main, records, report
from server import Agent, serving

DIRECTORY = tempfile.TemporaryDirectory(prefix="bailey-page.")
PLACE = DIRECTORY.name
VERDICTS = ("allowed", "warned", "blocked")
MANY = 10000
ODD = 12  # attempts in page_records.c


def number(n):
    return f"{n:,}"


def commands_of(config):
    """What the page should count, found out without bailey: a command is its first record, with its last one's end."""
    with open(config[:-len(".toml")], encoding="utf-8") as file:
        found = {}
        for line in file:
            record = json.loads(line)
            found.setdefault(record["id"], {}).update(record)
    return list(found.values())


def end_of(command):
    if command["kind"] == "intent":
        return "no end"
    if command["kind"] != "outcome":
        return command["kind"]
    return f"signal {command['signal']}" if command["signal"] else f"exit {command['exit_code']}"


def check_quiet(page):
    equal(page.complaints(), [])
    equal(page.eval("window.ran"), None)


def listed(page, identity):
    """The whole of a list, by name."""
    if page.eval(f'Boolean(document.querySelector("#{identity} .more[aria-expanded=false]"))'):
        page.eval(f'document.querySelector("#{identity} .more").click()')
    names = page.texts(f"#{identity} .name")
    return dict(zip(names, page.texts(f"#{identity} .number")))


def check_numbers(page, config):
    commands = commands_of(config)
    verdicts = collections.Counter(command["action"] for command in commands)
    equal(page.texts("#totals dd:not(.note)"), [number(len(commands))] + [number(verdicts[v]) for v in VERDICTS])
    if not commands:
        equal(page.eval('document.getElementById("commands").hidden'), True)
        return
    rules = collections.Counter(rule for c in commands for rule in {reason["rule"] for reason in c["reasons"]})
    equal(listed(page, "rules"),
          {name.replace("\u202e", "<U+202E>"): number(n) for name, n in rules.items()})
    ends = collections.Counter(end_of(command) for command in commands)
    equal(listed(page, "ends"), {name: number(n) for name, n in ends.items()})
    blocked = collections.Counter(c["command"] for c in commands if c["action"] == "blocked")
    equal(page.texts("#blocked .number")[:2], [f"{number(n)} ×" for _, n in blocked.most_common(2)])
    slowest = collections.defaultdict(int)
    for command in commands:
        if "duration_ms" in command:
            slowest[command["command"]] = max(slowest[command["command"]], command["duration_ms"])
    equal(page.texts("#slowest .name code")[:3],
          [name for name, _ in sorted(slowest.items(), key=lambda item: -item[1]) if "\n" not in name][:3])
    bars = page.eval('[...document.querySelectorAll("#chart g title")].map((title) => title.textContent)')
    in_bars = sum(int(part.split()[0].replace(",", "")) for bar in bars for part in bar.split(": ")[1].split(", ")
                  if part != "none")
    equal(in_bars, len(commands))


def test_none(browser):
    """0 records: says so"""
    config = records(PLACE, 0)
    page = browser.page("file://" + report(PLACE, config))
    check_numbers(page, config)
    equal(page.text("#about"), "The audit log is empty.")
    check_quiet(page)
    page.screenshot("none-1400-light")
    page.close()


def test_one(browser):
    """1 record: every sum is 1"""
    config = records(PLACE, 1)
    page = browser.page("file://" + report(PLACE, config))
    check_numbers(page, config)
    equal(page.text("#found"), "1 command")
    check_quiet(page)
    page.screenshot("one-1400-light")
    page.close()


def test_many(browser):
    """10,000 commands: right numbers"""
    config = records(PLACE, MANY)
    page = browser.page("file://" + report(PLACE, config))
    took = page.eval('performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd')
    check_numbers(page, config)
    equal(page.text("#found"), "10,000 commands")
    equal(page.eval('document.querySelectorAll("#rows tr.row").length'), 50)
    check_quiet(page)
    equal([address for address in page.requests() if not address.startswith(("file://", "about:"))], [])
    search = page.eval("""(() => { const start = performance.now(); const box = document.getElementById("search");
        for (const word of ["g", "gi", "git", "git p", "git push"]) { box.value = word; box.dispatchEvent(new Event("input")); }
        return (performance.now() - start) / 5; })()""")
    sort = page.eval("""(() => { const start = performance.now();
        for (const index of [2, 4, 1, 0]) document.querySelectorAll("#heads button")[index].click();
        return (performance.now() - start) / 4; })()""")
    print(f"# loaded in {took:.0f} ms, a search {search:.0f} ms, a sort {sort:.0f} ms", file=sys.stderr)
    page.close()


def test_more_than_shown(browser):
    """more than the table holds: sums are of all, and the page says what was left out"""
    config = records(PLACE, MANY)
    page = browser.page("file://" + report(PLACE, config, "--lines", "100"))
    check_numbers(page, config)
    equal(page.text("#found"),
          "100 commands. The table holds the newest 100; 9,900 older ones are left out, and counted above.")
    newest = [command["id"] for command in commands_of(config)][-1]
    page.eval(f'document.querySelector("#rows button.command").click()')
    assert newest in page.text("#rows .details"), page.text("#rows .details")
    page.close()


def test_filters(browser):
    """filters of the command line count, and are named"""
    config = records(PLACE, 200)
    page = browser.page("file://" + report(PLACE, config, "--action", "blocked", "--rule", "pipe-to-shell"))
    wanted = sum(any(r["rule"] == "pipe-to-shell" for r in c["reasons"]) for c in commands_of(config))
    equal(page.texts("#totals dd:not(.note)"), [str(wanted), "0", "0", str(wanted)])
    assert page.text("#about").endswith("Only action blocked, rule pipe-to-shell."), page.text("#about")
    page.close()


def test_hostile(browser):
    """hostile text: nothing runs, nothing turns around, all of it is shown"""
    config = records(PLACE, MANY, "hostile")
    path = report(PLACE, config)
    page = browser.page("file://" + path)
    check_numbers(page, config)
    for _ in range(ODD):  # each whole command, too
        page.eval('document.querySelector("#rows button.command[aria-expanded=false]").click()')
    commands = page.texts("#rows .details pre")
    wanted = [command["command"] for command in commands_of(config)][:-ODD - 1:-1]
    for character in "\u202e\u202c\u2066\u2069\x1b\x07\x01\x08\x7f\r\u2028\u2029\x85\xa0\u200b\ufeff\U000e0041\0":
        wanted = [text.replace(character, f"<U+{ord(character):04X}>") for text in wanted]
    equal(sorted(text.rstrip("\n") for text in commands), sorted(text.rstrip("\n") for text in wanted))
    seen = page.eval("document.body.innerText")
    equal([c for c in "\u202e\u202c\u2066\u2069\x1b\x07\u2028\u2029\u200b\ufeff" if c in seen], [])
    equal(page.eval('document.querySelectorAll("script").length'), 2)
    equal(page.eval('document.querySelectorAll("img, b, iframe, [onfocus], [onclick], [onerror]").length'), 0)
    check_quiet(page)
    page.close()
    with open(path, "rb") as file:
        content = file.read()
    data = content[content.index(b'id="data">'):content.index(b"</script>")]
    assert all(byte < 127 and (byte >= 32 or byte == 10) for byte in data), "the data is not plain ASCII"
    equal([mark for mark in (b"<!--", b"<script", b"]]>", b"&") if mark in data[10:]], [])


def test_policy(browser):
    """were a script to get into the page all the same, it would not run"""
    path = report(PLACE, records(PLACE, 1))
    with open(path, encoding="utf-8") as file:
        content = file.read()
    broken = path + ".broken.html"
    with open(broken, "w", encoding="utf-8") as file:
        file.write(content.replace("<noscript>", "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
                                                 "<p onclick='window.ran = 1' style='color: red'>x</p><noscript>"))
    page = browser.page("file://" + broken)
    page.eval('document.querySelector("p[onclick]").click()')
    equal(page.eval("window.ran"), None)
    for directive in ("script-src-elem inline", "script-src-attr inline", "style-src-attr inline", "img-src"):
        page.until(f'window.violations.join(" ").includes("{directive}")')  # they are told a little later
    for attack in ('document.body.innerHTML = "<b>x</b>"', 'eval("window.ran = 1")', 'setTimeout("window.ran = 1")',
                   'Object.assign(document.createElement("script"), { text: "window.ran = 1" })'):
        ended = page.eval(f"(() => {{ try {{ {attack}; return 'done' }} catch (error) {{ return error.name }} }})()")
        assert ended in ("TypeError", "EvalError"), (attack, ended)
    equal(page.eval("fetch('http://127.0.0.1:1/').catch((error) => error.name)"), "TypeError")
    page.until('window.violations.join(" ").includes("connect-src")')
    equal(page.eval("window.ran"), None)
    page.close()


def test_keyboard(browser):
    """search, verdict, sort, details and pages by keyboard only, and the focus is seen"""
    config = records(PLACE, 500)
    page = browser.page("file://" + report(PLACE, config))
    commands = commands_of(config)
    page.press("Tab")
    equal(page.text(":focus"), "Skip to the commands")
    equal(page.eval("document.activeElement.getBoundingClientRect().left >= 0"), True)
    page.press("Enter")
    page.tab_to("#search", 2)
    page.type("CARGO build")
    cargo = [command for command in commands if "cargo build" in command["command"]]
    equal(page.text("#found"), f"{len(cargo)} of 500 commands")
    for _ in "CARGO build":
        page.eval('document.execCommand("delete")')
    equal(page.text("#found"), "500 commands")
    page.tab_to("input[name=verdict]", 2)
    for _ in range(3):
        page.press("ArrowRight")
    blocked = [command for command in commands if command["action"] == "blocked"]
    equal(page.text("#found"), f"{len(blocked)} of 500 commands")
    for _ in range(3):
        page.press("ArrowLeft")
    page.tab_to(".c-duration_ms button", 8)
    outline = page.eval("(({ outlineStyle, outlineWidth }) => [outlineStyle, outlineWidth])(getComputedStyle(document.activeElement))")
    equal(outline, ["solid", "2px"])
    page.press("Enter")
    longest = max(command.get("duration_ms", -1) for command in commands)
    equal(page.eval('document.querySelector("th[aria-sort]").getAttribute("aria-sort")'), "descending")
    equal(page.text("#rows tr .c-duration_ms"), f"{longest // 60000} min {round(longest / 1000) % 60} s")
    equal(page.text(":focus"), "Took")
    page.press("Space")
    equal(page.eval('document.querySelector("th[aria-sort]").getAttribute("aria-sort")'), "ascending")
    equal(page.text("#rows tr .c-duration_ms"), "")
    page.tab_to("button.command", 5)
    page.press("Enter")
    equal(page.eval("document.activeElement.getAttribute('aria-expanded')"), "true")
    assert "SHA" not in page.text("#rows .details") and "/home/agent/project" in page.text("#rows .details")
    page.press("Enter")
    equal(page.eval('document.querySelectorAll("#rows .details").length'), 0)
    page.tab_to("#older", 120)
    page.press("Enter")
    equal(page.text("#place"), "51-100 of 500")
    page.press("Tab", shift=True)
    page.tab_to("#older")
    for _ in range(20):
        page.press("Space")
    equal(page.text("#place"), "451-500 of 500")
    check_quiet(page)
    page.close()


def test_lists_search(browser):
    """a rule, an end and a command of the lists are found in the table"""
    config = records(PLACE, 500)
    page = browser.page("file://" + report(PLACE, config))
    for identity, text in (("rules", "pipe-to-shell"), ("ends", "signal 9"), ("slowest", "cargo build --release")):
        page.eval(f'[...document.querySelectorAll("#{identity} button.name")].find((b) => b.innerText === "{text}").click()')
        equal(page.eval('document.getElementById("search").value'), text)
        found = page.texts("#rows tr.row")
        assert found and all(text in row for row in found), found
        equal(page.eval("document.activeElement.id"), "search")
    check_quiet(page)
    page.close()


# The colours of each text against what is behind it, by the rule of WCAG 2: 4.5 to 1, and 3 to 1 for large ones.
CONTRAST = """(() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const linear = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !parent.checkVisibility() || parent.closest("script, noscript")) continue;
    let behind = parent;
    while (behind && (parse(getComputedStyle(behind).backgroundColor)[3] ?? 1) < 1) behind = behind.parentElement;
    const style = getComputedStyle(parent);
    const [a, b] = [light(parse(style.color)), light(parse(getComputedStyle(behind || document.body).backgroundColor))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5))
      poor.push(`${ratio.toFixed(2)} ${walker.currentNode.data.slice(0, 40)}`);
  }
  return poor;
})()"""


def test_looks(browser):
    """380 and 1,400 pixels, light and dark: no sideways scrolling, readable colours; a screenshot of each"""
    path = report(PLACE, records(PLACE, MANY, "hostile"))
    for width in (380, 1400):
        for dark in (False, True):
            page = browser.page("file://" + path, width=width, dark=dark)
            page.eval('document.getElementById("spans").open = true')
            for index in (1, 20):
                page.eval(f'document.querySelectorAll("#rows button.command")[{index}].click()')
            page.until('Boolean(document.querySelector("#spans table"))')
            equal(page.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0)
            wide = page.eval("""[...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() &&
                !e.closest(".unseen, .skip, svg, .name") && e.getBoundingClientRect().right > innerWidth + 1)
                .map((e) => e.outerHTML.slice(0, 80))""")
            equal(wide, [])
            equal(page.eval(CONTRAST), [])
            equal(page.eval('getComputedStyle(document.body).backgroundColor') == "rgb(19, 21, 23)", dark)
            page.screenshot(f"many-{width}-{'dark' if dark else 'light'}")
            check_quiet(page)
            page.close()


def test_semantics(browser):
    """what a screen reader is told: headings in order, a table, names of controls"""
    page = browser.page("file://" + report(PLACE, records(PLACE, 500)), width=380)
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    seen = collections.Counter()
    for node in nodes:
        role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "")
        seen[role] += not node.get("ignored")
        if role in ("button", "radio", "searchbox", "table", "navigation", "region", "image") and not node.get("ignored"):
            assert name.strip(), node
    assert seen["table"] == 1 and seen["row"] == 51 and seen["columnheader"] == 6 and seen["cell"] == 300, seen
    assert seen["main"] == 1 and seen["search"] == 1 and seen["searchbox"] == 1 and seen["radio"] == 4, seen
    levels = page.eval('[...document.querySelectorAll("h1, h2, h3")].map((h) => h.tagName)')
    equal(levels, ["H1"] + ["H2"] * (len(levels) - 1))
    equal(page.eval('document.documentElement.lang'), "en")
    page.close()


def test_without_scripts(browser):
    """without scripts, the sums are there"""
    config = records(PLACE, 200, "hostile")
    page = browser.page("file://" + report(PLACE, config, "--since", "2020-01-01"), scripts=False)
    document = page.call("DOM.getDocument", depth=-1)["root"]
    texts, table = [], []

    def walk(node, inside):
        inside = inside or node["nodeName"] == "NOSCRIPT"
        if inside and node["nodeType"] == 3 and node["nodeValue"].strip():
            texts.append(node["nodeValue"].strip())
        for child in node.get("children", []):
            walk(child, inside)

    walk(document, False)
    table = texts[texts.index("all commands"):]
    verdicts = collections.Counter(command["action"] for command in commands_of(config))
    equal(table[:4], ["all commands"] + [str(verdicts[v]) for v in VERDICTS])
    assert '<b>rule</b><U+202E>"\'' in table, table
    assert any(text.startswith("200 commands") for text in texts), texts
    assert any("since 2020-01-01" in text for text in texts), texts
    page.screenshot("no-scripts-1400-light")
    page.close()


def test_live(browser):
    """served: the token leads to the page, which shows what comes, keeps the focus, and says when it is over"""
    with serving(PLACE) as server:
        look_live(browser, server)


def look_at_silence(page, agent):
    """A session that does not answer is shown as such, and the page goes on."""
    os.kill(agent.process.pid, signal.SIGSTOP)
    try:
        page.until('document.querySelector("#shells .silent") !== null')
        said = page.text("#shells .silent")
        assert re.search(r"session [0-9a-f-]{36}: it does not respond", said), said
        equal(page.eval('document.querySelectorAll("#shells li").length'), 1)
        page.until('document.getElementById("live").textContent.startsWith("Live.")')
        equal(page.eval('document.getElementById("problem").hidden'), True)
        check_quiet(page)
        page.screenshot("live-silent-1400-light")
    finally:
        os.kill(agent.process.pid, signal.SIGCONT)
    page.until('!document.querySelector("#shells .silent") && document.querySelector("#shells .number") !== null')
    os.chmod(os.path.join(PLACE, "bailey"), 0o755)  # then nobody is asked
    try:
        page.until('document.querySelector("#shells .silent") !== null')
        said = page.text("#shells .silent")
        assert "session" not in said and said.endswith("is accessible to others (mode 755): run chmod 700 on it"), said
    finally:
        os.chmod(os.path.join(PLACE, "bailey"), 0o700)
    page.until('!document.querySelector("#shells .silent") && document.querySelector("#shells .number") !== null')


def look_live(browser, server):
    page = browser.page(server.address)
    page.until('location.pathname.length > 30 && document.readyState === "complete" && !document.getElementById("main").hidden')
    assert server.token not in page.eval("location.href")
    equal(page.eval("document.cookie"), "")
    equal(page.text("#totals dd"), "20")
    page.until('document.getElementById("live").textContent.startsWith("Live.")')
    page.eval('document.querySelector("#rows button.command").focus()')
    page.press("Enter")
    focused = page.text(":focus")
    bailey("test", "--config", server.config, "echo '<img src=x onerror=window.ran=1>'", cwd=PLACE)
    page.until('document.querySelector("#totals dd").textContent === "21"')
    equal(page.text("#rows tr.row code"), "echo '<img src=x onerror=window.ran=1>'")
    equal((page.text(":focus"), page.eval("document.activeElement.getAttribute('aria-expanded')")), (focused, "true"))
    equal(page.eval('document.getElementById("shells").hidden'), True)
    agent = Agent(PLACE, server.config, "sleep 600 # <img src=x onerror=window.ran=1> \u202e")
    page.until('!document.getElementById("shells").hidden')
    equal(page.text("#shells code"), "sleep 600 # <img src=x onerror=window.ran=1> <U+202E>")
    check_quiet(page)
    page.screenshot("live-1400-light")
    look_at_silence(page, agent)
    agent.close()
    page.until('document.getElementById("shells").hidden')
    second = browser.page(server.address)
    assert "it is valid once" in second.eval("document.body.innerText")
    second.close()
    page.eval("window.before = true")
    page.call("Page.reload")
    page.until('!window.before && document.readyState === "complete" && document.querySelector("#totals dd")?.textContent === "22"')
    equal(server.close(), 0)
    page.until('document.getElementById("problem").textContent.includes("does not answer")')
    equal(page.text("#totals dd"), "22")
    page.close()


main([test_none, test_one, test_many, test_more_than_shown, test_filters, test_hostile, test_policy, test_keyboard,
      test_lists_search, test_looks, test_semantics, test_without_scripts, test_live])
