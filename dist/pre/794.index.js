export const id = 794;
export const ids = [794,332];
export const modules = {

/***/ 171:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Dc: () => (/* binding */ HISTORY_LIMIT),
/* harmony export */   RC: () => (/* binding */ readHolds),
/* harmony export */   Xd: () => (/* binding */ sortedQuantile),
/* harmony export */   so: () => (/* binding */ completed)
/* harmony export */ });
/* unused harmony exports HOLD_ENDS, statisticsOf, quantile, readHold */
/* harmony import */ var _owner_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(208);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(352);


/** How a hold ended. `dead`: its holder was found gone; `expired`: its ttl or lease ran out. */
const HOLD_ENDS = ["released", "expired", "dead", "broken"];
/** As many holds as are looked back at: older ones say little about today. */
const HISTORY_LIMIT = 50;
/**
 * Only a hold that was let go tells how long the work takes. One that was broken or whose holder
 * died lasted until somebody noticed, which may have been the next morning.
 */
function completed(holds) {
    return holds.filter((hold) => hold.end === "released");
}
/** Null where no hold was let go. */
function statisticsOf(holds) {
    const times = completed(holds).map(({ held }) => held);
    if (times.length === 0)
        return null;
    return { holds: times.length, median: quantile(times, 0.5), ninety: quantile(times, 0.9) };
}
/** Between two values where none stands exactly there. */
function quantile(values, part) {
    return sortedQuantile(values.toSorted((one, other) => one - other), part);
}
function sortedQuantile(sorted, part) {
    const place = (sorted.length - 1) * part;
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    const above = sorted[Math.ceil(place)] ?? Number.NaN;
    return below + (above - below) * (place - Math.floor(place));
}
/** Lenient, for what a server or a saved file says: null where it is no hold. */
function readHold(value) {
    if (typeof value !== "object" || value === null)
        return null;
    const { owner, since, waited, held, fence, slot, end, metadata } = value;
    if (typeof owner !== "string" || typeof since !== "string")
        return null;
    if (Number.isNaN(Date.parse(since)) || !isSpan(held) || !isHoldEnd(end))
        return null;
    return {
        owner: (0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .cleanText */ .X5)(owner),
        since: new Date(since).toISOString(),
        waited: isSpan(waited) ? waited : null,
        held,
        fence: Number.isSafeInteger(fence) ? fence : null,
        slot: Number.isSafeInteger(slot) ? slot : 0,
        end,
        metadata: (0,_owner_js__WEBPACK_IMPORTED_MODULE_0__/* .readMetadata */ ._6)(metadata),
    };
}
function readHolds(value) {
    if (!Array.isArray(value))
        return [];
    return value.slice(0, HISTORY_LIMIT).flatMap((element) => readHold(element) ?? []);
}
function isSpan(value) {
    return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
function isHoldEnd(value) {
    return HOLD_ENDS.includes(value);
}


/***/ }),

/***/ 332:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   readTrusted: () => (/* binding */ readTrusted)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(598);
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(760);
/* harmony import */ var node_tls__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(692);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(600);
/* harmony import */ var _lock_text_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(352);






/** Whom to trust, where the user named a file; undefined: whom the system trusts. */
async function readTrusted({ caFile, workingDirectory = ".", }) {
    return caFile === undefined ? undefined : readCertificates((0,node_path__WEBPACK_IMPORTED_MODULE_2__.resolve)(workingDirectory, caFile));
}
/** Besides those of the system: a file for one server must not make the others untrusted. */
async function readCertificates(path) {
    let text;
    try {
        text = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_1__.readFile)(path, "utf8");
    }
    catch (error) {
        const why = (0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .systemCode */ .xU)(error) === "ENOENT" ? "it is not there" : (0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .messageOf */ .bD)(error);
        throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .LockError */ .Ku("BAD_OPTION", `The file of certificates ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_5__/* .quote */ .hD)(path, 200)} cannot be read: ${why}.`, { cause: error });
    }
    try {
        // Node would pass over what it cannot read, and the server would seem untrusted.
        new node_crypto__WEBPACK_IMPORTED_MODULE_0__.X509Certificate(text);
    }
    catch (error) {
        throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .LockError */ .Ku("BAD_OPTION", `The file ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_5__/* .quote */ .hD)(path, 200)} holds no certificate: name a PEM file of the authority.`, { cause: error });
    }
    return [...(0,node_tls__WEBPACK_IMPORTED_MODULE_3__.getCACertificates)("default"), text];
}


/***/ }),

/***/ 64:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   B: () => (/* binding */ Deadline)
/* harmony export */ });
/** Timers beyond 2^31 ms fire at once: longer ones go in parts. */
const TIMER_LIMIT_MS = 2 ** 30;
/** A signal that fires when the caller's signal does or the time is over, and can tell which. */
class Deadline {
    #controller = new AbortController();
    #source;
    #timer;
    timedOut = false;
    constructor(timeout, source) {
        this.#source = source;
        if (source?.aborted)
            this.#controller.abort();
        source?.addEventListener("abort", this.#onAbort);
        if (timeout !== null && timeout > 0)
            this.#arm(performance.now() + timeout);
    }
    get signal() {
        return this.#controller.signal;
    }
    clear() {
        clearTimeout(this.#timer);
        this.#source?.removeEventListener("abort", this.#onAbort);
    }
    #onAbort = () => this.#controller.abort();
    #arm(end) {
        const left = end - performance.now();
        if (left <= 0) {
            this.timedOut = true;
            this.#controller.abort();
            return;
        }
        this.#timer = setTimeout(() => this.#arm(end), Math.min(Math.ceil(left), TIMER_LIMIT_MS));
    }
}


/***/ }),

/***/ 459:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   l: () => (/* binding */ LeaseClock)
/* harmony export */ });
/** One renewal may be late and one may fail before the lease is in danger. */
const RENEWALS_PER_LEASE = 3;
/**
 * A holder that cannot renew gives up at this part of its lease: the rest is for its command to end
 * before the server lets anybody else in.
 */
const GIVE_UP_AT = 2 / 3;
const PATIENCES_PER_LEASE = 6;
/**
 * A lock that was renewed on a new connection may still belong to the old one in the server's
 * books, and be freed with it once the server notices that it is dead.
 * Until then the server is asked often, so that nobody else has the lock for long unknown to us.
 */
const DOUBT_MS = 30_000;
const DOUBT_INTERVAL_MS = 250;
/**
 * When a holder has to speak, and when to give up. Times are this process's own, in milliseconds:
 * the server's clock is never asked. A lease counts from before its last good renewal was sent, so
 * that here it is always over before it is over at the server.
 */
class LeaseClock {
    #pace;
    #askedMs;
    #leaseMs;
    #provenAt;
    #sentAt;
    #isUnanswered = false;
    #doubtUntil = Number.NEGATIVE_INFINITY;
    constructor(leaseSeconds, provenAt, pace) {
        this.#pace = pace;
        this.#askedMs = leaseSeconds * 1_000;
        this.#leaseMs = this.#askedMs;
        this.#provenAt = provenAt;
        this.#sentAt = provenAt;
    }
    /** The last renewal is on its way, or was lost on it. */
    get isUnanswered() {
        return this.#isUnanswered;
    }
    get provenAt() {
        return this.#provenAt;
    }
    /** From here on others may have the lock, if nothing more was heard. */
    get endsAt() {
        return this.#provenAt + Math.min(this.#leaseMs, this.#pace.serverPatience);
    }
    get giveUpAt() {
        return this.#provenAt + Math.min(this.#leaseMs * GIVE_UP_AT, this.#pace.giveUpLimit);
    }
    /** When to renew; while a renewal is unanswered: when to ask on another connection. */
    get nextAt() {
        if (this.#isUnanswered)
            return this.#sentAt + this.patience;
        const longest = this.#sentAt < this.#doubtUntil ? DOUBT_INTERVAL_MS : this.#pace.silenceLimit;
        return this.#sentAt + Math.min(this.#leaseMs / RENEWALS_PER_LEASE, longest);
    }
    /** An answer that takes longer may never come. */
    get patience() {
        return Math.min(this.#leaseMs / PATIENCES_PER_LEASE, this.#pace.silenceLimit / 2);
    }
    sent(at) {
        this.#sentAt = at;
        this.#isUnanswered = true;
    }
    /** The server renewed for so many seconds. Answers on two connections may come in any order. */
    proven(sentAt, seconds) {
        if (sentAt >= this.#sentAt)
            this.#isUnanswered = false;
        if (sentAt < this.#provenAt)
            return;
        this.#provenAt = sentAt;
        this.#leaseMs = Math.min(this.#askedMs, Math.max(1, seconds) * 1_000);
    }
    changedConnection(at) {
        this.#doubtUntil = at + DOUBT_MS;
    }
}


/***/ }),

/***/ 31:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   eN: () => (/* binding */ checkTimeout),
/* harmony export */   yG: () => (/* binding */ checkRequest)
/* harmony export */ });
/* unused harmony exports DEFAULT_LEASE_MS, LEASE_MIN_MS */
/* harmony import */ var _lock_duration_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(739);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(600);
/* harmony import */ var _lock_key_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(816);
/* harmony import */ var _lock_owner_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(208);
/* harmony import */ var _lock_reclaim_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(772);
/* harmony import */ var _lock_slots_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(242);
/* harmony import */ var _lock_ttl_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(359);







