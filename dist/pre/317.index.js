export const id = 317;
export const ids = [317];
export const modules = {

/***/ 317:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  takeLock: () => (/* binding */ takeLock)
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



// EXTERNAL MODULE: ./build/keeper/entry.js
var keeper_entry = __webpack_require__(150);
// EXTERNAL MODULE: ./build/keeper/lease-directory.js
var lease_directory = __webpack_require__(838);
// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(600);
// EXTERNAL MODULE: ./build/stores/file/processes.js
var processes = __webpack_require__(980);
// EXTERNAL MODULE: ./build/keeper/lease-file.js
var lease_file = __webpack_require__(79);
// EXTERNAL MODULE: ./build/stores/file/random.js
var random = __webpack_require__(870);
;// CONCATENATED MODULE: ./build/keeper/socket.js





/** Unix sockets' paths have room for 107 bytes; what does not fit goes to a short private directory. */
const PATH_BYTES_LIMIT = 100;
/** Its name there. */
const SHORT_NAME = "s";
/** Loaded when first needed: a stage that only verifies asks the store, not the keeper. */
function net() {
    return process.getBuiltinModule("node:net");
}
/** Answers one JSON line with one JSON line, to this user alone. */
async function serveSocket(leaseFile, answer) {
    const place = socketPlace(leaseFile);
    const server = net().createServer((connection) => {
        connection.on("error", () => connection.destroy());
        const onLine = (line) => {
            const request = parseLine(line);
            if (request === null)
                return void connection.destroy();
            answer(request).then((reply) => connection.end(`${JSON.stringify(reply)}\n`), (error) => connection.end(`${JSON.stringify({ error: String(error) })}\n`));
        };
        readLines(connection, onLine, () => { });
    });
    await new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(place.path, resolve);
    });
    if (process.platform !== "win32")
        chmodSync(place.path, 0o600);
    return {
        path: place.path,
        close: () => {
            server.close();
            if (place.directory !== null)
                rmSync(place.directory, { recursive: true, force: true });
        },
    };
}
function socketPlace(leaseFile) {
    if (process.platform === "win32")
        return { path: `\\\\.\\pipe\\holdfast-${randomHex(16)}`, directory: null };
    const beside = join(dirname(leaseFile), `${randomHex(6)}.sock`);
    if (Buffer.byteLength(beside) <= PATH_BYTES_LIMIT)
        return { path: beside, directory: null };
    const directory = mkdtempSync("/tmp/holdfast-");
    return { path: join(directory, SHORT_NAME), directory };
}
/** For a keeper that was killed and could not do it itself. */
function socket_removeSocket(path) {
    if (process.platform === "win32")
        return;
    rmSync(path, { force: true });
    if (basename(path) !== SHORT_NAME)
        return;
    try {
        // Never with what may be in it: the path is only what a file says.
        rmdirSync(dirname(path));
    }
    catch {
        // Gone already, or somebody else's.
    }
}
/** Asks a keeper. Throws KEEPER_GONE where nobody answers in time. */
function askSocket(path, request, timeout) {
    return new Promise((resolve, reject) => {
        const connection = net().connect(path);
        const fail = (why) => {
            clearTimeout(timer);
            connection.destroy();
            reject(new LockError("KEEPER_GONE", `The keeper does not answer (${why}).`));
        };
        const timer = setTimeout(() => fail(`waited ${Math.round(timeout / 1_000)} s`), timeout);
        connection.on("error", (error) => fail(error.message));
        connection.on("connect", () => connection.write(`${JSON.stringify(request)}\n`));
        let answered = false;
        const onLine = (line) => {
            const reply = parseLine(line);
            if (reply === null || answered)
                return;
            answered = true;
            clearTimeout(timer);
            connection.destroy();
            resolve(reply);
        };
        readLines(connection, onLine, () => {
            if (!answered)
                fail("it closed the connection");
        });
    });
}

;// CONCATENATED MODULE: ./build/keeper/leases.js




