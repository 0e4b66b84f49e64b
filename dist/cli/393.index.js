export const id = 393;
export const ids = [393];
export const modules = {

/***/ 2054:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   N: () => (/* binding */ nextFence)
/* harmony export */ });
/**
 * The next fencing number: `max(last + 1, now in microseconds)`. Because it follows the clock, it
 * also grows when the store's memory of `last` was wiped, restored from a backup or moved; because
 * of `last + 1`, it also grows when the clock went back. A safe integer until the year 2255.
 */
function nextFence(last, nowMs) {
    const byClock = Math.floor(nowMs) * 1_000;
    return last === null ? byClock : Math.max(last + 1, byClock);
}


/***/ }),

/***/ 6491:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   J: () => (/* binding */ Claim),
/* harmony export */   r: () => (/* binding */ Party)
/* harmony export */ });
/** Who holds and waits: a connection, a session. */
class Party {
    id;
    /** Of a session that was restored: nobody, until its door has opened. */
    listener;
    door;
    /** The session that it is, by the digest of its id; null: a connection. */
    session;
    introduction = null;
    /** Milliseconds of silence after which it ends, and its locks with it, whatever their lease. */
    patience = Number.POSITIVE_INFINITY;
    /** Gone: it can be told nothing, and what it still holds waits for its lease to end. */
    gone = false;
    /** Claims of the first phase (`e`), by key, until the second (`w`) comes for them. Most have none. */
    enqueued = null;
    #first = null;
    constructor(id, listener, session = null) {
        this.id = id;
        this.listener = listener;
        this.session = session;
        this.door = session === null ? "tcp" : "http";
    }
    /** Whether what it holds outlives a restart, where the server has a memory for that. */
    get isKept() {
        return this.session !== null || this.introduction !== null;
    }
    /** Two connections that introduced themselves as one owner. */
    isSameOwnerAs(other) {
        const owner = this.introduction?.owner.id;
        return this !== other && owner !== undefined && owner === other.introduction?.owner.id;
    }
    /** A later connection of the same claim. */
    isSameClaimAs(other) {
        const claim = this.introduction?.claim;
        return this !== other && claim !== undefined && claim === other.introduction?.claim;
    }
    get hasClaims() {
        return this.#first !== null;
    }
    /** All that it holds and waits for, the oldest first. */
    claims() {
        const claims = [];
        for (let claim = this.#first; claim !== null; claim = claim.olderOfParty)
            claims.push(claim);
        return claims.reverse();
    }
    add(claim) {
        claim.olderOfParty = this.#first;
        if (this.#first !== null)
            this.#first.newerOfParty = claim;
        this.#first = claim;
    }
    remove(claim) {
        const { newerOfParty, olderOfParty } = claim;
        if (newerOfParty === null)
            this.#first = olderOfParty;
        else
            newerOfParty.olderOfParty = olderOfParty;
        if (olderOfParty !== null)
            olderOfParty.newerOfParty = newerOfParty;
        claim.newerOfParty = null;
        claim.olderOfParty = null;
    }
}
/**
 * One request in line, from joining it to letting go. The same object is first a waiter, then a
 * holder, so that a grant has nothing to allocate but its token.
 */
class Claim {
    previous = null;
    next = null;
    newerOfParty = null;
    olderOfParty = null;
    entry;
    party;
    enqueued = false;
    state = "waiting";
    /** Milliseconds that it is held without being renewed. */
    lease;
    /** Wall clock, milliseconds: when it joined the line; once held, when it was granted. */
    since = 0;
    /** Milliseconds from joining the line to the grant. */
    waited = 0;
    /** Wall clock of the last sign of life. */
    renewed = 0;
    /** By the monotonic clock. */
    expires = 0;
    fence = 0;
    token = "";
    slot = 0;
    /** The lease that is to outlive a restart, in milliseconds; 0: none is. */
    kept = 0;
    constructor(entry, party, lease) {
        this.entry = entry;
        this.party = party;
        this.lease = lease;
        party.add(this);
    }
    /** Belongs to another party from now on, on whose end it depends. */
    moveTo(party) {
        this.party.remove(this);
        this.party = party;
        party.add(this);
    }
    /** It is held from now on. */
    begin(fence, token, since, expires) {
        this.fence = fence;
        this.token = token;
        this.since = since;
        this.renewed = since;
        this.state = "held";
        this.expires = expires;
        if (expires < this.entry.earliest)
            this.entry.earliest = expires;
    }
}


/***/ }),

/***/ 6900:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   C: () => (/* binding */ sessionName),
/* harmony export */   p: () => (/* binding */ publicName)
/* harmony export */ });
/** Digits of a session's digest that are shown: enough to tell sessions apart. */
const SHOWN_DIGITS = 12;
/**
 * What a session is called by others. Its id is a secret of 256 bits and opens everything that it
 * holds; a few digits of the digest lead back to nothing.
 */
function sessionName(digest) {
    return `session-${digest.slice(0, SHOWN_DIGITS)}`;
}
/** The owner, and which of the owner's sessions it is. */
function publicName({ introduction, session, id }) {
    if (session === null)
        return introduction?.owner.id ?? `connection-${id}`;
    const name = sessionName(session);
    if (introduction === null || introduction.owner.id === name)
        return name;
    return `${introduction.owner.id}#${session.slice(0, SHOWN_DIGITS)}`;
}


/***/ }),

/***/ 2393:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  serve: () => (/* binding */ serve)
});

// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(7030);
// EXTERNAL MODULE: ./build/wire/token.js
var token = __webpack_require__(3340);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(1600);
// EXTERNAL MODULE: ./build/lock/text.js
var lock_text = __webpack_require__(5352);
// EXTERNAL MODULE: ./build/server/options.js
var server_options = __webpack_require__(7121);
// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
;// CONCATENATED MODULE: ./build/server/secret.js

/**
 * The token that clients must show. Kept and compared as a digest: comparing takes the same time
 * whatever was sent, also where the lengths differ, and the text itself is nowhere to be dumped.
 */
