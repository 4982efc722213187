// The page's script: text.js, sums.js, table.js, shells.js and live.js, one behind the other, as one module. It shows what
// stands in #data, and, where somebody serves the page, asks for what is new. Commands may hold anything: they are only ever
// put into the page as text, and what would not be seen is shown.

const PAGE = 50;
const LIST = 8;
const POLL_MS = 1000;
const VERDICTS = ["allowed", "warned", "blocked", "other"];

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const rows = new Map(); // by number, which rises
let state = data;

const numbers = new Intl.NumberFormat("en");
const count = (n, one, many) => `${numbers.format(n)} ${n === 1 ? one : many}`;

// el("p", { class: "quiet", click: f }, "text", node, ...)
function el(name, properties, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

// Controls, marks of direction, characters without a width or a meaning, and spaces that are none.
const ODD = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/gu;
const codePoint = (character) => `<U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`;

// The text, with each odd character shown as <U+202E>; lines and tabs stay.
function visible(text) {
  const parts = document.createDocumentFragment();
  let done = 0;
  for (const match of text.matchAll(ODD)) {
    if (match[0] === "\n" || match[0] === "\t") continue;
    parts.append(text.slice(done, match.index), el("span", { class: "odd" }, codePoint(match[0])));
    done = match.index + match[0].length;
  }
  parts.append(text.slice(done));
  return parts;
}

function when(time) {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(time) ? `${time.slice(0, 10)} ${time.slice(11, 19)}` : time;
}

function duration(ms) {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

// The first line that says something, and how many more there are.
function oneLine(command) {
  const lines = command.replace(/\n+$/, "").split("\n");
  const first = lines.find((line) => line.trim()) || "";
  const code = el("code", {}, visible(first));
  if (lines.length > 1) code.append(el("span", { class: "rest" }, ` + ${count(lines.length - 1, "line", "lines")}`));
  return code;
}
