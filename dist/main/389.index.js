export const id = 389;
export const ids = [389];
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

/***/ 962:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   FC: () => (/* binding */ whyNotPrivate),
/* harmony export */   IB: () => (/* binding */ fileMode),
/* harmony export */   Rh: () => (/* binding */ preparePlace),
/* harmony export */   WE: () => (/* binding */ explain),
/* harmony export */   g3: () => (/* binding */ checkDefault),
/* harmony export */   v: () => (/* binding */ prepareDirectory)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(24);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(760);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(600);
/* harmony import */ var _place_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(470);
/* harmony import */ var _random_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(870);





const isWindows = process.platform === "win32";
/** Makes a store's directory where it is missing, and refuses a default one that is not safe. */
function prepareDirectory(path, isDefault) {
    try {
        if (isDefault) {
            mkdirUnlessThere(path, 0o700);
            checkDefault(path);
        }
        else {
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.mkdirSync)(path, { recursive: true });
        }
        if (!(0,node_fs__WEBPACK_IMPORTED_MODULE_0__.statSync)(path).isDirectory())
            throw notADirectory(path);
    }
    catch (error) {
        throw explain(error, path);
    }
}
function notADirectory(path) {
    return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("BAD_STORE", `The store ${path} is not a directory: name a directory, or a file that ends in .lock.`);
}
/**
 * The default directory is in a place where everybody may create files. Whoever owns it decides who
 * gets a lock, so it must be this user's own.
 */
function checkDefault(path) {
    const wrong = whyNotPrivate(path);
    if (wrong === null)
        return;
    throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("STORE_UNSAFE", `The default store ${path} ${wrong}: name a directory that all users of the lock may write to, such as --store /var/lib/holdfast (made with mkdir -m 2770 and a common group).`);
}
/** What keeps a directory from being this user's own; null where it is. */
function whyNotPrivate(path) {
    if (isWindows)
        return null;
    const stat = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.lstatSync)(path);
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
    return isWindows ? null : (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.statSync)(directory).mode & 0o666;
}
/** Makes the side directory of a key and its guard, as widely usable as the store's directory. */
function preparePlace(place) {
    try {
        const mode = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.statSync)(place.directory).mode & 0o3777;
        sideDirectory((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(place.directory, _place_js__WEBPACK_IMPORTED_MODULE_3__/* .SIDE_DIRECTORY */ .kQ), mode);
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
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.chmodSync)(path, mode);
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
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.chmodSync)(path, mode);
}
function mkdirUnlessThere(path, mode) {
    try {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.mkdirSync)(path, { mode });
        return true;
    }
    catch (error) {
        if ((0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .systemCode */ .xU)(error) === "EEXIST")
            return false;
        throw error;
    }
}
/**
 * The guard appears with its final mode, by link: opening it under its own name and closing it again
 * would drop a lock that this process has on it.
 */
function makeGuard(path, mode) {
    if ((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.lstatSync)(path, { throwIfNoEntry: false }) !== undefined)
        return;
    const temporary = `${path}.${process.pid}.${(0,_random_js__WEBPACK_IMPORTED_MODULE_4__/* .randomHex */ .n)(8)}.tmp`;
    const handle = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)(temporary, "wx", 0o600);
    try {
        if (!isWindows)
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.fchmodSync)(handle, mode);
    }
    finally {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)(handle);
    }
    try {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.linkSync)(temporary, path);
    }
    catch (error) {
        const code = (0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .systemCode */ .xU)(error);
        if (code !== "EEXIST")
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)(path, "a", mode));
    }
    finally {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.unlinkSync)(temporary);
    }
}
/** The system's words become a sentence that says what to do. */
function explain(error, path) {
    if (error instanceof _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku)
        return error;
    const options = { cause: error };
    switch ((0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .systemCode */ .xU)(error)) {
        case "EACCES":
        case "EPERM":
        case "EROFS":
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("STORE_DENIED", `The store ${path} cannot be used (${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .messageOf */ .bD)(error)}): let this user write there, or name another directory with --store.`, options);
        case "ENOSPC":
        case "EDQUOT":
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("STORE_FULL", `The disk of the store ${path} is full (${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .messageOf */ .bD)(error)}): free some space, or name another directory with --store.`, options);
        case "EEXIST":
        case "ENOTDIR":
            return notADirectory((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(path) === path ? path : path);
        case "ENOENT":
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("STORE_UNREACHABLE", `The store ${path} is gone (${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .messageOf */ .bD)(error)}): was its directory removed?`, options);
        default:
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("STORE_UNREACHABLE", `The store ${path} failed: ${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .messageOf */ .bD)(error)}.`, options);
    }
}


/***/ }),

/***/ 470:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $t: () => (/* binding */ placeOf),
/* harmony export */   H7: () => (/* binding */ gravePath),
/* harmony export */   Kc: () => (/* binding */ gravesIn),
/* harmony export */   UG: () => (/* binding */ slotPath),
/* harmony export */   kQ: () => (/* binding */ SIDE_DIRECTORY),
/* harmony export */   l5: () => (/* binding */ temporaryPath),
/* harmony export */   rV: () => (/* binding */ temporaryPid),
/* harmony export */   uB: () => (/* binding */ LOCK_SUFFIX),
/* harmony export */   vY: () => (/* binding */ TICKET_SUFFIX),
/* harmony export */   x5: () => (/* binding */ lockFileName)
/* harmony export */ });
/* unused harmony exports GRAVE_SUFFIX, AUDIT_LOG */
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(760);
/* harmony import */ var _lock_key_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(816);


const LOCK_SUFFIX = ".lock";
const TICKET_SUFFIX = ".ticket";
const GRAVE_SUFFIX = ".grave";
const SIDE_DIRECTORY = ".holdfast";
const AUDIT_LOG = ".lock_audit.log";
/** The place of a lock file, which must be a resolved path: no symlink, no `..`. */
function placeOf(key, lock) {
    const directory = (0,node_path__WEBPACK_IMPORTED_MODULE_0__.dirname)(lock);
    const side = (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(directory, SIDE_DIRECTORY, (0,node_path__WEBPACK_IMPORTED_MODULE_0__.basename)(lock));
    return {
        key,
        directory,
        lock,
        side,
        guard: (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(side, "guard"),
        fence: (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(side, "fence"),
        audit: (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(directory, AUDIT_LOG),
    };
}
/** The name of a key's lock file in a directory store. */
function lockFileName(key) {
    return (0,_lock_key_js__WEBPACK_IMPORTED_MODULE_1__/* .encodeKey */ .g2)(key) + LOCK_SUFFIX;
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
    const prefix = `${(0,node_path__WEBPACK_IMPORTED_MODULE_0__.basename)(lock)}.`;
    if (!name.startsWith(prefix) || !name.endsWith(".tmp"))
        return null;
    const match = /^(\d{1,10})\.[\w-]+$/.exec(name.slice(prefix.length, -".tmp".length));
    return match ? Number(match[1]) : null;
}
function gravePath(place, slot) {
    return (0,node_path__WEBPACK_IMPORTED_MODULE_0__.join)(place.side, `slot${slot}${GRAVE_SUFFIX}`);
}
/** Slots that have a grave, from the names in the side directory. */
function gravesIn(names) {
    return names.flatMap((name) => {
        const match = /^slot(\d{1,6})\.grave$/.exec(name);
        return match ? [Number(match[1])] : [];
    });
}


/***/ })

};
