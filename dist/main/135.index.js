export const id = 135;
export const ids = [135];
export const modules = {

/***/ 135:
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
// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(600);
// EXTERNAL MODULE: ./build/lock/key.js
var lock_key = __webpack_require__(816);
// EXTERNAL MODULE: ./build/stores/file/directory.js
var file_directory = __webpack_require__(962);
// EXTERNAL MODULE: ./build/stores/file/random.js
var random = __webpack_require__(870);
;// CONCATENATED MODULE: ./build/keeper/lease-directory.js







/**
 * Where leases are kept: with the job's other temporary files, which the runner empties, or in one
 * directory a user, which every shell of that user finds whatever its TMPDIR.
 */
function leaseDirectory(env) {
    if (env.RUNNER_TEMP)
        return (0,external_node_path_.join)(env.RUNNER_TEMP, "holdfast");
    if (process.platform === "win32")
        return (0,external_node_path_.join)(env.LOCALAPPDATA ?? (0,external_node_os_.tmpdir)(), "holdfast", "leases");
    return `/tmp/holdfast-leases-${process.geteuid?.() ?? 0}`;
}
/** Makes it, for this user alone. */
function prepareLeaseDirectory(env) {
    const directory = leaseDirectory(env);
    const refuse = (wrong, cause) => new errors/* LockError */.Ku("LEASE_DIRECTORY", `The lease directory ${directory} ${wrong}: remove it, or set RUNNER_TEMP to a directory of your own.`, { cause });
    try {
        (0,external_node_fs_.mkdirSync)(directory, { recursive: true, mode: 0o700 });
    }
    catch (error) {
        throw refuse(`cannot be made (${(0,errors/* messageOf */.bD)(error)})`, error);
    }
    const wrong = (0,file_directory/* whyNotPrivate */.FC)(directory);
    if (wrong !== null)
        throw refuse(wrong);
    return directory;
}
/** A name of its own for every claim: two matrix legs on one runner must not share one. */
function newLeasePath(directory, key) {
    return (0,external_node_path_.join)(directory, `${(0,lock_key/* encodeKey */.g2)(key).slice(0, 60)}-${(0,random/* randomHex */.n)(6)}.json`);
}

// EXTERNAL MODULE: ./build/stores/file/processes.js
var processes = __webpack_require__(980);
// EXTERNAL MODULE: ./build/keeper/lease-file.js
var lease_file = __webpack_require__(79);
// EXTERNAL MODULE: ./build/keeper/socket.js
var socket = __webpack_require__(93);
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

// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(421);
// EXTERNAL MODULE: ./build/keeper/lines.js
var lines = __webpack_require__(185);
;// CONCATENATED MODULE: ./build/keeper/order.js
/** The starter's answer to `granted`: without it the keeper lets go again. */
const ACKNOWLEDGED = "acknowledged";

;// CONCATENATED MODULE: ./build/keeper/start.js





/** A cancelled keeper has to leave the line and say so; one that cannot is killed. */
const LEAVE_MS = 5_000;
/** Starts the process alone: while it gets ready, its starter can find out what to order. */
function spawnKeeper({ entry, env, directory }) {
    const child = (0,external_node_child_process_.spawn)(process.execPath, [entry], {
        // Its own session, and none of our stdio: the runner waits for whoever holds a stage's.
        detached: true,
        stdio: ["pipe", "pipe", "ignore"],
        cwd: directory,
        env: keeperEnvironment(env),
        windowsHide: true,
    });
    // Told to whoever negotiates; before that there is nobody to tell, and no order is lost.
    child.on("error", () => { });
    child.stdin?.on("error", () => { });
    return {
        child,
        dismiss() {
            child.stdin?.destroy();
            child.stdout?.destroy();
            child.unref();
        },
    };
}
/** RUNNER_TRACKING_ID stays: the runner's sweep after the job is the last backstop. */
function keeperEnvironment(env) {
    // What a job's tests or agents preload into Node has no business in the keeper.
    const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...rest } = env;
    return rest;
}
/**
 * Gives a keeper its order and waits until it holds the lock. The keeper lives on when this process
 * ends; should this process end before it knows of the grant, however it ends, the keeper lets go.
 */
