// What is new, and the start.

const begun = new Map(); // id -> number of a row that is without an end

function take(answer) {
  for (const row of answer.rows) {
    const before = begun.get(row.id);
    if (before !== undefined && row.kind !== "input") { // the end takes the place of the beginning
      rows.delete(before);
      begun.delete(row.id);
      if (expanded.delete(before)) expanded.add(row.number);
    }
    if (row.kind === "intent") begun.set(row.id, row.number);
    rows.set(row.number, row);
  }
  for (const number of rows.keys()) {
    if (answer.more || rows.size <= answer.kept) break;
    rows.delete(number);
    expanded.delete(number);
  }
}

// A section is a function that shows the state; whoever adds one adds it here.
const sections = [renderAbout, renderTotals, renderShells, renderTimeline, renderLists];

function render() {
  for (const id of ["lists", "commands"]) byId(id).hidden = !rows.size;
  for (const section of sections) section();
  find();
  renderRows();
  renderFound();
}

function tell(says, problem) {
  byId("live").textContent = says;
  byId("problem").textContent = "";
  byId("problem").append(visible(problem || ""));
  byId("problem").hidden = !problem;
}

async function poll() {
  let wait = POLL_MS;
  try {
    const response = await fetch(`data?after=${state.seen}`, { cache: "no-store" });
    if (response.status === 403) {
      tell("", "This session is over. Start bailey audit serve again, and open the address that it prints.");
      return;
    }
    if (!response.ok) throw new Error(response.statusText);
    const answer = await response.json();
    if (answer.rows) {
      state = { ...state, ...answer };
      take(answer);
      render();
      if (answer.more) wait = 0;
    }
    takeShells(await (await fetch("shells", { cache: "no-store" })).json());
    renderShells();
    tell(`Live. Asked at ${new Date().toISOString().slice(11, 19)} UTC.`, answer.problem);
  } catch {
    tell("", "bailey audit serve does not answer. The page shows what it had, and keeps asking.");
    wait = 5 * POLL_MS;
  }
  setTimeout(poll, wait);
}

// ---- the start ----

byId("search").addEventListener("input", filterChanged);
byId("filter").addEventListener("change", filterChanged);
byId("filter").addEventListener("submit", (event) => event.preventDefault());
byId("newer").addEventListener("click", () => turn(-1));
byId("older").addEventListener("click", () => turn(1));
byId("spans").addEventListener("toggle", () => {
  if (byId("spans").open) renderSpans();
});
take(data);
render();
renderHeads();
byId("main").hidden = false;
if (data.live) {
  byId("live").hidden = false;
  setTimeout(poll, POLL_MS);
}
