export const id = 611;
export const ids = [611];
export const modules = {

/***/ 854:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CS: () => (/* binding */ pictureOf),
/* harmony export */   Fq: () => (/* binding */ waitingInLine),
/* harmony export */   XR: () => (/* binding */ holdersInLine)
/* harmony export */ });
/* unused harmony exports ordinal, ago, runUrlOf, holderInLine, usualOf, turnIn, rangeOf, formatRange */
/* harmony import */ var _duration_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(739);

/** `1st`, `2nd`, `11th`. */
function ordinal(place) {
    const teens = place % 100 >= 11 && place % 100 <= 13;
    const ending = teens ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
    return `${place}${ending}`;
}
/** How long ago, for people; the clocks of two machines may differ, so never below zero. */
function ago(iso, now) {
    return iso === null ? null : (0,_duration_js__WEBPACK_IMPORTED_MODULE_0__/* .formatDuration */ .a3)(Math.max(0, now - Date.parse(iso)));
}
function runUrlOf(holder) {
    const url = holder.metadata.run_url;
    return typeof url === "string" && url !== "" ? url : null;
}
/** One holder in a line: `ci-github-456-1-deploy for 4m 10s, usually 6m, "v1.2.3" (https://…)`. */
function holderInLine(holder, now, usual = null) {
    const time = ago(holder.since, now);
    const url = runUrlOf(holder);
    return [
        holder.problem === undefined ? holder.owner : "a lock file that cannot be read",
        time === null ? "" : ` for ${time}`,
        usual === null ? "" : `, usually ${usual}`,
        holder.note === null ? "" : `, "${holder.note}"`,
        url === null ? "" : ` (${url})`,
    ].join("");
}
/** As many holders as a reader wants to see in one line. */
const HOLDERS_SHOWN = 3;
function holdersInLine(holders, now, estimate = null) {
    const shown = holders
        .slice(0, HOLDERS_SHOWN)
        // The estimate knows what is usual for the first one.
        .map((holder, index) => holderInLine(holder, now, index === 0 ? usualOf(estimate) : null));
    const more = holders.length - shown.length;
    return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}
function usualOf(estimate) {
    return estimate === null ? null : (0,_duration_js__WEBPACK_IMPORTED_MODULE_0__/* .formatDuration */ .a3)(estimate.usual * 1_000);
}
/** `in about 8 to 12 min`, and why it may take longer. */
function turnIn(estimate) {
    const late = estimate.overdue ? "; a holder is over its usual time" : "";
    return `${rangeOf(estimate)}${late}`;
}
function rangeOf({ lower, upper }) {
    return formatRange(lower, upper);
}
const UNITS = [
    { name: "s", seconds: 1, step: 5 },
    { name: "min", seconds: 60, step: 1 },
    { name: "h", seconds: 3_600, step: 0.5 },
    { name: "d", seconds: 86_400, step: 0.5 },
];
/** Up to so many of a unit are easier to grasp than the next larger one. */
const UNIT_LIMIT = 100;
/** A range in seconds for people, in one unit and rounded outwards: `in about 8 to 12 min`. */
function formatRange(lower, upper) {
    const unit = UNITS.find(({ seconds }) => upper < UNIT_LIMIT * seconds) ?? UNITS[UNITS.length - 1];
    const { name, seconds, step } = unit;
    const most = Math.max(step, Math.ceil(upper / seconds / step) * step);
    const least = Math.floor(lower / seconds / step) * step;
    if (least === 0)
        return `within ${most} ${name}`;
    return least === most ? `in about ${most} ${name}` : `in about ${least} to ${most} ${name}`;
}
/** How a waiting claim stands: `waiting for production: 2nd in line; held by …; your turn in …`. */
function waitingInLine(key, progress, now) {
    const { position, holders, trouble, estimate = null } = progress;
    const parts = [`waiting for ${key}: ${ordinal(position)} in line`];
    if (holders.length > 0)
        parts.push(`held by ${holdersInLine(holders, now, estimate)}`);
    if (trouble !== undefined)
        parts.push(trouble);
    // Whatever is unusual was not so in the past: an estimate would be false.
    else if (estimate !== null)
        parts.push(`your turn ${turnIn(estimate)}`);
    return parts.join("; ");
}
/** What must differ for a new line to be worth a reader's time: not the seconds that pass. */
function pictureOf(progress) {
    const holders = progress.holders.map(({ owner, fence, since }) => [owner, fence, since]);
    // That there is an estimate, and that a holder is late, is news; a new figure is not.
    const late = progress.estimate?.overdue ?? null;
    return JSON.stringify([progress.position, holders, progress.trouble, late]);
}


/***/ }),

/***/ 739:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   E9: () => (/* binding */ parseDuration),
/* harmony export */   a3: () => (/* binding */ formatDuration),
/* harmony export */   qV: () => (/* binding */ DURATION_LIMIT_MS)
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(600);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(352);


