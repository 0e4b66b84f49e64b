/**
 * The stream of events. EventSource cannot send the token, so the stream is read by hand, and lost
 * connections are found and made anew by hand too.
 */
export const LIVE = String.raw`
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10000;
// The server says something every 15 s.
const SILENCE_MS = 40000;
let everConnected = false;
let lostAt = null;
let wake = () => {};

async function follow() {
  let retry = FIRST_RETRY_MS;
  for (;;) {
    let trouble = "The connection to the server is lost.";
    try {
      const outcome = await readEvents(() => {
        retry = FIRST_RETRY_MS;
      });
      if (outcome === "token") continue;
      if (outcome !== null) trouble = outcome;
    } catch {}
    lost(trouble, retry);
    await pause(retry + Math.random() * 250);
    retry = Math.min(LONGEST_RETRY_MS, retry * 2);
  }
}

// Until the stream ends. Null, or what the server said instead of events.
async function readEvents(connected) {
  const control = new AbortController();
  let watchdog = setTimeout(() => control.abort(), SILENCE_MS);
  try {
    const response = await ask("admin/events", { signal: control.signal, headers: { accept: "text/event-stream" } });
    if (response.status === 401 || response.status === 403) {
      clearTimeout(watchdog);
      if (response.status === 403) return await problemOf(response);
      await askToken();
      return "token";
    }
    if (!response.ok || response.body === null) return await problemOf(response);
    learnClock(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return null;
      clearTimeout(watchdog);
      watchdog = setTimeout(() => control.abort(), SILENCE_MS);
      // The end of an event may come in two pieces.
      const from = Math.max(0, rest.length - 1);
      rest += value;
      let start = 0;
      for (let end = rest.indexOf("\n\n", from); end !== -1; end = rest.indexOf("\n\n", start)) {
        takeEvent(rest.slice(start, end), connected);
        start = end + 2;
      }
      rest = rest.slice(start);
    }
  } finally {
    clearTimeout(watchdog);
    control.abort();
  }
}

function takeEvent(block, connected) {
  // By line feeds alone: a key may hold other characters that end a line for a regular expression.
  const fields = new Map(block.split("\n").map((line) => {
    const colon = line.indexOf(": ");
    return [line.slice(0, colon), line.slice(colon + 2)];
  }));
  const name = fields.get("event");
  if (name === undefined) return;
  const content = JSON.parse(fields.get("data"));
  if (name === "state") {
    connected();
    found();
    applyState(content.locks);
  } else if (name === "change") {
    applyChanges(content.keys);
  }
}

function found() {
  everConnected = true;
  lostAt = null;
  byId("banner").hidden = true;
  byId("forget").hidden = storedToken() === null;
  document.body.classList.remove("stale");
  showLive("live", "Live");
  showFirstSteps(storedToken() !== null);
}

function showFirstSteps(withToken) {
  const store = new URL(".", location.href).href.replace(/\/$/, "");
  const token = withToken ? "HOLDFAST_TOKEN=… " : "";
  setText(byId("first-command"), token + "holdfast run production --store " + store + " -- ./deploy.sh");
  const secret = withToken ? "\n    token: $" + "{{ secrets.HOLDFAST_TOKEN }}" : "";
  setText(byId("first-step"), "- uses: holdfast/holdfast@v1\n  with:\n    key: production\n    store: " + store + secret);
}

function lost(trouble, retry) {
  lostAt ??= Date.now();
  const age = everConnected && rows.size > 0 ? " Shown is what was true " + duration(Date.now() - lostAt) + " ago." : "";
  setText(byId("banner-text"), trouble + age + " Trying again" + (retry < 1000 ? "." : " in " + duration(retry) + "."));
  byId("banner").hidden = false;
  document.body.classList.add("stale");
  showLive("lost", "Not connected");
}

function showLive(state, text) {
  byId("live").dataset.state = state;
  setText(byId("live-text"), text);
}

function pause(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

// Resolves once there is something to try.
function askToken() {
  const asking = byId("ask");
  const refused = storedToken() !== null;
  sessionStorage.removeItem(TOKEN_NAME);
  setText(byId("ask-trouble"), refused ? "The server does not take this token." : "");
  byId("ask-token").value = "";
  if (!asking.open) asking.showModal();
  byId("ask-token").focus();
  showLive("lost", "Token needed");
  return new Promise((resolve) => {
    byId("ask-form").onsubmit = (event) => {
      event.preventDefault();
      const token = byId("ask-token").value.trim();
      if (token === "") return;
      sessionStorage.setItem(TOKEN_NAME, token);
      asking.close();
      resolve();
    };
  });
}

// There is nothing to see behind this dialog.
byId("ask").addEventListener("cancel", (event) => event.preventDefault());
byId("forget").addEventListener("click", () => {
  sessionStorage.removeItem(TOKEN_NAME);
  location.reload();
});
byId("retry").addEventListener("click", () => wake());
addEventListener("online", () => wake());
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) {
    wake();
    tick();
  }
});

sort.value = sessionStorage.getItem("holdfast-sort") ?? "held";
if (sort.value === "") sort.value = "held";
if (location.hash.length > 1) {
  try {
    openDetail(decodeURIComponent(location.hash.slice(1)));
  } catch {}
}
setInterval(tick, 1000);
void follow();
`;
