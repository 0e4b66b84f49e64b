export const id = 189;
export const ids = [189];
export const modules = {

/***/ 820:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   s: () => (/* binding */ sha256)
/* harmony export */ });
/**
 * SHA-256 in hex. The module behind it takes milliseconds to load, and most stages of the action end
 * without needing it: it is loaded when first used.
 */
function sha256(text) {
    return process.getBuiltinModule("node:crypto").hash("sha256", text);
}


/***/ }),

/***/ 832:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   a3: () => (/* binding */ formatDuration),
/* harmony export */   qV: () => (/* binding */ DURATION_LIMIT_MS)
/* harmony export */ });
/* unused harmony export parseDuration */
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(379);


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
        throw new LockError("BAD_DURATION", `The ${name} ${quote(text)} is not a duration: write 90 (seconds), 250ms, 30s, 5m, 2h, 1d, 1h30m or none.`);
    }
    if (milliseconds > DURATION_LIMIT_MS) {
        throw new LockError("BAD_DURATION", `The ${name} ${quote(text)} is longer than a year: write none for no limit.`);
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

/***/ 393:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Do: () => (/* binding */ parseKey),
/* harmony export */   g2: () => (/* binding */ encodeKey),
/* harmony export */   y3: () => (/* binding */ decodeKey)
/* harmony export */ });
/* unused harmony export KEY_BYTES_LIMIT */
/* harmony import */ var _digest_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(820);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(379);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(687);



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

/***/ 253:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CG: () => (/* binding */ OWNER_BYTES_LIMIT),
/* harmony export */   Eo: () => (/* binding */ parseOwnerId),
/* harmony export */   _6: () => (/* binding */ readMetadata),
/* harmony export */   sI: () => (/* binding */ checkMetadata),
/* harmony export */   v8: () => (/* binding */ parseLocalOwnerId),
/* harmony export */   wd: () => (/* binding */ parseNote)
/* harmony export */ });
/* unused harmony exports NOTE_BYTES_LIMIT, METADATA_FIELDS, localOwnerId, sessionOwnerId, tokenOwnerId, ciOwnerId */
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(379);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(687);
/* harmony import */ var _ttl_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(82);




