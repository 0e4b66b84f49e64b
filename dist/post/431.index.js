export const id = 431;
export const ids = [431];
export const modules = {

/***/ 431:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  remember: () => (/* binding */ remember)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(24);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(161);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(760);
;// CONCATENATED MODULE: ./build/ci/here.js



/** The control group of a container names its engine; that of a service called docker does not. */
const CONTAINER_GROUP = /\/(?:docker|lxc)\/|(?:docker|libpod|crio|cri-containerd)-[0-9a-f]{12}|kubepods|lxc\.payload/;
function here() {
    return {
        env: process.env,
        pid: process.pid,
        hostname: (0,external_node_os_.hostname)(),
        user: userName(process.env),
        isContainer: isContainer(process.env),
    };
}
/** In a container the user id often has no entry in the password file, and then the system throws. */
function userName(env) {
    try {
        return (0,external_node_os_.userInfo)().username;
    }
    catch {
        const uid = process.getuid?.();
        return env.USER || env.LOGNAME || env.USERNAME || (uid === undefined ? "" : `uid-${uid}`);
    }
}
/** `root` is where the filesystem begins; tests name another. */
function isContainer(env, root = "/") {
    if (env.container || env.KUBERNETES_SERVICE_HOST)
        return true;
    if ((0,external_node_fs_.existsSync)((0,external_node_path_.join)(root, ".dockerenv")) || (0,external_node_fs_.existsSync)((0,external_node_path_.join)(root, "run/.containerenv")))
        return true;
    return ["proc/1/cgroup", "proc/self/cgroup"].some((file) => CONTAINER_GROUP.test(contentOf((0,external_node_path_.join)(root, file))));
}
function contentOf(path) {
    try {
        return (0,external_node_fs_.readFileSync)(path, "utf8");
    }
    catch {
        return "";
    }
}

// EXTERNAL MODULE: ./build/lock/owner.js
var owner = __webpack_require__(208);
;// CONCATENATED MODULE: ./build/ci/detector.js
function isOn(value) {
    return value !== undefined && !/^(?:false|0|no|off)$/i.test(value);
}
/** Systems that count retries start at 0; an attempt is counted from 1. */
function attemptAfter(retries) {
    return retries !== undefined && /^\d{1,9}$/.test(retries)
        ? String(Number(retries) + 1)
        : undefined;
}
/** Without the braces of a UUID. */
function bare(uuid) {
    return uuid?.replace(/^\{(.+)\}$/, "$1");
}
/** Joined with slashes, or undefined where a part is missing. */
function path(...parts) {
    if (parts.some((part) => part === undefined))
        return undefined;
    return parts.map((part) => part?.replace(/\/$/, "")).join("/");
}

// EXTERNAL MODULE: ./build/lock/digest.js
var lock_digest = __webpack_require__(675);
// EXTERNAL MODULE: ./build/lock/text.js
var lock_text = __webpack_require__(352);
;// CONCATENATED MODULE: ./build/ci/text.js


/** Names, branches and users: what people write on one line. */
const TEXT_BYTES_LIMIT = 256;
/** As much as the metadata takes. */
const URL_BYTES_LIMIT = 1_000;
const DIGEST_DIGITS = 12;
/**
 * One line of well-formed text, or undefined where nothing is left. A branch or job name comes from
 * strangers: it must not be able to forge a line of a lock file or of a log.
 */
function clean(text) {
    if (text === undefined)
        return undefined;
    const line = (0,lock_text/* cleanText */.X5)(text.toWellFormed()).replace(/\s+/g, " ").trim();
    return line === "" ? undefined : line;
}
/** Cuts long text, with a digest of the whole in place of the rest: two that differ stay different. */
function shorten(text, bytes) {
    if ((0,lock_text/* byteLength */.dp)(text) <= bytes)
        return text;
    const digest = (0,lock_digest/* sha256 */.s)(text).slice(0, DIGEST_DIGITS);
    return `${(0,lock_text/* cutToBytes */.zP)(text, bytes - DIGEST_DIGITS - 1)}~${digest}`;
}
/** An address that may be shown: http or https, without credentials. A cut one would lead nowhere. */
function webUrl(text) {
    const url = text === undefined ? null : URL.parse(text);
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
        return undefined;
    url.username = "";
    url.password = "";
    return (0,lock_text/* byteLength */.dp)(url.href) <= URL_BYTES_LIMIT ? url.href : undefined;
}
/** `owner/name` of a clone URL. The rest may hold a token and is not carried along. */
function repositoryOf(cloneUrl) {
    const address = cloneUrl?.split(/[?#]/, 1)[0] ?? "";
    const path = address.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*\/|^[^/:]+:/i, "");
    return path === address ? undefined : clean(path.replace(/\.git\/?$/, ""));
}

;// CONCATENATED MODULE: ./build/ci/hosted.js


/** The environment does not tell the legs of a matrix apart: the caller has to. */
const github = (env) => {
    if (!isOn(env("GITHUB_ACTIONS")))
        return null;
    const attempt = env("GITHUB_RUN_ATTEMPT") ?? "1";
    return {
        system: "github",
        run: [env("GITHUB_RUN_ID"), attempt, env("GITHUB_JOB")],
        run_id: env("GITHUB_RUN_ID"),
        run_attempt: attempt,
        job: env("GITHUB_JOB"),
        workflow: env("GITHUB_WORKFLOW"),
        repository: env("GITHUB_REPOSITORY"),
        ref: env("GITHUB_REF"),
        sha: env("GITHUB_SHA"),
        // Who pressed re-run is who can be asked; GITHUB_ACTOR stays the one who started the first attempt.
        actor: env("GITHUB_TRIGGERING_ACTOR") ?? env("GITHUB_ACTOR"),
        run_url: path(env("GITHUB_SERVER_URL"), env("GITHUB_REPOSITORY"), "actions/runs", env("GITHUB_RUN_ID")),
    };
};
/** The job's id is new for a retry and for each leg of `parallel`, whose name the job's name carries. */
const gitlab = (env) => {
    if (!isOn(env("GITLAB_CI")))
        return null;
    return {
        system: "gitlab",
        run: [env("CI_PIPELINE_ID"), env("CI_JOB_ID")],
        within: [env("CI_JOB_NAME")],
        run_id: env("CI_PIPELINE_ID"),
        run_attempt: attemptAfter(env("CI_JOB_RETRY_COUNT")),
        job: env("CI_JOB_NAME"),
        workflow: env("CI_PIPELINE_NAME"),
        repository: env("CI_PROJECT_PATH"),
        ref: env("CI_COMMIT_REF_NAME"),
        sha: env("CI_COMMIT_SHA"),
        actor: env("GITLAB_USER_LOGIN"),
        run_url: env("CI_JOB_URL") ?? env("CI_PIPELINE_URL"),
    };
};
/** A re-run is a new workflow with new job numbers; only parallel runs share both. */
const circleci = (env) => {
    if (!isOn(env("CIRCLECI")))
        return null;
    return {
        system: "circleci",
        run: [env("CIRCLE_WORKFLOW_ID"), env("CIRCLE_BUILD_NUM")],
        within: [env("CIRCLE_JOB"), env("CIRCLE_NODE_INDEX")],
        run_id: env("CIRCLE_WORKFLOW_ID"),
        job: env("CIRCLE_JOB"),
        repository: path(env("CIRCLE_PROJECT_USERNAME"), env("CIRCLE_PROJECT_REPONAME")),
        ref: env("CIRCLE_TAG") ?? env("CIRCLE_BRANCH"),
        sha: env("CIRCLE_SHA1"),
        actor: env("CIRCLE_USERNAME"),
        run_url: env("CIRCLE_BUILD_URL"),
    };
};
/** A retried job is a new job with an id of its own, and so is each parallel one. */
const buildkite = (env) => {
    if (!isOn(env("BUILDKITE")))
        return null;
    const attempt = attemptAfter(env("BUILDKITE_RETRY_COUNT")) ?? "1";
    return {
        system: "buildkite",
        run: [
            env("BUILDKITE_PIPELINE_SLUG"),
            env("BUILDKITE_BUILD_NUMBER"),
            attempt,
            env("BUILDKITE_JOB_ID"),
        ],
        run_id: env("BUILDKITE_BUILD_NUMBER"),
        run_attempt: attempt,
        job: env("BUILDKITE_STEP_KEY") ?? env("BUILDKITE_LABEL"),
        workflow: env("BUILDKITE_PIPELINE_SLUG"),
        repository: repositoryOf(env("BUILDKITE_REPO")),
        ref: env("BUILDKITE_TAG") ?? env("BUILDKITE_BRANCH"),
        sha: env("BUILDKITE_COMMIT"),
        actor: env("BUILDKITE_BUILD_CREATOR"),
        run_url: env("BUILDKITE_BUILD_URL"),
    };
};
/**
 * A classic release carries the build number of what it deploys: two releases of one build must not
 * be taken for one. Asked before `azure`.
 */
const azureRelease = (env) => {
    if (!isOn(env("TF_BUILD")) || env("RELEASE_RELEASEID") === undefined)
        return null;
    return {
        system: "azure",
        run: [
            "release",
            env("RELEASE_RELEASEID"),
            env("RELEASE_ATTEMPTNUMBER"),
            env("RELEASE_DEPLOYMENTID"),
        ],
        within: [
            env("RELEASE_ENVIRONMENTNAME"),
            env("AGENT_JOBNAME"),
            env("SYSTEM_JOBPOSITIONINPHASE"),
        ],
        run_id: env("RELEASE_RELEASEID"),
        run_attempt: env("RELEASE_ATTEMPTNUMBER"),
        job: env("RELEASE_ENVIRONMENTNAME"),
        workflow: env("RELEASE_DEFINITIONNAME"),
        repository: env("BUILD_REPOSITORY_NAME"),
        ref: env("BUILD_SOURCEBRANCH"),
        sha: env("BUILD_SOURCEVERSION"),
        actor: env("RELEASE_DEPLOYMENT_REQUESTEDFOR") ?? env("RELEASE_REQUESTEDFOR"),
        run_url: env("RELEASE_RELEASEWEBURL"),
    };
};
/** SYSTEM_JOBID is no help: it is the same in every run of a pipeline. */
const azure = (env) => {
    if (!isOn(env("TF_BUILD")))
        return null;
    const build = env("BUILD_BUILDID");
    const project = env("SYSTEM_TEAMPROJECT");
    const names = [env("SYSTEM_STAGENAME"), env("SYSTEM_PHASENAME"), env("SYSTEM_JOBNAME")];
    return {
        system: "azure",
        run: [build, env("SYSTEM_STAGEATTEMPT") ?? "1", env("SYSTEM_JOBATTEMPT") ?? "1"],
        within: [...names.filter((name) => name !== "__default"), env("SYSTEM_JOBPOSITIONINPHASE")],
        run_id: build,
        run_attempt: env("SYSTEM_JOBATTEMPT") ?? env("SYSTEM_STAGEATTEMPT"),
        job: env("SYSTEM_JOBDISPLAYNAME") ?? env("AGENT_JOBNAME"),
        workflow: env("BUILD_DEFINITIONNAME"),
        repository: env("BUILD_REPOSITORY_NAME"),
        ref: env("BUILD_SOURCEBRANCH"),
        sha: env("BUILD_SOURCEVERSION"),
        actor: env("BUILD_REQUESTEDFOR"),
        run_url: path(env("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI"), project && encodeURIComponent(project), build && `_build/results?buildId=${encodeURIComponent(build)}`),
    };
};
/** A re-run of failed steps keeps the build number and counts the step's runs. Numbers are per repository. */
const bitbucket = (env) => {
    const build = env("BITBUCKET_BUILD_NUMBER");
    const repository = env("BITBUCKET_REPO_FULL_NAME");
    if (build === undefined)
        return null;
    return {
        system: "bitbucket",
        run: [
            repository,
            build,
            env("BITBUCKET_STEP_RUN_NUMBER") ?? "1",
            bare(env("BITBUCKET_STEP_UUID")),
        ],
        within: [env("BITBUCKET_PARALLEL_STEP")],
        run_id: build,
        run_attempt: env("BITBUCKET_STEP_RUN_NUMBER"),
        repository,
        ref: env("BITBUCKET_BRANCH") ?? env("BITBUCKET_TAG"),
        sha: env("BITBUCKET_COMMIT"),
        actor: bare(env("BITBUCKET_STEP_TRIGGERER_UUID")),
        run_url: path("https://bitbucket.org", repository, "pipelines/results", build),
    };
};
/** A restarted job keeps all of its variables; but it gets a new machine. */
const travis = (env, hostname) => {
    if (!isOn(env("TRAVIS")))
        return null;
    return {
        system: "travis",
        run: [env("TRAVIS_BUILD_ID"), env("TRAVIS_JOB_ID"), hostname],
        run_id: env("TRAVIS_BUILD_ID"),
        job: env("TRAVIS_JOB_NAME") ?? env("TRAVIS_JOB_NUMBER"),
        repository: env("TRAVIS_REPO_SLUG"),
        ref: env("TRAVIS_TAG") ?? env("TRAVIS_BRANCH"),
        sha: env("TRAVIS_COMMIT"),
        run_url: env("TRAVIS_JOB_WEB_URL") ?? env("TRAVIS_BUILD_WEB_URL"),
    };
};

;// CONCATENATED MODULE: ./build/ci/self-hosted.js


/**
 * A restart is a new pipeline. The legs of a matrix are workflows of one name and several numbers;
 * steps may run side by side. Sets Drone's variables too: asked before `drone`.
 */
const woodpecker = (env) => {
    if (env("CI") !== "woodpecker" && env("CI_SYSTEM_NAME") !== "woodpecker")
        return null;
    // Some servers give every pipeline the number 0.
    const number = env("CI_PIPELINE_NUMBER") === "0" ? undefined : env("CI_PIPELINE_NUMBER");
    return {
        system: "woodpecker",
        run: [env("CI_REPO"), number],
        within: [env("CI_WORKFLOW_NUMBER"), env("CI_WORKFLOW_NAME"), env("CI_STEP_NAME")],
        run_id: number,
        job: env("CI_STEP_NAME"),
        workflow: env("CI_WORKFLOW_NAME"),
        repository: env("CI_REPO"),
        ref: env("CI_COMMIT_REF"),
        sha: env("CI_COMMIT_SHA"),
        actor: env("CI_PIPELINE_AUTHOR") ?? env("CI_COMMIT_AUTHOR"),
        run_url: env("CI_PIPELINE_URL"),
    };
};
/** A restart is a new build; a matrix is written as several stages; steps may run side by side. */
const drone = (env) => {
    if (!isOn(env("DRONE")))
        return null;
    const trigger = env("DRONE_BUILD_TRIGGER");
    return {
        system: "drone",
        run: [
            env("DRONE_REPO"),
            env("DRONE_BUILD_NUMBER"),
            env("DRONE_STAGE_NUMBER"),
            env("DRONE_STEP_NUMBER"),
        ],
        within: [env("DRONE_STAGE_NAME"), env("DRONE_STEP_NAME")],
        run_id: env("DRONE_BUILD_NUMBER"),
        job: env("DRONE_STEP_NAME"),
        workflow: env("DRONE_STAGE_NAME"),
        repository: env("DRONE_REPO"),
        ref: env("DRONE_COMMIT_REF"),
        sha: env("DRONE_COMMIT_SHA"),
        actor: trigger?.startsWith("@") === false ? trigger : env("DRONE_COMMIT_AUTHOR"),
        run_url: env("DRONE_BUILD_LINK"),
    };
};
/**
 * A re-run is a new build, and parallel builds are configurations of their own. The build number is
 * free text that may come again; the unique id is only in the address, where the server tells that.
 */
const teamcity = (env) => {
    if (env("TEAMCITY_VERSION") === undefined)
        return null;
    const [, query, segment] = /buildId=(\d+)|\/(\d+)(?:[/?#]|$)/.exec(env("BUILD_URL") ?? "") ?? [];
    return {
        system: "teamcity",
        run: [env("TEAMCITY_PROJECT_NAME"), env("TEAMCITY_BUILDCONF_NAME"), env("BUILD_NUMBER")],
        within: [query ?? segment],
        run_id: env("BUILD_NUMBER"),
        job: env("TEAMCITY_BUILDCONF_NAME"),
        workflow: env("TEAMCITY_PROJECT_NAME"),
        sha: env("BUILD_VCS_NUMBER"),
        run_url: env("BUILD_URL"),
    };
};
/**
 * A re-run is a new build. Parallel stages and matrix cells have stage names of their own; branches
 * of a scripted pipeline may have none, but hold different executors.
 */
const jenkins = (env) => {
    // JENKINS_URL alone is also set by those who only talk to a Jenkins.
    if (env("BUILD_NUMBER") === undefined)
        return null;
    if (env("JENKINS_URL") === undefined && !env("BUILD_TAG")?.startsWith("jenkins-"))
        return null;
    return {
        system: "jenkins",
        run: [env("JOB_NAME"), env("BUILD_NUMBER")],
        within: [env("STAGE_NAME"), env("NODE_NAME"), env("EXECUTOR_NUMBER")],
        run_id: env("BUILD_NUMBER"),
        job: env("STAGE_NAME") ?? env("JOB_NAME"),
        workflow: env("JOB_NAME"),
        repository: repositoryOf(env("GIT_URL")),
        ref: env("BRANCH_NAME") ?? env("GIT_BRANCH"),
        sha: env("GIT_COMMIT"),
        actor: env("BUILD_USER_ID"),
        run_url: env("BUILD_URL"),
    };
};

;// CONCATENATED MODULE: ./build/ci/systems.js



/** The lock policy's own variables, for every system that is not in the table. */
const generic = (env) => {
    const system = env("CI_SYSTEM");
    const run_id = env("CI_RUN_ID");
    if (system === undefined && run_id === undefined && !isOn(env("CI")))
        return null;
    return { system: system ?? "unknown-ci", run: [run_id], run_id };
};
/** Asked in this order. CI=true and the generic variables are set on top of a system's own: last. */
const DETECTORS = [
    github,
    gitlab,
    circleci,
    buildkite,
    azureRelease,
    azure,
    bitbucket,
    travis,
    woodpecker,
    drone,
    teamcity,
    jenkins,
    generic,
];
function detect(env, hostname) {
    for (const detector of DETECTORS) {
        const run = detector(env, hostname);
        if (run !== null)
            return run;
    }
    return null;
}

;// CONCATENATED MODULE: ./build/ci/identify.js



const UNKNOWN = "unknown";
/** Bounds the work on a single variable, which can be 128 kB long. */
const VARIABLE_BYTES_LIMIT = 4_096;
function identify(surroundings, overrides = {}) {
    const { pid } = surroundings;
    const env = reader(surroundings.env);
    const hostname = bounded(surroundings.hostname) ?? UNKNOWN;
    const run = detect(env, hostname);
    const user = firstOf(overrides.user, env("HOLDFAST_USER"), run?.actor, surroundings.user);
    const environment = overrides.environment ?? (run ? "ci" : surroundings.isContainer ? "container" : "local");
    const purpose = overrides.purpose ?? (run ? "automated" : "interactive");
    const session = run ? undefined : env("HOLDFAST_SESSION");
    const ownId = () => {
        if (run)
            return ciId(run, `${pid}@${hostname}`, bounded(overrides.leg));
        const token = surroundings.env.HOLDFAST_SESSION_TOKEN;
        if (environment === "cloud" && token)
            return (0,owner/* tokenOwnerId */.Ko)(token);
        if (session !== undefined)
            return (0,owner/* sessionOwnerId */.$m)(user ?? UNKNOWN, session);
        return (0,owner/* localOwnerId */.so)(pid, hostname);
    };
    const id = (0,owner/* parseOwnerId */.Eo)(overrides.owner ?? shorten(ownId(), owner/* OWNER_BYTES_LIMIT */.CG));
    const metadata = plain({
        ...(run ? ciMetadata(run) : {}),
        hostname,
        process_id: pid,
        // Left out where nobody knows it: two unknown users are not the same user.
        user_identity: user,
        session_id: session,
        environment,
        purpose,
    });
    return {
        system: run ? shorten(run.system, TEXT_BYTES_LIMIT) : null,
        owner: { id, metadata },
        environment,
        purpose,
        user: user ?? UNKNOWN,
    };
}
/** On such a runner a file store locks nobody out: each job has a machine of its own. */
function isGithubHosted(env) {
    return env.RUNNER_ENVIRONMENT === "github-hosted";
}
function ciId(run, process, leg) {
    const parts = [...run.run, ...(run.within ?? [])];
    if (run.run.includes(undefined))
        parts.push(process);
    return (0,owner/* ciOwnerId */.Hn)(run.system, ...parts, leg);
}
function ciMetadata(run) {
    const { system, run: _run, within: _within, run_url, ...about } = run;
    return { ci_system: system, ...about, run_url: webUrl(run_url) };
}
/** Without what is not known, and with every text short enough. An address is as long as it is. */
function plain(fields) {
    const metadata = {};
    for (const [field, value] of Object.entries(fields)) {
        if (value === undefined)
            continue;
        const isName = typeof value === "string" && field !== "run_url";
        metadata[field] = isName ? shorten(value, TEXT_BYTES_LIMIT) : value;
    }
    return (0,owner/* checkMetadata */.sI)(metadata);
}
function reader(env) {
    return (name) => bounded(env[name]);
}
function bounded(text) {
    const line = clean(text);
    return line === undefined ? undefined : shorten(line, VARIABLE_BYTES_LIMIT);
}
function firstOf(...users) {
    for (const user of users) {
        const name = clean(user);
        if (name !== undefined)
            return shorten(name, TEXT_BYTES_LIMIT);
    }
    return undefined;
}

;// CONCATENATED MODULE: ./build/ci/index.js



// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(421);
// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(600);
;// CONCATENATED MODULE: ./build/keeper/entry.js



/** The keeper's program, beside the one that runs: in dist/ as bundles, in the sources as modules. */
function keeperEntry(program) {
    return besides(program, [join("keeper", "index.js"), join("keeper", "main.ts")]);
}
/** The CLI's program, likewise. */
function cliEntry(program) {
    return besides(program, [join("cli", "index.js"), join("cli", "main.ts")]);
}
/** The program that talks to the Actions cache, likewise. */
function cacheEntry(program) {
    return besides(program, [(0,external_node_path_.join)("cache", "index.js"), (0,external_node_path_.join)("action", "cache.ts")]);
}
function besides(program, candidates) {
    // A command in a PATH is often a link to the real one.
    const folder = (0,external_node_path_.dirname)((0,external_node_path_.dirname)((0,external_node_fs_.realpathSync)(program)));
    const found = candidates.map((name) => (0,external_node_path_.join)(folder, name)).find((path) => (0,external_node_fs_.existsSync)(path));
    if (found !== undefined)
        return found;
    throw new errors/* LockError */.Ku("INTERNAL", `The program ${candidates[0]} is missing in ${folder}: is the installation complete?`);
}

// EXTERNAL MODULE: ./build/keeper/lines.js
var lines = __webpack_require__(185);
// EXTERNAL MODULE: ./build/stores/file/random.js
var random = __webpack_require__(870);
// EXTERNAL MODULE: ./build/lock/history.js
var lock_history = __webpack_require__(171);
;// CONCATENATED MODULE: ./build/action/memory.js


/** Another number is another format: such entries are not looked for, and not read. */
const VERSION = 1;
/** The file's name in an entry. Part of what the service compares, so it never changes. */
const MEMORY_FILE = "holdfast-history.json";
/** What all entries of a key begin with: the newest one of these is restored. */
function entryPrefix(key, store) {
    return `holdfast-history-${VERSION}-${(0,lock_digest/* sha256 */.s)(JSON.stringify([store, key])).slice(0, 24)}-`;
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
        this.#child ??= startProgram(cacheEntry(program), this.#directory, env, this.#debug);
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

;// CONCATENATED MODULE: ./build/action/remember.js


/** Adds this job's hold, which has just ended, to the memory in the cache. Resolves to the holds before. */
async function remember(stage, state, outcome, now) {
    const { inputs, owner, store } = state;
    const { since, waited, fence } = outcome;
    const { metadata } = identify({ ...here(), env: stage.env }).owner;
    const held = Math.max(0, now - Date.parse(since));
    const hold = { owner, since, waited, held, fence, slot: 0, end: "released", metadata };
    const memory = new Recall(stage, inputs.key, store);
    try {
        return await memory.add(hold);
    }
    finally {
        memory.end();
    }
}


/***/ })

};
