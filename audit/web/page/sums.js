// What is said of all commands together.

function renderAbout() {
  const { first, last } = state.sums;
  const only = data.filters.map((filter) => `${filter.name} ${filter.value}`).join(", ");
  const about = byId("about");
  about.replaceChildren();
  if (first) about.append("From ", visible(when(first)), " to ", visible(when(last)), " (all times are UTC).");
  else about.append(only ? "No command matches." : "The audit log is empty.");
  if (only) about.append(" Only ", visible(only), ".");
  byId("made").replaceChildren(`bailey ${data.version}`, data.live ? "" : `, ${when(data.time)} UTC`,
    state.repairs ? `. ${count(state.repairs, "writer was", "writers were")} killed inside a record, which was closed.` : "");
}

function renderTotals() {
  const { commands, open, verdicts } = state.sums;
  const share = (n) => (commands ? `${((n / commands) * 100).toFixed(n && n < commands / 100 ? 1 : 0)} %` : "");
  const tile = (name, n, note, kind) =>
    el("div", {}, el("dt", { class: kind }, name), el("dd", {}, numbers.format(n)), el("dd", { class: "note" }, note));
  byId("totals").replaceChildren(
    tile("Commands", commands, open ? `${numbers.format(open)} without an end yet` : ""),
    tile("Allowed", verdicts.allowed, share(verdicts.allowed), "allowed"),
    tile("Warned", verdicts.warned, share(verdicts.warned), "warned"),
    tile("Blocked", verdicts.blocked, share(verdicts.blocked), "blocked"));
}

// ---- when ----

const SVG = "http://www.w3.org/2000/svg";
function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

const total = (counts) => counts.reduce((sum, n) => sum + n, 0);
const spanTime = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
const spanText = (counts) => VERDICTS.map((name, i) => [counts[i], name]).filter(([n]) => n)
  .map(([n, name]) => `${numbers.format(n)} ${name}`).join(", ") || "none";

function spanLength(seconds) {
  for (const [unit, name] of [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]])
    if (seconds % unit === 0) return count(seconds / unit, name, `${name}s`);
  return "";
}

function renderTimeline() {
  const { seconds, start, spans } = state.sums.timeline;
  const section = byId("timeline");
  section.hidden = spans.length === 0;
  if (section.hidden) return;
  const room = Math.max(spans.length, 40); // few spans would be broad beams
  const highest = Math.max(...spans.map(total), 1);
  const chart = shape("svg", { viewBox: `0 0 ${room * 10} 100`, preserveAspectRatio: "none", role: "img",
    "aria-label": `Commands from ${spanTime(start)} to ${spanTime(start + spans.length * seconds)} UTC, ` +
      `at most ${highest} in ${spanLength(seconds)}` });
  spans.forEach((counts, i) => {
    const x = (room - spans.length + i) * 10;
    const group = shape("g", {});
    const title = shape("title", {});
    let y = 100;
    title.textContent = `${spanTime(start + i * seconds)}: ${spanText(counts)}`;
    group.append(title, shape("rect", { class: "whole", x, y: 0, width: 10, height: 100 }));
    VERDICTS.forEach((name, column) => {
      if (!counts[column]) return;
      const height = Math.max((counts[column] / highest) * 100, 1.5);
      y -= height;
      group.append(shape("rect", { class: name, x: x + 1, y, width: 8, height }));
    });
    chart.append(group);
  });
  byId("chart").replaceChildren(chart);
  byId("chart-start").textContent = spanTime(start - (room - spans.length) * seconds);
  byId("chart-width").textContent = `${spanLength(seconds)} a bar, at most ${numbers.format(highest)}`;
  byId("chart-end").textContent = spanTime(start + spans.length * seconds);
  if (byId("spans").open) renderSpans();
}

function renderSpans() {
  const { seconds, start, spans } = state.sums.timeline;
  const head = el("tr", {}, ...["from", ...VERDICTS.slice(0, 3)].map((name) => el("th", { scope: "col" }, name)));
  const body = el("tbody");
  spans.forEach((counts, i) => {
    if (total(counts))
      body.append(el("tr", {}, el("th", { scope: "row" }, spanTime(start + i * seconds)),
        ...counts.slice(0, 3).map((n) => el("td", {}, numbers.format(n)))));
  });
  const box = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": "timeline-title" },
    el("table", { class: "small" }, el("thead", {}, head), body));
  byId("spans").replaceChildren(byId("spans").firstElementChild, box);
}

// ---- lists ----

const opened = new Set(); // lists that are shown whole

function searchFor(text) {
  byId("search").value = text;
  byId("search").focus();
  filterChanged();
}

// Items are { node, number, counts }; counts make a bar.
function renderList(id, items, nothing) {
  const place = byId(id);
  if (!items.length) {
    place.replaceChildren(el("p", { class: "quiet" }, nothing));
    return;
  }
  const largest = Math.max(...items.map((item) => (item.counts ? total(item.counts) : 0)));
  const shown = opened.has(id) ? items : items.slice(0, LIST);
  const list = el("ul", { class: "list" }, ...shown.map((item) => {
    const entry = el("li", {}, item.node, el("span", { class: "number" }, item.number));
    if (item.counts) entry.append(bar(item.counts, largest));
    return entry;
  }));
  place.replaceChildren(list);
  if (items.length > LIST)
    place.append(el("button", { type: "button", class: "plain more", "aria-expanded": String(opened.has(id)), click: () => {
      if (!opened.delete(id)) opened.add(id);
      renderList(id, items, nothing);
      place.lastElementChild.focus();
    } }, opened.has(id) ? "Show fewer" : `Show all ${items.length}`));
}

function bar(counts, largest) {
  const node = el("div", { class: "bar", "aria-hidden": "true" });
  node.style.width = `${(total(counts) / largest) * 100}%`;
  VERDICTS.forEach((name, i) => {
    if (!counts[i]) return;
    const part = el("span", { class: name });
    part.style.flexGrow = counts[i];
    node.append(part);
  });
  return node;
}

const columnsOf = (item) => VERDICTS.map((name) => item[name]);
const finder = (text, ...children) =>
  el("button", { type: "button", class: "plain name", title: "Search the table for it", click: () => searchFor(text) },
    ...children);

function tally(items, others) {
  const list = items.map((item) => {
    const counts = columnsOf(item);
    return { node: finder(item.name, visible(item.name)), number: numbers.format(total(counts)), counts };
  });
  if (others) list.push({ node: el("span", { class: "name" }, "others"), number: numbers.format(others) });
  return list;
}

function renderLists() {
  const { sums } = state;
  const plain = (command) => command.split("\n").find((line) => line.trim()) || "";
  const commands = (items, text) => items.map((item) => ({
    node: finder(plain(item.command), oneLine(item.command + (item.cut ? " ..." : ""))), number: text(item.number) }));
  const ends = tally(sums.ends, sums.ends_others);
  if (sums.open) ends.push({ node: finder("no end", "no end"), number: numbers.format(sums.open) });
  renderList("rules", tally(sums.rules, sums.rules_others), "No rule had anything to say.");
  renderList("ends", ends, "No command has ended.");
  renderList("blocked", commands(sums.blocked, (n) => `${numbers.format(n)} ×`), "Nothing was blocked.");
  renderList("slowest", commands(sums.slowest, duration), "No command has run.");
}