/** A second claim of the same key in the same job would wait for the first one, which ends with the job. */
function refuseTwice(directory, key, store) {
    for (const { lease } of (0,lease_file/* leasesIn */.pE)(directory)) {
        if (isKept(lease) && lease.key === key && lease.store === store) {
            throw new errors/* LockError */.Ku("ALREADY_HELD", `This job already holds ${JSON.stringify(key)} in ${store}: a second claim would wait for itself. Take a key once in a job.`);
        }
    }
}
function isKept(lease) {
    return (lease.state === "held" &&
        (0,processes/* openProcesses */.I)({ sharedFilesystem: false }).alive(lease.keeper) !== false);
}
/** Removes leases that nobody will ask about any more: keeper and watched process have both ended. */
function sweepLeases(directory) {
    const processes = openProcesses({ sharedFilesystem: false });
    for (const { path, lease } of leasesIn(directory)) {
        const watcherGone = lease.watched === null || processes.alive(lease.watched) === false;
        if (!watcherGone || processes.alive(lease.keeper) !== false)
            continue;
        removeLeaseFile(path);
        removeSocket(lease.socket);
    }
}
/**
 * The lease of a key among those of this user and, in CI, of this job: the newest that is still kept,
 * else the newest.
 */
function findLease(directory, key, store, job) {
    const found = leasesIn(directory)
        .filter(({ lease }) => lease.key === key && lease.store === store)
        .filter(({ lease }) => job === null || lease.job === null || lease.job === job)
        .sort((a, b) => Number(isKept(b.lease)) - Number(isKept(a.lease)) ||
        Date.parse(b.lease.since) - Date.parse(a.lease.since));
    return found[0] ?? null;
}

// EXTERNAL MODULE: ./build/keeper/start.js + 1 modules
var start = __webpack_require__(988);
// EXTERNAL MODULE: ./build/lock/duration.js
var duration = __webpack_require__(739);
;// CONCATENATED MODULE: ./build/stores/open.js


/** What the environment says about how to use a store, the same for the CLI and the action. */
function environmentOptions(env) {
    return {
        ...(env.HOLDFAST_FSYNC === "off" ? { fsync: false } : {}),
        ...(env.HOLDFAST_TOKEN ? { token: env.HOLDFAST_TOKEN } : {}),
        ...(env.HOLDFAST_CA_FILE ? { caFile: env.HOLDFAST_CA_FILE } : {}),
    };
}
/** A store's code is loaded when its scheme is first used: an action pays only for what it needs. */
const FACTORIES = {
    file: async (store, options) => (await __webpack_require__.e(/* import() */ 330).then(__webpack_require__.bind(__webpack_require__, 330))).openFileStore(store, options),
    tcp: openTcp,
    tls: openTcp,
    http: openHttp,
    https: openHttp,
};
async function openTcp(store, options) {
    return (await __webpack_require__.e(/* import() */ 794).then(__webpack_require__.bind(__webpack_require__, 794))).openTcpStore(store, options);
}
async function openHttp(store, options) {
    return (await __webpack_require__.e(/* import() */ 937).then(__webpack_require__.bind(__webpack_require__, 937))).openHttpStore(store, options);
}
const SCHEMES = Object.keys(FACTORIES);
/** Opens a store by URL or path. Nothing is created, and nobody is connected to, before the first claim. */
async function openStore(store = "file:", options = {}) {
    const text = store.trim() === "" ? "file:" : store;
    const scheme = schemeOf(text);
    const factory = Object.hasOwn(FACTORIES, scheme) ? FACTORIES[scheme] : undefined;
    if (factory === undefined) {
        throw new errors/* LockError */.Ku("BAD_STORE", `The store ${(0,lock_text/* quote */.hD)(text, 120)} has the unknown scheme ${(0,lock_text/* quote */.hD)(scheme)}: use a path, or one of ${SCHEMES.map((name) => `${name}:`).join(", ")}.`);
    }
    return factory(text, options);
}
/** A single letter before the colon is a Windows drive, not a scheme. */
function schemeOf(store) {
    return /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(store)?.[1]?.toLowerCase() ?? "file";
}

// EXTERNAL MODULE: ./build/lock/describe.js
var describe = __webpack_require__(854);
;// CONCATENATED MODULE: ./build/action/progress.js