const OWNER_BYTES_LIMIT = 256;
const NOTE_BYTES_LIMIT = 1_000;
const METADATA_VALUE_BYTES_LIMIT = 1_000;
/** Fields of the lock policy, then those of CI, then what Holdfast itself adds on a reclaim or a migration. */
const METADATA_FIELDS = [
    "hostname",
    "process_id",
    "user_identity",
    "session_id",
    "environment",
    "purpose",
    "ci_system",
    "run_id",
    "run_attempt",
    "job",
    "workflow",
    "repository",
    "ref",
    "sha",
    "actor",
    "run_url",
    "reclaimed_from",
    "reclaimed_reason",
    "migrated",
    "migrated_at",
];
function parseOwnerId(text) {
    if (text.trim() === "") {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_OWNER", "The owner is empty: name who takes the lock, or leave it out.");
    }
    if (!text.isWellFormed() || (0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .hasControl */ .aQ)(text)) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_OWNER", `The owner ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .quote */ .hD)(text)} contains a control character: use printable text.`);
    }
    if ((0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .byteLength */ .dp)(text) > OWNER_BYTES_LIMIT) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_OWNER", `The owner ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .quote */ .hD)(text, 40)} has ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .byteLength */ .dp)(text)} bytes: use at most ${OWNER_BYTES_LIMIT}.`);
    }
    return text;
}
/** The note becomes the tag of a lock file: control characters become spaces, so it can forge no field. */
function parseNote(text) {
    const note = (0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .cleanText */ .X5)(text.toWellFormed()).trim();
    if ((0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .byteLength */ .dp)(note) > NOTE_BYTES_LIMIT) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_NOTE", `The note has ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .byteLength */ .dp)(note)} bytes: use at most ${NOTE_BYTES_LIMIT}.`);
    }
    return note;
}
/** Strict, for what a caller hands in. What a file holds is read with `readMetadata` instead. */
function checkMetadata(value) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_METADATA", "The metadata is not an object of named values.");
    }
    for (const [field, content] of Object.entries(value)) {
        if (!METADATA_FIELDS.includes(field)) {
            throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_METADATA", `The metadata field ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .quote */ .hD)(field)} is not known: use ${METADATA_FIELDS.join(", ")}.`);
        }
        checkMetadataValue(field, content);
    }
    return value;
}
function checkMetadataValue(field, content) {
    const kind = typeof content;
    if (kind !== "string" && kind !== "number" && kind !== "boolean") {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_METADATA", `The metadata field ${field} must be text or a number.`);
    }
    if (typeof content === "string") {
        if ((0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .hasControl */ .aQ)(content) || (0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .byteLength */ .dp)(content) > METADATA_VALUE_BYTES_LIMIT) {
            throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_METADATA", `The metadata field ${field} must be printable text of at most ${METADATA_VALUE_BYTES_LIMIT} bytes.`);
        }
    }
    if (typeof content === "number" && !Number.isFinite(content)) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_METADATA", `The metadata field ${field} is not a finite number.`);
    }
    if (field === "environment" && !(0,_ttl_js__WEBPACK_IMPORTED_MODULE_1__/* .isEnvironment */ .A_)(content)) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_METADATA", `The metadata field environment is not known: ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .quote */ .hD)(String(content))}.`);
    }
    if (field === "purpose" && !(0,_ttl_js__WEBPACK_IMPORTED_MODULE_1__/* .isPurpose */ .JO)(content)) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_METADATA", `The metadata field purpose is not known: ${(0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .quote */ .hD)(String(content))}.`);
    }
}
/** Lenient, for what a file holds: unknown fields are kept, values that are not plain are left out. */
function readMetadata(value) {
    const metadata = {};
    if (typeof value !== "object" || value === null || Array.isArray(value))
        return metadata;
    for (const [field, content] of Object.entries(value)) {
        if (field === "__proto__" || (0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .hasControl */ .aQ)(field))
            continue;
        if (typeof content === "string")
            metadata[field] = (0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .cleanText */ .X5)(content);
        else if (typeof content === "boolean" ||
            (typeof content === "number" && Number.isFinite(content))) {
            metadata[field] = content;
        }
    }
    return metadata;
}
/** Local development: one process on one host. */
function localOwnerId(pid, hostname) {
    return `pid-${pid}@${hostname}`;
}
/** Several people or sessions on one system. */
function sessionOwnerId(user, session) {
    return `user-${user}@session-${session}`;
}
/**
 * Cloud sessions that are known by a token. The first 20 characters of a JWT are its header, which
 * is no secret; of any other token they would be, so that one is named by its digest.
 */
function tokenOwnerId(token) {
    const isJwt = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
    const shown = isJwt ? token : sha256(token);
    return `token-${shown.slice(0, 20)}`;
}
/** CI: the parts that tell one run of one job from every other. Empty parts are left out. */
function ciOwnerId(system, ...parts) {
    const known = parts.filter((part) => part !== undefined && part !== "");
    return ["ci", system, ...known]
        .map((part) => cleanText(part).trim().replace(/\s+/g, "_"))
        .join("-");
}
/** The pid and host of an owner in the local form, or null for any other form. */
function parseLocalOwnerId(id) {
    const match = /^pid-(\d{1,10})@(.+)$/.exec(id);
    return match ? { pid: Number(match[1]), hostname: match[2] } : null;
}


/***/ }),

/***/ 69:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   W$: () => (/* binding */ DEFAULT_RECLAIM),
/* harmony export */   sX: () => (/* binding */ decideReclaim)
/* harmony export */ });
/* unused harmony exports RECLAIM_REASONS, parseReclaim */
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(379);

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

/***/ 263:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   WS: () => (/* binding */ checkSlots),
/* harmony export */   aZ: () => (/* binding */ SLOTS_LIMIT),
/* harmony export */   qL: () => (/* binding */ slotsMismatch),
/* harmony export */   z0: () => (/* binding */ checkSlot)
/* harmony export */ });
/* unused harmony export parseSlots */
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(379);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(687);


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

/***/ 82:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $E: () => (/* binding */ defaultTtlSeconds),
/* harmony export */   A_: () => (/* binding */ isEnvironment),
/* harmony export */   BG: () => (/* binding */ TTL_MIN_MS),
/* harmony export */   JO: () => (/* binding */ isPurpose),
/* harmony export */   QV: () => (/* binding */ REFRESH_AT)
/* harmony export */ });
/* unused harmony exports ENVIRONMENTS, PURPOSES, parseEnvironment, parsePurpose */
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(379);

