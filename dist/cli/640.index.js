export const id = 640;
export const ids = [640];
export const modules = {

/***/ 3383:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   ES: () => (/* binding */ describeLine),
/* harmony export */   OY: () => (/* binding */ describeEntry),
/* harmony export */   SR: () => (/* binding */ wireKeyOf),
/* harmony export */   dM: () => (/* binding */ shownKey),
/* harmony export */   gc: () => (/* binding */ describeFree),
/* harmony export */   sG: () => (/* binding */ describeHolder)
/* harmony export */ });
/* unused harmony exports WAITERS_SHOWN, describeWaiter, ownerOf */
/* harmony import */ var _wire_key_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8946);
/* harmony import */ var _names_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6900);


/** Of a long line the first are told; `waiting` always says how many there are. */
const WAITERS_SHOWN = 20;
/** Never the token, never a session's id: whoever reads this may see locks, not take them. */
function describeHolder(claim) {
    const { party } = claim;
    const metadata = party.introduction?.owner.metadata ?? {};
    const { process_id, hostname } = metadata;
    return {
        owner: ownerOf(party),
        since: new Date(claim.since).toISOString(),
        ttl: Math.min(claim.lease, party.patience) / 1_000,
        fence: claim.fence,
        slot: claim.slot,
        pid: typeof process_id === "number" ? process_id : null,
        host: typeof hostname === "string" ? hostname : null,
        alive: party.gone ? null : true,
        note: party.introduction?.note ?? null,
        metadata,
        heartbeat: new Date(claim.renewed).toISOString(),
        expiresAt: Math.round(claim.renewed + claim.lease),
        door: party.door,
    };
}
function describeWaiter(claim, position) {
    const { party } = claim;
    return {
        owner: ownerOf(party),
        since: new Date(claim.since).toISOString(),
        position,
        note: party.introduction?.note ?? null,
        metadata: party.introduction?.owner.metadata ?? {},
    };
}
function describeEntry(entry, waitersShown = WAITERS_SHOWN) {
    const { key, limit, holders, waiters } = entry;
    return {
        key: shownKey(key),
        slots: limit,
        holders: Array.from(holders, describeHolder),
        waiting: waiters.size,
        waiters: describeLine(entry, waitersShown),
    };
}
function describeLine({ waiters }, shown = WAITERS_SHOWN) {
    const line = [];
    for (let claim = waiters.first; claim !== null && line.length < shown; claim = claim.next) {
        line.push(describeWaiter(claim, line.length + 1));
    }
    return line;
}
/** Nobody holds it and nobody waits; `slots` is then only what the last ones agreed on. */
function describeFree(key, slots = 1) {
    return { key: shownKey(key), slots, holders: [], waiting: 0, waiters: [] };
}
/** Who that is, for people: nameless parties get the name of their connection or session. */
function ownerOf(party) {
    return party.introduction?.owner.id ?? (0,_names_js__WEBPACK_IMPORTED_MODULE_1__/* .publicName */ .p)(party);
}
/**
 * A key for people. Only where it leads back to the same lock: other clients send keys that merely
 * look encoded, and whoever breaks `a%2Fb` must not hit `a/b`.
 */
function shownKey(wireKey) {
    const text = (0,_wire_key_js__WEBPACK_IMPORTED_MODULE_0__/* .decodeWireKey */ .Z)(wireKey);
    return text === wireKey || (0,_wire_key_js__WEBPACK_IMPORTED_MODULE_0__/* .encodeWireKey */ .b)(text) === wireKey ? text : wireKey;
}
/** The other way round: what was typed may be a key, or one that is shown as it came. */
function wireKeyOf(table, text) {
    const wireKey = (0,_wire_key_js__WEBPACK_IMPORTED_MODULE_0__/* .encodeWireKey */ .b)(text);
    return table.find(wireKey) === undefined && table.find(text) !== undefined ? text : wireKey;
}


/***/ }),

/***/ 8551:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   AF: () => (/* binding */ Problem),
/* harmony export */   BX: () => (/* binding */ wrongMethod),
/* harmony export */   CC: () => (/* binding */ problem),
/* harmony export */   k5: () => (/* binding */ Exchange),
/* harmony export */   li: () => (/* binding */ badRequest)
/* harmony export */ });
/** One request as its handler sees it, its path already checked. */
class Exchange {
    request;
    /** For the door and for those who wait; handlers return a reply instead of writing one. */
    response;
    method;
    /** As sent, without the query. */
    rawPath;
    /** Decoded once and without its first slash: for files and locks, the key. */
    path;
    /** As sent, without the question mark. */
    rawQuery;
    #query = null;
    constructor(request, response, rawPath, path, rawQuery) {
        this.request = request;
        this.response = response;
        this.method = request.method;
        this.rawPath = rawPath;
        this.path = path;
        this.rawQuery = rawQuery;
    }
    /** Parsed when first asked for: most requests have none, or one of the few that are known. */
    get query() {
        this.#query ??= new URLSearchParams(this.rawQuery);
        return this.#query;
    }
    /** A header that was sent once; several are joined as Node joins them. */
    header(name) {
        const value = this.request.headers[name];
        return Array.isArray(value) ? value.join(", ") : value;
    }
}
/** Thrown by a handler instead of a reply: an error that the client is told in one sentence. */
class Problem extends Error {
    reply;
    /** `title` is short and always the same for one kind of error; `message` names input and remedy. */
    constructor(status, title, message, headers) {
        super(message);
        this.name = "Problem";
        this.reply = problem(status, title, message, headers);
    }
}
function problem(status, title, message, headers) {
    const body = { error: title, message };
    return headers === undefined ? { status, body } : { status, headers, body };
}
function badRequest(message) {
    return new Problem(400, "Bad request", message);
}
/** `allowed` as the header wants it: "GET, HEAD". */
function wrongMethod(exchange, allowed) {
    return new Problem(405, "Method not allowed", `The method ${exchange.method} has no meaning for ${exchange.rawPath}: use ${allowed}.`, { allow: allowed });
}