const DEFAULT_LEASE_MS = 30_000;
const LEASE_MIN_MS = 1_000;
/** Checks all of a request before anything is written. */
function checkRequest(request) {
    const owner = {
        id: (0,_lock_owner_js__WEBPACK_IMPORTED_MODULE_3__/* .parseOwnerId */ .Eo)(request.owner.id),
        metadata: (0,_lock_owner_js__WEBPACK_IMPORTED_MODULE_3__/* .checkMetadata */ .sI)(request.owner.metadata),
    };
    const { environment, purpose } = owner.metadata;
    const fallback = (0,_lock_ttl_js__WEBPACK_IMPORTED_MODULE_6__/* .defaultTtlSeconds */ .$E)((0,_lock_ttl_js__WEBPACK_IMPORTED_MODULE_6__/* .isEnvironment */ .A_)(environment) ? environment : "local", (0,_lock_ttl_js__WEBPACK_IMPORTED_MODULE_6__/* .isPurpose */ .JO)(purpose) ? purpose : "interactive");
    return {
        key: (0,_lock_key_js__WEBPACK_IMPORTED_MODULE_2__/* .parseKey */ .Do)(request.key),
        owner,
        slots: (0,_lock_slots_js__WEBPACK_IMPORTED_MODULE_5__/* .checkSlots */ .WS)(request.slots ?? 1),
        ttl: atLeast("BAD_TTL", "ttl", request.ttl ?? fallback * 1_000, _lock_ttl_js__WEBPACK_IMPORTED_MODULE_6__/* .TTL_MIN_MS */ .BG),
        lease: atLeast("BAD_LEASE", "lease", request.lease ?? DEFAULT_LEASE_MS, LEASE_MIN_MS),
        note: request.note === undefined ? null : (0,_lock_owner_js__WEBPACK_IMPORTED_MODULE_3__/* .parseNote */ .wd)(request.note) || null,
        reclaim: request.reclaim ?? _lock_reclaim_js__WEBPACK_IMPORTED_MODULE_4__/* .DEFAULT_RECLAIM */ .W$,
        refresh: request.refresh ?? true,
    };
}
function atLeast(code, name, value, least) {
    // Whole milliseconds: a file's reader takes nothing else.
    if (value >= least && value <= _lock_duration_js__WEBPACK_IMPORTED_MODULE_0__/* .DURATION_LIMIT_MS */ .qV)
        return Math.round(value);
    throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .LockError */ .Ku(code, `The ${name} is ${value} ms: use at least ${least / 1_000}s and at most a year.`);
}
/** Milliseconds to wait; null: without limit. */
function checkTimeout(timeout) {
    if (timeout == null || timeout >= 0)
        return;
    throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .LockError */ .Ku("BAD_DURATION", `The timeout is ${timeout} ms: use 0 not to wait, or null to wait without limit.`);
}


/***/ }),

/***/ 156:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   QH: () => (/* binding */ aborted),
/* harmony export */   UG: () => (/* binding */ notAcquired),
/* harmony export */   hX: () => (/* binding */ describeHolders)
/* harmony export */ });
/* harmony import */ var _lock_describe_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(854);
/* harmony import */ var _lock_duration_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(739);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(600);



/** What every store says in the same words when a claim ends without the lock. */
function aborted() {
    return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("ABORTED", "The claim was cancelled and has left the line.");
}
/** `limit`: milliseconds that the claim was ready to wait. */
function notAcquired(key, limit, why) {
    const limitText = limit === 0 ? "at once" : `within ${(0,_lock_duration_js__WEBPACK_IMPORTED_MODULE_1__/* .formatDuration */ .a3)(limit)}`;
    return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("TIMEOUT", `${JSON.stringify(key)} was not acquired ${limitText}: ${why.replace(/\.$/, "")}.`);
}
function describeHolders(status, now) {
    if (status.holders.length === 0)
        return `${status.waiting} claims are ahead`;
    return `held by ${(0,_lock_describe_js__WEBPACK_IMPORTED_MODULE_0__/* .holdersInLine */ .XR)(status.holders, now)}`;
}


/***/ }),

/***/ 147:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   b: () => (/* binding */ socketTrouble)
/* harmony export */ });
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(600);

const SOCKET_ERRORS = {
    ECONNREFUSED: "cannot be reached: nothing listens on that port; start it, or check host and port",
    ENOTFOUND: "cannot be reached: the host name is not known; check its spelling",
    EAI_AGAIN: "cannot be reached: the host name could not be looked up just now",
    EHOSTUNREACH: "cannot be reached: there is no way to that host",
    ENETUNREACH: "cannot be reached: there is no way to that network",
    ETIMEDOUT: "cannot be reached: it does not answer; check host, port and the firewall in between",
};
const UNTRUSTED = "shows a certificate that is not trusted here: name the file of its authority in HOLDFAST_CA_FILE";
const CERTIFICATE_ERRORS = {
    CERT_HAS_EXPIRED: "shows a certificate that has expired: renew it",
    CERT_NOT_YET_VALID: "shows a certificate that is not valid yet: check the clocks",
    CERT_REVOKED: "shows a certificate that was revoked: renew it",
    DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
    SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
    UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
    CERT_UNTRUSTED: UNTRUSTED,
    CERT_SIGNATURE_FAILURE: UNTRUSTED,
};
function socketTrouble(error, host) {
    const code = (0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .systemCode */ .xU)(error) ?? "";
    if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
        const why = `shows a certificate that is not for ${host}: use the name that it was made for`;
        return { kind: "unsafe", why };
    }
    const certificate = CERTIFICATE_ERRORS[code];
    if (certificate !== undefined)
        return { kind: "unsafe", why: certificate };
    if (/^ERR_SSL_|^EPROTO$/.test(code))
        return { kind: "not-tls", code };
    if (code === "ECONNRESET" || code === "EPIPE")
        return { kind: "cut" };
    const why = SOCKET_ERRORS[code] ?? `cannot be reached: ${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error)}`;
    return { kind: "unreachable", why };
}


/***/ }),

/***/ 794:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  openTcpStore: () => (/* binding */ openTcpStore)
});

// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(600);
// EXTERNAL MODULE: ./build/lock/key.js
var lock_key = __webpack_require__(816);
// EXTERNAL MODULE: ./build/lock/text.js
var lock_text = __webpack_require__(352);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(598);
;// CONCATENATED MODULE: ./build/wire/key.js


const BYTES_LIMIT = 255;
const BYTES_KEPT = 180;
/** Space, `%` and control characters: servers refuse the first, and the others could forge lines. */
const UNSAFE = /[%\u0000-\u0020\u007f-\u009f]/g;
/**
 * A key as it goes over the wire. All Holdfast clients must encode alike, or they lock two
 * different keys; plain keys are sent as they are, so that other clients can name them too.
 */
function encodeWireKey(key) {
    const encoded = key.replace(UNSAFE, percentEncode);
    if ((0,lock_text/* byteLength */.dp)(encoded) <= BYTES_LIMIT)
        return encoded;
    const digest = (0,external_node_crypto_.createHash)("sha256").update(key, "utf8").digest("hex");
    return `${(0,lock_text/* cutToBytes */.zP)(encoded, BYTES_KEPT)}~${digest}`;
}
function percentEncode(character) {
    let encoded = "";
    for (const byte of Buffer.from(character, "utf8")) {
        encoded += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    }
    return encoded;
}
/** The key as its user wrote it; as it came, where it was cut or where another client made it. */
function decodeWireKey(sent) {
    if (isCut(sent))
        return sent;
    try {
        return decodeURIComponent(sent);
    }
    catch {
        return sent;
    }
}
/** A cut comes out between these two lengths: a character is at most 4 bytes. */
function isCut(sent) {
    const length = (0,lock_text/* byteLength */.dp)(sent);
    const whole = BYTES_KEPT + 65;
    return length <= whole && length > whole - 4 && /~[0-9a-f]{64}$/.test(sent);
}

;// CONCATENATED MODULE: ./build/wire/request.js


/** Bytes of a line without its newline. */
const LINE_LIMIT = 256;
/**
 * The real server counts seconds in 64-bit nanoseconds and takes 9,223,372,037 s for a timeout in
 * the past. So "without limit" is sent as this: 23 days, far from every overflow.
 */
const LONGEST_WAIT_SECONDS = 2_000_000;
function authRequest(secret) {
    return { command: "auth", key: "_", token: secret, timeout: 0, limit: 0, lease: 0 };
}
function statsRequest(key = "_", argument = "") {
    return { command: "stats", key, token: argument, timeout: 0, limit: 0, lease: 0 };
}
function acquireRequest(terms) {
    const { key, timeout, limit = 1, lease = 0 } = terms;
    return { command: limit === 1 ? "l" : "sl", key, token: "", timeout, limit, lease };
}
function enqueueRequest(terms) {
    const { key, limit = 1, lease = 0 } = terms;
    return { command: limit === 1 ? "e" : "se", key, token: "", timeout: 0, limit, lease };
}
function waitRequest(terms) {
    const { key, timeout, limit = 1 } = terms;
    return { command: limit === 1 ? "w" : "sw", key, token: "", timeout, limit, lease: 0 };
}
function releaseRequest(terms) {
    const { key, token, limit = 1 } = terms;
    return { command: limit === 1 ? "r" : "sr", key, token, timeout: 0, limit, lease: 0 };
}
function renewRequest(terms) {
    const { key, token, limit = 1, lease = 0 } = terms;
    return { command: limit === 1 ? "n" : "sn", key, token, timeout: 0, limit, lease };
}
/** The three lines of a request. Throws BAD_KEY or BAD_OPTION for what no server would accept. */
function formatRequest(request) {
    const { command, key } = request;
    const argument = formatArgument(request);
    if (command !== "stats" && command !== "auth" && (key === "" || /[ \t\r]/.test(key))) {
        throw new errors/* LockError */.Ku("BAD_KEY", `The key ${(0,lock_text/* quote */.hD)(key)} cannot be sent as it is: encode it first.`);
    }
    checkLine(key, "BAD_KEY", "key");
    checkLine(argument, "BAD_OPTION", command === "auth" ? "token" : "argument");
    return `${command}\n${key}\n${argument}\n`;
}
function formatArgument({ command, token, timeout, limit, lease }) {
    const leasePart = lease === 0 ? "" : ` ${lease}`;
    switch (command) {
        case "l":
            return `${timeout}${leasePart}`;
        case "sl":
            return `${timeout} ${limit}${leasePart}`;
        case "e":
            return lease === 0 ? "" : `${lease}`;
        case "se":
            return `${limit}${leasePart}`;
        case "w":
        case "sw":
            return `${timeout}`;
        case "n":
        case "sn":
            return `${token}${leasePart}`;
        default:
            return token;
    }
}
/** The text is not shown: it may be a secret. A newline in it would forge a request. */
function checkLine(text, code, name) {
    if (text.includes("\n")) {
        throw new errors/* LockError */.Ku(code, `The ${name} contains a line break: it has to be one line.`);
    }
    if ((0,lock_text/* byteLength */.dp)(text) > LINE_LIMIT) {
        throw new errors/* LockError */.Ku(code, `The ${name} has ${(0,lock_text/* byteLength */.dp)(text)} bytes: the protocol takes at most ${LINE_LIMIT}.`);
    }
}

