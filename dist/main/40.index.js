export const id = 40;
export const ids = [40];
export const modules = {

/***/ 40:
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
var owner = __webpack_require__(253);
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
var lock_digest = __webpack_require__(820);
// EXTERNAL MODULE: ./build/lock/text.js
var lock_text = __webpack_require__(687);
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



// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(379);
;// CONCATENATED MODULE: ./build/keeper/entry.js



/** The keeper's program, beside the one that runs: in dist/ as bundles, in the sources as modules. */
function keeperEntry(program) {
    return besides(program, [(0,external_node_path_.join)("keeper", "index.js"), (0,external_node_path_.join)("keeper", "main.ts")]);
}
/** The CLI's program, likewise. */
function cliEntry(program) {
    return besides(program, [(0,external_node_path_.join)("cli", "index.js"), (0,external_node_path_.join)("cli", "main.ts")]);
}
function besides(program, candidates) {
    // A command in a PATH is often a link to the real one.
    const folder = (0,external_node_path_.dirname)((0,external_node_path_.dirname)((0,external_node_fs_.realpathSync)(program)));
    const found = candidates.map((name) => (0,external_node_path_.join)(folder, name)).find((path) => (0,external_node_fs_.existsSync)(path));
    if (found !== undefined)
        return found;
    throw new errors/* LockError */.Ku("INTERNAL", `The program ${candidates[0]} is missing in ${folder}: is the installation complete?`);
}

// EXTERNAL MODULE: ./build/lock/key.js
var lock_key = __webpack_require__(393);
// EXTERNAL MODULE: ./build/stores/file/directory.js
var file_directory = __webpack_require__(469);
// EXTERNAL MODULE: ./build/stores/file/random.js
var random = __webpack_require__(867);
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
var processes = __webpack_require__(955);
// EXTERNAL MODULE: ./build/keeper/lease-file.js
var lease_file = __webpack_require__(956);
// EXTERNAL MODULE: ./build/keeper/socket.js
var socket = __webpack_require__(42);
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
;// CONCATENATED MODULE: ./build/keeper/lines.js
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

;// CONCATENATED MODULE: ./build/keeper/order.js
/** The starter's answer to `granted`: without it the keeper lets go again. */
const ACKNOWLEDGED = "acknowledged";

;// CONCATENATED MODULE: ./build/keeper/start.js






/** A cancelled keeper has to leave the line and say so; one that cannot is killed. */
const LEAVE_MS = 5_000;
/**
 * Starts a keeper and waits until it holds the lock. The keeper lives on when this process ends;
 * should this process end before it knows of the grant, however it ends, the keeper lets go.
 */
async function startKeeper(order, options) {
    const child = (0,external_node_child_process_.spawn)(process.execPath, [options.entry], {
        // Its own session, and none of our stdio: the runner waits for whoever holds a stage's.
        detached: true,
        stdio: ["pipe", "pipe", "ignore"],
        cwd: (0,external_node_path_.dirname)(order.leaseFile),
        env: keeperEnvironment(options.env),
        windowsHide: true,
    });
    try {
        await negotiate(child, order, options);
    }
    finally {
        child.stdin?.destroy();
        child.stdout?.destroy();
        child.unref();
    }
    const lease = (0,lease_file/* readLeaseFile */.ZF)(order.leaseFile);
    if (lease === null)
        throw new errors/* LockError */.Ku("KEEPER_GONE", "The keeper let go as soon as it had the lock.");
    return lease;
}
/** RUNNER_TRACKING_ID stays: the runner's sweep after the job is the last backstop. */
function keeperEnvironment(env) {
    // What a job's tests or agents preload into Node has no business in the keeper.
    const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...rest } = env;
    return rest;
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
        child.on("error", (error) => gone(error.message));
        child.on("exit", (code, signal) => gone(signal ?? `exit code ${code}`));
        stdin.on("error", () => { });
        const onLine = (line) => {
            const message = parseLine(line);
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
        readLines(stdout, onLine, () => { });
        stdin.write(`${JSON.stringify(order)}\n`);
        if (options.signal?.aborted)
            cancel();
        else
            options.signal?.addEventListener("abort", cancel);
    });
}

// EXTERNAL MODULE: ./build/lock/duration.js
var duration = __webpack_require__(832);
// EXTERNAL MODULE: ./build/stores/open.js
var stores_open = __webpack_require__(935);
// EXTERNAL MODULE: ./build/lock/describe.js
var describe = __webpack_require__(797);
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

// EXTERNAL MODULE: ./build/action/state.js
var action_state = __webpack_require__(862);
;// CONCATENATED MODULE: ./build/action/acquire.js











/** Takes the lock for the job: in pre, or in main where no pre ran. */
async function acquire(stage, inputs) {
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
    const lines = new ProgressLines((line) => core.info(line));
    const ahead = new Map();
    const onProgress = (progress) => {
        for (const { owner, since } of progress.holders)
            ahead.set(`${owner} ${since}`, { owner, since });
        lines.show(key, progress);
    };
    try {
        const lease = await startKeeper({
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
            leaseFile,
            // Without the leg, which a step's `holdfast release KEY` cannot know; RUNNER_TEMP keeps legs apart.
            job: identify(surroundings).owner.id,
            watched: (0,processes/* openProcesses */.I)({ sharedFilesystem: false }).mark(stage.parentPid),
        }, { entry: keeperEntry(stage.program), env, signal: stage.cancelled, onProgress });
        return finish(stage, state, granted(lease, [...ahead.values()]));
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
}
function granted(lease, ahead) {
    return { acquired: true, fence: lease.fence, waited: lease.waited, since: lease.since, ahead };
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
    const cli = cliEntry(stage.program);
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

// EXTERNAL MODULE: ./build/action/inputs.js + 1 modules
var inputs = __webpack_require__(485);
;// CONCATENATED MODULE: ./build/action/take.js



/** Takes the lock and hands it over to the steps that follow: pre's work, or main's without a pre. */
async function takeLock(stage) {
    const state = await acquire(stage, (0,inputs/* parseInputs */.T)(stage.core.getInput, stage.env));
    handOver(stage, state);
    return state;
}


/***/ }),