/** Where nothing changes, a line comes at least this often. */
const REPEAT_MS = 30_000;
/** One line when something changes, and one every 30 s; not one a second. */
class ProgressLines {
    #write;
    #last = "";
    #lastAt = 0;
    constructor(write) {
        this.#write = write;
    }
    show(key, progress, now = Date.now()) {
        const picture = (0,describe/* pictureOf */.CS)(progress);
        if (picture === this.#last && now - this.#lastAt < REPEAT_MS)
            return;
        this.#last = picture;
        this.#lastAt = now;
        this.#write(`holdfast: ${(0,describe/* waitingInLine */.Fq)(key, progress, now)}`);
    }
}
/** What a job learns while it waits: told line by line, and kept for the summary. */
class Wait {
    #key;
    #lines;
    #ahead = new Map();
    #expected = null;
    #forecast = null;
    #memory = null;
    constructor(key, write) {
        this.#key = key;
        this.#lines = new ProgressLines(write);
    }
    /** From here on the turns come from a memory, which is asked once there is something to wait for. */
    recall(memory, forecastOf) {
        this.#memory = memory;
        this.#forecast = forecastOf(this.#note);
    }
    update = (progress) => {
        if (this.#forecast === null)
            this.#note(progress);
        else
            this.#forecast.update(progress);
    };
    /** The wait is over: nothing more is told, and nobody is asked any more. */
    end() {
        this.#forecast?.end();
        this.#memory?.end();
    }
    #note = (progress) => {
        for (const { owner, since, fence } of progress.holders) {
            this.#ahead.set(`${owner} ${since}`, { owner, since, fence });
        }
        this.#expected ??= progress.estimate ?? null;
        this.#lines.show(this.#key, progress);
    };
    seen() {
        const expected = this.#expected;
        return {
            ahead: [...this.#ahead.values()],
            expected: expected === null ? null : { lower: expected.lower, upper: expected.upper },
        };
    }
}

;// CONCATENATED MODULE: ./build/action/state.js
const NAME = "holdfast";
function saveState(store, state) {
    store.saveState(NAME, JSON.stringify(state));
}
/** Null where no earlier stage ran, or it had nothing to say. */
function loadState(store) {
    const text = store.getState(NAME);
    return text === "" ? null : JSON.parse(text);
}

;// CONCATENATED MODULE: ./build/action/acquire.js











/** Takes the lock for the job: in pre, or in main where no pre ran. */
async function acquire(stage, inputs, idle) {
    const { core, env } = stage;
    const secret = core.getInput("token") || env.HOLDFAST_TOKEN || "";
    if (secret !== "")
        core.setSecret(secret);
    const surroundings = { ...here(), env };
    const identity = identify(surroundings, {
        owner: inputs.owner ?? undefined,
        purpose: inputs.purpose,
        leg: inputs.leg || undefined,
    });
    const storeOptions = {
        ...environmentOptions(env),
        workingDirectory: env.GITHUB_WORKSPACE ?? process.cwd(),
        format: inputs.format,
        user: identity.user,
        ...(secret === "" ? {} : { token: secret }),
    };
    // Opening connects to nobody and makes nothing; it checks the URL and gives it its full form.
    const store = await openStore(inputs.store, storeOptions);
    await store.close();
    const key = inputs.key;
    const directory = (0,lease_directory/* prepareLeaseDirectory */.L5)(env);
    refuseTwice(directory, key, store.url);
    warnAboutHostedRunner(stage, store.promises.scope);
    const leaseFile = (0,lease_directory/* newLeasePath */.qd)(directory, key);
    const started = Date.now();
    const state = {
        inputs,
        owner: identity.owner.id,
        store: store.url,
        leaseFile,
        started,
        outcome: null,
    };
    saveState(core, state);
    const wait = await openWait(stage, inputs, store.url);
    try {
        const entry = (0,keeper_entry/* keeperEntry */.pc)(stage.program);
        const lease = await (0,start/* orderKeeper */.L)(idle ?? (0,start/* spawnKeeper */.m)({ entry, env, directory }), {
            store: store.url,
            storeOptions,
            request: {
                key,
                owner: identity.owner,
                slots: inputs.slots,
                lease: inputs.lease,
                reclaim: inputs.reclaim,
                ...(inputs.ttl === null ? {} : { ttl: inputs.ttl }),
                ...(inputs.note === "" ? {} : { note: inputs.note }),
            },
            timeout: inputs.timeout,
            history: inputs.history === "auto",
            leaseFile,
            // Without the leg, which a step's `holdfast release KEY` cannot know; RUNNER_TEMP keeps legs apart.
            job: identify(surroundings).owner.id,
            watched: (0,processes/* openProcesses */.I)({ sharedFilesystem: false }).mark(stage.parentPid),
        }, { signal: stage.cancelled, onProgress: wait.update });
        const { fence, waited, since } = lease;
        return finish(stage, state, { acquired: true, fence, waited, since, ...wait.seen() });
    }
    catch (error) {
        if (!(0,errors/* isLockError */.S)(error, "TIMEOUT"))
            throw error;
        const waited = Date.now() - started;
        const done = finish(stage, state, { acquired: false, waited, reason: error.message });
        if (inputs.required)
            throw error;
        core.notice(`${error.message} The job goes on without the lock, since required is false.`);
        return done;
    }
    finally {
        wait.end();
    }
}
/** With a memory in the cache, the turns are estimated here: the keeper knows of no history then. */
async function openWait(stage, inputs, store) {
    const wait = new Wait(inputs.key, (line) => stage.core.info(line));
    if (inputs.history === "cache") {
        // Only those who ask for it pay for its code.
        const { Recall } = await __webpack_require__.e(/* import() */ 55).then(__webpack_require__.bind(__webpack_require__, 55));
        const { Forecast } = await __webpack_require__.e(/* import() */ 797).then(__webpack_require__.bind(__webpack_require__, 797));
        const memory = new Recall(stage, inputs.key, store);
        const { slots } = inputs;
        wait.recall(memory, (onProgress) => new Forecast({ slots, history: memory.restore, onProgress }));
    }
    return wait;
}
function finish(stage, state, outcome) {
    const done = { ...state, outcome };
    saveState(stage.core, done);
    if (outcome.acquired) {
        const waited = outcome.waited >= 1_000 ? ` after ${(0,duration/* formatDuration */.a3)(outcome.waited)}` : "";
        const fence = outcome.fence === null ? "" : `, fence ${outcome.fence}`;
        stage.core.info(`holdfast: ${state.inputs.key} is held by ${state.owner}${waited}${fence}`);
    }
    return done;
}
function warnAboutHostedRunner(stage, scope) {
    if (scope === "network" || !isGithubHosted(stage.env))
        return;
    stage.core.warning("On a GitHub-hosted runner a lock file locks nobody out, since every job has a machine of its own. Use a lock server (store: tcp://… or https://…) or a self-hosted runner.");
}

;// CONCATENATED MODULE: ./build/action/handover.js



/** What later steps get: the environment, and `holdfast` on the PATH. Reaches them also from pre. */
function handOver(stage, state) {
    if (state.outcome === null || !state.outcome.acquired)
        return;
    const { core } = stage;
    core.exportVariable("HOLDFAST_KEY", state.inputs.key);
    if (state.outcome.fence !== null)
        core.exportVariable("HOLDFAST_FENCE", state.outcome.fence);
    core.exportVariable("HOLDFAST_LEASE", state.leaseFile);
    core.exportVariable("HOLDFAST_STORE", state.store);
    core.addPath(installCommand(stage));
}
/** A step's PATH may have no node, or an old one: the command brings the one that runs the action. */
function installCommand(stage) {
    const directory = (0,external_node_path_.join)(stage.env.RUNNER_TEMP ?? ".", "holdfast-bin");
    const cli = (0,keeper_entry/* cliEntry */.pj)(stage.program);
    (0,external_node_fs_.mkdirSync)(directory, { recursive: true });
    const script = (0,external_node_path_.join)(directory, "holdfast");
    (0,external_node_fs_.writeFileSync)(script, `#!/bin/sh\nexec ${shellQuote(process.execPath)} ${shellQuote(cli)} "$@"\n`);
    (0,external_node_fs_.chmodSync)(script, 0o755);
    if (process.platform === "win32") {
        (0,external_node_fs_.writeFileSync)((0,external_node_path_.join)(directory, "holdfast.cmd"), `@"${process.execPath}" "${cli}" %*\r\n`);
    }
    return directory;
}
function shellQuote(text) {
    return `'${text.replaceAll("'", `'\\''`)}'`;
}

// EXTERNAL MODULE: ./build/lock/key.js
var key = __webpack_require__(816);
// EXTERNAL MODULE: ./build/lock/reclaim.js
var reclaim = __webpack_require__(772);
// EXTERNAL MODULE: ./build/lock/slots.js
var slots = __webpack_require__(242);
// EXTERNAL MODULE: ./build/lock/ttl.js
var ttl = __webpack_require__(359);
;// CONCATENATED MODULE: ./build/stores/file/record.js
const LOCK_FORMATS = ["sema", "json"];

// EXTERNAL MODULE: ./build/action/enabled.js
var enabled = __webpack_require__(471);
;// CONCATENATED MODULE: ./build/action/inputs.js










/** Where the memory of earlier holds is: in the store, in the Actions cache, or not wanted. */
const HISTORY_SOURCES = ["auto", "cache", "off"];
function parseInputs(read, env) {
    const text = (name, fallback) => read(name) || fallback;
    return {
        key: (0,enabled/* named */.KT)("key", () => (0,key/* parseKey */.Do)(read("key"))),
        store: read("store") || env.HOLDFAST_STORE || "file:",
        slots: (0,enabled/* named */.KT)("slots", () => (0,slots/* parseSlots */.fb)(text("slots", "1"))),
        timeout: (0,enabled/* named */.KT)("timeout", () => (0,duration/* parseDuration */.E9)(text("timeout", "30m"), "timeout")),
        required: (0,enabled/* named */.KT)("required", () => (0,enabled/* flag */.Jt)(read("required"), true)),
        onLost: (0,enabled/* named */.KT)("on-lost", () => choice(text("on-lost", "warn"), ["warn", "fail"])),
        ttl: (0,enabled/* named */.KT)("ttl", () => read("ttl") === "" ? null : atLeastASecond("BAD_TTL", "ttl", read("ttl"))),
        lease: (0,enabled/* named */.KT)("lease", () => atLeastASecond("BAD_LEASE", "lease", text("lease", "30s"))),
        owner: (0,enabled/* named */.KT)("owner", () => (read("owner") === "" ? null : (0,owner/* parseOwnerId */.Eo)(read("owner")))),
        leg: matrixLeg(read("leg")),
        purpose: (0,enabled/* named */.KT)("purpose", () => (0,ttl/* parsePurpose */.cM)(text("purpose", "automated"))),
        reclaim: (0,enabled/* named */.KT)("reclaim", () => (0,reclaim/* parseReclaim */.XE)(text("reclaim", "expired,dead"))),
        note: (0,enabled/* named */.KT)("note", () => (0,owner/* parseNote */.wd)(read("note"))),
        format: (0,enabled/* named */.KT)("format", () => choice(text("format", "sema"), LOCK_FORMATS)),
        history: (0,enabled/* named */.KT)("history", () => choice(text("history", "auto"), HISTORY_SOURCES)),
    };
}
function choice(text, choices) {
    if (choices.includes(text))
        return text;
    throw new errors/* LockError */.Ku("BAD_OPTION", `${(0,lock_text/* quote */.hD)(text)} is not known: use ${choices.join(" or ")}.`);
}
function atLeastASecond(code, name, text) {
    const milliseconds = (0,duration/* parseDuration */.E9)(text, name);
    if (milliseconds !== null && milliseconds >= 1_000)
        return milliseconds;
    throw new errors/* LockError */.Ku(code, `The ${name} ${(0,lock_text/* quote */.hD)(text)} is not a duration of at least 1s.`);
}
/** Only the legs of a matrix have one; what a runner could not evaluate counts as none. */
function matrixLeg(text) {
    return text === "null" || text.includes("${{") ? "" : text;
}

;// CONCATENATED MODULE: ./build/action/take.js



/**
 * Takes the lock and hands it over to the steps that follow: pre's work, or main's without a pre.
 * `idle`: a keeper that is ready for its order.
 */
async function takeLock(stage, idle = null) {
    const state = await acquire(stage, parseInputs(stage.core.getInput, stage.env), idle);
    handOver(stage, state);
    return state;
}


/***/ }),

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

/***/ 208:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $m: () => (/* binding */ sessionOwnerId),
/* harmony export */   CG: () => (/* binding */ OWNER_BYTES_LIMIT),
/* harmony export */   Eo: () => (/* binding */ parseOwnerId),
/* harmony export */   Hn: () => (/* binding */ ciOwnerId),
/* harmony export */   Ko: () => (/* binding */ tokenOwnerId),
/* harmony export */   _6: () => (/* binding */ readMetadata),
/* harmony export */   sI: () => (/* binding */ checkMetadata),
/* harmony export */   so: () => (/* binding */ localOwnerId),
/* harmony export */   v8: () => (/* binding */ parseLocalOwnerId),
/* harmony export */   wd: () => (/* binding */ parseNote)
/* harmony export */ });
/* unused harmony exports NOTE_BYTES_LIMIT, METADATA_FIELDS */
/* harmony import */ var _digest_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(675);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(600);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(352);
/* harmony import */ var _ttl_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(359);




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
    const shown = isJwt ? token : (0,_digest_js__WEBPACK_IMPORTED_MODULE_3__/* .sha256 */ .s)(token);
    return `token-${shown.slice(0, 20)}`;
}
/** CI: the parts that tell one run of one job from every other. Empty parts are left out. */
function ciOwnerId(system, ...parts) {
    const known = parts.filter((part) => part !== undefined && part !== "");
    return ["ci", system, ...known]
        .map((part) => (0,_text_js__WEBPACK_IMPORTED_MODULE_2__/* .cleanText */ .X5)(part).trim().replace(/\s+/g, "_"))
        .join("-");
}
/** The pid and host of an owner in the local form, or null for any other form. */
function parseLocalOwnerId(id) {
    const match = /^pid-(\d{1,10})@(.+)$/.exec(id);
    return match ? { pid: Number(match[1]), hostname: match[2] } : null;
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

/***/ 359:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $E: () => (/* binding */ defaultTtlSeconds),
/* harmony export */   A_: () => (/* binding */ isEnvironment),
/* harmony export */   BG: () => (/* binding */ TTL_MIN_MS),
/* harmony export */   JO: () => (/* binding */ isPurpose),
/* harmony export */   QV: () => (/* binding */ REFRESH_AT),
/* harmony export */   cM: () => (/* binding */ parsePurpose)
/* harmony export */ });
/* unused harmony exports ENVIRONMENTS, PURPOSES, parseEnvironment */
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(600);

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
    throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_PURPOSE", `The purpose ${JSON.stringify(text)} is not known: use one of ${PURPOSES.join(", ")}.`);
}
function isEnvironment(value) {
    return ENVIRONMENTS.includes(value);
}
function isPurpose(value) {
    return PURPOSES.includes(value);
}


/***/ }),

/***/ 980:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   I: () => (/* binding */ openProcesses)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(24);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(161);


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
        boot: attempt(() => (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)("/proc/sys/kernel/random/boot_id", "utf8").trim()),
        namespace: attempt(() => (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readlinkSync)("/proc/self/ns/pid")),
        host: (0,node_os__WEBPACK_IMPORTED_MODULE_1__.hostname)(),
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
const hasProc = attempt(() => (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)("/proc/self/stat", "latin1")) !== null;
/** State and start time of a process; a zombie has ended, whoever has yet to collect it. */
function statOf(pid) {
    const text = attempt(() => (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`/proc/${pid}/stat`, "latin1"));
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


/***/ })

};
