export const id = 413;
export const ids = [413];
export const modules = {

/***/ 3413:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   openStorage: () => (/* binding */ openStorage)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);
/* harmony import */ var node_url__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3136);
/* harmony import */ var node_worker_threads__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(5919);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(1600);





/** Starts the storage's thread and reads what is there. Throws BAD_OPTION where the file is no good. */
async function openStorage(options) {
    const worker = new node_worker_threads__WEBPACK_IMPORTED_MODULE_3__.Worker(workerEntry(), { workerData: { file: options.file } });
    const found = await new Promise((resolve, reject) => {
        worker.once("error", reject);
        worker.once("message", (notice) => {
            if (notice.kind === "opened")
                resolve(notice.found);
            else if (notice.kind === "refused") {
                reject(new _lock_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .LockError */ .Ku(notice.code, notice.message));
            }
        });
    });
    worker.removeAllListeners("error");
    return new ThreadStorage(worker, found, options);
}
/** Beside this file in the sources; in dist/ a bundle of its own. */
function workerEntry() {
    const here = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)((0,node_url__WEBPACK_IMPORTED_MODULE_2__.fileURLToPath)(import.meta.url));
    const source = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(here, "worker.ts");
    return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.existsSync)(source) ? source : (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(here), "storage", "index.js");
}
/** More than this are not held back. */
const FENCES_AT_ONCE = 10_000;
class ThreadStorage {
    found;
    trouble = null;
    #worker;
    #durable;
    #changes = [];
    #fences = new Map();
    #files = [];
    /** The order that is being put together, and the last one that is on the disk. */
    #number = 1;
    #settled = 0;
    #scheduled = false;
    /** One promise for all who wait for the same order. */
    #waiting = null;
    #waits = [];
    #requests = 0;
    #answers = new Map();
    #closed = null;
    constructor(worker, found, options) {
        this.#worker = worker;
        this.found = found;
        this.#durable = options.file !== null;
        worker.on("message", (notice) => {
            if (notice.kind === "settled")
                this.#onSettled(notice);
            if (notice.kind !== "trouble")
                return;
            this.trouble = notice.message;
            options.onTrouble?.(notice.message);
        });
        worker.on("error", (error) => options.onEnd?.(error));
        // It has work only while the server has: it keeps no process alive by itself.
        worker.unref();
    }
    record(change) {
        if (!this.#durable) {
            this.#noteFences(change);
            return;
        }
        this.#changes.push(change);
        this.#schedule();
    }
    settled() {
        const last = this.#scheduled ? this.#number : this.#number - 1;
        if (!this.#durable || this.#settled >= last)
            return null;
        if (this.#waiting?.entry.number === last)
            return this.#waiting.promise;
        const { promise, resolve } = Promise.withResolvers();
        const entry = { number: last, resolve };
        this.#waiting = { promise, entry };
        this.#waits.push(entry);
        return promise;
    }
    readFile(path) {
        return this.#ask((id) => ({ kind: "read", id, path }));
    }
    statFile(path) {
        return this.#ask((id) => ({ kind: "stat", id, path }));
    }
    writeFile(path, file, conditions) {
        return this.#ask((id) => ({ kind: "write", id, path, file, conditions }));
    }
    deleteFile(path, conditions) {
        return this.#ask((id) => ({ kind: "delete", id, path, conditions }));
    }
    close() {
        this.#closed ??= new Promise((resolve) => {
            this.#worker.ref();
            this.#worker.once("exit", () => resolve());
            this.#send({ close: true });
        });
        return this.#closed;
    }
    #ask(make) {
        this.#requests += 1;
        const id = this.#requests;
        this.#files.push(make(id));
        this.#schedule();
        return new Promise((resolve) => {
            this.#answers.set(id, (answer) => resolve(answer));
        });
    }
    /** In memory only fences are of use, and only when a file is written: they go over with it. */
    #noteFences(change) {
        if (change.kind === "granted")
            this.#fences.set(change.lease.key, change.lease.fence);
        if (change.kind === "fences") {
            for (const [key, fence] of change.fences)
                this.#fences.set(key, fence);
        }
        if (this.#fences.size > FENCES_AT_ONCE)
            this.#schedule();
    }
    /** What one turn of the loop brings goes over in one message. */
    #schedule() {
        if (this.#scheduled)
            return;
        this.#scheduled = true;
        queueMicrotask(() => {
            if (this.#scheduled)
                this.#send();
        });
    }
    #send(more = {}) {
        if (this.#fences.size > 0) {
            this.#changes.push({ kind: "fences", fences: this.#fences });
            this.#fences = new Map();
        }
        const order = {
            number: this.#number,
            changes: this.#changes,
            files: this.#files,
            ...more,
        };
        this.#scheduled = false;
        this.#number += 1;
        this.#changes = [];
        this.#files = [];
        this.#worker.postMessage(order);
    }
    #onSettled({ number, answers }) {
        this.#settled = number;
        let done = 0;
        while (done < this.#waits.length && this.#waits[done].number <= number) {
            this.#waits[done].resolve();
            done += 1;
        }
        this.#waits.splice(0, done);
        for (const { id, answer } of answers) {
            this.#answers.get(id)?.(answer);
            this.#answers.delete(id);
        }
    }
}


/***/ })

};
