// The newest commands: searched, sorted, a page at a time.

const text = (name) => (row) => row[name] || "";
const COLUMNS = [
  { key: "time", title: "Time", value: text("time"), down: true, cell: (row) => [visible(when(row.time || ""))] },
  { key: "action", title: "Verdict", value: (row) => VERDICTS.indexOf(row.action), down: true, cell: verdictCell },
  { key: "command", title: "Command", value: text("command"), cell: commandCell },
  { key: "end", title: "End", value: text("end"), cell: (row) => [visible(row.end || "")] },
  { key: "duration_ms", title: "Took", value: (row) => row.duration_ms ?? -1, down: true,
    cell: (row) => [row.duration_ms === undefined ? "" : duration(row.duration_ms)] },
  { key: "backend", title: "Sandbox", value: text("backend"), cell: (row) => [visible(row.backend || "")] },
];
const FIELDS = [
  ["description", "description"],
  ["id", "id"], ["session", "session"], ["policy", "policy"], ["cwd", "directory"], ["kind", "record"],
  ["message", "message"], ["answer", "answer of the user"], ["client", "asked by"],
  ["command_sha256", "SHA-256 of the command"],
];

let sorted = { column: COLUMNS[0], down: true };
let found = []; // what the filter lets through, in order
let first = 0; // of the page
const expanded = new Set();

function verdictCell(row) {
  if (row.kind === "changed" || row.kind === "answered") return [""]; // a person's, and not judged
  const known = VERDICTS.includes(row.action);
  return [el("span", { class: known ? `verdict ${row.action}` : "verdict" }, visible(row.action || "")),
    row.bypassed ? el("div", { class: "reason" }, "guard off") : ""];
}

function commandCell(row) {
  const { number } = row;
  const flip = () => {
    if (!expanded.delete(number)) expanded.add(number);
    renderRows();
  };
  const button = el("button", { type: "button", class: "plain command", "aria-expanded": String(expanded.has(number)),
    "data-number": number, click: flip }, row.command ? oneLine(row.command) : visible(row.message || row.kind || ""));
  const rules = [...new Set((row.reasons || []).map((reason) => reason.rule))];
  return rules.length ? [button, el("div", { class: "reason" }, visible(rules.join(", ")))] : [button];
}

function details(row) {
  const list = el("dl");
  const add = (name, ...content) => list.append(el("dt", {}, name), el("dd", {}, ...content));
  for (const reason of row.reasons || []) add(visible(reason.rule), visible(reason.message));
  for (const notice of row.notices || []) add("notice", visible(notice));
  for (const [key, name] of FIELDS) if (row[key]) add(name, visible(row[key]));
  if (row.enforced) add("enforced", visible(row.enforced.join(", ")));
  if (row.output_bytes !== undefined) add("output", count(row.output_bytes, "byte", "bytes"));
  if (row.redactions) add("redactions", numbers.format(row.redactions));
  if (row.command_bytes) add("cut", `it has ${count(row.command_bytes, "byte", "bytes")}; bailey audit show ID tells more`);
  const sheet = el("div", { class: "sheet" }, el("pre", { tabindex: 0, role: "region", "aria-label": "The whole command" },
    visible(row.command || "")), list);
  return el("tr", { class: "details", role: "row" }, el("td", { role: "cell", colspan: COLUMNS.length }, sheet));
}

function haystack(row) {
  if (!row.text) {
    const rules = (row.reasons || []).map((reason) => `${reason.rule} ${reason.message}`).join("\n");
    row.text = [row.command, row.description, row.id, row.session, row.cwd, row.policy, row.action, row.end, row.backend, row.time,
      when(row.time || ""), rules].join("\n").toLowerCase();
  }
  return row.text;
}

function compare(a, b) {
  const x = sorted.column.value(a);
  const y = sorted.column.value(b);
  const order = x < y ? -1 : x > y ? 1 : a.number - b.number;
  return sorted.down ? -order : order;
}

function find() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const verdict = document.querySelector('input[name="verdict"]:checked').value;
  found = [...rows.values()].filter((row) => (!verdict || row.action === verdict) &&
    words.every((word) => haystack(row).includes(word)));
  found.sort(compare);
  first = Math.min(first, Math.max(0, Math.floor((found.length - 1) / PAGE) * PAGE));
}

function renderHeads() {
  byId("heads").replaceChildren(...COLUMNS.map((column) => {
    const active = sorted.column === column;
    const button = el("button", { type: "button", class: "plain", click: () => {
      sorted = { column, down: active ? !sorted.down : Boolean(column.down) };
      first = 0;
      renderTable();
      byId("heads").children[COLUMNS.indexOf(column)].firstElementChild.focus();
    } }, column.title);
    return el("th", { scope: "col", role: "columnheader", class: `c-${column.key}`,
      "aria-sort": active && (sorted.down ? "descending" : "ascending") }, button);
  }));
}

// The element that has the focus is made anew, and gets it back.
function renderRows() {
  const focused = document.activeElement?.dataset.number;
  const body = byId("rows");
  body.replaceChildren();
  for (const row of found.slice(first, first + PAGE)) {
    body.append(el("tr", { class: "row", role: "row" }, ...COLUMNS.map((column) =>
      el("td", { class: `c-${column.key}`, role: "cell" }, ...column.cell(row)))));
    if (expanded.has(row.number)) body.append(details(row));
  }
  const last = Math.min(first + PAGE, found.length);
  byId("place").textContent = `${numbers.format(first + 1)}-${numbers.format(last)} of ${numbers.format(found.length)}`;
  byId("pages").hidden = found.length <= PAGE;
  byId("newer").setAttribute("aria-disabled", String(first === 0));
  byId("older").setAttribute("aria-disabled", String(last >= found.length));
  if (focused) [...body.querySelectorAll("button.command")].find((button) => button.dataset.number === focused)?.focus();
}

function renderFound() {
  const { commands, changes } = state.sums;
  const left = commands + changes - rows.size;
  const nouns = changes ? ["record", "records"] : ["command", "commands"]; // changes of policy are in the table too
  let says = found.length === rows.size ? count(found.length, ...nouns)
    : `${numbers.format(found.length)} of ${count(rows.size, ...nouns)}`;
  if (left > 0) says += `. The table holds the newest ${numbers.format(rows.size)}; ${numbers.format(left)} older ` +
    `${left === 1 ? "one is" : "ones are"} left out, and counted above.`;
  if (byId("found").textContent !== says) byId("found").textContent = says;
}

function renderTable() {
  find();
  renderHeads();
  renderRows();
  renderFound();
}

function filterChanged() {
  first = 0;
  find();
  renderRows();
  renderFound();
}

function turn(by) {
  const to = first + by * PAGE;
  if (to < 0 || to >= found.length) return;
  first = to;
  renderRows();
}