// EXTERNAL MODULE: ./build/lock/owner.js
var owner = __webpack_require__(208);
;// CONCATENATED MODULE: ./build/wire/introduction.js




/** Name and version of the format, so that a later one can be told from this. */
const INTRODUCTION_MARK = "holdfast/1 ";
/** In this order, as long as there is room. */
const FIELDS = [
    "claim",
    "run_url",
    "hostname",
    "process_id",
    "note",
    "ci_system",
    "run_id",
    "run_attempt",
    "job",
    "repository",
    "workflow",
    "ref",
    "sha",
    "actor",
    "user_identity",
    "environment",
    "purpose",
    "session_id",
];
/** A note is still good when its end is missing; an address or a number is not. */
const NOTE_LEAST_BYTES = 12;
function introductionRequest(introduction) {
    let line = INTRODUCTION_MARK;
    for (const field of FIELDS) {
        const value = introduction_valueOf(introduction, field);
        if (value === undefined || value === null || value === "")
            continue;
        const prefix = `${line === INTRODUCTION_MARK ? "" : "&"}${field}=`;
        const room = LINE_LIMIT - (0,lock_text/* byteLength */.dp)(line) - (0,lock_text/* byteLength */.dp)(prefix);
        const text = encodeWithin(field, String(value), room);
        if (text !== null)
            line += prefix + text;
    }
    return statsRequest(line, introduction.owner.id);
}
function introduction_valueOf(introduction, field) {
    if (field === "note" || field === "claim")
        return introduction[field];
    return introduction.owner.metadata[field];
}
function encodeWithin(field, value, room) {
    const text = encode(value);
    if ((0,lock_text/* byteLength */.dp)(text) <= room)
        return text;
    if (field !== "note" || room < NOTE_LEAST_BYTES)
        return null;
    let kept = (0,lock_text/* cutToBytes */.zP)((0,lock_text/* cleanText */.X5)(value), room);
    while ((0,lock_text/* byteLength */.dp)(encode(kept)) > room)
        kept = (0,lock_text/* cutToBytes */.zP)(kept, (0,lock_text/* byteLength */.dp)(kept) - 1);
    return encode(kept);
}
function encode(value) {
    return value.replace(/[%&=\u0000-\u001f\u007f]/g, encodeURIComponent);
}
/** Null where the request is a plain `stats`, or introduces nobody that could be shown. */
function parseIntroduction(request) {
    if (request.command !== "stats" || !request.key.startsWith(INTRODUCTION_MARK))
        return null;
    try {
        const id = parseOwnerId(request.token);
        const { note, claim, ...metadata } = parseFields(request.key.slice(INTRODUCTION_MARK.length));
        return {
            owner: { id, metadata: readMetadata(metadata) },
            note: note === undefined ? null : cleanText(String(note)),
            ...(claim === undefined ? {} : { claim: cleanText(String(claim)) }),
        };
    }
    catch (error) {
        if (isLockError(error) || error instanceof URIError)
            return null;
        throw error;
    }
}
function parseFields(text) {
    const fields = {};
    for (const part of text.split("&")) {
        const middle = part.indexOf("=");
        const field = part.slice(0, middle);
        if (middle === -1 || !FIELDS.includes(field))
            continue;
        const value = decodeURIComponent(part.slice(middle + 1));
        fields[field] = field === "process_id" && /^\d{1,10}$/.test(value) ? Number(value) : value;
    }
    return fields;
}

;// CONCATENATED MODULE: ./build/wire/stats.js


const SERVER_NAME = "holdfast";
const KEY_QUESTION = `${INTRODUCTION_MARK.trim()}?key`;
/**
 * Asks for one key alone, its whole line of waiters included. A foreign server does not read the
 * question and answers about all keys, so that the reply is good either way.
 */
function keyStatsRequest(wireKey) {
    return statsRequest(KEY_QUESTION, wireKey);
}
/** The key that a `stats` request asks for, or null for all. */
function askedKey(request) {
    return request.command === "stats" && request.key === KEY_QUESTION ? request.token : null;
}
/** Null where the text is no such reply. What a list holds beyond the known fields is kept. */
function parseStats(json) {
    let value;
    try {
        value = JSON.parse(json);
    }
    catch {
        return null;
    }
    if (typeof value !== "object" || value === null)
        return null;
    const stats = value;
    const locks = readList(stats.locks);
    const semaphores = readList(stats.semaphores);
    if (typeof stats.connections !== "number" || locks === null || semaphores === null)
        return null;
    return {
        ...stats,
        locks: locks,
        semaphores: semaphores,
        idle_locks: (readList(stats.idle_locks) ?? []),
        idle_semaphores: (readList(stats.idle_semaphores) ?? []),
    };
}
/** Go writes an empty list as `null` where nobody made it; elements without a key are no elements. */
function readList(value) {
    if (value === null || value === undefined)
        return [];
    if (!Array.isArray(value))
        return null;
    return value.filter((element) => typeof element?.key === "string");
}
/** Whether tokens of this server carry a fence. */
function isHoldfast(stats) {
    return stats.server?.name === SERVER_NAME;
}

// EXTERNAL MODULE: ./build/stores/request.js
var stores_request = __webpack_require__(31);
;// CONCATENATED MODULE: ./build/stores/within.js
/** The promise's own result, or a rejection with `late()` when it takes longer than `ms`. */
async function within(promise, ms, late) {
    const overdue = Promise.withResolvers();
    const timer = setTimeout(() => overdue.reject(late()), ms);
    try {
        return await Promise.race([promise, overdue.promise]);
    }
    finally {
        clearTimeout(timer);
    }
}

// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(30);
// EXTERNAL MODULE: external "node:url"
var external_node_url_ = __webpack_require__(136);
// EXTERNAL MODULE: external "node:zlib"
var external_node_zlib_ = __webpack_require__(522);
;// CONCATENATED MODULE: ./build/stores/tcp/address.js





