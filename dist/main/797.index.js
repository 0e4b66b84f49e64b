export const id = 797;
export const ids = [797];
export const modules = {

/***/ 797:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  Forecast: () => (/* binding */ Forecast)
});

// UNUSED EXPORTS: forecastStatus, historyOf

// EXTERNAL MODULE: ./build/lock/history.js
var lock_history = __webpack_require__(171);
;// CONCATENATED MODULE: ./build/lock/random.js
/** Small and repeatable, for simulations: the same seed gives the same numbers. Never for secrets. */
function seededRandom(seed) {
    let state = Math.imul(seed, 0x9e3779b9) ^ 0x85ebca6b;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 4_294_967_296;
    };
}

;// CONCATENATED MODULE: ./build/lock/spread.js

/** A hold that lies this many back counts half as much as the last one: deployments grow. */
const HALF_LIFE_HOLDS = 8;
/** How far the next holds as a whole may differ from the past: a part of the spread, within a limit. */
const SHIFT_PER_SPREAD = 0.45;
const SHIFT_LIMIT = 0.2;
/** Beyond the longest hold that was seen: how far, as a part of the spread, and how heavy the tail. */
const EDGE_PER_SPREAD = 0.7;
const EDGE_LEAST = 0.08;
const TAIL_SHAPE = 2;
/** A hundred times the longest hold: beyond that nobody knows anything. */
const TAIL_LIMIT = Math.log(100);
/** Between the quartiles of a normal distribution lie so many standard deviations. */
const QUARTILES_APART = 1.35;
/**
 * How long a hold lasts, as a distribution that is made of nothing but the holds seen so far.
 *
 * With n of them the next one falls with equal chance into each of the n + 1 gaps that they leave,
 * whatever the distribution; within a gap all lengths are equally likely by their logarithm, and
 * beyond the longest one a heavy tail begins, so that a holder who is far over the usual time is
 * expected for long. The chances themselves are uncertain, and so is whether the future is like the
 * past: each replicate weighs the gaps anew, and scales all lengths alike.
 */