class Secret {
    #digest;
    constructor(text) {
        this.#digest = digestOf(text);
    }
    matches(text) {
        return (0,external_node_crypto_.timingSafeEqual)(this.#digest, digestOf(text));
    }
}
function digestOf(text) {
    return (0,external_node_crypto_.createHash)("sha256").update(text, "utf8").digest();
}

;// CONCATENATED MODULE: ./build/server/access.js






/** Throws BAD_OPTION where a file cannot be read, or where strangers could lock. */
async function readAccess(options, log) {
    const secret = await readSecret(options, log);
    refuseStrangers(options, secret);
    return { secret, tls: await readCertificate(options) };
}
async function readSecret(options, log) {
    const { authToken, authTokenFile } = options;
    if (authToken !== null)
        return new Secret(authToken);
    if (authTokenFile === null)
        return null;
    const text = (await readNamedFile("auth-token-file", authTokenFile)).toString("utf8");
    const { mode } = await (0,promises_.stat)(authTokenFile);
    if (process.platform !== "win32" && (mode & 0o007) !== 0) {
        log.write("warn", "the token file can be read by every user of this machine: chmod 600", {
            file: authTokenFile,
        });
    }
    return new Secret((0,server_options/* checkToken */.S)(text, `--auth-token-file ${(0,lock_text/* quote */.hD)(authTokenFile)}`));
}
async function readCertificate({ tls, }) {
    if (tls === null)
        return null;
    const cert = await readNamedFile("tls-cert", tls.certFile);
    return { cert, key: await readNamedFile("tls-key", tls.keyFile) };
}
async function readNamedFile(option, path) {
    try {
        return await (0,promises_.readFile)(path);
    }
    catch (error) {
        const why = (0,errors/* systemCode */.xU)(error) === "ENOENT" ? "it is not there" : (0,errors/* messageOf */.bD)(error);
        const message = `The file ${(0,lock_text/* quote */.hD)(path)} of --${option} cannot be read: ${why}.`;
        throw new errors/* LockError */.Ku("BAD_OPTION", message, { cause: error });
    }
}
function refuseStrangers({ host, insecure }, secret) {
    if (secret !== null || insecure || isLoopback(host))
        return;
    throw new errors/* LockError */.Ku("BAD_OPTION", `The address ${(0,lock_text/* quote */.hD)(host)} can be reached from other machines, and anybody could take or free locks: give --auth-token-file, or say --insecure.`);
}
/** By the address as written: a name other than localhost may lead anywhere. */
function isLoopback(host) {
    if (host === "localhost" || host === "::1")
        return true;
    const plain = host.toLowerCase().startsWith("::ffff:") ? host.slice(7) : host;
    return (0,external_node_net_.isIP)(plain) === 4 && plain.startsWith("127.");
}

// EXTERNAL MODULE: ./build/server/http/names.js
var names = __webpack_require__(6900);
;// CONCATENATED MODULE: ./build/server/history.js

/** Of one key the newest so many, of all keys together at most so many. */
const PER_KEY = 50;
const TOTAL = 20_000;
const ENDS = {
    released: "released",
    withdrawn: "released",
    hangup: "dead",
    expired: "expired",
    broken: "broken",
    shutdown: "released",
};
/** What history keeps of a claim that was held. Times by the wall clock. */
function holdOf(claim, reason, now) {
    const { introduction, session, id } = claim.party;
    const nameless = session === null ? `connection-${id}` : (0,names/* sessionName */.C)(session);
    return {
        owner: introduction?.owner.id ?? nameless,
        since: new Date(claim.since).toISOString(),
        waited: claim.waited,
        held: Math.max(0, now - claim.since),
        fence: claim.fence,
        slot: claim.slot,
        end: ENDS[reason],
        metadata: introduction?.owner.metadata ?? {},
    };
}
/** The last holds of every key, in memory: asked for with every look at a key. Keys as on the wire. */
class History {
    /** By key, the one that was used last at the end; its holds from the oldest to the newest. */
    #byKey = new Map();
    #total = 0;
    add(key, hold) {
        const holds = this.#byKey.get(key) ?? [];
        this.#byKey.delete(key);
        this.#byKey.set(key, holds);
        holds.push(hold);
        this.#total += 1;
        if (holds.length > PER_KEY) {
            holds.shift();
            this.#total -= 1;
        }
        while (this.#total > TOTAL)
            this.#forgetOldestKey();
    }
    /** The newest first. */
    of(key, limit = PER_KEY) {
        return (this.#byKey.get(key) ?? []).slice(-Math.max(1, limit)).reverse();
    }
    #forgetOldestKey() {
        const [key, holds] = this.#byKey.entries().next().value;
        this.#byKey.delete(key);
        this.#total -= holds.length;
    }
}

// EXTERNAL MODULE: ./build/wire/key.js
var key = __webpack_require__(8946);
;// CONCATENATED MODULE: ./build/server/journal.js

const EVENTS = {
    released: "released",
    withdrawn: "left the line",
    hangup: "connection closed, lock freed",
    expired: "lease expired",
    broken: "lock broken",
    shutdown: "sent home",
};
/**
 * What an operator wants to read about locks. Those who introduced themselves are deployments, few
 * and of interest; nameless clients may come a thousand times a second, and are for debugging.
 */
function createJournal(log) {
    const quietAboutNameless = !log.enabled("debug");
    return {
        granted(claim) {
            if (quietAboutNameless && claim.party.introduction === null)
                return;
            log.write(usualLevel(claim), "granted", fieldsOf(claim));
        },
        ended(claim, reason, wasHeld) {
            if (!wasHeld)
                return;
            const forced = reason === "expired" || reason === "broken";
            if (!forced && quietAboutNameless && claim.party.introduction === null)
                return;
            log.write(forced ? "warn" : usualLevel(claim), EVENTS[reason], fieldsOf(claim));
        },
    };
}
function usualLevel(claim) {
    return claim.party.introduction === null ? "debug" : "info";
}
function fieldsOf(claim) {
    const { entry, party } = claim;
    return {
        key: (0,key/* decodeWireKey */.Z)(entry.key),
        owner: party.introduction?.owner.id,
        connection: party.id,
        fence: claim.fence,
        slot: entry.limit > 1 ? claim.slot : undefined,
        waiting: entry.waiters.size,
    };
}

;// CONCATENATED MODULE: ./build/server/keeping.js

/** Fences of nameless clients may grow a hundred thousand times a second: they are written at this pace. */
const FENCES_EVERY_MS = 50;
/**
 * Carries what happens in the table over to the storage and to history. Only deployments are kept:
 * connections that introduced themselves, and sessions. Of all others the fence, at leisure.
 */
function createKeeping(storage, history, clock) {
    let fences = new Map();
    let timer = null;
    let retaining = false;
    function flush() {
        if (timer !== null)
            clearTimeout(timer);
        timer = null;
        if (fences.size === 0)
            return;
        storage.record({ kind: "fences", fences });
        fences = new Map();
    }
    function keep(claim) {
        claim.kept = claim.lease;
        storage.record({ kind: "granted", lease: storedLease(claim) });
    }
    return {
        granted(claim) {
            if (claim.party.isKept) {
                keep(claim);
                return;
            }
            // The lock of a single write: its fence is nobody's to show, and must not outdo one that is.
            if (claim.party.session !== null)
                return;
            fences.set(claim.entry.key, claim.fence);
            timer ??= setTimeout(flush, FENCES_EVERY_MS);
        },
        renewed(claim) {
            if (!claim.party.isKept)
                return;
            if (claim.kept === 0) {
                keep(claim);
                return;
            }
            // A keeper's lease starts anew with the server; that of a session ends when its client was told.
            if (claim.party.session === null && claim.kept === claim.lease)
                return;
            claim.kept = claim.lease;
            const { fence, lease, entry } = claim;
            const expiresAt = claim.renewed + lease;
            storage.record({ kind: "renewed", key: entry.key, fence, lease, expiresAt });
        },
        ended(claim, reason, wasHeld) {
            if (!wasHeld || claim.kept === 0 || (retaining && reason === "hangup"))
                return;
            const { key } = claim.entry;
            const hold = holdOf(claim, reason, clock.now());
            history.add(key, hold);
            storage.record({ kind: "ended", key, fence: claim.fence, hold });
        },
        retain() {
            retaining = true;
        },
        flush,
    };
}
function storedLease(claim) {
    const { entry, party, slot, fence, token, since, renewed, waited, lease } = claim;
    return {
        key: entry.key,
        limit: entry.limit,
        slot,
        fence,
        token,
        since,
        waited,
        lease,
        // As clients are told it.
        expiresAt: renewed + lease,
        session: party.session,
        introduction: party.introduction,
    };
}

// EXTERNAL MODULE: ./build/server/log.js
var server_log = __webpack_require__(1477);
;// CONCATENATED MODULE: ./build/server/observers.js
/** Several who watch the table, as one. Called on every grant: so nothing is looked for then. */
function together(observers) {
    const joined = observers.filter((one) => one.joined !== undefined);
    const granted = observers.filter((one) => one.granted !== undefined);
    const renewed = observers.filter((one) => one.renewed !== undefined);
    const ended = observers.filter((one) => one.ended !== undefined);
    return {
        joined(claim) {
            for (const one of joined)
                one.joined?.(claim);
        },
        granted(claim) {
            for (const one of granted)
                one.granted?.(claim);
        },
        renewed(claim) {
            for (const one of renewed)
                one.renewed?.(claim);
        },
        ended(claim, reason, wasHeld) {
            for (const one of ended)
                one.ended?.(claim, reason, wasHeld);
        },
    };
}

;// CONCATENATED MODULE: ./build/server/restore.js
/** A party of before: there is nobody to be told anything. */
const NOBODY = { granted() { }, ended() { } };
/**
 * Puts back what was held when the server ended, before its doors open. Returns the parties of the
 * sessions, by the digest of their ids: the HTTP door gives them their voice.
 *
 * A keeper's lease starts anew: it may have been renewed a moment before the end, which nobody wrote
 * down, and the server's clock may have changed since. Longer than its keeper counts on is safe;
 * shorter would let a second one in. A session was told by which moment its lock ends: that stands.
 */
function restoreLeases(table, found, clock) {
    const sessions = new Map();
    for (const { digest, introduction } of found.sessions) {
        const party = table.admit(NOBODY, digest);
        party.introduction = introduction;
        sessions.set(digest, party);
    }
    for (const lease of found.leases) {
        const party = lease.session === null ? ghost(table, lease) : sessions.get(lease.session);
        // Its session is over: so is the lock.
        if (party === undefined)
            continue;
        const left = lease.session === null
            ? lease.lease
            : Math.min(lease.lease, Math.max(0, lease.expiresAt - clock.now()));
        table.restore(party, { ...lease, left }).kept = lease.lease;
    }
    return sessions;
}
/** Gone, as a connection that closed: whoever renews with the token takes its place. */
function ghost(table, { introduction }) {
    const party = table.admit(NOBODY);
    party.introduction = introduction;
    party.gone = true;
    return party;
}

;// CONCATENATED MODULE: ./build/server/stop.js
/** Ends a server in good order; asked a second time, at once. */
function createStop({ shutdownTimeout }, { table, log, keeping, storage, panel }, doors, timers) {
    let stopped = null;
    function connections() {
        return doors.reduce((sum, door) => sum + door.connections, 0);
    }
    async function stop() {
        const { held, waiting } = table;
        log.write("info", "stopping", { connections: connections(), held, waiting });
        table.close();
        panel?.close();
        const drained = Promise.all(doors.map((door) => door.drain()));
        const patience = shutdownTimeout === 0 ? undefined : setTimeout(cutOff, shutdownTimeout);
        await drained;
        clearTimeout(patience);
        for (const timer of timers)
            clearInterval(timer);
        keeping.flush();
        await storage.close();
        log.write("info", "stopped");
    }
    function cutOff() {
        keeping.retain();
        log.write("warn", "closing connections that still hold locks", { connections: connections() });
        for (const door of doors)
            door.cutOff();
    }
    return () => {
        if (stopped === null)
            stopped = stop();
        else
            cutOff();
        return stopped;
    };
}

;// CONCATENATED MODULE: ./build/server/storage/none.js
/** For a server with neither HTTP nor a data file: nothing is to be kept, and there are no files. */
const NO_STORAGE = {
    found: { leases: [], sessions: [], holds: [], lastFence: null },
    trouble: null,
    record() { },
    settled: () => null,
    readFile: async () => null,
    statFile: async () => null,
    writeFile: async () => ({ outcome: "full" }),
    deleteFile: async () => ({ outcome: "missing" }),
    close: async () => { },
};

// EXTERNAL MODULE: ./build/lock/fence.js
var fence = __webpack_require__(2054);
// EXTERNAL MODULE: ./build/server/claim.js
var server_claim = __webpack_require__(6491);
;// CONCATENATED MODULE: ./build/server/list.js
/**
 * A doubly linked list through its own elements: any element leaves in O(1), wherever it stands,
 * and leaves nothing behind to be skipped later. Ten thousand waiters who hang up cost no more
 * than one.
 */
class LinkedList {
    size = 0;
    first = null;
    #last = null;
    push(element) {
        element.previous = this.#last;
        element.next = null;
        if (this.#last === null)
            this.first = element;
        else
            this.#last.next = element;
        this.#last = element;
        this.size += 1;
    }
    remove(element) {
        const { previous, next } = element;
        if (previous === null)
            this.first = next;
        else
            previous.next = next;
        if (next === null)
            this.#last = previous;
        else
            next.previous = previous;
        element.previous = null;
        element.next = null;
        this.size -= 1;
    }
    /** The element at hand may leave during the walk; others may not. */
    *[Symbol.iterator]() {
        let element = this.first;
        while (element !== null) {
            const next = element.next;
            yield element;
            element = next;
        }
    }
}

;// CONCATENATED MODULE: ./build/server/entry.js

/** Up to so many holders a look at each is cheaper than a map, and leaves no garbage. */
const FEW_HOLDERS = 8;
/** The state of one key. A lock is an entry with limit 1; there is no other difference. */
class Entry {
    previous = null;
    next = null;
    key;
    limit;
    holders = new LinkedList();
    waiters = new LinkedList();
    /** No lease here ends before this moment; a renewed one may end later. */
    earliest = Number.POSITIVE_INFINITY;
    idle = true;
    /** By the monotonic clock; means something while idle. */
    idleSince = 0;
    /** Only where there may be many holders. */
    #byToken = null;
    /** Slots below `#slotsUsed` that are free again. */
    #freeSlots = [];
    #slotsUsed = 0;
    constructor(key, limit) {
        this.key = key;
        this.limit = limit;
    }
    addHolder(claim) {
        claim.slot = this.#takeSlot();
        this.#hold(claim);
    }
    /** In the slot that it had; those below are free until they are restored, too. */
    restoreHolder(claim, slot) {
        while (this.#slotsUsed <= slot) {
            this.#freeSlots.push(this.#slotsUsed);
            this.#slotsUsed += 1;
        }
        this.#freeSlots.splice(this.#freeSlots.indexOf(slot), 1);
        claim.slot = slot;
        this.#hold(claim);
    }
    removeHolder(claim) {
        this.holders.remove(claim);
        this.#byToken?.delete(claim.token);
        if (this.limit > 1)
            this.#freeSlots.push(claim.slot);
        else
            this.#slotsUsed = 0;
    }
    findHolder(token) {
        if (this.#byToken !== null)
            return this.#byToken.get(token) ?? null;
        let claim = this.holders.first;
        while (claim !== null && claim.token !== token)
            claim = claim.next;
        return claim;
    }
    /** What was granted to this very claim, whose connection was gone before it could be told. */
    findKeptFor(party) {
        let claim = this.holders.first;
        while (claim !== null && !(claim.party.gone && claim.party.isSameClaimAs(party))) {
            claim = claim.next;
        }
        return claim;
    }
    /** Those whose lease is over; the others tell when to look again. */
    findExpired(now) {
        const expired = [];
        this.earliest = Number.POSITIVE_INFINITY;
        for (const claim of this.holders) {
            if (claim.expires <= now)
                expired.push(claim);
            else if (claim.expires < this.earliest)
                this.earliest = claim.expires;
        }
        return expired;
    }
    /** Nobody holds: the bookkeeping starts anew, and the limit may change. */
    reset() {
        this.earliest = Number.POSITIVE_INFINITY;
        if (this.limit === 1)
            return;
        this.#byToken = null;
        this.#freeSlots.length = 0;
        this.#slotsUsed = 0;
    }
    #hold(claim) {
        this.holders.push(claim);
        if (this.limit <= FEW_HOLDERS)
            return;
        this.#byToken ??= new Map();
        this.#byToken.set(claim.token, claim);
    }
    #takeSlot() {
        const free = this.#freeSlots.pop();
        if (free !== undefined)
            return free;
        this.#slotsUsed += 1;
        return this.#slotsUsed - 1;
    }
}
/** All keys that are known: those in use, and idle ones in the order in which they became so. */
class Entries {
    busy = new LinkedList();
    idle = new LinkedList();
    #byKey = new Map();
    #limit;
    /** 0: no limit. */
    constructor(limit) {
        this.#limit = limit;
    }
    get size() {
        return this.#byKey.size;
    }
    get(key) {
        return this.#byKey.get(key);
    }
    /** A new, idle entry; null when the table is full. */
    create(key, limit) {
        if (this.#limit > 0 && this.#byKey.size >= this.#limit) {
            // An idle entry is only a memory; a new key needs the place more.
            const oldest = this.idle.first;
            if (oldest === null)
                return null;
            this.#forget(oldest);
        }
        return this.#add(new Entry(key, limit));
    }
    /** For what was held before: no limit stands in its way. */
    revive(key, limit) {
        const entry = this.#byKey.get(key);
        return entry ?? this.#add(new Entry(key, limit));
    }
    wake(entry) {
        entry.idle = false;
        this.idle.remove(entry);
        this.busy.push(entry);
    }
    rest(entry, now) {
        entry.idle = true;
        entry.idleSince = now;
        entry.reset();
        this.busy.remove(entry);
        this.idle.push(entry);
    }
    /** Forgets what has been idle since that moment or longer. */
    collect(since) {
        for (const entry of this.idle) {
            if (entry.idleSince > since)
                return;
            this.#forget(entry);
        }
    }
    #add(entry) {
        this.#byKey.set(entry.key, entry);
        this.idle.push(entry);
        return entry;
    }
    #forget(entry) {
        this.idle.remove(entry);
        this.#byKey.delete(entry.key);
    }
}

