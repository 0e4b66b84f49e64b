export const id = 69;
export const ids = [69];
export const modules = {

/***/ 772:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   W$: () => (/* binding */ DEFAULT_RECLAIM),
/* harmony export */   sX: () => (/* binding */ decideReclaim)
/* harmony export */ });
/* unused harmony exports RECLAIM_REASONS, parseReclaim */
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
            throw new LockError("BAD_RECLAIM", `The reclaim reason ${JSON.stringify(part.trim())} is not known: use ${Object.keys(WORDS).join(", ")} or none.`);
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
/* harmony export */   qL: () => (/* binding */ slotsMismatch),
/* harmony export */   z0: () => (/* binding */ checkSlot)
/* harmony export */ });
/* unused harmony export parseSlots */
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

/***/ 69:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  DEFAULT_STALE_TIMEOUT_MS: () => (/* binding */ DEFAULT_STALE_TIMEOUT_MS),
  openFileStore: () => (/* binding */ openFileStore)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(24);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(760);
;// CONCATENATED MODULE: ./build/lock/clock.js
const systemClock = {
    now: () => Date.now(),
    monotonic: () => Number(process.hrtime.bigint() / 1000n) / 1_000,
};

// EXTERNAL MODULE: ./build/lock/digest.js
var lock_digest = __webpack_require__(675);
// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(600);
// EXTERNAL MODULE: ./build/lock/key.js
var lock_key = __webpack_require__(816);
// EXTERNAL MODULE: ./build/lock/text.js
var lock_text = __webpack_require__(352);
// EXTERNAL MODULE: ./build/stores/request.js
var stores_request = __webpack_require__(31);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(161);
;// CONCATENATED MODULE: ./build/stores/file/world.js
/** One step of the protocol: `const names = yield* step("list", directory)`. */
function* step(name, ...args) {
    return (yield { name, args });
}
/** Runs steps on a world, waiting only where the world has to: within a guard everything is at once. */
async function perform(world, steps, retry = (call) => call()) {
    let turn = steps.next();
    while (!turn.done) {
        let result;
        try {
            const method = world[turn.value.name];
            const { args } = turn.value;
            result = retry(() => method.apply(world, args));
            if (result instanceof Promise)
                result = await result;
        }
        catch (error) {
            turn = steps.throw(error);
            continue;
        }
        turn = steps.next(result);
    }
    return turn.value;
}

;// CONCATENATED MODULE: ./build/stores/file/audit.js


/** One JSON line, as the lock policy has it. */
function auditLine(auditor, now, operation, lockPath, details) {
    const timestamp = new Date(now).toISOString();
    return `${JSON.stringify({ timestamp, operation, lockPath, details, user: auditor.user, pid: auditor.pid })}\n`;
}
function* audit_record(place, auditor, operation, lockPath, details) {
    const now = yield* step("now");
    yield* step("append", place.audit, auditLine(auditor, now, operation, lockPath, details));
}
/** The operating system's word for who acts. */
function userName() {
    try {
        return (0,external_node_os_.userInfo)().username;
    }
    catch {
        return String(process.getuid?.() ?? "unknown");
    }
}

// EXTERNAL MODULE: ./build/lock/slots.js
var lock_slots = __webpack_require__(242);
// EXTERNAL MODULE: ./build/lock/owner.js
var lock_owner = __webpack_require__(208);
;// CONCATENATED MODULE: ./build/stores/file/fields.js



/** Counts from 1; a reader that meets a later one treats the lock as held and reads what it knows. */
const RECORD_VERSION = 1;
function ownFields(record) {
    return {
        holdfast: RECORD_VERSION,
        key: record.key,
        fence: record.fence,
        slot: record.slot,
        slots: record.slots,
        acquired: new Date(record.acquired).toISOString(),
        refreshed: new Date(record.refreshed).toISOString(),
        refreshed_uptime: Math.round(record.refreshedMonotonic),
        lease_ms: record.lease,
        // Fixed width: a heartbeat then changes bytes in place and a reader never meets a shifted line.
        beat: String(record.beat).padStart(10, "0"),
        beaten: new Date(record.beaten).toISOString(),
        host: record.process.host,
        process_id: record.process.pid,
        process_start: record.process.start,
        boot: record.process.boot,
        pid_namespace: record.process.namespace,
        covered_pid: record.covered?.pid ?? null,
        covered_start: record.covered?.start ?? null,
        token_sha256: record.digest,
    };
}
/** Null where a field that must be there is not, or is not what it should be. */
function readOwnFields(fields, common) {
    const number = (name) => wholeNumber(fields[name]);
    const fence = number("fence");
    const slot = number("slot");
    const slots = number("slots");
    const lease = number("lease_ms");
    const pid = number("process_id");
    const beat = number("beat");
    const acquired = instant(fields.acquired);
    const refreshed = instant(fields.refreshed);
    const beaten = instant(fields.beaten);
    if (fence === null || slot === null || slots === null || lease === null || pid === null)
        return null;
    if (beat === null || acquired === null || refreshed === null || beaten === null)
        return null;
    if (typeof fields.key !== "string" || !Number.isFinite(common.ttl))
        return null;
    // Readers look at every slot up to that number.
    if (slots > lock_slots/* SLOTS_LIMIT */.aZ)
        return null;
    const coveredPid = number("covered_pid");
    return {
        kind: "holdfast",
        format: common.format,
        key: (0,lock_text/* cleanText */.X5)(fields.key),
        owner: common.owner,
        note: common.note,
        metadata: (0,lock_owner/* readMetadata */._6)(common.metadata),
        fence,
        slot,
        slots,
        digest: fields_text(fields.token_sha256) ?? "",
        process: {
            pid,
            start: fields_text(fields.process_start),
            boot: fields_text(fields.boot),
            namespace: fields_text(fields.pid_namespace),
            host: fields_text(fields.host) ?? "",
        },
        covered: coveredPid === null ? null : { pid: coveredPid, start: fields_text(fields.covered_start) },
        acquired,
        refreshed,
        refreshedMonotonic: number("refreshed_uptime") ?? 0,
        ttl: common.ttl,
        lease,
        beat,
        beaten,
    };
}
function wholeNumber(value) {
    const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
    return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}
/** ISO 8601 to milliseconds; only what `Date` can also write again. */
function instant(value) {
    if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT/.test(value))
        return null;
    const milliseconds = Date.parse(value);
    return Number.isNaN(milliseconds) ? null : milliseconds;
}
function fields_text(value) {
    return typeof value === "string" && value !== "" ? (0,lock_text/* cleanText */.X5)(value) : null;
}

;// CONCATENATED MODULE: ./build/stores/file/format.js



