export const id = 354;
export const ids = [354];
export const modules = {

/***/ 9354:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  migrateLockFile: () => (/* binding */ migrateLockFile)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./build/lock/clock.js
var clock = __webpack_require__(2741);
// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(1600);
// EXTERNAL MODULE: ./build/stores/file/audit.js
var audit = __webpack_require__(574);
// EXTERNAL MODULE: ./build/stores/file/burial.js
var burial = __webpack_require__(6628);
// EXTERNAL MODULE: ./build/stores/file/catalogue.js
var catalogue = __webpack_require__(5384);
// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __webpack_require__(7975);
// EXTERNAL MODULE: ./build/lock/owner.js
var lock_owner = __webpack_require__(5208);
// EXTERNAL MODULE: ./build/lock/ttl.js
var ttl = __webpack_require__(8359);
// EXTERNAL MODULE: ./build/stores/file/fields.js
var fields = __webpack_require__(8780);
// EXTERNAL MODULE: ./build/stores/file/format.js
var format = __webpack_require__(6362);
;// CONCATENATED MODULE: ./build/stores/file/convert.js





/** What a lock file says, in the other format. Pure. What it writes is what `parseLock` reads back. */
function convert(record, to, context) {
    switch (record.kind) {
        case "unreadable":
            return { state: "garbage", why: record.problem };
        case "holdfast": {
            if (record.format === to)
                return { state: "already" };
            const converted = { ...record, format: to };
            return readable((0,format/* writeLock */.be)(converted), converted);
        }
        case "sema": {
            if (to === "sema")
                return { state: "already" };
            const policy = policyOf(record, context);
            return policy === null
                ? { state: "garbage", why: "timestamp is not a time" }
                : readable(writePolicy(policy), policy);
        }
        case "policy": {
            if (to === "sema")
                return toSema(record);
            if (!record.legacy)
                return { state: "already" };
            const upgraded = upgrade(record, context);
            return readable(writePolicy(upgraded), upgraded);
        }
    }
}
/** The last check before a file is replaced: nothing is written that would be read as something else. */
function readable(content, expected) {
    // JSON has no -0, which a foreign file may hold.
    const plain = JSON.parse(JSON.stringify(expected));
    return (0,external_node_util_.isDeepStrictEqual)((0,format/* parseLock */.PG)(Buffer.from(content, "utf8")), plain)
        ? { state: "converted", content }
        : { state: "impossible", why: "its fields cannot be written in that format" };
}
function migrated(metadata, now) {
    const policy = { environment: "local", purpose: "interactive" };
    const mark = { migrated: true, migrated_at: new Date(now).toISOString() };
    return { ...policy, ...metadata, ...mark };
}
function policyOf(record, context) {
    const since = record.timestamp * 1_000;
    if (since > LAST_INSTANT)
        return null;
    const { hostname } = context;
    const known = { hostname, process_id: record.pid };
    return {
        kind: "policy",
        legacy: false,
        owner: (0,lock_owner/* localOwnerId */.so)(record.pid, hostname),
        since,
        ttl: (0,ttl/* defaultTtlSeconds */.$E)("local", "interactive"),
        // The policy has no field for a tag. In the metadata every reader of the file keeps it.
        metadata: migrated(record.tag === null ? known : { ...known, tag: record.tag }, context.now),
    };
}
/** Years have four digits in a lock file. */
const LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z");
function upgrade(record, context) {
    // The policy's own refresh puts a number into an enhanced lock: its owner has its form already.
    const formed = record.owner.startsWith("pid-") || record.metadata.environment !== undefined;
    return {
        ...record,
        legacy: false,
        owner: formed ? record.owner : `pid-${record.owner}`,
        metadata: migrated(record.metadata, context.now),
    };
}
function toSema(record) {
    const pid = pidOf(record);
    if (pid === null)
        return {
            state: "impossible",
            why: `its owner ${JSON.stringify(record.owner)} names no process`,
        };
    const { tag } = record.metadata;
    const shown = typeof tag === "string" && tag.trim() !== "" ? tag : ownerTag(record.owner);
    const sema = {
        kind: "sema",
        pid,
        timestamp: Math.floor(record.since / 1_000),
        tag: shown?.trim() ?? null,
    };
    return readable(writeSema(sema), sema);
}
const BARE_PID = /^(?:pid-)?(\d{1,10})$/;
function pidOf(record) {
    const named = (0,lock_owner/* parseLocalOwnerId */.v8)(record.owner)?.pid ?? BARE_PID.exec(record.owner)?.[1];
    return (0,fields/* wholeNumber */.rD)(named ?? record.metadata.process_id);
}
/** An owner that says more than its pid would be lost: the tag is where the sema tools show it. */
function ownerTag(owner) {
    return (0,lock_owner/* parseLocalOwnerId */.v8)(owner) !== null || BARE_PID.test(owner) ? null : owner;
}
function writePolicy({ owner, since, ttl, metadata }) {
    const json = { owner, since: new Date(since).toISOString(), ttl, metadata };
    return `${JSON.stringify(json, null, 2)}\n`;
}
function writeSema({ pid, timestamp, tag }) {
    const line = tag === null ? "" : `tag=${tag}\n`;
    return `pid=${pid}\ntimestamp=${timestamp}\n${line}`;
}

// EXTERNAL MODULE: ./build/stores/file/directory.js
var directory = __webpack_require__(2962);
// EXTERNAL MODULE: ./build/stores/file/examine.js + 1 modules
var examine = __webpack_require__(9878);
// EXTERNAL MODULE: ./build/stores/file/index.js + 13 modules
var file = __webpack_require__(6951);
// EXTERNAL MODULE: ./build/stores/file/location.js
var file_location = __webpack_require__(3874);
// EXTERNAL MODULE: ./build/stores/file/network.js
var network = __webpack_require__(7887);
// EXTERNAL MODULE: ./build/stores/file/place.js
var place = __webpack_require__(8470);
// EXTERNAL MODULE: ./build/stores/file/processes.js
var file_processes = __webpack_require__(980);
// EXTERNAL MODULE: ./build/stores/file/real.js + 1 modules
var real = __webpack_require__(433);
// EXTERNAL MODULE: ./build/stores/file/sightings.js
var file_sightings = __webpack_require__(1897);
// EXTERNAL MODULE: ./build/stores/file/take.js
var take = __webpack_require__(2770);
// EXTERNAL MODULE: ./build/stores/file/world.js
var file_world = __webpack_require__(2417);
;// CONCATENATED MODULE: ./build/stores/file/migrate.js



















/** Somebody else's work on the same key takes less than a millisecond; a stopped process takes for ever. */
const PATIENCE_MS = 10_000;
/** A tool that knows no guard may replace the file while it is being converted: look again. */
const ATTEMPTS = 10;
/**
 * Converts one lock file, in place. Throws BAD_STORE for a path that no store would take and
 * BAD_LOCK_FILE for a directory or a lock that the other format cannot say; the file is then as it was.
 */
async function migrateLockFile(path, options) {
    const lock = lockAt(path, options.workingDirectory ?? process.cwd());
    const guards = new real/* GuardPool */.U();
    try {
        const stat = (0,external_node_fs_.lstatSync)(lock, { throwIfNoEntry: false });
        if (stat === undefined)
            return missing(lock);
        if (stat.isDirectory())
            throw new errors/* LockError */.Ku("BAD_LOCK_FILE", `${lock} is a directory, not a lock file: name the lock files in it.`);
        const { place, slot } = ownerOf(lock);
        const shared = (0,network/* sharedFilesystem */.dn)(place.directory) !== null;
        const processes = (0,file_processes/* openProcesses */.I)({ sharedFilesystem: shared });
        const world = (0,real/* openWorld */.H)({
            clock: clock/* systemClock */.m,
            processes,
            guards,
            mode: (0,directory/* fileMode */.IB)(place.directory),
            sync: true,
            shared,
            prepare: () => (0,directory/* preparePlace */.Rh)(place),
            patience: PATIENCE_MS,
        });
        const hostname = processes.self.host;
        const steps = migrateSteps({
            place: { ...place, key: (0,catalogue/* keyOf */.TN)(world, place.lock) },
            slot,
            path: lock,
            to: options.to,
            by: options.owner,
            rules: { staleTimeout: file.DEFAULT_STALE_TIMEOUT_MS, staleRule: "both", hostname },
            auditor: { user: options.user ?? (0,audit/* userName */.nT)(), pid: process.pid },
        });
        return await (0,file_world/* perform */.y)(likeOriginal(world, lock), steps, shared ? network/* withRetry */.bD : undefined);
    }
    catch (error) {
        throw (0,directory/* explain */.WE)(error, (0,external_node_path_.dirname)(lock));
    }
    finally {
        guards.close();
    }
}
/** The same rules as for a store: `..` is refused, links are followed. */
function lockAt(path, workingDirectory) {
    if (path === "")
        throw new errors/* LockError */.Ku("BAD_LOCK_FILE", "The path is empty: name the lock file to migrate.");
    const location = (0,file_location/* parseLocation */.zS)(path, workingDirectory);
    try {
        return (0,file_location/* resolveLock */.Ky)(location.path);
    }
    catch (error) {
        throw (0,directory/* explain */.WE)(error, location.path);
    }
}
/** Whose guard protects the file: `name@2.lock` is a slot of `name.lock`, unless it is a lock in its own right. */
function ownerOf(lock) {
    const own = (0,place/* placeOf */.$t)("", lock);
    const match = /^(.+)@(\d{1,4})\.lock$/.exec((0,external_node_path_.basename)(lock));
    if (match === null || (0,external_node_fs_.lstatSync)(own.side, { throwIfNoEntry: false }) !== undefined)
        return { place: own, slot: 0 };
    return {
        place: (0,place/* placeOf */.$t)("", (0,external_node_path_.join)((0,external_node_path_.dirname)(lock), match[1] + place/* LOCK_SUFFIX */.uB)),
        slot: Number(match[2]),
    };
}
/** The new file takes the mode of the old one and, where this user may give files away, its owner. */
function likeOriginal(world, path) {
    const create = (temporary, content) => {
        const descriptor = world.create(temporary, content);
        const stat = (0,external_node_fs_.lstatSync)(path, { throwIfNoEntry: false });
        if (stat === undefined || process.platform === "win32")
            return descriptor;
        if (stat.uid !== process.geteuid?.() && process.geteuid?.() === 0)
            (0,external_node_fs_.fchownSync)(descriptor.handle, stat.uid, stat.gid);
        (0,external_node_fs_.fchmodSync)(descriptor.handle, stat.mode & 0o777);
        return descriptor;
    };
    return { ...world, create };
}
function* migrateSteps(task) {
    const { place, rules } = task;
    yield* (0,file_world/* step */.P)("enter", place.guard);
    try {
        const sightings = new file_sightings/* Sightings */.l();
        yield* (0,burial/* finishBurials */.w)(place, yield* (0,file_world/* step */.P)("list", place.side), rules, sightings);
        for (let tries = 0; tries < ATTEMPTS; tries++) {
            const lock = yield* (0,examine/* examineSlot */.q6)(place, task.slot, rules, sightings);
            if (lock === null)
                return missing(task.path);
            const outcome = yield* migrateOne(task, lock);
            if (outcome !== null)
                return outcome;
        }
    }
    finally {
        yield* (0,file_world/* step */.P)("leave", place.guard);
    }
    throw new errors/* LockError */.Ku("STORE_UNREACHABLE", `${task.path} changes faster than it can be converted: try again when its lock is quiet.`);
}
/** Null where the file is no longer the one that was read. */
function* migrateOne(task, lock) {
    const { path, to } = task;
    const context = { hostname: task.rules.hostname, now: yield* (0,file_world/* step */.P)("now") };
    const conversion = convert(lock.record, to, context);
    const name = JSON.stringify((0,take/* nameOf */.Vb)(lock));
    switch (conversion.state) {
        case "already":
            return { path, outcome: "already", message: `${path} is in the ${to} format already.` };
        case "garbage": {
            const message = `${path} is left alone, since it is not a lock that can be read: ${conversion.why}.`;
            return { path, outcome: "garbage", message };
        }
        case "impossible":
            throw new errors/* LockError */.Ku("BAD_LOCK_FILE", `${path} cannot be converted to ${to}: ${conversion.why}.`);
        case "converted": {
            const { vitality } = lock.verdict;
            // Its holder writes through a descriptor of the old file and would take the new one for a thief.
            if (lock.record.kind === "holdfast" && vitality !== "dead" && vitality !== "expired") {
                const message = `${path} is left alone, since ${name} holds it: migrate it when it is released.`;
                return { path, outcome: "live", message };
            }
            if (!(yield* replace(task, lock, conversion.content)))
                return null;
            return { path, outcome: "migrated", message: `${path} is now in the ${to} format.` };
        }
    }
}
/** Replaces a lock by a complete file, in one step, if it is still the one that was read. */
function* replace(task, lock, content) {
    const temporary = (0,place/* temporaryPath */.l5)(lock.path, task.auditor.pid, yield* (0,file_world/* step */.P)("random"));
    const descriptor = yield* (0,file_world/* step */.P)("create", temporary, content);
    let replaced = false;
    try {
        if ((yield* (0,file_world/* step */.P)("inode", lock.path)) !== lock.view.inode)
            return false;
        const details = {
            key: task.place.key,
            existingOwner: (0,take/* nameOf */.Vb)(lock),
            from: formatOf(lock),
            to: task.to,
            slot: lock.slot,
            by: task.by,
        };
        yield* (0,audit/* record */.g1)(task.place, task.auditor, "migrate", lock.path, details);
        // False: a sema tool's `clean` took the temporary file away.
        replaced = yield* (0,file_world/* step */.P)("rename", temporary, lock.path);
        return replaced;
    }
    finally {
        if (!replaced)
            yield* (0,file_world/* step */.P)("remove", temporary);
        yield* (0,file_world/* step */.P)("close", descriptor);
    }
}
function formatOf({ record }) {
    switch (record.kind) {
        case "holdfast":
            return record.format;
        case "policy":
            return record.legacy ? "old json" : "json";
        default:
            return record.kind;
    }
}
function missing(path) {
    return { path, outcome: "missing", message: `${path} is not there: nothing to migrate.` };
}


/***/ })

};