const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A year of waiting is a typing error, and larger numbers overflow somewhere down the line. */
const DURATION_LIMIT_MS = 366 * 86_400_000;
/** Milliseconds, or null for `none`: without limit. */
function parseDuration(text, name = "duration") {
    const trimmed = text.trim();
    if (trimmed === "none")
        return null;
    const milliseconds = /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1_000 : addParts(trimmed);
    if (milliseconds === null) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_DURATION", `The ${name} ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(text)} is not a duration: write 90 (seconds), 250ms, 30s, 5m, 2h, 1d, 1h30m or none.`);
    }
    if (milliseconds > DURATION_LIMIT_MS) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_DURATION", `The ${name} ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(text)} is longer than a year: write none for no limit.`);
    }
    return Math.round(milliseconds);
}
function addParts(text) {
    if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text))
        return null;
    let total = 0;
    let smallest = Number.POSITIVE_INFINITY;
    for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
        const size = UNITS[unit];
        // 1m1h is more likely a slip than a wish: units go from large to small, each once.
        if (size >= smallest)
            return null;
        smallest = size;
        total += Number(amount) * size;
    }
    return total;
}
/** For people: `4m 10s`, `2h`, `350ms`. At most two units. */
function formatDuration(milliseconds) {
    if (milliseconds < 1_000)
        return `${Math.max(0, Math.floor(milliseconds))}ms`;
    const seconds = Math.floor(milliseconds / 1_000);
    const parts = [
        [Math.floor(seconds / 86_400), "d"],
        [Math.floor(seconds / 3_600) % 24, "h"],
        [Math.floor(seconds / 60) % 60, "m"],
        [seconds % 60, "s"],
    ];
    const first = parts.findIndex(([amount]) => amount > 0);
    return parts
        .slice(first, first + 2)
        .filter(([amount]) => amount > 0)
        .map(([amount, unit]) => `${amount}${unit}`)
        .join(" ");
}


/***/ }),

/***/ 816:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Do: () => (/* binding */ parseKey),
/* harmony export */   g2: () => (/* binding */ encodeKey),
/* harmony export */   y3: () => (/* binding */ decodeKey)
/* harmony export */ });
/* unused harmony export KEY_BYTES_LIMIT */
/* harmony import */ var _digest_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(675);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(600);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(352);



const KEY_BYTES_LIMIT = 200;
/** File names stay below the 255 bytes of most filesystems, with room for suffixes. */
const NAME_BYTES_LIMIT = 150;
const NAME_BYTES_KEPT = 80;
/** A key is opaque text: checked here once, then encoded, never interpreted. */
function parseKey(text) {
    if (text === "") {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_KEY", "The key is empty: name what is to be locked, such as production.");
    }
    if (!text.isWellFormed()) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_KEY", `The key ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(text)} is not valid Unicode: use plain UTF-8 text.`);
    }
    if ((0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .hasControl */ .aQ)(text)) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_KEY", `The key ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(text)} contains a control character: use printable text.`);
    }
    const bytes = (0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .byteLength */ .dp)(text);
    if (bytes > KEY_BYTES_LIMIT) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_KEY", `The key ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(text, 40)} has ${bytes} bytes: use at most ${KEY_BYTES_LIMIT}.`);
    }
    return text;
}
/**
 * The file name of a key, without `.lock`. Everything but letters, digits, `.`, `_` and `-` is
 * percent-encoded, and so is a leading dot, so that no key can leave the directory or hide in it.
 */
function encodeKey(key) {
    const encoded = encodeBytes(key);
    if (encoded.length <= NAME_BYTES_LIMIT)
        return encoded;
    const digest = (0,_digest_js__WEBPACK_IMPORTED_MODULE_2__/* .sha256 */ .s)(key);
    return `${encoded.slice(0, NAME_BYTES_KEPT)}~${digest}`;
}
function encodeBytes(key) {
    let name = "";
    for (const byte of Buffer.from(key, "utf8")) {
        const plain = isPlain(byte) && !(name === "" && byte === 0x2e);
        name += plain
            ? String.fromCharCode(byte)
            : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    }
    return name;
}
function isPlain(byte) {
    return ((byte >= 0x30 && byte <= 0x39) ||
        (byte >= 0x41 && byte <= 0x5a) ||
        (byte >= 0x61 && byte <= 0x7a) ||
        byte === 0x2e ||
        byte === 0x5f ||
        byte === 0x2d);
}
/** The key of a file name, or null where the name was cut (the key is then a field of the file). */
function decodeKey(name) {
    if (name.includes("~"))
        return null;
    try {
        return decodeURIComponent(name);
    }
    catch {
        return null;
    }
}


/***/ }),