/***/ }),

/***/ 5640:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  createPanel: () => (/* binding */ createPanel)
});

// EXTERNAL MODULE: ./build/lock/owner.js
var lock_owner = __webpack_require__(5208);
// EXTERNAL MODULE: ./build/lock/text.js
var lock_text = __webpack_require__(5352);
// EXTERNAL MODULE: ./build/wire/stats.js
var stats = __webpack_require__(5762);
// EXTERNAL MODULE: ./build/server/http/describe.js
var describe = __webpack_require__(3383);
// EXTERNAL MODULE: ./build/server/http/exchange.js
var http_exchange = __webpack_require__(8551);
;// CONCATENATED MODULE: ./build/server/http/health.js

/** Open to everybody, for load balancers and probes: so it says nothing about locks. */
function createHealth(source) {
    return (exchange) => {
        allowReading(exchange);
        const message = source.trouble();
        const headers = { "cache-control": "no-store" };
        if (message !== null)
            return { status: 503, headers, body: { status: "trouble", message } };
        return { status: 200, headers, body: { status: "ok", version: source.version } };
    };
}
function allowReading(exchange) {
    if (exchange.method !== "GET" && exchange.method !== "HEAD") {
        throw (0,http_exchange/* wrongMethod */.BX)(exchange, "GET, HEAD");
    }
}

;// CONCATENATED MODULE: ./build/server/http/listing.js
/**
 * A list of locks as JSON, bounded: it is made in one go, and nobody is granted anything meanwhile.
 * Counted in characters too, since clients choose how much they tell about themselves.
 */
class Listing {
    #keysLimit;
    #lengthLimit;
    #elements = [];
    #length = 0;
    constructor(keysLimit, lengthLimit) {
        this.#keysLimit = keysLimit;
        this.#lengthLimit = lengthLimit;
    }
    get isFull() {
        return this.#elements.length >= this.#keysLimit || this.#length >= this.#lengthLimit;
    }
    add(lock) {
        const text = JSON.stringify(lock);
        this.#elements.push(text);
        this.#length += text.length;
    }
    toString() {
        return `[${this.#elements.join(",")}]`;
    }
}

;// CONCATENATED MODULE: ./build/server/http/admin.js







const LOCKS_SHOWN = 10_000;
const LOCKS_LENGTH = 16 * 2 ** 20;
/** Who asks for one key wants the whole line, within reason. */
const LINE_SHOWN = 1_000;
const HISTORY_DEFAULT = 50;
const HISTORY_LIMIT = 1_000;
/** What is private to the operator changes by the second: nobody may keep it. */
const FRESH = { "cache-control": "no-store" };
/**
 * Everything under `/admin/`. A key stands in the path, or as `?key=`, since URL parsers take keys
 * such as `..` for a way up and never send them.
 */
function createAdmin(source) {
    return (exchange) => {
        const area = /^admin\/(events$|locks(?:\/|$)|history\/|history$)/.exec(exchange.path)?.[1];
        if (area === undefined)
            return unknownPath(exchange);
        if (area === "events") {
            allowReading(exchange);
            return exchange.method === "HEAD" ? { status: 200 } : source.events.open(source.table);
        }
        const key = keyOf(exchange, area.endsWith("/") ? `admin/${area}` : null);
        if (area.startsWith("history"))
            return admin_history(exchange, source, key);
        if (exchange.method === "DELETE")
            return breakLock(exchange, source, key);
        if (exchange.method !== "GET" && exchange.method !== "HEAD") {
            throw (0,http_exchange/* wrongMethod */.BX)(exchange, key === null ? "GET, HEAD" : "GET, HEAD, DELETE");
        }
        if (key !== null)
            return { status: 200, headers: FRESH, body: one(source, key) };
        const headers = { ...FRESH, "content-type": "application/json; charset=utf-8" };
        return { status: 200, headers, body: list(exchange, source) };
    };
}
function unknownPath(exchange) {
    return (0,http_exchange/* problem */.CC)(404, "Not found", `There is nothing at ${exchange.rawPath}: use /admin/locks, /admin/history/KEY or /admin/events.`);
}
function keyOf(exchange, prefix) {
    const inQuery = exchange.query.getAll("key");
    const inPath = prefix === null ? "" : exchange.path.slice(prefix.length);
    if (inQuery.length + (inPath === "" ? 0 : 1) > 1) {
        throw (0,http_exchange/* badRequest */.li)("The key is given more than once: name it in the path or as ?key=, not both.");
    }
    const key = inQuery[0] ?? inPath;
    if (key === "" && inQuery.length === 1)
        throw (0,http_exchange/* badRequest */.li)("The key is empty: name a lock.");
    return key === "" ? null : key;
}
function list({ query }, { table, version, startedAt }) {
    const all = query.get("all");
    const locks = new Listing(LOCKS_SHOWN, LOCKS_LENGTH);
    let leftOut = 0;
    for (const entry of table.busyEntries()) {
        if (locks.isFull)
            leftOut += 1;
        else
            locks.add((0,describe/* describeEntry */.OY)(entry));
    }
    for (const entry of all === null || all === "0" ? [] : table.idleEntries()) {
        if (locks.isFull)
            leftOut += 1;
        else
            locks.add((0,describe/* describeFree */.gc)(entry.key, entry.limit));
    }
    const server = { name: stats/* SERVER_NAME */.gz, version, startedAt: new Date(startedAt).toISOString() };
    const rest = leftOut === 0 ? "" : `"leftOut":${leftOut},`;
    return `{"locks":${locks},${rest}"server":${JSON.stringify(server)}}`;
}
function one({ table }, key) {
    const entry = table.find((0,describe/* wireKeyOf */.SR)(table, key));
    return entry === undefined ? { ...(0,describe/* describeFree */.gc)(key), key } : (0,describe/* describeEntry */.OY)(entry, LINE_SHOWN);
}
function admin_history(exchange, { table, history }, key) {
    allowReading(exchange);
    if (key === null)
        throw (0,http_exchange/* badRequest */.li)("The history of which key? Ask /admin/history/KEY.");
    const limit = numberOf(exchange, "limit", 1, HISTORY_LIMIT) ?? HISTORY_DEFAULT;
    const holds = history.of((0,describe/* wireKeyOf */.SR)(table, key), limit);
    return { status: 200, headers: FRESH, body: { key, holds } };
}
function breakLock(exchange, { table, log }, key) {
    if (key === null)
        throw (0,http_exchange/* badRequest */.li)("Break which lock? Name one: DELETE /admin/locks/KEY.");
    const reason = textOf(exchange, "reason", lock_owner/* NOTE_BYTES_LIMIT */.lo);
    if (reason === null) {
        throw (0,http_exchange/* badRequest */.li)("A lock is broken only for a reason: add ?reason=TEXT, for the log.");
    }
    const owner = textOf(exchange, "owner", lock_owner/* OWNER_BYTES_LIMIT */.CG);
    const wireKey = (0,describe/* wireKeyOf */.SR)(table, key);
    const slot = slotOf(exchange, table.find(wireKey));
    // Described first: what a claim's party is called may be gone when its lock is.
    const holders = new Map(Array.from(table.find(wireKey)?.holders ?? [], (claim) => [claim, (0,describe/* describeHolder */.sG)(claim)]));
    const broken = table.break(wireKey, slot ?? undefined).map((claim) => holders.get(claim));
    log.write("warn", "break asked for", {
        key: (0,describe/* shownKey */.dM)(wireKey),
        slot,
        by: owner,
        peer: exchange.request.socket.remoteAddress,
        reason,
        broken: broken.length,
        from: broken.map((holder) => holder?.owner).join(" ") || null,
    });
    return { status: 200, headers: FRESH, body: { broken } };
}
/**
 * The slot that is to be broken; null: all. `fence` names the hold that somebody looked at: when the
 * lock went on to the next meanwhile, that one must not be broken in its place.
 */