const ENVIRONMENTS = ["local", "ci", "cloud", "container"];
const PURPOSES = ["interactive", "automated", "emergency"];
/** Seconds, from the lock policy's table. */
const TTL_SECONDS = {
    local: { interactive: 3_600, automated: 1_800, emergency: 300 },
    ci: { interactive: 3_600, automated: 86_400 },
    cloud: { interactive: 7_200, automated: 14_400 },
    container: { interactive: 1_800, automated: 3_600 },
};
/** The table knows an emergency only for `local`; its five minutes hold everywhere. */
const EMERGENCY_SECONDS = 300;
/** A refresh comes at this part of the ttl, so that a missed one still has a quarter left. */
const REFRESH_AT = 0.75;
const TTL_MIN_MS = 1_000;
function defaultTtlSeconds(environment, purpose) {
    return TTL_SECONDS[environment][purpose] ?? EMERGENCY_SECONDS;
}
function parseEnvironment(text) {
    if (isEnvironment(text))
        return text;
    throw new LockError("BAD_ENVIRONMENT", `The environment ${JSON.stringify(text)} is not known: use one of ${ENVIRONMENTS.join(", ")}.`);
}
function parsePurpose(text) {
    if (isPurpose(text))
        return text;
    throw new LockError("BAD_PURPOSE", `The purpose ${JSON.stringify(text)} is not known: use one of ${PURPOSES.join(", ")}.`);
}
function isEnvironment(value) {
    return ENVIRONMENTS.includes(value);
}
function isPurpose(value) {
    return PURPOSES.includes(value);
}


/***/ }),

/***/ 915:
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

/***/ 314:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   eN: () => (/* binding */ checkTimeout),
/* harmony export */   yG: () => (/* binding */ checkRequest)
/* harmony export */ });
/* unused harmony exports DEFAULT_LEASE_MS, LEASE_MIN_MS */
/* harmony import */ var _lock_duration_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(832);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(379);
/* harmony import */ var _lock_key_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(393);
/* harmony import */ var _lock_owner_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(253);
/* harmony import */ var _lock_reclaim_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(69);
/* harmony import */ var _lock_slots_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(263);
/* harmony import */ var _lock_ttl_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(82);







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

/***/ 118:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  QH: () => (/* binding */ aborted),
  hX: () => (/* binding */ describeHolders),
  UG: () => (/* binding */ notAcquired)
});

// EXTERNAL MODULE: ./build/lock/duration.js
var duration = __webpack_require__(832);
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
/** One holder in a line: `ci-github-456-1-deploy for 4m 10s, "v1.2.3" (https://…)`. */
function holderInLine(holder, now) {
    const time = ago(holder.since, now);
    const url = runUrlOf(holder);
    return [
        holder.problem === undefined ? holder.owner : "a lock file that cannot be read",
        time === null ? "" : ` for ${time}`,
        holder.note === null ? "" : `, "${holder.note}"`,
        url === null ? "" : ` (${url})`,
    ].join("");
}
/** As many holders as a reader wants to see in one line. */
const HOLDERS_SHOWN = 3;
function holdersInLine(holders, now) {
    const shown = holders.slice(0, HOLDERS_SHOWN).map((holder) => holderInLine(holder, now));
    const more = holders.length - shown.length;
    return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}
/** How a waiting claim stands: `waiting for production: 2nd in line; held by …`. */
function waitingInLine(key, progress, now) {
    const parts = [`waiting for ${key}: ${ordinal(progress.position)} in line`];
    if (progress.holders.length > 0)
        parts.push(`held by ${holdersInLine(progress.holders, now)}`);
    if (progress.trouble !== undefined)
        parts.push(progress.trouble);
    return parts.join("; ");
}
/** What must differ for a new line to be worth a reader's time: not the seconds that pass. */
function pictureOf(progress) {
    const holders = progress.holders.map(({ owner, fence, since }) => [owner, fence, since]);
    return JSON.stringify([progress.position, holders, progress.trouble]);
}

// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(379);
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