class Spread {
    #logs;
    /** What a gap weighs before chance comes in: the gap below each hold, and the one above the last. */
    #shares;
    /** The weights of all gaps up to and with this one, in the present replicate. */
    #sums;
    #edge;
    #shift;
    #scale = 1;
    /** Milliseconds, newest first; at least one. */
    constructor(times) {
        const aged = times.map((time, age) => ({
            log: Math.log(Math.max(1, time)),
            share: 0.5 ** (age / HALF_LIFE_HOLDS),
        }));
        aged.sort((one, other) => one.log - other.log);
        this.#logs = Float64Array.from(aged, ({ log }) => log);
        this.#shares = Float64Array.from({ length: aged.length + 1 }, (_, gap) => {
            const below = (aged[gap - 1] ?? aged[gap])?.share ?? 1;
            return (below + (aged[gap]?.share ?? below)) / 2;
        });
        this.#sums = new Float64Array(aged.length + 1);
        // As a standard deviation, but deaf to outliers.
        const spread = ((0,lock_history/* sortedQuantile */.Xd)(this.#logs, 0.75) - (0,lock_history/* sortedQuantile */.Xd)(this.#logs, 0.25)) / QUARTILES_APART;
        this.#edge = Math.max(EDGE_LEAST, EDGE_PER_SPREAD * spread);
        this.#shift = Math.min(SHIFT_LIMIT, SHIFT_PER_SPREAD * spread);
    }
    /** Begins a replicate: all holds of one share one truth. */
    begin(random) {
        this.#scale = Math.exp(this.#shift * normal(random));
        let sum = 0;
        for (let gap = 0; gap < this.#sums.length; gap++) {
            sum -= this.#shares[gap] * Math.log(random());
            this.#sums[gap] = sum;
        }
    }
    /** How long a hold lasts in all that has lasted `elapsed` so far. Milliseconds. */
    draw(elapsed, random) {
        const from = elapsed === 0 ? Number.NEGATIVE_INFINITY : Math.log(elapsed / this.#scale);
        const logs = this.#logs;
        const sums = this.#sums;
        const all = sums[logs.length];
        // Of the gap that `elapsed` lies in only a part is left.
        const first = from === Number.NEGATIVE_INFINITY ? 0 : firstAbove(logs, from);
        const start = sums[first] - this.#weight(first) * this.#partAbove(first, from);
        const gap = Math.min(logs.length, firstAbove(sums, start + random() * (all - start)));
        const log = this.#within(gap, gap === first ? from : Number.NEGATIVE_INFINITY, random());
        return Math.max(elapsed, Math.exp(log) * this.#scale);
    }
    #weight(gap) {
        return this.#sums[gap] - (this.#sums[gap - 1] ?? 0);
    }
    #partAbove(gap, from) {
        if (from === Number.NEGATIVE_INFINITY)
            return 1;
        const logs = this.#logs;
        if (gap === logs.length) {
            return (1 + (from - logs[gap - 1]) / this.#edge) ** -TAIL_SHAPE;
        }
        const high = logs[gap];
        if (gap === 0)
            return 1 - Math.exp((from - high) / this.#edge);
        const low = logs[gap - 1];
        return high > low ? (high - from) / (high - low) : 1;
    }
    /** A length of the gap above `from`, by its rank there. */
    #within(gap, from, rank) {
        const logs = this.#logs;
        if (gap === logs.length) {
            const longest = logs[gap - 1];
            const over = Math.max(0, from - longest);
            const excess = (over + this.#edge) * rank ** (-1 / TAIL_SHAPE) - this.#edge;
            return longest + Math.min(excess, over + TAIL_LIMIT);
        }
        const high = logs[gap];
        if (gap === 0) {
            const least = Math.exp((from - high) / this.#edge);
            return high + this.#edge * Math.log(least + (1 - least) * rank);
        }
        const low = Math.max(from, logs[gap - 1]);
        return low + (high - low) * rank;
    }
}
/** The place of the first value above the given one; the length where there is none. */
function firstAbove(sorted, value) {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (sorted[middle] > value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
function normal(random) {
    return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

;// CONCATENATED MODULE: ./build/lock/estimate.js



/** Fewer say nothing: any range would be made up. */
const LEAST_HOLDS = 3;
const REPLICATES = 128;
/** Wider than the 80 % that the range promises: the past is a small sample, and it changes. */
const LOWER = 0.05;
const UPPER = 0.95;
/** So many of those ahead are played through one by one; the rest count as their average. */
const PLAYED_LIMIT = 24;
const OVERDUE_PART = 0.9;
/** More kinds than there can be holds: keeps the seeds of two replicates apart. */
const POOLS_LIMIT = 1_000;
/** Null where there are too few holds to say anything, or nobody is in the way. */
function estimate_estimateTurn(question) {
    const { holders, slots, position, now } = question;
    const pools = new Pools((0,lock_history/* completed */.so)(question.holds));
    const key = pools.all;
    if (key === null || (holders.length < slots && position === 1))
        return null;
    const running = holders.slice(0, slots).map((holder) => {
        const elapsed = holder.since === null ? null : Math.max(0, now - Date.parse(holder.since));
        return { pool: pools.of(holder.metadata) ?? key, elapsed, over: holder.reclaimable !== null };
    });
    const before = position - 1;
    const waiting = Array.from({ length: Math.min(before, PLAYED_LIMIT) }, (_, place) => {
        const metadata = question.ahead?.[place]?.metadata;
        return (metadata === undefined ? null : pools.of(metadata)) ?? key;
    });
    const used = [...new Set([...running.map(({ pool }) => pool), ...waiting])];
    const turns = new Float64Array(REPLICATES);
    for (let replicate = 0; replicate < REPLICATES; replicate++) {
        // Seeded by its number alone: a place further back meets the same future, only more of it.
        for (const { spread, number } of used) {
            spread.begin(seededRandom(replicate * POOLS_LIMIT + number + 1));
        }
        const future = playThrough(running, waiting, slots, seededRandom(replicate * POOLS_LIMIT));
        turns[replicate] = future.turn + (before - waiting.length) * (future.average / slots);
    }
    turns.sort();
    const isKey = used.includes(key);
    const holds = isKey ? key.times.length : used.reduce((sum, { times }) => sum + times.length, 0);
    return {
        lower: Math.floor((0,lock_history/* sortedQuantile */.Xd)(turns, LOWER) / 1_000),
        upper: Math.ceil((0,lock_history/* sortedQuantile */.Xd)(turns, UPPER) / 1_000),
        usual: Math.round((0,lock_history/* sortedQuantile */.Xd)((running[0]?.pool ?? key).sorted, 0.5) / 1_000),
        holds,
        basis: isKey ? "key" : "job",
        overdue: running.some(({ pool, elapsed }) => (elapsed ?? 0) > (0,lock_history/* sortedQuantile */.Xd)(pool.sorted, OVERDUE_PART)),
    };
}
/** One possible future: when the claim behind all of these gets a slot. Milliseconds. */
function playThrough(running, waiting, slots, random) {
    const free = running.map((holder) => (holder.over ? 0 : remaining(holder, random)));
    while (free.length < slots)
        free.push(0);
    let sum = 0;
    for (const pool of waiting) {
        const next = earliest(free);
        const time = pool.spread.draw(0, random);
        free[next] = free[next] + time;
        sum += time;
    }
    return { turn: free[earliest(free)], average: sum / Math.max(1, waiting.length) };
}
function remaining({ pool, elapsed }, random) {
    if (elapsed !== null)
        return pool.spread.draw(elapsed, random) - elapsed;
    // Met at a moment that nobody chose: anywhere in a hold.
    return pool.spread.draw(0, random) * random();
}
function earliest(free) {
    let first = 0;
    for (let slot = 1; slot < free.length; slot++) {
        if (free[slot] < free[first])
            first = slot;
    }
    return first;
}
/** Holds by workflow and job, each kind with enough of them; and all together. */
class Pools {
    all;
    #kinds = new Map();
    constructor(holds) {
        this.all = holds.length < LEAST_HOLDS ? null : poolOf(holds, 0);
        for (const [kind, members] of Map.groupBy(holds, ({ metadata }) => kindOf(metadata))) {
            if (kind === null || members.length < LEAST_HOLDS)
                continue;
            this.#kinds.set(kind, poolOf(members, this.#kinds.size + 1));
        }
    }
    of(metadata) {
        const kind = kindOf(metadata);
        return kind === null ? null : (this.#kinds.get(kind) ?? null);
    }
}
function poolOf(holds, number) {
    const times = holds.map(({ held }) => held);
    const sorted = times.toSorted((one, other) => one - other);
    return { number, times, sorted, spread: new Spread(times) };
}
/** Null where neither is known: such holds are of no kind. */
function kindOf({ repository, workflow, job }) {
    return workflow === undefined && job === undefined
        ? null
        : JSON.stringify([repository, workflow, job]);
}

;// CONCATENATED MODULE: ./build/lock/forecast.js


/** A history that takes longer than this does not hold up the news of who is ahead. */
const PATIENCE_MS = 1_000;
/** How a store's history of a key is read; null where the store remembers nothing. */
function historyOf(store, key) {
    const { history } = store;
    return history === undefined ? null : () => history.call(store, key, { limit: HISTORY_LIMIT });
}
/**
 * Adds to the reports of a waiting claim when it will be its turn. The history is read when the
 * claim first has to wait, and again when the holders change: a hold has then become history.
 */
class Forecast {
    #options;
    #holds = [];
    #holders = "";
    #latest = null;
    #arrivals = new Map();
    #reading = 0;
    #timer;
    #waits = false;
    #ended = false;
    constructor(options) {
        this.#options = options;
    }
    update = (progress) => {
        if (this.#ended)
            return;
        const before = this.#latest?.holders;
        this.#latest = progress;
        for (const { owner } of progress.holders) {
            const isNew = before !== undefined && !before.some((holder) => holder.owner === owner);
            if (isNew)
                this.#arrivals.set(owner, Date.now());
        }
        const holders = JSON.stringify(progress.holders.map(({ owner, since }) => [owner, since]));
        if (holders !== this.#holders && this.#options.history !== null) {
            this.#holders = holders;
            this.#read(this.#options.history);
        }
        if (!this.#waits)
            this.#report();
    };
    /** After this nothing is reported any more: the lock is held, or the line is left. */
    end() {
        this.#ended = true;
        clearTimeout(this.#timer);
    }
    #read(history) {
        const reading = ++this.#reading;
        this.#waits = true;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#goOn(), PATIENCE_MS);
        const take = (holds) => {
            if (reading !== this.#reading)
                return;
            this.#holds = holds;
            if (this.#waits)
                this.#goOn();
        };
        // Without a history there is no estimate; waiting goes on.
        history().then(take, () => take([]));
    }
    #goOn() {
        clearTimeout(this.#timer);
        this.#waits = false;
        this.#report();
    }
    #report() {
        if (this.#latest === null || this.#ended)
            return;
        const { slots, onProgress } = this.#options;
        const { ahead, ...progress } = this.#latest;
        const now = Date.now();
        const holders = progress.holders.map((holder) => ({ ...holder, since: this.#since(holder) }));
        const question = { ...this.#latest, holders, holds: this.#holds, slots, now };
        onProgress({ ...progress, estimate: estimate_estimateTurn(question) });
    }
    /** A foreign server does not tell: but one that came while this claim waited began then. */
    #since({ owner, since }) {
        if (since !== null)
            return since;
        const seen = this.#arrivals.get(owner);
        return seen === undefined ? null : new Date(seen).toISOString();
    }
}
/** Of a longer line only the first: each costs half a millisecond. */
const WAITERS_LIMIT = 50;
function forecastStatus(status, holds, now) {
    const { holders, slots } = status;
    const turnOf = (position) => estimateTurn({ holds, holders, slots, ahead: status.waiters, position, now });
    return {
        ...status,
        waiters: status.waiters.map((waiter) => ({
            ...waiter,
            estimate: waiter.position > WAITERS_LIMIT ? null : turnOf(waiter.position),
        })),
        estimate: turnOf(status.waiting + 1),
    };
}


/***/ })

};