/***/ 772:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   W$: () => (/* binding */ DEFAULT_RECLAIM),
/* harmony export */   XE: () => (/* binding */ parseReclaim),
/* harmony export */   sX: () => (/* binding */ decideReclaim)
/* harmony export */ });
/* unused harmony export RECLAIM_REASONS */
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(600);

/** Why a lock may be taken from its holder. The first two mean it is dead; the others rob the living. */
const RECLAIM_REASONS = [
    "LOCK_EXPIRED",
    "HOLDER_DEAD",
    "SAME_USER",
    "HIGHER_PRIVILEGE",
    "EMERGENCY_OVERRIDE",
];
/** The words of `--reclaim`, in the order in which they are tried. */
const WORDS = {
    expired: "LOCK_EXPIRED",
    dead: "HOLDER_DEAD",
    "same-user": "SAME_USER",
    "higher-privilege": "HIGHER_PRIVILEGE",
    emergency: "EMERGENCY_OVERRIDE",
};
const PRIORITY = {
    LOCK_EXPIRED: "high",
    HOLDER_DEAD: "high",
    SAME_USER: "medium",
    HIGHER_PRIVILEGE: "medium",
    EMERGENCY_OVERRIDE: "high",
};
/** In CI the other three would let one person's two deployments run together. */
const DEFAULT_RECLAIM = ["LOCK_EXPIRED", "HOLDER_DEAD"];
/** Most privileged first. */
const PRIVILEGE = ["ci", "cloud", "local"];
function parseReclaim(text) {
    if (text.trim() === "none")
        return [];
    return text.split(",").map((part) => {
        const reason = Object.hasOwn(WORDS, part.trim()) ? WORDS[part.trim()] : undefined;
        if (reason === undefined) {
            throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_RECLAIM", `The reclaim reason ${JSON.stringify(part.trim())} is not known: use ${Object.keys(WORDS).join(", ")} or none.`);
        }
        return reason;
    });
}
/** The lock policy's decision tree, with HOLDER_DEAD, limited to what the claimant allowed. */
function decideReclaim(holder, claimant) {
    for (const reason of RECLAIM_REASONS) {
        if (claimant.allowed.includes(reason) && applies(reason, holder, claimant)) {
            return { canReclaim: true, reason, priority: PRIORITY[reason] };
        }
    }
    return { canReclaim: false, reason: "LOCK_HELD", priority: "low" };
}
function applies(reason, holder, claimant) {
    switch (reason) {
        case "LOCK_EXPIRED":
            return holder.vitality === "expired";
        case "HOLDER_DEAD":
            return holder.vitality === "dead";
        case "SAME_USER": {
            const user = claimant.metadata.user_identity;
            return user !== undefined && user !== "" && user === holder.metadata.user_identity;
        }
        case "HIGHER_PRIVILEGE":
            return outranks(claimant.metadata.environment, holder.metadata.environment);
        case "EMERGENCY_OVERRIDE":
            return claimant.metadata.purpose === "emergency";
    }
}
/** As the policy has it: a place in the list beats a later one; who is not listed (-1) never wins. */
function outranks(claimant, holder) {
    const mine = PRIVILEGE.indexOf(String(claimant));
    const theirs = PRIVILEGE.indexOf(String(holder));
    return mine !== -1 && mine < theirs;
}


/***/ }),

/***/ 242:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   WS: () => (/* binding */ checkSlots),
/* harmony export */   aZ: () => (/* binding */ SLOTS_LIMIT),
/* harmony export */   fb: () => (/* binding */ parseSlots),
/* harmony export */   qL: () => (/* binding */ slotsMismatch),
/* harmony export */   z0: () => (/* binding */ checkSlot)
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(600);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(352);


/** Every claim looks at each slot: beyond this a lock is the wrong tool. */
const SLOTS_LIMIT = 1_000;
function parseSlots(text) {
    const slots = /^\d{1,6}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
    return checkSlots(slots, text);
}
function checkSlots(slots, shown = String(slots)) {
    if (!Number.isInteger(slots) || slots < 1 || slots > SLOTS_LIMIT) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_SLOTS", `The number of slots ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(shown)} is not a whole number from 1 to ${SLOTS_LIMIT}.`);
    }
    return slots;
}
/** The number of one slot, as `break` takes it: they count from 0. */
function checkSlot(slot) {
    if (!Number.isInteger(slot) || slot < 0 || slot >= SLOTS_LIMIT) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_SLOTS", `The slot ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(String(slot))} is not a whole number from 0 to ${SLOTS_LIMIT - 1}.`);
    }
    return slot;
}
/** Claims of one key must agree about its slots; the sentence names both numbers. */
function slotsMismatch(key, asked, present) {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("SLOTS_MISMATCH", `The key ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(key)} is in use with slots ${present}, but this claim asks for slots ${asked}: use ${present}, or wait until nobody holds or waits for it.`);
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


/***/ })

};
