// What runs now: the background commands of every session, where the page is served; and which sessions do not tell.

let shells = []; // as bailey status --json has them, with the workspace of their session
let silent = []; // sessions, with the reason; without a session: why none of them can be asked

function takeShells(answer) {
  const only = data.filters.find((filter) => filter.name === "session");
  const sessions = (answer.sessions || []).filter((session) => !only || session.session === only.value);
  silent = sessions.filter((session) => !session.shells);
  if (answer.problem) silent.push({ error: answer.problem });
  shells = sessions.filter((session) => session.shells)
    .flatMap((session) => session.shells.map((shell) => ({ ...shell, workspace: session.workspace })))
    .filter((shell) => shell.status === "running");
}

function renderShells() {
  byId("shells").hidden = shells.length + silent.length === 0;
  byId("shells-list").replaceChildren(...shells.map((shell) => el("li", {},
    el("span", { class: "name" }, oneLine(shell.command)),
    el("span", { class: "number" }, duration(shell.duration_ms)),
    el("span", { class: "quiet" }, `since ${when(shell.started)}, `,
      `${count(shell.stdout_bytes + shell.stderr_bytes, "byte", "bytes")} of output, in `, visible(shell.workspace),
      ", id ", el("code", {}, visible(shell.shell_id))))),
  ...silent.map((session) => el("li", { class: "silent" },
    el("span", { class: "name" }, "Not known"),
    el("span", { class: "quiet" }, ...(session.session ? ["session ", el("code", {}, visible(session.session)), ": "] : []),
      visible(session.error || "")))));
}