const DEFAULT_PORT = 6388;
function parseAddresses(store) {
    const [, scheme = "", rest = ""] = /^(tcp|tls):\/\/(.*)$/is.exec(store.trim()) ?? [];
    if (scheme === "") {
        throw bad((0,lock_text/* quote */.hD)(store, 120), "is not complete", "write it as tcp://host:6388");
    }
    const start = `${scheme.toLowerCase()}://`;
    // Not shown: what stands before the @ is a secret, and what stands after a ? may be one.
    if (rest.includes("@")) {
        throw bad((0,lock_text/* quote */.hD)(`${start}…`), "holds credentials, and a store's URL is shown in logs", "leave them out and give the server's token in HOLDFAST_TOKEN");
    }
    const [hosts = "", further = ""] = splitAt(rest.replace(/\/$/, ""), /[/?#]/);
    if (further !== "") {
        throw bad((0,lock_text/* quote */.hD)(`${start}${hosts}${further}…`), "goes on after the host", `a lock server has no paths and no options there: write ${start}host:${DEFAULT_PORT}`);
    }
    const secure = start === "tls://";
    const servers = hosts.split(",").map((text) => parseHost(text.trim(), start, secure, store));
    const url = start + servers.map(({ shown }) => shown.slice(start.length)).join(",");
    return { url, servers: servers };
}
/** The text before the first such character, and that character. */
function splitAt(text, mark) {
    const index = text.search(mark);
    return index === -1 ? [text, ""] : [text.slice(0, index), text.charAt(index)];
}
function parseHost(text, start, secure, store) {
    const match = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text);
    const [, six, name, digits] = match ?? [];
    const host = six === undefined ? asciiName(name ?? "") : (0,external_node_net_.isIPv6)(six) ? six.toLowerCase() : "";
    const port = digits === undefined ? DEFAULT_PORT : Number(digits);
    if (host === "") {
        const advice = (0,external_node_net_.isIPv6)(text)
            ? `write an IPv6 address in brackets, as in ${start}[${text}]:${DEFAULT_PORT}`
            : `write it as ${start}host:${DEFAULT_PORT}`;
        throw bad((0,lock_text/* quote */.hD)(store, 120), `has no good host in ${(0,lock_text/* quote */.hD)(text)}`, advice);
    }
    if (port < 1 || port > 65_535) {
        throw bad((0,lock_text/* quote */.hD)(store, 120), `has the port ${port}`, "use one from 1 to 65535");
    }
    const shown = `${start}${six === undefined ? host : `[${host}]`}:${port}`;
    return { host, port, secure, shown };
}
function asciiName(name) {
    return /[\s%\\]/.test(name) ? "" : (0,external_node_url_.domainToASCII)(name);
}
function bad(store, problem, advice) {
    return new errors/* LockError */.Ku("BAD_STORE", `The store ${store} ${problem}: ${advice}.`);
}
/** Which server has a key: the rule of dflockd's own clients, so that theirs and ours meet. */
function serverOf(servers, wireKey) {
    return servers[(0,external_node_zlib_.crc32)(wireKey) % servers.length] ?? servers[0];
}

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(500);
;// CONCATENATED MODULE: ./build/wire/token.js

/** Random bytes are drawn from the system in pages: one call for 256 tokens. */
const TOKEN_BYTES = 16;
const PAGE_BYTES = 256 * TOKEN_BYTES;
/**
 * A token that proves a grant and carries its fence: a UUIDv7 in 32 hex digits. 48 bits of
 * milliseconds, the version, 12 bits that count from 0 to 999 within the millisecond, the variant
 * and 62 random bits. Fence = milliseconds * 1000 + count.
 */
function createTokenMaker() {
    const page = Buffer.alloc(PAGE_BYTES);
    let next = PAGE_BYTES;
    return (fence) => {
        if (next === PAGE_BYTES) {
            randomFillSync(page);
            next = 0;
        }
        const start = next;
        next += TOKEN_BYTES;
        const milliseconds = Math.floor(fence / 1_000);
        page.writeUIntBE(milliseconds, start, 6);
        page.writeUInt16BE(0x7000 | (fence - milliseconds * 1_000), start + 6);
        page[start + 8] = 0x80 | (page[start + 8] & 0x3f);
        return page.toString("hex", start, next);
    };
}
/**
 * The fence of a token, or null where it carries none. A foreign server's random token can look
 * like ours by chance (about one in a thousand): ask its `stats` who it is before believing this.
 */
function fenceOf(token) {
    if (!/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(token))
        return null;
    const count = Number.parseInt(token.slice(13, 16), 16);
    const fence = Number.parseInt(token.slice(0, 12), 16) * 1_000 + count;
    return count < 1_000 && Number.isSafeInteger(fence) ? fence : null;
}

// EXTERNAL MODULE: ./build/stores/deadline.js
var stores_deadline = __webpack_require__(64);
// EXTERNAL MODULE: ./build/stores/sentences.js
var sentences = __webpack_require__(156);
// EXTERNAL MODULE: ./build/lock/duration.js
var duration = __webpack_require__(739);
// EXTERNAL MODULE: ./build/stores/lease-clock.js
var lease_clock = __webpack_require__(459);
// EXTERNAL MODULE: ./build/stores/socket-trouble.js
var socket_trouble = __webpack_require__(147);
;// CONCATENATED MODULE: ./build/stores/tcp/explain.js




/** Every way in which a server can be the wrong one, out of reach or unwilling, in one sentence each. */
function unreachable({ shown }, why, cause) {
    return new errors/* LockError */.Ku("STORE_UNREACHABLE", `The lock server ${shown} ${why}.`, cause === undefined ? {} : { cause });
}
function hungUp(address) {
    const tls = address.secure ? "" : ", wants TLS (tls://)";
    return unreachable(address, `closed the connection without an answer: it has as many connections as it takes (--max-connections)${tls}, or is no lock server`);
}
function wasCut(address) {
    return unreachable(address, "closed the connection: it was stopped, or the network failed");
}
function silent(address, patience) {
    return unreachable(address, `did not answer within ${(0,duration/* formatDuration */.a3)(patience)}: check host, port and the firewall in between`);
}
/** The line is shown, since it mostly tells what listens there; the secret that we sent never is. */
function speaksOtherwise(address, line, secret) {
    const safe = secret === null ? line : line.replaceAll(secret, "***");
    return unreachable(address, `does not speak dflockd's protocol, it says ${(0,lock_text/* quote */.hD)(safe)}: check host and port`);
}
function speaksTls(address) {
    const advice = address.shown.replace("tcp:", "tls:");
    return unreachable(address, `wants TLS: use ${advice}`);
}
function denied({ shown }, secret) {
    return new errors/* LockError */.Ku("STORE_DENIED", secret === null
        ? `The lock server ${shown} asks for a token: give it in HOLDFAST_TOKEN or the token input.`
        : `The lock server ${shown} does not accept the token: give the one that it was started with.`);
}
/** A failed socket in the user's words. `answered`: whether a lock server has spoken on it before. */
function explainSocket(error, address, answered) {
    const trouble = (0,socket_trouble/* socketTrouble */.b)(error, address.host);
    switch (trouble.kind) {
        case "unsafe":
            return unsafe(address, trouble.why, error);
        case "not-tls": {
            const advice = address.shown.replace("tls:", "tcp:");
            const why = `cannot be spoken to with TLS (${trouble.code}): if it has none, use ${advice}`;
            return unreachable(address, why, error);
        }
        case "cut":
            return answered ? wasCut(address) : hungUp(address);
        default:
            return unreachable(address, trouble.why, error);
    }
}
function unsafe({ shown }, why, cause) {
    return new errors/* LockError */.Ku("STORE_UNSAFE", `The lock server ${shown} ${why}.`, { cause });
}

;// CONCATENATED MODULE: ./build/stores/tcp/let-go.js




/** A server answers in milliseconds; after this another connection is tried. */
const ANSWER_MS = 5_000;
function releaseOf({ wireKey: key, slots: limit, lease }) {
    return releaseRequest({ key, limit, token: lease.token });
}
/** Lets go of a lock on the connection that holds it, or on a new one where that is broken. */
async function letGo(held, current) {
    const answer = current === null ? null : await tellRelease(current, releaseOf(held)).catch(() => null);
    if (answer !== null)
        return answer;
    const { connection } = await held.server.greet(introductionRequest(held.introduction));
    try {
        const outcome = await tellRelease(connection, releaseOf(held));
        // The connection broke under the first word: the lock was ours until then, and is free now,
        // by that word or by the break. That is no loss.
        return current === null ? outcome : "released";
    }
    finally {
        connection.destroy();
    }
}
async function tellRelease(connection, request) {
    const late = () => wasCut(connection.address);
    const reply = await within(connection.ask(request), ANSWER_MS, late);
    return reply.kind === "ok" ? "released" : "already-gone";
}

;// CONCATENATED MODULE: ./build/stores/tcp/hold.js







/** While the server is away. Short, since a server that comes back without memory lets others in. */
const RETRY_MS = 100;
/** Timers beyond 2^31 ms fire at once. */
const TIMER_LIMIT_MS = 2 ** 30;
/**
 * A held lock. It is renewed on the connection that got it; when that one breaks or falls silent,
 * at once on a new one, by its token. The server's word decides: renewed is held, `error` is lost.
 */
class Hold {
    lease;
    #held;
    #loss = new AbortController();
    #over = new AbortController();
    /**
     * Mostly one. Of those that only seem dead, the first still counts for most servers: the lock is
     * freed when it is closed, or silent for too long. So all of them are kept, and spoken on.
     */
    #connections = new Set();
    /** The one that answered last, or is the newest. */
    #current = null;
    #reconnecting = false;
    #clock;
    #triedAt = Number.NEGATIVE_INFINITY;
    #trouble = null;
    #timer;
    #renewals = [];
    #releasing = null;
    #released = false;
    constructor(held) {
        this.lease = held.lease;
        this.#held = held;
        this.#clock = new lease_clock/* LeaseClock */.l(held.leaseSeconds, held.provenAt, held.server.pace);
        this.#adopt(held.connection);
        this.#schedule();
    }
    get lost() {
        return this.#loss.signal;
    }
    async renew() {
        if (this.lost.aborted)
            throw this.lost.reason;
        if (this.#isOver())
            throw alreadyReleased();
        const done = Promise.withResolvers();
        this.#renewals.push({ from: performance.now(), done });
        this.#renew();
        this.#schedule();
        await done.promise;
    }
    release() {
        if (this.#released)
            return Promise.resolve("already-gone");
        this.#releasing ??= this.#letGo().catch((error) => {
            // Let it be tried again: until then the lock is still ours, and must not fall silent.
            this.#releasing = null;
            this.#renew();
            this.#schedule();
            throw error;
        });
        return this.#releasing;
    }
    /** The server frees what a closed connection held, whatever else runs. */
    async cover() {
        return false;
    }
    #isOver() {
        return this.#releasing !== null || this.#released || this.lost.aborted;
    }
    #adopt(connection) {
        connection.keepAlive(false);
        this.#connections.add(connection);
        this.#current = connection;
        void connection.ended.then((reason) => {
            this.#connections.delete(connection);
            if (this.#current === connection)
                this.#current = [...this.#connections].at(-1) ?? null;
            if (this.#isOver())
                return;
            this.#trouble = reason.message;
            // The server may have freed the lock with it: it is asked at once.
            this.#renew();
            this.#schedule();
        });
    }
    #renew() {
        if (this.#connections.size === 0)
            return void this.#reconnect();
        const sentAt = performance.now();
        this.#clock.sent(sentAt);
        for (const connection of this.#connections) {
            connection.ask(this.#renewal()).then((reply) => this.#hear(reply, sentAt, connection), () => {
                // Its end is noticed by whoever adopted it.
            });
        }
    }
    /** Where the ttl is a bound, the last renewals get shorter: the server, too, ends it in time. */
    #renewal() {
        const { wireKey: key, slots, lease, leaseSeconds, boundAt } = this.#held;
        const left = boundAt === null ? leaseSeconds : Math.ceil((boundAt - performance.now()) / 1_000);
        const seconds = Math.max(1, Math.min(leaseSeconds, left));
        return renewRequest({ key, limit: slots, token: lease.token, lease: seconds });
    }
    async #reconnect() {
        if (this.#reconnecting)
            return;
        this.#reconnecting = true;
        const { server, introduction } = this.#held;
        // An old connection may come to its senses meanwhile.
        while (!this.#isOver() && (this.#connections.size === 0 || this.#clock.isUnanswered)) {
            const pause = this.#triedAt + RETRY_MS - performance.now();
            if (pause > 0)
                await (0,promises_.setTimeout)(pause, undefined, { ref: false });
            this.#triedAt = performance.now();
            try {
                const { connection } = await server.greet(introductionRequest(introduction), {
                    signal: this.#over.signal,
                    patience: Math.min(this.#clock.patience, this.#clock.giveUpAt - this.#triedAt),
                    keepAlive: false,
                });
                this.#reconnecting = false;
                if (this.#isOver())
                    return connection.destroy();
                this.#clock.changedConnection(performance.now());
                this.#adopt(connection);
                this.#renew();
                this.#schedule();
                return;
            }
            catch (error) {
                this.#trouble = (0,errors/* messageOf */.bD)(error);
            }
        }
        this.#reconnecting = false;
        this.#schedule();
    }
    #hear(reply, sentAt, connection) {
        if (this.#isOver())
            return;
        if (reply.kind === "error") {
            this.#lose("the server no longer counts it as held", { dropAtOnce: true });
            return;
        }
        // Anything else is no proof, and whoever says it is not to be trusted with the next question.
        if (reply.kind !== "renewed") {
            connection.destroy();
            return;
        }
        this.#current = connection;
        this.#clock.proven(sentAt, reply.lease);
        this.#trouble = null;
        const waiting = this.#renewals;
        this.#renewals = waiting.filter(({ from }) => from > sentAt);
        for (const { from, done } of waiting)
            if (from <= sentAt)
                done.resolve();
        this.#schedule();
    }
    #schedule() {
        clearTimeout(this.#timer);
        if (this.#isOver())
            return;
        const boundAt = this.#held.boundAt ?? Number.POSITIVE_INFINITY;
        // While there is no connection, or a doubtful one, the attempts go on by themselves.
        const next = this.#reconnecting ? Number.POSITIVE_INFINITY : this.#clock.nextAt;
        const left = Math.ceil(Math.min(next, this.#clock.giveUpAt, boundAt) - performance.now());
        this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.min(left, TIMER_LIMIT_MS)));
        // Who waits for a renewal keeps the process running; a lock that is only held does not.
        if (this.#renewals.length === 0)
            this.#timer.unref();
    }
    #tick() {
        const now = performance.now();
        const { boundAt } = this.#held;
        if (boundAt !== null && now >= boundAt) {
            this.#endTtl();
        }
        else if (now >= this.#clock.giveUpAt) {
            const silence = (0,duration/* formatDuration */.a3)(now - this.#clock.provenAt);
            const why = this.#trouble ?? "the server does not answer";
            this.#lose(`it could not be renewed for ${silence} (${why.replace(/\.$/, "")})`);
        }
        else if (now >= this.#clock.nextAt && !this.#reconnecting) {
            if (this.#clock.isUnanswered)
                void this.#reconnect();
            else
                this.#renew();
        }
        this.#schedule();
    }
    /** Told first, then let go: nobody else can have it before. */
    #endTtl() {
        const connection = this.#current;
        this.#lose("its ttl is over");
        if (connection === null)
            return;
        void connection.ask(releaseOf(this.#held)).then(() => connection.destroy(), () => { });
    }
    #lose(why, { dropAtOnce = false } = {}) {
        if (this.#isOver())
            return;
        const sentence = `The lock ${JSON.stringify(this.lease.key)} was lost: ${why}.`;
        this.#loss.abort(new errors/* LockError */.Ku("LOCK_LOST", sentence));
        // Closed only when the lease is over: a server that still hears us would let the next one in
        // while our command is being stopped.
        const left = dropAtOnce ? 0 : this.#clock.endsAt - performance.now();
        this.#stop(Math.max(0, left));
        for (const { done } of this.#renewals.splice(0))
            done.reject(this.lost.reason);
    }
    #stop(closeIn) {
        clearTimeout(this.#timer);
        this.#over.abort();
        const close = () => {
            for (const connection of this.#connections)
                connection.destroy();
        };
        if (closeIn === 0)
            close();
        else
            setTimeout(close, Math.min(closeIn, TIMER_LIMIT_MS)).unref();
    }
    async #letGo() {
        if (this.lost.aborted)
            return "already-gone";
        clearTimeout(this.#timer);
        const outcome = await letGo(this.#held, this.#current);
        this.#released = true;
        this.#stop(0);
        for (const { done } of this.#renewals.splice(0))
            done.reject(alreadyReleased());
        return outcome;
    }
}
function alreadyReleased() {
    return new errors/* LockError */.Ku("LOCK_LOST", "The lock was already released.");
}

// EXTERNAL MODULE: ./build/lock/history.js
var lock_history = __webpack_require__(171);
;// CONCATENATED MODULE: ./build/stores/tcp/status.js





/** Every key that is held or waited for. */
function keysIn(stats) {
    const ours = isHoldfast(stats);
    return [
        ...stats.locks.map((lock) => lockStats(lock, ours)),
        ...stats.semaphores.map((semaphore) => semaphoreStats(semaphore, ours)),
    ];
}
function keyIn(stats, wireKey) {
    return keysIn(stats).find((key) => key.wireKey === wireKey) ?? null;
}
/** The holds of a key that are over, newest first; a free key has them too. */
function pastIn(stats, wireKey) {
    const { locks, semaphores, idle_locks: idleLocks, idle_semaphores: idleSemaphores } = stats;
    const found = [...locks, ...semaphores, ...idleLocks, ...idleSemaphores].find(({ key, holds }) => key === wireKey && holds !== undefined);
    return (0,lock_history/* readHolds */.RC)(found?.holds);
}
/** Free keys that the server still remembers. */
function idleKeysIn(stats) {
    return [...stats.idle_locks, ...stats.idle_semaphores].map(({ key }) => key);
}
function lockStats(lock, ours) {
    return {
        wireKey: lock.key,
        slots: 1,
        waiting: Number(lock.waiters) || 0,
        ...(ours
            ? { leases: lock.leases ?? [], line: lock.line ?? [], nameless: [] }
            : { leases: [], line: [], nameless: [{ connection: lock.owner_conn_id }] }),
    };
}
function semaphoreStats(semaphore, ours) {
    const { key, limit, holders, waiters, leases = [], line = [] } = semaphore;
    const nameless = Array.from({ length: ours ? 0 : Number(holders) || 0 }, () => ({
        connection: null,
    }));
    const details = ours ? { leases, line, nameless } : { leases: [], line: [], nameless };
    return { wireKey: key, slots: limit, waiting: Number(waiters) || 0, ...details };
}
/** `key`: as the user wrote it, where that is known. */
function statusOf(found, store, key = decodeWireKey(found?.wireKey ?? "")) {
    if (found === null)
        return { key, store, slots: 1, holders: [], waiting: 0, waiters: [] };
    const { slots, waiting } = found;
    return {
        key,
        store,
        slots,
        holders: holdersOf(found),
        waiting,
        waiters: waitersOf(found),
    };
}
function holdersOf({ leases, nameless }) {
    return [...leases.map(holderOf), ...nameless.map(namelessHolder)].sort((one, other) => one.slot - other.slot);
}
function waitersOf({ line }) {
    return line.map(waiterOf);
}
/** `ttl` is the server's lease: so long the lock outlives the last word from its holder. */
function holderOf(lease) {
    const metadata = (0,owner/* readMetadata */._6)(lease.metadata);
    return {
        owner: ownerOf(lease),
        since: lease.since,
        ttl: lease.lease_s,
        fence: lease.fence,
        slot: lease.slot,
        pid: typeof metadata.process_id === "number" ? metadata.process_id : null,
        host: textOf(metadata, "hostname"),
        // Its connection stands: the server frees what a closed one held.
        alive: true,
        reclaimable: null,
        note: lease.note === null ? null : (0,lock_text/* cleanText */.X5)(lease.note),
        metadata,
        heartbeat: lease.renewed,
    };
}
function namelessHolder({ connection }, slot) {
    return {
        owner: connection === null ? "unknown" : `connection-${connection}`,
        since: null,
        ttl: null,
        fence: null,
        slot,
        pid: null,
        host: null,
        alive: true,
        reclaimable: null,
        note: null,
        metadata: {},
        heartbeat: null,
    };
}
function waiterOf(party, index) {
    return {
        owner: ownerOf(party),
        since: party.since,
        position: index + 1,
        alive: true,
        note: party.note === null ? null : (0,lock_text/* cleanText */.X5)(party.note),
        metadata: (0,owner/* readMetadata */._6)(party.metadata),
    };
}
/** Clients that are not ours do not say who they are. */
function ownerOf(party) {
    return party.owner === null ? `connection-${party.conn_id}` : (0,lock_text/* cleanText */.X5)(party.owner);
}
function textOf(metadata, field) {
    const value = metadata[field];
    return typeof value === "string" ? value : null;
}

;// CONCATENATED MODULE: ./build/stores/tcp/lookout.js





/** How often a waiting claim looks; the longer the line, the less often, to spare the server. */
const LOOK_MS = 1_000;
const LOOK_PER_WAITER_MS = 20;
/** Below the 23 s after which a server cuts off who is silent. */
const LOOK_LIMIT_MS = 15_000;
const lookout_ANSWER_MS = 5_000;
/** One failed look may be chance, and so may one in which a place just changed into a grant. */
const FAILURES_LIMIT = 2;
/**
 * Looks at the line while a claim stands in it, on a connection of its own: the claim's is busy
 * waiting. It reports the place, and notices a server that forgot the claim.
 */
class Lookout {
    #options;
    #connection = null;
    #timer;
    #stopped = false;
    #mine = null;
    #ours = false;
    #progress = { position: 1, waiting: 1, holders: [] };
    #failures = 0;
    #absences = 0;
    constructor(options) {
        this.#options = options;
    }
    /** `stats`: as they were on the claim's own connection right after it joined the line. */
    start(stats) {
        const { server, wireKey, owner } = this.#options;
        const key = keyIn(stats, wireKey);
        this.#ours = server.isOurs === true;
        // The last of that owner: nothing but this claim's own request came before the question.
        this.#mine = key?.line.findLast((party) => party.owner === owner)?.conn_id ?? null;
        this.#progress = { position: key?.waiting ?? 1, waiting: key?.waiting ?? 1, holders: [] };
        this.#absorb(stats);
        this.#lookLater();
    }
    /** Says why waiting is unusual, with what was last known. */
    report(trouble) {
        this.#options.onProgress({ ...this.#progress, trouble });
    }
    stop() {
        this.#stopped = true;
        clearTimeout(this.#timer);
        this.#connection?.destroy();
    }
    #lookLater() {
        if (this.#stopped)
            return;
        const pause = Math.max(LOOK_MS, this.#progress.waiting * LOOK_PER_WAITER_MS);
        this.#timer = setTimeout(() => void this.#look(), Math.min(pause, LOOK_LIMIT_MS));
    }
    async #look() {
        try {
            const stats = await this.#ask();
            if (this.#stopped)
                return;
            this.#failures = 0;
            this.#absorb(stats);
        }
        catch (error) {
            if (this.#stopped)
                return;
            this.#connection?.destroy();
            this.#failures += 1;
            if (this.#failures >= FAILURES_LIMIT && (0,errors/* isLockError */.S)(error)) {
                this.report(error.message.replace(/\.$/, ""));
            }
        }
        this.#lookLater();
    }
    async #ask() {
        const { server, wireKey } = this.#options;
        const question = keyStatsRequest(wireKey);
        if (this.#connection === null || this.#connection.failure !== null) {
            const greeted = await server.greet(question, { patience: lookout_ANSWER_MS });
            this.#connection = greeted.connection;
            if (this.#stopped)
                greeted.connection.destroy();
            return greeted.stats;
        }
        const answer = this.#connection.ask(question);
        return server.statsOf(await within(answer, lookout_ANSWER_MS, () => silent(server.address, lookout_ANSWER_MS)));
    }
    #absorb(stats) {
        const { wireKey, onProgress, onForgotten } = this.#options;
        const key = keyIn(stats, wireKey);
        const place = key?.line.findIndex((party) => party.conn_id === this.#mine) ?? -1;
        const waiting = key?.waiting ?? 0;
        const holders = key === null ? [] : holdersOf(key);
        // Of a long line the stats hold the beginning only: whoever is not in it is behind it.
        const isCut = (key?.line.length ?? 0) < waiting;
        if (this.#ours && place === -1 && !isCut) {
            const isHolder = key?.leases.some((lease) => lease.conn_id === this.#mine) ?? false;
            this.#absences = isHolder ? 0 : this.#absences + 1;
            if (this.#absences >= FAILURES_LIMIT)
                onForgotten();
            return;
        }
        this.#absences = 0;
        // A foreign server only counts: nobody overtakes, so the place is at most what it was.
        const position = place === -1 ? Math.min(this.#progress.position, waiting) : place + 1;
        const ahead = key === null ? [] : waitersOf(key).slice(0, Math.max(0, position - 1));
        this.#progress = {
            position: Math.max(1, position),
            waiting: Math.max(1, waiting),
            holders,
            ahead,
        };
        onProgress(this.#progress);
    }
}

// EXTERNAL MODULE: ./build/lock/slots.js
var slots = __webpack_require__(242);
;// CONCATENATED MODULE: ./build/stores/tcp/turn.js










/** For requests that a server answers at once. */
const turn_ANSWER_MS = 10_000;
/** One time in line, on a connection of its own: from the introduction to the grant. */
async function takeTurn(options) {
    const { server, introduction, deadline } = options;
    const hello = introductionRequest(introduction);
    const { connection } = await server.greet(hello, { signal: deadline.signal });
    let left = null;
    const leave = () => {
        // Our server says goodbye once the claim is out of its line; others notice nobody who waits.
        if (server.isOurs)
            left ??= connection.leave();
        else
            connection.destroy();
    };
    deadline.signal.addEventListener("abort", leave, { once: true });
    let granted = false;
    try {
        if (deadline.signal.aborted)
            leave();
        const turn = await standInLine(connection, options);
        granted = turn.kind === "granted" && !deadline.signal.aborted;
        return turn;
    }
    finally {
        deadline.signal.removeEventListener("abort", leave);
        await left;
        if (!granted)
            connection.destroy();
    }
}
async function standInLine(connection, options) {
    const { server, wireKey: key, request, waitFor } = options;
    const { slots: limit } = request;
    const lease = leaseSecondsOf(request);
    const sentAt = performance.now();
    const joined = connection.ask(waitFor === 0
        ? acquireRequest({ key, timeout: 0, limit, lease })
        : enqueueRequest({ key, limit, lease }));
    // Asked in the same breath: the last in line is then this claim, whoever else comes.
    const looked = options.wantsProgress ? connection.ask(keyStatsRequest(key)) : null;
    const reply = await soon(joined, server);
    if (reply.kind === "timeout")
        return { kind: "timeout" };
    if (reply.kind === "error") {
        // A full line means that the lock is held, and that is all that this claim wants to know.
        if (reply.word === "error_max_waiters" && waitFor === 0)
            return { kind: "timeout" };
        throw await refusal(reply.word, connection, options);
    }
    if (reply.kind === "acquired" || reply.kind === "granted") {
        return describeGrant(connection, reply.token, sentAt, options);
    }
    if (reply.kind !== "queued")
        throw speaksOtherwise(server.address, reply.kind, null);
    options.onQueued();
    return waitInLine(connection, looked, options);
}
async function waitInLine(connection, looked, options) {
    const { server, wireKey: key, request, openLookout } = options;
    const { slots: limit } = request;
    const lookout = openLookout(() => connection.destroy());
    try {
        const turn = connection.ask(waitRequest({ key, limit, timeout: secondsOf(options.waitFor) }));
        if (looked !== null)
            lookout?.start(server.statsOf(await soon(looked, server)));
        const reply = await turn;
        if (reply.kind !== "granted")
            return { kind: "dropped", why: wordOf(reply) };
        // How long ago that was said is not known, if this process was stopped for a while; and one
        // version of the real server says it of leases that are over. A renewal is proof of both.
        const { token } = reply;
        const sentAt = performance.now();
        const lease = leaseSecondsOf(request);
        const proof = await soon(connection.ask(renewRequest({ key, limit, token, lease })), server);
        if (proof.kind !== "renewed")
            return { kind: "dropped", why: "the turn came and went" };
        return await describeGrant(connection, token, sentAt, options);
    }
    catch (error) {
        // Whoever stood in line once does not fail for a network that may come back.
        const why = connection.failure ?? error;
        if (connection.failure === null && !(0,errors/* isLockError */.S)(error, "STORE_UNREACHABLE"))
            throw error;
        return { kind: "dropped", why: (0,errors/* messageOf */.bD)(why) };
    }
    finally {
        lookout?.stop();
    }
}
/** Our server tells which of several slots it is; one that only counts does not. */
async function describeGrant(connection, token, provenAt, { server, wireKey, request }) {
    const grant = { kind: "granted", connection, token, provenAt };
    if (request.slots === 1 || !server.isOurs)
        return { ...grant, slot: 0, since: null };
    const reply = await soon(connection.ask(keyStatsRequest(wireKey)), server);
    const leases = keyIn(server.statsOf(reply), wireKey)?.leases ?? [];
    const mine = leases.find(({ fence }) => fence === fenceOf(token));
    return { ...grant, slot: mine?.slot ?? 0, since: mine?.since ?? null };
}
/**
 * The server counts one time only: how long it hears nothing until it gives the lock to the next.
 * That is the lease, or the ttl where it is shorter, since the lock must not outlive its last
 * refresh by more. A longer ttl needs nothing from the server: the renewals go on as long as the
 * holder lives, or, where the ttl is a hard bound, until its end.
 */
function leaseSecondsOf({ lease, ttl }) {
    return Math.max(1, Math.ceil(Math.min(lease, ttl) / 1_000));
}
/** One second more than wanted: our own deadline decides, and leaves by closing the connection. */
function secondsOf(waitFor) {
    if (waitFor === null)
        return LONGEST_WAIT_SECONDS;
    return Math.min(LONGEST_WAIT_SECONDS, Math.ceil(waitFor / 1_000) + 1);
}
function soon(answer, server) {
    return within(answer, turn_ANSWER_MS, () => silent(server.address, turn_ANSWER_MS));
}
function wordOf(reply) {
    return reply.kind === "error" ? "the server sent it away" : `the server said ${reply.kind}`;
}
async function refusal(word, connection, { server, wireKey, request }) {
    const name = (0,lock_text/* quote */.hD)(request.key);
    const { shown } = server.address;
    switch (word) {
        case "error_max_locks":
            return new errors/* LockError */.Ku("STORE_FULL", `The lock server ${shown} keeps as many keys as it may: raise its --max-locks, or try again when some are free.`);
        case "error_max_waiters":
            return new errors/* LockError */.Ku("STORE_FULL", `The line for ${name} at the lock server ${shown} is full: raise its --max-waiters, or try again later.`);
        case "error_limit_mismatch": {
            const reply = await soon(connection.ask(keyStatsRequest(wireKey)), server);
            const present = keyIn(server.statsOf(reply), wireKey)?.slots;
            if (present !== undefined)
                return (0,slots/* slotsMismatch */.qL)(request.key, request.slots, present);
            return new errors/* LockError */.Ku("SLOTS_MISMATCH", `The lock server ${shown} remembers the key ${name} with another number of slots than ${request.slots}: use the same number, or wait a minute until it has forgotten it.`);
        }
        default:
            return server.refusal(word);
    }
}

;// CONCATENATED MODULE: ./build/stores/tcp/claim.js











/** A claim that lost its place joins the line again; a server's restart takes seconds, its machine's a minute or two. */
const REJOIN_LIMIT_MS = 120_000;
const REJOIN_MS = 250;
/** A sentence about who is in the way is not worth a longer wait. */
const EXPLAIN_MS = 1_000;
/** Enough for no two claims of a key to have the same by chance. */
const CLAIM_BYTES = 8;
/** Runs a claim from the first packet to the held lock, and back into the line where its place was lost. */
async function runClaim(request, options, context) {
    const { server, wireKey } = context;
    const timeout = options.timeout ?? null;
    const started = performance.now();
    const deadline = new stores_deadline/* Deadline */.B(timeout, options.signal);
    const { onProgress } = options;
    const claim = (0,external_node_crypto_.randomBytes)(CLAIM_BYTES).toString("hex");
    const introduction = { owner: request.owner, note: request.note, claim };
    const report = { last: null };
    let droppedAt = null;
    try {
        for (;;) {
            const turn = await takeTurn({
                server,
                wireKey,
                request,
                introduction,
                deadline,
                waitFor: timeout === null ? null : Math.max(0, started + timeout - performance.now()),
                wantsProgress: onProgress !== undefined && timeout !== 0,
                onQueued: () => {
                    droppedAt = null;
                },
                openLookout: (onForgotten) => {
                    if (onProgress === undefined)
                        return null;
                    report.last = new Lookout({
                        server,
                        wireKey,
                        owner: request.owner.id,
                        onProgress,
                        onForgotten,
                    });
                    return report.last;
                },
            }).catch((error) => {
                // The first time it is the user's problem; later it is one that may pass.
                const mayPass = (0,errors/* isLockError */.S)(error, "STORE_UNREACHABLE") && !deadline.signal.aborted;
                const patient = droppedAt !== null && performance.now() - droppedAt < REJOIN_LIMIT_MS;
                if (!mayPass || !patient)
                    throw error;
                return { kind: "dropped", why: error.message };
            });
            if (deadline.signal.aborted)
                throw (0,sentences/* aborted */.QH)();
            if (turn.kind === "granted")
                return hold(turn);
            if (turn.kind === "timeout")
                break;
            droppedAt ??= performance.now();
            report.last?.report(`the place in line was lost (${turn.why.replace(/\.$/, "")}), joining it again`);
            await (0,promises_.setTimeout)(REJOIN_MS, undefined, { signal: deadline.signal }).catch(() => { });
        }
    }
    catch (error) {
        if (!deadline.signal.aborted)
            throw error;
        if (!deadline.timedOut)
            throw (0,sentences/* aborted */.QH)();
    }
    finally {
        deadline.clear();
    }
    throw (0,sentences/* notAcquired */.UG)(request.key, timeout ?? 0, await whoIsInTheWay(request.key, context));
    function hold({ connection, token, provenAt, slot, since }) {
        const { key, owner, slots, ttl } = request;
        const fence = server.isOurs ? fenceOf(token) : null;
        return new Hold({
            server,
            connection,
            introduction,
            lease: {
                key,
                store: context.store,
                owner: owner.id,
                fence,
                slot,
                since: since ?? sinceOf(fence),
                ttl: ttl / 1_000,
                waited: Math.round(performance.now() - started),
                token,
            },
            wireKey,
            slots,
            leaseSeconds: leaseSecondsOf(request),
            provenAt,
            boundAt: request.refresh ? null : provenAt + ttl,
        });
    }
}
/** A fence is the server's own clock at the grant, in microseconds. */
function sinceOf(fence) {
    const milliseconds = fence === null ? Date.now() : Math.floor(fence / 1_000);
    return new Date(milliseconds).toISOString();
}
async function whoIsInTheWay(key, { server, store, wireKey }) {
    try {
        const question = keyStatsRequest(wireKey);
        const { connection, stats } = await server.greet(question, { patience: EXPLAIN_MS });
        connection.destroy();
        const status = statusOf(keyIn(stats, wireKey), store, key);
        if (status.holders.length === 0)
            return "it was held until a moment ago";
        return (0,sentences/* describeHolders */.hX)(status, Date.now());
    }
    catch {
        return `the lock server ${server.address.shown} does not answer`;
    }
}

// EXTERNAL MODULE: ./build/stores/certificates.js
var stores_certificates = __webpack_require__(332);
// EXTERNAL MODULE: external "node:tls"
var external_node_tls_ = __webpack_require__(692);
;// CONCATENATED MODULE: ./build/wire/line-reader.js
/** The real server's `stats` stays below this, and so does ours. */
const REPLY_LIMIT = 1_048_576;
const NEWLINE = 0x0a;
/**
 * Bytes in, reply lines out, for clients. A line may be as long as a `stats` reply, and arrives in
 * pieces; the pieces are joined once, at the newline.
 */
class LineReader {
    /** Set when a line grew beyond the limit: whatever talks there does not speak the protocol. */
    tooLong = false;
    #limit;
    #pieces = [];
    #length = 0;
    #lines = [];
    constructor(limit = REPLY_LIMIT) {
        this.#limit = limit;
    }
    push(chunk) {
        let start = 0;
        while (!this.tooLong) {
            const end = chunk.indexOf(NEWLINE, start);
            const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
            this.#length += piece.length;
            if (this.#length > this.#limit) {
                this.tooLong = true;
                this.#pieces = [];
                return;
            }
            if (piece.length > 0)
                this.#pieces.push(piece);
            if (end === -1)
                return;
            this.#lines.push(this.#join());
            start = end + 1;
        }
    }
    next() {
        return this.#lines.shift() ?? null;
    }
    #join() {
        const whole = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
        this.#pieces = [];
        this.#length = 0;
        return whole.toString("utf8").replace(/\r+$/, "");
    }
}

;// CONCATENATED MODULE: ./build/wire/reply.js
const OK_LINE = "ok\n";
const QUEUED_LINE = "queued\n";
const TIMEOUT_LINE = "timeout\n";
function errorLine(word) {
    return `${word}\n`;
}
/** The fields have to be these and no more: a third breaks the real clients. */
function grantedLine(token, leaseSeconds) {
    return `ok ${token} ${leaseSeconds}\n`;
}
function acquiredLine(token, leaseSeconds) {
    return `acquired ${token} ${leaseSeconds}\n`;
}
/** Never 0: a real client would then renew ten times a second. */
function renewedLine(leaseSeconds) {
    return `ok ${Math.max(1, leaseSeconds)}\n`;
}
function statsLine(json) {
    return `ok ${json}\n`;
}
function formatReply(reply) {
    switch (reply.kind) {
        case "ok":
            return OK_LINE;
        case "granted":
            return grantedLine(reply.token, reply.lease);
        case "acquired":
            return acquiredLine(reply.token, reply.lease);
        case "renewed":
            return renewedLine(reply.lease);
        case "stats":
            return statsLine(reply.json);
        case "queued":
            return QUEUED_LINE;
        case "timeout":
            return TIMEOUT_LINE;
        case "error":
            return `${reply.word}\n`;
        case "unknown":
            return `${reply.line}\n`;
    }
}
/** A line without its newline, as `LineReader` gives it. */
function parseReply(line) {
    if (line === "ok" || line === "queued" || line === "timeout")
        return { kind: line };
    if (/^error(_[a-z_]+)?$/.test(line))
        return { kind: "error", word: line };
    if (line.startsWith("ok {"))
        return { kind: "stats", json: line.slice(3) };
    const granted = /^(ok|acquired) (\S{1,200}) (\d{1,16})$/.exec(line);
    if (granted !== null) {
        const [, word, token, lease] = granted;
        return { kind: word === "ok" ? "granted" : "acquired", token, lease: Number(lease) };
    }
    const renewed = /^ok (\d{1,16})$/.exec(line);
    if (renewed !== null)
        return { kind: "renewed", lease: Number(renewed[1]) };
    return { kind: "unknown", line };
}

;// CONCATENATED MODULE: ./build/stores/tcp/connection.js






/**
 * A server that vanished while a claim waits in silence is found by TCP's own probes: after this,
 * then ten of them a second apart.
 */
const KEEP_ALIVE_MS = 10_000;
/** How long a leaving client waits for the server's own goodbye. */
const GOODBYE_MS = 2_000;
/** The first byte of a TLS alert, which is what a TLS server says to plain text. */
const TLS_ALERT = 0x15;
/**
 * One conversation with one server: requests out, replies in the same order. Several may be asked
 * ahead. It fails once, and then every question in it fails with the same error.
 */
class Connection {
    address;
    #socket;
    #reader = new LineReader();
    #asked = [];
    #secret;
    #ended = Promise.withResolvers();
    #answered = false;
    #firstByte;
    #failure = null;
    constructor(address, options) {
        this.address = address;
        this.#secret = options.secret;
        this.#socket = address.secure ? openSecure(address, options) : (0,external_node_net_.connect)(address);
        this.#socket.setNoDelay(true);
        this.#socket.setKeepAlive(true, KEEP_ALIVE_MS);
        this.#socket.on("data", (chunk) => this.#hear(chunk));
        this.#socket.on("error", (error) => this.#fail(explainSocket(error, address, this.#answered)));
        this.#socket.on("close", () => this.#fail(this.#goodbye()));
    }
    /** Resolves, with the reason, when nothing can be asked any more. */
    get ended() {
        return this.#ended.promise;
    }
    get failure() {
        return this.#failure;
    }
    /** Rejects with a LockError when the connection ends first. May be left unawaited. */
    ask(request) {
        const answer = new Promise((resolve, reject) => {
            if (this.#failure !== null)
                return reject(this.#failure);
            const text = formatRequest(request);
            this.#asked.push({ resolve, reject });
            // What is asked in one breath goes out in one packet, and the server answers it in one go.
            this.#socket.cork();
            this.#socket.write(text);
            process.nextTick(() => this.#socket.uncork());
        });
        answer.catch(() => { });
        return answer;
    }
    /**
     * Says goodbye and waits for the server's: it has then left every line and let go of everything.
     * A server that does not notice is not waited for long.
     */
    async leave() {
        if (this.#socket.destroyed)
            return;
        const closed = new Promise((resolve) => this.#socket.once("close", () => resolve()));
        this.#socket.ref();
        const timer = setTimeout(() => this.#socket.destroy(), GOODBYE_MS);
        this.#socket.end();
        await closed;
        clearTimeout(timer);
    }
    /** Gone at once. Whoever still waits for a reply is told `reason`. */
    destroy(reason) {
        this.#fail(reason ?? wasCut(this.address));
    }
    /** Whether it keeps this process running. */
    keepAlive(wanted) {
        if (wanted)
            this.#socket.ref();
        else
            this.#socket.unref();
    }
    #hear(chunk) {
        this.#firstByte ??= chunk[0];
        this.#reader.push(chunk);
        for (let line = this.#reader.next(); line !== null; line = this.#reader.next()) {
            const reply = parseReply(line);
            if (reply.kind === "unknown") {
                this.#fail(speaksOtherwise(this.address, line, this.#secret));
                return;
            }
            this.#answered = true;
            // An `error` that nobody asked for stands before the close which follows, and adds nothing.
            this.#asked.shift()?.resolve(reply);
        }
        if (this.#reader.tooLong) {
            this.#fail(speaksOtherwise(this.address, "a line without end", this.#secret));
        }
    }
    #goodbye() {
        if (this.#answered)
            return wasCut(this.address);
        const isTls = this.#firstByte === TLS_ALERT && !this.address.secure;
        return isTls ? speaksTls(this.address) : hungUp(this.address);
    }
    #fail(error) {
        this.#socket.destroy();
        if (this.#failure !== null)
            return;
        this.#failure = error;
        for (const { reject } of this.#asked.splice(0))
            reject(error);
        this.#ended.resolve(error);
    }
}
function openSecure(address, { certificates }) {
    const { host, port } = address;
    return (0,external_node_tls_.connect)({
        host,
        port,
        minVersion: "TLSv1.2",
        // An address is no name that could be sent; the certificate is then checked for the address.
        ...((0,external_node_net_.isIP)(host) === 0 ? { servername: host } : {}),
        ...(certificates === undefined ? {} : { ca: [...certificates] }),
    });
}

;// CONCATENATED MODULE: ./build/stores/tcp/pace.js
/** dflockd's default, and what a server that does not tell is taken to have. */
const USUAL_PATIENCE_MS = 23_000;
/**
 * A server cuts off who is silent for its read timeout, and with it frees the lock, however long its
 * lease. So a holder speaks three times as often, and gives up while there is time left for its
 * command to end. Ours tells its timeout; a longer one than usual is not relied upon.
 */
function tcpPace(readTimeoutSeconds) {
    const told = Number(readTimeoutSeconds) * 1_000;
    const serverPatience = told > 0 ? Math.min(told, USUAL_PATIENCE_MS) : USUAL_PATIENCE_MS;
    return {
        serverPatience,
        silenceLimit: (serverPatience * 7) / 23,
        giveUpLimit: (serverPatience * 20) / 23,
    };
}

;// CONCATENATED MODULE: ./build/stores/tcp/server.js








/** From the first packet to the first answer: a server far away and busy needs a second or two. */
const GREETING_MS = 10_000;
/** One lock server, as its clients know it: how to reach it, and what it turned out to be. */
class LockServer {
    address;
    #options;
    #certificates = null;
    /** The server has no token, and says `error` when it is shown one. */
    #wantsNoToken = false;
    #isOurs = null;
    #pace = tcpPace();
    constructor(address, options) {
        this.address = address;
        this.#options = options;
    }
    /** Whether its tokens carry a fence and its stats names; null: not yet known. */
    get isOurs() {
        return this.#isOurs;
    }
    /** How often its holders have to speak. */
    get pace() {
        return this.#pace;
    }
    /**
     * Opens a connection, shows the token where there is one, and sends `first`: any form of `stats`,
     * which every server answers. Throws what is wrong with the server.
     */
    async greet(first, options = {}) {
        const { signal, patience = GREETING_MS } = options;
        const certificates = await this.#trusted();
        if (signal?.aborted)
            throw (0,sentences/* aborted */.QH)();
        const secret = this.#secret();
        const connection = new Connection(this.address, { secret, ...certificates });
        if (options.keepAlive === false)
            connection.keepAlive(false);
        const late = setTimeout(() => connection.destroy(silent(this.address, patience)), Math.max(1, patience));
        if (options.keepAlive === false)
            late.unref();
        const cancel = () => connection.destroy((0,sentences/* aborted */.QH)());
        signal?.addEventListener("abort", cancel, { once: true });
        try {
            if (secret !== null && !(await this.#authenticate(connection, secret))) {
                connection.destroy();
                return await this.greet(first, options);
            }
            const stats = this.statsOf(await connection.ask(first));
            this.#isOurs = isHoldfast(stats);
            this.#pace = tcpPace(stats.server?.read_timeout_s);
            return { connection, stats };
        }
        catch (error) {
            connection.destroy();
            // It may have been started anew, with a token: the next time it is shown ours again.
            if ((0,errors/* isLockError */.S)(error, "STORE_DENIED"))
                this.#wantsNoToken = false;
            throw error;
        }
        finally {
            clearTimeout(late);
            signal?.removeEventListener("abort", cancel);
        }
    }
    /** The content of a reply to `stats`; throws where it is none. */
    statsOf(reply) {
        if (reply.kind === "error")
            throw this.refusal(reply.word);
        const stats = reply.kind === "stats" ? parseStats(reply.json) : null;
        if (stats !== null)
            return stats;
        throw speaksOtherwise(this.address, reply.kind, null);
    }
    /** What an `error…` means that has no meaning of its own to the one who asked. */
    refusal(word) {
        if (word === "error_auth")
            return denied(this.address, this.#secret());
        return unreachable(this.address, `refused the request (${word}): it may be about to stop`);
    }
    /** False: the server has no token. Some of them close then, and some do not: a new start suits both. */
    async #authenticate(connection, secret) {
        const reply = await connection.ask(authRequest(secret));
        if (reply.kind === "ok")
            return true;
        if (reply.kind !== "error")
            throw speaksOtherwise(this.address, reply.kind, null);
        if (reply.word !== "error")
            throw this.refusal(reply.word);
        this.#wantsNoToken = true;
        return false;
    }
    /** Servers trim their token, and a secret from a file often ends in a newline. */
    #secret() {
        return this.#wantsNoToken ? null : this.#options.token?.trim() || null;
    }
    async #trusted() {
        if (!this.address.secure)
            return {};
        this.#certificates ??= (0,stores_certificates.readTrusted)(this.#options);
        const certificates = await this.#certificates;
        return certificates === undefined ? {} : { certificates };
    }
}

;// CONCATENATED MODULE: ./build/stores/tcp/index.js














const tcp_ANSWER_MS = 10_000;
function openTcpStore(store, options) {
    return new TcpStore(parseAddresses(store), options);
}
/** One lock server, or several that share the keys. Holds no connection but those of its holdings. */
class TcpStore {
    url;
    #servers;
    constructor(addresses, options) {
        this.url = addresses.url;
        const [first, ...others] = addresses.servers;
        this.#servers = [
            new LockServer(first, options),
            ...others.map((address) => new LockServer(address, options)),
        ];
    }
    /** Fenced, until a server has turned out to be one that gives no fences: nobody is asked before. */
    get promises() {
        const fenced = this.#servers.every(({ isOurs }) => isOurs !== false);
        return { fair: true, fenced, push: true, scope: "network" };
    }
    async claim(request, options = {}) {
        const checked = (0,stores_request/* checkRequest */.yG)(request);
        (0,stores_request/* checkTimeout */.eN)(options.timeout);
        const { server, wireKey } = this.#find(checked.key);
        return runClaim(checked, options, { server, wireKey, store: this.url });
    }
    async inspect(key) {
        const { server, wireKey } = this.#find((0,lock_key/* parseKey */.Do)(key));
        return statusOf(await lookAt(server, wireKey), this.url, key);
    }
    async list(options = {}) {
        const lists = await Promise.all(this.#servers.map((server) => visit(server, statsRequest(), async ({ stats }) => {
            const idle = options.all ? idleKeysIn(stats) : [];
            return [
                ...keysIn(stats).map((found) => statusOf(found, this.url)),
                ...idle.map((wireKey) => statusOf({ ...FREE, wireKey }, this.url)),
            ];
        })));
        return lists.flat();
    }
    /** Our server tells it with every look at a key; the protocol itself has no word for it. */
    async history(key, { limit }) {
        const { server, wireKey } = this.#find((0,lock_key/* parseKey */.Do)(key));
        return visit(server, keyStatsRequest(wireKey), async ({ stats }) => {
            if (server.isOurs)
                return pastIn(stats, wireKey).slice(0, limit);
            throw new errors/* LockError */.Ku("NOT_SUPPORTED", `The lock server ${server.address.shown} keeps no history: use a server of Holdfast's own, or, in the action, history: cache.`);
        });
    }
    /** The wire has no word for it. What can be done instead depends on the holder alone. */
    async break(key, _options) {
        const { holders } = await this.inspect(key);
        if (holders.length === 0)
            return { broken: [] };
        const owners = holders.map(({ owner }) => owner).join(", ");
        throw new errors/* LockError */.Ku("NOT_SUPPORTED", `The lock ${(0,lock_text/* quote */.hD)(key)} at ${this.url} cannot be broken, since dflockd's protocol has no word for it: end its holder ${owners}, and it is free at once.`);
    }
    /**
     * By the fence where the server is ours. Others tell nothing about a lease but to the one who
     * renews it, so it is renewed with its token, by its whole ttl: that is never shorter than what
     * its holder counts on, and the holder's own next renewal sets it back.
     */
    async verify(lease) {
        const { server, wireKey } = this.#find((0,lock_key/* parseKey */.Do)(lease.key));
        return visit(server, keyStatsRequest(wireKey), async ({ stats, connection }) => {
            if (server.isOurs) {
                const leases = keyIn(stats, wireKey)?.leases ?? [];
                return leases.some(({ fence, lease_expires_in_s: left }) => fence === lease.fence && left > 0);
            }
            const { token, ttl = 1 } = lease;
            if (token === undefined) {
                throw new errors/* LockError */.Ku("NOT_SUPPORTED", `The lock server ${server.address.shown} gives no fencing numbers: verify with the lease file.`);
            }
            const request = renewRequest({ key: wireKey, token, lease: Math.max(1, Math.ceil(ttl)) });
            const late = () => silent(server.address, tcp_ANSWER_MS);
            return (await within(connection.ask(request), tcp_ANSWER_MS, late)).kind === "renewed";
        });
    }
    async release(lease) {
        const { server, wireKey: key } = this.#find((0,lock_key/* parseKey */.Do)(lease.key));
        const request = releaseRequest({ key, token: lease.token });
        return visit(server, keyStatsRequest(key), ({ connection }) => tellRelease(connection, request));
    }
    /** Nothing is kept open: each look has its own connection, and holdings keep theirs. */
    async close() { }
    #find(key) {
        const wireKey = encodeWireKey(key);
        return { server: serverOf(this.#servers, wireKey), wireKey };
    }
}
const FREE = {
    slots: 1,
    waiting: 0,
    leases: [],
    line: [],
    nameless: [],
};
function lookAt(server, wireKey) {
    return visit(server, keyStatsRequest(wireKey), async ({ stats }) => keyIn(stats, wireKey));
}
/** A connection for a few words. */
async function visit(server, first, use) {
    const greeted = await server.greet(first);
    try {
        return await use(greeted);
    }
    finally {
        greeted.connection.destroy();
    }
}


/***/ })

};