/** Lock files are short: a larger one is not a lock, and must not fill our memory. */
const LOCK_FILE_BYTES_LIMIT = 64 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true });
/** Any bytes in; a record out. What cannot be understood is `unreadable`, never an exception. */
function parseLock(bytes) {
    if (bytes.byteLength > LOCK_FILE_BYTES_LIMIT)
        return unreadable("it is too large for a lock file");
    let text;
    try {
        text = utf8.decode(bytes);
    }
    catch {
        return unreadable("it is not UTF-8 text");
    }
    if (text.trim() === "")
        return unreadable("it is empty");
    if (text.includes("\0"))
        return unreadable("it contains NUL bytes");
    return text.trimStart().startsWith("{") ? parseJson(text) : parseSema(text);
}
function unreadable(problem) {
    return { kind: "unreadable", problem };
}
function parseSema(text) {
    const fields = Object.create(null);
    for (const line of text.split(/\r?\n/)) {
        const equals = line.indexOf("=");
        if (equals === -1)
            continue;
        const name = line.slice(0, equals).trim();
        // The first one counts: whatever follows later cannot take a field's place.
        if (!(name in fields))
            fields[name] = line.slice(equals + 1).trim();
    }
    const pid = wholeNumber(fields.pid);
    const timestamp = wholeNumber(fields.timestamp);
    if (pid === null)
        return unreadable("pid is missing or not a number");
    if (timestamp === null)
        return unreadable("timestamp is missing or not a number");
    const tag = (0,lock_text/* cleanText */.X5)(fields.tag ?? "").trim() || null;
    if (fields.holdfast !== undefined) {
        const own = readOwnFields(unquoteAll(fields), {
            format: "sema",
            owner: (0,lock_text/* cleanText */.X5)(unquote(fields.owner ?? "")),
            note: tag,
            ttl: Number(fields.ttl),
            metadata: parseJsonValue(fields.metadata ?? "{}"),
        });
        if (own)
            return own;
    }
    return { kind: "sema", pid, timestamp, tag };
}
function parseJson(text) {
    const value = parseJsonValue(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return unreadable("it is not a JSON object");
    }
    const json = value;
    const legacy = typeof json.since === "number";
    const since = legacy ? wholeNumber(json.since) : instant(json.since);
    // The old format had numbers as owners as well: the pid.
    const owner = typeof json.owner === "number" ? String(json.owner) : json.owner;
    if (typeof owner !== "string" || owner === "")
        return unreadable("owner is missing or not text");
    if (since === null || Math.abs(since) > 8.64e15)
        return unreadable("since is missing or not a time");
    if (typeof json.ttl !== "number" || !Number.isFinite(json.ttl) || json.ttl < 0) {
        return unreadable("ttl is missing or not a number of seconds");
    }
    if (typeof json.holdfast === "object" && json.holdfast !== null) {
        const fields = json.holdfast;
        const own = readOwnFields(fields, {
            format: "json",
            owner: (0,lock_text/* cleanText */.X5)(owner),
            note: typeof fields.note === "string" ? (0,lock_text/* cleanText */.X5)(fields.note) : null,
            ttl: json.ttl,
            metadata: json.metadata,
        });
        if (own)
            return own;
    }
    const metadata = (0,lock_owner/* readMetadata */._6)(json.metadata);
    return { kind: "policy", legacy, owner: (0,lock_text/* cleanText */.X5)(owner), since, ttl: json.ttl, metadata };
}
/** The whole content of a lock file, never shorter than `atLeast` bytes: see `pad`. */
function writeLock(record, atLeast = 0) {
    return pad(record.format === "json" ? writeJson(record) : writeSema(record), atLeast);
}
function writeSema(record) {
    const { holdfast, ...others } = ownFields(record);
    const fields = [
        ["pid", record.process.pid],
        // Refreshed by every heartbeat, so that a foreign reader never sees a living holder as stale.
        ["timestamp", Math.floor(record.beaten / 1_000)],
        ["tag", (0,lock_text/* cleanText */.X5)(record.note ?? "")],
        ["owner", record.owner],
        ["ttl", record.ttl],
        ["holdfast", holdfast],
        ...Object.entries(others),
        ["metadata", JSON.stringify(record.metadata)],
    ];
    return fields
        .filter(([, value]) => value !== null && value !== "")
        .map(([name, value]) => `${name}=${name === "metadata" || name === "tag" ? value : quoteValue(value)}\n`)
        .join("");
}
function writeJson(record) {
    const fields = ownFields(record);
    const json = {
        owner: record.owner,
        since: fields.refreshed,
        ttl: record.ttl,
        metadata: record.metadata,
        holdfast: { ...fields, note: record.note },
    };
    return `${JSON.stringify(json, null, 2)}\n`;
}
/** Readers trim values and tags may hold anything: text that trimming would change is quoted. */
function quoteValue(value) {
    const text = String(value);
    const plain = text === text.trim() && !text.startsWith('"') && !(0,lock_text/* hasControl */.aQ)(text);
    return plain ? text : JSON.stringify(text);
}
function unquote(value) {
    if (!value.startsWith('"'))
        return value;
    const parsed = parseJsonValue(value);
    return typeof parsed === "string" ? parsed : value;
}
function unquoteAll(fields) {
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, unquote(value)]));
}
function parseJsonValue(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
/**
 * A heartbeat rewrites the file in place. It may not become shorter, or the old tail would show;
 * blank lines are ignored by every reader of either format.
 */
function pad(text, atLeast) {
    const missing = atLeast - Buffer.byteLength(text, "utf8");
    return missing > 0 ? text + "\n".repeat(missing) : text;
}

;// CONCATENATED MODULE: ./build/stores/file/judge.js

/** The processes whose life decides about a lock. */
function processesOf(record, rules) {
    switch (record.kind) {
        case "holdfast":
            return record.covered === null
                ? [record.process]
                : [record.process, { ...record.process, ...record.covered }];
        case "sema":
            return [unmarked(record.pid, rules.hostname)];
        case "policy": {
            const local = (0,lock_owner/* parseLocalOwnerId */.v8)(record.owner);
            return local && local.hostname === rules.hostname
                ? [unmarked(local.pid, rules.hostname)]
                : [];
        }
        case "unreadable":
            return [];
    }
}
/** A process of which only the pid is known: any process with that pid counts as it. */
function unmarked(pid, host) {
    return { pid, start: null, boot: null, namespace: null, host };
}
/** The table "Who is dead?", row by row. Pure. */
function judge(record, evidence, rules) {
    const living = processesOf(record, rules).filter((_, index) => evidence.alive[index] !== false);
    return { ...judgeRecord(record, evidence, rules), living };
}
function judgeRecord(record, evidence, rules) {
    switch (record.kind) {
        case "holdfast":
            return judgeOwn(record, evidence);
        case "sema": {
            const alive = evidence.alive[0] ?? null;
            const left = rules.staleTimeout - (evidence.now - record.timestamp * 1_000);
            if (left > 0)
                return { vitality: "unknown", alive, reviewAt: evidence.monotonic + left };
            if (rules.staleRule === "age")
                return { vitality: "expired", alive, reviewAt: null };
            return { vitality: alive === false ? "dead" : "alive", alive, reviewAt: null };
        }
        case "policy": {
            const alive = evidence.alive[0] ?? null;
            const left = record.since + record.ttl * 1_000 - evidence.now;
            if (left < 0)
                return { vitality: "expired", alive: alive === true ? true : null, reviewAt: null };
            if (alive === false)
                return { vitality: "dead", alive, reviewAt: null };
            return {
                vitality: alive ? "alive" : "unknown",
                alive,
                reviewAt: evidence.monotonic + left + 1,
            };
        }
        case "unreadable": {
            const left = rules.staleTimeout - (evidence.now - evidence.modified);
            if (left > 0)
                return { vitality: "unknown", alive: null, reviewAt: evidence.monotonic + left };
            return { vitality: "expired", alive: null, reviewAt: null };
        }
    }
}
function judgeOwn(record, evidence) {
    const alive = anyAlive(evidence.alive);
    const ttl = record.ttl * 1_000;
    if (alive === false)
        return { vitality: "dead", alive, reviewAt: null };
    if (alive === null) {
        // Elsewhere: only what this process itself saw counts, since two machines' clocks may differ.
        const silent = evidence.monotonic - evidence.beatSeen;
        const unrefreshed = evidence.monotonic - evidence.refreshSeen;
        if (silent >= record.lease)
            return { vitality: "dead", alive: false, reviewAt: null };
        if (unrefreshed >= ttl)
            return { vitality: "expired", alive, reviewAt: null };
        const reviewAt = Math.min(nextLook(evidence.beatSeen, record.lease, evidence.monotonic), evidence.refreshSeen + ttl);
        return { vitality: "unknown", alive, reviewAt };
    }
    // Same boot, so its monotonic clock is ours. A stopped process exists, and yet its ttl runs out.
    const reviewAt = record.refreshedMonotonic + ttl;
    if (evidence.monotonic > reviewAt)
        return { vitality: "expired", alive, reviewAt: null };
    return { vitality: "alive", alive, reviewAt: reviewAt + 1 };
}
/**
 * Somebody elsewhere is watched, not asked. Looking only when the lease could be over would find a
 * heartbeat that came in between, and begin again: three looks a lease bound that to a third.
 */
function nextLook(seen, lease, monotonic) {
    return Math.min(seen + lease, monotonic + lease / 3);
}
/** The lock lives as long as one of its processes does. */
function anyAlive(answers) {
    if (answers.includes(true))
        return true;
    return answers.includes(null) ? null : false;
}

;// CONCATENATED MODULE: ./build/stores/file/place.js


const LOCK_SUFFIX = ".lock";
const TICKET_SUFFIX = ".ticket";
const GRAVE_SUFFIX = ".grave";
const SIDE_DIRECTORY = ".holdfast";
const AUDIT_LOG = ".lock_audit.log";
/** The place of a lock file, which must be a resolved path: no symlink, no `..`. */
function placeOf(key, lock) {
    const directory = (0,external_node_path_.dirname)(lock);
    const side = (0,external_node_path_.join)(directory, SIDE_DIRECTORY, (0,external_node_path_.basename)(lock));
    return {
        key,
        directory,
        lock,
        side,
        guard: (0,external_node_path_.join)(side, "guard"),
        fence: (0,external_node_path_.join)(side, "fence"),
        audit: (0,external_node_path_.join)(directory, AUDIT_LOG),
    };
}
/** The name of a key's lock file in a directory store. */
function lockFileName(key) {
    return (0,lock_key/* encodeKey */.g2)(key) + LOCK_SUFFIX;
}
function slotPath(place, slot) {
    return slot === 0
        ? place.lock
        : `${place.lock.slice(0, -LOCK_SUFFIX.length)}@${slot}${LOCK_SUFFIX}`;
}
/** The spec's name of a temporary file: beside its lock, with the pid, unguessable. */
function temporaryPath(lock, pid, random) {
    return `${lock}.${pid}.${random}.tmp`;
}
/** The pid of a temporary file of that lock, or null where the name is not one. */
function temporaryPid(lock, name) {
    const prefix = `${(0,external_node_path_.basename)(lock)}.`;
    if (!name.startsWith(prefix) || !name.endsWith(".tmp"))
        return null;
    const match = /^(\d{1,10})\.[\w-]+$/.exec(name.slice(prefix.length, -".tmp".length));
    return match ? Number(match[1]) : null;
}
function gravePath(place, slot) {
    return (0,external_node_path_.join)(place.side, `slot${slot}${GRAVE_SUFFIX}`);
}
/** Slots that have a grave, from the names in the side directory. */
function gravesIn(names) {
    return names.flatMap((name) => {
        const match = /^slot(\d{1,6})\.grave$/.exec(name);
        return match ? [Number(match[1])] : [];
    });
}

;// CONCATENATED MODULE: ./build/stores/file/ticket.js





const NUMBER_WIDTH = 16;
/** The last moment that `Date` can write. */
const TIME_LIMIT_MS = 8.64e15;
/** Numbers are given under the guard: one more than the last in line, or the clock's microseconds. */
function nextTicketName(line, nowMs, random) {
    const last = line.at(-1);
    const number = Math.max(last === undefined ? 0 : ticketNumber(last) + 1, Math.floor(nowMs) * 1_000);
    return `${String(number).padStart(NUMBER_WIDTH, "0")}-${random}${TICKET_SUFFIX}`;
}
function ticketNumber(name) {
    return Number(name.slice(0, NUMBER_WIDTH));
}
/** The tickets among the names of a side directory, first in line first. */
function lineOf(names) {
    return names.filter((name) => /^\d{16}-[\w-]+\.ticket$/.test(name)).sort();
}
function writeTicket(ticket) {
    // Fixed width, as in lock files: a heartbeat overwrites in place.
    return `${JSON.stringify({ ...ticket, beat: String(ticket.beat).padStart(10, "0") })}\n`;
}
/** Null for a ticket that a crash left half written: tickets are only made under the guard. */
function parseTicket(content) {
    let value;
    try {
        value = JSON.parse(Buffer.from(content).toString("utf8"));
    }
    catch {
        return null;
    }
    if (typeof value !== "object" || value === null)
        return null;
    const { owner, note, metadata, slots, since, lease, beat, process } = value;
    const numbers = [slots, since, lease, beat].map(wholeNumber);
    const [slotCount, joined, leaseMs, beats] = numbers;
    if (typeof owner !== "string" || typeof process !== "object" || process === null)
        return null;
    if (slotCount == null || joined == null || leaseMs == null || beats == null)
        return null;
    const mark = process;
    const pid = wholeNumber(mark.pid);
    if (pid === null || slotCount > lock_slots/* SLOTS_LIMIT */.aZ || joined > TIME_LIMIT_MS)
        return null;
    return {
        owner: (0,lock_text/* cleanText */.X5)(owner),
        note: typeof note === "string" ? (0,lock_text/* cleanText */.X5)(note) : null,
        metadata: (0,lock_owner/* readMetadata */._6)(metadata),
        slots: slotCount,
        since: joined,
        lease: leaseMs,
        beat: beats,
        process: {
            pid,
            start: ticket_text(mark.start),
            boot: ticket_text(mark.boot),
            namespace: ticket_text(mark.namespace),
            host: ticket_text(mark.host) ?? "",
        },
    };
}
function ticket_text(value) {
    return typeof value === "string" ? value : null;
}

;// CONCATENATED MODULE: ./build/stores/file/examine.js





/** Reads and judges the lock of a slot; null where it is free. Changes nothing. */
function* examineSlot(place, slot, rules, sightings) {
    const path = slotPath(place, slot);
    const view = yield* step("read", path);
    if (view === null)
        return null;
    return { slot, path, view, ...(yield* examineView(path, view, rules, sightings)) };
}
function* examineView(path, view, rules, sightings) {
    const record = view.problem === undefined
        ? parseLock(view.content)
        : { kind: "unreadable", problem: view.problem };
    const alive = [];
    for (const mark of processesOf(record, rules))
        alive.push(yield* step("alive", mark));
    const now = yield* step("now");
    const monotonic = yield* step("monotonic");
    const name = `${path} ${view.inode}`;
    const own = record.kind === "holdfast" ? record : null;
    const beatSeen = sightings.note(`${name} beat`, String(own?.beat), monotonic);
    const refreshSeen = sightings.note(`${name} refresh`, String(own?.refreshed), monotonic);
    const evidence = { now, monotonic, modified: view.modified, alive, beatSeen, refreshSeen };
    return { record, verdict: judge(record, evidence, rules) };
}
/** Reads and judges a ticket; null where it is gone. */
function* examineTicket(path, sightings) {
    const view = yield* step("read", path);
    if (view === null)
        return null;
    const ticket = parseTicket(view.content);
    const known = { path, inode: view.inode, ticket };
    if (ticket === null)
        return { ...known, dead: true, alive: false, reviewAt: null };
    const alive = yield* step("alive", ticket.process);
    if (alive !== null)
        return { ...known, dead: !alive, alive, reviewAt: null };
    const monotonic = yield* step("monotonic");
    const seen = sightings.note(`${path} ${view.inode}`, String(ticket.beat), monotonic);
    const dead = monotonic - seen >= ticket.lease;
    return {
        ...known,
        dead,
        alive: dead ? false : null,
        reviewAt: dead ? null : nextLook(seen, ticket.lease, monotonic),
    };
}

;// CONCATENATED MODULE: ./build/stores/file/burial.js



/**
 * Removes a lock that was judged, and only that one. Under the guard no Holdfast can come between,
 * but a sema tool knows no guard: it may have replaced the file since it was read. So the file is
 * moved aside first; if it turns out to be another one than was judged, it is put back.
 * True: buried. False: it was another one, or gone.
 */
function* bury(place, judged) {
    const grave = gravePath(place, judged.slot);
    if (!(yield* step("rename", judged.path, grave)))
        return false;
    const inode = yield* step("inode", grave);
    if (inode === judged.view.inode) {
        yield* step("remove", grave);
        return true;
    }
    yield* putBack(grave, judged.path);
    return false;
}
/** link overwrites nobody. Where it is not allowed (another user's file, no hard links), rename must do. */
function* putBack(grave, path) {
    const linked = yield* step("link", grave, path);
    if (linked === "unsupported" && (yield* step("inode", path)) === null)
        yield* step("rename", grave, path);
    else
        yield* step("remove", grave);
}
/** Finishes a burial that a crash interrupted: whoever enters the guard next comes through here. */
function* finishBurials(place, names, rules, sightings) {
    for (const slot of gravesIn(names)) {
        const grave = gravePath(place, slot);
        const view = yield* step("read", grave);
        if (view === null)
            continue;
        const { verdict } = yield* examineView(grave, view, rules, sightings);
        // A living lock in a grave is a foreign one that was moved by mistake.
        if (verdict.vitality === "dead" || verdict.vitality === "expired")
            yield* step("remove", grave);
        else
            yield* putBack(grave, slotPath(place, slot));
    }
}

;// CONCATENATED MODULE: ./build/stores/file/memory.js



/**
 * The fence file has a first line of fixed width, rewritten in place in one write, so that a crash
 * leaves either the old number or the new one. The key follows, for names that had to be cut.
 */
function* recall(place) {
    const view = yield* step("read", place.fence, "likely");
    return parseMemory(view === null ? "" : Buffer.from(view.content).toString("utf8"));
}
function parseMemory(text) {
    const match = /^fence=(\d{16}) slots=(\d{4})\n(?:key=([^\n]*)\n)?/.exec(text);
    if (!match)
        return { fence: null, slots: 1, key: null };
    return {
        fence: wholeNumber(match[1]),
        slots: Math.max(1, Number(match[2])),
        key: match[3] === undefined ? null : (0,lock_text/* cleanText */.X5)(match[3]),
    };
}
function* remember(place, fence, slots) {
    const line = `fence=${String(fence).padStart(16, "0")} slots=${String(slots).padStart(4, "0")}\n`;
    yield* step("put", place.fence, `${line}key=${place.key}\n`);
}

;// CONCATENATED MODULE: ./build/stores/file/sightings.js
/**
 * Since when this process has seen a file's heartbeat unchanged. A watcher elsewhere judges by its
 * own monotonic clock alone; what it has not watched itself, it does not know.
 */
class Sightings {
    #seen = new Map();
    /** Notes what is seen now and answers since when it has been so. */
    note(what, value, monotonic) {
        const known = this.#seen.get(what);
        if (known?.value === value)
            return known.since;
        this.#seen.set(what, { value, since: monotonic });
        return monotonic;
    }
}

;// CONCATENATED MODULE: ./build/lock/fence.js
/**
 * The next fencing number: `max(last + 1, now in microseconds)`. Because it follows the clock, it
 * also grows when the store's memory of `last` was wiped, restored from a backup or moved; because
 * of `last + 1`, it also grows when the clock went back. A safe integer until the year 2255.
 */
function nextFence(last, nowMs) {
    const byClock = Math.floor(nowMs) * 1_000;
    return last === null ? byClock : Math.max(last + 1, byClock);
}

;// CONCATENATED MODULE: ./build/stores/file/line.js




/**
 * Removes the dead from the two places that matter to this claim: from the front, so that it learns
 * whether it is first, and from directly before it, so that it watches someone who can wake it.
 * Those between are some other waiter's neighbours. So a turn costs the same however long the line.
 */
function* pruneLine(claim, names) {
    let place = claim.ticket === null ? names.length : names.indexOf(claim.ticket.name);
    if (place === -1) {
        // Somebody elsewhere judged this claim dead while it was frozen. It joins again, at the end.
        yield* forgetTicket(claim);
        place = names.length;
    }
    let front = 0;
    const first = yield* firstLiving(claim, names.slice(0, place), (skipped) => {
        front += skipped;
    });
    if (first === null)
        return { names, first, ahead: null };
    const behindFirst = names.slice(front + 1, place).reverse();
    const ahead = yield* firstLiving(claim, behindFirst, () => { });
    return { names, first, ahead: ahead ?? first };
}
function* firstLiving(claim, names, skip) {
    for (const name of names) {
        const found = yield* examineTicket((0,external_node_path_.join)(claim.place.side, name), claim.sightings);
        if (found !== null && !found.dead && found.ticket !== null)
            return aheadOf(found, found.ticket);
        if (found !== null)
            yield* step("remove", found.path);
        skip(1);
    }
    return null;
}
function aheadOf(found, ticket) {
    const { path, inode, alive, reviewAt } = found;
    return { path, inode, alive, reviewAt, process: ticket.process, slots: ticket.slots };
}
/** Takes a ticket at the end of the line, unless this claim has one. Under the guard. */
function* joinLine(claim, names) {
    if (claim.ticket !== null)
        return;
    const since = yield* step("now");
    const name = nextTicketName(names, since, yield* step("random"));
    const path = (0,external_node_path_.join)(claim.place.side, name);
    const content = {
        owner: claim.owner.id,
        note: claim.note,
        metadata: claim.owner.metadata,
        slots: claim.slots,
        since: Math.floor(since),
        lease: claim.lease,
        beat: 0,
        process: claim.process,
    };
    const descriptor = yield* step("create", path, writeTicket(content));
    claim.ticket = { path, name, descriptor, content };
}
/** Gives the ticket back. */
function* leaveLine(claim) {
    if (claim.ticket === null)
        return;
    yield* step("remove", claim.ticket.path);
    yield* forgetTicket(claim);
}
function* forgetTicket(claim) {
    const ticket = claim.ticket;
    claim.ticket = null;
    if (ticket !== null)
        yield* step("close", ticket.descriptor);
}

;// CONCATENATED MODULE: ./build/stores/file/take.js











/** How often a temporary file that somebody's cleaning removed is made again before giving up. */
const TEMPORARY_ATTEMPTS = 10;
/**
 * Makes the lock of a slot this claim's. Under the guard. Null where a tool that knows no guard got
 * there first: the caller looks again.
 */
function* take(claim, memory, slot, reclaim) {
    if (reclaim !== null && !(yield* bury(claim.place, reclaim.lock)))
        return null;
    if (reclaim !== null) {
        const { lock, reason, priority } = reclaim;
        const details = {
            key: claim.place.key,
            existingOwner: nameOf(lock),
            newOwner: claim.owner.id,
            reason,
            priority,
            fence: fenceOf(lock),
            slot: lock.slot,
        };
        yield* audit_record(claim.place, claim.auditor, "reclaim", lock.path, details);
    }
    const record = yield* newRecord(claim, memory, slot, reclaim);
    // Before the lock appears: a crash in between wastes a number, the other order would repeat one.
    yield* remember(claim.place, record.fence, claim.slots);
    const path = slotPath(claim.place, slot);
    const content = writeLock(record);
    const descriptor = yield* place(claim, path, content);
    if (descriptor === null)
        return null;
    try {
        const waited = Math.round((yield* step("monotonic")) - claim.started);
        const details = {
            key: record.key,
            owner: record.owner,
            fence: record.fence,
            slot,
            waited,
            metadata: record.metadata,
        };
        yield* audit_record(claim.place, claim.auditor, "acquire", path, details);
        // Last, since it wakes the next in line, which would find the guard busy.
        yield* leaveLine(claim);
    }
    catch (error) {
        // Failing after the lock appeared must not leave it behind, held by a process that gave up.
        yield* step("remove", path);
        yield* step("close", descriptor);
        throw error;
    }
    const from = reclaim === null ? null : { from: nameOf(reclaim.lock), reason: reclaim.reason };
    return { path, descriptor, record, content, reclaimed: from };
}
function* newRecord(claim, memory, slot, reclaim) {
    const now = yield* step("now");
    const monotonic = yield* step("monotonic");
    const previous = reclaim?.lock.record.kind === "holdfast" ? reclaim.lock.record.fence : 0;
    const metadata = reclaim === null
        ? claim.owner.metadata
        : {
            ...claim.owner.metadata,
            reclaimed_from: nameOf(reclaim.lock),
            reclaimed_reason: reclaim.reason,
        };
    return {
        kind: "holdfast",
        format: claim.format,
        key: claim.place.key,
        owner: claim.owner.id,
        note: claim.note,
        metadata,
        fence: nextFence(Math.max(memory.fence ?? 0, previous), now),
        slot,
        slots: claim.slots,
        digest: claim.digest,
        process: claim.process,
        covered: null,
        acquired: Math.floor(now),
        refreshed: Math.floor(now),
        refreshedMonotonic: monotonic,
        ttl: claim.ttl,
        lease: claim.lease,
        beat: 0,
        beaten: Math.floor(now),
    };
}
/** Puts a complete file under the lock's name, or returns null where there already is one. */
function* place(claim, path, content) {
    for (let tries = 0; tries < TEMPORARY_ATTEMPTS; tries++) {
        const temporary = temporaryPath(path, claim.process.pid, yield* step("random"));
        const descriptor = yield* step("create", temporary, content);
        let outcome = "failed";
        try {
            outcome = yield* step("link", temporary, path);
        }
        finally {
            yield* step("remove", temporary);
            if (outcome !== "linked")
                yield* step("close", descriptor);
        }
        if (outcome === "linked")
            return descriptor;
        if (outcome === "exists")
            return null;
        if (outcome === "unsupported")
            return yield* createDirectly(path, content);
        // source-gone: a sema tool's `clean` removes foreign temporary files.
    }
    throw new errors/* LockError */.Ku("STORE_UNREACHABLE", `Temporary files beside ${path} vanish as soon as they are made: stop whatever cleans that directory.`);
}
/** For filesystems without hard links. A reader may then meet a half-written file: it waits. */
function* createDirectly(path, content) {
    try {
        return yield* step("create", path, content);
    }
    catch (error) {
        if ((0,errors/* systemCode */.xU)(error) === "EEXIST")
            return null;
        throw error;
    }
}
/** By this the record of a lock's end is found again; null where its tool gives none. */
function fenceOf(lock) {
    return lock.record.kind === "holdfast" ? lock.record.fence : null;
}
/** What to call a holder in the record of a reclaim. */
function nameOf(lock) {
    switch (lock.record.kind) {
        case "holdfast":
        case "policy":
            // A foreign owner may be as long as its file: our own lock, which names it, must stay readable.
            return (0,lock_text/* cutToBytes */.zP)(lock.record.owner, lock_owner/* OWNER_BYTES_LIMIT */.CG);
        case "sema":
            return `pid-${lock.record.pid}`;
        case "unreadable":
            return "unknown";
    }
}

;// CONCATENATED MODULE: ./build/stores/file/inspect.js







/** What can be seen of a key without its guard: a moment's picture, changing nothing. */
function* inspectSteps(place, store, rules) {
    const sightings = new Sightings();
    const memory = yield* recall(place);
    const holders = [];
    let slots = memory.slots;
    for (let slot = 0; slot < slots; slot++) {
        const lock = yield* examineSlot(place, slot, rules, sightings);
        if (lock === null)
            continue;
        if (lock.record.kind === "holdfast")
            slots = Math.max(slots, lock.record.slots);
        holders.push(holderOf(lock));
    }
    const waiters = [];
    for (const name of lineOf(yield* step("list", place.side))) {
        const found = yield* examineTicket((0,external_node_path_.join)(place.side, name), sightings);
        // The dead are no longer in line, though their tickets still lie there.
        if (found?.ticket == null || found.dead)
            continue;
        const { owner, since, note, metadata, slots: agreed } = found.ticket;
        slots = Math.max(slots, agreed);
        const position = waiters.length + 1;
        waiters.push({
            owner,
            since: new Date(since).toISOString(),
            position,
            alive: found.alive,
            note,
            metadata,
        });
    }
    const remembered = memory.fence !== null;
    return { key: place.key, store, slots, holders, waiting: waiters.length, waiters, remembered };
}
const RECLAIMABLE = {
    dead: "HOLDER_DEAD",
    expired: "LOCK_EXPIRED",
};
function holderOf(lock) {
    return { ...describeHolder(lock), reclaimable: RECLAIMABLE[lock.verdict.vitality] ?? null };
}
function describeHolder(lock) {
    const { record, verdict, slot } = lock;
    const unknown = { slot, fence: null, pid: null, host: null, note: null, ttl: null, metadata: {} };
    switch (record.kind) {
        case "holdfast":
            return {
                owner: record.owner,
                since: new Date(record.acquired).toISOString(),
                ttl: record.ttl,
                fence: record.fence,
                slot,
                pid: record.process.pid,
                host: record.process.host,
                alive: verdict.alive,
                note: record.note,
                metadata: record.metadata,
                heartbeat: new Date(record.beaten).toISOString(),
            };
        case "sema": {
            const since = new Date(record.timestamp * 1_000);
            const time = Number.isNaN(since.getTime()) ? null : since.toISOString();
            return {
                ...unknown,
                owner: nameOf(lock),
                since: time,
                pid: record.pid,
                alive: verdict.alive,
                note: record.tag,
                heartbeat: null,
            };
        }
        case "policy": {
            const since = new Date(record.since).toISOString();
            const { owner, ttl, metadata } = record;
            const pid = typeof metadata.process_id === "number" ? metadata.process_id : null;
            const host = typeof metadata.hostname === "string" ? metadata.hostname : null;
            return {
                ...unknown,
                owner,
                since,
                ttl,
                pid,
                host,
                alive: verdict.alive,
                // Where a migration put the tag of a sema lock.
                note: typeof metadata.tag === "string" ? metadata.tag : null,
                metadata,
                heartbeat: since,
            };
        }
        case "unreadable": {
            const since = new Date(lock.view.modified).toISOString();
            return {
                ...unknown,
                owner: nameOf(lock),
                since,
                alive: null,
                heartbeat: null,
                problem: record.problem,
            };
        }
    }
}

;// CONCATENATED MODULE: ./build/stores/file/break.js









/** Takes a key from its holders, whoever they are. Under the guard; recorded before it is done. */
function* breakSteps(place, rules, auditor, options) {
    const broken = [];
    if (options.slot !== undefined)
        (0,lock_slots/* checkSlot */.z0)(options.slot);
    yield* step("enter", place.guard);
    try {
        const sightings = new Sightings();
        yield* finishBurials(place, yield* step("list", place.side), rules, sightings);
        const memory = yield* recall(place);
        for (let slot = 0; slot < Math.max(memory.slots, (options.slot ?? 0) + 1); slot++) {
            if (options.slot !== undefined && slot !== options.slot)
                continue;
            const lock = yield* examineSlot(place, slot, rules, sightings);
            if (lock === null)
                continue;
            const details = {
                key: place.key,
                existingOwner: nameOf(lock),
                fence: fenceOf(lock),
                slot,
                reason: options.reason,
                by: options.owner,
            };
            yield* audit_record(place, auditor, "break", lock.path, details);
            if (yield* bury(place, lock))
                broken.push(holderOf(lock));
        }
    }
    finally {
        yield* step("leave", place.guard);
    }
    return broken;
}

;// CONCATENATED MODULE: ./build/stores/file/location.js





/** One fixed place for the whole machine: two runners on it must meet, whatever their TMPDIR. */
function defaultDirectory(env = process.env) {
    if (process.platform === "win32")
        return (0,external_node_path_.join)(env.ProgramData ?? "C:\\ProgramData", "holdfast");
    return "/tmp/holdfast";
}
function parseLocation(store, workingDirectory) {
    const path = /^file:/i.test(store) ? pathOfUrl(store) : store;
    if (path === "")
        return { kind: "directory", path: defaultDirectory(), isDefault: true };
    if ((0,lock_text/* hasControl */.aQ)(path))
        throw badStore(store, "contains a control character");
    if (!path.isWellFormed())
        throw badStore(store, "is not valid Unicode");
    if (path.split(/[/\\]/).includes("..")) {
        throw badStore(store, "contains a .. segment: name the directory itself");
    }
    const absolute = (0,external_node_path_.isAbsolute)(path) ? (0,external_node_path_.resolve)(path) : (0,external_node_path_.resolve)(workingDirectory, path);
    const isLock = absolute.endsWith(LOCK_SUFFIX) && !path.endsWith("/") && !path.endsWith(external_node_path_.sep);
    return isLock
        ? { kind: "lock", path: absolute }
        : { kind: "directory", path: absolute, isDefault: absolute === defaultDirectory() };
}
/** `file:/abs`, `file:///abs`, `file://localhost/abs`, `file:relative`. */
function pathOfUrl(url) {
    let rest = url.slice("file:".length);
    if (rest.startsWith("//")) {
        const slash = rest.indexOf("/", 2);
        const host = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
        if (host !== "" && host !== "localhost") {
            throw badStore(url, `names the host ${(0,lock_text/* quote */.hD)(host)}: a file is on this machine, write file:///path`);
        }
        rest = slash === -1 ? "" : rest.slice(slash);
    }
    if (/[?#]/.test(rest))
        throw badStore(url, "contains ? or #: write them as %3F and %23");
    let path;
    try {
        path = decodeURIComponent(rest);
    }
    catch {
        throw badStore(url, "has a broken percent-encoding");
    }
    return process.platform === "win32" && /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
}
function badStore(store, wrong) {
    return new errors/* LockError */.Ku("BAD_STORE", `The store ${(0,lock_text/* quote */.hD)(store, 120)} ${wrong}.`);
}
/** How a store names itself: a file URL that leads back to it. */
function locationUrl(location) {
    // A directory whose name ends as a lock file's does is told from one by its last slash.
    const slash = location.kind === "directory" && location.path.endsWith(LOCK_SUFFIX) ? "/" : "";
    const path = encodeURI(location.path + slash);
    return `file:${path.replace(/[?#]/g, (c) => (c === "?" ? "%3F" : "%23"))}`;
}
/** As many links as the kernel itself follows. */
const LINK_LIMIT = 40;
/**
 * The path that a lock file really has, so that two ways to it share one guard and one line.
 * Dangling links are followed too: the lock then appears where the link points.
 */
function resolveLock(path) {
    let current = path;
    for (let links = 0; links < LINK_LIMIT; links++) {
        const directory = resolveDirectory((0,external_node_path_.dirname)(current));
        current = (0,external_node_path_.join)(directory, (0,external_node_path_.basename)(current));
        const stat = (0,external_node_fs_.lstatSync)(current, { throwIfNoEntry: false });
        if (!stat?.isSymbolicLink())
            return current;
        current = (0,external_node_path_.resolve)(directory, (0,external_node_fs_.readlinkSync)(current));
    }
    throw new errors/* LockError */.Ku("BAD_STORE", `The lock file ${(0,lock_text/* quote */.hD)(path, 120)} is a loop of symbolic links.`);
}
/** A directory that may not exist yet: what exists of it is resolved. */
function resolveDirectory(path) {
    try {
        return (0,external_node_fs_.realpathSync)(path);
    }
    catch (error) {
        const code = (0,errors/* systemCode */.xU)(error);
        if (code !== "ENOENT")
            throw error;
        const parent = (0,external_node_path_.dirname)(path);
        if (parent === path)
            return path;
        const here = (0,external_node_path_.join)(resolveDirectory(parent), (0,external_node_path_.basename)(path));
        const stat = (0,external_node_fs_.lstatSync)(here, { throwIfNoEntry: false });
        return stat?.isSymbolicLink()
            ? resolveDirectory((0,external_node_path_.resolve)((0,external_node_path_.dirname)(here), (0,external_node_fs_.readlinkSync)(here)))
            : here;
    }
}
/** Two ways to one directory must meet at one guard; only the default must not be a link at all. */
function resolveLocation(location) {
    if (location.kind === "lock")
        return { ...location, path: resolveLock(location.path) };
    return location.isDefault ? location : { ...location, path: resolveDirectory(location.path) };
}

;// CONCATENATED MODULE: ./build/stores/file/catalogue.js







/** Every key that has left a trace in a directory: a lock file, a side directory, a temporary file. */
function catalogue(world, directory) {
    const slots = new Map();
    const add = (stem, slot) => {
        const known = slots.get(stem) ?? new Set([0]);
        slots.set(stem, known.add(slot));
    };
    for (const name of world.list(directory)) {
        // `name.lock`, `name@2.lock`, and `name.lock.4711.abcdef.tmp`, of which only the lock may be gone.
        const match = /^(.*?)(?:@(\d{1,4}))?\.lock(?:\.\d{1,10}\.[\w-]+\.tmp)?$/s.exec(name);
        if (match)
            add(match[1], Number(match[2] ?? 0));
    }
    for (const name of world.list((0,external_node_path_.join)(directory, SIDE_DIRECTORY))) {
        if (name.endsWith(LOCK_SUFFIX))
            add(name.slice(0, -LOCK_SUFFIX.length), 0);
    }
    return [...slots]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([stem, found]) => {
        const lock = (0,external_node_path_.join)(directory, stem + LOCK_SUFFIX);
        return { place: placeOf(keyOf(world, lock), lock), slots: [...found].sort((a, b) => a - b) };
    });
}
/**
 * Where the locks really are: a link is followed, as a claim follows it, and must never be taken for
 * a lock itself. Directories are left out: other tools lock by them, and a claim of such a key says so.
 */
function reachable(entries) {
    return entries.flatMap(({ place, slots }) => {
        try {
            const lock = resolveLock(place.lock);
            if ((0,external_node_fs_.statSync)(lock, { throwIfNoEntry: false })?.isDirectory())
                return [];
            return [{ place: placeOf(place.key, lock), slots }];
        }
        catch {
            return [];
        }
    });
}
/** A key is a field of its files; where they do not tell, the file's name does. */
function keyOf(world, lock) {
    const place = placeOf("", lock);
    const remembered = world.read(place.fence);
    const memory = remembered === null ? null : parseMemory(Buffer.from(remembered.content).toString("utf8"));
    if (memory?.key != null)
        return memory.key;
    const view = readIfFile(world, slotPath(place, 0));
    const record = view === null ? null : parseLock(view.content);
    if (record?.kind === "holdfast")
        return record.key;
    const stem = (0,external_node_path_.basename)(lock, LOCK_SUFFIX);
    return (0,lock_key/* decodeKey */.y3)(stem) ?? stem;
}
function readIfFile(world, path) {
    try {
        return world.read(path);
    }
    catch {
        return null;
    }
}

;// CONCATENATED MODULE: ./build/stores/file/clean.js









/** Removes what the dead left of one key: locks, tickets, graves, temporary files. Under the guard. */
function* cleanKey(place, slots, names, context) {
    const removed = [];
    if (!context.dryRun)
        yield* step("enter", place.guard);
    try {
        const sightings = new Sightings();
        const side = yield* step("list", place.side);
        if (!context.dryRun)
            yield* finishBurials(place, side, context.rules, sightings);
        for (const slot of slots)
            removed.push(...(yield* cleanLock(place, slot, sightings, context)));
        for (const name of lineOf(side)) {
            const found = yield* examineTicket((0,external_node_path_.join)(place.side, name), sightings);
            if (found === null || !found.dead)
                continue;
            if (!context.dryRun)
                yield* step("remove", found.path);
            removed.push({
                path: found.path,
                why: `ticket of ${found.ticket?.owner ?? "an unfinished claim"}, whose process is gone`,
            });
        }
        for (const slot of slots)
            removed.push(...(yield* cleanTemporaries(slotPath(place, slot), place, names, context)));
        removed.push(...(yield* cleanGuards(place, side, context)));
    }
    finally {
        if (!context.dryRun)
            yield* step("leave", place.guard);
    }
    return removed;
}
function* cleanLock(place, slot, sightings, context) {
    const lock = yield* examineSlot(place, slot, context.rules, sightings);
    if (lock === null || (lock.verdict.vitality !== "dead" && lock.verdict.vitality !== "expired"))
        return [];
    const reason = lock.verdict.vitality === "dead" ? "HOLDER_DEAD" : "LOCK_EXPIRED";
    if (!context.dryRun) {
        const details = {
            key: place.key,
            existingOwner: nameOf(lock),
            reason,
            fence: fenceOf(lock),
            slot,
            by: context.by,
        };
        yield* audit_record(place, context.auditor, "clean", lock.path, details);
        if (!(yield* bury(place, lock)))
            return [];
    }
    return [{ path: lock.path, why: `lock of ${nameOf(lock)}: ${reason}` }];
}
/** A temporary file lives for less than a millisecond under the guard: one whose pid is gone is waste. */
function* cleanTemporaries(lock, place, names, context) {
    const removed = [];
    for (const name of names) {
        const pid = temporaryPid(lock, name);
        if (pid === null)
            continue;
        const path = (0,external_node_path_.join)(place.directory, name);
        const view = yield* step("read", path);
        if (view === null)
            continue;
        const alive = yield* step("alive", markOfPid(pid, context));
        const age = (yield* step("now")) - view.modified;
        // Should the pid be another machine's after all, its claim makes the file again.
        if (alive !== false && age < context.rules.staleTimeout)
            continue;
        if (!context.dryRun)
            yield* step("remove", path);
        removed.push({ path, why: `temporary file of process ${pid}` });
    }
    return removed;
}
/**
 * What a crash left of making the guard. Judged by the pid alone: such a file may be a second name of
 * the guard itself, and closing any descriptor of that would drop the lock that this process is under.
 */
function* cleanGuards(place, side, context) {
    const removed = [];
    for (const name of side) {
        const pid = temporaryPid(place.guard, name);
        if (pid === null || (yield* step("alive", markOfPid(pid, context))) !== false)
            continue;
        const path = (0,external_node_path_.join)(place.side, name);
        if (!context.dryRun)
            yield* step("remove", path);
        removed.push({ path, why: `temporary file of process ${pid}` });
    }
    return removed;
}
function markOfPid(pid, context) {
    return { pid, start: null, boot: null, namespace: null, host: context.rules.hostname };
}

;// CONCATENATED MODULE: ./build/stores/file/random.js
const POOL_BYTES = 1_024;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;
/** Random bytes in hex. Asking the system for a few bytes at a time costs as much as many at once. */
function randomHex(bytes) {
    if (used + bytes > POOL_BYTES) {
        // Loaded when first needed, as in lock/digest.ts.
        process.getBuiltinModule("node:crypto").randomFillSync(pool);
        used = 0;
    }
    const part = pool.subarray(used, used + bytes);
    used += bytes;
    const text = part.toString("hex");
    // What was handed out is not kept in memory for the next one who looks.
    part.fill(0);
    return text;
}

;// CONCATENATED MODULE: ./build/stores/file/directory.js





const isWindows = process.platform === "win32";
/** Makes a store's directory where it is missing, and refuses a default one that is not safe. */
function prepareDirectory(path, isDefault) {
    try {
        if (isDefault) {
            mkdirUnlessThere(path, 0o700);
            checkDefault(path);
        }
        else {
            (0,external_node_fs_.mkdirSync)(path, { recursive: true });
        }
        if (!(0,external_node_fs_.statSync)(path).isDirectory())
            throw notADirectory(path);
    }
    catch (error) {
        throw explain(error, path);
    }
}
function notADirectory(path) {
    return new errors/* LockError */.Ku("BAD_STORE", `The store ${path} is not a directory: name a directory, or a file that ends in .lock.`);
}
/**
 * The default directory is in a place where everybody may create files. Whoever owns it decides who
 * gets a lock, so it must be this user's own.
 */
function checkDefault(path) {
    const wrong = whyNotPrivate(path);
    if (wrong === null)
        return;
    throw new errors/* LockError */.Ku("STORE_UNSAFE", `The default store ${path} ${wrong}: name a directory that all users of the lock may write to, such as --store /var/lib/holdfast (made with mkdir -m 2770 and a common group).`);
}
/** What keeps a directory from being this user's own; null where it is. */
function whyNotPrivate(path) {
    if (isWindows)
        return null;
    const stat = (0,external_node_fs_.lstatSync)(path);
    if (stat.isSymbolicLink())
        return "is a symbolic link";
    if (!stat.isDirectory())
        return "is not a directory";
    // Not userInfo: it fails for a user without an entry in passwd, as in many containers.
    if (stat.uid !== process.geteuid?.())
        return `belongs to another user (uid ${stat.uid})`;
    return (stat.mode & 0o022) === 0 ? null : "is writable by others";
}
/** The read and write bits that a directory's mode implies for files in it. */
function fileMode(directory) {
    return isWindows ? null : (0,external_node_fs_.statSync)(directory).mode & 0o666;
}
/** Makes the side directory of a key and its guard, as widely usable as the store's directory. */
function preparePlace(place) {
    try {
        const mode = (0,external_node_fs_.statSync)(place.directory).mode & 0o3777;
        sideDirectory((0,external_node_path_.join)(place.directory, SIDE_DIRECTORY), mode);
        sideDirectory(place.side, mode);
        makeGuard(place.guard, mode & 0o666);
    }
    catch (error) {
        throw explain(error, place.directory);
    }
}
/** Only the main thread may change the mask. Loaded when needed: most processes find the directory made. */
function isMainThread() {
    return process.getBuiltinModule("node:worker_threads").isMainThread;
}
/** With its mode from the first moment: another user may come by before it could be changed. */
function sideDirectory(path, mode) {
    if (isWindows || !isMainThread()) {
        if (mkdirUnlessThere(path, 0o700) && !isWindows)
            (0,external_node_fs_.chmodSync)(path, mode);
        return;
    }
    const mask = process.umask(0);
    try {
        if (!mkdirUnlessThere(path, mode & 0o777))
            return;
    }
    finally {
        process.umask(mask);
    }
    if ((mode & 0o7000) !== 0)
        (0,external_node_fs_.chmodSync)(path, mode);
}
function mkdirUnlessThere(path, mode) {
    try {
        (0,external_node_fs_.mkdirSync)(path, { mode });
        return true;
    }
    catch (error) {
        if ((0,errors/* systemCode */.xU)(error) === "EEXIST")
            return false;
        throw error;
    }
}
/**
 * The guard appears with its final mode, by link: opening it under its own name and closing it again
 * would drop a lock that this process has on it.
 */
function makeGuard(path, mode) {
    if ((0,external_node_fs_.lstatSync)(path, { throwIfNoEntry: false }) !== undefined)
        return;
    const temporary = `${path}.${process.pid}.${randomHex(8)}.tmp`;
    const handle = (0,external_node_fs_.openSync)(temporary, "wx", 0o600);
    try {
        if (!isWindows)
            (0,external_node_fs_.fchmodSync)(handle, mode);
    }
    finally {
        (0,external_node_fs_.closeSync)(handle);
    }
    try {
        (0,external_node_fs_.linkSync)(temporary, path);
    }
    catch (error) {
        const code = (0,errors/* systemCode */.xU)(error);
        if (code !== "EEXIST")
            (0,external_node_fs_.closeSync)((0,external_node_fs_.openSync)(path, "a", mode));
    }
    finally {
        (0,external_node_fs_.unlinkSync)(temporary);
    }
}
/** The system's words become a sentence that says what to do. */
function explain(error, path) {
    if (error instanceof errors/* LockError */.Ku)
        return error;
    const options = { cause: error };
    switch ((0,errors/* systemCode */.xU)(error)) {
        case "EACCES":
        case "EPERM":
        case "EROFS":
            return new errors/* LockError */.Ku("STORE_DENIED", `The store ${path} cannot be used (${(0,errors/* messageOf */.bD)(error)}): let this user write there, or name another directory with --store.`, options);
        case "ENOSPC":
        case "EDQUOT":
            return new errors/* LockError */.Ku("STORE_FULL", `The disk of the store ${path} is full (${(0,errors/* messageOf */.bD)(error)}): free some space, or name another directory with --store.`, options);
        case "EEXIST":
        case "ENOTDIR":
            return notADirectory((0,external_node_path_.dirname)(path) === path ? path : path);
        case "ENOENT":
            return new errors/* LockError */.Ku("STORE_UNREACHABLE", `The store ${path} is gone (${(0,errors/* messageOf */.bD)(error)}): was its directory removed?`, options);
        default:
            return new errors/* LockError */.Ku("STORE_UNREACHABLE", `The store ${path} failed: ${(0,errors/* messageOf */.bD)(error)}.`, options);
    }
}

;// CONCATENATED MODULE: ./build/stores/file/backwards.js


const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** Something else under the log's name must neither be followed nor be waited for. */
const FLAGS = external_node_fs_.constants.O_RDONLY | (external_node_fs_.constants.O_NOFOLLOW ?? 0) | (external_node_fs_.constants.O_NONBLOCK ?? 0);
const NO_LOG = new Set(["ENOENT", "ELOOP", "ENXIO", "EISDIR"]);
/**
 * The lines of a log that contain a text, the last one first, read in blocks from the end of each
 * file. Whoever has seen enough stops asking; `bytes` bounds what is read for one who never has.
 */
function* linesBackwards(paths, text, bytes) {
    const needle = Buffer.from(text, "utf8");
    const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
    let left = bytes;
    for (const path of paths) {
        const handle = backwards_open(path);
        if (handle === null)
            continue;
        try {
            const stat = (0,external_node_fs_.fstatSync)(handle);
            let end = stat.isFile() ? stat.size : 0;
            /** The end of a line that begins in a block before. */
            let rest = Buffer.alloc(0);
            while (end > 0 && left > 0) {
                const start = Math.max(0, end - Math.min(BLOCK_BYTES, left));
                const length = (0,external_node_fs_.readSync)(handle, buffer, 0, end - start, start);
                const block = buffer.subarray(0, length);
                left -= end - start;
                end = start;
                const first = block.indexOf(NEWLINE);
                if (first === -1 && start > 0) {
                    rest = Buffer.concat([block, rest]);
                    continue;
                }
                const last = block.lastIndexOf(NEWLINE);
                // Only what is cut is put together; the many whole lines are searched where they are.
                yield* linesWith(needle, Buffer.concat([block.subarray(last + 1), rest]));
                const whole = start === 0 ? 0 : first + 1;
                const found = linesWith(needle, block.subarray(whole, last + 1));
                rest = Buffer.from(block.subarray(0, whole));
                yield* found.reverse();
            }
        }
        finally {
            (0,external_node_fs_.closeSync)(handle);
        }
    }
}
function backwards_open(path) {
    try {
        return (0,external_node_fs_.openSync)(path, FLAGS);
    }
    catch (error) {
        if (NO_LOG.has((0,errors/* systemCode */.xU)(error) ?? ""))
            return null;
        throw error;
    }
}
/** Searched as bytes: of a log that many keys share, most lines never become text. */
function linesWith(needle, block) {
    const lines = [];
    let from = 0;
    for (;;) {
        const hit = block.indexOf(needle, from);
        if (hit === -1)
            return lines;
        const start = block.lastIndexOf(NEWLINE, hit) + 1;
        const next = block.indexOf(NEWLINE, hit);
        const end = next === -1 ? block.length : next;
        lines.push(block.toString("utf8", start, end));
        from = end;
    }
}

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(500);
;// CONCATENATED MODULE: ./build/stores/file/stuck.js

/** Names the process that has a kernel lock on a file, where the system tells (Linux). */
function whoLocks(path) {
    try {
        const stat = (0,external_node_fs_.statSync)(path, { bigint: true });
        const pid = lockingPid((0,external_node_fs_.readFileSync)("/proc/locks", "utf8"), stat.dev, stat.ino);
        return pid === null ? null : describe(pid);
    }
    catch {
        return null;
    }
}
/** Lines such as `1: POSIX  ADVISORY  WRITE 4711 fd:01:1234 1073741826 1073742335`. */
function lockingPid(locks, device, inode) {
    const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
    const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn);
    const hex = (value) => value.toString(16).padStart(2, "0");
    const file = `${hex(major)}:${hex(minor)}:${inode}`;
    for (const line of locks.split("\n")) {
        const fields = line.trim().split(/\s+/);
        if (fields[3] === "WRITE" && fields[5] === file)
            return Number(fields[4]);
    }
    return null;
}
function describe(pid) {
    const stat = (0,external_node_fs_.readFileSync)(`/proc/${pid}/stat`, "latin1");
    const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
    return `process ${pid}${state === "T" ? " (stopped)" : ""}`;
}

;// CONCATENATED MODULE: ./build/stores/file/guard.js




/** SQLITE_BUSY: somebody else is in the section. */
const BUSY = 5;
/** SQLITE_IOERR and its relatives; the low byte tells the family. */
const IO_ERROR = 10;
/** Sections take less than a millisecond: at first only the processor is given up, not the time. */
const EAGER_FOR_MS = 0.5;
/** Then a look every millisecond, until it is clear that this is no ordinary section. */
const RETRY_MS = 1;
const BRISK_FOR_MS = 50;
const RETRY_MAX_MS = 10;
/** A guard that stays busy this long is not contended, it is stuck: said aloud. */
const STUCK_AFTER_MS = 2_000;
/**
 * The key's guard: an exclusive lock of an empty SQLite database, which is a kernel lock on its file.
 * The kernel drops it when its process ends, even by kill -9, so there is nothing to time out and
 * nobody's half-done work to guess about.
 *
 * Never open the guard's file by other means: closing any descriptor of it would drop the lock.
 */
class Guard {
    #path;
    #database = null;
    #inode = "";
    #begin = null;
    constructor(path) {
        this.#path = path;
    }
    async enter(options) {
        const start = performance.now();
        let stuck = false;
        for (;;) {
            if (this.tryEnter(options)) {
                if (stuck)
                    options.onStuck?.(null);
                return "entered";
            }
            const waited = performance.now() - start;
            if (options.cancel?.aborted)
                return "cancelled";
            if (options.patience !== undefined && waited > options.patience)
                throw this.#busy(waited);
            if (!stuck && waited > STUCK_AFTER_MS) {
                stuck = true;
                options.onStuck?.(this.#busy(waited).message);
            }
            if (waited < EAGER_FOR_MS)
                await (0,promises_.setImmediate)();
            else
                await (0,promises_.setTimeout)(waited < BRISK_FOR_MS ? RETRY_MS : RETRY_MAX_MS * (0.5 + Math.random()));
        }
    }
    /** One attempt, at once. */
    tryEnter(options) {
        for (;;) {
            this.#open(options.prepare);
            try {
                this.#begin ??= this.#prepareBegin();
                this.#begin?.run();
            }
            catch (error) {
                return this.#explain(error);
            }
            // The file may have been removed since it was opened: then others lock another file.
            if (inodeOf(this.#path) === this.#inode)
                return true;
            this.close();
        }
    }
    leave() {
        // A rollback writes nothing, so the file stays empty and needs no space on a full disk.
        this.#database?.exec("ROLLBACK");
    }
    close() {
        this.#begin = null;
        this.#database?.close();
        this.#database = null;
    }
    #open(prepare) {
        if (this.#database !== null)
            return;
        for (let tries = 0;; tries++) {
            let inode = inodeOf(this.#path);
            if (inode === null) {
                prepare();
                inode = inodeOf(this.#path);
            }
            try {
                if (inode === null)
                    throw new Error(`${this.#path} vanished`);
                // SQLite would open a guard that may only be read, and its lock would then keep nobody out.
                (0,external_node_fs_.accessSync)(this.#path, external_node_fs_.constants.R_OK | external_node_fs_.constants.W_OK);
                this.#database = new (sqlite().DatabaseSync)(this.#path, { timeout: 0 });
                this.#inode = inode;
                return;
            }
            catch (error) {
                this.close();
                if (tries >= 3)
                    this.#explain(error);
            }
        }
    }
    /**
     * The journal stays in memory: on disk, an empty database would get one with every entry, which
     * takes six times as long and fails on a full disk. Setting it can find the guard busy, as entering can.
     */
    #prepareBegin() {
        this.#database?.exec("PRAGMA journal_mode=MEMORY");
        return this.#database?.prepare("BEGIN IMMEDIATE") ?? null;
    }
    /** False for a busy guard; anything else is thrown as a sentence. */
    #explain(error) {
        const code = Number(error.errcode ?? 0);
        if ((code & 0xff) === BUSY)
            return false;
        this.close();
        if ((code & 0xff) === IO_ERROR) {
            throw new errors/* LockError */.Ku("STORE_NO_LOCKS", `The filesystem of ${this.#path} has no working file locks (${(0,errors/* messageOf */.bD)(error)}): choose a directory on another filesystem, or a lock server.`, { cause: error });
        }
        throw new errors/* LockError */.Ku("STORE_DENIED", `The guard ${this.#path} cannot be used: ${(0,errors/* messageOf */.bD)(error)}. Check who owns it and its mode.`, {
            cause: error,
        });
    }
    #busy(waited) {
        const who = whoLocks(this.#path) ?? "another process";
        return new errors/* LockError */.Ku("GUARD_BUSY", `The guard ${this.#path} has been busy for ${Math.round(waited / 1_000)} s, held by ${who}: continue or end that process.`);
    }
}
/** Loaded when first needed: those who only look at locks do not pay for it. */
function sqlite() {
    return process.getBuiltinModule("node:sqlite");
}
function inodeOf(path) {
    const stat = (0,external_node_fs_.lstatSync)(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? null : String(stat.ino);
}

;// CONCATENATED MODULE: ./build/stores/file/log.js





/** The audit log is rotated at this size; one older log is kept beside it. */
const AUDIT_LOG_BYTES_LIMIT = 10 * 1024 * 1024;
const OLDER_LOG_SUFFIX = ".1";
/** A link would let another user of the directory choose which of our files grows. */
const log_FLAGS = external_node_fs_.constants.O_WRONLY |
    external_node_fs_.constants.O_APPEND |
    external_node_fs_.constants.O_CREAT |
    (external_node_fs_.constants.O_NOFOLLOW ?? 0) |
    (external_node_fs_.constants.O_NONBLOCK ?? 0);
/** No space, no permission, or something else under the log's name. */
const NOT_WRITABLE = new Set([
    "ENOSPC",
    "EDQUOT",
    "EACCES",
    "EPERM",
    "EROFS",
    "ELOOP",
    "EISDIR",
    "ENXIO",
]);
/**
 * Failing to write history must not stop a deployment: a full disk already stops new locks, and a
 * holder has to be able to let go.
 */
function appendLine(path, line, mode, limit = AUDIT_LOG_BYTES_LIMIT) {
    try {
        const written = append(path, line, mode);
        if (written.size >= limit)
            rotate(path, written.inode);
    }
    catch (error) {
        if (!NOT_WRITABLE.has((0,errors/* systemCode */.xU)(error) ?? ""))
            throw error;
    }
}
function append(path, line, mode) {
    const handle = (0,external_node_fs_.openSync)(path, log_FLAGS, 0o600);
    try {
        const stat = (0,external_node_fs_.fstatSync)(handle, { bigint: true });
        if (stat.size === 0n && mode !== null && (Number(stat.mode) & 0o666) !== mode)
            quietly(() => (0,external_node_fs_.fchmodSync)(handle, mode));
        const bytes = Buffer.from(line, "utf8");
        // One write, which the kernel puts at the end whole; a second one only after a short one.
        for (let written = 0; written < bytes.length;)
            written += (0,external_node_fs_.writeSync)(handle, bytes, written);
        return { size: Number(stat.size) + bytes.length, inode: stat.ino };
    }
    finally {
        (0,external_node_fs_.closeSync)(handle);
    }
}
/**
 * Two processes may find the log full at once. The second must not move the first one's new log over
 * the old one: so the move is made under a guard, and only of the file that was found full. Whoever
 * opened that file before the move writes its line to the older log: nothing is lost.
 */
function rotate(path, full) {
    const place = placeOf("", path);
    const guard = new Guard(place.guard);
    quietly(() => {
        if (!guard.tryEnter({ prepare: () => preparePlace(place) }))
            return;
        try {
            const stat = (0,external_node_fs_.lstatSync)(path, { bigint: true, throwIfNoEntry: false });
            if (stat?.ino === full)
                (0,external_node_fs_.renameSync)(path, path + OLDER_LOG_SUFFIX);
        }
        finally {
            guard.leave();
        }
    });
    guard.close();
}
function quietly(call) {
    try {
        call();
    }
    catch {
        // Another user's file, or a guard that cannot be had: the line itself is written.
    }
}

;// CONCATENATED MODULE: ./build/stores/file/holds.js




/** A log that is shared with busier keys is read this far back: some 6,000 lines, within 2 ms. */
const HISTORY_BYTES_LIMIT = 2 * 1024 * 1024;
/** The latest holds of a key that are over, newest first, out of the audit log. */
function holdsOf(place, limit, bytes = HISTORY_BYTES_LIMIT) {
    const paths = [place.audit, place.audit + OLDER_LOG_SUFFIX];
    const ends = new Ends();
    const holds = [];
    if (limit <= 0)
        return holds;
    for (const line of linesBackwards(paths, `"key":${JSON.stringify(place.key)}`, bytes)) {
        const entry = parseEntry(line, place.key);
        if (entry === null)
            continue;
        if (entry.operation !== "acquire") {
            ends.note(entry);
            continue;
        }
        const hold = holdOf(entry, ends.of(entry));
        if (hold !== null)
            holds.push(hold);
        if (holds.length >= limit)
            break;
    }
    return holds;
}
/** The ends met so far on the way back, each waiting for the acquisition that it belongs to. */
class Ends {
    #byFence = new Map();
    /** Older logs do not tell the fence of a lock that was taken over: only its file and owner. */
    #byOwner = new Map();
    note(entry) {
        const end = endOf(entry);
        if (end === null)
            return;
        const { fence, existingOwner } = entry.details;
        if (typeof fence === "number")
            this.#byFence.set(fence, joined(end, this.#byFence.get(fence)));
        else if (fence === undefined)
            this.#byOwner.set(`${entry.lockPath} ${existingOwner}`, end);
    }
    /** Null: it is held still, or ended without a trace. */
    of({ lockPath, details }) {
        const name = `${lockPath} ${details.owner}`;
        const named = this.#byOwner.get(name);
        this.#byOwner.delete(name);
        return this.#byFence.get(details.fence) ?? named ?? null;
    }
}
/** Two lines about one end: it happened when the first was written; what it was, others know best. */
function joined(earlier, later) {
    if (later === undefined)
        return earlier;
    const { end } = earlier.hearsay ? later : earlier;
    const held = earlier.held ?? later.held;
    return { end, held, at: earlier.at, hearsay: earlier.hearsay && later.hearsay };
}
const BY_REASON = {
    LOCK_EXPIRED: "expired",
    HOLDER_DEAD: "dead",
};
function endOf({ operation, details, at }) {
    const known = { at, held: null, hearsay: false };
    switch (operation) {
        case "release": {
            const held = typeof details.held === "number" && details.held >= 0 ? details.held : null;
            return { ...known, end: "released", held };
        }
        case "reclaim":
        case "clean":
            // The other reasons take it from the living, as a break does.
            return { ...known, end: BY_REASON[String(details.reason)] ?? "broken" };
        case "break":
            return { ...known, end: "broken" };
        case "loss":
            return { ...known, end: details.end === "expired" ? "expired" : "broken", hearsay: true };
        default:
            return null;
    }
}
function parseEntry(line, key) {
    let entry;
    try {
        entry = JSON.parse(line);
    }
    catch {
        return null;
    }
    const at = Date.parse(entry?.timestamp);
    return Number.isNaN(at) || entry.details?.key !== key ? null : { ...entry, at };
}
function holdOf({ details, at }, end) {
    const { owner, fence, slot, waited, metadata } = details;
    if (end === null || typeof owner !== "string" || typeof fence !== "number")
        return null;
    return {
        owner: (0,lock_text/* cleanText */.X5)(owner),
        since: new Date(at).toISOString(),
        waited: typeof waited === "number" && waited >= 0 ? waited : null,
        // The wall clock may have gone back in between.
        held: end.held ?? Math.max(0, end.at - at),
        fence,
        slot: typeof slot === "number" ? slot : 0,
        end: end.end,
        metadata: (0,lock_owner/* readMetadata */._6)(metadata),
    };
}

;// CONCATENATED MODULE: ./build/stores/file/let-go.js





/** Releases a lock for whoever can show its token, holder or not. Under the guard. */
function* letGoSteps(place, rules, auditor, lease, digest) {
    yield* step("enter", place.guard);
    try {
        const sightings = new Sightings();
        yield* finishBurials(place, yield* step("list", place.side), rules, sightings);
        const lock = yield* examineSlot(place, lease.slot, rules, sightings);
        if (lock?.record.kind !== "holdfast" || lock.record.digest !== digest)
            return "already-gone";
        const { key, owner, fence, slot } = lock.record;
        const held = Math.round((yield* step("now")) - lock.record.acquired);
        yield* audit_record(place, auditor, "release", lock.path, { key, owner, fence, slot, held });
        return (yield* bury(place, lock)) ? "released" : "already-gone";
    }
    finally {
        yield* step("leave", place.guard);
    }
}

;// CONCATENATED MODULE: ./build/stores/file/network.js



/**
 * Filesystems that several machines can mount at once, by the type number that statfs gives on
 * Linux. What is shared between a virtual machine and its host counts too.
 */
const SHARED_TYPES = new Map([
    [0x6969, "nfs"],
    [0xff534d42, "cifs"],
    [0xfe534d42, "smb2"],
    [0x517b, "smb"],
    [0x564c, "ncp"],
    [0x5346414f, "afs"],
    [0x6b414653, "kafs"],
    [0x73757245, "coda"],
    [0x01021997, "9p"],
    [0x00c36400, "ceph"],
    [0x0bd00bd0, "lustre"],
    [0x01161970, "gfs2"],
    [0x7461636f, "ocfs2"],
    [0x47504653, "gpfs"],
    [0x19830326, "fhgfs"],
    [0x61636673, "acfs"],
    [0x786f4256, "vboxsf"],
    [0xbacbacbc, "vmhgfs"],
    [0x65735546, "fuse"],
]);
/** The name of the shared filesystem that a directory is on; null for one of this machine alone. */
function sharedFilesystem(directory) {
    try {
        return sharedTypeName(Number((0,external_node_fs_.statfsSync)(directory).type));
    }
    catch {
        return null;
    }
}
function sharedTypeName(type) {
    // The kernel's number is 32 bits wide and comes with a sign on some systems.
    return SHARED_TYPES.get(type >>> 0) ?? null;
}
/** Errors of a network filesystem that pass: the server restarts, a handle went stale. */
const PASSING = new Set(["ESTALE", "EIO", "ETIMEDOUT"]);
const RETRIES = 10;
const RETRY_DELAY_MS = 100;
function isPassing(error) {
    return PASSING.has((0,errors/* systemCode */.xU)(error) ?? "");
}
/**
 * The lock policy's retry: 10 attempts, 100 ms doubling. The first attempt is at once and
 * synchronous; only a passing error makes this a promise.
 */
function withRetry(call, sleep = promises_.setTimeout) {
    try {
        return call();
    }
    catch (error) {
        if (!isPassing(error))
            throw error;
        return retry(call, sleep);
    }
}
async function retry(call, sleep) {
    for (let attempt = 1;; attempt++) {
        await sleep(RETRY_DELAY_MS * 2 ** (attempt - 1));
        try {
            return call();
        }
        catch (error) {
            if (!isPassing(error) || attempt >= RETRIES - 1)
                throw error;
        }
    }
}

;// CONCATENATED MODULE: ./build/stores/file/processes.js


function openProcesses(options) {
    const self = markSelf();
    return {
        self,
        mark: (pid) => (exists(pid) ? { ...self, pid, start: startOf(pid) } : null),
        alive: (mark) => {
            // A foreign lock names only a pid: it can only mean this machine's.
            if (mark.start === null && mark.boot === null && mark.namespace === null)
                return exists(mark.pid);
            const sameNamespace = mark.namespace === self.namespace;
            if (mark.boot !== self.boot) {
                const restarted = mark.host === self.host && mark.boot !== null && !options.sharedFilesystem;
                return restarted ? false : null;
            }
            // Without a boot id (not Linux) the host's name is all there is.
            if (!sameNamespace || (self.boot === null && mark.host !== self.host))
                return null;
            if (mark.pid === self.pid && mark.start === self.start)
                return true;
            if (!exists(mark.pid))
                return false;
            if (mark.start === null)
                return true;
            const start = startOf(mark.pid);
            // Another user's process that /proc hides: it exists, but is it the same one?
            if (start === null)
                return exists(mark.pid) ? null : false;
            return start === mark.start;
        },
    };
}
let cachedSelf = null;
function markSelf() {
    cachedSelf ??= {
        pid: process.pid,
        start: startOf(process.pid),
        boot: attempt(() => (0,external_node_fs_.readFileSync)("/proc/sys/kernel/random/boot_id", "utf8").trim()),
        namespace: attempt(() => (0,external_node_fs_.readlinkSync)("/proc/self/ns/pid")),
        host: (0,external_node_os_.hostname)(),
    };
    return cachedSelf;
}
function attempt(call) {
    try {
        return call();
    }
    catch {
        return null;
    }
}
const hasProc = attempt(() => (0,external_node_fs_.readFileSync)("/proc/self/stat", "latin1")) !== null;
/** State and start time of a process; a zombie has ended, whoever has yet to collect it. */
function statOf(pid) {
    const text = attempt(() => (0,external_node_fs_.readFileSync)(`/proc/${pid}/stat`, "latin1"));
    if (text === null)
        return null;
    // The command's name is in brackets and may itself hold brackets and spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "?", start: fields[19] ?? "" };
}
function exists(pid) {
    if (!Number.isSafeInteger(pid) || pid <= 0)
        return false;
    if (hasProc) {
        const stat = statOf(pid);
        if (stat !== null)
            return stat.state !== "Z" && stat.state !== "X";
        // Where /proc is mounted with hidepid, it shows no other user's processes: ask the kernel.
    }
    try {
        process.kill(pid, 0);
        return true;
    }
    catch (error) {
        // EPERM: there is such a process, it is only not ours.
        return error.code === "EPERM";
    }
}
function startOf(pid) {
    if (hasProc)
        return statOf(pid)?.start ?? null;
    if (process.platform === "win32")
        return null;
    return attempt(() => {
        const stdio = ["ignore", "pipe", "ignore"];
        return (
        // Only here, where there is no /proc: loading it takes milliseconds.
        process
            .getBuiltinModule("node:child_process")
            .execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
            encoding: "utf8",
            stdio,
        })
            .trim() || null);
    });
}

;// CONCATENATED MODULE: ./build/stores/file/disk.js




/** Synchronous on purpose: under the guard nothing may come between two steps, and it is faster. */
function openDisk(options) {
    return {
        list: (directory) => absentAs([], () => (0,external_node_fs_.readdirSync)(directory)),
        read: readFile,
        inode: disk_inodeOf,
        create: (path, content) => create(path, content, options),
        link: disk_link,
        rename: (from, to) => wasThere(() => (0,external_node_fs_.renameSync)(from, to)),
        remove: (path) => wasThere(() => (0,external_node_fs_.unlinkSync)(path)),
        put: (path, content) => put(path, content, options),
        append: (path, line) => appendLine(path, line, options.mode),
        overwrite: (descriptor, content) => writeWhole(descriptor.handle, content, 0),
        close: (descriptor) => (0,external_node_fs_.closeSync)(descriptor.handle),
    };
}
function absentAs(absent, call) {
    try {
        return call();
    }
    catch (error) {
        const code = (0,errors/* systemCode */.xU)(error);
        if (code === "ENOENT" || code === "ENOTDIR")
            return absent;
        throw error;
    }
}
function disk_inodeOf(path) {
    const stat = (0,external_node_fs_.lstatSync)(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? null : String(stat.ino);
}
function wasThere(call) {
    return absentAs(false, () => {
        call();
        return true;
    });
}
function readFile(path, likely) {
    if (likely === undefined) {
        // Mostly a lock is free: asking first is far cheaper than an exception.
        const found = (0,external_node_fs_.lstatSync)(path, { throwIfNoEntry: false });
        if (found === undefined)
            return null;
        if (found.isDirectory())
            throw directoryInTheWay(path);
    }
    let handle;
    try {
        // Not blocking: a fifo under a lock's name must not hang us. A symlink is not followed.
        handle = (0,external_node_fs_.openSync)(path, external_node_fs_.constants.O_RDONLY | (external_node_fs_.constants.O_NONBLOCK ?? 0) | (external_node_fs_.constants.O_NOFOLLOW ?? 0));
    }
    catch (error) {
        const code = (0,errors/* systemCode */.xU)(error);
        if (code === "ENOENT" || code === "ENOTDIR")
            return null;
        // Not ours to read, and yet somebody's lock: held by an unknown holder.
        if (code === "EACCES" || code === "EPERM")
            return unreadableView(path, "this user may not read it");
        if (code === "ELOOP")
            return unreadableView(path, "it is a symbolic link");
        throw error;
    }
    try {
        const stat = (0,external_node_fs_.fstatSync)(handle, { bigint: true });
        const view = { inode: String(stat.ino), modified: Number(stat.mtimeMs) };
        if (!stat.isFile())
            return { ...view, content: Buffer.alloc(0), problem: "it is not a file" };
        return { ...view, content: readToEnd(handle, Number(stat.size)) };
    }
    finally {
        (0,external_node_fs_.closeSync)(handle);
    }
}
/** A file may grow between being asked for its size and being read: half of it would look damaged. */
function readToEnd(handle, size) {
    let buffer = Buffer.allocUnsafe(Math.min(size, LOCK_FILE_BYTES_LIMIT) + 1);
    let length = 0;
    for (;;) {
        const wanted = buffer.length - length;
        const read = (0,external_node_fs_.readSync)(handle, buffer, length, wanted, length);
        length += read;
        // A short read of a file is its end: one call less for every lock that is looked at.
        if (read < wanted || length > LOCK_FILE_BYTES_LIMIT)
            return buffer.subarray(0, length);
        buffer = Buffer.concat([buffer], Math.min(buffer.length * 2, LOCK_FILE_BYTES_LIMIT + 1));
    }
}
function unreadableView(path, problem) {
    const stat = (0,external_node_fs_.lstatSync)(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined)
        return null;
    const modified = Number(stat.mtimeMs);
    return { inode: String(stat.ino), modified, content: Buffer.alloc(0), problem };
}
function directoryInTheWay(path) {
    return new errors/* LockError */.Ku("BAD_LOCK_FILE", `${path} is a directory where a lock file should be: remove or rename it, or use another key or store.`);
}
function create(path, content, options) {
    const handle = (0,external_node_fs_.openSync)(path, "wx+", 0o600);
    try {
        writeWhole(handle, content, 0);
        widen(handle, options);
        if (options.sync)
            (0,external_node_fs_.fsyncSync)(handle);
        return { handle, inode: String((0,external_node_fs_.fstatSync)(handle, { bigint: true }).ino) };
    }
    catch (error) {
        (0,external_node_fs_.closeSync)(handle);
        wasThere(() => (0,external_node_fs_.unlinkSync)(path));
        throw error;
    }
}
/** Before a file appears under its name it gets the bits that its directory's mode implies. */
function widen(handle, options) {
    if (options.mode !== null && options.mode !== 0o600)
        (0,external_node_fs_.fchmodSync)(handle, options.mode);
}
function writeWhole(handle, content, position) {
    const bytes = Buffer.from(content, "utf8");
    let written = 0;
    while (written < bytes.length) {
        written += (0,external_node_fs_.writeSync)(handle, bytes, written, bytes.length - written, position + written);
    }
}
function disk_link(from, to) {
    try {
        (0,external_node_fs_.linkSync)(from, to);
        return "linked";
    }
    catch (error) {
        switch ((0,errors/* systemCode */.xU)(error)) {
            case "EEXIST":
                // Over a network a repeated request can fail although the first one did its work.
                return sameFile(from, to) ? "linked" : "exists";
            case "ENOENT":
                return "source-gone";
            case "EPERM":
            case "ENOTSUP":
            case "EOPNOTSUPP":
            case "ENOSYS":
            case "EMLINK":
                return "unsupported";
            default:
                throw error;
        }
    }
}
function sameFile(from, to) {
    return absentAs(false, () => (0,external_node_fs_.lstatSync)(from, { bigint: true }).ino === (0,external_node_fs_.lstatSync)(to, { bigint: true }).ino);
}
function put(path, content, options) {
    const handle = (0,external_node_fs_.openSync)(path, external_node_fs_.constants.O_WRONLY | external_node_fs_.constants.O_CREAT, 0o600);
    try {
        if (options.mode !== null && ((0,external_node_fs_.fstatSync)(handle).mode & 0o666) !== options.mode)
            disk_quietly(() => widen(handle, options));
        writeWhole(handle, content, 0);
    }
    finally {
        (0,external_node_fs_.closeSync)(handle);
    }
}
function disk_quietly(call) {
    try {
        call();
    }
    catch {
        // Another user's file: its mode is theirs to set, and it was set when it was made.
    }
}

;// CONCATENATED MODULE: ./build/stores/file/watch.js


/** Events can be missed (a filesystem without them, a limit on watches): a second look each second. */
const SAFETY_POLL_MS = 1_000;
/** Where there are no events at all. */
const UNWATCHED_POLL_MS = 100;
/** Timers beyond 2^31 ms fire at once; a waiter that wakes once an hour does no harm. */
const TIMER_LIMIT_MS = 3_600_000;
/**
 * Sleeps until a watched file is gone or replaced, a watched process is gone, the review is due or
 * the claim is cancelled. Watches first and looks afterwards, so that no change falls in between.
 */
function waitFor(watch, senses, cancel, events) {
    return new Promise((resolve, reject) => {
        const timers = [];
        const watchers = [];
        const settle = (wake) => {
            close();
            resolve(wake);
        };
        const close = () => {
            for (const timer of timers)
                clearTimeout(timer);
            for (const watcher of watchers)
                watcher.close();
            cancel?.removeEventListener("abort", onCancel);
        };
        const onCancel = () => settle("cancelled");
        const guarded = (look) => () => {
            try {
                if (look())
                    settle("changed");
            }
            catch (error) {
                if (isPassing(error))
                    return;
                close();
                reject(error);
            }
        };
        const filesChanged = () => watch.files.some((file) => senses.inode(file.path) !== file.inode);
        const processGone = () => watch.processes.some((mark) => senses.alive(mark) === false);
        if (cancel?.aborted)
            return settle("cancelled");
        cancel?.addEventListener("abort", onCancel);
        const everyFileWatched = events && watch.files.every((file) => watchOne(file.path, watchers, guarded(filesChanged)));
        const poll = everyFileWatched ? SAFETY_POLL_MS : UNWATCHED_POLL_MS;
        timers.push(setInterval(guarded(filesChanged), poll));
        if (watch.processes.length > 0)
            timers.push(setInterval(guarded(processGone), watch.every));
        if (watch.reviewAt !== null) {
            const left = Math.max(0, Math.ceil(watch.reviewAt - senses.monotonic()));
            timers.push(setTimeout(() => settle("changed"), Math.min(left, TIMER_LIMIT_MS)));
        }
        guarded(() => filesChanged() || processGone())();
    });
}
/** True where events will come. A file that is already gone needs none: the first look finds that. */
function watchOne(path, watchers, onEvent) {
    try {
        const watcher = (0,external_node_fs_.watch)(path, onEvent);
        watcher.on("error", () => watcher.close());
        watchers.push(watcher);
        return true;
    }
    catch (error) {
        return error.code === "ENOENT";
    }
}

;// CONCATENATED MODULE: ./build/stores/file/real.js






/** Open guards, ready to be entered again: opening one costs more than entering it. */
class GuardPool {
    #idle = new Map();
    take(path) {
        const guard = this.#idle.get(path) ?? new Guard(path);
        this.#idle.delete(path);
        return guard;
    }
    giveBack(path, guard) {
        if (this.#idle.has(path) || this.#idle.size >= GUARDS_KEPT)
            guard.close();
        else
            this.#idle.set(path, guard);
    }
    close() {
        for (const guard of this.#idle.values())
            guard.close();
        this.#idle.clear();
    }
}
const GUARDS_KEPT = 32;
/** The world of one claim, holding or command: the real disk, processes and time. */
function openWorld(options) {
    const disk = openDisk({ mode: options.mode, sync: options.sync });
    const { clock, processes, guards, cancel } = options;
    const entered = new Map();
    const enter = (path) => {
        const guard = guards.take(path);
        // Mostly nobody is there: then no promise, no turn of the event loop.
        if (guard.tryEnter(options)) {
            entered.set(path, guard);
            return "entered";
        }
        return guard.enter(options).then((entry) => {
            if (entry === "entered")
                entered.set(path, guard);
            else
                guards.giveBack(path, guard);
            return entry;
        }, (error) => {
            guard.close();
            throw error;
        });
    };
    const leave = (path) => {
        const guard = entered.get(path);
        if (guard === undefined)
            return;
        entered.delete(path);
        guard.leave();
        guards.giveBack(path, guard);
    };
    const world = {
        ...disk,
        enter,
        leave,
        alive: (mark) => processes.alive(mark),
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        random: () => randomHex(8),
        wait: (watch) => {
            options.onWait?.();
            return waitFor(watch, world, cancel, !options.shared);
        },
    };
    return {
        ...world,
        run: (steps) => perform(world, steps, options.shared ? withRetry : undefined),
    };
}

// EXTERNAL MODULE: ./build/stores/deadline.js
var stores_deadline = __webpack_require__(64);
// EXTERNAL MODULE: ./build/stores/sentences.js + 1 modules
var sentences = __webpack_require__(599);
// EXTERNAL MODULE: ./build/lock/reclaim.js
var reclaim = __webpack_require__(772);
;// CONCATENATED MODULE: ./build/stores/file/attempt.js









/**
 * How often the first in line looks whether the holder lives. A killed process fires no event, and
 * the next one should not lose a second to that; one look costs some 10 µs.
 */
const HOLDER_POLL_MS = 25;
/** How often the others look whether the one before them lives. */
const LINE_POLL_MS = 1_000;
/** One turn under the guard: take the lock if it is this claim's turn, else stand in line. */
function* attempt_attempt(claim) {
    const names = yield* step("list", claim.place.side);
    yield* finishBurials(claim.place, names, claim.rules, claim.sightings);
    const line = yield* pruneLine(claim, lineOf(names));
    if (line.first !== null && claim.ticket === null)
        checkSlots(claim, line.first.slots);
    let watch = line.ahead === null ? null : watchAhead(line.ahead);
    if (watch === null || overrides(claim)) {
        const outcome = yield* tryToTake(claim);
        if (outcome.state === "granted")
            return outcome;
        watch ??= outcome.watch;
    }
    if (claim.mayWait)
        yield* joinLine(claim, line.names);
    return { state: "waiting", watch };
}
/** An emergency that may override the holder does not queue up behind those who wait for it. */
function overrides(claim) {
    return (claim.allowed.includes("EMERGENCY_OVERRIDE") && claim.owner.metadata.purpose === "emergency");
}
/** Takes a free slot, else one that may be reclaimed, else tells what to watch. */
function* tryToTake(claim) {
    const memory = yield* recall(claim.place);
    const slots = yield* lookAtSlots(claim, memory);
    const slot = slots.free ?? slots.reclaim?.lock.slot;
    if (slot === undefined)
        return { state: "waiting", watch: watchHolders(slots.held) };
    for (const lock of slots.surplus)
        yield* bury(claim.place, lock);
    const grant = yield* take(claim, memory, slot, slots.free === null ? slots.reclaim : null);
    return grant === null ? { state: "waiting", watch: LOOK_AGAIN } : { state: "granted", grant };
}
function* lookAtSlots(claim, memory) {
    const slots = { free: null, reclaim: null, held: [], surplus: [] };
    for (let slot = 0; slot < Math.max(claim.slots, memory.slots); slot++) {
        const lock = yield* examineSlot(claim.place, slot, claim.rules, claim.sightings);
        if (lock === null) {
            if (slot < claim.slots)
                slots.free ??= slot;
            continue;
        }
        const decision = (0,reclaim/* decideReclaim */.sX)({ vitality: lock.verdict.vitality, metadata: metadataOf(lock) }, { metadata: claim.owner.metadata, allowed: claim.allowed });
        if (!decision.canReclaim) {
            if (lock.record.kind === "holdfast")
                checkSlots(claim, lock.record.slots);
            slots.held.push(lock);
        }
        else if (slot >= claim.slots) {
            slots.surplus.push(lock);
        }
        else if (slots.reclaim === null ||
            (decision.priority === "high" && slots.reclaim.priority !== "high")) {
            slots.reclaim = { lock, reason: decision.reason, priority: decision.priority };
        }
    }
    return slots;
}
function metadataOf(lock) {
    return lock.record.kind === "holdfast" || lock.record.kind === "policy"
        ? lock.record.metadata
        : {};
}
function checkSlots(claim, present) {
    if (present !== claim.slots)
        throw (0,lock_slots/* slotsMismatch */.qL)(claim.place.key, claim.slots, present);
}
const LOOK_AGAIN = { files: [], processes: [], every: HOLDER_POLL_MS, reviewAt: 0 };
function watchHolders(held) {
    const reviews = held.flatMap((lock) => lock.verdict.reviewAt ?? []);
    return {
        files: held.map((lock) => ({ path: lock.path, inode: lock.view.inode })),
        processes: held.flatMap((lock) => lock.verdict.living),
        every: HOLDER_POLL_MS,
        reviewAt: reviews.length === 0 ? null : Math.min(...reviews),
    };
}
function watchAhead(ahead) {
    return {
        files: [{ path: ahead.path, inode: ahead.inode }],
        processes: [ahead.process],
        every: LINE_POLL_MS,
        reviewAt: ahead.reviewAt,
    };
}

;// CONCATENATED MODULE: ./build/stores/file/claim.js



/** Waits in line until granted; null where it was cancelled, or may not wait. The line is left then. */
function* claimSteps(claim) {
    try {
        for (;;) {
            if ((yield* step("enter", claim.place.guard)) === "cancelled")
                return null;
            let outcome;
            try {
                outcome = yield* attempt_attempt(claim);
            }
            finally {
                yield* step("leave", claim.place.guard);
            }
            if (outcome.state === "granted")
                return outcome.grant;
            if (!claim.mayWait)
                return null;
            if ((yield* step("wait", outcome.watch)) === "cancelled")
                return null;
        }
    }
    finally {
        // Without the guard, on purpose: leaving the line must also work when a stopped process sits in
        // the guard, and one file's removal is one step. The next in line watches that file.
        yield* leaveLine(claim);
    }
}

// EXTERNAL MODULE: ./build/lock/ttl.js
var ttl = __webpack_require__(359);
;// CONCATENATED MODULE: ./build/stores/file/history.js

/** Enough for hundreds of lines: the end of the log is read, never all of it. */
const TAIL_BYTES = 64 * 1024;
/** The latest entries of an audit log, newest first. Lines that are not entries are left out. */
function recentAudit(path, bytes = TAIL_BYTES) {
    let handle;
    try {
        handle = (0,external_node_fs_.openSync)(path, "r");
    }
    catch {
        return [];
    }
    try {
        const { size } = (0,external_node_fs_.fstatSync)(handle);
        const start = Math.max(0, size - bytes);
        const buffer = Buffer.alloc(size - start);
        const length = (0,external_node_fs_.readSync)(handle, buffer, 0, buffer.length, start);
        const lines = buffer.subarray(0, length).toString("utf8").split("\n");
        // The first one is whole only where the log was read from its start.
        if (start > 0)
            lines.shift();
        return lines.reverse().flatMap(history_parseEntry);
    }
    finally {
        (0,external_node_fs_.closeSync)(handle);
    }
}
function history_parseEntry(line) {
    try {
        const entry = JSON.parse(line);
        return typeof entry.operation === "string" && typeof entry.details === "object" ? [entry] : [];
    }
    catch {
        return [];
    }
}
function lastAudit(path, lockPath, operations) {
    return recentAudit(path).find((entry) => entry.lockPath === lockPath && operations.includes(entry.operation));
}

;// CONCATENATED MODULE: ./build/stores/file/loss.js


/** Why a lock is no longer this holder's, in words: who has it now, or who took it away. */
function explainLoss(world, held) {
    try {
        const last = lastAudit(held.place.audit, held.path, ["break", "reclaim", "clean"]);
        const details = last?.details;
        if (last?.operation === "break" && details?.fence === held.record.fence) {
            return `it was broken by ${details.by} (${details.reason})`;
        }
        const view = world.read(held.path);
        const taken = last?.operation === "reclaim" && details?.existingOwner === held.record.owner;
        // Between the burial of our lock and the next one's there is a moment without any.
        if (view === null && taken)
            return `it was taken over by ${details.newOwner}, ${details.reason}`;
        if (view === null)
            return "its lock file is gone";
        const record = parseLock(view.content);
        const now = record.kind === "holdfast" || record.kind === "policy" ? record.owner : "another tool";
        return `it is now held by ${now}${taken ? `, ${details.reason}` : ""}`;
    }
    catch {
        return "its lock file cannot be read";
    }
}

;// CONCATENATED MODULE: ./build/stores/file/release.js



/**
 * Whether what is under the lock's name is still this holder's. Mostly the inode tells; but a tool of
 * the lock policy takes over by writing into the file that is there, so what it says counts as well.
 * A file of ours that cannot be read is still ours.
 */
function isOurs(held, view) {
    if (view === null || view.inode !== held.descriptor.inode)
        return false;
    if (Buffer.from(held.content, "utf8").equals(view.content))
        return true;
    const record = parseLock(view.content);
    if (record.kind === "unreadable")
        return true;
    return record.kind === "holdfast" && record.digest === held.record.digest;
}
/** Lets go, if the lock is still this one. */
function* releaseSteps(held) {
    if ((yield* step("enter", held.place.guard)) === "cancelled")
        return "cancelled";
    try {
        if (!isOurs(held, yield* step("read", held.path)))
            return "already-gone";
        const { key, owner, fence, slot } = held.record;
        const heldFor = Math.round((yield* step("monotonic")) - held.acquiredMonotonic);
        // The line comes first: once the file is gone the next holder's line may follow at once.
        yield* audit_record(held.place, held.auditor, "release", held.path, {
            key,
            owner,
            fence,
            slot,
            held: heldFor,
        });
        yield* step("remove", held.path);
        return "released";
    }
    finally {
        yield* step("leave", held.place.guard);
        yield* step("close", held.descriptor);
    }
}
/**
 * A sign of life, written through the holder's own descriptor, so that it can never overwrite a
 * successor's lock; then a look whether the path still leads there. False: lost.
 */
function* beatSteps(held, refresh) {
    if (!isOurs(held, yield* step("read", held.path)))
        return false;
    const now = Math.floor(yield* step("now"));
    const refreshed = refresh
        ? { refreshed: now, refreshedMonotonic: yield* step("monotonic") }
        : undefined;
    held.record = { ...held.record, ...refreshed, beat: held.record.beat + 1, beaten: now };
    // The file only grows: what is shorter is padded.
    held.content = writeLock(held.record, Buffer.byteLength(held.content, "utf8"));
    yield* step("overwrite", held.descriptor, held.content);
    return (yield* step("inode", held.path)) === held.descriptor.inode;
}

;// CONCATENATED MODULE: ./build/stores/file/hold.js







/** Three heartbeats a lease: one may be late and one may fail before anybody elsewhere gives up on us. */
const BEATS_PER_LEASE = 3;
/** A holder whose heartbeats fail gives up this early, so that its command is stopped in time. */
const GIVE_UP_AT = 2 / 3;
const BEAT_RETRY_MS = 250;
/** Timers beyond 2^31 ms fire at once; one heartbeat too many does no harm. */
const hold_TIMER_LIMIT_MS = 2 ** 30;
/** How long before its ttl ends a holder gives up: a part of the ttl, and no more than a second. */
const EXPIRY_MARGIN = 0.05;
const EXPIRY_MARGIN_MS = 1_000;
/** Short holds are most holds in a busy pipeline: they need no watch to be told of a loss. */
const WATCH_AFTER_MS = 50;
/** A held lock: beats, refreshes, notices loss, lets go. */
class Hold {
    lease;
    reclaimed;
    #held;
    #options;
    #loss = new AbortController();
    #watchers = [];
    #timer;
    #watchTimer;
    #lastBeat;
    #lastRefresh;
    /** Why the last heartbeat could not be written. */
    #beatFailure = null;
    #releasing = null;
    #released = false;
    #work = Promise.resolve();
    constructor(lease, held, reclaimed, options) {
        this.lease = lease;
        if (reclaimed !== null)
            this.reclaimed = reclaimed;
        this.#held = held;
        this.#options = options;
        this.#lastBeat = held.acquiredMonotonic;
        this.#lastRefresh = held.record.refreshedMonotonic;
        this.#schedule(this.#nextBeat());
        this.#watchTimer = setTimeout(() => this.#watch(), WATCH_AFTER_MS).unref();
    }
    get lost() {
        return this.#loss.signal;
    }
    async renew() {
        const before = this.#lastRefresh;
        if (!this.#isOver())
            await this.#beat(true);
        if (this.lost.aborted)
            throw this.lost.reason;
        if (this.#lastRefresh === before && this.#releasing === null)
            throw this.#beatFailure;
        if (this.#releasing !== null)
            throw new errors/* LockError */.Ku("LOCK_LOST", "The lock was already released.");
    }
    async cover(pid) {
        const mark = this.#options.processes.mark(pid);
        if (mark === null || this.#isOver())
            return false;
        this.#held.record = { ...this.#held.record, covered: { pid, start: mark.start } };
        await this.#beat(false);
        return !this.lost.aborted;
    }
    release() {
        if (this.#released)
            return Promise.resolve("already-gone");
        this.#releasing ??= this.#release().catch((error) => {
            // Let it be tried again: the lock is still ours, and must not fall silent until then.
            this.#releasing = null;
            this.#schedule(this.#nextBeat());
            throw error;
        });
        return this.#releasing;
    }
    async #release() {
        if (this.lost.aborted)
            return "already-gone";
        this.#stop();
        try {
            await this.#work;
            const outcome = await this.#options.world.run(releaseSteps(this.#held));
            this.#released = true;
            return outcome === "released" ? outcome : "already-gone";
        }
        catch (error) {
            throw explain(error, this.#held.place.directory);
        }
    }
    #isOver() {
        return this.#releasing !== null || this.lost.aborted;
    }
    #stop() {
        clearTimeout(this.#timer);
        clearTimeout(this.#watchTimer);
        for (const watcher of this.#watchers)
            watcher.close();
    }
    #monotonic() {
        return this.#options.world.monotonic();
    }
    #refreshAt() {
        return this.#options.refresh
            ? this.#lastRefresh + this.#held.record.ttl * 1_000 * ttl/* REFRESH_AT */.QV
            : Number.POSITIVE_INFINITY;
    }
    /** A little before the others count the ttl as over: they must not be the first to know. */
    #expiresAt() {
        const ttl = this.#held.record.ttl * 1_000;
        return this.#lastRefresh + ttl - Math.min(EXPIRY_MARGIN_MS, ttl * EXPIRY_MARGIN);
    }
    #nextBeat() {
        return Math.min(this.#lastBeat + this.#held.record.lease / BEATS_PER_LEASE, this.#refreshAt());
    }
    #schedule(at) {
        clearTimeout(this.#timer);
        const next = Math.min(at, this.#expiresAt());
        const left = Math.max(1, Math.ceil(next - this.#monotonic()));
        this.#timer = setTimeout(() => {
            if (this.#monotonic() >= this.#expiresAt())
                this.#expire("its ttl is over");
            else
                void this.#beat(this.#monotonic() >= this.#refreshAt());
        }, Math.min(left, hold_TIMER_LIMIT_MS)).unref();
    }
    #watch() {
        const check = () => {
            if (!this.#isOver() && !this.#isOurs())
                this.#lose();
        };
        watchOne(this.#held.path, this.#watchers, check);
        for (const watcher of this.#watchers)
            watcher.unref();
        check();
    }
    #isOurs() {
        try {
            return isOurs(this.#held, this.#options.world.read(this.#held.path));
        }
        catch {
            // Not to be seen now; the next heartbeat decides.
            return true;
        }
    }
    #beat(refresh) {
        const work = this.#work.then(() => (this.#isOver() ? undefined : this.#beatNow(refresh)));
        this.#work = work;
        return work;
    }
    async #beatNow(refresh) {
        const before = this.#monotonic();
        try {
            const ours = await this.#options.world.run(beatSteps(this.#held, refresh));
            if (!ours)
                return this.#lose();
        }
        catch (error) {
            this.#beatFailure = explain(error, this.#held.place.directory);
            const silent = this.#monotonic() - this.#lastBeat;
            if (silent >= this.#held.record.lease * GIVE_UP_AT)
                return this.#expire(`its heartbeat could not be written (${(0,errors/* messageOf */.bD)(error)})`);
            if (!this.#isOver())
                this.#schedule(before + Math.min(BEAT_RETRY_MS, this.#held.record.lease / 12));
            return;
        }
        this.#lastBeat = before;
        if (refresh)
            this.#lastRefresh = before;
        if (!this.#isOver())
            this.#schedule(this.#nextBeat());
    }
    /** Nobody took it: it could not be kept. */
    #expire(reason) {
        this.#lose({ reason, end: "expired" });
    }
    #lose(expiry) {
        if (this.#isOver())
            return;
        this.#stop();
        const { held, world } = { held: this.#held, world: this.#options.world };
        const why = expiry?.reason ?? explainLoss(world, held);
        const { key, owner, fence, slot } = held.record;
        this.#loss.abort(new errors/* LockError */.Ku("LOCK_LOST", `The lock ${JSON.stringify(key)} was lost: ${why}.`));
        world
            .run(audit_record(held.place, held.auditor, "loss", held.path, {
            key,
            owner,
            fence,
            slot,
            reason: why,
            end: expiry?.end ?? "broken",
        }))
            .catch(() => {
            // The directory itself may be gone; the loss has been told to the one who needs to know.
        });
        try {
            world.close(held.descriptor);
        }
        catch {
            // Nothing depends on it any more.
        }
    }
}

;// CONCATENATED MODULE: ./build/stores/file/waiting.js










/** How often a waiting claim looks who holds and who is ahead, for its progress reports. */
const PROGRESS_MS = 1_000;
const waiting_BEATS_PER_LEASE = 3;
/** Timers beyond 2^31 ms fire without a pause. */
const waiting_TIMER_LIMIT_MS = 2 ** 30;
/** A guard that stays busy keeps even those from an answer who do not want to wait for the lock. */
const IMPATIENT_GUARD_MS = 5_000;
/** Runs a claim from the first look to the held lock, with its progress reports and its deadline. */
async function runClaim(place, request, options, context) {
    const timeout = options.timeout ?? null;
    const deadline = new stores_deadline/* Deadline */.B(timeout, options.signal);
    let trouble = null;
    const token = randomHex(16);
    const world = context.open({
        cancel: deadline.signal,
        onStuck: (message) => {
            trouble = message;
            // It may be stuck from the first moment on, before there was anything to wait for.
            if (report === null)
                startReporting();
            else
                report();
        },
        onWait: () => startReporting(),
        ...(timeout === 0 ? { patience: IMPATIENT_GUARD_MS } : {}),
    });
    const claim = {
        place,
        owner: request.owner,
        note: request.note,
        slots: request.slots,
        ttl: request.ttl / 1_000,
        lease: request.lease,
        format: context.format,
        allowed: request.reclaim,
        digest: (0,lock_digest/* sha256 */.s)(token),
        process: context.processes.self,
        rules: context.rules,
        auditor: context.auditor,
        sightings: new Sightings(),
        started: world.monotonic(),
        mayWait: timeout !== 0,
        ticket: null,
    };
    const timers = [];
    let report = null;
    const startReporting = () => {
        if (timers.length > 0)
            return;
        timers.push(setInterval(() => beatTicket(world, claim), Math.min(claim.lease / waiting_BEATS_PER_LEASE, waiting_TIMER_LIMIT_MS)));
        const { onProgress } = options;
        if (onProgress === undefined)
            return;
        report = () => void world.run(inspectSteps(place, context.store, context.rules)).then((status) => {
            onProgress(progressOf(status, claim, trouble));
        }, () => { });
        report();
        timers.push(setInterval(report, PROGRESS_MS));
    };
    try {
        if (options.signal?.aborted)
            throw (0,sentences/* aborted */.QH)();
        const grant = await world.run(claimSteps(claim));
        if (grant === null)
            throw deadline.signal.aborted && !deadline.timedOut
                ? (0,sentences/* aborted */.QH)()
                : await timedOut(timeout ?? 0);
        const { record } = grant;
        const since = new Date(record.acquired).toISOString();
        const waited = Math.round(record.refreshedMonotonic - claim.started);
        const { key, owner, fence, slot, ttl } = record;
        const lease = { key, store: context.store, owner, fence, slot, since, ttl, waited, token };
        const { path, descriptor, content, reclaimed } = grant;
        const held = {
            place,
            path,
            descriptor,
            auditor: context.auditor,
            acquiredMonotonic: record.refreshedMonotonic,
            record,
            content,
        };
        // Letting go must not be cancelled by what ended the wait.
        const holding = context.open({ patience: RELEASE_PATIENCE_MS });
        return new Hold(lease, held, reclaimed, {
            world: holding,
            processes: context.processes,
            refresh: request.refresh,
        });
    }
    finally {
        deadline.clear();
        for (const timer of timers)
            clearInterval(timer);
    }
    async function timedOut(limit) {
        const status = await world.run(inspectSteps(place, context.store, context.rules));
        const waited = Math.round(world.monotonic() - claim.started);
        const details = {
            key: place.key,
            owner: request.owner.id,
            waited,
            heldBy: status.holders.map((holder) => holder.owner),
        };
        await world.run(audit_record(place, context.auditor, "timeout", place.lock, details)).catch(() => { });
        return (0,sentences/* notAcquired */.UG)(place.key, limit, trouble ?? (0,sentences/* describeHolders */.hX)(status, Date.now()));
    }
}
const RELEASE_PATIENCE_MS = 30_000;
/** Only those elsewhere look at it: here the process itself is the sign of life. */
function beatTicket(world, claim) {
    if (claim.ticket === null)
        return;
    claim.ticket.content = { ...claim.ticket.content, beat: claim.ticket.content.beat + 1 };
    try {
        world.overwrite(claim.ticket.descriptor, writeTicket(claim.ticket.content));
    }
    catch {
        // A full disk or a network's hiccup: the next one may pass, and the lease is three times as long.
    }
}
function progressOf(status, claim, trouble) {
    const since = claim.ticket === null ? null : new Date(claim.ticket.content.since).toISOString();
    const mine = status.waiters.findIndex((waiter) => waiter.owner === claim.owner.id && waiter.since === since);
    const position = mine === -1 ? status.waiting + 1 : mine + 1;
    const { waiting, holders, waiters } = status;
    const ahead = waiters.slice(0, position - 1).map(({ owner, metadata }) => ({ owner, metadata }));
    const progress = { position, waiting, holders, ahead };
    return trouble === null ? progress : { ...progress, trouble };
}

;// CONCATENATED MODULE: ./build/stores/file/index.js






















const DEFAULT_STALE_TIMEOUT_MS = 3_600_000;
/** A command that needs the guard gives up on a stopped process after this. */
const COMMAND_PATIENCE_MS = 10_000;
function openFileStore(store, options) {
    const location = parseLocation(store, options.workingDirectory ?? process.cwd());
    try {
        return new FileStore(location, options);
    }
    catch (error) {
        throw explain(error, location.path);
    }
}
class FileStore {
    url;
    promises;
    #location;
    #name;
    #options;
    #guards = new GuardPool();
    #processes;
    #shared;
    #user;
    /** Bits for new files, once the directory is known to be there. */
    #mode;
    constructor(location, options) {
        const resolved = resolveLocation(location);
        this.#location = resolved;
        this.#options = options;
        // A link to a lock file keeps its own name: the user knows the lock, and its key, by that.
        this.url = locationUrl(location.kind === "lock" ? location : resolved);
        this.#name = (0,external_node_path_.basename)(location.path, LOCK_SUFFIX);
        this.#shared = sharedFilesystem(nearestExisting(resolved.path)) !== null;
        this.#processes = openProcesses({ sharedFilesystem: this.#shared });
        this.#user = options.user ?? userName();
        const scope = this.#shared ? "filesystem" : "machine";
        this.promises = { fair: true, fenced: true, push: !this.#shared, scope };
    }
    async claim(request, options = {}) {
        const checked = (0,stores_request/* checkRequest */.yG)({ ...request, key: this.#key(request.key) });
        (0,stores_request/* checkTimeout */.eN)(options.timeout);
        if (this.#location.kind === "lock" && checked.slots > 1) {
            throw new errors/* LockError */.Ku("BAD_SLOTS", `The store ${this.url} is one lock file, which has one slot: name a directory for slots ${checked.slots}.`);
        }
        return this.#explained(() => {
            if (this.#mode === undefined)
                this.#prepare();
            const place = this.#place(checked.key);
            return runClaim(place, checked, options, {
                open: (world) => this.#open(place, world),
                store: this.url,
                format: this.#options.format ?? "sema",
                rules: this.#rules(),
                processes: this.#processes,
                auditor: { user: this.#user, pid: process.pid },
            });
        });
    }
    async inspect(key) {
        const checked = (0,lock_key/* parseKey */.Do)(this.#key(key));
        return this.#explained(async () => {
            this.#checkReadable();
            const place = this.#place(checked);
            const { remembered: _, ...status } = await this.#open(place).run(inspectSteps(place, this.url, this.#rules()));
            return status;
        });
    }
    async list(options = {}) {
        return this.#explained(async () => {
            this.#checkReadable();
            const found = [];
            for (const { place } of this.#entries()) {
                const { remembered, ...status } = await this.#open(place).run(inspectSteps(place, this.url, this.#rules()));
                if (status.holders.length > 0 || status.waiting > 0 || (options.all && remembered))
                    found.push(status);
            }
            return found;
        });
    }
    async history(key, { limit }) {
        const checked = (0,lock_key/* parseKey */.Do)(this.#key(key));
        return this.#explained(() => {
            this.#checkReadable();
            return holdsOf(this.#place(checked), limit);
        });
    }
    async break(key, options) {
        const checked = (0,lock_key/* parseKey */.Do)(this.#key(key));
        return this.#explained(async () => {
            const place = this.#place(checked);
            if (!file_exists(place.directory))
                return { broken: [] };
            this.#prepare();
            preparePlace(place);
            const auditor = { user: this.#user, pid: process.pid };
            const world = this.#open(place, { patience: COMMAND_PATIENCE_MS });
            return { broken: await world.run(breakSteps(place, this.#rules(), auditor, options)) };
        });
    }
    async verify(lease) {
        const status = await this.inspect(lease.key);
        return status.holders.some((holder) => holder.fence !== null && holder.fence === lease.fence && holder.alive !== false);
    }
    async release(lease) {
        const checked = (0,lock_key/* parseKey */.Do)(this.#key(lease.key));
        return this.#explained(async () => {
            const place = this.#place(checked);
            if (!file_exists(place.side))
                return "already-gone";
            const auditor = { user: this.#user, pid: process.pid };
            const world = this.#open(place, { patience: COMMAND_PATIENCE_MS });
            const digest = (0,lock_digest/* sha256 */.s)(lease.token);
            return world.run(letGoSteps(place, this.#rules(), auditor, lease, digest));
        });
    }
    async clean(options) {
        return this.#explained(async () => {
            const removed = [];
            const failed = [];
            this.#checkReadable();
            if (!file_exists(this.#directory()))
                return { removed, failed };
            const rules = {
                ...this.#rules(),
                ...(options.staleTimeout === undefined ? {} : { staleTimeout: options.staleTimeout }),
            };
            const auditor = { user: this.#user, pid: process.pid };
            const context = { rules, auditor, dryRun: options.dryRun ?? false, by: options.owner };
            for (const { place, slots } of this.#entries()) {
                try {
                    if (!context.dryRun)
                        preparePlace(place);
                    const world = this.#open(place, { patience: COMMAND_PATIENCE_MS });
                    const names = world.list(place.directory);
                    removed.push(...(await world.run(cleanKey(place, slots, names, context))));
                }
                catch (error) {
                    failed.push({ path: place.lock, why: explain(error, place.directory).message });
                }
            }
            return { removed, failed };
        });
    }
    async close() {
        this.#guards.close();
    }
    /** In a store that is one lock file, the key is that file's name, and may be left out. */
    #key(key) {
        if (this.#location.kind === "directory")
            return key;
        const name = this.#name;
        if (key === "" || key === name || key === name + LOCK_SUFFIX)
            return name || LOCK_SUFFIX;
        throw new errors/* LockError */.Ku("BAD_KEY", `The store ${this.url} is one lock file, whose key is ${(0,lock_text/* quote */.hD)(name)}: leave the key ${(0,lock_text/* quote */.hD)(key)} out, or name a directory.`);
    }
    #directory() {
        return this.#location.kind === "directory"
            ? this.#location.path
            : (0,external_node_path_.join)(this.#location.path, "..");
    }
    #place(key) {
        if (this.#location.kind === "lock")
            return placeOf(key, this.#location.path);
        const lock = (0,external_node_path_.join)(this.#location.path, lockFileName(key));
        // The directory was resolved when the store was opened; only the file itself may be a link.
        const isLink = (0,external_node_fs_.lstatSync)(lock, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
        return placeOf(key, isLink ? resolveLock(lock) : lock);
    }
    #entries() {
        if (this.#location.kind === "lock")
            return [{ place: this.#place(this.#name), slots: [0] }];
        return reachable(catalogue(this.#open(null), this.#location.path));
    }
    #prepare() {
        const isDefault = this.#location.kind === "directory" && this.#location.isDefault;
        const directory = this.#directory();
        prepareDirectory(directory, isDefault);
        this.#mode = fileMode(directory);
    }
    /** Looking must not create anything; a store that is not there yet is empty. */
    #checkReadable() {
        const directory = this.#directory();
        if (!file_exists(directory))
            return;
        if (this.#location.kind === "directory" && this.#location.isDefault)
            checkDefault(directory);
        if (!(0,external_node_fs_.statSync)(directory).isDirectory())
            prepareDirectory(directory, false);
    }
    #rules() {
        return {
            staleTimeout: this.#options.staleTimeout ?? DEFAULT_STALE_TIMEOUT_MS,
            staleRule: this.#options.stale ?? "both",
            hostname: this.#processes.self.host,
        };
    }
    /** Bits for new files: those of the directory that they go to, which a link may put elsewhere. */
    #modeIn(directory) {
        if (this.#mode !== undefined && directory === this.#directory())
            return this.#mode;
        return file_exists(directory) ? fileMode(directory) : null;
    }
    #open(place, more = {}) {
        return openWorld({
            clock: systemClock,
            processes: this.#processes,
            guards: this.#guards,
            mode: place === null ? null : this.#modeIn(place.directory),
            sync: this.#options.fsync ?? true,
            shared: this.#shared,
            prepare: () => {
                this.#prepare();
                if (place !== null)
                    preparePlace(place);
            },
            ...more,
        });
    }
    async #explained(call) {
        try {
            return await call();
        }
        catch (error) {
            throw explain(error, this.#directory());
        }
    }
}
function file_exists(path) {
    return (0,external_node_fs_.statSync)(path, { throwIfNoEntry: false }) !== undefined;
}
function nearestExisting(path) {
    const parent = (0,external_node_path_.join)(path, "..");
    return file_exists(path) || parent === path ? path : nearestExisting(parent);
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

/***/ 599:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  QH: () => (/* binding */ aborted),
  hX: () => (/* binding */ describeHolders),
  UG: () => (/* binding */ notAcquired)
});

// EXTERNAL MODULE: ./build/lock/duration.js
var duration = __webpack_require__(739);
;// CONCATENATED MODULE: ./build/lock/describe.js

/** `1st`, `2nd`, `11th`. */
function ordinal(place) {
    const teens = place % 100 >= 11 && place % 100 <= 13;
    const ending = teens ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
    return `${place}${ending}`;
}
/** How long ago, for people; the clocks of two machines may differ, so never below zero. */
function ago(iso, now) {
    return iso === null ? null : (0,duration/* formatDuration */.a3)(Math.max(0, now - Date.parse(iso)));
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
    return estimate === null ? null : (0,duration/* formatDuration */.a3)(estimate.usual * 1_000);
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

// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(600);
;// CONCATENATED MODULE: ./build/stores/sentences.js



/** What every store says in the same words when a claim ends without the lock. */
function aborted() {
    return new errors/* LockError */.Ku("ABORTED", "The claim was cancelled and has left the line.");
}
/** `limit`: milliseconds that the claim was ready to wait. */
function notAcquired(key, limit, why) {
    const limitText = limit === 0 ? "at once" : `within ${(0,duration/* formatDuration */.a3)(limit)}`;
    return new errors/* LockError */.Ku("TIMEOUT", `${JSON.stringify(key)} was not acquired ${limitText}: ${why.replace(/\.$/, "")}.`);
}
function describeHolders(status, now) {
    if (status.holders.length === 0)
        return `${status.waiting} claims are ahead`;
    return `held by ${holdersInLine(status.holders, now)}`;
}


/***/ })

};
