export const id = 795;
export const ids = [795];
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

/***/ 9795:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  openHttpDoor: () => (/* binding */ openHttpDoor)
});

// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(1600);
// EXTERNAL MODULE: ./build/server/watch.js
var watch = __webpack_require__(7448);
// EXTERNAL MODULE: ./build/server/http/exchange.js
var http_exchange = __webpack_require__(8551);
;// CONCATENATED MODULE: ./build/server/http/body.js

/** Bodies that are being received are in memory: together no more than this, or one of the largest. */
const ROOM_BYTES = 256 * 2 ** 20;
/** How much room there is for bodies. */
class BodyRoom {
    #left;
    constructor(largest) {
        this.#left = Math.max(ROOM_BYTES, largest);
    }
    take(bytes) {
        if (bytes > this.#left) {
            throw new http_exchange/* Problem */.AF(503, "Busy", "The server is receiving too much at once: try again in a moment.", { "retry-after": 1 });
        }
        this.#left -= bytes;
    }
    giveBack(bytes) {
        this.#left += bytes;
    }
}
/** Throws 413 before anything is read, where the length is announced. */
function checkLength({ request }, limit) {
    if (Number(request.headers["content-length"] ?? 0) > limit)
        throw tooLarge(limit);
}
/** The whole body. `use` runs with it; until it is done the body counts as being in memory. */
async function withBody(exchange, limit, room, use) {
    checkLength(exchange, limit);
    let taken = 0;
    try {
        const body = await receive(exchange, limit, (bytes) => {
            room.take(bytes);
            taken += bytes;
        });
        return await use(body);
    }
    finally {
        room.giveBack(taken);
    }
}
function receive({ request, response }, limit, onBytes) {
    // The client waits to hear that its body is wanted. Only now is that certain.
    if (request.headers.expect !== undefined)
        response.writeContinue();
    return new Promise((resolve, reject) => {
        const chunks = [];
        let size = 0;
        const stop = (reason) => {
            request.removeAllListeners("data");
            reject(reason);
        };
        request.on("data", (chunk) => {
            size += chunk.length;
            chunks.push(chunk);
            if (size > limit) {
                stop(tooLarge(limit));
                return;
            }
            try {
                onBytes(chunk.length);
            }
            catch (error) {
                stop(error);
            }
        });
        request.once("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
        // Hung up, or cut off: there is nobody to be told, and nothing for the log.
        const unfinished = () => {
            reject(new http_exchange/* Problem */.AF(400, "Bad request", "The body is not complete."));
        };
        request.once("error", unfinished);
        request.once("close", unfinished);
    });
}
function tooLarge(limit) {
    return new http_exchange/* Problem */.AF(413, "Content too large", `The body is larger than this server takes: use at most ${limit} bytes.`);
}

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(7030);
// EXTERNAL MODULE: ./build/lock/text.js
var lock_text = __webpack_require__(5352);
;// CONCATENATED MODULE: ./build/server/http/origin.js



/**
 * Locking goes by GET, as the spec has it, and a browser sends GETs for every page that asks: an
 * image on a foreign page must not take a lock with the cookie of its reader. The cookie is
 * SameSite=Strict; this is the second fence, for browsers that say where a request comes from.
 */
function refuseForeign(request) {
    const { headers } = request;
    const site = headers["sec-fetch-site"];
    const { origin } = headers;
    const foreignSite = site !== undefined && site !== "same-origin" && site !== "none";
    if (!foreignSite && (origin === undefined || hostOf(origin) === headers.host))
        return;
    throw new http_exchange/* Problem */.AF(403, "Forbidden", "A page of another site asked for this: open the server's own page, or send the session as a Bearer token.");
}
/** Compared by host alone: behind a proxy that ends TLS this server does not know its own scheme. */
function hostOf(origin) {
    const match = /^https?:\/\/([^/]+)$/.exec(origin);
    return match === null ? null : match[1];
}
/**
 * A server without a token trusts whoever reaches it. A foreign page reaches it through its reader's
 * browser when the page's own name is made to lead to this machine; but the browser then says that
 * name here. Addresses, localhost and names without a dot cannot be taken over like that.
 */
function refuseRebinding(host, configured) {
    if (isOwnName(host, configured))
        return;
    throw new http_exchange/* Problem */.AF(403, "Forbidden", `The host name ${(0,lock_text/* quote */.hD)(host)} is not this server's: use its address, name it with --host, or give the server a token.`);
}
function isOwnName(host, configured) {
    if (host.startsWith("["))
        return (0,external_node_net_.isIP)(host.slice(1, host.indexOf("]"))) === 6;
    const colon = host.indexOf(":");
    const name = (colon === -1 ? host : host.slice(0, colon)).toLowerCase();
    return !name.includes(".") || (0,external_node_net_.isIP)(name) === 4 || name === configured.toLowerCase();
}
/** HTTP/1.1 wants exactly one. */
function requireHost(request) {
    const { host } = request.headers;
    if (host === undefined || host === "") {
        if (request.httpVersion === "1.0")
            return "localhost";
        throw (0,http_exchange/* badRequest */.li)("The request has no Host header.");
    }
    return host;
}

;// CONCATENATED MODULE: ./build/server/http/auth.js



const SESSION_COOKIE = "hengdang_session";
/** Slows down those who try tokens. A session's id is too long to be tried. */
const DENIED_DELAY_MS = 100;
const ASCII = /^[\u0020-\u007e]*$/;
const CHALLENGE = { "www-authenticate": 'Bearer realm="holdfast"' };
/** The session that sent the request. Throws 401, and 403 where a foreign page used its cookie. */
function requireSession(exchange, { sessions }) {
    const bearer = bearerOf(exchange);
    const id = bearer ?? cookieOf(exchange.request.headers.cookie);
    if (id === null) {
        throw new http_exchange/* Problem */.AF(401, "Unauthorized", "The request has no session: open one with POST /auth/session and send it as a Bearer token.", CHALLENGE);
    }
    if (bearer === null)
        refuseForeign(exchange.request);
    const session = sessions.find(id);
    if (session !== null)
        return session;
    throw new http_exchange/* Problem */.AF(401, "Unauthorized", "The session is not known, or it has ended: open one with POST /auth/session.", CHALLENGE);
}
/** For a request that was under way when its session ended. */
function sessionEnded() {
    return new http_exchange/* Problem */.AF(401, "Unauthorized", "The session ended meanwhile.", CHALLENGE);
}
/** On a server with a token the request has to show it. Throws 401, a little later. */
function requireToken(exchange, state) {
    const { secret } = state;
    if (secret === null)
        return null;
    const token = bearerOf(exchange);
    return token !== null && secret.matches(token) ? null : deny(exchange, state, token !== null);
}
async function deny({ request }, { log }, shown) {
    log.limited("warn", "authentication failed", { peer: request.socket.remoteAddress });
    await (0,promises_.setTimeout)(DENIED_DELAY_MS);
    throw new http_exchange/* Problem */.AF(401, "Unauthorized", shown
        ? "That is not the server's token."
        : "The server wants its token: send it as Authorization: Bearer TOKEN.", CHALLENGE);
}
function bearerOf(exchange) {
    const { authorization } = exchange.request.headers;
    if (authorization === undefined)
        return null;
    const token = authorization.startsWith("Bearer ")
        ? authorization.slice(7).trim()
        : (/^bearer +(.*)$/i.exec(authorization)?.[1]?.trim() ?? null);
    // Node reads headers byte by byte; a token may have letters of several bytes.
    return token === null || ASCII.test(token) ? token : Buffer.from(token, "latin1").toString();
}
function cookieOf(header) {
    if (header === undefined)
        return null;
    for (const part of header.split(";")) {
        const middle = part.indexOf("=");
        if (part.slice(0, middle).trim() === SESSION_COOKIE)
            return part.slice(middle + 1).trim();
    }
    return null;
}

// EXTERNAL MODULE: ./build/wire/key.js
var wire_key = __webpack_require__(8946);
;// CONCATENATED MODULE: ./build/server/http/conditions.js


const TAG = /^(?:W\/)?"[\u0021\u0023-\u007e]*"$/;
/** A fence is a time in microseconds: one of the far future would shut out everybody until then. */
const FENCE_AHEAD_MS = 86_400_000;
/** `If-Match`, `If-None-Match` and `Holdfast-Fence`. Throws 400 for what cannot be read. */
function readConditions(exchange, now) {
    const match = readTags(exchange, "if-match");
    const noneMatch = readTags(exchange, "if-none-match");
    const fence = readFence(exchange, now);
    return {
        // A weak tag never counts as a match for a write, so it is left out: then nothing matches.
        ...(match === null ? {} : { match: match === "*" ? match : match.filter(isStrong) }),
        ...(noneMatch === null
            ? {}
            : { noneMatch: noneMatch === "*" ? noneMatch : noneMatch.map(strong) }),
        ...(fence === null ? {} : { fence }),
    };
}
function readTags(exchange, name) {
    const text = exchange.header(name)?.trim();
    if (text === undefined)
        return null;
    if (text === "*")
        return "*";
    const tags = text.split(",").map((tag) => tag.trim());
    if (tags.every((tag) => TAG.test(tag)))
        return tags;
    throw (0,http_exchange/* badRequest */.li)(`The header ${name} is ${(0,lock_text/* quote */.hD)(text)}: use * or tags in double quotes.`);
}
function isStrong(tag) {
    return !tag.startsWith("W/");
}
function strong(tag) {
    return isStrong(tag) ? tag : tag.slice(2);
}
function readFence(exchange, now) {
    const text = exchange.header("holdfast-fence")?.trim();
    if (text === undefined)
        return null;
    const fence = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(fence) && fence <= (now + FENCE_AHEAD_MS) * 1_000)
        return fence;
    throw (0,http_exchange/* badRequest */.li)(`The header Holdfast-Fence is ${(0,lock_text/* quote */.hD)(text)}: use the number that came with the lock.`);
}
/** For reading: how the answer is to be, as RFC 9110 orders the conditions. */
function judge(file, { match, noneMatch }) {
    if (match !== undefined && match !== "*" && !match.includes(file.etag))
        return 412;
    if (noneMatch !== undefined && (noneMatch === "*" || noneMatch.includes(file.etag)))
        return 304;
    return 200;
}