function slotOf(exchange, entry) {
    const slot = numberOf(exchange, "slot", 0, Number.MAX_SAFE_INTEGER);
    const fence = numberOf(exchange, "fence", 0, Number.MAX_SAFE_INTEGER);
    if (fence === null)
        return slot;
    for (const claim of entry?.holders ?? []) {
        if (claim.fence === fence && (slot === null || claim.slot === slot))
            return claim.slot;
    }
    throw new http_exchange/* Problem */.AF(409, "Not held any more", `The hold with fence ${fence} is over: nothing was broken. Look who holds the lock now.`);
}
/** A text of the query without what could forge a line of the log; null where there is none. */
function textOf({ query }, name, limit) {
    const text = (0,lock_text/* cleanText */.X5)(query.get(name) ?? "").trim();
    if ((0,lock_text/* byteLength */.dp)(text) > limit) {
        throw (0,http_exchange/* badRequest */.li)(`The ${name} has ${(0,lock_text/* byteLength */.dp)(text)} bytes: use at most ${limit}.`);
    }
    return text === "" ? null : text;
}
function numberOf({ query }, name, least, most) {
    const text = query.get(name);
    if (text === null)
        return null;
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most)) {
        throw (0,http_exchange/* badRequest */.li)(`The ${name} must be a whole number from ${least} to ${most}.`);
    }
    return number;
}

;// CONCATENATED MODULE: ./build/server/http/events.js



/** Each listener costs a socket and a share of every flush. */
const LISTENERS_LIMIT = 100;
/** The shortest time between two flushes: four a second is live for people. */
const FLUSH_MS = 250;
/** The first change after a quiet time waits for its companions: a release and the grant it causes. */
const GATHER_MS = 20;
/** Proxies and browsers give up on a silent stream; and a peer that is gone is found by writing. */
const HEARTBEAT_MS = 15_000;
/** A reader that took nothing for so long is gone, or might as well be. */
const STUCK_MS = 15_000;
/** So much in one event; the rest follows in the next, so that no flush holds up the locks. */
const KEYS_LIMIT = 2_000;
const LENGTH_LIMIT = 4 * 2 ** 20;
/**
 * Tells readers of `/admin/events` what changed. On the way of a grant it only notes the key, and
 * only while somebody listens; what is sent is what the key looks like at the flush.
 */