;// CONCATENATED MODULE: ./build/server/table.js



/**
 * Keys, holders, lines, leases and fences: a pure state machine. Time passes only by its clock;
 * `sweep` and `collect` are called by whoever owns the timers. Locks and semaphores are one thing.
 *
 * Invariant between calls: a key has waiters only while all its slots are held.
 */
class LockTable {
    #options;
    #entries;
    #parties = 0;
    #held = 0;
    #waiting = 0;
    #closing = false;
    /**
     * One count for all keys: so it grows for each of them, also for one that was forgotten and came
     * back while the clock went wrong, and a restart has to remember one number only.
     */
    #lastFence;
    constructor(options) {
        this.#options = options;
        this.#entries = new Entries(options.maxLocks);
        this.#lastFence = options.lastFence ?? null;
    }
    /** Keys that are known, idle ones included. */
    get keys() {
        return this.#entries.size;
    }
    get held() {
        return this.#held;
    }
    get waiting() {
        return this.#waiting;
    }
    /** For listings, to be read only. */
    find(key) {
        return this.#entries.get(key);
    }
    busyEntries() {
        return this.#entries.busy;
    }
    idleEntries() {
        return this.#entries.idle;
    }
    /** `session`: the digest of its id, where the party is one. */
    admit(listener, session = null) {
        this.#parties += 1;
        return new server_claim/* Party */.r(this.#parties, listener, session);
    }
    /**
     * Puts a lease back that was held when the server ended. Its party may be one that is gone: then
     * the key is reserved until whoever has the token renews, before everybody who waits.
     */
    restore(party, kept) {
        const entry = this.#entries.revive(kept.key, kept.limit);
        const claim = new server_claim/* Claim */.J(entry, party, kept.lease);
        if (entry.idle)
            this.#entries.wake(entry);
        claim.waited = kept.waited;
        claim.begin(kept.fence, kept.token, kept.since, this.#now() + kept.left);
        entry.restoreHolder(claim, kept.slot);
        this.#held += 1;
        this.#lastFence = Math.max(this.#lastFence ?? 0, claim.fence);
        return claim;
    }
    /** The party is gone. It leaves all lines; what it holds is let go, or waits for its lease to end. */
    dismiss(party, release) {
        const now = this.#now();
        party.gone = true;
        // Nobody will come for these; and whoever takes such a claim over did not enqueue it.
        for (const claim of party.enqueued?.values() ?? [])
            claim.enqueued = false;
        party.enqueued = null;
        // Its waiters first: else they would be granted what it lets go.
        for (const claim of party.claims()) {
            if (claim.state === "waiting")
                this.#end(claim, "hangup", now);
        }
        if (!release)
            return;
        for (const claim of party.claims())
            this.#end(claim, "hangup", now);
    }
    /**
     * Takes the key, or joins its line: the claim's state says which. A claim that waits is told of
     * its grant through the party's listener. `lease` is in milliseconds.
     */
    claim(party, key, limit, lease) {
        if (this.#closing)
            return "closing";
        const { clock, maxWaiters } = this.#options;
        const now = clock.monotonic();
        const entry = this.#entryFor(key, limit, now);
        if (typeof entry === "string")
            return entry;
        const kept = party.introduction === null ? null : entry.findKeptFor(party);
        if (kept !== null) {
            kept.moveTo(party);
            this.#extend(kept, lease, now);
            return kept;
        }
        const free = entry.holders.size < entry.limit;
        if (!free && maxWaiters > 0 && entry.waiters.size >= maxWaiters)
            return "max-waiters";
        const claim = new server_claim/* Claim */.J(entry, party, lease);
        if (free) {
            this.#grant(claim, now);
        }
        else {
            claim.since = clock.now();
            entry.waiters.push(claim);
            this.#waiting += 1;
            this.#options.observer?.joined?.(claim);
        }
        return claim;
    }
    /** First phase: as `claim`, but remembered for the party and key until `attend` or its end. */
    enqueue(party, key, limit, lease) {
        const earlier = party.enqueued?.get(key);
        if (earlier !== undefined && !this.#ranOut(earlier, this.#now()))
            return "already-enqueued";
        const claim = this.claim(party, key, limit, lease);
        if (typeof claim === "string")
            return claim;
        claim.enqueued = true;
        party.enqueued ??= new Map();
        party.enqueued.set(key, claim);
        return claim;
    }
    /** Second phase: the claim, held with a full lease from now on, or still waiting. */
    attend(party, key) {
        const claim = party.enqueued?.get(key);
        const now = this.#now();
        if (claim === undefined || this.#ranOut(claim, now))
            return "not-enqueued";
        claim.enqueued = false;
        party.enqueued?.delete(key);
        if (claim.state === "held")
            this.#extend(claim, claim.lease, now);
        return claim;
    }
    /** Leaves the line. False where the claim no longer waits. */
    withdraw(claim) {
        if (claim.state !== "waiting")
            return false;
        this.#end(claim, "withdrawn", this.#now());
        return true;
    }
    /**
     * Any party may renew whose token is right. A claim whose party is gone becomes that of the
     * party which renews it: that is how a keeper takes its lock over to a new connection. So does one
     * of the same owner, whose old connection may be dead without anybody having noticed: its end must
     * not free what is being renewed here.
     */
    renew(party, key, token, lease) {
        const now = this.#now();
        const claim = this.#holding(key, token, now);
        if (claim === null)
            return "not-held";
        if (claim.party.gone || claim.party.isSameOwnerAs(party)) {
            claim.moveTo(party);
        }
        this.#extend(claim, lease, now);
        return claim;
    }
    /** The token alone counts, as the protocol says. */
    release(key, token) {
        const now = this.#now();
        const claim = this.#holding(key, token, now);
        if (claim === null)
            return "not-held";
        this.#end(claim, "released", now);
        return claim;
    }
    /** Takes a key from its holders, or from the one in a slot. Those in line move up. */
    break(key, slot) {
        const entry = this.#entries.get(key);
        if (entry === undefined)
            return [];
        // Chosen first: whoever moves up into a slot is not to be broken with the rest.
        const broken = [...entry.holders].filter((claim) => slot === undefined || claim.slot === slot);
        const now = this.#now();
        for (const claim of broken)
            this.#end(claim, "broken", now);
        return broken;
    }
    /** Ends every lease that ran out. */
    sweep() {
        const now = this.#now();
        for (const entry of this.#entries.busy) {
            if (entry.earliest <= now)
                this.#expire(entry, now);
        }
    }
    /** Forgets keys that nobody held for so many milliseconds. */
    collect(maxIdle) {
        this.#entries.collect(this.#now() - maxIdle);
    }
    /** Takes no more claims and sends everybody home who waits. Holders may renew and release. */
    close() {
        this.#closing = true;
        const now = this.#now();
        for (const entry of this.#entries.busy) {
            for (const claim of entry.waiters)
                this.#end(claim, "shutdown", now);
        }
    }
    #entryFor(key, limit, now) {
        const entry = this.#entries.get(key);
        if (entry === undefined)
            return this.#entries.create(key, limit) ?? "max-locks";
        if (entry.earliest <= now)
            this.#expire(entry, now);
        if (entry.limit !== limit) {
            if (!entry.idle)
                return "limit-mismatch";
            entry.limit = limit;
        }
        return entry;
    }
    #now() {
        return this.#options.clock.monotonic();
    }
    #holding(key, token, now) {
        const claim = this.#entries.get(key)?.findHolder(token) ?? null;
        return claim === null || this.#ranOut(claim, now) ? null : claim;
    }
    #grant(claim, now) {
        const { clock, makeToken, observer } = this.#options;
        const { entry } = claim;
        if (entry.idle)
            this.#entries.wake(entry);
        const wall = clock.now();
        this.#lastFence = (0,fence/* nextFence */.N)(this.#lastFence, wall);
        // A clock that was set back must not make a wait negative.
        if (claim.since > 0 && wall > claim.since)
            claim.waited = wall - claim.since;
        claim.begin(this.#lastFence, makeToken(this.#lastFence), wall, now + claim.lease);
        entry.addHolder(claim);
        this.#held += 1;
        observer?.granted?.(claim);
    }
    #extend(claim, lease, now) {
        const { clock, observer } = this.#options;
        claim.lease = lease;
        claim.renewed = clock.now();
        claim.expires = now + lease;
        if (claim.expires < claim.entry.earliest)
            claim.entry.earliest = claim.expires;
        observer?.renewed?.(claim);
    }
    /** Whether its lease ran out; it is then over. Also between two sweeps nobody holds longer than that. */
    #ranOut(claim, now) {
        if (claim.state !== "held" || claim.expires > now)
            return false;
        this.#end(claim, "expired", now);
        return true;
    }
    #expire(entry, now) {
        for (const claim of entry.findExpired(now))
            this.#end(claim, "expired", now);
    }
    #end(claim, reason, now) {
        const { entry, party } = claim;
        const wasHeld = claim.state === "held";
        claim.state = "over";
        party.remove(claim);
        if (claim.enqueued)
            party.enqueued?.delete(entry.key);
        if (wasHeld) {
            entry.removeHolder(claim);
            this.#held -= 1;
        }
        else {
            entry.waiters.remove(claim);
            this.#waiting -= 1;
        }
        this.#options.observer?.ended?.(claim, reason, wasHeld);
        if (wasHeld)
            this.#moveUp(entry, now);
        if (reason !== "withdrawn" && reason !== "hangup")
            party.listener.ended(claim, reason);
    }
    /** Gives free slots to the first in line. Without a line and holders the key becomes idle. */
    #moveUp(entry, now) {
        for (let next = entry.waiters.first; next !== null; next = entry.waiters.first) {
            if (entry.holders.size >= entry.limit)
                return;
            entry.waiters.remove(next);
            this.#waiting -= 1;
            this.#grant(next, now);
            next.party.listener.granted(next);
        }
        if (entry.holders.size === 0)
            this.#entries.rest(entry, now);
    }
}