// EXTERNAL MODULE: ./build/lock/slots.js
var lock_slots = __webpack_require__(4242);
// EXTERNAL MODULE: ./build/server/http/describe.js
var describe = __webpack_require__(3383);
// EXTERNAL MODULE: ./build/server/http/names.js
var names = __webpack_require__(6900);
;// CONCATENATED MODULE: ./build/server/http/lock-replies.js


/** Wall clock, milliseconds. */
function expiresAt(claim) {
    return Math.round(claim.renewed + claim.lease);
}
function acquired({ rawPath }, claim) {
    const { fence, slot, since } = claim;
    return {
        status: 200,
        headers: { "holdfast-fence": fence },
        body: {
            message: "Lock acquired",
            path: rawPath,
            sessionId: (0,names/* publicName */.p)(claim.party),
            fence,
            slot,
            slots: claim.entry.limit,
            lockedAt: since,
            expiresAt: expiresAt(claim),
        },
    };
}
function refreshed({ rawPath }, claim) {
    const { fence } = claim;
    return {
        status: 200,
        headers: { "holdfast-fence": fence },
        body: { message: "Lock refreshed", path: rawPath, fence, expiresAt: expiresAt(claim) },
    };
}
function released({ rawPath }, { fence }) {
    return { status: 200, body: { message: "Lock released", path: rawPath, fence } };
}
/** 423, about the oldest holder. */
function locked(entry, session) {
    const holder = entry.holders.first;
    const { introduction } = holder.party;
    return {
        status: 423,
        body: {
            error: "File is locked",
            message: "This file is currently being edited by another session",
            lockedBy: (0,names/* publicName */.p)(holder.party),
            lockedAt: holder.since,
            expiresAt: expiresAt(holder),
            fence: holder.fence,
            owner: introduction?.owner.id ?? null,
            note: introduction?.note ?? null,
            metadata: introduction?.owner.metadata ?? {},
            position: positionOf(entry, session),
            waiting: entry.waiters.size,
        },
    };
}
/** `own`: the session's own lock, which is shown before those of others. */
function lock_replies_status(entry, own, session) {
    const shown = own ?? entry?.holders.first ?? null;
    return {
        status: 200,
        body: {
            locked: shown !== null,
            ...(shown === null ? {} : { lock: describeLock(shown) }),
            ownedByThisSession: own !== null,
            slots: entry?.limit ?? 1,
            holders: entry === undefined ? [] : Array.from(entry.holders, describe/* describeHolder */.sG),
            waiting: entry?.waiters.size ?? 0,
            waiters: entry === undefined ? [] : (0,describe/* describeLine */.ES)(entry),
            position: entry === undefined ? null : positionOf(entry, session),
        },
    };
}
function describeLock(claim) {
    const { party, since, fence, slot } = claim;
    return {
        lockedBy: (0,names/* publicName */.p)(party),
        lockedAt: since,
        expiresAt: expiresAt(claim),
        fence,
        owner: party.introduction?.owner.id ?? null,
        note: party.introduction?.note ?? null,
        metadata: party.introduction?.owner.metadata ?? {},
        slot,
    };
}
/** 1 is next; null where the session does not wait here. */
function positionOf(entry, session) {
    if (!session.waits?.has(entry.key))
        return null;
    let position = 1;
    for (let claim = entry.waiters.first; claim !== null; claim = claim.next) {
        if (session.owns(claim))
            return position;
        position += 1;
    }
    return null;
}

;// CONCATENATED MODULE: ./build/server/http/query.js



const LOCK_WORDS = ["acquire", "release", "refresh", "status"];
/** A request must not outlive what proxies allow; who wants to wait longer asks again. */
const WAIT_LIMIT_SECONDS = 60;
/** What is to be done with the lock; null: the request is about the file. */
function lockWord(exchange) {
    switch (exchange.rawQuery) {
        case "":
            return null;
        case "lock=acquire":
            return "acquire";
        case "lock=release":
            return "release";
    }
    const text = single(exchange, "lock");
    if (text === null)
        return null;
    const word = LOCK_WORDS.find((known) => known === text);
    if (word === undefined) {
        throw (0,http_exchange/* badRequest */.li)(`The operation lock=${(0,lock_text/* quote */.hD)(text)} is not known: use ${LOCK_WORDS.join(", ")}.`);
    }
    return word;
}
const PLAIN_TERMS = { wait: 0, slots: 1 };
function readTerms(exchange) {
    if (exchange.rawQuery === "lock=acquire")
        return PLAIN_TERMS;
    const slots = single(exchange, "slots");
    return {
        wait: readWait(single(exchange, "wait")),
        slots: slots === null ? 1 : (0,lock_slots/* parseSlots */.fb)(slots),
    };
}
function readWait(text) {
    if (text === null)
        return 0;
    const seconds = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
    if (!(seconds <= WAIT_LIMIT_SECONDS)) {
        throw (0,http_exchange/* badRequest */.li)(`The wait ${(0,lock_text/* quote */.hD)(text)} is not a number of seconds from 0 to ${WAIT_LIMIT_SECONDS}.`);
    }
    return Math.round(seconds * 1_000);
}
function single({ query }, name) {
    const values = query.getAll(name);
    if (values.length > 1)
        throw (0,http_exchange/* badRequest */.li)(`The parameter ${name} is given more than once.`);
    return values[0] ?? null;
}

;// CONCATENATED MODULE: ./build/server/http/settle.js