/***/ 797:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CS: () => (/* binding */ pictureOf),
/* harmony export */   Fq: () => (/* binding */ waitingInLine),
/* harmony export */   XR: () => (/* binding */ holdersInLine)
/* harmony export */ });
/* unused harmony exports ordinal, ago, runUrlOf, holderInLine */
/* harmony import */ var _duration_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(832);

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
/** One holder in a line: `ci-github-456-1-deploy for 4m 10s, "v1.2.3" (https://…)`. */
function holderInLine(holder, now) {
    const time = ago(holder.since, now);
    const url = runUrlOf(holder);
    return [
        holder.problem === undefined ? holder.owner : "a lock file that cannot be read",
        time === null ? "" : ` for ${time}`,
        holder.note === null ? "" : `, "${holder.note}"`,
        url === null ? "" : ` (${url})`,
    ].join("");
}
/** As many holders as a reader wants to see in one line. */
const HOLDERS_SHOWN = 3;
function holdersInLine(holders, now) {
    const shown = holders.slice(0, HOLDERS_SHOWN).map((holder) => holderInLine(holder, now));
    const more = holders.length - shown.length;
    return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}
/** How a waiting claim stands: `waiting for production: 2nd in line; held by …`. */
function waitingInLine(key, progress, now) {
    const parts = [`waiting for ${key}: ${ordinal(progress.position)} in line`];
    if (progress.holders.length > 0)
        parts.push(`held by ${holdersInLine(progress.holders, now)}`);
    if (progress.trouble !== undefined)
        parts.push(progress.trouble);
    return parts.join("; ");
}
/** What must differ for a new line to be worth a reader's time: not the seconds that pass. */
function pictureOf(progress) {
    const holders = progress.holders.map(({ owner, fence, since }) => [owner, fence, since]);
    return JSON.stringify([progress.position, holders, progress.trouble]);
}


/***/ }),

/***/ 469:
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
/* harmony import */ var node_worker_threads__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(919);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(379);
/* harmony import */ var _place_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(693);
/* harmony import */ var _random_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(867);






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
    return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .LockError */ .Ku("BAD_STORE", `The store ${path} is not a directory: name a directory, or a file that ends in .lock.`);
}
/**
 * The default directory is in a place where everybody may create files. Whoever owns it decides who
 * gets a lock, so it must be this user's own.
 */
function checkDefault(path) {
    const wrong = whyNotPrivate(path);
    if (wrong === null)
        return;
    throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .LockError */ .Ku("STORE_UNSAFE", `The default store ${path} ${wrong}: name a directory that all users of the lock may write to, such as --store /var/lib/holdfast (made with mkdir -m 2770 and a common group).`);
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
        sideDirectory((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(place.directory, _place_js__WEBPACK_IMPORTED_MODULE_4__/* .SIDE_DIRECTORY */ .kQ), mode);
        sideDirectory(place.side, mode);
        makeGuard(place.guard, mode & 0o666);
    }
    catch (error) {
        throw explain(error, place.directory);
    }
}
/** With its mode from the first moment: another user may come by before it could be changed. */
function sideDirectory(path, mode) {
    if (isWindows || !node_worker_threads__WEBPACK_IMPORTED_MODULE_2__.isMainThread) {
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
        if ((0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .systemCode */ .xU)(error) === "EEXIST")
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
    const temporary = `${path}.${process.pid}.${(0,_random_js__WEBPACK_IMPORTED_MODULE_5__/* .randomHex */ .n)(8)}.tmp`;
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
        const code = (0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .systemCode */ .xU)(error);
        if (code !== "EEXIST")
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)(path, "a", mode));
    }
    finally {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.unlinkSync)(temporary);
    }
}
/** The system's words become a sentence that says what to do. */
function explain(error, path) {
    if (error instanceof _lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .LockError */ .Ku)
        return error;
    const options = { cause: error };
    switch ((0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .systemCode */ .xU)(error)) {
        case "EACCES":
        case "EPERM":
        case "EROFS":
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .LockError */ .Ku("STORE_DENIED", `The store ${path} cannot be used (${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .messageOf */ .bD)(error)}): let this user write there, or name another directory with --store.`, options);
        case "ENOSPC":
        case "EDQUOT":
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .LockError */ .Ku("STORE_FULL", `The disk of the store ${path} is full (${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .messageOf */ .bD)(error)}): free some space, or name another directory with --store.`, options);
        case "EEXIST":
        case "ENOTDIR":
            return notADirectory((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(path) === path ? path : path);
        case "ENOENT":
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .LockError */ .Ku("STORE_UNREACHABLE", `The store ${path} is gone (${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .messageOf */ .bD)(error)}): was its directory removed?`, options);
        default:
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .LockError */ .Ku("STORE_UNREACHABLE", `The store ${path} failed: ${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .messageOf */ .bD)(error)}.`, options);
    }
}


/***/ }),

/***/ 693:
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
/* harmony import */ var _lock_key_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(393);


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