// EXTERNAL MODULE: external "node:tls"
var external_node_tls_ = __webpack_require__(1692);
// EXTERNAL MODULE: ./build/wire/reply.js
var reply = __webpack_require__(8689);
// EXTERNAL MODULE: ./build/wire/request.js
var request = __webpack_require__(4580);
;// CONCATENATED MODULE: ./build/wire/frame.js

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);
/**
 * Where the three lines of a request are in the bytes, without newline and carriage returns. One
 * object is used over and over, because a request every few microseconds should leave no lines
 * behind as garbage.
 */
class Frame {
    bytes = NOTHING;
    commandStart = 0;
    commandEnd = 0;
    keyStart = 0;
    keyEnd = 0;
    argumentStart = 0;
    argumentEnd = 0;
    /** Finds the next three lines and returns where they end, or one of the two numbers below. */
    locate(bytes, start) {
        const first = endOfLine(bytes, start);
        if (first < 0)
            return first;
        const second = endOfLine(bytes, first + 1);
        if (second < 0)
            return second;
        const third = endOfLine(bytes, second + 1);
        if (third < 0)
            return third;
        this.bytes = bytes;
        this.commandStart = start;
        this.commandEnd = withoutReturn(bytes, start, first);
        this.keyStart = first + 1;
        this.keyEnd = withoutReturn(bytes, first + 1, second);
        this.argumentStart = second + 1;
        this.argumentEnd = withoutReturn(bytes, second + 1, third);
        return third + 1;
    }
    /** Lets go of the bytes: a chunk must not live as long as an idle connection. */
    clear() {
        this.bytes = NOTHING;
    }
}
const INCOMPLETE = -1;
const TOO_LONG = -2;
function endOfLine(bytes, start) {
    const end = Math.min(bytes.length, start + request/* LINE_LIMIT */.by + 1);
    for (let position = start; position < end; position += 1) {
        if (bytes[position] === NEWLINE)
            return position;
    }
    return bytes.length - start > request/* LINE_LIMIT */.by ? TOO_LONG : INCOMPLETE;
}
function withoutReturn(bytes, start, end) {
    let last = end;
    while (last > start && bytes[last - 1] === RETURN)
        last -= 1;
    return last;
}

