export const id=295;export const ids=[295];export const modules={3982:(e,n,t)=>{t.d(n,{AF:()=>r,BX:()=>i,CC:()=>s,k5:()=>o,li:()=>a});class o{request;response;method;rawPath;path;rawQuery;#e=null;constructor(e,n,t,o,r){this.request=e,this.response=n,this.method=e.method,this.rawPath=t,this.path=o,this.rawQuery=r}get query(){return this.#e??=new URLSearchParams(this.rawQuery),this.#e}header(e){const n=this.request.headers[e];return Array.isArray(n)?n.join(", "):n}}class r extends Error{reply;constructor(e,n,t,o){super(t),this.name="Problem",this.reply=s(e,n,t,o)}}function s(e,n,t,o){const r={error:n,message:t};return void 0===o?{status:e,body:r}:{status:e,headers:o,body:r}}function a(e){return new r(400,"Bad request",e)}function i(e,n){return new r(405,"Method not allowed",`The method ${e.method} has no meaning for ${e.rawPath}: use ${n}.`,{allow:n})}},6929:(e,n,t)=>{t.d(n,{ES:()=>d,OY:()=>l,SR:()=>m,dM:()=>u,gc:()=>c,sG:()=>a});var o=t(3107),r=t(9409);const s=20;function a(e){const{party:n}=e,t=n.introduction?.owner.metadata??{},{process_id:o,hostname:r}=t;return{owner:h(n),since:new Date(e.since).toISOString(),ttl:Math.min(e.lease,n.patience)/1e3,fence:e.fence,slot:e.slot,pid:"number"==typeof o?o:null,host:"string"==typeof r?r:null,alive:!n.gone||null,note:n.introduction?.note??null,metadata:t,heartbeat:new Date(e.renewed).toISOString(),expiresAt:Math.round(e.renewed+e.lease),door:n.door}}function i(e,n){const{party:t}=e;return{owner:h(t),since:new Date(e.since).toISOString(),position:n,note:t.introduction?.note??null,metadata:t.introduction?.owner.metadata??{}}}function l(e,n=s){const{key:t,limit:o,holders:r,waiters:i}=e;return{key:u(t),slots:o,holders:Array.from(r,a),waiting:i.size,waiters:d(e,n)}}function d({waiters:e},n=s){const t=[];for(let o=e.first;null!==o&&t.length<n;o=o.next)t.push(i(o,t.length+1));return t}function c(e,n=1){return{key:u(e),slots:n,holders:[],waiting:0,waiters:[]}}function h(e){return e.introduction?.owner.id??(0,r.p)(e)}function u(e){const n=(0,o.Z)(e);return n===e||(0,o.b)(n)===e?n:e}function m(e,n){const t=(0,o.b)(n);return void 0===e.find(t)&&void 0!==e.find(n)?n:t}},1295:(e,n,t)=>{t.d(n,{createPanel:()=>V});var o=t(7598),r=t(3982);function s(e){return n=>{a(n);const t=e.trouble(),o={"cache-control":"no-store"};return null!==t?{status:503,headers:o,body:{status:"trouble",message:t}}:{status:200,headers:o,body:{status:"ok",version:e.version}}}}function a(e){if("GET"!==e.method&&"HEAD"!==e.method)throw(0,r.BX)(e,"GET, HEAD")}const i="M12 8v13M5 13a7 7 0 0 0 14 0M8.5 11h7",l=`data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%23fff' stroke-width='2' stroke-linecap='round'%3E%3Crect width='24' height='24' rx='5' fill='%230f766e' stroke='none'/%3E%3Cg transform='translate(2.4 2) scale(.8)'%3E%3Ccircle cx='12' cy='5.5' r='2.5'/%3E%3Cpath d='${i}'/%3E%3C/g%3E%3C/svg%3E`,d=`\n<header class="top">\n  <h1>${`<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><circle cx="12" cy="5.5" r="2.5"/><path d="${i}"/></svg>`}Holdfast</h1>\n  <p class="counts"><b id="held">0</b> held <span class="dim">\xb7</span> <b id="waiting">0</b> waiting</p>\n  <p class="live" id="live" role="status" data-state="connecting"><span class="dot"></span><span id="live-text">Connecting</span></p>\n  <button class="quiet" id="forget" type="button" hidden>Forget token</button>\n</header>\n<div class="banner" id="banner" role="alert" hidden>\n  <span id="banner-text"></span>\n  <button id="retry" type="button">Try now</button>\n</div>`,c='\n<section class="locks" aria-label="Locks">\n  <div class="tools" role="search">\n    <input id="filter" type="search" placeholder="Filter by key, owner, note" aria-label="Filter locks" aria-keyshortcuts="/" autocomplete="off" spellcheck="false">\n    <span class="matches dim" id="matches"></span>\n    <label class="sort"><span class="dim">Sort</span>\n      <select id="sort">\n        <option value="held">Held longest</option>\n        <option value="newest">Newest</option>\n        <option value="line">Longest line</option>\n        <option value="key">Key</option>\n      </select>\n    </label>\n  </div>\n  <div class="heads" id="heads" aria-hidden="true" hidden><span>Key</span><span>Holder</span><span>Held for</span><span>Line</span></div>\n  <ul class="list" id="list"></ul>\n  <div class="empty" id="empty" hidden>\n    <h2>Nobody holds a lock</h2>\n    <p>Locks appear here as they are taken. Take the first one:</p>\n    <pre id="first-command"></pre>\n    <p>or in a workflow:</p>\n    <pre id="first-step"></pre>\n  </div>\n  <p class="empty" id="nothing" hidden>No lock matches this filter. <button class="quiet" id="clear" type="button">Clear it</button></p>\n</section>',h='\n<aside class="detail" id="detail" aria-labelledby="detail-key" tabindex="-1" hidden>\n  <header>\n    <h2 id="detail-key" class="theirs"></h2>\n    <button class="quiet" id="close" type="button" aria-label="Close details">\u2715</button>\n  </header>\n  <p class="state" id="detail-state"></p>\n  <div id="holders"></div>\n  <section id="line-section" aria-labelledby="line-title">\n    <h3 id="line-title">In line</h3>\n    <ol id="line"></ol>\n    <p class="dim" id="line-more"></p>\n  </section>\n  <section aria-labelledby="history-title">\n    <h3 id="history-title">Last holds</h3>\n    <div id="history"></div>\n  </section>\n</aside>',u='\n<dialog id="break" aria-labelledby="break-title">\n  <form id="break-form" method="dialog" autocomplete="off">\n    <h2 id="break-title">Break this lock?</h2>\n    <p><b class="theirs" id="break-owner"></b> is not asked, and may still be at work. The next in line gets the lock at once.</p>\n    <label>Reason, for the log\n      <input id="break-reason" name="reason" required maxlength="500" placeholder="runner died, checked by hand"></label>\n    <label>Your name, for the log <span class="dim">(optional)</span>\n      <input id="break-who" name="who" maxlength="80"></label>\n    <label>Type the key <code class="theirs" id="break-key"></code> to confirm\n      <input id="break-typed" name="typed" spellcheck="false" autocapitalize="off"></label>\n    <p class="trouble" id="break-trouble" role="alert"></p>\n    <div class="buttons">\n      <button type="button" id="break-cancel">Keep it</button>\n      <button type="submit" id="break-go" class="danger" disabled>Break the lock</button>\n    </div>\n  </form>\n</dialog>\n<dialog id="ask" aria-labelledby="ask-title">\n  <form id="ask-form" method="dialog">\n    <h2 id="ask-title">This server has a token</h2>\n    <label>Token\n      <input id="ask-token" type="password" required autocomplete="off" spellcheck="false"></label>\n    <p class="dim">Kept for this tab only, until you close it.</p>\n    <p class="trouble" id="ask-trouble" role="alert"></p>\n    <div class="buttons"><button type="submit" class="main">Show the locks</button></div>\n  </form>\n</dialog>',m='\n<footer class="hints dim"><kbd>/</kbd> filter <kbd>j</kbd> <kbd>k</kbd> move <kbd>Enter</kbd> open <kbd>Esc</kbd> close</footer>\n<div class="unseen" id="announce" aria-live="polite"></div>';const p='\nconst byId = (id) => document.getElementById(id);\n\nfunction make(tag, className, text) {\n  const node = document.createElement(tag);\n  if (className) node.className = className;\n  if (text !== undefined) node.textContent = text;\n  return node;\n}\n\n// Writing the same text again would still cost a layout, and end a selection.\nfunction setText(node, text) {\n  if (node.textContent !== text) node.textContent = text;\n}\n\n// The server\'s clock, as far as its answers tell: else a browser that is wrong shows wrong times.\nlet skew = 0;\nconst serverNow = () => Date.now() + skew;\n\nfunction learnClock(response) {\n  const told = Date.parse(response.headers.get("date") ?? "");\n  const difference = told + 500 - Date.now();\n  skew = Math.abs(difference) > 2000 ? difference : 0;\n}\n\nfunction duration(milliseconds) {\n  const seconds = Math.max(0, Math.floor(milliseconds / 1000));\n  if (seconds < 60) return seconds + "s";\n  const minutes = Math.floor(seconds / 60);\n  if (minutes < 60) return minutes + "m " + pad(seconds % 60) + "s";\n  const hours = Math.floor(minutes / 60);\n  if (hours < 24) return hours + "h " + pad(minutes % 60) + "m";\n  return Math.floor(hours / 24) + "d " + (hours % 24) + "h";\n}\n\nfunction pad(number) {\n  return String(number).padStart(2, "0");\n}\n\nfunction shortDuration(milliseconds) {\n  return milliseconds < 1000 ? Math.round(milliseconds) + "ms" : duration(milliseconds);\n}\n\nconst clockTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });\nconst dayTime = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });\n\nfunction moment(iso) {\n  const time = Date.parse(iso);\n  return Number.isNaN(time) ? String(iso) : clockTime.format(time);\n}\n\n// The address of a run is whatever its owner says: only the web\'s own schemes become links.\nfunction webAddress(value) {\n  if (typeof value !== "string") return null;\n  try {\n    const url = new URL(value);\n    return url.protocol === "https:" || url.protocol === "http:" ? url : null;\n  } catch {\n    return null;\n  }\n}\n\nfunction runLink(party, className, text) {\n  const url = webAddress(party.metadata.run_url);\n  if (url === null) return make("span", className + " theirs", text);\n  const link = make("a", className + " theirs", text);\n  link.href = url.href;\n  link.target = "_blank";\n  link.rel = "noopener noreferrer";\n  link.title = url.href;\n  return link;\n}\n\n// A node whose text is the time since a moment, kept current by tick().\nfunction ticking(since, before) {\n  const node = make("time", "ticking");\n  node.dateTime = new Date(since).toISOString();\n  node.title = moment(node.dateTime);\n  node.since = since;\n  node.before = before ?? "";\n  showTime(node);\n  return node;\n}\n\nfunction showTime(node) {\n  setText(node, node.before + duration(serverNow() - node.since));\n}\n\nlet announced = 0;\nfunction announce(text) {\n  // A screen reader that reads out a thousand changes is of no use.\n  if (Date.now() - announced < 1500) return;\n  announced = Date.now();\n  setText(byId("announce"), text);\n}\n\nconst TOKEN_NAME = "holdfast-token";\nconst storedToken = () => sessionStorage.getItem(TOKEN_NAME);\n\n// A header holds bytes: letters beyond ASCII go as those of UTF-8.\nfunction asBytes(text) {\n  return String.fromCharCode(...new TextEncoder().encode(text));\n}\n\n// Relative addresses: the server may stand below a path of a proxy.\nasync function ask(path, options) {\n  const headers = { ...(options?.headers ?? {}) };\n  const token = storedToken();\n  if (token !== null) headers.authorization = "Bearer " + asBytes(token);\n  return fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });\n}\n\nasync function problemOf(response) {\n  try {\n    const { message, error } = await response.json();\n    if (message || error) return String(message || error);\n  } catch {}\n  return "The server answered " + response.status + ".";\n}\n',f='\nconst breaking = byId("break");\nlet target = null;\n\nfunction openBreak(key, holder) {\n  target = { key, holder };\n  byId("break-form").reset();\n  byId("break-who").value = sessionStorage.getItem("holdfast-who") ?? "";\n  setText(byId("break-owner"), holder.owner);\n  setText(byId("break-key"), key);\n  setText(byId("break-trouble"), "");\n  checkBreak();\n  breaking.showModal();\n  byId("break-reason").focus();\n}\n\nfunction checkBreak() {\n  const typed = byId("break-typed").value;\n  const ready = byId("break-reason").value.trim() !== "" && typed === target?.key;\n  byId("break-go").disabled = !ready;\n  const wrong = typed.length >= (target?.key.length ?? 0) && typed !== "" && typed !== target?.key;\n  setText(byId("break-trouble"), wrong ? "That is not the key." : "");\n}\n\nasync function breakIt() {\n  const { key, holder } = target;\n  const who = byId("break-who").value.trim();\n  sessionStorage.setItem("holdfast-who", who);\n  // The fence names this very hold: should the lock have gone on meanwhile, the next holder keeps it.\n  const query = new URLSearchParams({ key, reason: byId("break-reason").value.trim(), fence: String(holder.fence) });\n  if (who !== "") query.set("owner", who);\n  byId("break-go").disabled = true;\n  try {\n    const response = await ask("admin/locks?" + query, { method: "DELETE" });\n    if (response.ok) {\n      breaking.close();\n      announce(key + " was taken from " + holder.owner);\n      return;\n    }\n    setText(byId("break-trouble"), await problemOf(response));\n  } catch {\n    setText(byId("break-trouble"), "The server cannot be reached: nothing was broken, as far as this page knows.");\n  }\n  byId("break-go").disabled = false;\n}\n\nbyId("break-form").addEventListener("input", checkBreak);\nbyId("break-form").addEventListener("submit", (event) => {\n  event.preventDefault();\n  if (!byId("break-go").disabled) void breakIt();\n});\nbyId("break-cancel").addEventListener("click", () => breaking.close());\nbreaking.addEventListener("close", () => {\n  target = null;\n  if (shownKey !== null) byId("close").focus({ preventScroll: true });\n});\n',w='\nconst detail = byId("detail");\nconst LABELS = new Map([\n  ["ci_system", "CI system"],\n  ["hostname", "Host"],\n  ["process_id", "Process"],\n  ["run_id", "Run"],\n  ["run_attempt", "Attempt"],\n  ["sha", "Commit"],\n  ["user_identity", "User"],\n]);\nlet shownKey = null;\nlet shownHolders = "";\nlet shownLine = "";\nlet historyTimer;\n\nfunction openDetail(key) {\n  const row = rows.get(key);\n  if (shownKey !== null) rows.get(shownKey)?.item.classList.remove("open");\n  shownKey = key;\n  shownHolders = "";\n  shownLine = "";\n  setText(byId("detail-key"), key);\n  byId("history").replaceChildren();\n  detail.hidden = false;\n  byId("layout").classList.add("split");\n  history.replaceState(null, "", "#" + encodeURIComponent(key));\n  if (row !== undefined) setCurrent(row);\n  showLock(row?.lock ?? freeLock(key));\n  detail.scrollTop = 0;\n  byId("close").focus({ preventScroll: true });\n}\n\nfunction closeDetail() {\n  if (shownKey === null) return;\n  const row = rows.get(shownKey);\n  row?.item.classList.remove("open");\n  row?.open.setAttribute("aria-expanded", "false");\n  shownKey = null;\n  detail.hidden = true;\n  byId("layout").classList.remove("split");\n  history.replaceState(null, "", location.pathname + location.search);\n  (row ?? current)?.open.focus();\n}\n\n// Called at every change of the lock: what did not change stays, with its focus and selection.\nfunction showLock(lock) {\n  const row = rows.get(lock.key);\n  row?.item.classList.add("open");\n  row?.open.setAttribute("aria-expanded", "true");\n  const count = lock.holders.length;\n  setText(byId("detail-state"), isFree(lock) ? "Free" : lock.slots > 1 ? count + " of " + lock.slots + " slots held" : "Held");\n  detail.classList.toggle("free", isFree(lock));\n  const holders = JSON.stringify(lock.holders.map(({ heartbeat, expiresAt, ...rest }) => rest));\n  if (holders !== shownHolders) {\n    // Whatever ended is in the history a moment later.\n    askHistory(shownHolders === "" ? 0 : 400);\n    shownHolders = holders;\n    byId("holders").replaceChildren(...lock.holders.map(holderCard));\n  }\n  for (const [index, card] of [...byId("holders").children].entries()) showLease(card, lock.holders[index]);\n  const line = JSON.stringify([lock.waiters, lock.waiting]);\n  if (line !== shownLine) {\n    shownLine = line;\n    showLine(lock);\n  }\n}\n\nfunction holderCard(holder) {\n  const card = make("section", "holder");\n  const title = make("p", "owner-line");\n  title.append(runLink(holder, "owner", holder.owner));\n  const url = webAddress(holder.metadata.run_url);\n  if (url !== null) title.append(make("span", "dim theirs", " " + url.host + " \u2197"));\n  if (holder.alive === null) title.append(make("span", "doubt", "not heard of since the server or its connection went"));\n  card.append(title);\n  if (holder.note) card.append(make("p", "note theirs", holder.note));\n  const facts = make("dl", "facts");\n  fact(facts, "Held for", ticking(Date.parse(holder.since)));\n  fact(facts, "Since", make("span", "", moment(holder.since)));\n  card.lease = make("span", "");\n  fact(facts, "Lease", card.lease);\n  fact(facts, "Fence", make("code", "", String(holder.fence)));\n  if (holder.slot > 0) fact(facts, "Slot", make("span", "", String(holder.slot)));\n  for (const [name, value] of Object.entries(holder.metadata)) {\n    if (name !== "run_url") fact(facts, LABELS.get(name) ?? name.replaceAll("_", " "), make("span", "theirs", String(value)));\n  }\n  fact(facts, "Door", make("span", "", holder.door.toUpperCase()));\n  const button = make("button", "danger quiet", "Break\u2026");\n  button.type = "button";\n  button.addEventListener("click", () => openBreak(shownKey, holder));\n  card.append(facts, button);\n  return card;\n}\n\nfunction fact(place, name, value) {\n  const content = make("dd");\n  content.append(value);\n  place.append(make("dt", "", name), content);\n}\n\nfunction showLease(card, holder) {\n  setText(card.lease, shortDuration(holder.ttl * 1000) + ", last heard of at " + dayTime.format(Date.parse(holder.heartbeat)));\n}\n\nfunction showLine(lock) {\n  byId("line-section").hidden = lock.waiting === 0;\n  byId("line").replaceChildren(...lock.waiters.map(waiterItem));\n  const more = lock.waiting - lock.waiters.length;\n  setText(byId("line-more"), more > 0 ? "and " + more + " more" : "");\n}\n\nfunction waiterItem(waiter) {\n  const item = make("li");\n  item.append(runLink(waiter, "owner", waiter.owner), ticking(Date.parse(waiter.since), " waits "));\n  if (waiter.note) item.append(make("span", "note theirs", waiter.note));\n  return item;\n}\n\nfunction askHistory(wait) {\n  clearTimeout(historyTimer);\n  historyTimer = setTimeout(async () => {\n    const key = shownKey;\n    if (key === null) return;\n    const place = byId("history");\n    try {\n      const response = await ask("admin/history?limit=" + HOLDS_ASKED + "&key=" + encodeURIComponent(key));\n      if (shownKey !== key) return;\n      if (response.ok) showHistory(place, (await response.json()).holds);\n      else place.replaceChildren(make("p", "dim", await problemOf(response)));\n    } catch {\n      if (shownKey === key) place.replaceChildren(make("p", "dim", "The history cannot be had just now."));\n    }\n  }, wait);\n}\n\nbyId("close").addEventListener("click", closeDetail);\n',b='\nconst HOLDS_ASKED = 50;\nconst HOLDS_IN_WORDS = 8;\nconst SVG = "http://www.w3.org/2000/svg";\nconst ENDS = { released: "released", expired: "lease ran out", dead: "holder died", broken: "broken" };\n\nfunction showHistory(place, holds) {\n  if (holds.length === 0) {\n    place.replaceChildren(make("p", "dim", "Nothing yet: a hold is shown here once it is over."));\n    return;\n  }\n  const times = holds.map((hold) => hold.held);\n  const longest = Math.max(...times);\n  const summary = holds.length + (holds.length === 1 ? " hold" : " holds") + ": usually " +\n    shortDuration(middle(times)) + ", longest " + shortDuration(longest);\n  const words = make("p", "dim", summary);\n  place.replaceChildren(bars(holds, longest, summary), words, holdTable(holds.slice(0, HOLDS_IN_WORDS)));\n}\n\nfunction middle(numbers) {\n  const sorted = [...numbers].sort((a, b) => a - b);\n  return sorted[Math.floor((sorted.length - 1) / 2)];\n}\n\nfunction bars(holds, longest, summary) {\n  const height = 56;\n  const step = 10;\n  const picture = shape("svg", {\n    class: "bars",\n    viewBox: "0 0 " + step * Math.max(holds.length, 12) + " " + height,\n    preserveAspectRatio: "none",\n    role: "img",\n    "aria-label": summary,\n  });\n  [...holds].reverse().forEach((hold, index) => {\n    const size = Math.max(2, (hold.held / Math.max(1, longest)) * height);\n    const bar = shape("rect", {\n      class: "bar " + (hold.end === "released" ? "calm" : "rough"),\n      x: index * step + 1,\n      y: height - size,\n      width: step - 2,\n      height: size,\n    });\n    const title = shape("title", {});\n    title.textContent = hold.owner + ", " + shortDuration(hold.held) + ", " + moment(hold.since) +\n      ", " + (ENDS[hold.end] ?? hold.end);\n    bar.append(title);\n    picture.append(bar);\n  });\n  return picture;\n}\n\nfunction shape(tag, attributes) {\n  const node = document.createElementNS(SVG, tag);\n  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);\n  return node;\n}\n\nfunction holdTable(holds) {\n  const table = make("table", "holds");\n  const head = make("tr");\n  for (const title of ["Owner", "When", "Waited", "Held"]) {\n    const cell = make("th", "", title);\n    cell.scope = "col";\n    head.append(cell);\n  }\n  const thead = make("thead");\n  thead.append(head);\n  const body = make("tbody");\n  for (const hold of holds) body.append(holdRow(hold));\n  table.append(thead, body);\n  return table;\n}\n\nfunction holdRow(hold) {\n  const line = make("tr");\n  const who = make("td", "who");\n  who.append(runLink({ metadata: hold.metadata ?? {} }, "owner", hold.owner));\n  if (hold.end !== "released") who.append(make("span", "doubt", ENDS[hold.end] ?? hold.end));\n  const when = make("td", "", ago(hold.since));\n  when.title = moment(hold.since);\n  const waited = make("td", "", hold.waited === null ? "" : shortDuration(hold.waited));\n  line.append(who, when, waited, make("td", "", shortDuration(hold.held)));\n  return line;\n}\n\nfunction ago(iso) {\n  const time = serverNow() - Date.parse(iso);\n  if (time < 60000) return "just now";\n  if (time < 3600000) return Math.floor(time / 60000) + " min ago";\n  if (time < 86400000) return Math.floor(time / 3600000) + " h ago";\n  return Math.floor(time / 86400000) + " d ago";\n}\n',k='\nfunction step(by) {\n  const visible = visibleRows();\n  if (visible.length === 0) return;\n  const here = document.activeElement?.closest(".row")?.row ?? (shownKey === null ? undefined : current);\n  // From elsewhere the first step leads to the list, not past its first row.\n  const to = here === undefined ? visible.indexOf(current) : visible.indexOf(here) + by;\n  const row = visible[Math.min(visible.length - 1, Math.max(0, to))];\n  setCurrent(row);\n  row.open.focus();\n  row.item.scrollIntoView({ block: "nearest" });\n  // An open panel follows: that is what one looks at.\n  if (shownKey !== null && shownKey !== row.key) {\n    openDetail(row.key);\n    row.open.focus({ preventScroll: true });\n  }\n}\n\nfunction goBack() {\n  if (shownKey !== null) closeDetail();\n  else if (filter.value !== "") {\n    filter.value = "";\n    applyFilter();\n  } else document.activeElement?.blur();\n}\n\ndocument.addEventListener("keydown", (event) => {\n  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;\n  const typing = event.target.matches("input, select, textarea");\n  if (event.key === "Escape") goBack();\n  else if (event.target === filter && event.key === "ArrowDown") step(1);\n  else if (event.target === filter && event.key === "Enter") {\n    const [first] = visibleRows();\n    if (first !== undefined) openDetail(first.key);\n  } else if (typing) return;\n  else if (event.key === "/") filter.focus();\n  else if (event.key === "j" || event.key === "ArrowDown") step(1);\n  else if (event.key === "k" || event.key === "ArrowUp") step(-1);\n  else return;\n  event.preventDefault();\n});\n',g=String.raw`
const filter = byId("filter");
const sort = byId("sort");
const ORDERS = {
  held: older,
  newest: (a, b) => older(b, a),
  line: (a, b) => b.waiting - a.waiting || older(a, b),
  key: () => 0,
};
const collator = new Intl.Collator(undefined, { numeric: true });
let order = [];
let current = null;

// Within a millisecond the fence knows.
function older(a, b) {
  return a.since - b.since || a.fence - b.fence;
}

function compare(a, b) {
  return ORDERS[sort.value](a, b) || collator.compare(a.key, b.key) || (a.key < b.key ? -1 : 1);
}

// Nobody waits where nobody holds.
const isFree = (lock) => lock.holders.length === 0;

// Only what changed is touched: a thousand locks must not cost a thousand rows at every change.
function applyChanges(locks) {
  let arrived = 0;
  let gone = 0;
  for (const lock of locks) {
    const row = rows.get(lock.key);
    if (isFree(lock)) {
      if (row !== undefined) {
        removeRow(row);
        gone += 1;
      }
    } else if (row === undefined) {
      createRow(lock);
      arrived += 1;
    } else {
      updateRow(row, lock);
    }
    if (shownKey === lock.key) showLock(lock);
  }
  arrange();
  describeChange(locks, arrived, gone);
}

function applyState(locks) {
  const present = new Set(locks.map((lock) => lock.key));
  for (const row of [...rows.values()]) if (!present.has(row.key)) removeRow(row);
  applyChanges(locks);
  if (shownKey === null) return;
  if (!present.has(shownKey)) showLock(freeLock(shownKey));
  askHistory(0);
}

const freeLock = (key) => ({ key, slots: 1, holders: [], waiting: 0, waiters: [] });

function arrange() {
  const focused = document.activeElement;
  order = [...rows.values()].sort(compare);
  for (const row of order) {
    if (row.moved) row.item.remove();
    row.moved = false;
  }
  // Backwards, so that each row's successor already stands in its place.
  let next = null;
  for (let index = order.length - 1; index >= 0; index -= 1) {
    const { item } = order[index];
    if (item.parentNode === null || item.nextElementSibling !== next) list.insertBefore(item, next);
    next = item;
  }
  applyFilter();
  // A row that moves loses the keyboard's focus.
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
}

function applyFilter() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  let held = 0;
  let waiting = 0;
  for (const row of order) {
    const hidden = !words.every((word) => row.words.includes(word));
    if (row.item.hidden !== hidden) row.item.hidden = hidden;
    if (!hidden) shown += 1;
    held += row.lock.holders.length;
    waiting += row.lock.waiting;
  }
  setText(byId("held"), held.toLocaleString());
  setText(byId("waiting"), waiting.toLocaleString());
  setText(byId("matches"), words.length === 0 ? "" : shown + " of " + order.length);
  document.title = held === 0 ? "Holdfast" : held + " held · Holdfast";
  byId("heads").hidden = shown === 0;
  byId("empty").hidden = order.length > 0 || !everConnected;
  byId("nothing").hidden = shown > 0 || order.length === 0;
  keepCurrent();
}

const visibleRows = () => order.filter((row) => !row.item.hidden);

// One row can be reached with Tab, the others from there: a thousand tab stops are none.
function keepCurrent() {
  if (current !== null && rows.get(current.key) === current && !current.item.hidden) return;
  setCurrent(visibleRows()[0] ?? null);
}

function setCurrent(row) {
  if (current !== null) current.open.tabIndex = -1;
  current = row;
  if (row !== null) row.open.tabIndex = 0;
}

function describeChange(locks, arrived, gone) {
  if (locks.length === 1 && arrived + gone === 1) {
    const [lock] = locks;
    announce(gone === 1 ? lock.key + " is free" : lock.key + " is held by " + lock.holders[0].owner);
  } else if (arrived + gone > 0) {
    announce(arrived + " locks taken, " + gone + " freed");
  }
}

function tick() {
  if (document.hidden || document.body.classList.contains("stale")) return;
  for (const row of order) if (row.clock !== null) showTime(row.clock);
  for (const node of byId("detail").querySelectorAll(".ticking")) showTime(node);
}

filter.addEventListener("input", applyFilter);
sort.addEventListener("change", () => {
  sessionStorage.setItem("holdfast-sort", sort.value);
  arrange();
});
byId("clear").addEventListener("click", () => {
  filter.value = "";
  applyFilter();
  filter.focus();
});
list.addEventListener("click", (event) => {
  if (event.target.closest("a") !== null || String(getSelection()) !== "") return;
  const row = event.target.closest(".row")?.row;
  if (row !== undefined) openDetail(row.key);
});
list.addEventListener("focusin", (event) => setCurrent(event.target.closest(".row").row));
`,y=String.raw`
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
`,v=`(() => {\n"use strict";\n${[p,String.raw`
const list = byId("list");
const rows = new Map();

function createRow(lock) {
  const item = make("li", "row");
  const open = make("button", "key theirs", lock.key);
  open.type = "button";
  open.tabIndex = -1;
  open.setAttribute("aria-expanded", "false");
  const name = make("div", "name");
  const slots = make("span", "slots");
  name.append(open, slots);
  const who = make("div", "who");
  const time = make("div", "time");
  const line = make("div", "line");
  item.append(name, who, time, line);
  const row = { key: lock.key, lock, item, open, slots, who, time, line, clock: null, held: "", since: 0, fence: 0, waiting: 0, moved: true };
  item.row = row;
  rows.set(lock.key, row);
  updateRow(row, lock);
  return row;
}

function updateRow(row, lock) {
  row.lock = lock;
  const oldest = lock.holders.reduce((a, b) => (b.fence < a.fence ? b : a));
  const since = Date.parse(oldest.since);
  if (oldest.fence !== row.fence || lock.waiting !== row.waiting) row.moved = true;
  row.since = since;
  row.fence = oldest.fence;
  row.waiting = lock.waiting;
  const held = JSON.stringify([oldest.fence, oldest.owner, oldest.note, oldest.alive, oldest.metadata.run_url, lock.holders.length]);
  if (held !== row.held) {
    row.held = held;
    showHolder(row, oldest, lock.holders.length - 1);
  }
  setText(row.slots, lock.slots > 1 ? lock.holders.length + " of " + lock.slots : "");
  setText(row.line, lock.waiting === 0 ? "" : lock.waiting + " waiting");
  row.words = wordsOf(lock);
}

function showHolder(row, holder, others) {
  row.who.replaceChildren(runLink(holder, "owner", holder.owner));
  if (others > 0) row.who.append(make("span", "dim", " and " + others + " more"));
  if (holder.alive === null) row.who.append(make("span", "doubt", "not heard of"));
  if (holder.note) row.who.append(make("span", "note theirs", holder.note));
  row.clock = ticking(row.since);
  row.time.replaceChildren(row.clock);
}

// What the filter looks at.
function wordsOf(lock) {
  const words = [lock.key];
  for (const party of [...lock.holders, ...lock.waiters]) {
    words.push(party.owner, party.note ?? "", ...Object.values(party.metadata).map(String));
  }
  return words.join("\n").toLowerCase();
}

function removeRow(row) {
  rows.delete(row.key);
  row.item.remove();
}
`,g,b,w,f,k,y].join("\n")}\n})();`,x='\n:root {\n  color-scheme: light dark;\n  --ground: #f7f7f5; --paper: #ffffff; --ink: #1d2021; --dim: #66696c; --rule: #e3e3df;\n  --hover: #f0f0ed; --accent: #0f766e; --accent-soft: #d9efec; --warm: #9a5a00; --warm-soft: #fdf0d8;\n  --danger: #b42318; --danger-soft: #fdeceA; --bar: #8fbfb9; --shade: rgb(20 24 24 / 8%);\n  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;\n  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;\n}\n@media (prefers-color-scheme: dark) {\n  :root {\n    --ground: #121415; --paper: #191c1d; --ink: #e6e7e5; --dim: #989d9f; --rule: #2b2f31;\n    --hover: #202425; --accent: #4fc3b5; --accent-soft: #12322f; --warm: #e5ac52; --warm-soft: #352812;\n    --danger: #ff8a7e; --danger-soft: #3a1d1a; --bar: #3f7f78; --shade: rgb(0 0 0 / 40%);\n  }\n}\n* { box-sizing: border-box; }\n[hidden] { display: none !important; }\nbody { margin: 0; min-height: 100dvh; display: flex; flex-direction: column; background: var(--ground); color: var(--ink); }\nh1, h2, h3, p, ul, ol, dl, dd, pre { margin: 0; padding: 0; }\nul { list-style: none; }\nbutton, input, select { font: inherit; color: inherit; }\nbutton {\n  min-height: 2.15rem; padding: .3rem .8rem; border: 1px solid var(--rule); border-radius: 7px;\n  background: var(--paper); cursor: pointer;\n}\nbutton:hover { background: var(--hover); }\nbutton:disabled { opacity: .45; cursor: default; }\nbutton.quiet { border-color: transparent; background: none; color: var(--dim); }\nbutton.quiet:hover { color: var(--ink); background: var(--hover); }\nbutton.main { background: var(--accent); border-color: var(--accent); color: var(--paper); }\nbutton.danger { background: var(--danger); border-color: var(--danger); color: var(--paper); }\nbutton.danger.quiet { background: none; border-color: var(--rule); color: var(--danger); }\nbutton.danger.quiet:hover { background: var(--danger-soft); }\na { color: var(--accent); text-decoration: none; }\na:hover { text-decoration: underline; }\n:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }\n.dim { color: var(--dim); }\n.theirs { unicode-bidi: isolate; overflow-wrap: anywhere; }\n.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }\n\n.top {\n  display: flex; align-items: center; gap: .25rem 1.1rem; flex-wrap: wrap;\n  padding: .7rem 1.25rem; background: var(--paper); border-bottom: 1px solid var(--rule);\n}\nh1 { display: flex; align-items: center; gap: .45rem; font-size: 1.08rem; font-weight: 650; letter-spacing: -.01em; }\n.mark { fill: none; stroke: var(--accent); stroke-width: 2; stroke-linecap: round; }\n.counts { color: var(--dim); }\n.counts b { color: var(--ink); font-variant-numeric: tabular-nums; }\n.live { margin-left: auto; display: flex; align-items: center; gap: .45rem; color: var(--dim); }\n.dot { width: .55rem; height: .55rem; border-radius: 50%; background: var(--dim); }\n.live[data-state="live"] .dot { background: var(--accent); box-shadow: 0 0 0 3px var(--accent-soft); }\n.live[data-state="lost"] .dot { background: var(--danger); box-shadow: 0 0 0 3px var(--danger-soft); }\n.banner {\n  display: flex; align-items: center; gap: 1rem; flex-wrap: wrap; padding: .5rem 1.25rem;\n  background: var(--warm-soft); color: var(--warm); border-bottom: 1px solid var(--rule);\n}\n.stale .list, .stale .detail { opacity: .6; }\n\n.layout { flex: 1; width: 100%; max-width: 100rem; margin: 0 auto; display: grid; grid-template-columns: minmax(0, 1fr); align-items: start; }\n.locks { padding: 0 1.25rem 1.5rem; min-width: 0; }\n.tools {\n  position: sticky; top: 0; z-index: 1; display: flex; align-items: center; gap: .9rem;\n  padding: .85rem 0 .7rem; background: var(--ground);\n}\n.tools input { flex: 1; min-width: 0; max-width: 26rem; }\ninput, select {\n  min-height: 2.15rem; padding: .3rem .65rem; border: 1px solid var(--rule); border-radius: 7px; background: var(--paper);\n}\ninput::placeholder { color: var(--dim); opacity: 1; }\n.matches { white-space: nowrap; font-variant-numeric: tabular-nums; }\n.sort { margin-left: auto; display: flex; align-items: center; gap: .45rem; }\n\n.heads, .row { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 8fr) 6rem 6rem; column-gap: 1.1rem; }\n.heads { padding: 0 .9rem .3rem; color: var(--dim); font-size: .82rem; }\n.heads span:nth-child(n + 3), .time, .line { text-align: right; }\n.list { background: var(--paper); border-radius: 10px; box-shadow: 0 0 0 1px var(--rule), 0 1px 3px var(--shade); overflow: clip; }\n.list:not(:has(.row:not([hidden]))) { display: none; }\n.row {\n  align-items: baseline; padding: .5rem .9rem; border-bottom: 1px solid var(--rule); cursor: pointer;\n  content-visibility: auto; contain-intrinsic-size: auto 3.2rem;\n}\n.row:last-child { border-bottom: 0; }\n.row:hover { background: var(--hover); }\n.row.open { background: var(--accent-soft); }\n.row:focus-within { box-shadow: inset 3px 0 0 var(--accent); }\n.name { display: flex; align-items: baseline; gap: .55rem; min-width: 0; }\n.key, .key:hover {\n  min-height: 0; padding: 0; border: 0; border-radius: 3px; background: none; text-align: left;\n  font: 600 .93rem/1.4 var(--mono); color: inherit;\n}\n.slots { color: var(--dim); font-size: .82rem; white-space: nowrap; }\n.who { min-width: 0; overflow-wrap: anywhere; }\n.note { color: var(--dim); }\n.row .note { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .9rem; }\n.time, .holds td:nth-child(n + 2) { font-variant-numeric: tabular-nums; white-space: nowrap; }\n.line { color: var(--warm); font-variant-numeric: tabular-nums; white-space: nowrap; }\n.doubt { display: inline-block; margin-left: .5rem; padding: .05rem .4rem; border-radius: 5px; background: var(--warm-soft); color: var(--warm); font-size: .82rem; }\n.empty { max-width: 44rem; margin: 8vh auto; padding: 0 .5rem; color: var(--dim); }\n.empty h2 { color: var(--ink); font-size: 1.15rem; margin-bottom: .4rem; }\npre { margin: .6rem 0 1rem; padding: .75rem .9rem; border-radius: 8px; background: var(--paper); color: var(--ink); box-shadow: 0 0 0 1px var(--rule); font: .9rem/1.5 var(--mono); overflow-x: auto; }\n.hints { padding: .6rem 1.25rem 1rem; text-align: center; font-size: .82rem; }\nkbd { margin-left: .6rem; padding: .05rem .35rem; border: 1px solid var(--rule); border-bottom-width: 2px; border-radius: 4px; background: var(--paper); font: .8rem var(--mono); }\n\n.detail {\n  position: sticky; top: 0; max-height: 100dvh; overflow-y: auto; padding: 1rem 1.25rem 1.5rem;\n  background: var(--paper); border-left: 1px solid var(--rule);\n}\n.detail:focus { outline: none; }\n.detail header { display: flex; align-items: flex-start; gap: .75rem; }\n.detail header button { margin: -.25rem -.5rem 0 auto; }\n.detail h2 { font: 650 1.1rem/1.4 var(--mono); white-space: pre-wrap; }\n.detail h3 { margin: 1.4rem 0 .5rem; font-size: .82rem; font-weight: 600; color: var(--dim); }\n.state { display: inline-block; margin-top: .35rem; padding: .1rem .55rem; border-radius: 99px; background: var(--accent-soft); color: var(--accent); font-size: .82rem; font-weight: 600; }\n.free .state { background: var(--hover); color: var(--dim); }\n.holder { margin-top: .9rem; padding: .8rem .9rem; border: 1px solid var(--rule); border-radius: 9px; }\n.holder > .note { margin-top: .15rem; }\n.owner-line { font-weight: 600; }\n.owner-line .dim { font-weight: 400; }\n.facts { display: grid; grid-template-columns: minmax(5.5rem, auto) minmax(0, 1fr); gap: .15rem .9rem; margin: .6rem 0 .8rem; font-size: .93rem; }\n.facts dt { color: var(--dim); }\n.facts dt::first-letter { text-transform: uppercase; }\n.facts dd { min-width: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }\ncode { font-family: var(--mono); font-size: .95em; }\n#line { padding-left: 1.6rem; }\n#line li { padding: .2rem 0; }\n#line li::marker { color: var(--dim); font-variant-numeric: tabular-nums; }\n#line .ticking { color: var(--dim); font-variant-numeric: tabular-nums; white-space: pre; }\n#line .note { display: block; font-size: .9rem; }\n.bars { display: block; width: 100%; height: 3.5rem; border-bottom: 1px solid var(--rule); }\n.bar.calm { fill: var(--bar); }\n.bar.rough { fill: var(--danger); }\n.bar:hover { fill: var(--accent); }\n#history > .dim { margin: .4rem 0 .5rem; font-size: .9rem; }\n.holds { width: 100%; border-collapse: collapse; font-size: .9rem; }\n.holds th { padding: .2rem 0; font-weight: 500; color: var(--dim); text-align: left; }\n.holds td { padding: .25rem 0; border-top: 1px solid var(--rule); vertical-align: baseline; }\n.holds :is(th, td):nth-child(n + 2) { padding-left: .9rem; text-align: right; white-space: nowrap; }\n\ndialog {\n  width: min(30rem, calc(100vw - 2rem)); padding: 1.3rem 1.4rem; border: 1px solid var(--rule); border-radius: 12px;\n  background: var(--paper); color: var(--ink); box-shadow: 0 12px 40px var(--shade);\n}\ndialog::backdrop { background: rgb(10 14 14 / 45%); }\ndialog h2 { font-size: 1.1rem; margin-bottom: .5rem; }\ndialog label { display: block; margin-top: .9rem; overflow-wrap: anywhere; }\ndialog input { display: block; width: 100%; margin-top: .3rem; }\ndialog code { padding: .05rem .35rem; border-radius: 4px; background: var(--hover); white-space: pre-wrap; }\ndialog label + .dim { margin-top: .5rem; }\n.trouble { min-height: 1.5em; margin-top: .6rem; color: var(--danger); }\n.buttons { display: flex; justify-content: flex-end; gap: .6rem; margin-top: .6rem; }\n\n@media (min-width: 60rem) {\n  .layout.split { grid-template-columns: minmax(0, 1fr) minmax(24rem, 32rem); align-items: stretch; }\n  .split .heads, .split .row { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr) 5rem 5.5rem; }\n}\n@media (max-width: 59.99rem) {\n  .detail { position: fixed; inset: 0; z-index: 2; max-height: none; border-left: 0; }\n  .stale .detail { opacity: 1; }\n}\n@media (max-width: 40rem) {\n  .top, .banner { padding-left: .9rem; padding-right: .9rem; }\n  .locks { padding: 0 .6rem 1rem; }\n  .tools { flex-wrap: wrap; gap: .5rem; padding: .6rem 0 .5rem; }\n  .tools input { flex: 1 1 9rem; font-size: 16px; }\n  dialog input { font-size: 16px; }\n  .heads, .hints { display: none; }\n  .row, .split .row { grid-template-columns: minmax(0, 1fr) auto; row-gap: .1rem; padding: .6rem .75rem; }\n  .name { grid-area: 1 / 1; }\n  .time { grid-area: 1 / 2; }\n  .who { grid-area: 2 / 1; }\n  .line { grid-area: 2 / 2; }\n  .sort .dim { display: none; }\n  .detail { padding: .9rem .9rem 2rem; }\n  .detail header button { min-height: 2.6rem; min-width: 2.6rem; }\n}\n@media (prefers-reduced-motion: no-preference) {\n  .live[data-state="connecting"] .dot { animation: breathe 1.6s ease-in-out infinite; }\n  @keyframes breathe { 50% { opacity: .3; } }\n}\n';function T(){const e=Buffer.from(`<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n<title>Holdfast</title>\n<link rel="icon" href="${l}">\n<style>${x}</style>\n</head>\n<body>\n${d}\n<noscript><p class="banner">This page needs its script to show locks live. <code>holdfast list</code> does without.</p></noscript>\n<main class="layout" id="layout">\n${c}\n${h}\n</main>\n${m}\n${u}\n<script>${v}<\/script>\n</body>\n</html>\n`,"utf8");const n=`"${(0,o.createHash)("sha256").update(e).digest("base64url").slice(0,22)}"`,t={"content-type":"text/html; charset=utf-8","content-security-policy":["default-src 'none'",`script-src '${S(v)}'`,`style-src '${S(x)}'`,"connect-src 'self'","img-src data:","base-uri 'none'","form-action 'none'","frame-ancestors 'none'","require-trusted-types-for 'script'","trusted-types 'none'"].join("; "),"cache-control":"no-cache",etag:n,"x-content-type-options":"nosniff","x-frame-options":"DENY","referrer-policy":"no-referrer","cross-origin-opener-policy":"same-origin"};return o=>(a(o),o.header("if-none-match")===n?{status:304,headers:t}:{status:200,headers:t,body:e})}function S(e){return`sha256-${(0,o.createHash)("sha256").update(e,"utf8").digest("base64")}`}var E=t(253),I=t(1687),L=t(8123),_=t(6929);class C{#n;#t;#o=[];#r=0;constructor(e,n){this.#n=e,this.#t=n}get isFull(){return this.#o.length>=this.#n||this.#r>=this.#t}add(e){const n=JSON.stringify(e);this.#o.push(n),this.#r+=n.length}toString(){return`[${this.#o.join(",")}]`}}const D=1e4,A=16777216,N=1e3,$=50,O=1e3,M={"cache-control":"no-store"};function R(e){return n=>{const t=/^admin\/(events$|locks(?:\/|$)|history\/|history$)/.exec(n.path)?.[1];if(void 0===t)return function(e){return(0,r.CC)(404,"Not found",`There is nothing at ${e.rawPath}: use /admin/locks, /admin/history/KEY or /admin/events.`)}(n);if("events"===t)return a(n),"HEAD"===n.method?{status:200}:e.events.open(e.table);const o=function(e,n){const t=e.query.getAll("key"),o=null===n?"":e.path.slice(n.length);if(t.length+(""===o?0:1)>1)throw(0,r.li)("The key is given more than once: name it in the path or as ?key=, not both.");const s=t[0]??o;if(""===s&&1===t.length)throw(0,r.li)("The key is empty: name a lock.");return""===s?null:s}(n,t.endsWith("/")?`admin/${t}`:null);if(t.startsWith("history"))return function(e,{table:n,history:t},o){if(a(e),null===o)throw(0,r.li)("The history of which key? Ask /admin/history/KEY.");const s=F(e,"limit",1,O)??$,i=t.of((0,_.SR)(n,o),s);return{status:200,headers:M,body:{key:o,holds:i}}}(n,e,o);if("DELETE"===n.method)return function(e,{table:n,log:t},o){if(null===o)throw(0,r.li)("Break which lock? Name one: DELETE /admin/locks/KEY.");const s=z(e,"reason",E.lo);if(null===s)throw(0,r.li)("A lock is broken only for a reason: add ?reason=TEXT, for the log.");const a=z(e,"owner",E.CG),i=(0,_.SR)(n,o),l=function(e,n){const t=F(e,"slot",0,Number.MAX_SAFE_INTEGER),o=F(e,"fence",0,Number.MAX_SAFE_INTEGER);if(null===o)return t;for(const e of n?.holders??[])if(e.fence===o&&(null===t||e.slot===t))return e.slot;throw new r.AF(409,"Not held any more",`The hold with fence ${o} is over: nothing was broken. Look who holds the lock now.`)}(e,n.find(i)),d=new Map(Array.from(n.find(i)?.holders??[],e=>[e,(0,_.sG)(e)])),c=n.break(i,l??void 0).map(e=>d.get(e));return t.write("warn","break asked for",{key:(0,_.dM)(i),slot:l,by:a,peer:e.request.socket.remoteAddress,reason:s,broken:c.length,from:c.map(e=>e?.owner).join(" ")||null}),{status:200,headers:M,body:{broken:c}}}(n,e,o);if("GET"!==n.method&&"HEAD"!==n.method)throw(0,r.BX)(n,null===o?"GET, HEAD":"GET, HEAD, DELETE");if(null!==o)return{status:200,headers:M,body:K(e,o)};return{status:200,headers:{...M,"content-type":"application/json; charset=utf-8"},body:H(n,e)}}}function H({query:e},{table:n,version:t,startedAt:o}){const r=e.get("all"),s=new C(D,A);let a=0;for(const e of n.busyEntries())s.isFull?a+=1:s.add((0,_.OY)(e));for(const e of null===r||"0"===r?[]:n.idleEntries())s.isFull?a+=1:s.add((0,_.gc)(e.key,e.limit));const i={name:L.gz,version:t,startedAt:new Date(o).toISOString()};return`{"locks":${s},${0===a?"":`"leftOut":${a},`}"server":${JSON.stringify(i)}}`}function K({table:e},n){const t=e.find((0,_.SR)(e,n));return void 0===t?{...(0,_.gc)(n),key:n}:(0,_.OY)(t,N)}function z({query:e},n,t){const o=(0,I.X5)(e.get(n)??"").trim();if((0,I.dp)(o)>t)throw(0,r.li)(`The ${n} has ${(0,I.dp)(o)} bytes: use at most ${t}.`);return""===o?null:o}function F({query:e},n,t,o){const s=e.get(n);if(null===s)return null;const a=/^\d{1,16}$/.test(s)?Number(s):Number.NaN;if(!(a>=t&&a<=o))throw(0,r.li)(`The ${n} must be a whole number from ${t} to ${o}.`);return a}const q=4194304;class B{#s=new Set;#a=new Set;#i;#l;#d;#c=null;#h;#u;#m=Number.NEGATIVE_INFINITY;#p=!1;constructor(e){this.#i=e.monotonic,this.#l=e.heartbeat??15e3,this.#d=e.patience??15e3}get listeners(){return this.#s.size}joined(e){this.#f(e)}granted(e){this.#f(e)}renewed(e){this.#f(e)}ended(e){this.#f(e)}open(e){if(this.#p||this.#s.size>=100)throw new r.AF(503,"Too many listeners",`Already ${this.#s.size} readers follow /admin/events: close one, or ask /admin/locks now and then.`,{"retry-after":10});return this.#c=e,{stream:n=>this.#w(n,e)}}close(){this.#p=!0;for(const{response:e}of this.#s)e.end();this.#b()}#w(e,n){e.writeHead(200,{"content-type":"text/event-stream; charset=utf-8","cache-control":"no-store","x-accel-buffering":"no",connection:"close"});const t={response:e,behind:!1,stuckSince:null};this.#s.add(t),this.#u??=setInterval(()=>this.#k(),this.#l),e.on("error",()=>{}),e.once("close",()=>{this.#s.delete(t),0===this.#s.size&&this.#b()}),e.write(this.#g(n))}#f(e){0!==this.#s.size&&(this.#a.add(e.entry.key),this.#h??=this.#y())}#y(){const e=this.#m+250-this.#i();return setTimeout(()=>this.#v(),Math.max(20,e))}#v(){this.#h=void 0;const e=this.#c;if(null===e||0===this.#s.size)return;this.#m=this.#i();const n=0===this.#a.size?null:this.#x(e);let t=null,o=!1;for(const r of this.#s)this.#T(r)?r.behind||=null!==n:r.behind?(t??=this.#g(e),r.behind=!1,r.response.write(t)):null!==n&&r.response.write(n),o||=r.behind;(o||this.#a.size>0)&&(this.#h??=this.#y())}#T(e){return e.response.writableNeedDrain?(e.stuckSince??=this.#m,this.#m-e.stuckSince>this.#d&&e.response.destroy(),!0):(e.stuckSince=null,!1)}#k(){for(const{response:e}of this.#s)e.writableNeedDrain||e.write(": still here\n\n");this.#h??=this.#y()}#g(e){const n=new C(2e3,q);for(const t of e.busyEntries())n.isFull?this.#a.add(t.key):n.add((0,_.OY)(t));return this.#a.size>0&&(this.#h??=this.#y()),`event: state\ndata: {"locks":${n}}\n\n`}#x(e){const n=new C(2e3,q);for(const t of this.#a){if(n.isFull)break;this.#a.delete(t);const o=e.find(t);n.add(void 0===o?(0,_.gc)(t):(0,_.OY)(o))}return`event: change\ndata: {"keys":${n}}\n\n`}#b(){clearTimeout(this.#h),clearInterval(this.#u),this.#h=void 0,this.#u=void 0,this.#a.clear()}}const j=[.005,.01,.025,.05,.1,.25,.5,1,2.5,5,10,30,60,120,300,600,1800,3600,7200,14400,86400];class Y{#S=new Array(j.length+1).fill(0);#E=0;observe(e){const n=e>0?e/1e3:0;let t=0;for(;t<j.length&&n>j[t];)t+=1;this.#S[t]=this.#S[t]+1,this.#E+=n}render(e){let n="",t=0;for(const[o,r]of this.#S.entries())t+=r,n+=`${e}_bucket{le="${j[o]??"+Inf"}"} ${t}\n`;return`${n}${e}_sum ${this.#E}\n${e}_count ${t}\n`}}const G="text/plain; version=0.0.4; charset=utf-8";class P{#I;#L=new Y;#_=new Y;#C={released:0,withdrawn:0,hangup:0,expired:0,broken:0,shutdown:0};#D={released:0,withdrawn:0,hangup:0,expired:0,broken:0,shutdown:0};#A=0;#N=0;constructor(e){this.#I=e}granted(e){this.#A+=1,this.#L.observe(e.waited)}renewed(){this.#N+=1}ended(e,n,t){t?(this.#C[n]+=1,this.#_.observe(this.#I.now()-e.since)):this.#D[n]+=1}render(e){const{version:n,startedAt:t}=this.#I,o=this.#C,r=this.#D;return[U("holdfast_holders","Leases held now.",e.holders),U("holdfast_waiters","Claims waiting in line now.",e.waiters),U("holdfast_keys","Keys known now, idle ones included.",e.keys),X("holdfast_connections","gauge","Open connections."),`holdfast_connections{door="tcp"} ${e.tcpConnections}\n`,`holdfast_connections{door="http"} ${e.httpConnections}\n`,U("holdfast_sessions","HTTP sessions alive now.",e.sessions),U("holdfast_event_listeners","Readers of /admin/events now.",e.listeners),U("holdfast_storage_trouble","1 while changes cannot be written to the data file.",e.trouble?1:0),W("holdfast_grants_total","Leases granted.",this.#A),W("holdfast_renewals_total","Leases renewed.",this.#N),W("holdfast_releases_total","Leases ended by their holder.",o.released),W("holdfast_expiries_total","Leases that ran out.",o.expired),W("holdfast_breaks_total","Leases broken by an operator.",o.broken),W("holdfast_hangups_total","Leases freed because their connection closed or their session ended.",o.hangup),W("holdfast_losses_total","Leases that ended without a release: expired, broken or hung up.",o.expired+o.broken+o.hangup),W("holdfast_abandoned_waits_total","Claims that left the line without a grant: timed out, hung up or sent home.",r.withdrawn+r.hangup+r.shutdown),X("holdfast_wait_seconds","histogram","Time from joining the line to the grant."),this.#L.render("holdfast_wait_seconds"),X("holdfast_hold_seconds","histogram","Time from the grant to the end of the lease."),this.#_.render("holdfast_hold_seconds"),U("process_start_time_seconds","Start of the process, seconds since the epoch.",t/1e3),X("holdfast_build_info","gauge","Always 1; the labels say what runs."),`holdfast_build_info{version="${J(n)}",node="${J(process.version)}"} 1\n`].join("")}}function U(e,n,t){return`${X(e,"gauge",n)}${e} ${t}\n`}function W(e,n,t){return`${X(e,"counter",n)}${e} ${t}\n`}function X(e,n,t){return`# HELP ${e} ${t}\n# TYPE ${e} ${n}\n`}function J(e){return e.replaceAll("\\","\\\\").replaceAll('"','\\"').replaceAll("\n","\\n")}function V(e){const{clock:n,version:t}=e,o=n.now(),r=new P({version:t,startedAt:o,now:n.now}),i=new B({monotonic:n.monotonic});function l(e){return n=>{a(n);const{table:t}=e,o=r.render({holders:t.held,waiters:t.waiting,keys:t.keys,tcpConnections:e.tcpConnections(),httpConnections:e.httpConnections(),sessions:e.sessions(),listeners:i.listeners,trouble:null!==e.trouble()});return{status:200,headers:{"content-type":G},body:o}}}return{observers:[r,i],routes:e=>({admin:R({...e,events:i,version:t,startedAt:o}),metrics:l(e),health:s({version:t,trouble:e.trouble}),page:T()}),close:()=>i.close()}}}};