/** An anchor. Inline, since the page loads nothing from anywhere. */
const ANCHOR = "M12 8v13M5 13a7 7 0 0 0 14 0M8.5 11h7";
const MARK = `<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><circle cx="12" cy="5.5" r="2.5"/><path d="${ANCHOR}"/></svg>`;

const ICON = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%23fff' stroke-width='2' stroke-linecap='round'%3E%3Crect width='24' height='24' rx='5' fill='%230f766e' stroke='none'/%3E%3Cg transform='translate(2.4 2) scale(.8)'%3E%3Ccircle cx='12' cy='5.5' r='2.5'/%3E%3Cpath d='${ANCHOR}'/%3E%3C/g%3E%3C/svg%3E`;

const TOP = `
<header class="top">
  <h1>${MARK}Holdfast</h1>
  <p class="counts"><b id="held">0</b> held <span class="dim">·</span> <b id="waiting">0</b> waiting</p>
  <p class="live" id="live" role="status" data-state="connecting"><span class="dot"></span><span id="live-text">Connecting</span></p>
  <button class="quiet" id="forget" type="button" hidden>Forget token</button>
</header>
<div class="banner" id="banner" role="alert" hidden>
  <span id="banner-text"></span>
  <button id="retry" type="button">Try now</button>
</div>`;

const LIST = `
<section class="locks" aria-label="Locks">
  <div class="tools" role="search">
    <input id="filter" type="search" placeholder="Filter by key, owner, note" aria-label="Filter locks" aria-keyshortcuts="/" autocomplete="off" spellcheck="false">
    <span class="matches dim" id="matches"></span>
    <label class="sort"><span class="dim">Sort</span>
      <select id="sort">
        <option value="held">Held longest</option>
        <option value="newest">Newest</option>
        <option value="line">Longest line</option>
        <option value="key">Key</option>
      </select>
    </label>
  </div>
  <div class="heads" id="heads" aria-hidden="true" hidden><span>Key</span><span>Holder</span><span>Held for</span><span>Line</span></div>
  <ul class="list" id="list"></ul>
  <div class="empty" id="empty" hidden>
    <h2>Nobody holds a lock</h2>
    <p>Locks appear here as they are taken. Take the first one:</p>
    <pre id="first-command"></pre>
    <p>or in a workflow:</p>
    <pre id="first-step"></pre>
  </div>
  <p class="empty" id="nothing" hidden>No lock matches this filter. <button class="quiet" id="clear" type="button">Clear it</button></p>
</section>`;

const DETAIL = `
<aside class="detail" id="detail" aria-labelledby="detail-key" tabindex="-1" hidden>
  <header>
    <h2 id="detail-key" class="theirs"></h2>
    <button class="quiet" id="close" type="button" aria-label="Close details">✕</button>
  </header>
  <p class="state" id="detail-state"></p>
  <div id="holders"></div>
  <section id="line-section" aria-labelledby="line-title">
    <h3 id="line-title">In line</h3>
    <ol id="line"></ol>
    <p class="dim" id="line-more"></p>
  </section>
  <section aria-labelledby="history-title">
    <h3 id="history-title">Last holds</h3>
    <div id="history"></div>
  </section>
</aside>`;

const DIALOGS = `
<dialog id="break" aria-labelledby="break-title">
  <form id="break-form" method="dialog" autocomplete="off">
    <h2 id="break-title">Break this lock?</h2>
    <p><b class="theirs" id="break-owner"></b> is not asked, and may still be at work. The next in line gets the lock at once.</p>
    <label>Reason, for the log
      <input id="break-reason" name="reason" required maxlength="500" placeholder="runner died, checked by hand"></label>
    <label>Your name, for the log <span class="dim">(optional)</span>
      <input id="break-who" name="who" maxlength="80"></label>
    <label>Type the key <code class="theirs" id="break-key"></code> to confirm
      <input id="break-typed" name="typed" spellcheck="false" autocapitalize="off"></label>
    <p class="trouble" id="break-trouble" role="alert"></p>
    <div class="buttons">
      <button type="button" id="break-cancel">Keep it</button>
      <button type="submit" id="break-go" class="danger" disabled>Break the lock</button>
    </div>
  </form>
</dialog>
<dialog id="ask" aria-labelledby="ask-title">
  <form id="ask-form" method="dialog">
    <h2 id="ask-title">This server has a token</h2>
    <label>Token
      <input id="ask-token" type="password" required autocomplete="off" spellcheck="false"></label>
    <p class="dim">Kept for this tab only, until you close it.</p>
    <p class="trouble" id="ask-trouble" role="alert"></p>
    <div class="buttons"><button type="submit" class="main">Show the locks</button></div>
  </form>
</dialog>`;

const HINTS = `
<footer class="hints dim"><kbd>/</kbd> filter <kbd>j</kbd> <kbd>k</kbd> move <kbd>Enter</kbd> open <kbd>Esc</kbd> close</footer>
<div class="unseen" id="announce" aria-live="polite"></div>`;

export function composeHtml(style: string, script: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast</title>
<link rel="icon" href="${ICON}">
<style>${style}</style>
</head>
<body>
${TOP}
<noscript><p class="banner">This page needs its script to show locks live. <code>holdfast list</code> does without.</p></noscript>
<main class="layout" id="layout">
${LIST}
${DETAIL}
</main>
${HINTS}
${DIALOGS}
<script>${script}</script>
</body>
</html>
`;
}
