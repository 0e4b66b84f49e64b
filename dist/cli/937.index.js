export const id = 937;
export const ids = [937];
export const modules = {

/***/ 7064:
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

/***/ 7937:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  HttpStore: () => (/* binding */ HttpStore),
  openHttpStore: () => (/* binding */ openHttpStore)
});

// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(1600);
// EXTERNAL MODULE: ./build/lock/key.js
var lock_key = __webpack_require__(2816);
// EXTERNAL MODULE: ./build/lock/slots.js
var slots = __webpack_require__(4242);
// EXTERNAL MODULE: ./build/lock/text.js
var lock_text = __webpack_require__(5352);
// EXTERNAL MODULE: ./build/stores/request.js
var stores_request = __webpack_require__(5031);
;// CONCATENATED MODULE: ./build/stores/http/address.js


/** Paths with meanings of their own at the server. */
const RESERVED = ["auth", "admin"];
function parseAddress(store) {
    const text = store.trim();
    const [, scheme = "", rest = ""] = /^(https?):\/\/(.*)$/is.exec(text) ?? [];
    if (scheme === "")
        throw bad((0,lock_text/* quote */.hD)(text, 120), "is not complete", "write it as http://host:8080");
    const start = `${scheme.toLowerCase()}://`;
    const [authority = ""] = /^[^/?#\\]*/.exec(rest) ?? [];
    // Not shown: what stands before the @ is a secret, and what stands after a ? may be one.
    if (authority.includes("@")) {
        throw bad((0,lock_text/* quote */.hD)(`${start}…`), "holds credentials, and a store's URL is shown in logs", "leave them out and give the server's token in HOLDFAST_TOKEN");
    }
    const [path = ""] = /^[^?#]*/.exec(rest.slice(authority.length)) ?? [];
    if (authority.length + path.length < rest.length) {
        throw bad((0,lock_text/* quote */.hD)(`${start}${authority}${path}…`, 120), "goes on after its path", "leave out the query and the fragment");
    }
    const url = URL.canParse(start + authority) ? new URL(start + authority) : null;
    if (url === null || url.port === "0") {
        throw bad((0,lock_text/* quote */.hD)(text, 120), `has no good host in ${(0,lock_text/* quote */.hD)(authority)}`, `write it as ${start}host:8080`);
    }
    const secure = url.protocol === "https:";
    const base = baseOf(path, text);
    const shownPath = base.split("/").slice(0, -1).map(encodeURIComponent).join("/");
    return {
        shown: shownPath === "" ? url.origin : `${url.origin}/${shownPath}`,
        origin: url.origin,
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: Number(url.port) || (secure ? 443 : 80),
        secure,
        base,
    };
}
/** A parser of URLs would collapse what is refused here, and two stores would become one. */
function baseOf(path, store) {
    const trimmed = path.replace(/^\/|\/$/g, "");
    if (trimmed === "")
        return "";
    const segments = trimmed.split("/").map(decoded);
    const isPlain = segments.every((segment) => segment !== null &&
        segment !== "" &&
        segment !== "." &&
        !/[%/\\]|\.\./.test(segment) &&
        !(0,lock_text/* hasControl */.aQ)(segment));
    if (!isPlain) {
        throw bad((0,lock_text/* quote */.hD)(store, 120), "has a path that servers read in several ways", "use plain names with single slashes between them");
    }
    if (RESERVED.includes(segments[0])) {
        throw bad((0,lock_text/* quote */.hD)(store, 120), `has a path that begins with /${segments[0]}, which the server keeps for itself`, "use another name");
    }
    return `${segments.join("/")}/`;
}
function decoded(segment) {
    try {
        return decodeURIComponent(segment);
    }
    catch {
        return null;
    }
}
function bad(store, problem, advice) {
    return new errors/* LockError */.Ku("BAD_STORE", `The store ${store} ${problem}: ${advice}.`);
}

// EXTERNAL MODULE: ./build/lock/history.js
var lock_history = __webpack_require__(4171);
;// CONCATENATED MODULE: ./build/stores/http/answer.js
/** As much of a page as a sentence can show. */
const TEXT_SHOWN = 80;
const RETRY_LIMIT_MS = 60_000;
function readAnswer({ statusCode = 0, headers }, content) {
    const text = content.toString("utf8");
    return {
        status: statusCode,
        body: fieldsOf(text),
        text: titleOf(text),
        type: headerOf(headers["content-type"]).split(";")[0].trim() || "no type",
        retryAfter: readRetryAfter(headerOf(headers["retry-after"])),
        location: headerOf(headers.location) || null,
    };
}
function textIn(fields, name) {
    const value = fields?.[name];
    return typeof value === "string" ? value : null;
}
function numberIn(fields, name) {
    const value = fields?.[name];
    return typeof value === "number" && Number.isFinite(value) ? value : null;
}
function asFields(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value)
        ? value
        : null;
}
/** An empty answer is as good as an empty object: 204 says all there is to say. */
function fieldsOf(text) {
    if (text === "")
        return {};
    try {
        return asFields(JSON.parse(text));
    }
    catch {
        return null;
    }
}
/** Of a page its title, which mostly tells who speaks. */
function titleOf(text) {
    const title = /<title[^>]*>([^<]*)</i.exec(text)?.[1] ?? text;
    return title.replace(/\s+/g, " ").trim().slice(0, TEXT_SHOWN);
}
function headerOf(value) {
    return (Array.isArray(value) ? value[0] : value) ?? "";
}
function readRetryAfter(text) {
    if (text === "")
        return null;
    const wait = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
    return Number.isNaN(wait) ? null : Math.min(RETRY_LIMIT_MS, Math.max(0, wait));
}

;// CONCATENATED MODULE: ./build/stores/http/path.js
/**
 * A key at the server: its text behind the store's base. Where that would be read in several ways
 * on its way there (parsers of URLs collapse dots and slashes, some decode twice), or means
 * something else to the server, the key is encoded once more: what arrives is then plain, and is
 * told from every other key by its `%`.
 */
function serverKeyOf(base, key) {
    return base + (isPlain(key) && !(base === "" && isReserved(key)) ? key : encodeAll(key));
}
/** The user's key of one that the server lists; null where it is not of this store. */
function keyOf(base, serverKey) {
    if (!serverKey.startsWith(base) || serverKey === base)
        return null;
    const text = serverKey.slice(base.length);
    const key = path_decoded(text);
    // Others may lock keys that only look like ours: they are shown as they are.
    return key !== null && serverKeyOf(base, key) === serverKey ? key : text;
}
/** The path of a server's key. */
function pathOf(serverKey) {
    return `/${serverKey.split("/").map(encodeURIComponent).join("/")}`;
}
function isPlain(key) {
    if (/%|\.\./.test(key))
        return false;
    return key.split("/").every((segment) => segment !== "" && segment !== ".");
}
function isReserved(key) {
    return /^(auth|admin)(\/|$)|^(healthz|metrics)$/.test(key);
}
function encodeAll(key) {
    const encoded = encodeURIComponent(key).replaceAll(".", "%2E");
    if (encoded.includes("%"))
        return encoded;
    return `%${encoded.charCodeAt(0).toString(16).toUpperCase()}${encoded.slice(1)}`;
}
function path_decoded(text) {
    try {
        return decodeURIComponent(text);
    }
    catch {
        return null;
    }
}

// EXTERNAL MODULE: ./build/stores/sentences.js
var sentences = __webpack_require__(1156);
// EXTERNAL MODULE: external "node:http"
var external_node_http_ = __webpack_require__(7067);
// EXTERNAL MODULE: ./build/lock/duration.js
var duration = __webpack_require__(739);
// EXTERNAL MODULE: ./build/stores/socket-trouble.js
var socket_trouble = __webpack_require__(8147);
;// CONCATENATED MODULE: ./build/stores/http/explain.js






/** Every way in which a server can be the wrong one, out of reach or unwilling, in one sentence each. */
function unreachable({ shown }, why, cause) {
    return new errors/* LockError */.Ku("STORE_UNREACHABLE", `The lock server ${shown} ${why}.`, cause === undefined ? {} : { cause });
}
function silent(address, patience, proxy) {
    const checks = proxy === null ? "the firewall in between" : `${proxy.variable} (${proxy.shown})`;
    return unreachable(address, `did not answer within ${(0,duration/* formatDuration */.a3)(patience)}: check host, port and ${checks}`);
}
function endless(address) {
    return unreachable(address, "answers without end: it is no lock server; check host and port");
}
/** `began`: an answer was on its way. */
function explainRequest(error, address, proxy, began) {
    const code = (0,errors/* systemCode */.xU)(error) ?? "";
    if (proxy !== null && code === "ERR_PROXY_TUNNEL")
        return tunnelRefused(address, proxy, error);
    const trouble = (0,socket_trouble/* socketTrouble */.b)(error, address.host);
    if (proxy?.failedWith(error) && trouble.kind === "unreachable") {
        const why = trouble.why.replace(/; start it, or check host and port$/, "");
        return unreachable(address, `is asked through the proxy ${proxy.shown}, which ${why}; check ${proxy.variable}, or name the server in NO_PROXY`, error);
    }
    if (/^HPE_/.test(code)) {
        const tls = address.secure ? "" : " and, if it wants TLS, use https://";
        return unreachable(address, `does not speak HTTP (${code}): check host and port${tls}`, error);
    }
    switch (trouble.kind) {
        case "unsafe":
            return new errors/* LockError */.Ku("STORE_UNSAFE", `The lock server ${address.shown} ${trouble.why}.`, {
                cause: error,
            });
        case "not-tls": {
            const advice = address.shown.replace("https:", "http:");
            const why = `cannot be spoken to with TLS (${trouble.code}): if it has none, use ${advice}`;
            return unreachable(address, why, error);
        }
        case "cut":
            return began ? cutShort(address) : hungUp(address);
        default:
            return unreachable(address, trouble.why + (proxy?.ignored ?? ""), error);
    }
}
function cutShort(address) {
    return unreachable(address, "closed the connection in the middle of its answer: it was stopped, or the network failed");
}
function hungUp(address) {
    const tls = address.secure ? "" : ", or it wants TLS (https://)";
    return unreachable(address, `closed the connection without an answer: it was stopped, or the network failed${tls}`);
}
function tunnelRefused(address, proxy, error) {
    const { statusCode } = error;
    const what = statusCode === 407
        ? "which wants a user and a password: write them into its URL"
        : `which refused to open a way there (${statusCode ?? "no answer"}): allow it there, or name the server in NO_PROXY`;
    return unreachable(address, `is asked through the proxy ${proxy.shown} (${proxy.variable}), ${what}`, error);
}
/** A redirect that is not followed: the token is for the server that the user named alone. */
function redirected(address, { status, location }) {
    if (location === null || !URL.canParse(location, address.origin)) {
        return unreachable(address, `redirects (${status}) without saying where: check host and port`);
    }
    const target = new URL(location, address.origin);
    // A query may carry a secret of the redirecting side.
    const where = `${target.origin}${target.pathname}`;
    const advice = target.origin === address.origin ? "check the path" : `if that is right, use ${target.origin}`;
    return unreachable(address, `redirects (${status}) to ${(0,lock_text/* quote */.hD)(where, 200)}: ${advice}`);
}
function denied({ shown }, secret) {
    return new errors/* LockError */.Ku("STORE_DENIED", secret === null
        ? `The lock server ${shown} asks for a token: give it in HOLDFAST_TOKEN or the token input.`
        : `The lock server ${shown} does not accept the token: give the one that it was started with.`);
}
/** Our server's words for being at one of its limits. */
const FULL = ["Server full", "Too many sessions"];
/** An answer that has no meaning of its own to the one who asked. */
function refusal(address, answer, secret) {
    const { status, body } = answer;
    const words = bodyWords(answer, secret);
    if (status === 401)
        return denied(address, secret);
    if (status === 403) {
        return new errors/* LockError */.Ku("STORE_DENIED", `The lock server ${address.shown} forbids it (403${words}): ask for the rights, or check the token.`);
    }
    if (status === 407) {
        return unreachable(address, "is asked through a proxy that wants a user and a password (407): write them into the proxy's URL");
    }
    if (status === 413 || status === 414 || status === 431) {
        return unreachable(address, `refuses the request as too large (${status}${words}): use a shorter key, note or owner`);
    }
    if (FULL.includes(body?.error)) {
        return new errors/* LockError */.Ku("STORE_FULL", `The lock server ${address.shown} has no room (${status}${words}): try again later, or raise its --max-locks, --max-waiters or --max-sessions.`);
    }
    if (status < 500 && status !== 429 && textIn(body, "error") !== null) {
        return unreachable(address, `refused the request (${status}${words}): check the store's URL`);
    }
    if (status === 429) {
        return unreachable(address, `is asked too often (429${words}): try again later`);
    }
    if (status >= 500) {
        return unreachable(address, `cannot answer just now (${status}${words}): it, or the proxy before it, has a problem; try again later`);
    }
    return speaksOtherwise(address, answer, secret);
}
/** What it says is shown, since it mostly tells what listens there; the secret that we sent never is. */
function speaksOtherwise(address, answer, secret) {
    const what = answer.body === null ? `${answer.type}${bodyWords(answer, secret)}` : "other fields";
    return unreachable(address, `does not speak the file-locking API, it answers ${answer.status} with ${what}: check host, port and path`);
}
function bodyWords({ status, body, text }, secret) {
    const said = textIn(body, "message") ?? textIn(body, "error") ?? (body === null ? text : "") ?? "";
    const shown = said === "" ? (external_node_http_.STATUS_CODES[status] ?? "") : said;
    const safe = secret === null ? shown : shown.replaceAll(secret, "***");
    return safe === "" ? "" : `, ${(0,lock_text/* quote */.hD)((0,lock_text/* cleanText */.X5)(safe), 160)}`;
}

;// CONCATENATED MODULE: ./build/stores/http/proxy.js
/** The first minor version of Node 24 whose agents know proxies. */
const SINCE = [24, 5];
/** Which servers are asked without it (NO_PROXY) is for Node to say: here it is only talked about. */
function proxyOf(address, env) {
    const names = address.secure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"];
    const variable = names.find((name) => env[name] !== undefined && env[name] !== "");
    const text = variable === undefined ? "" : env[variable];
    if (variable === undefined || !URL.canParse(text))
        return null;
    const url = new URL(text);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
    return {
        variable,
        shown: url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin,
        ignored: knowsProxies() ? "" : ` (${variable} needs Node ${SINCE.join(".")} or later)`,
        failedWith(error) {
            const failed = error;
            if (failed.hostname !== undefined)
                return failed.hostname === host && host !== address.host;
            return failed.port === port && port !== address.port;
        },
    };
}
function knowsProxies() {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    return major > SINCE[0] || (major === SINCE[0] && minor >= SINCE[1]);
}

;// CONCATENATED MODULE: ./build/stores/http/server.js





/** For requests that a server answers at once: one far away and busy needs a second or two. */
const ANSWER_MS = 10_000;
/** A list of 10,000 keys, each with a holder and its line, is a few of these. */
const ANSWER_BYTES_LIMIT = 64 * 1024 * 1024;
const REDIRECTS_LIMIT = 3;
/** A server that vanished while a claim waits in silence is also found by TCP's own probes. */
const KEEP_ALIVE_MS = 10_000;
/** One server, as its clients know it: how to ask it, and whether connections to it broke. */
class LockServer {
    address;
    /** The server's token; with a server of the protocol's authors, a session's id. */
    secret;
    /** Whether it has lines and fences; null: not yet known. */
    isOurs = null;
    #options;
    #proxy;
    #transport = null;
    #known = new WeakSet();
    /** Closed by this side, so that it tells nothing about the other. */
    #dismissed = new WeakSet();
    #watchers = new Set();
    constructor(address, options) {
        this.address = address;
        this.#options = options;
        this.secret = checkSecret(options.token);
        this.#proxy = proxyOf(address, process.env);
    }
    /** Any answer, whatever its status. Throws where there is none. */
    async ask(question) {
        this.#transport ??= openTransport(this.address, this.#options);
        const transport = await this.#transport;
        let { path } = question;
        for (let hops = 0;; hops++) {
            if (question.signal?.aborted)
                throw (0,sentences/* aborted */.QH)();
            const answer = (await this.#send(transport, path, question, question.once === true)) ??
                (await this.#send(transport, path, question, true));
            if (answer === null)
                throw cutShort(this.address);
            if (answer.status < 300 || answer.status >= 400)
                return answer;
            const next = this.#pathFrom(answer, path);
            if (next === null || (question.method ?? "GET") !== "GET" || hops >= REDIRECTS_LIMIT) {
                throw redirected(this.address, answer);
            }
            path = next;
        }
    }
    /** What an answer means that has no meaning of its own to the one who asked. */
    refusal(answer) {
        return refusal(this.address, answer, this.secret);
    }
    /** Called when the other side closed a connection: it may have been stopped. Returns the end of it. */
    watch(onCut) {
        this.#watchers.add(onCut);
        return () => this.#watchers.delete(onCut);
    }
    /** Connections that nobody uses may be dead without a sign: the next question gets a new one. */
    async dropIdle() {
        const transport = await this.#transport?.catch(() => null);
        const idle = Object.values(transport?.agent.freeSockets ?? {});
        for (const socket of idle.flatMap((sockets) => sockets ?? [])) {
            this.#dismissed.add(socket);
            socket.destroy();
        }
    }
    /** Null: a connection that was kept turned out to be closed, and nothing was answered on it. */
    #send({ request: open, agent }, path, question, isLast) {
        const { address } = this;
        const { method = "GET", body, signal, patience = ANSWER_MS, background = false } = question;
        const content = body === undefined ? "" : JSON.stringify(body);
        return new Promise((resolve, reject) => {
            const { host, port } = address;
            const headers = headersOf(question, content);
            const request = open({ agent, host, port, path, method, headers });
            let began = false;
            const settle = (finish) => {
                clearTimeout(timer);
                signal?.removeEventListener("abort", cancel);
                finish();
            };
            const give = (error) => {
                if (request.socket !== null)
                    this.#dismissed.add(request.socket);
                settle(() => reject(error));
                request.destroy();
            };
            const cancel = () => give((0,sentences/* aborted */.QH)());
            const late = () => give(silent(address, patience, this.#proxy));
            const timer = setTimeout(late, Math.max(1, patience));
            if (background)
                timer.unref();
            signal?.addEventListener("abort", cancel, { once: true });
            request.on("socket", (socket) => this.#know(socket, background));
            request.on("error", (error) => {
                if (request.reusedSocket && !began && !isLast)
                    return settle(() => resolve(null));
                settle(() => reject(explainRequest(error, address, this.#proxy, began)));
            });
            request.on("response", (response) => {
                began = true;
                // An end that was announced tells nothing about the server.
                if (response.headers.connection === "close")
                    this.#dismissed.add(response.socket);
                collect(response).then((bytes) => settle(() => resolve(readAnswer(response, bytes))), (error) => give(error === "endless" ? endless(address) : cutShort(address)));
            });
            request.end(content);
        });
    }
    #know(socket, background) {
        if (background)
            socket.unref();
        if (this.#known.has(socket))
            return;
        this.#known.add(socket);
        // The agent's own timer for idle connections, where the server told it one.
        socket.once("timeout", () => this.#dismissed.add(socket));
        socket.once("close", () => {
            if (!this.#dismissed.has(socket))
                for (const onCut of this.#watchers)
                    onCut();
        });
    }
    /** Where a redirect leads on the same server, or null. */
    #pathFrom({ location }, from) {
        if (location === null || !URL.canParse(location, this.address.origin + from))
            return null;
        const target = new URL(location, this.address.origin + from);
        return target.origin === this.address.origin ? target.pathname + target.search : null;
    }
}
function headersOf({ bearer }, content) {
    return {
        accept: "application/json",
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(content === ""
            ? {}
            : {
                "content-type": "application/json",
                "content-length": String(Buffer.byteLength(content)),
            }),
    };
}
async function collect(response) {
    const chunks = [];
    let size = 0;
    for await (const chunk of response) {
        size += chunk.length;
        if (size > ANSWER_BYTES_LIMIT)
            throw "endless";
        chunks.push(chunk);
    }
    if (!response.complete)
        throw "cut";
    return Buffer.concat(chunks);
}
/** What only TLS needs is loaded where TLS is used. */
async function openTransport({ secure }, options) {
    const shared = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, proxyEnv: process.env };
    if (!secure) {
        const { Agent, request } = await Promise.resolve(/* import() */).then(__webpack_require__.t.bind(__webpack_require__, 7067, 19));
        return { agent: new Agent(shared), request };
    }
    const [{ Agent, request }, { readTrusted }] = await Promise.all([
        Promise.resolve(/* import() */).then(__webpack_require__.t.bind(__webpack_require__, 4708, 19)),
        __webpack_require__.e(/* import() */ 332).then(__webpack_require__.bind(__webpack_require__, 332)),
    ]);
    const trusted = await readTrusted(options);
    const ca = trusted === undefined ? {} : { ca: [...trusted] };
    return { agent: new Agent({ ...shared, minVersion: "TLSv1.2", ...ca }), request };
}
/** A secret from a file often ends in a newline; anything else that no header can carry is an error. */
function checkSecret(token) {
    const secret = token?.trim() ?? "";
    if (secret === "")
        return null;
    if (/^[\x21-\x7e]+$/.test(secret))
        return secret;
    throw new errors/* LockError */.Ku("BAD_OPTION", "The token holds characters that cannot be sent: use printable ASCII characters without spaces.");
}

;// CONCATENATED MODULE: ./build/stores/http/session.js




const SESSION_PATH = "/auth/session";
/** How long a leaving client waits for the server's word: what it cannot say, the session's end does. */
const GOODBYE_MS = 2_000;
/** The life that the protocol gives a session; whoever wants more refreshes it in time. */
const LIFE_LIMIT_S = 7 * 86_400;
/**
 * Who claims, to the server. Each claim has one of its own, since a session that asks for what it
 * holds is given it again; and the locks of a session end with it.
 */
class Session {
    id;
    /** It was given by the user, and lives on when the claim is over. */
    isGiven;
    #server;
    constructor(server, id, isGiven) {
        this.#server = server;
        this.id = id;
        this.isGiven = isGiven;
    }
    /** One word about the lock of a server's key. */
    lock(operation, serverKey, manner = {}) {
        const { wait, slots, ...rest } = manner;
        const query = (slots === undefined ? "" : `&slots=${slots}`) + (wait === undefined ? "" : `&wait=${wait}`);
        const path = `${pathOf(serverKey)}?lock=${operation}${query}`;
        return this.#server.ask({ path, bearer: this.id, ...rest });
    }
    /** Leaves every line and lets go of everything. What fails here, the session's life ends. */
    async end(manner = {}) {
        if (this.isGiven)
            return;
        const question = { method: "DELETE", path: SESSION_PATH, bearer: this.id };
        await this.#server.ask({ patience: GOODBYE_MS, ...question, ...manner }).catch(() => { });
    }
}
/** `life`: seconds that the server keeps it, and its locks, without hearing of it. */
async function openSession(server, { owner, note }, life, manner = {}) {
    const { secret } = server;
    const answer = await server.ask({
        method: "POST",
        path: SESSION_PATH,
        bearer: secret,
        body: {
            ttl: life,
            owner: owner.id,
            ...(note === null ? {} : { note }),
            metadata: owner.metadata,
        },
        ...manner,
    });
    if (answer.status === 201 || answer.status === 200) {
        const id = textIn(answer.body, "sessionId") ?? "";
        if (!/^[\x21-\x7e]{16,512}$/.test(id))
            throw speaksOtherwise(server.address, answer, secret);
        return new Session(server, id, false);
    }
    if (!isUnwilling(answer))
        throw server.refusal(answer);
    if (secret !== null && (await isReadySession(server, secret, manner))) {
        return new Session(server, secret, true);
    }
    if (answer.status === 404 || answer.status === 405) {
        const why = `knows no sessions (${answer.status} for ${SESSION_PATH}): check host and port`;
        throw unreachable(server.address, why);
    }
    const isDenied = answer.status === 401 || answer.status === 403;
    if (isDenied || answer.body === null)
        throw server.refusal(answer);
    throw new errors/* LockError */.Ku("STORE_DENIED", `The lock server ${server.address.shown} opens no session for Holdfast (${answer.status}): if it is one that asks for signed requests, give the id of a ready session in HOLDFAST_TOKEN.`);
}
/** What a server answers that knows sessions, but opens them for others. */
function isUnwilling({ status }) {
    return [400, 401, 403, 404, 405, 415, 422].includes(status);
}
/** Our own server names its sessions, and none of them is a token of the server. */
async function isReadySession(server, secret, manner) {
    const { status, body } = await server.ask({ path: SESSION_PATH, bearer: secret, ...manner });
    return status === 200 && body?.expiresAt !== undefined && body.name === undefined;
}

// EXTERNAL MODULE: ./build/lock/digest.js
var digest = __webpack_require__(7675);
// EXTERNAL MODULE: ./build/lock/owner.js
var owner = __webpack_require__(5208);
;// CONCATENATED MODULE: ./build/stores/http/status.js




/** The answer to `?lock=status`, a 423, or a key from `/admin`. */
function pictureIn(fields) {
    const known = listIn(fields, "holders");
    const lone = fields.lockedBy === undefined ? asFields(fields.lock) : fields;
    const holders = known?.map(holderOf) ?? (lone === null ? [] : [lockOf(lone)]);
    return {
        slots: numberIn(fields, "slots") ?? 1,
        holders: holders.sort((one, other) => one.slot - other.slot),
        waiting: numberIn(fields, "waiting") ?? 0,
        waiters: listIn(fields, "waiters")?.map(waiterOf) ?? [],
        position: "position" in fields ? numberIn(fields, "position") : undefined,
        isOwn: fields.ownedByThisSession === true,
    };
}
/** Whether it is a key as `/admin` tells it, and not a file or something else under that path. */
function isKeyFields(fields) {
    return textIn(fields, "key") !== null && Array.isArray(fields?.holders);
}
function statusOf(picture, store, key) {
    const { slots, holders, waiting, waiters } = picture;
    return { key, store, slots, holders, waiting, waiters };
}
/** `ttl` is the session's life: so long the lock outlives the last word from its holder. */
function holderOf(fields) {
    const { alive } = fields;
    return {
        owner: nameIn(fields, "owner"),
        since: textIn(fields, "since"),
        ttl: numberIn(fields, "ttl"),
        fence: numberIn(fields, "fence"),
        slot: numberIn(fields, "slot") ?? 0,
        pid: numberIn(fields, "pid"),
        host: cleanIn(fields, "host"),
        alive: typeof alive === "boolean" ? alive : null,
        reclaimable: null,
        note: cleanIn(fields, "note"),
        metadata: (0,owner/* readMetadata */._6)(fields.metadata),
        heartbeat: textIn(fields, "heartbeat"),
    };
}
/** A lock as the specification has it: who, since when, until when. */
function lockOf(fields) {
    const lockedAt = numberIn(fields, "lockedAt");
    return {
        ...holderOf(fields),
        owner: fields.owner === undefined ? publicName(nameIn(fields, "lockedBy")) : nameIn(fields, "owner"),
        since: lockedAt === null ? null : new Date(lockedAt).toISOString(),
        alive: null,
    };
}
/** Some servers name the holder by its session's id, which is its key to the lock: it is not shown. */
function publicName(lockedBy) {
    return /^[0-9a-f]{32,}$/i.test(lockedBy) ? `session-${(0,digest/* sha256 */.s)(lockedBy).slice(0, 8)}` : lockedBy;
}
function waiterOf(fields, index) {
    return {
        owner: nameIn(fields, "owner"),
        since: textIn(fields, "since") ?? "",
        position: numberIn(fields, "position") ?? index + 1,
        alive: true,
        note: cleanIn(fields, "note"),
        metadata: (0,owner/* readMetadata */._6)(fields.metadata),
    };
}
function listIn(fields, name) {
    const list = fields[name];
    return Array.isArray(list) ? list.map(asFields).filter((entry) => entry !== null) : null;
}
function nameIn(fields, name) {
    return cleanIn(fields, name) ?? "unknown";
}
function cleanIn(fields, name) {
    const text = textIn(fields, name);
    return text === null ? null : (0,lock_text/* cleanText */.X5)(text);
}

;// CONCATENATED MODULE: ./build/stores/http/admin.js








/** A session for one look: should its end not be heard, it ends by itself. */
const LOOK_LIFE_S = 10;
/** Who holds a key and who waits: from `/admin`, or, where a server has none, from `?lock=status`. */
async function inspectKey({ server, store }, key, serverKey, patience = ANSWER_MS) {
    const answer = await askAdmin(server, `/locks${pathOf(serverKey)}`, { patience });
    if (answer.status === 200 && isKeyFields(answer.body)) {
        return statusOf(pictureIn(answer.body), store, key);
    }
    if (!isMissing(answer))
        throw server.refusal(answer);
    const fields = await visit(server, patience, async (session) => {
        const looked = await session.lock("status", serverKey, { patience });
        if (looked.status !== 200 || looked.body === null)
            throw server.refusal(looked);
        return looked.body;
    });
    return statusOf(pictureIn(fields), store, key);
}
async function listKeys({ server, store }, all) {
    const answer = await askAdmin(server, `/locks${all ? "?all=1" : ""}`);
    const locks = answer.status === 200 ? fieldsIn(answer.body, "locks") : null;
    if (locks === null) {
        if (!isMissing(answer))
            throw server.refusal(answer);
        throw new errors/* LockError */.Ku("NOT_SUPPORTED", `The lock server ${server.address.shown} cannot list its keys (it has no /admin): ask for one key with holdfast status KEY.`);
    }
    return locks.flatMap((fields) => {
        const key = keyOf(server.address.base, textIn(fields, "key") ?? "");
        return key === null ? [] : statusOf(pictureIn(fields), store, key);
    });
}
/** Takes a key from its holders; null where the server has no word for it. */
async function breakKey(server, serverKey, { reason, slot, owner }) {
    const query = new URLSearchParams({ reason, owner });
    if (slot !== undefined)
        query.set("slot", String(slot));
    const path = `/locks${pathOf(serverKey)}?${query}`;
    const answer = await askAdmin(server, path, { method: "DELETE", once: true });
    const broken = answer.status === 200 ? fieldsIn(answer.body, "broken") : null;
    if (broken !== null)
        return broken.map(holderOf);
    if (answer.status === 400) {
        const why = textIn(answer.body, "message") ?? "the server does not take it";
        throw new errors/* LockError */.Ku("BAD_REASON", `The reason ${(0,lock_text/* quote */.hD)(reason)} was refused: ${why}`);
    }
    if (isMissing(answer))
        return null;
    throw server.refusal(answer);
}
/** The holds of a key that are over, newest first. */
async function historyOf(server, serverKey, limit) {
    const answer = await askAdmin(server, `/history${pathOf(serverKey)}?limit=${limit}`);
    if (answer.status === 200 && Array.isArray(answer.body?.holds)) {
        return (0,lock_history/* readHolds */.RC)(answer.body.holds);
    }
    if (!isMissing(answer))
        throw server.refusal(answer);
    throw new errors/* LockError */.Ku("NOT_SUPPORTED", `The lock server ${server.address.shown} keeps no history (it has no /admin).`);
}
/** Whether the session of that id holds the key: its own word for it, which needs no other right. */
async function isHeldBy(server, session, serverKey, fence) {
    const answer = await session.lock("status", serverKey);
    if (answer.status === 401 && answer.body?.error !== undefined)
        return false;
    if (answer.status !== 200 || answer.body === null)
        throw server.refusal(answer);
    const { isOwn, holders } = pictureIn(answer.body);
    return isOwn && (fence === null || holders.some((holder) => holder.fence === fence));
}
/** A server without `/admin`, one that hides it, or one to which it is a file like any other. */
function isMissing({ status, body }) {
    if (status === 401 || status === 429 || status >= 500)
        return false;
    return status >= 400 || (status === 200 && !isKeyFields(body));
}
function askAdmin(server, path, more = {}) {
    return server.ask({ path: `/admin${path}`, bearer: server.secret, ...more });
}
async function visit(server, patience, use) {
    const owner = { id: "holdfast-status", metadata: {} };
    const session = await openSession(server, { owner, note: null }, LOOK_LIFE_S, { patience });
    try {
        return await use(session);
    }
    finally {
        await session.end();
    }
}
function fieldsIn(body, name) {
    const list = body?.[name];
    return Array.isArray(list) ? list.map(asFields).filter((entry) => entry !== null) : null;
}

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./build/stores/deadline.js
var stores_deadline = __webpack_require__(7064);
;// CONCATENATED MODULE: ./build/stores/http/foreign.js




/**
 * Servers of the protocol's authors look first and write then: two who ask at once can both be told
 * that they have the lock, and the later write counts. After this pause both have been written.
 */
const SETTLE_MS = 150;
const NOT_EXCLUSIVE = "this server can grant a lock to two at the same moment, knows no line and gives no fencing numbers";
/** Whether the one who was told so has the lock indeed. */
async function confirmOwn(options) {
    const { server, session, serverKey, request, signal, lookout } = options;
    lookout?.warn(NOT_EXCLUSIVE);
    await (0,promises_.setTimeout)(SETTLE_MS, undefined, { signal }).catch(() => { });
    const { status, body } = await session.lock("status", serverKey, { signal });
    const isOwn = status === 200 && body !== null && pictureIn(body).isOwn;
    if (isOwn && request.slots > 1) {
        await session.lock("release", serverKey);
        refuseSlots(server, request);
    }
    return isOwn;
}
/** A session that holds the key is given it again: two claims in one session would both have it. */
async function refuseOwned(server, session, serverKey, signal) {
    const answer = await session.lock("status", serverKey, { signal });
    if (answer.status !== 200 || answer.body === null)
        throw server.refusal(answer);
    if (!pictureIn(answer.body).isOwn)
        return;
    throw new errors/* LockError */.Ku("ALREADY_HELD", `The session that was given as the token holds ${(0,lock_text/* quote */.hD)(serverKey)} at the lock server ${server.address.shown} already: let go of it there, or give each claim a session of its own.`);
}
function refuseSlots({ address }, { slots }) {
    if (slots === 1)
        return;
    throw new errors/* LockError */.Ku("NOT_SUPPORTED", `The lock server ${address.shown} knows no slots: use slots 1, or a server that has them.`);
}

// EXTERNAL MODULE: ./build/stores/lease-clock.js
var lease_clock = __webpack_require__(3459);
;// CONCATENATED MODULE: ./build/stores/http/let-go.js

/** A server answers in milliseconds; after this another connection is tried. */
const let_go_ANSWER_MS = 5_000;
/** Lets go of a lock and then of its session, which some servers do not take as the same. */
async function letGo(lock) {
    const { server, session } = lock;
    const outcome = await tellRelease(lock).catch(async (error) => {
        if (!(0,errors/* isLockError */.S)(error, "STORE_UNREACHABLE"))
            throw error;
        await server.dropIdle();
        // The answer to the first word was lost, perhaps after it was heard: that is no loss.
        await tellRelease(lock);
        return "released";
    });
    await session.end();
    return outcome;
}
async function tellRelease({ server, session, serverKey }) {
    const answer = await session.lock("release", serverKey, { patience: let_go_ANSWER_MS, once: true });
    if (answer.status === 200 && answer.body !== null)
        return "released";
    if (isGone(answer))
        return "already-gone";
    throw server.refusal(answer);
}
/** Not held by this session, or there is no such session. */
function isGone({ status, body }) {
    return (status === 404 || status === 401 || status === 423) && body?.error !== undefined;
}

;// CONCATENATED MODULE: ./build/stores/http/hold.js





/** While the server is away. Short, since a server that comes back without memory lets others in. */
const RETRY_MS = 100;
/** A connection that breaks is a reason to ask at once; a proxy that breaks all of them is none. */
const CUT_INTERVAL_MS = 1_000;
/** Timers beyond 2^31 ms fire at once. */
const TIMER_LIMIT_MS = 2 ** 30;
/** So long a server without sessions of ours keeps a lock, whatever we would like. */
const SPEC_LEASE_S = 1_800;
/** A session counts as long as it was asked for: silence alone ends nothing before. */
const HTTP_PACE = {
    silenceLimit: 10_000,
    serverPatience: Number.POSITIVE_INFINITY,
    giveUpLimit: Number.POSITIVE_INFINITY,
};
/** A held lock. The server's word decides: refreshed is held; not held, or no such session, is lost. */
class Hold {
    lease;
    #held;
    #loss = new AbortController();
    #over = new AbortController();
    #clock;
    #unwatch;
    /** No earlier than this, after a refresh that failed. */
    #retryAt = Number.NEGATIVE_INFINITY;
    #isFailing = false;
    #sentAt;
    #trouble = null;
    #timer;
    #renewals = [];
    #releasing = null;
    #released = false;
    constructor(held) {
        this.lease = held.lease;
        this.#held = held;
        this.#sentAt = held.provenAt;
        const seconds = held.lease.fence === null ? SPEC_LEASE_S : held.leaseSeconds;
        this.#clock = new lease_clock/* LeaseClock */.l(seconds, held.provenAt, HTTP_PACE);
        this.#unwatch = held.server.watch(() => this.#wasCut());
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
        this.#refresh();
        await done.promise;
    }
    release() {
        if (this.#released)
            return Promise.resolve("already-gone");
        this.#releasing ??= this.#letGo().catch((error) => {
            // Let it be tried again: until then the lock is still ours, and must not run out.
            this.#releasing = null;
            this.#refresh();
            throw error;
        });
        return this.#releasing;
    }
    /** A server knows sessions, not processes. */
    async cover() {
        return false;
    }
    #isOver() {
        return this.#releasing !== null || this.#released || this.lost.aborted;
    }
    /** Earlier questions stay open: a slow answer counts as well. */
    #refresh() {
        if (this.#isOver())
            return;
        const { session, serverKey } = this.#held;
        const sentAt = performance.now();
        this.#sentAt = sentAt;
        this.#clock.sent(sentAt);
        session
            .lock("refresh", serverKey, {
            patience: this.#held.leaseSeconds * 1_000,
            signal: this.#over.signal,
            background: this.#renewals.length === 0,
        })
            .then((answer) => this.#hear(answer, sentAt))
            .catch((error) => this.#fail((0,errors/* messageOf */.bD)(error)));
        this.#schedule();
    }
    #hear(answer, sentAt) {
        if (this.#isOver())
            return;
        const { status, body } = answer;
        const fence = numberIn(body, "fence");
        // A proxy has no word in this, and does not speak JSON.
        const isOurWord = body !== null && (body.error !== undefined || body.message !== undefined);
        const isGone = status === 404 || status === 401 || status === 423 || status === 410;
        if (isOurWord && (isGone || (status === 200 && fence !== this.lease.fence))) {
            this.#lose("the server no longer counts it as held");
            return;
        }
        if (!isOurWord || status !== 200) {
            this.#fail(this.#held.server.refusal(answer).message);
            return;
        }
        this.#clock.proven(sentAt, Number.POSITIVE_INFINITY);
        this.#trouble = null;
        this.#isFailing = false;
        const waiting = this.#renewals;
        this.#renewals = waiting.filter(({ from }) => from > sentAt);
        for (const { from, done } of waiting)
            if (from <= sentAt)
                done.resolve();
        this.#schedule();
    }
    #fail(trouble) {
        if (this.#isOver())
            return;
        this.#trouble = trouble;
        this.#isFailing = true;
        this.#retryAt = performance.now() + RETRY_MS;
        this.#schedule();
    }
    /** The server may have been stopped, and be back without its memory: it is asked at once. */
    #wasCut() {
        if (this.#isOver() || this.#isFailing)
            return;
        this.#isFailing = true;
        this.#retryAt = Math.max(performance.now(), this.#sentAt + CUT_INTERVAL_MS);
        this.#schedule();
    }
    #schedule() {
        clearTimeout(this.#timer);
        if (this.#isOver())
            return;
        const { boundAt } = this.#held;
        const end = Math.min(this.#clock.giveUpAt, boundAt ?? Number.POSITIVE_INFINITY);
        const left = Math.ceil(Math.min(this.#nextAt(), end) - performance.now());
        this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.min(left, TIMER_LIMIT_MS)));
        // Who waits for a renewal keeps the process running; a lock that is only held does not.
        if (this.#renewals.length === 0)
            this.#timer.unref();
    }
    #nextAt() {
        return this.#isFailing ? this.#retryAt : this.#clock.nextAt;
    }
    #tick() {
        const now = performance.now();
        const { boundAt, server } = this.#held;
        if (boundAt !== null && now >= boundAt) {
            this.#endTtl();
        }
        else if (now >= this.#clock.giveUpAt) {
            const silence = (0,duration/* formatDuration */.a3)(now - this.#clock.provenAt);
            const why = this.#trouble ?? `the lock server ${server.address.shown} does not answer`;
            this.#lose(`it could not be renewed for ${silence} (${why.replace(/\.$/, "")})`);
        }
        else if (now >= this.#nextAt()) {
            // What hangs or broke may have been the connection alone: the next question gets another.
            if (this.#isFailing || this.#clock.isUnanswered)
                void server.dropIdle();
            this.#isFailing = false;
            this.#refresh();
        }
        else {
            this.#schedule();
        }
    }
    /** Told first, then let go: nobody else can have it before. */
    #endTtl() {
        this.#lose("its ttl is over");
        void letGo(this.#held).catch(() => { });
    }
    #lose(why) {
        if (this.#isOver())
            return;
        const sentence = `The lock ${JSON.stringify(this.lease.key)} was lost: ${why}.`;
        this.#loss.abort(new errors/* LockError */.Ku("LOCK_LOST", sentence));
        this.#stop(this.lost.reason);
    }
    #stop(reason) {
        clearTimeout(this.#timer);
        this.#unwatch();
        this.#over.abort();
        for (const { done } of this.#renewals.splice(0))
            done.reject(reason);
    }
    async #letGo() {
        if (this.lost.aborted) {
            // What ran under it has ended by now: where the session still lives, the next need not wait.
            void this.#held.session.end({ background: true });
            return "already-gone";
        }
        clearTimeout(this.#timer);
        const outcome = await letGo(this.#held);
        this.#released = true;
        this.#stop(alreadyReleased());
        return outcome;
    }
}
function alreadyReleased() {
    return new errors/* LockError */.Ku("LOCK_LOST", "The lock was already released.");
}

;// CONCATENATED MODULE: ./build/stores/http/line.js









/** A request waits so long, then it is asked again: below what proxies allow, some of them 30 s. */
const WAIT_S = 20;
/** A server that knows no line is asked again after this, then less and less often. */
const POLL_MS = 250;
const POLL_LIMIT_MS = 5_000;
/** After an answer that came too soon, or none: a server's restart takes seconds. */
const REJOIN_MS = 250;
/** A server's restart takes seconds, its machine's a minute or two. */
const REJOIN_LIMIT_MS = 120_000;
const AT_ONCE_MS = 500;
/** One session's time in line: it asks again and again, until it is granted or sent away for good. */
async function standInLine(options) {
    const { signal } = options;
    const line = new Line(options);
    for (;;) {
        const next = await line.ask();
        if (typeof next !== "number")
            return next;
        // Those who were sent away together do not come back together.
        const pause = next * (0.75 + Math.random() / 2);
        if (pause > 0)
            await (0,promises_.setTimeout)(pause, undefined, { signal }).catch(() => { });
    }
}
class Line {
    #options;
    #isPlaced;
    #failingSince = null;
    #pollMs = POLL_MS;
    constructor(options) {
        this.#options = options;
        this.#isPlaced = options.wasPlaced;
    }
    /** How it ended, or the milliseconds after which to ask again. */
    async ask() {
        const { session, serverKey, request, signal, waits, endsAt, lookout, traces } = this.#options;
        const recall = lookout?.recall();
        const sentAt = performance.now();
        // One second more than wanted: our own deadline decides. But should nobody hear that we leave,
        // the server must not keep the place for long.
        const left = endsAt === null ? WAIT_S : Math.ceil((endsAt - sentAt) / 1_000) + 1;
        const wait = waits ? Math.max(1, Math.min(WAIT_S, left)) : 0;
        traces.mayHold = true;
        let answer;
        try {
            answer = await session.lock("acquire", serverKey, {
                ...(request.slots === 1 ? {} : { slots: request.slots }),
                ...(waits ? { wait } : {}),
                signal: recall === undefined ? signal : AbortSignal.any([signal, recall]),
                patience: wait * 1_000 + ANSWER_MS,
            });
        }
        catch (error) {
            if (signal.aborted)
                throw error;
            // The place is gone, as the lookout saw: it is asked for anew.
            if (recall?.aborted)
                return 0;
            // The server was there when it opened the session: it may be back.
            return this.#forgive(error, true);
        }
        try {
            return await this.#hear(answer, sentAt);
        }
        catch (error) {
            if (signal.aborted)
                throw error;
            const pause = await this.#forgive(error, waited(sentAt));
            return Math.max(answer.retryAfter ?? 0, pause);
        }
    }
    async #hear(answer, sentAt) {
        const { server, session, waits } = this.#options;
        const { status, body } = answer;
        if (status >= 400 && status < 500)
            this.#options.traces.mayHold = false;
        if (status === 200) {
            const turn = await grant(answer, sentAt, this.#options);
            if (turn === null)
                this.#failingSince = null;
            return turn ?? POLL_MS;
        }
        if (status === 423 && body !== null)
            return waits ? this.#wait(body, sentAt) : TIMEOUT;
        if (status === 401 && !session.isGiven && waits) {
            return { kind: "dropped", error: unreachable(server.address, "no longer knows this claim") };
        }
        throw await refusalOf(answer, this.#options);
    }
    #wait(body, sentAt) {
        const { server, request, lookout, onPlaced } = this.#options;
        const picture = pictureIn(body);
        this.#failingSince = null;
        if (picture.position === undefined) {
            refuseSlots(server, request);
            server.isOurs = false;
            lookout?.tell(picture);
            const pause = this.#pollMs;
            this.#pollMs = Math.min(pause * 1.5, POLL_LIMIT_MS);
            return pause;
        }
        this.#isPlaced = true;
        server.isOurs = true;
        onPlaced();
        return waited(sentAt) ? 0 : REJOIN_MS;
    }
    /** Whoever stood in line once does not fail for a server or a network that may come back. */
    async #forgive(error, stood) {
        const { server, waits, lookout } = this.#options;
        this.#isPlaced ||= stood || lookout?.isPlaced === true;
        this.#failingSince ??= performance.now();
        const isPatient = performance.now() - this.#failingSince < REJOIN_LIMIT_MS;
        const mayPass = (0,errors/* isLockError */.S)(error, "STORE_UNREACHABLE") || (0,errors/* isLockError */.S)(error, "STORE_FULL");
        if (!waits || !this.#isPlaced || !isPatient || !mayPass)
            throw error;
        lookout?.report(`${error.message.replace(/\.$/, "")}; asking again`);
        await server.dropIdle();
        return REJOIN_MS;
    }
}
const TIMEOUT = { kind: "timeout" };
/** An answer that took so long came from somebody who let us wait. */
function waited(sentAt) {
    return performance.now() - sentAt > AT_ONCE_MS;
}
/** Null: the server said so, but it is not true, or no longer. */
async function grant({ status, body, ...rest }, sentAt, options) {
    const { server, session, serverKey, leaseSeconds, signal } = options;
    if (body?.message === undefined) {
        throw speaksOtherwise(server.address, { status, body, ...rest }, server.secret);
    }
    const fence = numberIn(body, "fence");
    const lockedAt = numberIn(body, "lockedAt");
    let provenAt = sentAt;
    server.isOurs = fence !== null;
    if (fence === null) {
        if (!(await confirmOwn(options)))
            return null;
    }
    else if (performance.now() - sentAt > (leaseSeconds * 1_000) / 6) {
        // How long ago that was said is not known, if this process was stopped for a while, and the
        // session may be over by now. A refresh is proof.
        provenAt = performance.now();
        const proof = await session.lock("refresh", serverKey, { signal });
        if (proof.status !== 200 || numberIn(proof.body, "fence") !== fence)
            return null;
    }
    return {
        kind: "granted",
        session,
        provenAt,
        fence,
        slot: numberIn(body, "slot") ?? 0,
        since: new Date(lockedAt ?? Date.now()).toISOString(),
    };
}
async function refusalOf(answer, { server, session, serverKey, request, signal }) {
    if (answer.status !== 409)
        return server.refusal(answer);
    const { body } = await session.lock("status", serverKey, { signal });
    const present = numberIn(body, "slots");
    if (present !== null && present !== request.slots) {
        return (0,slots/* slotsMismatch */.qL)(request.key, request.slots, present);
    }
    return new errors/* LockError */.Ku("SLOTS_MISMATCH", `The lock server ${server.address.shown} remembers the key ${(0,lock_text/* quote */.hD)(request.key)} with another number of slots than ${request.slots}: use the same number, or wait until it has forgotten it.`);
}

;// CONCATENATED MODULE: ./build/stores/http/lookout.js


/** A claim that is granted at once needs no report. */
const FIRST_LOOK_MS = 25;
/** How often a waiting claim looks; the longer the line, the less often, to spare the server. */
const LOOK_MS = 1_000;
const LOOK_PER_WAITER_MS = 20;
const LOOK_LIMIT_MS = 15_000;
const lookout_ANSWER_MS = 5_000;
/** One failed look may be chance, and so may one in which a place just changed into a grant. */
const FAILURES_LIMIT = 2;
/**
 * Looks at the line while a claim stands in it: the claim's own request is busy waiting. It reports
 * the place, and notices a server that forgot the claim.
 */
class Lookout {
    #options;
    #session = null;
    #recall = new AbortController();
    #timer;
    #progress = { position: 1, waiting: 1, holders: [] };
    #isPlaced = false;
    #hasWarned = false;
    #failures = 0;
    #absences = 0;
    constructor(options) {
        this.#options = options;
    }
    /** The server has said that the claim stands in line. */
    get isPlaced() {
        return this.#isPlaced;
    }
    start(session) {
        this.#session = session;
        this.#isPlaced = false;
        this.#lookLater(FIRST_LOOK_MS);
    }
    stop() {
        this.#session = null;
        clearTimeout(this.#timer);
    }
    /** For one question: fires when the server has forgotten that it was asked. */
    recall() {
        if (this.#recall.signal.aborted)
            this.#recall = new AbortController();
        return this.#recall.signal;
    }
    /** Of a server without lines: whoever waits there does not know how many others do. */
    tell({ holders }) {
        this.#progress = { position: 1, waiting: 1, holders };
        this.#options.onProgress(this.#progress);
    }
    /** Says why waiting is unusual, with what was last known. */
    report(trouble) {
        this.#options.onProgress({ ...this.#progress, trouble });
    }
    /** Said once, however often it is true. */
    warn(trouble) {
        if (!this.#hasWarned)
            this.report(trouble);
        this.#hasWarned = true;
    }
    #lookLater(pause) {
        clearTimeout(this.#timer);
        if (this.#session !== null)
            this.#timer = setTimeout(() => void this.#look(), pause);
    }
    async #look() {
        const session = this.#session;
        if (session === null)
            return;
        const { server, serverKey } = this.#options;
        let pause = Math.max(LOOK_MS, this.#progress.waiting * LOOK_PER_WAITER_MS);
        try {
            const answer = await session.lock("status", serverKey, { patience: lookout_ANSWER_MS });
            if (this.#session !== session)
                return;
            if (answer.status === 401)
                this.#forgotten();
            else if (answer.status !== 200 || answer.body === null)
                throw server.refusal(answer);
            else {
                this.#failures = 0;
                // The question may not have arrived yet: soon again, then less and less soon.
                const isThere = this.#absorb(pictureIn(answer.body)) || this.#isPlaced;
                if (!isThere)
                    pause = Math.min(pause, FIRST_LOOK_MS * 2 ** this.#absences);
            }
        }
        catch (error) {
            if (this.#session !== session)
                return;
            this.#failures += 1;
            if (this.#failures >= FAILURES_LIMIT && (0,errors/* isLockError */.S)(error)) {
                this.report(error.message.replace(/\.$/, ""));
            }
        }
        this.#lookLater(Math.min(pause, LOOK_LIMIT_MS));
    }
    /** False: the claim has no place in what the server tells. */
    #absorb({ position, waiting, waiters, holders, isOwn }) {
        // The claim's own answers tell of a server without lines.
        if (position === undefined)
            return true;
        if (position === null) {
            this.#absences = isOwn ? 0 : this.#absences + 1;
            if (this.#isPlaced && this.#absences >= FAILURES_LIMIT)
                this.#forgotten();
            return false;
        }
        this.#absences = 0;
        this.#isPlaced = true;
        const ahead = waiters.slice(0, position - 1);
        this.#progress = { position, waiting: Math.max(position, waiting), holders, ahead };
        this.#options.onProgress(this.#progress);
        return true;
    }
    #forgotten() {
        this.#absences = 0;
        this.#recall.abort();
    }
}

;// CONCATENATED MODULE: ./build/stores/http/claim.js









/** A sentence about who is in the way is not worth a longer wait. */
const EXPLAIN_MS = 1_000;
/** Runs a claim from its session to the held lock, and into a new session where the first was lost. */
async function runClaim(request, options, context) {
    const { server, serverKey } = context;
    const { onProgress } = options;
    const timeout = options.timeout ?? null;
    const waits = timeout !== 0;
    const started = performance.now();
    const leaseSeconds = leaseSecondsOf(request);
    const deadline = new stores_deadline/* Deadline */.B(timeout, options.signal);
    const { signal } = deadline;
    const lookout = onProgress === undefined ? null : new Lookout({ server, serverKey, onProgress });
    let droppedAt = null;
    /** To be removed with the claim, until a holding has taken them over. */
    const traces = { session: null, mayHold: false };
    try {
        for (;;) {
            const turn = await takeTurn();
            if (signal.aborted)
                throw (0,sentences/* aborted */.QH)();
            if (turn.kind === "granted")
                return hold(turn);
            if (turn.kind === "timeout")
                break;
            droppedAt ??= performance.now();
            if (performance.now() - droppedAt > REJOIN_LIMIT_MS)
                throw turn.error;
            const why = turn.error.message.replace(/\.$/, "");
            lookout?.report(`the place in line was lost (${why}), joining it again`);
            await (0,promises_.setTimeout)(REJOIN_MS, undefined, { signal }).catch(() => { });
        }
    }
    catch (error) {
        if (!signal.aborted)
            throw error;
        if (!deadline.timedOut)
            throw (0,sentences/* aborted */.QH)();
    }
    finally {
        deadline.clear();
        lookout?.stop();
        if (traces.session !== null)
            await leave(traces.session);
    }
    throw (0,sentences/* notAcquired */.UG)(request.key, timeout ?? 0, await whoIsInTheWay());
    async function takeTurn() {
        traces.session = null;
        let session;
        try {
            session = await openSession(server, request, leaseSeconds, { signal });
        }
        catch (error) {
            // The first time it is the user's problem; later it is one that may pass.
            const mayPass = droppedAt !== null && (0,errors/* isLockError */.S)(error, "STORE_UNREACHABLE");
            if (signal.aborted || !mayPass)
                throw error;
            return { kind: "dropped", error };
        }
        if (session.isGiven)
            await refuseOwned(server, session, serverKey, signal);
        traces.session = session;
        if (waits)
            lookout?.start(session);
        return standInLine({
            server,
            session,
            serverKey,
            request,
            leaseSeconds,
            signal,
            traces,
            waits,
            endsAt: timeout === null ? null : started + timeout,
            lookout,
            wasPlaced: droppedAt !== null,
            onPlaced: () => {
                droppedAt = null;
            },
        });
    }
    function hold({ session, provenAt, fence, slot, since }) {
        const { key, owner, ttl } = request;
        traces.session = null;
        return new Hold({
            server,
            session,
            serverKey,
            lease: {
                key,
                store: context.store,
                owner: owner.id,
                fence,
                slot,
                since,
                ttl: ttl / 1_000,
                waited: Math.round(performance.now() - started),
                token: session.id,
            },
            leaseSeconds,
            provenAt,
            boundAt: request.refresh ? null : provenAt + ttl,
        });
    }
    /** A server that frees nothing with a session has to be told of the lock that it may have granted. */
    async function leave(left) {
        const patience = { patience: EXPLAIN_MS };
        if (server.isOurs !== true && traces.mayHold) {
            await left.lock("release", serverKey, patience).catch(() => { });
        }
        await left.end();
    }
    async function whoIsInTheWay() {
        try {
            const status = await context.inspect(EXPLAIN_MS);
            if (status.holders.length === 0)
                return "it was held until a moment ago";
            return (0,sentences/* describeHolders */.hX)(status, Date.now());
        }
        catch {
            return `the lock server ${server.address.shown} does not answer`;
        }
    }
}
/**
 * How long the server keeps a session, and its locks, that it does not hear of: the lease, or the
 * ttl where it is shorter, since the lock must not outlive its last refresh by more. A longer ttl
 * needs nothing from the server: the refreshes go on as long as the holder lives, or, where the ttl
 * is a hard bound, until its end.
 */
function leaseSecondsOf({ lease, ttl }) {
    return Math.max(1, Math.min(LIFE_LIMIT_S, Math.ceil(Math.min(lease, ttl) / 1_000)));
}

;// CONCATENATED MODULE: ./build/stores/http/index.js












function openHttpStore(store, options) {
    return new HttpStore(parseAddress(store), options);
}
/** A server of the file-locking API: ours, or one of the protocol's authors, with less to promise. */
class HttpStore {
    url;
    #server;
    constructor(address, options) {
        this.url = address.shown;
        this.#server = new LockServer(address, options);
    }
    /** All of them, until the server has turned out to be one without lines: nobody is asked before. */
    get promises() {
        const isOurs = this.#server.isOurs !== false;
        return { fair: isOurs, fenced: isOurs, push: isOurs, scope: "network" };
    }
    async claim(request, options = {}) {
        const checked = (0,stores_request/* checkRequest */.yG)(request);
        (0,stores_request/* checkTimeout */.eN)(options.timeout);
        const { key } = checked;
        const serverKey = this.#serverKey(key);
        return runClaim(checked, options, {
            server: this.#server,
            store: this.url,
            serverKey,
            inspect: (patience) => inspectKey(this.#place, key, serverKey, patience),
        });
    }
    async inspect(key) {
        return inspectKey(this.#place, (0,lock_key/* parseKey */.Do)(key), this.#serverKey(key));
    }
    async list(options = {}) {
        return listKeys(this.#place, options.all === true);
    }
    async break(key, options) {
        const serverKey = this.#serverKey((0,lock_key/* parseKey */.Do)(key));
        if (options.slot !== undefined)
            (0,slots/* checkSlot */.z0)(options.slot);
        const broken = await breakKey(this.#server, serverKey, options);
        if (broken !== null)
            return { broken };
        const { holders } = await this.inspect(key);
        if (holders.length === 0)
            return { broken: [] };
        const owners = holders.map(({ owner }) => owner).join(", ");
        throw new errors/* LockError */.Ku("NOT_SUPPORTED", `The lock ${(0,lock_text/* quote */.hD)(key)} at ${this.url} cannot be broken, since that server has no /admin: end its holder ${owners}, or wait until its lock runs out.`);
    }
    /** The holds of a key that are over, newest first, as far as the server remembers them. */
    async history(key, { limit }) {
        return historyOf(this.#server, this.#serverKey((0,lock_key/* parseKey */.Do)(key)), limit);
    }
    /** By the fence, as everybody sees it; without one, or without the right to look, by the session. */
    async verify(lease) {
        const { key, fence, token } = lease;
        const serverKey = this.#serverKey((0,lock_key/* parseKey */.Do)(key));
        const bySession = () => isHeldBy(this.#server, this.#session(token), serverKey, fence);
        if (fence === null) {
            if (token !== undefined)
                return bySession();
            throw new errors/* LockError */.Ku("NOT_SUPPORTED", `The lock server ${this.url} gives no fencing numbers: verify with the lease file.`);
        }
        try {
            const { holders } = await inspectKey(this.#place, key, serverKey);
            return holders.some((holder) => holder.fence === fence);
        }
        catch (error) {
            if (token === undefined || !(0,errors/* isLockError */.S)(error, "STORE_DENIED"))
                throw error;
            return bySession();
        }
    }
    async release(lease) {
        const serverKey = this.#serverKey((0,lock_key/* parseKey */.Do)(lease.key));
        return letGo({ server: this.#server, session: this.#session(lease.token), serverKey });
    }
    /** Holdings go on: their next refresh opens a connection where it needs one. */
    async close() {
        await this.#server.dropIdle();
    }
    get #place() {
        return { server: this.#server, store: this.url };
    }
    #serverKey(key) {
        return serverKeyOf(this.#server.address.base, key);
    }
    /** The session of a lease. One that the user gave as the token is not ours to end. */
    #session(id) {
        return new Session(this.#server, id, id === this.#server.secret);
    }
}


/***/ }),

/***/ 3459:
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

/***/ 5031:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   eN: () => (/* binding */ checkTimeout),
/* harmony export */   yG: () => (/* binding */ checkRequest)
/* harmony export */ });
/* unused harmony exports DEFAULT_LEASE_MS, LEASE_MIN_MS */
/* harmony import */ var _lock_duration_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(739);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1600);
/* harmony import */ var _lock_key_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2816);
/* harmony import */ var _lock_owner_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(5208);
/* harmony import */ var _lock_reclaim_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(6772);
/* harmony import */ var _lock_slots_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(4242);
/* harmony import */ var _lock_ttl_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(8359);







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

/***/ 1156:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   QH: () => (/* binding */ aborted),
/* harmony export */   UG: () => (/* binding */ notAcquired),
/* harmony export */   hX: () => (/* binding */ describeHolders)
/* harmony export */ });
/* harmony import */ var _lock_describe_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6854);
/* harmony import */ var _lock_duration_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(739);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1600);



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

/***/ 8147:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   b: () => (/* binding */ socketTrouble)
/* harmony export */ });
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);

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