/** While the disk takes no writes an answer is held back so long, and no longer. */
const TROUBLE_PATIENCE_MS = 5_000;
/** The reply, once what it tells is safe from a crash. Nearly always that is at once. */
function settle(state, reply) {
    const settled = state.storage.settled();
    return settled === null ? reply : afterSettling(state, settled, reply);
}
async function afterSettling({ storage }, settled, reply) {
    let timer;
    const patience = new Promise((resolve) => {
        // A disk that is only slow is waited for; one that refuses is not.
        timer = setInterval(() => {
            if (storage.trouble !== null)
                resolve("late");
        }, TROUBLE_PATIENCE_MS);
    });
    const outcome = await Promise.race([settled, patience]);
    clearInterval(timer);
    if (outcome !== "late")
        return reply;
    return (0,http_exchange/* problem */.CC)(503, "Storage trouble", "The server cannot write to its disk now, so the outcome is not safe yet: ask again.", { "retry-after": 5 });
}

;// CONCATENATED MODULE: ./build/server/http/wait.js
/**
 * Between two requests nobody is there to be given the lock. So long a place in line, or a lock that
 * came in between, is kept: long enough for a client behind a slow line to ask again, short enough
 * that one which died does not hold up everybody else.
 */
const GAP_MS = 5_000;
/** A session's place in the line of one key, through all the requests in which it waits for it. */
class Wait {
    claim;
    #session;
    #desk;
    #requests = new Set();
    #gap;
    constructor(claim, session, desk) {
        this.claim = claim;
        this.#session = session;
        this.#desk = desk;
        this.#keep();
    }
    /** For one request: until the claim is granted, in so many milliseconds at most. */
    attend({ response }, milliseconds) {
        clearTimeout(this.#gap);
        this.#session.busy += 1;
        return new Promise((resolve) => {
            const leave = (outcome) => {
                if (!this.#requests.delete(leave))
                    return;
                clearTimeout(timer);
                response.off("close", hangUp);
                this.#session.busy -= 1;
                this.#desk.use(this.#session);
                if (outcome === "timeout" || outcome === "gone")
                    this.#pause();
                resolve(outcome);
            };
            const hangUp = () => leave("gone");
            const timer = setTimeout(leave, milliseconds, "timeout");
            this.#requests.add(leave);
            // Who pipelines may have hung up before its turn came.
            if (response.destroyed)
                leave("gone");
            else
                response.once("close", hangUp);
        });
    }
    /** A request that does not wait, but shows that somebody is still there. */
    extend() {
        if (this.#requests.size === 0)
            this.#pause();
    }
    /** The answer that told of the grant did not arrive: the client has the gap to ask again. */
    doubt() {
        if (this.claim.state !== "held" || this.#session.over)
            return;
        this.#keep();
        this.#pause();
    }
    /** The claim is an ordinary lock from now on: its session knows of it. */
    settle() {
        clearTimeout(this.#gap);
        this.#session.waits?.delete(this.claim.entry.key);
    }
    granted() {
        if (this.#requests.size === 0)
            return;
        this.settle();
        this.#tell("held");
    }
    ended(reason) {
        this.settle();
        this.#tell(reason === "shutdown" ? "shutdown" : "timeout");
    }
    /** Its session is over; the claim is for whoever ends that to end. */
    abandon() {
        clearTimeout(this.#gap);
        this.#tell("session-ended");
    }
    /** Nobody came in time: the place, or the lock, is given up. */
    giveUp() {
        const { table } = this.#desk;
        const { claim } = this;
        this.settle();
        if (claim.state === "waiting")
            table.withdraw(claim);
        else if (claim.state === "held")
            table.release(claim.entry.key, claim.token);
    }
    #keep() {
        this.#session.waits ??= new Map();
        this.#session.waits.set(this.claim.entry.key, this);
    }
    #tell(outcome) {
        for (const leave of [...this.#requests])
            leave(outcome);
    }
    #pause() {
        if (this.#requests.size > 0 || this.claim.state === "over")
            return;
        clearTimeout(this.#gap);
        this.#gap = setTimeout(() => this.giveUp(), GAP_MS);
    }
}

;// CONCATENATED MODULE: ./build/server/http/lock-operations.js








/** The spec's 1,800 seconds. */
const LEASE_MS = 1_800_000;
/** A session that asks for a lock while its own write has it waits for the write, not for a stranger. */
const OWN_WRITE_MS = 10_000;
const BUSY_RETRY_SECONDS = 5;
/** `?lock=`: of all methods GET alone, as the spec has it; in particular HEAD never locks. */
function serveLock(exchange, word, state) {
    if (exchange.method !== "GET")
        throw (0,http_exchange/* wrongMethod */.BX)(exchange, "GET");
    const session = requireSession(exchange, state);
    const key = (0,wire_key/* encodeWireKey */.b)(exchange.path);
    switch (word) {
        case "acquire":
            return acquire(exchange, key, session, state);
        case "release":
            return release(exchange, key, session, state);
        case "refresh":
            return refresh(exchange, key, session, state);
        case "status": {
            const entry = currentEntry(state, key);
            return lock_replies_status(entry, entry === undefined ? null : heldBy(entry, session), session);
        }
    }
}
function acquire(exchange, key, session, state) {
    const { table } = state;
    const { wait, slots } = readTerms(exchange);
    const entry = currentEntry(state, key);
    let patience = wait;
    if (entry !== undefined && !entry.idle) {
        if (entry.limit !== slots)
            throw mismatch(exchange.path, slots, entry.limit);
        const own = heldBy(entry, session);
        if (own !== null)
            return renew(exchange, own, session, state);
        const earlier = session.waits?.get(key);
        if (earlier !== undefined)
            return waitOn(exchange, earlier, wait, session, state);
        if (entry.holders.first?.party === session.writer)
            patience = Math.max(wait, OWN_WRITE_MS);
        if (patience === 0 && entry.holders.size >= entry.limit)
            return locked(entry, session);
    }
    const claim = table.claim(session.party, key, slots, LEASE_MS);
    if (typeof claim === "string")
        throw refusal(claim, exchange, slots);
    if (claim.state === "held")
        return settle(state, acquired(exchange, claim));
    const desk = { table, use: (used) => state.sessions.use(used) };
    return waitOn(exchange, new Wait(claim, session, desk), patience, session, state);
}
/** Its own lock again: it lasts anew, and is as old as it was. */
function renew(exchange, own, session, state) {
    state.table.renew(session.party, own.entry.key, own.token, LEASE_MS);
    session.waits?.get(own.entry.key)?.settle();
    return settle(state, acquired(exchange, own));
}
function waitOn(exchange, wait, patience, session, state) {
    if (patience === 0) {
        wait.extend();
        return locked(wait.claim.entry, session);
    }
    return wait.attend(exchange, patience).then((outcome) => {
        return outcome === "held"
            ? settle(state, { ...acquired(exchange, wait.claim), undelivered: () => wait.doubt() })
            : waitedInVain(outcome, wait.claim.entry, session);
    });
}
function waitedInVain(outcome, entry, session) {
    if (outcome === "shutdown")
        return (0,http_exchange/* problem */.CC)(503, ...CLOSING);
    if (outcome === "session-ended")
        return sessionEnded().reply;
    return locked(entry, session);
}
function refresh(exchange, key, session, state) {
    const own = ownLock(key, session, state);
    if (own === null)
        return notHeld(exchange, "refreshed");
    state.table.renew(session.party, key, own.token, LEASE_MS);
    session.waits?.get(key)?.settle();
    return settle(state, refreshed(exchange, own));
}
function release(exchange, key, session, state) {
    const own = ownLock(key, session, state);
    if (own === null) {
        // Who lets go of what it only waits for does not want to wait any longer.
        session.waits?.get(key)?.giveUp();
        return notHeld(exchange, "released");
    }
    session.waits?.get(key)?.settle();
    state.table.release(key, own.token);
    return settle(state, released(exchange, own));
}
function notHeld({ rawPath }, done) {
    return (0,http_exchange/* problem */.CC)(404, "Lock not found", `This session does not hold ${rawPath}, so nothing was ${done}: it may have expired, or belong to another session.`);
}
function ownLock(key, session, state) {
    const entry = currentEntry(state, key);
    return entry === undefined ? null : heldBy(entry, session);
}
/** The key's state, without leases that ran out since the last sweep. */
function currentEntry({ table, clock }, key) {
    const entry = table.find(key);
    if (entry !== undefined && entry.earliest <= clock.monotonic())
        table.sweep();
    return entry;
}
function heldBy(entry, session) {
    let claim = entry.holders.first;
    while (claim !== null && !session.owns(claim))
        claim = claim.next;
    return claim;
}
function mismatch(key, asked, present) {
    return new http_exchange/* Problem */.AF(409, "Slots differ", (0,lock_slots/* slotsMismatch */.qL)(key, asked, present).message);
}
const CLOSING = [
    "Server closing",
    "The server is being stopped: try again when it is back.",
    { "retry-after": BUSY_RETRY_SECONDS },
];
/** The table's answer to a claim that it did not take. */
function refusal(reason, { path }, slots) {
    switch (reason) {
        case "limit-mismatch":
            return new http_exchange/* Problem */.AF(409, "Slots differ", `The key is in use with other slots than ${slots}.`);
        case "max-locks":
            return busy(`The server has no room for a further key, so ${JSON.stringify(path)} cannot be locked now.`);
        case "max-waiters":
            return busy(`Too many wait for ${JSON.stringify(path)} already.`);
        default:
            return new http_exchange/* Problem */.AF(503, ...CLOSING);
    }
}
function busy(message) {
    return new http_exchange/* Problem */.AF(503, "Server full", `${message} Try again later.`, {
        "retry-after": BUSY_RETRY_SECONDS,
    });
}

;// CONCATENATED MODULE: ./build/server/http/write-lock.js





const shared = new WeakMap();
/** The answer where a write cannot begin, since another session has the lock; null: it can. */
function checkWritable(exchange, key, session, state) {
    const entry = currentEntry(state, key);
    if (entry === undefined || entry.idle || heldBy(entry, session) !== null)
        return null;
    if (entry.limit > 1)
        throw severalSlots(exchange, entry.limit);
    return entry.holders.first?.party === session.writer ? null : locked(entry, session);
}
/**
 * Writes under the session's own lock, or under one that lasts for the write alone. `write` gets the
 * fence of the explicit lock.
 */
async function withWriteLock(exchange, key, session, state, write) {
    if (session.over)
        throw sessionEnded();
    const taken = checkWritable(exchange, key, session, state);
    if (taken !== null)
        return taken;
    const entry = state.table.find(key);
    const own = entry === undefined ? null : heldBy(entry, session);
    if (own === null)
        return withPassingLock(exchange, key, session, state, write);
    session.waits?.get(key)?.settle();
    const { reply, done } = await write(own.fence);
    if (done && own.state === "held")
        state.table.release(key, own.token);
    return settle(state, reply);
}
async function withPassingLock(exchange, key, session, state, write) {
    const lock = join(exchange, key, session, state);
    try {
        const { reply } = await write(null);
        return settle(state, reply);
    }
    finally {
        lock.writes -= 1;
        const { claim } = lock;
        if (lock.writes === 0 && claim.state === "held")
            state.table.release(key, claim.token);
    }
}
function join(exchange, key, session, state) {
    const holder = state.table.find(key)?.holders.first ?? null;
    const present = holder === null ? undefined : shared.get(holder);
    if (present !== undefined && holder?.party === session.writer) {
        present.writes += 1;
        return present;
    }
    const claim = state.table.claim(session.writer, key, 1, LEASE_MS);
    if (typeof claim === "string")
        throw refusal(claim, exchange, 1);
    const lock = { claim, writes: 1 };
    shared.set(claim, lock);
    return lock;
}
function severalSlots({ rawPath }, slots) {
    return new http_exchange/* Problem */.AF(409, "Slots differ", `Up to ${slots} may hold ${rawPath} at once, so a write needs a lock of its own first: ?lock=acquire&slots=${slots}.`);
}

;// CONCATENATED MODULE: ./build/server/http/files.js






const TYPE_LIMIT = 255;
const DEFAULT_TYPE = "application/octet-stream";
/**
 * What users wrote must not act in the name of this server: in a sandbox without scripts a page has
 * no origin, so it can use nobody's cookie.
 */
const CONTENT_HEADERS = {
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
};
/** A path without `?lock=`: the file itself. */
function serveFile(exchange, state) {
    switch (exchange.method) {
        case "GET":
        case "HEAD":
            return read(exchange, state);
        case "PUT":
            return write(exchange, state);
        case "DELETE":
            return remove(exchange, state);
        default:
            throw (0,http_exchange/* wrongMethod */.BX)(exchange, "GET, HEAD, PUT, DELETE");
    }
}
async function read(exchange, state) {
    requireSession(exchange, state);
    const conditions = readConditions(exchange, state.clock.now());
    const { storage } = state;
    const path = (0,wire_key/* encodeWireKey */.b)(exchange.path);
    const file = exchange.method === "HEAD" ? await storage.statFile(path) : await storage.readFile(path);
    if (file === null)
        return missing(exchange);
    const size = "content" in file ? file.content.length : file.size;
    const verdict = judge({ ...file, size }, conditions);
    if (verdict === 412)
        return unmet(exchange);
    const headers = { ...fileHeaders(file), ...CONTENT_HEADERS };
    if (verdict === 304)
        return { status: 304, headers };
    const described = { ...headers, "content-type": file.type, "content-length": size };
    return "content" in file
        ? { status: 200, headers: described, body: file.content }
        : { status: 200, headers: described };
}
async function write(exchange, state) {
    const session = requireSession(exchange, state);
    const type = readType(exchange);
    const conditions = readConditions(exchange, state.clock.now());
    checkLength(exchange, state.maxBody);
    const key = (0,wire_key/* encodeWireKey */.b)(exchange.path);
    // Said before the body is sent, where the client waits for that; what counts is said after.
    const taken = checkWritable(exchange, key, session, state);
    if (taken !== null)
        return taken;
    return state.sessions.during(session, () => withBody(exchange, state.maxBody, state.bodies, (content) => withWriteLock(exchange, key, session, state, async (fence) => {
        const modifiedAt = state.clock.now();
        const result = await state.storage.writeFile(key, { content, type, modifiedAt }, guarded(conditions, fence));
        const reply = written(exchange, result, conditions);
        return { reply, done: result.outcome === "created" || result.outcome === "updated" };
    })));
}
async function remove(exchange, state) {
    const session = requireSession(exchange, state);
    const conditions = readConditions(exchange, state.clock.now());
    const key = (0,wire_key/* encodeWireKey */.b)(exchange.path);
    return withWriteLock(exchange, key, session, state, async (fence) => {
        const result = await state.storage.deleteFile(key, guarded(conditions, fence));
        if (result.outcome === "deleted")
            return { reply: { status: 204 }, done: false };
        if (result.outcome === "missing")
            return { reply: missing(exchange), done: false };
        return { reply: written(exchange, result, conditions), done: false };
    });
}
/**
 * A write under an explicit lock carries the lock's fence, also where the client names none: it
 * arrives at the storage a moment later, and the lock may be another's by then.
 */
function guarded(conditions, fence) {
    return conditions.fence !== undefined || fence === null ? conditions : { ...conditions, fence };
}
function written(exchange, result, conditions) {
    switch (result.outcome) {
        case "created":
            return saved(exchange, 201, "File created", result.info);
        case "updated":
            return saved(exchange, 200, "File updated", result.info);
        case "precondition":
            return result.fence === undefined
                ? unmet(exchange)
                : outfenced(exchange, conditions.fence ?? null, result.fence);
        default:
            return (0,http_exchange/* problem */.CC)(507, "Insufficient storage", `There is no room to store ${exchange.rawPath}: delete other files first.`);
    }
}
function saved({ rawPath }, status, message, info) {
    const { size, etag, fence } = info;
    return {
        status,
        headers: fileHeaders(info),
        body: { message, path: rawPath, size, etag, fence },
    };
}
function fileHeaders({ etag, modifiedAt, fence }) {
    return {
        etag,
        "last-modified": new Date(modifiedAt).toUTCString(),
        ...(fence === null ? {} : { "holdfast-fence": fence }),
    };
}
function missing({ rawPath }) {
    return (0,http_exchange/* problem */.CC)(404, "File not found", `There is no file at ${rawPath}.`);
}
function unmet({ rawPath }) {
    return (0,http_exchange/* problem */.CC)(412, "Precondition failed", `The file at ${rawPath} is not as If-Match or If-None-Match wants it: read it again first.`);
}
function outfenced({ rawPath }, fence, highest) {
    return {
        status: 412,
        body: {
            error: "Precondition failed",
            message: `The fence ${fence ?? "of the lock"} of ${rawPath} is lower than ${highest}, which was seen already: the lock was lost meanwhile.`,
            fence,
            highestFence: highest,
        },
    };
}
/** The type is said again to those who read the file. */
function readType(exchange) {
    const { "content-encoding": encoding, "content-type": type } = exchange.request.headers;
    if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
        throw new http_exchange/* Problem */.AF(415, "Unsupported media type", "The body has a Content-Encoding, which would be lost: send it as it is.");
    }
    if (exchange.header("content-range") !== undefined) {
        throw (0,http_exchange/* badRequest */.li)("A Content-Range writes a part of a file: send the whole file.");
    }
    if (type === undefined || type.trim() === "")
        return DEFAULT_TYPE;
    if (type.length > TYPE_LIMIT || !/^[\u0020-\u007e]+$/.test(type)) {
        throw (0,http_exchange/* badRequest */.li)(`The Content-Type must be printable text of at most ${TYPE_LIMIT} characters.`);
    }
    return type;
}

// EXTERNAL MODULE: ./build/lock/owner.js
var lock_owner = __webpack_require__(5208);
;// CONCATENATED MODULE: ./build/server/http/session-operations.js







const DEFAULT_TTL_SECONDS = 7 * 86_400;
const LONGEST_TTL_SECONDS = 365 * 86_400;
const BODY_LIMIT = 65_536;
const FIELDS = ["ttl", "owner", "note", "metadata"];
/** All that a session may: the protocol has finer ones, this server has not. */
const PERMISSIONS = ["read", "write"];
/** `/auth/session`: POST opens one, GET tells about it, DELETE ends it. */
function serveSession(exchange, state) {
    switch (exchange.method) {
        case "POST":
            return session_operations_open(exchange, state);
        case "GET":
            return { status: 200, body: session_operations_describe(requireSession(exchange, state)) };
        case "DELETE":
            state.sessions.end(requireSession(exchange, state), "session deleted");
            return settle(state, { status: 204, headers: { "set-cookie": cookie("", state, 0) } });
        default:
            throw (0,http_exchange/* wrongMethod */.BX)(exchange, "GET, POST, DELETE");
    }
}
async function session_operations_open(exchange, state) {
    // Else a foreign page could log its reader in to a session that it knows, or use up all sessions.
    refuseForeign(exchange.request);
    await requireToken(exchange, state);
    const wish = await withBody(exchange, BODY_LIMIT, state.bodies, parseWish);
    const { id, session } = state.sessions.open(wish);
    return settle(state, {
        status: 201,
        headers: { "set-cookie": cookie(id, state) },
        body: {
            sessionId: id,
            name: session.name,
            permissions: PERMISSIONS,
            expiresAt: session.expiresAt,
        },
    });
}
function session_operations_describe(session) {
    const { name, createdAt, lastUsed, expiresAt, introduction } = session;
    const owner = introduction?.owner;
    return {
        name,
        permissions: PERMISSIONS,
        createdAt,
        lastUsed,
        expiresAt,
        owner: owner === undefined || owner.id === name ? null : owner.id,
        note: introduction?.note ?? null,
        metadata: owner?.metadata ?? {},
    };
}
/** Without an age: how long the session lives, the server knows; each use makes it longer. */
function cookie(id, { secure }, maxAge) {
    const age = maxAge === undefined ? "" : `; Max-Age=${maxAge}`;
    return `${SESSION_COOKIE}=${id}; Path=/; HttpOnly; SameSite=Strict${age}${secure ? "; Secure" : ""}`;
}
function parseWish(body) {
    const wish = parseObject(body);
    const unknown = Object.keys(wish).find((field) => !FIELDS.includes(field));
    if (unknown !== undefined) {
        throw (0,http_exchange/* badRequest */.li)(`The field ${JSON.stringify(unknown)} of the session is not known: use ${FIELDS.join(", ")}.`);
    }
    const owner = textOf(wish, "owner");
    const noteText = textOf(wish, "note");
    const id = owner === null ? null : (0,lock_owner/* parseOwnerId */.Eo)(owner);
    const note = noteText === null ? null : (0,lock_owner/* parseNote */.wd)(noteText);
    const metadata = wish.metadata === undefined ? {} : (0,lock_owner/* checkMetadata */.sI)(wish.metadata);
    const nameless = id === null && note === null && wish.metadata === undefined;
    return {
        ttl: parseTtl(wish.ttl),
        introduce: (digest) => nameless ? null : { owner: { id: id ?? (0,names/* sessionName */.C)(digest), metadata }, note },
    };
}
function parseObject(body) {
    if (body.length === 0)
        return {};
    let value;
    try {
        value = JSON.parse(body.toString("utf8"));
    }
    catch {
        throw (0,http_exchange/* badRequest */.li)("The body is not JSON: send an object, or nothing.");
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw (0,http_exchange/* badRequest */.li)("The body is not a JSON object: send an object, or nothing.");
    }
    return value;
}
function textOf(wish, field) {
    const value = wish[field];
    if (value === undefined || value === null)
        return null;
    if (typeof value !== "string")
        throw (0,http_exchange/* badRequest */.li)(`The field ${field} of the session is not text.`);
    return value;
}
/** In milliseconds. */
function parseTtl(value) {
    const seconds = value ?? DEFAULT_TTL_SECONDS;
    if (typeof seconds !== "number" || !(seconds >= 1 && seconds <= LONGEST_TTL_SECONDS)) {
        throw (0,http_exchange/* badRequest */.li)(`The ttl of the session is not a number of seconds from 1 to ${LONGEST_TTL_SECONDS}.`);
    }
    return Math.round(seconds * 1_000);
}

;// CONCATENATED MODULE: ./build/server/http/target.js


const PATH_LIMIT = 4_096;
/** Segments of plain characters that do not begin with a dot: nothing in them can need a second look. */
const PLAIN = /^(?:\/[\w!$&'()*+,:;=@~-][\w.!$&'()*+,:;=@~-]*)+$/;
const PRINTABLE = /^[\u0021-\u007e]*$/;
/**
 * The path decoded once, without its first slash. Keys never reach a filesystem, so a path that looks
 * like a way out leads nowhere here; it is refused all the same, since a proxy in between may have
 * taken it for another path than this server does.
 */
function decodePath(rawPath) {
    if (rawPath.length <= PATH_LIMIT && PLAIN.test(rawPath))
        return rawPath.slice(1);
    if (!rawPath.startsWith("/")) {
        throw (0,http_exchange/* badRequest */.li)("The request names no path: it has to begin with a slash.");
    }
    if (!PRINTABLE.test(rawPath) || rawPath.includes("#")) {
        throw (0,http_exchange/* badRequest */.li)("The path contains a character that has to be percent-encoded.");
    }
    const path = decode(rawPath.slice(1));
    if (path.length > PATH_LIMIT) {
        throw (0,http_exchange/* badRequest */.li)(`The path has ${path.length} characters: use at most ${PATH_LIMIT}.`);
    }
    if ((0,lock_text/* hasControl */.aQ)(path))
        throw (0,http_exchange/* badRequest */.li)("The path contains a control character.");
    // Operators name any key, and nothing but the lock table is asked for it.
    if (path !== "" && !path.startsWith("admin/"))
        checkSegments(path);
    return path;
}
function decode(text) {
    try {
        return decodeURIComponent(text);
    }
    catch {
        throw (0,http_exchange/* badRequest */.li)("The path is not percent-encoded UTF-8: encode each byte as %XX.");
    }
}
/** A backslash is no separator here, but it is for others on the way. */
function checkSegments(path) {
    for (const segment of path.split(/[/\\]/)) {
        if (segment === "." || segment === "..") {
            throw (0,http_exchange/* badRequest */.li)("The path contains a dot segment: name the file itself.");
        }
    }
    if (path.startsWith("/") || path.endsWith("/") || path.includes("//")) {
        throw (0,http_exchange/* badRequest */.li)("The path contains an empty segment, or ends with a slash: leave it out.");
    }
}
function areaOf(path) {
    switch (path) {
        case "":
            return "page";
        case "auth/session":
            return "session";
        case "healthz":
            return "health";
        case "metrics":
            return "metrics";
        case "auth":
        case "admin":
            return "reserved";
    }
    if (path.startsWith("a")) {
        if (path.startsWith("admin/page/"))
            return "page";
        if (path.startsWith("admin/"))
            return "admin";
        if (path.startsWith("auth/"))
            return "reserved";
    }
    return "file";
}

;// CONCATENATED MODULE: ./build/server/http/dispatch.js








/** From a request to whoever answers it. Throws Problem; `host` is what the server was told to listen on. */
function createDispatch(state, routes, host) {
    /** The last good Host header: clients send the same one for ever. */
    let knownHost = "";
    function checkHost(request) {
        if (request.headers.host === knownHost && knownHost !== "")
            return;
        const name = requireHost(request);
        if (state.secret === null)
            refuseRebinding(name, host);
        knownHost = name;
    }
    function guarded(exchange, handler) {
        refuseForeign(exchange.request);
        const denied = requireToken(exchange, state);
        if (denied !== null)
            return denied.then(() => call(exchange, handler));
        return call(exchange, handler);
    }
    function call(exchange, handler) {
        if (handler !== undefined)
            return handler(exchange);
        throw new http_exchange/* Problem */.AF(404, "Not found", `There is nothing at ${exchange.rawPath}.`);
    }
    return (request, response) => {
        checkHost(request);
        const exchange = readExchange(request, response);
        const area = areaOf(exchange.path);
        if (area === "file") {
            const word = lockWord(exchange);
            return word === null ? serveFile(exchange, state) : serveLock(exchange, word, state);
        }
        if (exchange.rawQuery !== "" && exchange.query.has("lock")) {
            throw (0,http_exchange/* badRequest */.li)(`The path ${exchange.rawPath} is the server's own and cannot be locked.`);
        }
        switch (area) {
            case "session":
                return serveSession(exchange, state);
            case "admin":
                return guarded(exchange, routes.admin);
            case "metrics":
                return guarded(exchange, routes.metrics);
            case "health":
                return call(exchange, routes.health);
            case "page":
                return call(exchange, routes.page);
            case "reserved":
                return call(exchange, undefined);
        }
    };
}
function readExchange(request, response) {
    const url = request.url;
    const mark = url.indexOf("?");
    const rawPath = mark === -1 ? url : url.slice(0, mark);
    const rawQuery = mark === -1 ? "" : url.slice(mark + 1);
    return new http_exchange/* Exchange */.k5(request, response, rawPath, decodePath(rawPath), rawQuery);
}

// EXTERNAL MODULE: external "node:http"
var external_node_http_ = __webpack_require__(7067);
// EXTERNAL MODULE: external "node:https"
var external_node_https_ = __webpack_require__(4708);
;// CONCATENATED MODULE: ./build/server/http/send.js

/**
 * After a refusal the server still reads for a moment what the client is sending: closing at once
 * would answer that with a reset, and a reset can eat the reply.
 */
const LINGER_MS = 1_000;
const LINGER_BYTES = 4 * 2 ** 20;
/** A body that nobody wants is read where it is no longer than this, so that the connection can go on. */
const DRAIN_BYTES = 65_536;
const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";
/** Writes the reply, in one piece. `last`: and closes the connection. */
function send(request, response, reply, last) {
    if (response.destroyed || response.headersSent) {
        reply.undelivered?.();
        return;
    }
    const { status, body } = reply;
    const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
    const content = contentOf(body);
    if (content === null) {
        // Of a HEAD the handler says how long the file is.
        if (status >= 200 && status !== 204 && status !== 304)
            headers["content-length"] = 0;
    }
    else {
        headers["content-type"] = typeof body === "string" ? TEXT_TYPE : JSON_TYPE;
        headers["content-length"] =
            typeof content === "string" ? Buffer.byteLength(content) : content.length;
    }
    if (reply.headers !== undefined)
        Object.assign(headers, reply.headers);
    if (last)
        headers.connection = "close";
    if (!hasUnread(request)) {
        send_write(request, response, status, headers, content);
    }
    else if (isWorthDraining(request, status)) {
        // Answered when it is through: an answer in the middle of a request would be taken for another's.
        request.once("end", () => send_write(request, response, status, headers, content));
        request.resume();
    }
    else {
        refuse(request.socket, status, { ...headers, connection: "close" }, content, request);
    }
}
function send_write({ method }, response, status, headers, content) {
    response.writeHead(status, headers);
    if (content === null || method === "HEAD")
        response.end();
    else
        response.end(content);
}
function contentOf(body) {
    if (body === undefined)
        return null;
    if (typeof body === "string" || body instanceof Uint8Array)
        return body;
    return JSON.stringify(body);
}
/** A body is still on its way. */
function hasUnread({ headers, complete }) {
    const { "content-length": length, "transfer-encoding": encoding } = headers;
    if (length === undefined && encoding === undefined)
        return false;
    return !complete && length !== "0";
}
/** Not a long one, nor one that the client holds back until it is asked for, nor one that is too much. */
function isWorthDraining({ headers }, status) {
    const { "content-length": length, expect } = headers;
    return status !== 413 && expect === undefined && Number(length ?? Infinity) <= DRAIN_BYTES;
}
/**
 * Answers past Node's own response, which would close at once, and throws away what still comes: for
 * requests that will not be read to their end, or cannot.
 */
function refuse(socket, status, headers, content, request) {
    if (!socket.writable) {
        socket.destroy();
        return;
    }
    let head = `HTTP/1.1 ${status} ${external_node_http_.STATUS_CODES[status] ?? ""}\r\n`;
    for (const [name, value] of Object.entries(headers)) {
        for (const one of Array.isArray(value) ? value : [value])
            head += `${name}: ${one}\r\n`;
    }
    socket.write(`${head}date: ${new Date().toUTCString()}\r\n\r\n`, "latin1");
    if (content !== null)
        socket.write(content);
    socket.end();
    linger(socket, request);
}
function linger(socket, request) {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    let bytes = 0;
    const source = request ?? socket;
    source.on("data", (chunk) => {
        bytes += chunk.length;
        if (bytes > LINGER_BYTES)
            socket.destroy();
    });
    source.on("end", () => socket.destroySoon());
    source.on("error", () => socket.destroy());
    socket.on("close", () => clearTimeout(timer));
    source.resume();
}

;// CONCATENATED MODULE: ./build/server/http/listener.js





/** Room for a path of the longest kind, percent-encoded, and the rest. */
const HEADERS_LIMIT = 16_384;
/** How often Node looks for requests that are late; a timeout is late by at most this. */
const CHECK_MS = 1_000;
/** A peer that vanished without a word while its request waits is found by TCP's own probes. */
const KEEP_ALIVE_MS = 10_000;
const BACKLOG = 1_024;
/** Node's own server with the bounds of this one. It does not listen yet. */
function createListener(options, log) {
    const { readTimeout } = options;
    const common = {
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MS,
        maxHeaderSize: HEADERS_LIMIT,
        headersTimeout: readTimeout,
        requestTimeout: readTimeout,
        keepAliveTimeout: readTimeout,
        connectionsCheckingInterval: Math.min(CHECK_MS, Math.ceil(readTimeout / 4)),
        // The door answers for itself, with a sentence.
        requireHostHeader: false,
    };
    const server = options.tls === null ? (0,external_node_http_.createServer)(common) : createTls(options, common, log);
    if (options.maxConnections > 0)
        server.maxConnections = options.maxConnections;
    server.on("drop", () => {
        log.limited("warn", "connection refused", {
            door: "http",
            reason: "max-connections",
            limit: options.maxConnections,
        });
    });
    server.on("clientError", answerBroken);
    return server;
}
const BROKEN = {
    HPE_HEADER_OVERFLOW: [
        431,
        "Request header fields too large",
        `The head of the request is larger than ${HEADERS_LIMIT} bytes.`,
    ],
    ERR_HTTP_REQUEST_TIMEOUT: [
        408,
        "Request timeout",
        "The request did not arrive in time: send it in one go.",
    ],
};
/** What Node cannot read as HTTP. */
function answerBroken(error, socket) {
    if (socket.refused === true)
        return;
    // Half an answer is out already, or nobody is there to be answered.
    if (!socket.writable ||
        error.code === "ECONNRESET" ||
        socket._httpMessage?.headersSent === true) {
        socket.destroy();
        return;
    }
    socket.refused = true;
    const [status, title, message] = BROKEN[error.code ?? ""] ?? [
        400,
        "Bad request",
        "That is not HTTP as this server reads it.",
    ];
    const content = JSON.stringify((0,http_exchange/* problem */.CC)(status, title, message).body);
    refuse(socket, status, {
        "content-type": "application/json; charset=utf-8",
        "content-length": Buffer.byteLength(content),
        "cache-control": "no-store",
        connection: "close",
    }, content);
}
function createTls(options, common, log) {
    try {
        const server = (0,external_node_https_.createServer)({
            ...common,
            ...options.tls,
            minVersion: "TLSv1.2",
            handshakeTimeout: options.readTimeout,
        });
        server.on("tlsClientError", (error, socket) => {
            log.limited("info", "TLS handshake failed", {
                door: "http",
                peer: socket.remoteAddress,
                reason: error.message,
            });
            socket.destroy();
        });
        return server;
    }
    catch (error) {
        throw new errors/* LockError */.Ku("BAD_OPTION", `The TLS certificate or key cannot be used (${(0,errors/* messageOf */.bD)(error)}): give the PEM files of a matching pair.`, { cause: error });
    }
}
/** Throws BAD_OPTION where the address is no good. */
function listen(server, { host, port }) {
    return new Promise((resolve, reject) => {
        const refused = (error) => {
            const why = LISTEN_ERRORS[(0,errors/* systemCode */.xU)(error) ?? ""] ?? (0,errors/* messageOf */.bD)(error);
            const message = `The server cannot listen for HTTP on ${host}:${port}: ${why}.`;
            reject(new errors/* LockError */.Ku("BAD_OPTION", message, { cause: error }));
        };
        server.once("error", refused);
        server.listen({ host, port, backlog: BACKLOG }, () => {
            server.off("error", refused);
            resolve();
        });
    });
}
const LISTEN_ERRORS = {
    EADDRINUSE: "something else listens there already; choose another --http-port, or 0 for a free one",
    EADDRNOTAVAIL: "this machine has no such address; choose another --host",
    EACCES: "this user may not; choose an --http-port above 1023",
    ENOTFOUND: "that host name is not known; choose another --host",
};

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: ./build/server/claim.js
var claim = __webpack_require__(6491);
;// CONCATENATED MODULE: ./build/server/http/session.js


/** A lock for the length of a write: a restart in the middle of it must not leave it behind. */
class Writer extends claim/* Party */.r {
    get isKept() {
        return false;
    }
}
/** A client of the HTTP door: who it is, what it waits for, and until when it lives. */
class Session {
    digest;
    /** Milliseconds that it lives without being used. */
    ttl;
    /** Wall clock, milliseconds. */
    createdAt;
    lastUsed;
    /** The last use that the storage knows of. */
    recordedUse;
    /** By the monotonic clock. */
    expires;
    introduction;
    party;
    /** Holds the locks of writes that have no explicit one. */
    writer;
    /** What it waits for, or waited for a moment ago; by key. Most wait for nothing. */
    waits = null;
    /** Requests that wait, or are still arriving: as long as there are any, the session is in use. */
    busy = 0;
    over = false;
    constructor(stored, party, expires) {
        this.digest = stored.digest;
        this.ttl = stored.ttl;
        this.createdAt = stored.createdAt;
        this.lastUsed = stored.lastUsed;
        this.recordedUse = stored.lastUsed;
        this.introduction = stored.introduction;
        this.expires = expires;
        this.party = party;
        party.introduction = stored.introduction;
        party.patience = stored.ttl;
        party.listener = this;
        this.writer = new Writer(party.id, SILENT, stored.digest);
        this.writer.introduction = stored.introduction;
    }
    get name() {
        return (0,names/* publicName */.p)(this.party);
    }
    /** Wall clock, milliseconds. */
    get expiresAt() {
        return this.lastUsed + this.ttl;
    }
    granted(claim) {
        this.waits?.get(claim.entry.key)?.granted();
    }
    ended(claim, reason) {
        if (this.waits === null)
            return;
        const wait = this.waits.get(claim.entry.key);
        if (wait?.claim === claim)
            wait.ended(reason);
    }
    owns(claim) {
        return claim.party === this.party;
    }
    toStored() {
        const { digest, name, ttl, createdAt, lastUsed, introduction } = this;
        return { digest, name, ttl, createdAt, lastUsed, introduction };
    }
}
/** A write takes its lock at once or not at all, so it has nothing to be told. */
const SILENT = { granted() { }, ended() { } };

;// CONCATENATED MODULE: ./build/server/http/sessions.js



const ID_BYTES = 32;
const ID = /^[0-9a-f]{64}$/;
/** A session that ran out is noticed late by at most this, never early. */
const SWEEP_MS = 250;
/** A session in use is written down so often, or ten times in its life where that is more often. */
const RECORD_MS = 60_000;
/** Who was there before a restart has at least so long to come back, if it had it before. */
const RETURN_MS = 60_000;
const FULL_RETRY_SECONDS = 10;
/** All sessions, by the digest of their ids: the ids themselves are with their clients alone. */
class Sessions {
    #context;
    #limit;
    #byDigest = new Map();
    #sweep;
    /** `limit` 0: none. */
    constructor(limit, context) {
        this.#limit = limit;
        this.#context = context;
        const { sessions, leases } = context.storage.found;
        const told = new Map(leases.map(({ fence, expiresAt }) => [fence, expiresAt]));
        for (const stored of sessions)
            this.#restore(stored, told);
        this.#sweep = setInterval(() => this.#endExpired(), SWEEP_MS);
    }
    get size() {
        return this.#byDigest.size;
    }
    /** Returns the id, which is told to the client and then forgotten. */
    open({ ttl, introduce }) {
        if (this.#limit > 0 && this.#byDigest.size >= this.#limit) {
            throw new http_exchange/* Problem */.AF(503, "Too many sessions", `The server has ${this.#limit} sessions already: end one with DELETE /auth/session, or try again later.`, { "retry-after": FULL_RETRY_SECONDS });
        }
        const { table, clock, storage, log } = this.#context;
        const id = (0,external_node_crypto_.randomBytes)(ID_BYTES).toString("hex");
        const digest = (0,external_node_crypto_.hash)("sha256", id);
        const now = clock.now();
        const introduction = introduce(digest);
        const stored = { digest, name: "", ttl, createdAt: now, lastUsed: now, introduction };
        const party = table.admit(NOBODY, digest);
        const session = new Session(stored, party, clock.monotonic() + ttl);
        this.#byDigest.set(digest, session);
        storage.record({ kind: "session", session: session.toStored() });
        log.write("debug", "session opened", { session: session.name });
        return { id, session };
    }
    /** The session of that id, in use from now on; null where there is none. */
    find(id) {
        if (!ID.test(id))
            return null;
        const session = this.#byDigest.get((0,external_node_crypto_.hash)("sha256", id));
        if (session === undefined)
            return null;
        if (this.#ranOut(session, this.#context.clock.monotonic())) {
            this.end(session, "session expired");
            return null;
        }
        this.use(session);
        return session;
    }
    use(session) {
        if (session.over)
            return;
        const { clock, storage } = this.#context;
        const now = clock.now();
        session.lastUsed = now;
        session.expires = clock.monotonic() + session.ttl;
        if (Math.abs(now - session.recordedUse) < recordInterval(session.ttl))
            return;
        session.recordedUse = now;
        storage.record({ kind: "session", session: session.toStored() });
    }
    /** In use for as long as that takes. */
    async during(session, work) {
        session.busy += 1;
        try {
            return await work();
        }
        finally {
            session.busy -= 1;
            this.use(session);
        }
    }
    /** Its locks go to those who wait for them. */
    end(session, event) {
        if (session.over)
            return;
        const { table, storage, log } = this.#context;
        session.over = true;
        this.#byDigest.delete(session.digest);
        for (const wait of session.waits?.values() ?? [])
            wait.abandon();
        session.waits = null;
        table.dismiss(session.party, true);
        table.dismiss(session.writer, true);
        storage.record({ kind: "session-ended", digest: session.digest });
        log.write("debug", event, { session: session.name });
    }
    /** No more sweeping; the sessions stay as they are. */
    close() {
        clearInterval(this.#sweep);
        for (const session of this.#byDigest.values()) {
            for (const wait of session.waits?.values() ?? [])
                wait.abandon();
        }
    }
    /** `told`: when its locks end, by their fences, as their clients know it. */
    #restore(stored, told) {
        const { table, clock, sessionParties } = this.#context;
        const party = sessionParties?.get(stored.digest) ?? table.admit(NOBODY, stored.digest);
        // The last uses may not have been written down: rather too late than before its client was told.
        const expiresAt = stored.lastUsed + stored.ttl + recordInterval(stored.ttl);
        const byClock = Math.min(stored.ttl, expiresAt - clock.now());
        // The clock may have been set since. A session that is a lease, and as short, starts anew.
        const left = Math.max(byClock, Math.min(stored.ttl, RETURN_MS));
        const session = new Session(stored, party, clock.monotonic() + left);
        this.#byDigest.set(stored.digest, session);
        for (const claim of party.claims()) {
            claim.renewed = (told.get(claim.fence) ?? clock.now() + claim.lease) - claim.lease;
        }
    }
    #endExpired() {
        const now = this.#context.clock.monotonic();
        for (const session of this.#byDigest.values()) {
            if (this.#ranOut(session, now))
                this.end(session, "session expired");
        }
    }
    #ranOut(session, now) {
        return session.busy === 0 && session.expires <= now;
    }
}
function recordInterval(ttl) {
    return Math.min(RECORD_MS, ttl / 10);
}
/** A session gives itself to its party as the listener. */
const NOBODY = { granted() { }, ended() { } };

;// CONCATENATED MODULE: ./build/server/http/door.js








const PATROL_MS = 1_000;
/** Requests of one connection that are being served: more of them were sent ahead only to fill memory. */
const AHEAD_LIMIT = 100;
/** Listens for HTTP. Throws BAD_OPTION where the address or certificate is no good. */
async function openHttpDoor(options, context) {
    const { log, clock } = context;
    /** Sockets, not connections: one that is still shaking hands has to be closed too. */
    const sockets = new Set();
    const peers = new Map();
    const streams = new Set();
    let closing = false;
    const server = createListener(options, log);
    const sessions = new Sessions(options.maxSessions, context);
    const state = {
        ...context,
        sessions,
        secret: options.secret,
        secure: options.tls !== null,
        maxBody: options.maxBody,
        bodies: new BodyRoom(options.maxBody),
    };
    const counts = {
        get connections() {
            return peers.size;
        },
        get sessions() {
            return sessions.size;
        },
    };
    const dispatch = createDispatch(state, context.routes?.(counts) ?? {}, options.host);
    function serve(request, response) {
        const peer = peers.get(request.socket);
        if (peer === undefined || peer.pending >= AHEAD_LIMIT) {
            request.socket.destroy();
            return;
        }
        peer.pending += 1;
        try {
            const reply = dispatch(request, response);
            if (reply instanceof Promise)
                reply.then(finish, (error) => finish(explain(error)));
            else
                finish(reply);
        }
        catch (error) {
            finish(explain(error));
        }
        function finish(reply) {
            peer.pending -= 1;
            if ("stream" in reply)
                stream(request, response, reply.stream);
            else {
                if (log.enabled("debug"))
                    note(request, reply);
                send(request, response, reply, closing);
            }
        }
    }
    function stream(request, response, write) {
        if (closing) {
            const closed = (0,http_exchange/* problem */.CC)(503, "Server closing", "The server is being stopped.");
            send(request, response, closed, true);
            return;
        }
        streams.add(response);
        response.once("close", () => streams.delete(response));
        response.setHeader("x-content-type-options", "nosniff");
        write(response);
    }
    function note(request, { status }) {
        const path = request.url?.split("?")[0];
        log.write("debug", "request", { method: request.method, path, status });
    }
    function explain(error) {
        if (error instanceof http_exchange/* Problem */.AF)
            return error.reply;
        if ((0,errors/* isLockError */.S)(error) && (0,errors/* isBadInput */.QN)(error))
            return (0,http_exchange/* problem */.CC)(400, "Bad request", error.message);
        log.limited("error", "request failed", { reason: (0,errors/* messageOf */.bD)(error) });
        return (0,http_exchange/* problem */.CC)(500, "Internal error", "The server failed to answer this; its log says why.");
    }
    function patrol() {
        const now = clock.monotonic();
        for (const [socket, { watch }] of peers) {
            if (!watch.isStuck(socket, now, options.writeTimeout))
                continue;
            log.limited("info", "client does not read", { peer: socket.remoteAddress });
            socket.destroy();
        }
    }
    function cutOff() {
        for (const socket of sockets)
            socket.destroy();
    }
    server.on("connection", (socket) => {
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
    });
    server.on(options.tls === null ? "connection" : "secureConnection", (socket) => {
        peers.set(socket, { watch: new watch/* Watch */.o(clock.monotonic()), pending: 0 });
        socket.once("close", () => peers.delete(socket));
    });
    server.on("request", serve);
    // The body is asked for when it is wanted, and not before.
    server.on("checkContinue", serve);
    server.on("checkExpectation", (request, response) => {
        const message = "The header Expect asks for what this server does not know: leave it out.";
        send(request, response, (0,http_exchange/* problem */.CC)(417, "Expectation failed", message), true);
    });
    try {
        await listen(server, options);
    }
    catch (error) {
        sessions.close();
        throw error;
    }
    server.on("error", (error) => log.limited("error", "accept failed", { reason: error.message }));
    const timer = options.writeTimeout === 0
        ? undefined
        : setInterval(patrol, Math.min(PATROL_MS, Math.ceil(options.writeTimeout / 4)));
    const { address, port } = server.address();
    return {
        host: address,
        port,
        get connections() {
            return counts.connections;
        },
        get sessions() {
            return counts.sessions;
        },
        async drain() {
            closing = true;
            const closed = new Promise((resolve) => server.close(() => resolve()));
            for (const response of streams)
                response.end();
            for (const [socket, { pending }] of peers)
                if (pending === 0)
                    socket.destroySoon();
            // Node looks no longer for requests that are late; and nobody holds a lock by a connection here.
            const patience = setTimeout(cutOff, options.readTimeout);
            await closed;
            clearTimeout(patience);
            clearInterval(timer);
            sessions.close();
        },
        cutOff,
    };
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


/***/ })

};