class Events {
    #readers = new Set();
    #dirty = new Set();
    #monotonic;
    #beatEvery;
    #patience;
    #table = null;
    #timer;
    #heartbeat;
    #flushed = Number.NEGATIVE_INFINITY;
    #closed = false;
    constructor(options) {
        this.#monotonic = options.monotonic;
        this.#beatEvery = options.heartbeat ?? HEARTBEAT_MS;
        this.#patience = options.patience ?? STUCK_MS;
    }
    get listeners() {
        return this.#readers.size;
    }
    joined(claim) {
        this.#note(claim);
    }
    granted(claim) {
        this.#note(claim);
    }
    renewed(claim) {
        this.#note(claim);
    }
    ended(claim) {
        this.#note(claim);
    }
    /** The whole state, then changes, until the reader or the server goes. */
    open(table) {
        if (this.#closed || this.#readers.size >= LISTENERS_LIMIT) {
            throw new http_exchange/* Problem */.AF(503, "Too many listeners", `Already ${this.#readers.size} readers follow /admin/events: close one, or ask /admin/locks now and then.`, { "retry-after": 10 });
        }
        this.#table = table;
        return { stream: (response) => this.#welcome(response, table) };
    }
    /** Ends every stream. Nobody is let in afterwards. */
    close() {
        this.#closed = true;
        for (const { response } of this.#readers)
            response.end();
        this.#rest();
    }
    #welcome(response, table) {
        response.writeHead(200, {
            "content-type": "text/event-stream; charset=utf-8",
            "cache-control": "no-store",
            // Proxies of the nginx kind would else keep events until a buffer is full.
            "x-accel-buffering": "no",
            // Kept alive, it would outlast the stream, and a server that stops would wait for it.
            connection: "close",
        });
        const reader = { response, behind: false, stuckSince: null };
        this.#readers.add(reader);
        this.#heartbeat ??= setInterval(() => this.#beat(), this.#beatEvery);
        response.on("error", () => { });
        response.once("close", () => {
            this.#readers.delete(reader);
            if (this.#readers.size === 0)
                this.#rest();
        });
        response.write(this.#state(table));
    }
    #note(claim) {
        if (this.#readers.size === 0)
            return;
        this.#dirty.add(claim.entry.key);
        this.#timer ??= this.#schedule();
    }
    #schedule() {
        const wait = this.#flushed + FLUSH_MS - this.#monotonic();
        return setTimeout(() => this.#flush(), Math.max(GATHER_MS, wait));
    }
    #flush() {
        this.#timer = undefined;
        const table = this.#table;
        if (table === null || this.#readers.size === 0)
            return;
        this.#flushed = this.#monotonic();
        const change = this.#dirty.size === 0 ? null : this.#change(table);
        let state = null;
        let behind = false;
        for (const reader of this.#readers) {
            if (this.#isSlow(reader)) {
                reader.behind ||= change !== null;
            }
            else if (reader.behind) {
                state ??= this.#state(table);
                reader.behind = false;
                reader.response.write(state);
            }
            else if (change !== null) {
                reader.response.write(change);
            }
            behind ||= reader.behind;
        }
        if (behind || this.#dirty.size > 0)
            this.#timer ??= this.#schedule();
    }
    #isSlow(reader) {
        if (!reader.response.writableNeedDrain) {
            reader.stuckSince = null;
            return false;
        }
        reader.stuckSince ??= this.#flushed;
        if (this.#flushed - reader.stuckSince > this.#patience)
            reader.response.destroy();
        return true;
    }
    #beat() {
        for (const { response } of this.#readers) {
            if (!response.writableNeedDrain)
                response.write(": still here\n\n");
        }
        // One that is slow on a quiet server is found here.
        this.#timer ??= this.#schedule();
    }
    #state(table) {
        const locks = new Listing(KEYS_LIMIT, LENGTH_LIMIT);
        for (const entry of table.busyEntries()) {
            if (locks.isFull)
                this.#dirty.add(entry.key);
            else
                locks.add((0,describe/* describeEntry */.OY)(entry));
        }
        if (this.#dirty.size > 0)
            this.#timer ??= this.#schedule();
        return `event: state\ndata: {"locks":${locks}}\n\n`;
    }
    #change(table) {
        const keys = new Listing(KEYS_LIMIT, LENGTH_LIMIT);
        for (const key of this.#dirty) {
            if (keys.isFull)
                break;
            this.#dirty.delete(key);
            const entry = table.find(key);
            keys.add(entry === undefined ? (0,describe/* describeFree */.gc)(key) : (0,describe/* describeEntry */.OY)(entry));
        }
        return `event: change\ndata: {"keys":${keys}}\n\n`;
    }
    /** Nobody listens: no timers, nothing to note. */
    #rest() {
        clearTimeout(this.#timer);
        clearInterval(this.#heartbeat);
        this.#timer = undefined;
        this.#heartbeat = undefined;
        this.#dirty.clear();
    }
}

;// CONCATENATED MODULE: ./build/server/http/histogram.js
/** Seconds. Hand-offs take milliseconds, deployments minutes, and a stuck one hours. */
const BOUNDS = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600,
    7_200, 14_400, 86_400,
];
/** Counts durations in buckets. Taking one in costs a short walk over numbers and no memory. */
class Histogram {
    /** One count a bound, and one for what is beyond the last. */
    #counts = new Array(BOUNDS.length + 1).fill(0);
    #sum = 0;
    observe(milliseconds) {
        // A wall clock that was set back must not make the sum shrink: rates would see a restart.
        const seconds = milliseconds > 0 ? milliseconds / 1_000 : 0;
        let bucket = 0;
        while (bucket < BOUNDS.length && seconds > BOUNDS[bucket])
            bucket += 1;
        this.#counts[bucket] = this.#counts[bucket] + 1;
        this.#sum += seconds;
    }
    /** The samples of the text format: buckets add up, as Prometheus wants them. */
    render(name) {
        let text = "";
        let total = 0;
        for (const [bucket, count] of this.#counts.entries()) {
            total += count;
            text += `${name}_bucket{le="${BOUNDS[bucket] ?? "+Inf"}"} ${total}\n`;
        }
        return `${text}${name}_sum ${this.#sum}\n${name}_count ${total}\n`;
    }
}

;// CONCATENATED MODULE: ./build/server/http/metrics.js

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
/**
 * Numbers for Prometheus. No label names a key or an owner: keys are made up by clients, often one a
 * branch or a pull request, and every new label value is a series that a monitoring server keeps for
 * weeks. Who asks about one key has `/admin/locks` and `/admin/history`.
 */
class Metrics {
    #options;
    #waits = new Histogram();
    #holds = new Histogram();
    #ended = noEnds();
    #left = noEnds();
    #grants = 0;
    #renewals = 0;
    constructor(options) {
        this.#options = options;
    }
    granted(claim) {
        this.#grants += 1;
        this.#waits.observe(claim.waited);
    }
    renewed() {
        this.#renewals += 1;
    }
    ended(claim, reason, wasHeld) {
        if (!wasHeld) {
            this.#left[reason] += 1;
            return;
        }
        this.#ended[reason] += 1;
        this.#holds.observe(this.#options.now() - claim.since);
    }
    render(gauges) {
        const { version, startedAt } = this.#options;
        const ended = this.#ended;
        const left = this.#left;
        return [
            gauge("holdfast_holders", "Leases held now.", gauges.holders),
            gauge("holdfast_waiters", "Claims waiting in line now.", gauges.waiters),
            gauge("holdfast_keys", "Keys known now, idle ones included.", gauges.keys),
            head("holdfast_connections", "gauge", "Open connections."),
            `holdfast_connections{door="tcp"} ${gauges.tcpConnections}\n`,
            `holdfast_connections{door="http"} ${gauges.httpConnections}\n`,
            gauge("holdfast_sessions", "HTTP sessions alive now.", gauges.sessions),
            gauge("holdfast_event_listeners", "Readers of /admin/events now.", gauges.listeners),
            gauge("holdfast_storage_trouble", "1 while changes cannot be written to the data file.", gauges.trouble ? 1 : 0),
            counter("holdfast_grants_total", "Leases granted.", this.#grants),
            counter("holdfast_renewals_total", "Leases renewed.", this.#renewals),
            counter("holdfast_releases_total", "Leases ended by their holder.", ended.released),
            counter("holdfast_expiries_total", "Leases that ran out.", ended.expired),
            counter("holdfast_breaks_total", "Leases broken by an operator.", ended.broken),
            counter("holdfast_hangups_total", "Leases freed because their connection closed or their session ended.", ended.hangup),
            counter("holdfast_losses_total", "Leases that ended without a release: expired, broken or hung up.", ended.expired + ended.broken + ended.hangup),
            counter("holdfast_abandoned_waits_total", "Claims that left the line without a grant: timed out, hung up or sent home.", left.withdrawn + left.hangup + left.shutdown),
            head("holdfast_wait_seconds", "histogram", "Time from joining the line to the grant."),
            this.#waits.render("holdfast_wait_seconds"),
            head("holdfast_hold_seconds", "histogram", "Time from the grant to the end of the lease."),
            this.#holds.render("holdfast_hold_seconds"),
            gauge("process_start_time_seconds", "Start of the process, seconds since the epoch.", startedAt / 1_000),
            head("holdfast_build_info", "gauge", "Always 1; the labels say what runs."),
            `holdfast_build_info{version="${escapeLabel(version)}",node="${escapeLabel(process.version)}"} 1\n`,
        ].join("");
    }
}
function noEnds() {
    return { released: 0, withdrawn: 0, hangup: 0, expired: 0, broken: 0, shutdown: 0 };
}
function gauge(name, help, value) {
    return `${head(name, "gauge", help)}${name} ${value}\n`;
}
function counter(name, help, value) {
    return `${head(name, "counter", help)}${name} ${value}\n`;
}
function head(name, type, help) {
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}
function escapeLabel(value) {
    return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
;// CONCATENATED MODULE: ./build/server/http/page/markup.js
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
function composeHtml(style, script) {
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

;// CONCATENATED MODULE: ./build/server/http/page/script/base.js
/** Small helpers. Everything that comes from the server ends in `textContent` or a checked link. */
const BASE = `
const byId = (id) => document.getElementById(id);

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// Writing the same text again would still cost a layout, and end a selection.
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// The server's clock, as far as its answers tell: else a browser that is wrong shows wrong times.
let skew = 0;
const serverNow = () => Date.now() + skew;

function learnClock(response) {
  const told = Date.parse(response.headers.get("date") ?? "");
  const difference = told + 500 - Date.now();
  skew = Math.abs(difference) > 2000 ? difference : 0;
}

function duration(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return seconds + "s";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes + "m " + pad(seconds % 60) + "s";
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return hours + "h " + pad(minutes % 60) + "m";
  return Math.floor(hours / 24) + "d " + (hours % 24) + "h";
}

function pad(number) {
  return String(number).padStart(2, "0");
}

function shortDuration(milliseconds) {
  return milliseconds < 1000 ? Math.round(milliseconds) + "ms" : duration(milliseconds);
}

const clockTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const dayTime = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

function moment(iso) {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? String(iso) : clockTime.format(time);
}

// The address of a run is whatever its owner says: only the web's own schemes become links.
function webAddress(value) {
  if (typeof value !== "string") return null;
  try {
    const url = new URL(value);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null;
  }
}

function runLink(party, className, text) {
  const url = webAddress(party.metadata.run_url);
  if (url === null) return make("span", className + " theirs", text);
  const link = make("a", className + " theirs", text);
  link.href = url.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.title = url.href;
  return link;
}

// A node whose text is the time since a moment, kept current by tick().
function ticking(since, before) {
  const node = make("time", "ticking");
  node.dateTime = new Date(since).toISOString();
  node.title = moment(node.dateTime);
  node.since = since;
  node.before = before ?? "";
  showTime(node);
  return node;
}

function showTime(node) {
  setText(node, node.before + duration(serverNow() - node.since));
}

let announced = 0;
function announce(text) {
  // A screen reader that reads out a thousand changes is of no use.
  if (Date.now() - announced < 1500) return;
  announced = Date.now();
  setText(byId("announce"), text);
}

const TOKEN_NAME = "holdfast-token";
const storedToken = () => sessionStorage.getItem(TOKEN_NAME);

// A header holds bytes: letters beyond ASCII go as those of UTF-8.
function asBytes(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

// Relative addresses: the server may stand below a path of a proxy.
async function ask(path, options) {
  const headers = { ...(options?.headers ?? {}) };
  const token = storedToken();
  if (token !== null) headers.authorization = "Bearer " + asBytes(token);
  return fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
}

async function problemOf(response) {
  try {
    const { message, error } = await response.json();
    if (message || error) return String(message || error);
  } catch {}
  return "The server answered " + response.status + ".";
}
`;

;// CONCATENATED MODULE: ./build/server/http/page/script/break.js
/** Taking a lock from its holder: with a reason, after typing the key, and only from this holder. */
const BREAK = `
const breaking = byId("break");
let target = null;

function openBreak(key, holder) {
  target = { key, holder };
  byId("break-form").reset();
  byId("break-who").value = sessionStorage.getItem("holdfast-who") ?? "";
  setText(byId("break-owner"), holder.owner);
  setText(byId("break-key"), key);
  setText(byId("break-trouble"), "");
  checkBreak();
  breaking.showModal();
  byId("break-reason").focus();
}

function checkBreak() {
  const typed = byId("break-typed").value;
  const ready = byId("break-reason").value.trim() !== "" && typed === target?.key;
  byId("break-go").disabled = !ready;
  const wrong = typed.length >= (target?.key.length ?? 0) && typed !== "" && typed !== target?.key;
  setText(byId("break-trouble"), wrong ? "That is not the key." : "");
}

async function breakIt() {
  const { key, holder } = target;
  const who = byId("break-who").value.trim();
  sessionStorage.setItem("holdfast-who", who);
  // The fence names this very hold: should the lock have gone on meanwhile, the next holder keeps it.
  const query = new URLSearchParams({ key, reason: byId("break-reason").value.trim(), fence: String(holder.fence) });
  if (who !== "") query.set("owner", who);
  byId("break-go").disabled = true;
  try {
    const response = await ask("admin/locks?" + query, { method: "DELETE" });
    if (response.ok) {
      breaking.close();
      announce(key + " was taken from " + holder.owner);
      return;
    }
    setText(byId("break-trouble"), await problemOf(response));
  } catch {
    setText(byId("break-trouble"), "The server cannot be reached: nothing was broken, as far as this page knows.");
  }
  byId("break-go").disabled = false;
}

byId("break-form").addEventListener("input", checkBreak);
byId("break-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!byId("break-go").disabled) void breakIt();
});
byId("break-cancel").addEventListener("click", () => breaking.close());
breaking.addEventListener("close", () => {
  target = null;
  if (shownKey !== null) byId("close").focus({ preventScroll: true });
});
`;

;// CONCATENATED MODULE: ./build/server/http/page/script/detail.js
/** One lock in full, beside the list; on a phone, over it. */
const detail_DETAIL = `
const detail = byId("detail");
const LABELS = new Map([
  ["ci_system", "CI system"],
  ["hostname", "Host"],
  ["process_id", "Process"],
  ["run_id", "Run"],
  ["run_attempt", "Attempt"],
  ["sha", "Commit"],
  ["user_identity", "User"],
]);
let shownKey = null;
let shownHolders = "";
let shownLine = "";
let historyTimer;

function openDetail(key) {
  const row = rows.get(key);
  if (shownKey !== null) rows.get(shownKey)?.item.classList.remove("open");
  shownKey = key;
  shownHolders = "";
  shownLine = "";
  setText(byId("detail-key"), key);
  byId("history").replaceChildren();
  detail.hidden = false;
  byId("layout").classList.add("split");
  history.replaceState(null, "", "#" + encodeURIComponent(key));
  if (row !== undefined) setCurrent(row);
  showLock(row?.lock ?? freeLock(key));
  detail.scrollTop = 0;
  byId("close").focus({ preventScroll: true });
}

function closeDetail() {
  if (shownKey === null) return;
  const row = rows.get(shownKey);
  row?.item.classList.remove("open");
  row?.open.setAttribute("aria-expanded", "false");
  shownKey = null;
  detail.hidden = true;
  byId("layout").classList.remove("split");
  history.replaceState(null, "", location.pathname + location.search);
  (row ?? current)?.open.focus();
}

// Called at every change of the lock: what did not change stays, with its focus and selection.
function showLock(lock) {
  const row = rows.get(lock.key);
  row?.item.classList.add("open");
  row?.open.setAttribute("aria-expanded", "true");
  const count = lock.holders.length;
  setText(byId("detail-state"), isFree(lock) ? "Free" : lock.slots > 1 ? count + " of " + lock.slots + " slots held" : "Held");
  detail.classList.toggle("free", isFree(lock));
  const holders = JSON.stringify(lock.holders.map(({ heartbeat, expiresAt, ...rest }) => rest));
  if (holders !== shownHolders) {
    // Whatever ended is in the history a moment later.
    askHistory(shownHolders === "" ? 0 : 400);
    shownHolders = holders;
    byId("holders").replaceChildren(...lock.holders.map(holderCard));
  }
  for (const [index, card] of [...byId("holders").children].entries()) showLease(card, lock.holders[index]);
  const line = JSON.stringify([lock.waiters, lock.waiting]);
  if (line !== shownLine) {
    shownLine = line;
    showLine(lock);
  }
}

function holderCard(holder) {
  const card = make("section", "holder");
  const title = make("p", "owner-line");
  title.append(runLink(holder, "owner", holder.owner));
  const url = webAddress(holder.metadata.run_url);
  if (url !== null) title.append(make("span", "dim theirs", " " + url.host + " ↗"));
  if (holder.alive === null) title.append(make("span", "doubt", "not heard of since the server or its connection went"));
  card.append(title);
  if (holder.note) card.append(make("p", "note theirs", holder.note));
  const facts = make("dl", "facts");
  fact(facts, "Held for", ticking(Date.parse(holder.since)));
  fact(facts, "Since", make("span", "", moment(holder.since)));
  card.lease = make("span", "");
  fact(facts, "Lease", card.lease);
  fact(facts, "Fence", make("code", "", String(holder.fence)));
  if (holder.slot > 0) fact(facts, "Slot", make("span", "", String(holder.slot)));
  for (const [name, value] of Object.entries(holder.metadata)) {
    if (name !== "run_url") fact(facts, LABELS.get(name) ?? name.replaceAll("_", " "), make("span", "theirs", String(value)));
  }
  fact(facts, "Door", make("span", "", holder.door.toUpperCase()));
  const button = make("button", "danger quiet", "Break…");
  button.type = "button";
  button.addEventListener("click", () => openBreak(shownKey, holder));
  card.append(facts, button);
  return card;
}

function fact(place, name, value) {
  const content = make("dd");
  content.append(value);
  place.append(make("dt", "", name), content);
}

function showLease(card, holder) {
  setText(card.lease, shortDuration(holder.ttl * 1000) + ", last heard of at " + dayTime.format(Date.parse(holder.heartbeat)));
}

function showLine(lock) {
  byId("line-section").hidden = lock.waiting === 0;
  byId("line").replaceChildren(...lock.waiters.map(waiterItem));
  const more = lock.waiting - lock.waiters.length;
  setText(byId("line-more"), more > 0 ? "and " + more + " more" : "");
}

function waiterItem(waiter) {
  const item = make("li");
  item.append(runLink(waiter, "owner", waiter.owner), ticking(Date.parse(waiter.since), " waits "));
  if (waiter.note) item.append(make("span", "note theirs", waiter.note));
  return item;
}

function askHistory(wait) {
  clearTimeout(historyTimer);
  historyTimer = setTimeout(async () => {
    const key = shownKey;
    if (key === null) return;
    const place = byId("history");
    try {
      const response = await ask("admin/history?limit=" + HOLDS_ASKED + "&key=" + encodeURIComponent(key));
      if (shownKey !== key) return;
      if (response.ok) showHistory(place, (await response.json()).holds);
      else place.replaceChildren(make("p", "dim", await problemOf(response)));
    } catch {
      if (shownKey === key) place.replaceChildren(make("p", "dim", "The history cannot be had just now."));
    }
  }, wait);
}

byId("close").addEventListener("click", closeDetail);
`;

;// CONCATENATED MODULE: ./build/server/http/page/script/history.js
/** The last hold times of a key, as bars from old to new, and the newest in words. */
const HISTORY = `
const HOLDS_ASKED = 50;
const HOLDS_IN_WORDS = 8;
const SVG = "http://www.w3.org/2000/svg";
const ENDS = { released: "released", expired: "lease ran out", dead: "holder died", broken: "broken" };

function showHistory(place, holds) {
  if (holds.length === 0) {
    place.replaceChildren(make("p", "dim", "Nothing yet: a hold is shown here once it is over."));
    return;
  }
  const times = holds.map((hold) => hold.held);
  const longest = Math.max(...times);
  const summary = holds.length + (holds.length === 1 ? " hold" : " holds") + ": usually " +
    shortDuration(middle(times)) + ", longest " + shortDuration(longest);
  const words = make("p", "dim", summary);
  place.replaceChildren(bars(holds, longest, summary), words, holdTable(holds.slice(0, HOLDS_IN_WORDS)));
}

function middle(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

function bars(holds, longest, summary) {
  const height = 56;
  const step = 10;
  const picture = shape("svg", {
    class: "bars",
    viewBox: "0 0 " + step * Math.max(holds.length, 12) + " " + height,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": summary,
  });
  [...holds].reverse().forEach((hold, index) => {
    const size = Math.max(2, (hold.held / Math.max(1, longest)) * height);
    const bar = shape("rect", {
      class: "bar " + (hold.end === "released" ? "calm" : "rough"),
      x: index * step + 1,
      y: height - size,
      width: step - 2,
      height: size,
    });
    const title = shape("title", {});
    title.textContent = hold.owner + ", " + shortDuration(hold.held) + ", " + moment(hold.since) +
      ", " + (ENDS[hold.end] ?? hold.end);
    bar.append(title);
    picture.append(bar);
  });
  return picture;
}

function shape(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function holdTable(holds) {
  const table = make("table", "holds");
  const head = make("tr");
  for (const title of ["Owner", "When", "Waited", "Held"]) {
    const cell = make("th", "", title);
    cell.scope = "col";
    head.append(cell);
  }
  const thead = make("thead");
  thead.append(head);
  const body = make("tbody");
  for (const hold of holds) body.append(holdRow(hold));
  table.append(thead, body);
  return table;
}

function holdRow(hold) {
  const line = make("tr");
  const who = make("td", "who");
  who.append(runLink({ metadata: hold.metadata ?? {} }, "owner", hold.owner));
  if (hold.end !== "released") who.append(make("span", "doubt", ENDS[hold.end] ?? hold.end));
  const when = make("td", "", ago(hold.since));
  when.title = moment(hold.since);
  const waited = make("td", "", hold.waited === null ? "" : shortDuration(hold.waited));
  line.append(who, when, waited, make("td", "", shortDuration(hold.held)));
  return line;
}

function ago(iso) {
  const time = serverNow() - Date.parse(iso);
  if (time < 60000) return "just now";
  if (time < 3600000) return Math.floor(time / 60000) + " min ago";
  if (time < 86400000) return Math.floor(time / 3600000) + " h ago";
  return Math.floor(time / 86400000) + " d ago";
}
`;

;// CONCATENATED MODULE: ./build/server/http/page/script/keyboard.js
/** `/`, arrows or j and k, Enter (the row's own button), Escape. */
const KEYBOARD = `
function step(by) {
  const visible = visibleRows();
  if (visible.length === 0) return;
  const here = document.activeElement?.closest(".row")?.row ?? (shownKey === null ? undefined : current);
  // From elsewhere the first step leads to the list, not past its first row.
  const to = here === undefined ? visible.indexOf(current) : visible.indexOf(here) + by;
  const row = visible[Math.min(visible.length - 1, Math.max(0, to))];
  setCurrent(row);
  row.open.focus();
  row.item.scrollIntoView({ block: "nearest" });
  // An open panel follows: that is what one looks at.
  if (shownKey !== null && shownKey !== row.key) {
    openDetail(row.key);
    row.open.focus({ preventScroll: true });
  }
}

function goBack() {
  if (shownKey !== null) closeDetail();
  else if (filter.value !== "") {
    filter.value = "";
    applyFilter();
  } else document.activeElement?.blur();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape") goBack();
  else if (event.target === filter && event.key === "ArrowDown") step(1);
  else if (event.target === filter && event.key === "Enter") {
    const [first] = visibleRows();
    if (first !== undefined) openDetail(first.key);
  } else if (typing) return;
  else if (event.key === "/") filter.focus();
  else if (event.key === "j" || event.key === "ArrowDown") step(1);
  else if (event.key === "k" || event.key === "ArrowUp") step(-1);
  else return;
  event.preventDefault();
});
`;

;// CONCATENATED MODULE: ./build/server/http/page/script/list.js
/** The list as a whole: what changed, in which order, what the filter shows. */
const list_LIST = String.raw `
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
`;

;// CONCATENATED MODULE: ./build/server/http/page/script/live.js
/**
 * The stream of events. EventSource cannot send the token, so the stream is read by hand, and lost
 * connections are found and made anew by hand too.
 */
const LIVE = String.raw `
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

;// CONCATENATED MODULE: ./build/server/http/page/script/row.js
/** One lock in the list. A row is made once and then changed where its lock has changed. */
const ROW = String.raw `
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
`;

;// CONCATENATED MODULE: ./build/server/http/page/script/index.js








/**
 * The page's script, for browsers: plain text here, because it must be the same whether the server
 * runs from its sources or from a bundle that a minifier has been through.
 */
const SCRIPT = `(() => {
"use strict";
${[BASE, ROW, list_LIST, HISTORY, detail_DETAIL, BREAK, KEYBOARD, LIVE].join("\n")}
})();`;

;// CONCATENATED MODULE: ./build/server/http/page/style-panel.js
/** The details of a lock, the dialogs, and what changes on a narrow screen. */
const PANEL_STYLE = `
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

;// CONCATENATED MODULE: ./build/server/http/page/style.js

/** Calm and dense: colour is for what needs a look, size for what is read first. */
const STYLE = `
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

;// CONCATENATED MODULE: ./build/server/http/page/page.js





/** The page is the same for everybody and knows nothing: what it shows it asks `/admin/` for. */
function createPage() {
    const html = Buffer.from(composeHtml(STYLE, SCRIPT), "utf8");
    const etag = `"${(0,external_node_crypto_.createHash)("sha256").update(html).digest("base64url").slice(0, 22)}"`;
    const headers = {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": contentPolicy(),
        // A new server's page must come with the server, not from yesterday's cache.
        "cache-control": "no-cache",
        etag,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        // A link to a run must not tell a stranger's server the address of this one.
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
    };
    return (exchange) => {
        allowReading(exchange);
        if (exchange.header("if-none-match") === etag)
            return { status: 304, headers };
        return { status: 200, headers, body: html };
    };
}
/**
 * Owners, notes and keys are chosen by strangers. The script only ever sets text; should that ever
 * slip, nothing but this very script and style can run, and nothing can be sent elsewhere.
 */
function contentPolicy() {
    return [
        "default-src 'none'",
        `script-src '${hashOf(SCRIPT)}'`,
        `style-src '${hashOf(STYLE)}'`,
        "connect-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].join("; ");
}
function hashOf(text) {
    return `sha256-${(0,external_node_crypto_.createHash)("sha256").update(text, "utf8").digest("base64")}`;
}

;// CONCATENATED MODULE: ./build/server/http/panel.js





function createPanel(options) {
    const { clock, version } = options;
    const startedAt = clock.now();
    const metrics = new Metrics({ version, startedAt, now: clock.now });
    const events = new Events({ monotonic: clock.monotonic });
    function showMetrics(source) {
        return (exchange) => {
            allowReading(exchange);
            const { table } = source;
            const body = metrics.render({
                holders: table.held,
                waiters: table.waiting,
                keys: table.keys,
                tcpConnections: source.tcpConnections(),
                httpConnections: source.httpConnections(),
                sessions: source.sessions(),
                listeners: events.listeners,
                trouble: source.trouble() !== null,
            });
            return { status: 200, headers: { "content-type": METRICS_TYPE }, body };
        };
    }
    return {
        observers: [metrics, events],
        routes: (source) => ({
            admin: createAdmin({ ...source, events, version, startedAt }),
            metrics: showMetrics(source),
            health: createHealth({ version, trouble: source.trouble }),
            page: createPage(),
        }),
        close: () => events.close(),
    };
}


/***/ })

};