// EXTERNAL MODULE: external "node:buffer"
var external_node_buffer_ = __webpack_require__(4573);
;// CONCATENATED MODULE: ./build/wire/fields.js
const SPACE = 0x20;
const fields_NOTHING = Buffer.alloc(0);
/** The white space that separates arguments: space, tab, and their ASCII relatives. */
function isBlank(byte) {
    return byte === SPACE || (byte >= 0x09 && byte <= 0x0d);
}
/** No command takes more than three; a fourth is only counted, to be refused. */
const FIELDS_KEPT = 4;
/** Where the fields of an argument line are. Used over and over, as the frame is. */
class Fields {
    count = 0;
    #starts = new Int32Array(FIELDS_KEPT);
    #ends = new Int32Array(FIELDS_KEPT);
    #bytes = fields_NOTHING;
    split(bytes, start, end) {
        this.#bytes = bytes;
        this.count = 0;
        let position = start;
        while (this.count < FIELDS_KEPT) {
            while (position < end && isBlank(bytes[position]))
                position += 1;
            if (position === end)
                return;
            this.#starts[this.count] = position;
            while (position < end && !isBlank(bytes[position]))
                position += 1;
            this.#ends[this.count] = position;
            this.count += 1;
        }
    }
    text(index) {
        return this.#bytes.toString("latin1", this.#starts[index], this.#ends[index]);
    }
    integer(index) {
        return parseInteger(this.#bytes, this.#starts[index], this.#ends[index]);
    }
    clear() {
        this.#bytes = fields_NOTHING;
        this.count = 0;
    }
}
/** As long as a 64-bit integer gets; what is longer is no number that anybody means. */
const DIGITS_LIMIT = 19;
/** NaN where it is none. Numbers too large for a double are cut to the largest safe one. */
function parseInteger(bytes, start, end) {
    let position = start;
    const sign = bytes[position];
    if (sign === 0x2b || sign === 0x2d)
        position += 1;
    if (position === end || end - position > DIGITS_LIMIT)
        return Number.NaN;
    let value = 0;
    for (; position < end; position += 1) {
        const digit = bytes[position] - 0x30;
        if (digit < 0 || digit > 9)
            return Number.NaN;
        value = value * 10 + digit;
    }
    value = Math.min(value, Number.MAX_SAFE_INTEGER);
    return sign === 0x2d ? -value : value;
}

;// CONCATENATED MODULE: ./build/wire/violation.js
const violations = {
    command: { code: 3, reason: "invalid command" },
    integer: { code: 4, reason: "invalid integer in argument" },
    key: { code: 5, reason: "empty key, or one with white space or invalid UTF-8" },
    timeout: { code: 6, reason: "negative timeout" },
    token: { code: 7, reason: "empty token" },
    count: { code: 8, reason: "wrong argument count" },
    lease: { code: 9, reason: "zero or negative lease" },
    silence: { code: 10, reason: "read timeout" },
    hangup: { code: 11, reason: "client disconnected" },
    length: { code: 12, reason: "line too long" },
    limit: { code: 13, reason: "zero or negative limit" },
};

;// CONCATENATED MODULE: ./build/wire/request-parser.js



const request_parser_SPACE = 0x20;
const TAB = 0x09;
const request_parser_RETURN = 0x0d;
const LETTER_S = 0x73;
/** Shared: see `Fields`. */
const fields = new Fields();
/** Numbers, token and key are read from the bytes; only what outlives the request becomes text. */
function parseRequest(frame) {
    const command = parseCommand(frame);
    if (command === null)
        return violations.command;
    if (command === "stats") {
        return request_parser_request(command, textOf(frame, frame.keyStart, frame.keyEnd), argumentText(frame), 0, 0, 0);
    }
    if (command === "auth")
        return request_parser_request(command, "_", argumentText(frame).trim(), 0, 0, 0);
    const key = parseKey(frame.bytes, frame.keyStart, frame.keyEnd);
    if (key === null)
        return violations.key;
    fields.split(frame.bytes, frame.argumentStart, frame.argumentEnd);
    const parsed = parseFields(command, key);
    fields.clear();
    return parsed;
}
function parseFields(command, key) {
    switch (command) {
        case "l":
            return parseTimeout(command, key, 1, 2);
        case "sl":
            return parseTimeout(command, key, 2, 3);
        case "w":
        case "sw":
            return parseTimeout(command, key, 1, 1);
        case "e":
            return parseLease(command, key, "", 0, 1, 0);
        case "se":
            return fields.count === 0 ? violations.count : parseLimit(command, key, 0, 0);
        case "n":
        case "sn":
            return fields.count === 0
                ? violations.token
                : parseLease(command, key, fields.text(0), 0, 1, 1);
        case "r":
        case "sr":
            if (fields.count === 0)
                return violations.token;
            return fields.count > 1 ? violations.count : request_parser_request(command, key, fields.text(0), 0, 1, 0);
    }
}
function parseTimeout(command, key, fewest, most) {
    if (fields.count < fewest || fields.count > most)
        return violations.count;
    const timeout = fields.integer(0);
    if (Number.isNaN(timeout))
        return violations.integer;
    if (timeout < 0)
        return violations.timeout;
    return fewest === 2
        ? parseLimit(command, key, timeout, 1)
        : parseLease(command, key, "", timeout, 1, 1);
}
function parseLimit(command, key, timeout, index) {
    const limit = fields.integer(index);
    if (Number.isNaN(limit))
        return violations.integer;
    if (limit <= 0)
        return violations.limit;
    return parseLease(command, key, "", timeout, limit, index + 1);
}
/** The lease is optional and always the last field. */
function parseLease(command, key, token, timeout, limit, index) {
    if (fields.count === index)
        return request_parser_request(command, key, token, timeout, limit, 0);
    if (fields.count > index + 1)
        return violations.count;
    const lease = fields.integer(index);
    if (Number.isNaN(lease))
        return violations.integer;
    if (lease <= 0)
        return violations.lease;
    return request_parser_request(command, key, token, timeout, limit, lease);
}
function request_parser_request(command, key, token, timeout, limit, lease) {
    return { command, key, token, timeout, limit, lease };
}
function textOf(frame, start, end) {
    return frame.bytes.toString("utf8", start, end);
}
function argumentText(frame) {
    return textOf(frame, frame.argumentStart, frame.argumentEnd);
}
function parseCommand({ bytes, commandStart, commandEnd }) {
    const length = commandEnd - commandStart;
    if (length === 1)
        return ofLock(bytes[commandStart]);
    if (length === 2)
        return bytes[commandStart] === LETTER_S ? ofSemaphore(bytes[commandStart + 1]) : null;
    if (length !== 4 && length !== 5)
        return null;
    const text = bytes.toString("latin1", commandStart, commandEnd);
    return text === "auth" || text === "stats" ? text : null;
}
function ofLock(letter) {
    if (letter === 0x6c)
        return "l";
    if (letter === 0x72)
        return "r";
    if (letter === 0x6e)
        return "n";
    if (letter === 0x65)
        return "e";
    return letter === 0x77 ? "w" : null;
}
function ofSemaphore(letter) {
    if (letter === 0x6c)
        return "sl";
    if (letter === 0x72)
        return "sr";
    if (letter === 0x6e)
        return "sn";
    if (letter === 0x65)
        return "se";
    return letter === 0x77 ? "sw" : null;
}
/**
 * Two keys that differ only in broken bytes would become one key with replacement characters, so
 * invalid UTF-8 is refused.
 */
function parseKey(bytes, start, end) {
    if (start === end)
        return null;
    let ascii = true;
    for (let position = start; position < end; position += 1) {
        const byte = bytes[position];
        if (byte === request_parser_SPACE || byte === TAB || byte === request_parser_RETURN)
            return null;
        if (byte >= 0x80)
            ascii = false;
    }
    if (ascii)
        return bytes.toString("latin1", start, end);
    return (0,external_node_buffer_.isUtf8)(bytes.subarray(start, end)) ? bytes.toString("utf8", start, end) : null;
}

;// CONCATENATED MODULE: ./build/wire/request-reader.js



const request_reader_NOTHING = Buffer.alloc(0);
/** Shared by all readers: a request is parsed in one go, and nothing else runs meanwhile. */
const request_reader_frame = new Frame();
/**
 * Bytes in, requests out. Chunks may cut requests anywhere and may hold many. After a violation
 * nothing more is read: where one request ends and the next begins is no longer certain.
 */
class RequestReader {
    violation = null;
    #bytes = request_reader_NOTHING;
    #start = 0;
    /** Bytes that were received and not yet returned as requests. */
    get buffered() {
        return this.#bytes.length - this.#start;
    }
    push(chunk) {
        this.#bytes =
            this.buffered === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#start), chunk]);
        this.#start = 0;
    }
    /** The next complete request; null when there is none, or when `violation` is set. */
    next() {
        if (this.violation !== null || this.#start === this.#bytes.length)
            return null;
        const end = request_reader_frame.locate(this.#bytes, this.#start);
        if (end === INCOMPLETE)
            return null;
        if (end === TOO_LONG) {
            this.violation = violations.length;
            return null;
        }
        const parsed = parseRequest(request_reader_frame);
        request_reader_frame.clear();
        this.#start = end;
        if (end === this.#bytes.length)
            this.clear();
        if ("command" in parsed)
            return parsed;
        this.violation = parsed;
        return null;
    }
    clear() {
        this.#bytes = request_reader_NOTHING;
        this.#start = 0;
    }
}

;// CONCATENATED MODULE: ./build/server/alarm.js
/** Node's timers fire at once when asked to wait longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A timer for any length of time; one that is beyond Node's own goes in several stretches. */
class Alarm {
    #ring;
    #timer;
    constructor(milliseconds, ring) {
        this.#ring = ring;
        this.#timer = this.#start(milliseconds);
    }
    cancel() {
        clearTimeout(this.#timer);
    }
    #start(milliseconds) {
        if (milliseconds <= LONGEST_TIMER_MS)
            return setTimeout(this.#ring, milliseconds);
        return setTimeout(() => {
            this.#timer = this.#start(milliseconds - LONGEST_TIMER_MS);
        }, LONGEST_TIMER_MS);
    }
}

// EXTERNAL MODULE: ./build/wire/introduction.js
var wire_introduction = __webpack_require__(7881);
// EXTERNAL MODULE: ./build/wire/stats.js
var stats = __webpack_require__(5762);
;// CONCATENATED MODULE: ./build/server/stats.js


/** Clients read a reply of up to 1 MiB; this leaves room for what stands around the lists. */
const BYTES_LIMIT = 900_000;
/** Of a long line only the first are shown, where all keys are asked for. */
const LINE_SHOWN = 20;
/** The reply to an introduction: whoever introduces itself asks for nothing, so nothing is walked. */
function describeServer(source) {
    return new StatsWriter(source).finish();
}
/** Counted in bytes, so that a key with ten thousand waiters still fits. */
function describeKey(source, key) {
    const writer = new StatsWriter(source);
    const holds = source.history.of(key);
    const entry = source.table.find(key);
    if (entry !== undefined)
        writer.add(entry, Number.POSITIVE_INFINITY, holds);
    else if (holds.length > 0)
        writer.addForgotten(key, holds);
    return writer.finish();
}
function describeTable(source) {
    const writer = new StatsWriter(source);
    for (const entry of source.table.busyEntries())
        writer.add(entry, LINE_SHOWN);
    for (const entry of source.table.idleEntries())
        writer.add(entry, 0);
    return writer.finish();
}
class StatsWriter {
    #source;
    #now;
    #locks = [];
    #semaphores = [];
    #idleLocks = [];
    #idleSemaphores = [];
    #bytes = 0;
    #leftOut = 0;
    constructor(source) {
        this.#source = source;
        this.#now = source.clock.monotonic();
    }
    /** `holds`: what is told of the key's history. */
    add(entry, lineShown, holds) {
        if (this.#bytes >= BYTES_LIMIT) {
            this.#leftOut += 1;
            return;
        }
        const more = holds === undefined ? {} : { holds };
        this.#bytes += holds === undefined ? 0 : (0,lock_text/* byteLength */.dp)(JSON.stringify(holds));
        const text = entry.idle ? this.#idle(entry, more) : this.#busy(entry, lineShown, more);
        this.#bytes += (0,lock_text/* byteLength */.dp)(text) + 1;
        if (this.#bytes >= BYTES_LIMIT) {
            this.#leftOut += 1;
            return;
        }
        const lock = entry.limit === 1;
        if (entry.idle)
            (lock ? this.#idleLocks : this.#idleSemaphores).push(text);
        else
            (lock ? this.#locks : this.#semaphores).push(text);
    }
    /** A key that only history still knows. */
    addForgotten(key, holds) {
        this.#idleLocks.push(JSON.stringify({ key, idle_s: 0, holds }));
    }
    finish() {
        const { connections, version, readTimeout } = this.#source;
        const read_timeout_s = readTimeout / 1_000;
        const server = JSON.stringify({ name: stats/* SERVER_NAME */.gz, version, read_timeout_s });
        const leftOut = this.#leftOut === 0 ? "" : `,"left_out":${this.#leftOut}`;
        return (`{"connections":${connections()},"locks":[${this.#locks}],"semaphores":[${this.#semaphores}],` +
            `"idle_locks":[${this.#idleLocks}],"idle_semaphores":[${this.#idleSemaphores}],` +
            `"server":${server}${leftOut}}`);
    }
    #idle(entry, more) {
        const idle = {
            key: entry.key,
            idle_s: seconds(this.#now - entry.idleSince),
            ...more,
        };
        return JSON.stringify(idle);
    }
    #busy(entry, lineShown, more) {
        const { key, limit, holders, waiters } = entry;
        const details = {
            leases: [...this.#within(holders, limit, (claim) => this.#lease(claim))],
            line: [...this.#within(waiters, lineShown, describeParty)],
            ...more,
        };
        if (limit > 1) {
            const semaphore = {
                key,
                limit,
                holders: holders.size,
                waiters: waiters.size,
                ...details,
            };
            return JSON.stringify(semaphore);
        }
        const holder = holders.first;
        const lock = {
            key,
            owner_conn_id: holder.party.id,
            lease_expires_in_s: this.#left(holder),
            waiters: waiters.size,
            ...details,
        };
        return JSON.stringify(lock);
    }
    /** So many claims, and no more than half of the room that is left. */
    *#within(claims, count, describe) {
        let left = count;
        let room = (BYTES_LIMIT - this.#bytes) / 2;
        for (const claim of claims) {
            const element = describe(claim);
            left -= 1;
            room -= (0,lock_text/* byteLength */.dp)(JSON.stringify(element)) + 1;
            if (left < 0 || room < 0)
                return;
            yield element;
        }
    }
    #lease(claim) {
        return {
            ...describeParty(claim),
            fence: claim.fence,
            slot: claim.slot,
            lease_s: claim.lease / 1_000,
            lease_expires_in_s: this.#left(claim),
            renewed: new Date(claim.renewed).toISOString(),
        };
    }
    #left(claim) {
        return seconds(Math.max(0, claim.expires - this.#now));
    }
}
function describeParty({ party, since }) {
    const { introduction } = party;
    return {
        conn_id: party.id,
        owner: introduction?.owner.id ?? null,
        note: introduction?.note ?? null,
        metadata: introduction?.owner.metadata ?? {},
        since: new Date(since).toISOString(),
    };
}
function seconds(milliseconds) {
    return Math.round(milliseconds) / 1_000;
}

;// CONCATENATED MODULE: ./build/server/answer.js




/** The words of the spec and no others: one of the real clients throws at what it does not know. */
const WORDS = {
    "max-locks": "error_max_locks",
    "max-waiters": "error_max_waiters",
    "limit-mismatch": "error_limit_mismatch",
    "already-enqueued": "error",
    "not-enqueued": "error",
    "not-held": "error",
    closing: "error",
};
/** The reply to a request, or nothing where it has to wait: then the connection replies later. */
function answer(request, connection, door) {
    const { table } = door;
    const { party } = connection;
    switch (request.command) {
        case "l":
        case "sl": {
            const claim = table.claim(party, request.key, request.limit, leaseOf(request, door));
            return typeof claim === "string" ? refuse(claim) : grantOrWait(claim, request, connection);
        }
        case "r":
        case "sr": {
            const claim = table.release(request.key, request.token);
            return typeof claim === "string" ? refuse(claim) : reply/* OK_LINE */.W9;
        }
        case "n":
        case "sn": {
            const claim = table.renew(party, request.key, request.token, leaseOf(request, door));
            return typeof claim === "string" ? refuse(claim) : (0,reply/* renewedLine */.fJ)(claim.lease / 1_000);
        }
        case "e":
        case "se": {
            const claim = table.enqueue(party, request.key, request.limit, leaseOf(request, door));
            if (typeof claim === "string")
                return refuse(claim);
            return claim.state === "held" ? (0,reply/* acquiredLine */.JZ)(claim.token, claim.lease / 1_000) : reply/* QUEUED_LINE */.hx;
        }
        case "w":
        case "sw": {
            const claim = table.attend(party, request.key);
            return typeof claim === "string" ? refuse(claim) : grantOrWait(claim, request, connection);
        }
        case "stats":
            return (0,reply/* statsLine */.I0)(describe(request, connection, door));
        case "auth":
            return authenticateAgain(request, door);
    }
}
function grantOrWait(claim, request, connection) {
    if (claim.state === "held")
        return (0,reply/* grantedLine */.Y4)(claim.token, claim.lease / 1_000);
    return connection.waitFor(claim, request.timeout);
}
/** A request without one gets the server's own, also to renew: so does the real server. */
function leaseOf(request, door) {
    return request.lease === 0 ? door.defaultLease : request.lease * 1_000;
}
function refuse(refusal) {
    return (0,reply/* errorLine */.BP)(WORDS[refusal]);
}
function describe(request, { party }, door) {
    const introduction = (0,wire_introduction/* parseIntroduction */.wt)(request);
    if (introduction !== null) {
        party.introduction = introduction;
        return describeServer(door.stats);
    }
    const key = (0,stats/* askedKey */.eN)(request);
    return key === null ? describeTable(door.stats) : describeKey(door.stats, key);
}
/** On a server without a token the command is known but has no use: an error, and no violation. */
function authenticateAgain(request, { secret }) {
    if (secret === null)
        return (0,reply/* errorLine */.BP)("error");
    return secret.matches(request.token) ? reply/* OK_LINE */.W9 : (0,reply/* errorLine */.BP)("error_auth");
}

// EXTERNAL MODULE: ./build/server/watch.js
var watch = __webpack_require__(7448);
;// CONCATENATED MODULE: ./build/server/connection.js






/** What a client may send ahead while its request waits; beyond it is not read, and TCP holds it up. */
const AHEAD_LIMIT_BYTES = 16_384;
/** One connection is served so much at a time, then the others have their turn. */
const TURN_REQUESTS = 256;
const TURN_REPLY_CHARACTERS = 65_536;
/** Slows down those who try tokens. */
const DENIED_DELAY_MS = 100;
/**
 * After the last reply the server still reads for a moment what the client is sending: closing at
 * once would answer that with a reset, and a reset can eat the reply.
 */
const LINGER_MS = 1_000;
const LINGER_BYTES = 1_048_576;
/**
 * One TCP client: bytes to requests, requests to the table, one at a time and in order. While `l`
 * or `w` waits nothing further is served, but the socket is still read, to see at once when the
 * client hangs up.
 */
class Connection {
    party;
    #socket;
    #door;
    #reader = new RequestReader();
    #out = "";
    /** Only `stats` has more than ASCII to say; all else is written the cheaper way. */
    #wide = false;
    #waiting = null;
    #alarm = null;
    #authenticated;
    /** The client has sent its last byte. */
    #finished = false;
    /** The client does not read: nothing is served until it does. */
    #blocked = false;
    #paused = false;
    #scheduled = false;
    /** Set when the last reply is written: what still comes is thrown away, until then. */
    #leaveBy = null;
    #thrownAway = 0;
    /** The last of the replies that wait for the storage, and how many there are. */
    #unsettled = null;
    #unsettledCount = 0;
    #watch;
    constructor(socket, door) {
        this.#socket = socket;
        this.#door = door;
        this.#authenticated = door.secret === null;
        this.#watch = new watch/* Watch */.o(door.clock.monotonic());
        this.party = door.table.admit(this);
        socket.on("data", (chunk) => this.#receive(chunk));
        socket.on("end", () => this.#finish());
        socket.on("drain", () => this.#unblock());
        socket.on("error", (error) => {
            door.log.write("debug", "connection failed", {
                connection: this.party.id,
                reason: error.message,
            });
        });
        socket.on("close", () => {
            this.#dismiss();
            door.forget(this);
        });
    }
    granted(claim) {
        if (claim !== this.#waiting)
            return;
        this.#endWait((0,reply/* grantedLine */.Y4)(claim.token, claim.lease / 1_000));
    }
    ended(claim) {
        if (claim === this.#waiting)
            this.#endWait((0,reply/* errorLine */.BP)("error"));
    }
    /** Called every now and then: closes on clients that are silent or do not read. */
    patrol(now) {
        const { readTimeout, writeTimeout, log } = this.#door;
        const unsent = this.#socket.writableLength > 0;
        if (this.#leaveBy !== null && now > this.#leaveBy && (!unsent || writeTimeout === 0)) {
            this.#socket.destroy();
        }
        else if (writeTimeout > 0 && this.#watch.isStuck(this.#socket, now, writeTimeout)) {
            log.limited("info", "client does not read", { connection: this.party.id });
            this.#socket.destroy();
        }
        else if (this.#watch.isSilent(this.#owesRequest(), now, readTimeout)) {
            this.#refuse(violations.silence);
        }
    }
    /** The server is closing: who holds nothing has no more business here. */
    retire() {
        if (!this.party.hasClaims)
            this.#leave();
    }
    /** For `answer`: the reply comes later, when the claim is granted, or in so many seconds at most. */
    waitFor(claim, timeoutSeconds) {
        if (timeoutSeconds === 0 || this.#finished) {
            this.#door.table.withdraw(claim);
            return reply/* TIMEOUT_LINE */.XE;
        }
        this.#waiting = claim;
        this.#alarm = new Alarm(timeoutSeconds * 1_000, () => this.#giveUp());
        return "";
    }
    #receive(chunk) {
        if (this.#leaveBy !== null) {
            this.#thrownAway += chunk.length;
            if (this.#thrownAway > LINGER_BYTES)
                this.#socket.destroy();
            return;
        }
        if (this.#reader.buffered === 0)
            this.#watch.active = true;
        this.#reader.push(chunk);
        if (!this.#scheduled)
            this.#work();
        if (this.#reader.buffered > AHEAD_LIMIT_BYTES) {
            this.#paused = true;
            this.#socket.pause();
        }
    }
    #work() {
        let served = 0;
        while (this.#owesRequest()) {
            if (served === TURN_REQUESTS || this.#out.length > TURN_REPLY_CHARACTERS) {
                this.#workLater();
                break;
            }
            const request = this.#reader.next();
            if (request === null) {
                if (this.#reader.violation !== null)
                    this.#refuse(this.#reader.violation);
                else if (this.#finished)
                    this.#leave();
                break;
            }
            served += 1;
            this.#serve(request);
        }
        if (served > 0)
            this.#watch.active = true;
        this.#flush();
        if (this.#paused && this.#reader.buffered <= AHEAD_LIMIT_BYTES) {
            this.#paused = false;
            this.#socket.resume();
        }
    }
    #workLater() {
        if (this.#scheduled)
            return;
        this.#scheduled = true;
        setImmediate(() => {
            this.#scheduled = false;
            this.#work();
        });
    }
    #serve(request) {
        if (this.#authenticated) {
            this.#out += answer(request, this, this.#door);
            if (request.command === "stats")
                this.#wide = true;
            if (this.#door.closing)
                this.retire();
            return;
        }
        if (request.command === "auth" && this.#door.secret?.matches(request.token)) {
            this.#authenticated = true;
            this.#out += reply/* OK_LINE */.W9;
        }
        else {
            this.#deny();
        }
    }
    #deny() {
        this.#door.log.limited("warn", "authentication failed", {
            connection: this.party.id,
            peer: this.#socket.remoteAddress,
        });
        this.#out += (0,reply/* errorLine */.BP)("error_auth");
        this.#leave(DENIED_DELAY_MS);
    }
    #refuse(violation) {
        if (!this.#authenticated) {
            this.#deny();
            return;
        }
        this.#door.log.limited("info", "connection closed for a protocol violation", {
            connection: this.party.id,
            peer: this.#socket.remoteAddress,
            owner: this.party.introduction?.owner.id,
            code: violation.code,
            reason: violation.reason,
        });
        this.#out += (0,reply/* errorLine */.BP)("error");
        this.#leave();
    }
    #giveUp() {
        const claim = this.#waiting;
        if (claim === null)
            return;
        this.#door.table.withdraw(claim);
        this.#endWait(reply/* TIMEOUT_LINE */.XE);
    }
    /** May be called from within another connection's request: what is buffered is served later. */
    #endWait(reply) {
        this.#waiting = null;
        this.#alarm?.cancel();
        this.#alarm = null;
        this.#watch.active = true;
        this.#out += reply;
        this.#flush();
        if (this.#reader.buffered > 0 || this.#finished || this.#paused)
            this.#workLater();
    }
    /**
     * The client sends no more. A request that stands in front of its FIN is still answered, but
     * nothing waits any longer: what it got would be freed again at once.
     */
    #finish() {
        this.#finished = true;
        if (this.#waiting !== null)
            this.#giveUp();
        else if (!this.#scheduled && this.#leaveBy === null)
            this.#work();
    }
    #unblock() {
        if (!this.#blocked)
            return;
        this.#blocked = false;
        this.#watch.active = true;
        if (!this.#scheduled)
            this.#work();
    }
    #flush() {
        if (this.#out === "" || this.#socket.destroyed)
            return;
        const out = this.#out;
        const wide = this.#wide;
        this.#out = "";
        this.#wide = false;
        const settled = this.party.isKept ? this.#door.settled() : null;
        if (settled === null && this.#unsettled === null)
            this.#write(out, wide);
        else
            this.#writeAfter(settled, out, wide);
    }
    #write(out, wide) {
        // A connection is blocked when Node's buffer is full, long after that of the kernel.
        if (!this.#socket.write(out, wide ? "utf8" : "latin1"))
            this.#blocked = true;
    }
    /** Replies leave in their order, each when what it tells is safe. */
    #writeAfter(settled, out, wide) {
        const before = this.#unsettled;
        this.#unsettledCount += 1;
        this.#unsettled = (settled ?? Promise.resolve()).then(async () => {
            await before;
            this.#unsettledCount -= 1;
            if (this.#unsettledCount === 0)
                this.#unsettled = null;
            if (!this.#socket.destroyed)
                this.#write(out, wide);
        });
    }
    #leave(delayMs = 0) {
        if (this.#leaveBy !== null)
            return;
        this.#leaveBy = this.#door.clock.monotonic() + delayMs + LINGER_MS;
        this.#dismiss();
        this.#flush();
        if (this.#unsettled !== null)
            void this.#unsettled.then(() => this.#socket.end());
        else if (delayMs === 0)
            this.#socket.end();
        else
            setTimeout(() => this.#socket.end(), delayMs);
        if (this.#paused)
            this.#socket.resume();
    }
    #dismiss() {
        this.#reader.clear();
        this.#alarm?.cancel();
        this.#alarm = null;
        this.#waiting = null;
        this.#door.dismiss(this);
    }
    #owesRequest() {
        return this.#waiting === null && !this.#blocked && this.#leaveBy === null;
    }
}

;// CONCATENATED MODULE: ./build/server/tcp.js




/** How often connections are looked at; a timeout is late by at most this, or a quarter of itself. */
const PATROL_MS = 1_000;
/**
 * A peer that vanished without a word while its request waits is found by TCP's own probes: after
 * this silence, then ten of them a second apart. Everyone else has to speak anyway.
 */
const KEEP_ALIVE_MS = 10_000;
const BACKLOG = 1_024;
/** Listens for dflockd's protocol. Throws BAD_OPTION where the address or certificate is no good. */
async function openTcpDoor(options, context) {
    const { table, clock, log } = context;
    /** Sockets, not connections: one that is still shaking hands counts and has to be closed too. */
    const sockets = new Set();
    const connections = new Set();
    let closing = false;
    const { readTimeout } = options;
    const stats = { ...context, readTimeout, connections: () => connections.size };
    const door = {
        ...context,
        ...options,
        stats,
        get closing() {
            return closing;
        },
        dismiss: (connection) => table.dismiss(connection.party, options.autoRelease),
        forget: (connection) => connections.delete(connection),
    };
    function welcome(socket) {
        // A client may send its request and close its side at once: it still gets its reply. Not set
        // for the listener, where TLS would then not notice who leaves in the middle of the handshake.
        socket.allowHalfOpen = true;
        const connection = new Connection(socket, door);
        connections.add(connection);
        if (!log.enabled("debug"))
            return;
        const { id } = connection.party;
        log.write("debug", "connected", { connection: id, peer: socket.remoteAddress });
        socket.once("close", () => log.write("debug", "disconnected", { connection: id }));
    }
    const server = createListener(options, log);
    server.on(options.tls === null ? "connection" : "secureConnection", welcome);
    server.on("connection", (socket) => {
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
    });
    server.on("drop", () => {
        log.limited("warn", "connection refused", {
            reason: "max-connections",
            limit: options.maxConnections,
        });
    });
    await listen(server, options);
    // Such as no file descriptor left for a new connection: those who are here must not suffer for it.
    server.on("error", (error) => log.limited("error", "accept failed", { reason: error.message }));
    const shortest = Math.min(options.readTimeout, options.writeTimeout || options.readTimeout);
    const patrol = setInterval(() => {
        const now = clock.monotonic();
        for (const connection of connections)
            connection.patrol(now);
    }, Math.min(PATROL_MS, Math.ceil(shortest / 4)));
    const address = server.address();
    return {
        host: address.address,
        port: address.port,
        get connections() {
            return connections.size;
        },
        drain() {
            closing = true;
            const closed = new Promise((resolve) => server.close(() => resolve()));
            for (const connection of connections)
                connection.retire();
            return closed.finally(() => clearInterval(patrol));
        },
        cutOff() {
            for (const socket of sockets)
                socket.destroy();
        },
    };
}
function createListener(options, log) {
    const common = {
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MS,
    };
    const server = options.tls === null ? (0,external_node_net_.createServer)(common) : createTls(options, common, log);
    if (options.maxConnections > 0)
        server.maxConnections = options.maxConnections;
    return server;
}
function createTls(options, common, log) {
    try {
        const handshakeTimeout = options.readTimeout;
        const server = (0,external_node_tls_.createServer)({
            ...common,
            ...options.tls,
            minVersion: "TLSv1.2",
            handshakeTimeout,
        });
        server.on("tlsClientError", (error, socket) => {
            log.limited("info", "TLS handshake failed", {
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
function listen(server, { host, port }) {
    return new Promise((resolve, reject) => {
        server.once("error", (error) => {
            const why = LISTEN_ERRORS[(0,errors/* systemCode */.xU)(error) ?? ""] ?? (0,errors/* messageOf */.bD)(error);
            const message = `The server cannot listen on ${host}:${port}: ${why}.`;
            reject(new errors/* LockError */.Ku("BAD_OPTION", message, { cause: error }));
        });
        server.listen({ host, port, backlog: BACKLOG }, () => {
            server.removeAllListeners("error");
            resolve();
        });
    });
}
const LISTEN_ERRORS = {
    EADDRINUSE: "something else listens there already; choose another --port, or 0 for a free one",
    EADDRNOTAVAIL: "this machine has no such address; choose another --host",
    EACCES: "this user may not; choose a --port above 1023",
    ENOTFOUND: "that host name is not known; choose another --host",
};

;// CONCATENATED MODULE: ./build/server/serve.js













/** `performance.now` costs a tenth of the system clock's nanoseconds, and one process reads it. */
const serverClock = { now: () => Date.now(), monotonic: () => performance.now() };
/** Starts the server. Throws BAD_OPTION where it cannot run like that; nothing is left open then. */
async function serve(options, io) {
    const log = (0,server_log/* createLogger */.h)({
        level: options.logLevel,
        format: options.logFormat,
        now: serverClock.now,
        output: (line) => io.stderr.write(line),
    });
    for (const warning of options.warnings)
        log.write("warn", warning);
    const parts = await assemble(options, log, io.version ?? "0");
    const doors = { tcp: null, http: null };
    try {
        doors.tcp = await openTcp(options, parts);
        doors.http = await openHttp(options, parts, doors.tcp);
    }
    catch (error) {
        await doors.tcp?.drain();
        await parts.storage.close();
        throw error;
    }
    const { tcp, http } = doors;
    const { table } = parts;
    const timers = [
        setInterval(() => table.sweep(), options.leaseSweepInterval),
        setInterval(() => table.collect(options.gcMaxIdle), options.gcInterval),
    ];
    announce(options, parts, doors, io);
    const stop = createStop(options, parts, http === null ? [tcp] : [tcp, http], timers);
    return { host: tcp.host, port: tcp.port, httpPort: http?.port ?? null, stop };
}
async function assemble(options, log, version) {
    const clock = serverClock;
    const access = await readAccess(options, log);
    const storage = await openStorageFor(options, log);
    const { found } = storage;
    const history = new History();
    for (const { key, hold } of found.holds)
        history.add(key, hold);
    const keeping = createKeeping(storage, history, clock);
    const panel = options.httpPort === null ? null : await makePanel(clock, version);
    const table = new LockTable({
        clock,
        makeToken: (0,token/* createTokenMaker */.g)(),
        maxLocks: options.maxLocks,
        maxWaiters: options.maxWaiters,
        observer: together([keeping, createJournal(log), ...(panel?.observers ?? [])]),
        ...(found.lastFence === null ? {} : { lastFence: found.lastFence }),
    });
    const sessions = restoreLeases(table, found, clock);
    return { version, clock, log, access, storage, keeping, history, table, panel, sessions };
}
/** Storage and HTTP are loaded only where they are asked for. */
async function openStorageFor({ data, httpPort }, log) {
    if (data === null && httpPort === null)
        return NO_STORAGE;
    const { openStorage } = await __webpack_require__.e(/* import() */ 413).then(__webpack_require__.bind(__webpack_require__, 3413));
    const storage = await openStorage({
        file: data,
        onTrouble(message) {
            if (message === null)
                log.write("info", "the data file can be written again", { file: data });
            else
                log.write("error", "the data file cannot be written", { file: data, reason: message });
        },
        onEnd(error) {
            log.write("error", "the storage failed, the server ends", { reason: error.message });
            process.exit(1);
        },
    });
    const { leases, sessions } = storage.found;
    if (data === null)
        log.write("info", "no --data: sessions and files are kept in memory only");
    else
        log.write("info", "data", { file: data, leases: leases.length, sessions: sessions.length });
    return storage;
}
async function makePanel(clock, version) {
    const { createPanel } = await __webpack_require__.e(/* import() */ 640).then(__webpack_require__.bind(__webpack_require__, 5640));
    return createPanel({ clock, version });
}
function openTcp(options, parts) {
    const { table, clock, log, version, storage, access, history } = parts;
    return openTcpDoor({
        ...options,
        ...access,
        defaultLease: options.defaultLeaseSeconds * 1_000,
        autoRelease: options.autoReleaseOnDisconnect,
    }, { table, clock, log, version, history, settled: () => storage.settled() });
}
async function openHttp(options, parts, tcp) {
    const { panel, access, storage } = parts;
    const { httpPort: port } = options;
    if (port === null || panel === null)
        return null;
    const { openHttpDoor } = await __webpack_require__.e(/* import() */ 795).then(__webpack_require__.bind(__webpack_require__, 9795));
    return openHttpDoor({ ...options, ...access, port }, {
        ...parts,
        sessionParties: parts.sessions,
        routes: (http) => panel.routes({
            ...parts,
            trouble: () => storage.trouble,
            tcpConnections: () => tcp.connections,
            httpConnections: () => http.connections,
            sessions: () => http.sessions,
        }),
    });
}
function announce(options, { log, version, access }, { tcp, http }, io) {
    const secure = options.tls !== null;
    const doors = [
        { scheme: secure ? "tls" : "tcp", door: tcp },
        { scheme: secure ? "https" : "http", door: http },
    ];
    for (const { scheme, door } of doors) {
        if (door === null)
            continue;
        const host = (0,external_node_net_.isIP)(door.host) === 6 ? `[${door.host}]` : door.host;
        const address = `${scheme}://${host}:${door.port}`;
        log.write("info", "started", { version, address, auth: access.secret !== null });
        io.stdout.write(`listening ${scheme} ${host}:${door.port}\n`);
    }
}


/***/ }),

/***/ 7448:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   o: () => (/* binding */ Watch)
/* harmony export */ });
/** Notices a client that is silent, or that does not read. Times are in milliseconds. */
class Watch {
    /** Something came since the last look: on the hot path cheaper to note down than the time. */
    active = false;
    #silentSince;
    #writtenBefore = 0;
    #stuckSince = null;
    constructor(now) {
        this.#silentSince = now;
    }
    /**
     * It owes a request, or the rest of one, for longer than the timeout. Found out late by up to two
     * looks, never early.
     */
    isSilent(owesRequest, now, timeout) {
        if (this.active || !owesRequest)
            this.#silentSince = now;
        this.active = false;
        return now - this.#silentSince > timeout;
    }
    /** No byte went out for the whole timeout, though there are some to be sent. */
    isStuck(socket, now, timeout) {
        const pending = socket.writableLength;
        const written = socket.bytesWritten - pending;
        if (pending === 0 || written !== this.#writtenBefore) {
            this.#writtenBefore = written;
            this.#stuckSince = pending === 0 ? null : now;
            return false;
        }
        this.#stuckSince ??= now;
        return now - this.#stuckSince > timeout;
    }
}


/***/ }),

/***/ 7881:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Xy: () => (/* binding */ INTRODUCTION_MARK),
/* harmony export */   oA: () => (/* binding */ introductionRequest),
/* harmony export */   wt: () => (/* binding */ parseIntroduction)
/* harmony export */ });
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);
/* harmony import */ var _lock_owner_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5208);
/* harmony import */ var _lock_text_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(5352);
/* harmony import */ var _request_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(4580);




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
        const value = valueOf(introduction, field);
        if (value === undefined || value === null || value === "")
            continue;
        const prefix = `${line === INTRODUCTION_MARK ? "" : "&"}${field}=`;
        const room = _request_js__WEBPACK_IMPORTED_MODULE_2__/* .LINE_LIMIT */ .by - (0,_lock_text_js__WEBPACK_IMPORTED_MODULE_3__/* .byteLength */ .dp)(line) - (0,_lock_text_js__WEBPACK_IMPORTED_MODULE_3__/* .byteLength */ .dp)(prefix);
        const text = encodeWithin(field, String(value), room);
        if (text !== null)
            line += prefix + text;
    }
    return (0,_request_js__WEBPACK_IMPORTED_MODULE_2__/* .statsRequest */ .x8)(line, introduction.owner.id);
}
function valueOf(introduction, field) {
    if (field === "note" || field === "claim")
        return introduction[field];
    return introduction.owner.metadata[field];
}
function encodeWithin(field, value, room) {
    const text = encode(value);
    if ((0,_lock_text_js__WEBPACK_IMPORTED_MODULE_3__/* .byteLength */ .dp)(text) <= room)
        return text;
    if (field !== "note" || room < NOTE_LEAST_BYTES)
        return null;
    let kept = (0,_lock_text_js__WEBPACK_IMPORTED_MODULE_3__/* .cutToBytes */ .zP)((0,_lock_text_js__WEBPACK_IMPORTED_MODULE_3__/* .cleanText */ .X5)(value), room);
    while ((0,_lock_text_js__WEBPACK_IMPORTED_MODULE_3__/* .byteLength */ .dp)(encode(kept)) > room)
        kept = (0,_lock_text_js__WEBPACK_IMPORTED_MODULE_3__/* .cutToBytes */ .zP)(kept, (0,_lock_text_js__WEBPACK_IMPORTED_MODULE_3__/* .byteLength */ .dp)(kept) - 1);
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
        const id = (0,_lock_owner_js__WEBPACK_IMPORTED_MODULE_1__/* .parseOwnerId */ .Eo)(request.token);
        const { note, claim, ...metadata } = parseFields(request.key.slice(INTRODUCTION_MARK.length));
        return {
            owner: { id, metadata: (0,_lock_owner_js__WEBPACK_IMPORTED_MODULE_1__/* .readMetadata */ ._6)(metadata) },
            note: note === undefined ? null : (0,_lock_text_js__WEBPACK_IMPORTED_MODULE_3__/* .cleanText */ .X5)(String(note)),
            ...(claim === undefined ? {} : { claim: (0,_lock_text_js__WEBPACK_IMPORTED_MODULE_3__/* .cleanText */ .X5)(String(claim)) }),
        };
    }
    catch (error) {
        if ((0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .isLockError */ .S)(error) || error instanceof URIError)
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


/***/ }),

/***/ 8946:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Z: () => (/* binding */ decodeWireKey),
/* harmony export */   b: () => (/* binding */ encodeWireKey)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);
/* harmony import */ var _lock_text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5352);


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
    if ((0,_lock_text_js__WEBPACK_IMPORTED_MODULE_1__/* .byteLength */ .dp)(encoded) <= BYTES_LIMIT)
        return encoded;
    const digest = (0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)("sha256").update(key, "utf8").digest("hex");
    return `${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_1__/* .cutToBytes */ .zP)(encoded, BYTES_KEPT)}~${digest}`;
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
    const length = (0,_lock_text_js__WEBPACK_IMPORTED_MODULE_1__/* .byteLength */ .dp)(sent);
    const whole = BYTES_KEPT + 65;
    return length <= whole && length > whole - 4 && /~[0-9a-f]{64}$/.test(sent);
}


/***/ }),

