import { PANEL_STYLE } from "./style-panel.ts";

/** Calm and dense: colour is for what needs a look, size for what is read first. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f7f7f5; --paper: #ffffff; --ink: #1d2021; --dim: #66696c; --rule: #e3e3df;
  --hover: #f0f0ed; --accent: #0f766e; --accent-soft: #d9efec; --warm: #9a5a00; --warm-soft: #fdf0d8;
  --danger: #b42318; --danger-soft: #fdeceA; --bar: #8fbfb9; --shade: rgb(20 24 24 / 8%);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121415; --paper: #191c1d; --ink: #e6e7e5; --dim: #989d9f; --rule: #2b2f31;
    --hover: #202425; --accent: #4fc3b5; --accent-soft: #12322f; --warm: #e5ac52; --warm-soft: #352812;
    --danger: #ff8a7e; --danger-soft: #3a1d1a; --bar: #3f7f78; --shade: rgb(0 0 0 / 40%);
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100dvh; display: flex; flex-direction: column; background: var(--ground); color: var(--ink); }
h1, h2, h3, p, ul, ol, dl, dd, pre { margin: 0; padding: 0; }
ul { list-style: none; }
button, input, select { font: inherit; color: inherit; }
button {
  min-height: 2.15rem; padding: .3rem .8rem; border: 1px solid var(--rule); border-radius: 7px;
  background: var(--paper); cursor: pointer;
}
button:hover { background: var(--hover); }
button:disabled { opacity: .45; cursor: default; }
button.quiet { border-color: transparent; background: none; color: var(--dim); }
button.quiet:hover { color: var(--ink); background: var(--hover); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--paper); }
button.danger { background: var(--danger); border-color: var(--danger); color: var(--paper); }
button.danger.quiet { background: none; border-color: var(--rule); color: var(--danger); }
button.danger.quiet:hover { background: var(--danger-soft); }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.dim { color: var(--dim); }
.theirs { unicode-bidi: isolate; overflow-wrap: anywhere; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

.top {
  display: flex; align-items: center; gap: .25rem 1.1rem; flex-wrap: wrap;
  padding: .7rem 1.25rem; background: var(--paper); border-bottom: 1px solid var(--rule);
}
h1 { display: flex; align-items: center; gap: .45rem; font-size: 1.08rem; font-weight: 650; letter-spacing: -.01em; }
.mark { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linecap: round; }
.counts { color: var(--dim); }
.counts b { color: var(--ink); font-variant-numeric: tabular-nums; }
.live { margin-left: auto; display: flex; align-items: center; gap: .45rem; color: var(--dim); }
.dot { width: .55rem; height: .55rem; border-radius: 50%; background: var(--dim); }
.live[data-state="live"] .dot { background: var(--accent); box-shadow: 0 0 0 3px var(--accent-soft); }
.live[data-state="lost"] .dot { background: var(--danger); box-shadow: 0 0 0 3px var(--danger-soft); }
.banner {
  display: flex; align-items: center; gap: 1rem; flex-wrap: wrap; padding: .5rem 1.25rem;
  background: var(--warm-soft); color: var(--warm); border-bottom: 1px solid var(--rule);
}
.stale .list, .stale .detail { opacity: .6; }

.layout { flex: 1; width: 100%; max-width: 100rem; margin: 0 auto; display: grid; grid-template-columns: minmax(0, 1fr); align-items: start; }
.locks { padding: 0 1.25rem 1.5rem; min-width: 0; }
.tools {
  position: sticky; top: 0; z-index: 1; display: flex; align-items: center; gap: .9rem;
  padding: .85rem 0 .7rem; background: var(--ground);
}
.tools input { flex: 1; min-width: 0; max-width: 26rem; }
input, select {
  min-height: 2.15rem; padding: .3rem .65rem; border: 1px solid var(--rule); border-radius: 7px; background: var(--paper);
}
input::placeholder { color: var(--dim); opacity: 1; }
.matches { white-space: nowrap; font-variant-numeric: tabular-nums; }
.sort { margin-left: auto; display: flex; align-items: center; gap: .45rem; }

.heads, .row { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 8fr) 6rem 6rem; column-gap: 1.1rem; }
.heads { padding: 0 .9rem .3rem; color: var(--dim); font-size: .82rem; }
.heads span:nth-child(n + 3), .time, .line { text-align: right; }
.list { background: var(--paper); border-radius: 10px; box-shadow: 0 0 0 1px var(--rule), 0 1px 3px var(--shade); overflow: clip; }
.list:not(:has(.row:not([hidden]))) { display: none; }
.row {
  align-items: baseline; padding: .5rem .9rem; border-bottom: 1px solid var(--rule); cursor: pointer;
  content-visibility: auto; contain-intrinsic-size: auto 3.2rem;
}
.row:last-child { border-bottom: 0; }
.row:hover { background: var(--hover); }
.row.open { background: var(--accent-soft); }
.row:focus-within { box-shadow: inset 3px 0 0 var(--accent); }
.name { display: flex; align-items: baseline; gap: .55rem; min-width: 0; }
.key, .key:hover {
  min-height: 0; padding: 0; border: 0; border-radius: 3px; background: none; text-align: left;
  font: 600 .93rem/1.4 var(--mono); color: inherit;
}
.slots { color: var(--dim); font-size: .82rem; white-space: nowrap; }
.who { min-width: 0; overflow-wrap: anywhere; }
.note { color: var(--dim); }
.row .note { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .9rem; }
.time, .holds td:nth-child(n + 2) { font-variant-numeric: tabular-nums; white-space: nowrap; }
.line { color: var(--warm); font-variant-numeric: tabular-nums; white-space: nowrap; }
.doubt { display: inline-block; margin-left: .5rem; padding: .05rem .4rem; border-radius: 5px; background: var(--warm-soft); color: var(--warm); font-size: .82rem; }
.empty { max-width: 44rem; margin: 8vh auto; padding: 0 .5rem; color: var(--dim); }
.empty h2 { color: var(--ink); font-size: 1.15rem; margin-bottom: .4rem; }
pre { margin: .6rem 0 1rem; padding: .75rem .9rem; border-radius: 8px; background: var(--paper); color: var(--ink); box-shadow: 0 0 0 1px var(--rule); font: .9rem/1.5 var(--mono); overflow-x: auto; }
.hints { padding: .6rem 1.25rem 1rem; text-align: center; font-size: .82rem; }
kbd { margin-left: .6rem; padding: .05rem .35rem; border: 1px solid var(--rule); border-bottom-width: 2px; border-radius: 4px; background: var(--paper); font: .8rem var(--mono); }
${PANEL_STYLE}`;
