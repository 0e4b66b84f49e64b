/** The details of a lock, the dialogs, and what changes on a narrow screen. */
export const PANEL_STYLE = `
.detail {
  position: sticky; top: 0; max-height: 100dvh; overflow-y: auto; padding: 1rem 1.25rem 1.5rem;
  background: var(--paper); border-left: 1px solid var(--rule);
}
.detail:focus { outline: none; }
.detail header { display: flex; align-items: flex-start; gap: .75rem; }
.detail header button { margin: -.25rem -.5rem 0 auto; }
.detail h2 { font: 650 1.1rem/1.4 var(--mono); white-space: pre-wrap; }
.detail h3 { margin: 1.4rem 0 .5rem; font-size: .82rem; font-weight: 600; color: var(--dim); }
.state { display: inline-block; margin-top: .35rem; padding: .1rem .55rem; border-radius: 99px; background: var(--accent-soft); color: var(--accent); font-size: .82rem; font-weight: 600; }
.free .state { background: var(--hover); color: var(--dim); }
.holder { margin-top: .9rem; padding: .8rem .9rem; border: 1px solid var(--rule); border-radius: 9px; }
.holder > .note { margin-top: .15rem; }
.owner-line { font-weight: 600; }
.owner-line .dim { font-weight: 400; }
.facts { display: grid; grid-template-columns: minmax(5.5rem, auto) minmax(0, 1fr); gap: .15rem .9rem; margin: .6rem 0 .8rem; font-size: .93rem; }
.facts dt { color: var(--dim); }
.facts dt::first-letter { text-transform: uppercase; }
.facts dd { min-width: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
code { font-family: var(--mono); font-size: .95em; }
#line { padding-left: 1.6rem; }
#line li { padding: .2rem 0; }
#line li::marker { color: var(--dim); font-variant-numeric: tabular-nums; }
#line .ticking { color: var(--dim); font-variant-numeric: tabular-nums; white-space: pre; }
#line .note { display: block; font-size: .9rem; }
.bars { display: block; width: 100%; height: 3.5rem; border-bottom: 1px solid var(--rule); }
.bar.calm { fill: var(--bar); }
.bar.rough { fill: var(--danger); }
.bar:hover { fill: var(--accent); }
#history > .dim { margin: .4rem 0 .5rem; font-size: .9rem; }
.holds { width: 100%; border-collapse: collapse; font-size: .9rem; }
.holds th { padding: .2rem 0; font-weight: 500; color: var(--dim); text-align: left; }
.holds td { padding: .25rem 0; border-top: 1px solid var(--rule); vertical-align: baseline; }
.holds :is(th, td):nth-child(n + 2) { padding-left: .9rem; text-align: right; white-space: nowrap; }

dialog {
  width: min(30rem, calc(100vw - 2rem)); padding: 1.3rem 1.4rem; border: 1px solid var(--rule); border-radius: 12px;
  background: var(--paper); color: var(--ink); box-shadow: 0 12px 40px var(--shade);
}
dialog::backdrop { background: rgb(10 14 14 / 45%); }
dialog h2 { font-size: 1.1rem; margin-bottom: .5rem; }
dialog label { display: block; margin-top: .9rem; overflow-wrap: anywhere; }
dialog input { display: block; width: 100%; margin-top: .3rem; }
dialog code { padding: .05rem .35rem; border-radius: 4px; background: var(--hover); white-space: pre-wrap; }
dialog label + .dim { margin-top: .5rem; }
.trouble { min-height: 1.5em; margin-top: .6rem; color: var(--danger); }
.buttons { display: flex; justify-content: flex-end; gap: .6rem; margin-top: .6rem; }

@media (min-width: 60rem) {
  .layout.split { grid-template-columns: minmax(0, 1fr) minmax(24rem, 32rem); align-items: stretch; }
  .split .heads, .split .row { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr) 5rem 5.5rem; }
}
@media (max-width: 59.99rem) {
  .detail { position: fixed; inset: 0; z-index: 2; max-height: none; border-left: 0; }
  .stale .detail { opacity: 1; }
}
@media (max-width: 40rem) {
  .top, .banner { padding-left: .9rem; padding-right: .9rem; }
  .locks { padding: 0 .6rem 1rem; }
  .tools { flex-wrap: wrap; gap: .5rem; padding: .6rem 0 .5rem; }
  .tools input { flex: 1 1 9rem; font-size: 16px; }
  dialog input { font-size: 16px; }
  .heads, .hints { display: none; }
  .row, .split .row { grid-template-columns: minmax(0, 1fr) auto; row-gap: .1rem; padding: .6rem .75rem; }
  .name { grid-area: 1 / 1; }
  .time { grid-area: 1 / 2; }
  .who { grid-area: 2 / 1; }
  .line { grid-area: 2 / 2; }
  .sort .dim { display: none; }
  .detail { padding: .9rem .9rem 2rem; }
  .detail header button { min-height: 2.6rem; min-width: 2.6rem; }
}
@media (prefers-reduced-motion: no-preference) {
  .live[data-state="connecting"] .dot { animation: breathe 1.6s ease-in-out infinite; }
  @keyframes breathe { 50% { opacity: .3; } }
}
`;