async function orderKeeper(keeper, order, options) {
    try {
        await negotiate(keeper.child, order, options);
    }
    finally {
        keeper.dismiss();
    }
    const lease = (0,lease_file/* readLeaseFile */.ZF)(order.leaseFile);
    if (lease === null)
        throw new errors/* LockError */.Ku("KEEPER_GONE", "The keeper let go as soon as it had the lock.");
    return lease;
}
function negotiate(child, order, options) {
    return new Promise((resolve, reject) => {
        const { stdin, stdout } = child;
        if (stdin === null || stdout === null)
            return reject(new Error("the keeper has no pipes"));
        let timer;
        const settle = (finish) => {
            clearTimeout(timer);
            options.signal?.removeEventListener("abort", cancel);
            finish();
        };
        const gone = (why) => settle(() => reject(new errors/* LockError */.Ku("KEEPER_GONE", `The keeper ended before it had the lock (${why}).`)));
        const cancel = () => {
            stdin.end();
            timer = setTimeout(() => child.kill("SIGKILL"), LEAVE_MS);
        };
        const { exitCode, signalCode, pid } = child;
        const ended = (code, signal) => gone(signal ?? `exit code ${code}`);
        child.on("error", (error) => gone(error.message));
        child.on("exit", ended);
        // Its process was started a while ago: what happened since was told to nobody.
        if (pid === undefined)
            return gone("it could not be started");
        if (exitCode !== null || signalCode !== null)
            return ended(exitCode, signalCode);
        const onLine = (line) => {
            const message = (0,lines/* parseLine */.A)(line);
            switch (message?.event) {
                case "progress":
                    return options.onProgress?.(message.progress);
                case "granted":
                    if (!options.signal?.aborted)
                        stdin.write(`${ACKNOWLEDGED}\n`);
                    return;
                case "kept":
                    return settle(resolve);
                case "failed":
                    return settle(() => reject(new errors/* LockError */.Ku(message.code, message.message)));
            }
        };
        (0,lines/* readLines */.S)(stdout, onLine, () => { });
        stdin.write(`${JSON.stringify(order)}\n`);
        if (options.signal?.aborted)
            cancel();
        else
            options.signal?.addEventListener("abort", cancel);
    });
}

// EXTERNAL MODULE: ./build/lock/duration.js
var duration = __webpack_require__(739);
// EXTERNAL MODULE: ./build/stores/open.js
var stores_open = __webpack_require__(944);
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

// EXTERNAL MODULE: ./build/action/state.js
var action_state = __webpack_require__(603);
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
        ...(0,stores_open/* environmentOptions */.AB)(env),
        workingDirectory: env.GITHUB_WORKSPACE ?? process.cwd(),
        format: inputs.format,
        user: identity.user,
        ...(secret === "" ? {} : { token: secret }),
    };
    // Opening connects to nobody and makes nothing; it checks the URL and gives it its full form.
    const store = await (0,stores_open/* openStore */.Ch)(inputs.store, storeOptions);
    await store.close();
    const key = inputs.key;
    const directory = prepareLeaseDirectory(env);
    refuseTwice(directory, key, store.url);
    warnAboutHostedRunner(stage, store.promises.scope);
    const leaseFile = newLeasePath(directory, key);
    const started = Date.now();
    const state = {
        inputs,
        owner: identity.owner.id,
        store: store.url,
        leaseFile,
        started,
        outcome: null,
    };
    (0,action_state/* saveState */.L)(core, state);
    const wait = await openWait(stage, inputs, store.url);
    try {
        const entry = (0,keeper_entry/* keeperEntry */.pc)(stage.program);
        const lease = await orderKeeper(idle ?? spawnKeeper({ entry, env, directory }), {
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
    (0,action_state/* saveState */.L)(stage.core, done);
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
        key: (0,enabled/* named */.KT)("key", () => (0,lock_key/* parseKey */.Do)(read("key"))),
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

/***/ 150:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Rv: () => (/* binding */ cacheEntry),
/* harmony export */   pc: () => (/* binding */ keeperEntry),
/* harmony export */   pj: () => (/* binding */ cliEntry)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(24);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(760);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(600);



/** The keeper's program, beside the one that runs: in dist/ as bundles, in the sources as modules. */
function keeperEntry(program) {
    return besides(program, [(0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)("keeper", "index.js"), (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)("keeper", "main.ts")]);
}
/** The CLI's program, likewise. */
function cliEntry(program) {
    return besides(program, [(0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)("cli", "index.js"), (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)("cli", "main.ts")]);
}
/** The program that talks to the Actions cache, likewise. */
function cacheEntry(program) {
    return besides(program, [(0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)("cache", "index.js"), (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)("action", "cache.ts")]);
}
function besides(program, candidates) {
    // A command in a PATH is often a link to the real one.
    const folder = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.realpathSync)(program)));
    const found = candidates.map((name) => (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(folder, name)).find((path) => (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.existsSync)(path));
    if (found !== undefined)
        return found;
    throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("INTERNAL", `The program ${candidates[0]} is missing in ${folder}: is the installation complete?`);
}


/***/ }),

/***/ 185:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A: () => (/* binding */ parseLine),
/* harmony export */   S: () => (/* binding */ readLines)
/* harmony export */ });
/** A peer that sends more than this without a newline is not one of ours. */
const LINE_LIMIT = 1024 * 1024;
/** Calls back for every line of a stream; `onEnd` once, whichever way it ends. */
function readLines(stream, onLine, onEnd) {
    let rest = "";
    let ended = false;
    const end = () => {
        if (ended)
            return;
        ended = true;
        onEnd();
    };
    stream.setEncoding("utf8");
    stream.on("data", (chunk) => {
        rest += chunk;
        for (let newline = rest.indexOf("\n"); newline !== -1 && !ended; newline = rest.indexOf("\n")) {
            const line = rest.slice(0, newline);
            rest = rest.slice(newline + 1);
            onLine(line);
        }
        if (rest.length > LINE_LIMIT)
            stream.destroy();
    });
    stream.on("end", end);
    stream.on("close", end);
    stream.on("error", end);
}
/** The JSON object of a line, or null. */
function parseLine(line) {
    try {
        const value = JSON.parse(line);
        return typeof value === "object" && value !== null ? value : null;
    }
    catch {
        return null;
    }
}


/***/ })

};