/***/ 8689:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   BP: () => (/* binding */ errorLine),
/* harmony export */   I0: () => (/* binding */ statsLine),
/* harmony export */   JZ: () => (/* binding */ acquiredLine),
/* harmony export */   UV: () => (/* binding */ parseReply),
/* harmony export */   W9: () => (/* binding */ OK_LINE),
/* harmony export */   XE: () => (/* binding */ TIMEOUT_LINE),
/* harmony export */   Y4: () => (/* binding */ grantedLine),
/* harmony export */   fJ: () => (/* binding */ renewedLine),
/* harmony export */   hx: () => (/* binding */ QUEUED_LINE)
/* harmony export */ });
/* unused harmony export formatReply */
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


/***/ }),

/***/ 5762:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   BN: () => (/* binding */ parseStats),
/* harmony export */   Op: () => (/* binding */ isHoldfast),
/* harmony export */   Q1: () => (/* binding */ keyStatsRequest),
/* harmony export */   eN: () => (/* binding */ askedKey),
/* harmony export */   gz: () => (/* binding */ SERVER_NAME)
/* harmony export */ });
/* harmony import */ var _introduction_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7881);
/* harmony import */ var _request_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4580);


const SERVER_NAME = "holdfast";
const KEY_QUESTION = `${_introduction_js__WEBPACK_IMPORTED_MODULE_0__/* .INTRODUCTION_MARK */ .Xy.trim()}?key`;
/**
 * Asks for one key alone, its whole line of waiters included. A foreign server does not read the
 * question and answers about all keys, so that the reply is good either way.
 */
function keyStatsRequest(wireKey) {
    return (0,_request_js__WEBPACK_IMPORTED_MODULE_1__/* .statsRequest */ .x8)(KEY_QUESTION, wireKey);
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


/***/ }),

/***/ 3340:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   g: () => (/* binding */ createTokenMaker),
/* harmony export */   x: () => (/* binding */ fenceOf)
/* harmony export */ });
/* harmony import */ var node_crypto__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7598);

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
            (0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.randomFillSync)(page);
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


/***/ })

};
