export const id = 55;
export const ids = [55];
export const modules = {

/***/ 55:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  Recall: () => (/* binding */ Recall)
});

// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(421);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(24);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(760);
// EXTERNAL MODULE: ./build/keeper/entry.js
var entry = __webpack_require__(150);
// EXTERNAL MODULE: ./build/keeper/lines.js
var lines = __webpack_require__(185);
// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(600);
// EXTERNAL MODULE: ./build/stores/file/random.js
var random = __webpack_require__(870);
// EXTERNAL MODULE: ./build/lock/digest.js
var digest = __webpack_require__(675);
// EXTERNAL MODULE: ./build/lock/history.js
var lock_history = __webpack_require__(171);
;// CONCATENATED MODULE: ./build/action/memory.js


/** Another number is another format: such entries are not looked for, and not read. */
const VERSION = 1;
/** The file's name in an entry. Part of what the service compares, so it never changes. */
const MEMORY_FILE = "holdfast-history.json";
/** What all entries of a key begin with: the newest one of these is restored. */
function entryPrefix(key, store) {
    return `holdfast-history-${VERSION}-${(0,digest/* sha256 */.s)(JSON.stringify([store, key])).slice(0, 24)}-`;
}
/** Entries are immutable: each save has a name of its own. */
function entryName(prefix, now, random) {
    return `${prefix}${now}-${random}`;
}
/** Whoever may read the repository's caches may read this: no more of a run than an estimate needs. */
const KEPT_METADATA = ["repository", "workflow", "job", "run_url"];
function writeMemory({ key, store, holds }) {
    const kept = holds.slice(0, lock_history/* HISTORY_LIMIT */.Dc).map((hold) => ({
        ...hold,
        metadata: keptOf(hold.metadata),
    }));
    return `${JSON.stringify({ version: VERSION, key, store, holds: kept })}\n`;
}
function keptOf(metadata) {
    const kept = {};
    for (const field of KEPT_METADATA) {
        const value = metadata[field];
        if (value !== undefined)
            kept[field] = value;
    }
    return kept;
}
/** The holds in a file, or null where it is none of ours, of another version, or of another key. */
function readMemory(text, key, store) {
    let value;
    try {
        value = JSON.parse(text);
    }
    catch {
        return null;
    }
    if (value?.version !== VERSION || value.key !== key || value.store !== store)
        return null;
    return (0,lock_history/* readHolds */.RC)(value.holds);
}

;// CONCATENATED MODULE: ./build/action/recall.js








/** For a stage's whole business with the cache: a job must not wait for its memory. */
const PATIENCE_MS = 5_000;
/**
 * The memory of a key in the Actions cache. Whatever goes wrong here is a debug line: nothing that
 * the lock does depends on it.
 */
class Recall {
    #stage;
    #key;
    #store;
    #end = new AbortController();
    /** Begins with the first question. */
    #deadline = null;
    #restored = null;
    #child = null;
    #directory = null;
    constructor(stage, key, store) {
        this.#stage = stage;
        this.#key = key;
        this.#store = store;
    }
    /** The holds that were remembered, newest first. Asked for again, it answers the same. */
    restore = () => {
        this.#restored ??= this.#restore().catch((error) => this.#giveUp(error));
        return this.#restored;
    };
    /** Adds a hold to what is remembered. Resolves to what was remembered before. */
    async add(hold) {
        const before = await this.restore();
        const { prefix } = this;
        const memory = { key: this.#key, store: this.#store, holds: [hold, ...before] };
        const name = entryName(prefix, Date.now(), (0,random/* randomHex */.n)(4));
        try {
            const { problem } = await this.#ask({ prefix, save: { name, text: writeMemory(memory) } });
            this.#debug(problem ?? `saved ${memory.holds.length} holds as ${name}`);
        }
        catch (error) {
            this.#giveUp(error);
        }
        return before;
    }
    /** What is still under way is ended: nobody needs it any more. */
    end() {
        this.#end.abort();
        if (this.#child !== null)
            endProgram(this.#child);
        if (this.#directory !== null)
            removeQuietly(this.#directory);
    }
    get prefix() {
        return entryPrefix(this.#key, this.#store);
    }
    async #restore() {
        const { text, problem } = await this.#ask({ prefix: this.prefix, save: null });
        const holds = text === null ? [] : readMemory(text, this.#key, this.#store);
        const found = holds === null ? "an entry that cannot be read" : `${holds.length} holds`;
        this.#debug(problem ?? `restored ${found}`);
        return holds ?? [];
    }
    #giveUp(error) {
        this.#debug(this.#deadline?.aborted ? "given up, it takes too long" : (0,errors/* messageOf */.bD)(error));
        return [];
    }
    #debug = (what) => {
        if (!this.#end.signal.aborted)
            this.#stage.core.debug(`holdfast: history cache: ${what}`);
    };
    async #ask(order) {
        const { env, program } = this.#stage;
        if (!env.ACTIONS_RESULTS_URL && !env.ACTIONS_CACHE_URL)
            throw new Error("this runner offers no cache");
        this.#deadline ??= AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), this.#end.signal]);
        this.#deadline.throwIfAborted();
        this.#directory ??= (0,external_node_fs_.mkdtempSync)((0,external_node_path_.join)(env.RUNNER_TEMP ?? ".", "holdfast-cache-"));
        this.#child ??= startProgram((0,entry/* cacheEntry */.Rv)(program), this.#directory, env, this.#debug);
        return answerOf(this.#child, order, this.#deadline);
    }
}
/** In a directory of its own, which is the workspace to it: entries hold relative paths only. */
function startProgram(entry, directory, env, tell) {
    const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...rest } = env;
    const child = (0,external_node_child_process_.spawn)(process.execPath, [entry], {
        cwd: directory,
        env: { ...rest, GITHUB_WORKSPACE: directory, RUNNER_TEMP: directory },
        stdio: ["ignore", "pipe", "ignore", "ipc"],
        // A group of its own, so that its tar ends with it.
        detached: process.platform !== "win32",
        windowsHide: true,
    });
    child.on("error", () => { });
    // It prints annotations, which must not become this step's; and masks for addresses that it signs.
    const onLine = (line) => {
        const complaint = /^::(?:warning|error)[^:]*::(.*)$/.exec(line)?.[1];
        if (complaint !== undefined)
            tell(complaint.replace(/\?\S*/g, "?…"));
    };
    if (child.stdout !== null)
        (0,lines/* readLines */.S)(child.stdout, onLine, () => { });
    return child;
}
function answerOf(child, order, deadline) {
    return new Promise((resolve, reject) => {
        deadline.addEventListener("abort", () => reject(deadline.reason), { once: true });
        child.once("message", (answer) => resolve(answer));
        child.once("error", reject);
        child.once("exit", (code, signal) => reject(new Error(`its program ended (${signal ?? code})`)));
        child.send(order, (error) => {
            if (error !== null)
                reject(error);
        });
    });
}
/** Its program, or a tar of it, may still be writing there; the runner empties the place later. */
function removeQuietly(directory) {
    try {
        (0,external_node_fs_.rmSync)(directory, { recursive: true, force: true });
    }
    catch {
        // Nothing depends on it.
    }
}
function endProgram(child) {
    if (child.connected)
        child.disconnect();
    child.stdout?.destroy();
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null)
        return;
    try {
        process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
    }
    catch {
        // Ended by itself.
    }
    child.unref();
}


/***/ })

};
