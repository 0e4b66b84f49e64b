export const id = 700;
export const ids = [700];
export const modules = {

/***/ 7106:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Nk: () => (/* binding */ firstWord),
/* harmony export */   We: () => (/* binding */ parseArguments),
/* harmony export */   wc: () => (/* binding */ splitAtDashes)
/* harmony export */ });
/* harmony import */ var node_util__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7975);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1600);
/* harmony import */ var _lock_text_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(5352);
/* harmony import */ var _facts_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(909);
/* harmony import */ var _suggest_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(6308);





function parseArguments(facts, args, env) {
    const { before, after } = splitAtDashes(args);
    const { words, texts, flags, problem } = readOptions([...facts.options, ..._facts_js__WEBPACK_IMPORTED_MODULE_2__/* .COMMON_OPTIONS */ .DT], before);
    if (!facts.takesCommand)
        words.push(...after);
    const store = texts.get("store") ?? (env.HOLDFAST_STORE || "file:");
    return {
        key: words[0] ?? "",
        words,
        commandLine: facts.takesCommand ? after : [],
        store,
        storeWasNamed: texts.has("store"),
        json: flags.has("json"),
        quiet: flags.has("quiet"),
        text: (option) => texts.get(option),
        flag: (option) => flags.has(option),
        check() {
            if (problem !== null)
                throw problem;
            if (store.trim() === "") {
                throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .LockError */ .Ku("BAD_STORE", "The store is empty: name one, or leave --store out.");
            }
            checkWords(facts, words, store);
        },
    };
}
/** The first `--` ends the options, whatever stands before it. */
function splitAtDashes(args) {
    const end = args.indexOf("--");
    return end === -1
        ? { before: [...args], after: [] }
        : { before: args.slice(0, end), after: args.slice(end + 1) };
}
/**
 * The place of the first word that is no option and no option's value: the command's name. Options
 * may stand before it, so those of all commands must be known here.
 */
function firstWord(options, args) {
    const { tokens } = tokenize(options, splitAtDashes(args).before);
    return tokens.find((token) => token.kind === "positional")?.index ?? -1;
}
function readOptions(options, args) {
    const words = [];
    const texts = new Map();
    const flags = new Set();
    let problem = null;
    const wrong = (message) => {
        problem ??= new _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .LockError */ .Ku("BAD_OPTION", message);
    };
    for (const token of tokenize(options, args).tokens) {
        if (token.kind === "positional")
            words.push(token.value);
        if (token.kind !== "option")
            continue;
        const { rawName, value } = token;
        const option = options.find(({ name }) => name === token.name);
        if (option === undefined)
            wrong(unknownOption(rawName, options));
        else if (option.value === undefined) {
            if (value !== undefined)
                wrong(`The option ${rawName} takes no value: leave it out.`);
            flags.add(option.name);
        }
        else if (value === undefined || (!token.inlineValue && value.startsWith("--"))) {
            wrong(`The option ${rawName} has no value: write ${rawName} ${option.value}.`);
        }
        else
            texts.set(option.name, value);
    }
    return { words, texts, flags, problem };
}
/** Not strict, so that `--slots -1` reaches the check of slots, which has the better sentence. */
function tokenize(options, args) {
    const config = Object.fromEntries(options.map(({ name, short, value }) => {
        const type = value === undefined ? "boolean" : "string";
        return [name, short === undefined ? { type } : { type, short }];
    }));
    return (0,node_util__WEBPACK_IMPORTED_MODULE_0__.parseArgs)({ args, options: config, strict: false, allowPositionals: true, tokens: true });
}
function unknownOption(rawName, options) {
    const meant = (0,_suggest_js__WEBPACK_IMPORTED_MODULE_3__/* .suggest */ .Z)(rawName, options.map(({ name }) => `--${name}`));
    const advice = meant === null ? "see --help" : `did you mean ${meant}?`;
    return `The option ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_4__/* .quote */ .hD)(rawName)} is not known: ${advice}${meant === null ? "." : ""}`;
}
function checkWords(facts, words, store) {
    const usage = `holdfast ${facts.name} ${facts.usage}`;
    const most = { key: 1, word: 1, nothing: 0, paths: Number.POSITIVE_INFINITY }[facts.takes];
    const surplus = words[most];
    if (surplus !== undefined) {
        const advice = facts.takesCommand ? "put -- before the command" : `write ${usage}`;
        throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .LockError */ .Ku("BAD_COMMAND", `The argument ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_4__/* .quote */ .hD)(surplus)} is too much: ${advice}.`);
    }
    if (facts.takes === "key" && words.length === 0 && !store.endsWith(".lock")) {
        throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .LockError */ .Ku("BAD_KEY", `The key is missing: write ${usage}.`);
    }
    if (facts.takes === "paths" && words.length === 0) {
        throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_1__/* .LockError */ .Ku("BAD_COMMAND", `The path of a lock file is missing: write ${usage}.`);
    }
}


/***/ }),

/***/ 2647:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   N: () => (/* binding */ defineCommand),
/* harmony export */   w: () => (/* binding */ printVersion)
/* harmony export */ });
/* harmony import */ var _arguments_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7106);
/* harmony import */ var _help_text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9615);
/* harmony import */ var _showable_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7733);
/* harmony import */ var _version_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3390);




/** A command from its facts and what it does with a command line that was found to be in order. */
function defineCommand(facts, act) {
    return {
        ...facts,
        async run(args, io) {
            const input = (0,_arguments_js__WEBPACK_IMPORTED_MODULE_0__/* .parseArguments */ .We)(facts, args, io.env);
            // Who asks for help gets it, whatever else is wrong with the line.
            if (input.flag("help")) {
                io.stdout.write((0,_help_text_js__WEBPACK_IMPORTED_MODULE_1__/* .helpOf */ .Z)(facts));
                return 0;
            }
            if (input.flag("version"))
                return printVersion(input.json, io);
            input.check();
            return act(input, io);
        },
    };
}
function printVersion(json, io) {
    io.stdout.write(json ? `${(0,_showable_js__WEBPACK_IMPORTED_MODULE_2__/* .jsonText */ .s$)({ version: _version_js__WEBPACK_IMPORTED_MODULE_3__/* .VERSION */ .x })}\n` : `${_version_js__WEBPACK_IMPORTED_MODULE_3__/* .VERSION */ .x}\n`);
    return 0;
}


/***/ }),

/***/ 909:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   DT: () => (/* binding */ COMMON_OPTIONS),
/* harmony export */   de: () => (/* binding */ KEY_MAY_BE_LEFT_OUT),
/* harmony export */   hG: () => (/* binding */ DONE_OR_FAILED)
/* harmony export */ });
const COMMON_OPTIONS = [
    {
        name: "store",
        value: "URL",
        says: "where the locks live: a directory, a path that ends in .lock, or a URL",
        default: "$HOLDFAST_STORE, else file:, one directory for the whole machine",
    },
    { name: "json", says: "print one JSON document on stdout, also for errors" },
    { name: "quiet", short: "q", says: "print nothing for people but errors" },
    { name: "help", short: "h", says: "print this help" },
    { name: "version", short: "V", says: "print the version" },
];
const DONE_OR_FAILED = [
    ["0", "done"],
    ["2", "bad input or failure"],
];
/** Said in the help of each command that takes a key. */
const KEY_MAY_BE_LEFT_OUT = "With a store that is a path ending in .lock, KEY may be left out: it is the file's own name.";


/***/ }),

/***/ 9615:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   M: () => (/* binding */ overview),
/* harmony export */   Z: () => (/* binding */ helpOf)
/* harmony export */ });
/* harmony import */ var _facts_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(909);

const COLUMNS = 92;
const OPTION_INDENT = 26;
/** The help of one command. */
function helpOf(facts) {
    const exitColumn = Math.max(...facts.exitCodes.map(([code]) => code.length)) + 4;
    return [
        `Usage: holdfast ${facts.name} ${facts.usage}`.trimEnd(),
        "",
        ...wrap(`${facts.summary}.`, 0),
        ...(facts.about ?? []).flatMap((paragraph) => ["", ...wrap(paragraph, 0)]),
        "",
        ...(facts.options.length > 0 ? ["Options:", ...facts.options.flatMap(optionLines), ""] : []),
        "Everywhere:",
        ..._facts_js__WEBPACK_IMPORTED_MODULE_0__/* .COMMON_OPTIONS */ .DT.flatMap(optionLines),
        "",
        "Examples:",
        ...facts.examples.flatMap(({ line, says }) => [`  # ${says}`, `  ${line}`]),
        "",
        "Exit codes:",
        ...facts.exitCodes.flatMap(([code, means]) => columns(`  ${code}`, exitColumn, means)),
        "",
    ].join("\n");
}
/** The help of Holdfast as a whole. */
function overview(commands) {
    const width = Math.max(...commands.map(({ name }) => name.length)) + 4;
    return [
        "Usage: holdfast COMMAND [options] KEY …",
        "",
        "One at a time: a lock that is fair, says who holds it, and is always let go.",
        "",
        "Commands:",
        ...commands.flatMap(({ name, summary }) => columns(`  ${name}`, width, summary)),
        "",
        "Everywhere:",
        ..._facts_js__WEBPACK_IMPORTED_MODULE_0__/* .COMMON_OPTIONS */ .DT.flatMap(optionLines),
        "",
        "Example:",
        "  holdfast run production -- ./deploy.sh",
        "",
        "A duration is 90 (seconds), 250ms, 30s, 5m, 2h, 1d or 1h30m; none is without limit.",
        "holdfast help COMMAND says more, with examples and exit codes.",
        "",
    ].join("\n");
}
function optionLines(option) {
    const short = option.short === undefined ? "" : `-${option.short}, `;
    const value = option.value === undefined ? "" : ` ${option.value}`;
    const fallback = option.default === undefined ? "" : ` (default: ${option.default})`;
    return columns(`  ${short}--${option.name}${value}`, OPTION_INDENT, `${option.says}${fallback}`);
}
/** A name on the left and its text on the right, which goes below where the name is long. */
function columns(left, indent, text) {
    const [first = "", ...more] = wrap(text, indent);
    if (left.length + 2 > indent)
        return [left, first, ...more];
    return [left.padEnd(indent) + first.trimStart(), ...more];
}
function wrap(text, indent) {
    const lines = [];
    let line = "";
    for (const word of text.split(" ")) {
        if (line !== "" && indent + line.length + 1 + word.length > COLUMNS) {
            lines.push(line);
            line = word;
        }
        else
            line = line === "" ? word : `${line} ${word}`;
    }
    return [...lines, line].map((content) => " ".repeat(indent) + content);
}


/***/ }),

/***/ 7700:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  holdfast: () => (/* binding */ holdfast),
  main: () => (/* binding */ main)
});

// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(1600);
// EXTERNAL MODULE: ./build/cli/arguments.js
var cli_arguments = __webpack_require__(7106);
// EXTERNAL MODULE: ./build/cli/command.js
var command = __webpack_require__(2647);
// EXTERNAL MODULE: ./build/cli/facts.js
var facts = __webpack_require__(909);
// EXTERNAL MODULE: ./build/cli/help-text.js
var help_text = __webpack_require__(9615);
;// CONCATENATED MODULE: ./build/cli/io.js

/** For a terminal that does not tell its size. */
const USUAL_COLUMNS = 80;
function systemIo() {
    return {
        stdout: outputTo(process.stdout),
        stderr: outputTo(process.stderr),
        env: process.env,
        workingDirectory() {
            try {
                return process.cwd();
            }
            catch (error) {
                throw new errors/* LockError */.Ku("BAD_STORE", `The working directory is gone (${(0,errors/* messageOf */.bD)(error)}): change to one that exists.`, { cause: error });
            }
        },
    };
}
function outputTo(stream) {
    // Whoever read our output may have gone (`holdfast list | head -1`): no reason to fail.
    stream.on("error", () => { });
    return {
        write: (text) => void stream.write(text),
        isTerminal: stream.isTTY === true,
        columns: () => stream.columns || USUAL_COLUMNS,
    };
}
/** Resolves when all that was written is out, or cannot get out any more. */
function flushed(stream) {
    return new Promise((resolve) => {
        if (stream.destroyed || stream.writableEnded)
            resolve();
        else
            stream.write("", () => resolve());
    });
}

// EXTERNAL MODULE: ./build/cli/report.js
var report = __webpack_require__(9646);
// EXTERNAL MODULE: ./build/cli/table.js + 48 modules
var table = __webpack_require__(805);
;// CONCATENATED MODULE: ./build/cli/program.js








/** The real program; main.ts loads it once it knows that this Node will do. */
async function main() {
    hideSqliteWarning();
    const args = process.argv.slice(2);
    const io = systemIo();
    // Whatever escapes from a timer or an event; a command that runs under the lock keeps it held.
    process.on("uncaughtException", (error) => process.exit(failure(error, args, io)));
    const code = await holdfast(args, io);
    await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
    process.exit(code);
}
/** Runs one command line. Resolves to the exit code, whatever happens. */
async function holdfast(args, io) {
    try {
        const place = placeOfCommand(args);
        if (place === -1)
            return withoutCommand(args, io);
        return await (0,table.findCommand)(args[place]).run(args.toSpliced(place, 1), io);
    }
    catch (error) {
        return failure(error, args, io);
    }
}
/** Says what went wrong; gives the exit code for it. */
function failure(thrown, args, io) {
    const error = (0,report/* asLockError */.Su)(thrown);
    (0,report/* reportError */.N7)(error, io, (0,cli_arguments/* splitAtDashes */.wc)(args).before.includes("--json"));
    return (0,report/* exitCodeOf */.FO)(error.code, args[placeOfCommand(args)] ?? null);
}
function placeOfCommand(args) {
    return (0,cli_arguments/* firstWord */.Nk)([...facts/* COMMON_OPTIONS */.DT, ...table.COMMANDS.flatMap(({ options }) => options)], args);
}
function withoutCommand(args, io) {
    const input = (0,cli_arguments/* parseArguments */.We)(NO_COMMAND, args, io.env);
    if (input.flag("version"))
        return (0,command/* printVersion */.w)(input.json, io);
    if (input.flag("help")) {
        io.stdout.write((0,help_text/* overview */.M)(table.COMMANDS));
        return 0;
    }
    input.check();
    io.stderr.write((0,help_text/* overview */.M)(table.COMMANDS));
    if (input.json)
        (0,report/* reportJson */.l4)(new errors/* LockError */.Ku("BAD_COMMAND", "The command is missing."), io);
    return 2;
}
const NO_COMMAND = {
    name: "COMMAND",
    summary: "",
    usage: "[options] KEY …",
    takes: "nothing",
    options: [],
    examples: [],
    exitCodes: [],
};
/** Earlier versions of Node 24 call node:sqlite experimental, once in each process, on stderr. */
function hideSqliteWarning() {
    const emit = process.emitWarning;
    process.emitWarning = ((warning, ...rest) => {
        if (!String(warning).startsWith("SQLite is an experimental feature"))
            emit(warning, ...rest);
    });
}


/***/ }),

/***/ 9646:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   FO: () => (/* binding */ exitCodeOf),
/* harmony export */   N7: () => (/* binding */ reportError),
/* harmony export */   Su: () => (/* binding */ asLockError),
/* harmony export */   cv: () => (/* binding */ say),
/* harmony export */   em: () => (/* binding */ sentence),
/* harmony export */   l4: () => (/* binding */ reportJson)
/* harmony export */ });
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);
/* harmony import */ var _showable_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7733);


/** A reason as the end of a sentence: some are whole ones already. */
function sentence(reason) {
    return reason.endsWith(".") ? reason : `${reason}.`;
}
/** One line for people, beside whatever stdout carries. */
function say(io, sentence) {
    io.stderr.write(`holdfast: ${(0,_showable_js__WEBPACK_IMPORTED_MODULE_1__/* .showable */ .of)(sentence)}\n`);
}
function reportError(error, io, json) {
    say(io, error.message);
    if (json)
        reportJson(error, io);
}
function reportJson(error, io) {
    io.stdout.write(`${(0,_showable_js__WEBPACK_IMPORTED_MODULE_1__/* .jsonText */ .s$)({ error: { code: error.code, message: error.message } })}\n`);
}
/** Whatever is not a LockError is a fault of Holdfast's own, and says so. */
function asLockError(error) {
    if (error instanceof _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku)
        return error;
    return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("INTERNAL", `internal error: ${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error)}`, { cause: error });
}
/** As timeout(1) and env(1) do: below 123 is the command's own. */
const RUN_CODES = {
    LOCK_LOST: 123,
    TIMEOUT: 124,
    COMMAND_NOT_RUNNABLE: 126,
    COMMAND_NOT_FOUND: 127,
};
const RUN_FAILED = 125;
const NO = ["TIMEOUT", "LOCK_LOST"];
function exitCodeOf(code, command) {
    if (command === "run")
        return RUN_CODES[code] ?? RUN_FAILED;
    return NO.includes(code) ? 1 : 2;
}


/***/ }),

/***/ 7733:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   b9: () => (/* binding */ cutToColumns),
/* harmony export */   of: () => (/* binding */ showable),
/* harmony export */   r7: () => (/* binding */ shellWord),
/* harmony export */   s$: () => (/* binding */ jsonText)
/* harmony export */ });
/** C0, DEL, C1 and the two line separators: they move the cursor, colour the screen or forge a line. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
/** Marks that turn the direction of text, with which a line can be made to read as another. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/**
 * Text for a terminal, on one line. Owners, notes and run addresses come from files that others
 * wrote: nothing in them may reach the terminal as anything but letters.
 */
function showable(text) {
    return text.toWellFormed().replace(CONTROLS, " ").replace(DIRECTIONS, "\ufffd");
}
/** One JSON document, with the same characters escaped: equal for a parser, harmless on a terminal. */
function jsonText(value) {
    const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return JSON.stringify(value)
        .replace(/[\u007f-\u009f\u2028\u2029]/g, escaped)
        .replace(DIRECTIONS, escaped);
}
const INVISIBLE = /^(?:\p{M}|[\u200b-\u200d])$/u;
const WIDE = /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$/u;
/** Cuts a line to the columns that it may take; a wrapped line could not be redrawn in place. */
function cutToColumns(text, columns) {
    let width = 0;
    let end = 0;
    let cut = 0;
    for (const character of text) {
        width += INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
        if (width > columns)
            return `${text.slice(0, cut)}…`;
        end += character.length;
        if (width < columns)
            cut = end;
    }
    return text;
}
/** Quotes a word for a POSIX shell where it needs that, for commands that a user may copy. */
function shellWord(text) {
    if (/^[\w./:@%+=-]+$/.test(text))
        return text;
    return `'${text.replaceAll("'", `'\\''`)}'`;
}


/***/ }),

/***/ 6308:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Z: () => (/* binding */ suggest)
/* harmony export */ });
/** What was probably meant: the nearest known word, if it is near enough. */
function suggest(word, known) {
    let best = null;
    let least = Math.min(3, Math.ceil(word.length / 2) + 1);
    for (const candidate of known) {
        const distance = distanceOf(word, candidate);
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}
/** Slips of the finger: inserted, left out, wrong and swapped letters. */
function distanceOf(a, b) {
    if (Math.abs(a.length - b.length) > 2)
        return Number.POSITIVE_INFINITY;
    const rows = [];
    const at = (row, column) => row < 0 || column < 0 ? Number.POSITIVE_INFINITY : (rows[row]?.[column] ?? 0);
    for (let i = 0; i <= a.length; i++) {
        const row = [];
        rows.push(row);
        for (let j = 0; j <= b.length; j++) {
            if (i === 0 || j === 0) {
                row.push(i + j);
                continue;
            }
            const wrong = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
            const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
                ? at(i - 2, j - 2) + 1
                : Number.POSITIVE_INFINITY;
            row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, wrong, swapped));
        }
    }
    return at(a.length, b.length);
}


/***/ }),

/***/ 805:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  COMMANDS: () => (/* binding */ COMMANDS),
  findCommand: () => (/* binding */ findCommand)
});

// EXTERNAL MODULE: ./build/lock/errors.js
var errors = __webpack_require__(1600);
// EXTERNAL MODULE: ./build/lock/text.js
var lock_text = __webpack_require__(5352);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
;// CONCATENATED MODULE: ./build/keeper/entry.js



/** The keeper's program, beside the one that runs: in dist/ as bundles, in the sources as modules. */
function keeperEntry(program) {
    return besides(program, [(0,external_node_path_.join)("keeper", "index.js"), (0,external_node_path_.join)("keeper", "main.ts")]);
}
/** The CLI's program, likewise. */
function cliEntry(program) {
    return besides(program, [join("cli", "index.js"), join("cli", "main.ts")]);
}
/** The program that talks to the Actions cache, likewise. */
function cacheEntry(program) {
    return besides(program, [join("cache", "index.js"), join("action", "cache.ts")]);
}
function besides(program, candidates) {
    // A command in a PATH is often a link to the real one.
    const folder = (0,external_node_path_.dirname)((0,external_node_path_.dirname)((0,external_node_fs_.realpathSync)(program)));
    const found = candidates.map((name) => (0,external_node_path_.join)(folder, name)).find((path) => (0,external_node_fs_.existsSync)(path));
    if (found !== undefined)
        return found;
    throw new errors/* LockError */.Ku("INTERNAL", `The program ${candidates[0]} is missing in ${folder}: is the installation complete?`);
}

// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
// EXTERNAL MODULE: ./build/lock/key.js
var lock_key = __webpack_require__(2816);
// EXTERNAL MODULE: ./build/stores/file/directory.js
var file_directory = __webpack_require__(2962);
// EXTERNAL MODULE: ./build/stores/file/random.js
var random = __webpack_require__(5870);
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
var file_processes = __webpack_require__(980);
;// CONCATENATED MODULE: ./build/keeper/lease-file.js



const SUFFIX = ".json";
/** Complete or not at all: whoever reads it must never meet half a lease. */
function writeLeaseFile(path, lease) {
    const temporary = `${path}.${process.pid}.tmp`;
    const handle = openSync(temporary, "w", 0o600);
    try {
        chmodSync(temporary, 0o600);
        writeSync(handle, `${JSON.stringify(lease, null, 2)}\n`);
        fsyncSync(handle);
    }
    finally {
        closeSync(handle);
    }
    renameSync(temporary, path);
}
/** Null where there is none. */
function lease_file_readLeaseFile(path) {
    let text;
    try {
        text = (0,external_node_fs_.readFileSync)(path, "utf8");
    }
    catch (error) {
        if ((0,errors/* systemCode */.xU)(error) === "ENOENT")
            return null;
        throw new errors/* LockError */.Ku("BAD_LEASE_FILE", `The lease file ${path} cannot be read: ${(0,errors/* messageOf */.bD)(error)}.`, { cause: error });
    }
    try {
        const lease = JSON.parse(text);
        if (lease.version === 1 && typeof lease.key === "string" && typeof lease.token === "string")
            return lease;
    }
    catch {
        // Told below, in one sentence for every way to be wrong.
    }
    throw new errors/* LockError */.Ku("BAD_LEASE_FILE", `The file ${path} is not a lease of Holdfast: name the file that acquire printed.`);
}
function removeLeaseFile(path) {
    for (const name of [path, lease_file_logPath(path)])
        (0,external_node_fs_.rmSync)(name, { force: true });
}
/** The keeper's log, beside the lease. */
function lease_file_logPath(leaseFile) {
    return `${leaseFile.slice(0, -SUFFIX.length)}.log`;
}
/** Every lease in a directory; files that are none are left out. */
function leasesIn(directory) {
    let names;
    try {
        names = (0,external_node_fs_.readdirSync)(directory).filter((name) => name.endsWith(SUFFIX));
    }
    catch {
        return [];
    }
    return names.flatMap((name) => {
        const path = (0,external_node_path_.join)(directory, name);
        try {
            const lease = lease_file_readLeaseFile(path);
            return lease === null ? [] : [{ path, lease }];
        }
        catch {
            return [];
        }
    });
}

;// CONCATENATED MODULE: ./build/keeper/lines.js
/** A peer that sends more than this without a newline is not one of ours. */
const LINE_LIMIT = 1024 * 1024;
/** Calls back for every line of a stream; `onEnd` once, whichever way it ends. */
function lines_readLines(stream, onLine, onEnd) {
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
function lines_parseLine(line) {
    try {
        const value = JSON.parse(line);
        return typeof value === "object" && value !== null ? value : null;
    }
    catch {
        return null;
    }
}

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
function removeSocket(path) {
    if (process.platform === "win32")
        return;
    (0,external_node_fs_.rmSync)(path, { force: true });
    if ((0,external_node_path_.basename)(path) !== SHORT_NAME)
        return;
    try {
        // Never with what may be in it: the path is only what a file says.
        (0,external_node_fs_.rmdirSync)((0,external_node_path_.dirname)(path));
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
            reject(new errors/* LockError */.Ku("KEEPER_GONE", `The keeper does not answer (${why}).`));
        };
        const timer = setTimeout(() => fail(`waited ${Math.round(timeout / 1_000)} s`), timeout);
        connection.on("error", (error) => fail(error.message));
        connection.on("connect", () => connection.write(`${JSON.stringify(request)}\n`));
        let answered = false;
        const onLine = (line) => {
            const reply = lines_parseLine(line);
            if (reply === null || answered)
                return;
            answered = true;
            clearTimeout(timer);
            connection.destroy();
            resolve(reply);
        };
        lines_readLines(connection, onLine, () => {
            if (!answered)
                fail("it closed the connection");
        });
    });
}

;// CONCATENATED MODULE: ./build/keeper/leases.js




/** A second claim of the same key in the same job would wait for the first one, which ends with the job. */
function refuseTwice(directory, key, store) {
    for (const { lease } of leasesIn(directory)) {
        if (isKept(lease) && lease.key === key && lease.store === store) {
            throw new errors/* LockError */.Ku("ALREADY_HELD", `This job already holds ${JSON.stringify(key)} in ${store}: a second claim would wait for itself. Take a key once in a job.`);
        }
    }
}
function isKept(lease) {
    return (lease.state === "held" &&
        (0,file_processes/* openProcesses */.I)({ sharedFilesystem: false }).alive(lease.keeper) !== false);
}
/** Removes leases that nobody will ask about any more: keeper and watched process have both ended. */
function sweepLeases(directory) {
    const processes = (0,file_processes/* openProcesses */.I)({ sharedFilesystem: false });
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
var external_node_child_process_ = __webpack_require__(1421);
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
    const lease = lease_file_readLeaseFile(order.leaseFile);
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
            const message = lines_parseLine(line);
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
        lines_readLines(stdout, onLine, () => { });
        stdin.write(`${JSON.stringify(order)}\n`);
        if (options.signal?.aborted)
            cancel();
        else
            options.signal?.addEventListener("abort", cancel);
    });
}

// EXTERNAL MODULE: ./build/cli/command.js
var command = __webpack_require__(2647);
// EXTERNAL MODULE: ./build/cli/facts.js
var facts = __webpack_require__(909);
// EXTERNAL MODULE: ./build/cli/report.js
var report = __webpack_require__(9646);
;// CONCATENATED MODULE: ./build/cli/run/facts.js

/** What a claim can be told; `acquire` takes the same. */
const CLAIM_OPTIONS = [
    { name: "slots", value: "N", says: "how many may hold the key at once", default: "1" },
    {
        name: "timeout",
        value: "D",
        says: "how long to wait; 0: not at all, none: without limit",
        default: "30m",
    },
    {
        name: "ttl",
        value: "D",
        says: "how long the lock outlives its last refresh, at least 1s",
        default: "by environment and purpose, 24h in CI",
    },
    {
        name: "lease",
        value: "D",
        says: "how soon a holder that cannot be seen and is silent counts as dead, at least 1s",
        default: "30s",
    },
    {
        name: "owner",
        value: "O",
        says: "who takes the lock",
        default: "from the CI run, else process and host",
    },
    { name: "note", value: "TEXT", says: "shown to those who wait" },
    { name: "format", value: "F", says: "of lock files: sema or json", default: "sema" },
    {
        name: "reclaim",
        value: "LIST",
        says: "whose lock may be taken over: expired, dead, same-user, higher-privilege, emergency, or none",
        default: "expired,dead",
    },
    {
        name: "purpose",
        value: "P",
        says: "automated, interactive or emergency",
        default: "automated in CI, else interactive",
    },
    {
        name: "environment",
        value: "E",
        says: "ci, container, cloud or local",
        default: "as found",
    },
    {
        name: "user",
        value: "U",
        says: "on whose behalf",
        default: "$HOLDFAST_USER, else the CI's actor, else the system's user",
    },
    {
        name: "stale",
        value: "RULE",
        says: "when a lock of another tool is stale: both (old, and its process gone) or age",
        default: "both",
    },
    {
        name: "stale-timeout",
        value: "D",
        says: "how old it must be for that",
        default: "1h",
    },
];
const RUN_FACTS = {
    name: "run",
    summary: "Takes the lock, runs a command, lets go, and exits with the command's code",
    usage: "KEY [options] -- CMD ARGS…",
    about: [
        "Waits its turn in line, and says who is ahead. CMD finds HOLDFAST_KEY, HOLDFAST_FENCE, HOLDFAST_OWNER and HOLDFAST_STORE in its environment. SIGINT, SIGTERM and SIGHUP go to CMD, each once. If the lock is lost, CMD gets SIGTERM, and SIGKILL after the grace.",
        facts/* KEY_MAY_BE_LEFT_OUT */.de,
    ],
    takes: "key",
    takesCommand: true,
    options: [
        ...CLAIM_OPTIONS,
        {
            name: "grace",
            value: "D",
            says: "from SIGTERM to SIGKILL where the lock was lost; none: no SIGKILL",
            default: "10s",
        },
    ],
    examples: [
        { line: "holdfast run production -- ./deploy.sh", says: "one deployment at a time" },
        {
            line: "holdfast run gpu --slots 2 --timeout 1h -- make train",
            says: "two at a time, waiting for an hour at most",
        },
        {
            line: "holdfast run nightly --timeout 0 -- ./backup.sh || echo busy",
            says: "now or not at all",
        },
    ],
    exitCodes: [
        ["CMD's own", "it ran under the lock"],
        ["123", "the lock was lost, and CMD was stopped"],
        ["124", "not acquired in time"],
        ["125", "Holdfast failed: bad input, store unreachable"],
        ["126", "CMD cannot be run"],
        ["127", "CMD was not found"],
        ["128+n", "CMD, or a run that still waited, was ended by signal n"],
    ],
};

// EXTERNAL MODULE: ./build/lock/duration.js
var duration = __webpack_require__(739);
// EXTERNAL MODULE: ./build/lock/owner.js
var owner = __webpack_require__(5208);
// EXTERNAL MODULE: ./build/lock/reclaim.js
var reclaim = __webpack_require__(6772);
// EXTERNAL MODULE: ./build/lock/slots.js
var slots = __webpack_require__(4242);
// EXTERNAL MODULE: ./build/lock/ttl.js
var ttl = __webpack_require__(8359);
;// CONCATENATED MODULE: ./build/stores/file/record.js
const LOCK_FORMATS = ["sema", "json"];

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
var lock_digest = __webpack_require__(7675);
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
    file: async (store, options) => (await __webpack_require__.e(/* import() */ 951).then(__webpack_require__.bind(__webpack_require__, 6951))).openFileStore(store, options),
    tcp: openTcp,
    tls: openTcp,
    http: openHttp,
    https: openHttp,
};
async function openTcp(store, options) {
    return (await __webpack_require__.e(/* import() */ 998).then(__webpack_require__.bind(__webpack_require__, 8998))).openTcpStore(store, options);
}
async function openHttp(store, options) {
    return (await __webpack_require__.e(/* import() */ 937).then(__webpack_require__.bind(__webpack_require__, 7937))).openHttpStore(store, options);
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

;// CONCATENATED MODULE: ./build/cli/session.js



/** Who calls. */
function whoCalls(io, pid = process.pid, overrides) {
    return identify({ ...here(), pid, env: io.env }, overrides);
}
/** The CI job that this command is part of, whatever its owner is called; null outside CI. */
function jobOf(io) {
    const { system, owner } = whoCalls(io);
    return system === null ? null : owner.id;
}
/** What the environment says about how to use a store, and what the command line adds. */
function storeOptionsOf(io, options) {
    return { workingDirectory: io.workingDirectory(), ...environmentOptions(io.env), ...options };
}
/** Opens the store that the command line or the environment names, and closes it afterwards. */
async function withStore(input, io, options, use) {
    const store = await openStore(input.store, storeOptionsOf(io, options));
    try {
        return await use(store);
    }
    finally {
        await store.close();
    }
}
/** The value of `--stale-timeout` in milliseconds; `none` is never. */
function staleTimeoutOf(input) {
    const text = input.text("stale-timeout");
    if (text === undefined)
        return {};
    return { staleTimeout: (0,duration/* parseDuration */.E9)(text, "stale timeout") ?? Number.POSITIVE_INFINITY };
}

;// CONCATENATED MODULE: ./build/cli/run/plan.js









const DEFAULT_TIMEOUT_MS = 30 * 60_000;
/** Shorter leases would let a busy machine lose its own locks. */
const LEASE_MIN_MS = 1_000;
/** Long enough for a deployment to write down where it stopped. */
const DEFAULT_GRACE_MS = 10_000;
function planOf(input, io) {
    const { commandLine } = input;
    if (commandLine.length === 0 || commandLine[0] === "") {
        throw new errors/* LockError */.Ku("BAD_COMMAND", "The command is missing: write it after --, as in holdfast run production -- ./deploy.sh.");
    }
    const grace = givenIn(input)("grace", (text) => (0,duration/* parseDuration */.E9)(text, "grace"));
    return {
        ...claimPlanOf(input, io),
        grace: grace === undefined ? DEFAULT_GRACE_MS : grace,
        commandLine,
    };
}
/** Parses an option where it was given. */
function givenIn(input) {
    return (name, parse) => {
        const text = input.text(name);
        return text === undefined ? undefined : parse(text);
    };
}
/** `pid`: the process that the owner is named after outside CI. */
function claimPlanOf(input, io, pid = process.pid) {
    const given = givenIn(input);
    const identity = whoCalls(io, pid, {
        owner: input.text("owner"),
        user: input.text("user"),
        purpose: given("purpose", ttl/* parsePurpose */.cM),
        environment: given("environment", ttl/* parseEnvironment */.Nq),
    });
    const request = {
        slots: given("slots", slots/* parseSlots */.fb),
        ttl: given("ttl", (text) => atLeast("BAD_TTL", "ttl", text, ttl/* TTL_MIN_MS */.BG)),
        lease: given("lease", (text) => atLeast("BAD_LEASE", "lease", text, LEASE_MIN_MS)),
        note: given("note", owner/* parseNote */.wd),
        reclaim: given("reclaim", reclaim/* parseReclaim */.XE),
    };
    const storeOptions = {
        format: given("format", parseFormat),
        stale: given("stale", parseStale),
    };
    const timeout = given("timeout", (text) => (0,duration/* parseDuration */.E9)(text, "timeout"));
    return {
        request: { key: input.key, owner: identity.owner, ...defined(request) },
        storeOptions: { user: identity.user, ...defined(storeOptions), ...staleTimeoutOf(input) },
        timeout: timeout === undefined ? DEFAULT_TIMEOUT_MS : timeout,
    };
}
function atLeast(code, name, text, least) {
    const value = (0,duration/* parseDuration */.E9)(text, name);
    if (value !== null && value >= least)
        return value;
    const wrong = value === null ? "has no end" : "is too short";
    throw new errors/* LockError */.Ku(code, `The ${name} ${(0,lock_text/* quote */.hD)(text)} ${wrong}: use at least ${least / 1_000}s.`);
}
function parseFormat(text) {
    const format = LOCK_FORMATS.find((known) => known === text);
    if (format !== undefined)
        return format;
    throw new errors/* LockError */.Ku("BAD_FORMAT", `The format ${(0,lock_text/* quote */.hD)(text)} is not known: use ${LOCK_FORMATS.join(" or ")}.`);
}
function parseStale(text) {
    if (text === "both" || text === "age")
        return text;
    throw new errors/* LockError */.Ku("BAD_OPTION", `The stale rule ${(0,lock_text/* quote */.hD)(text)} is not known: use both or age.`);
}
/** Leaves out what was not given, so that each default is stated in one place. */
function defined(fields) {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given);
}

;// CONCATENATED MODULE: ./build/cli/run/signals.js

/** What ends a command politely: from the keyboard, from a supervisor, from a closed terminal. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** The exit code that a shell gives to a process which a signal ended. */
function signalCode(signal) {
    return 128 + external_node_os_.constants.signals[signal];
}
/**
 * Catches the signals from the start of `run` to its end. Before the command runs, the first one is
 * kept and fires `interrupted`; while it runs, each goes to whoever `forwardTo` named.
 */
class Signals {
    #interrupted = new AbortController();
    #receiver = null;
    #first = null;
    constructor() {
        for (const signal of SIGNALS)
            process.on(signal, this.#onSignal);
    }
    get first() {
        return this.#first;
    }
    get interrupted() {
        return this.#interrupted.signal;
    }
    forwardTo(receiver) {
        this.#receiver = receiver;
    }
    close() {
        for (const signal of SIGNALS)
            process.off(signal, this.#onSignal);
    }
    #onSignal = (signal) => {
        if (this.#receiver !== null)
            return this.#receiver(signal);
        this.#first ??= signal;
        this.#interrupted.abort();
    };
}

// EXTERNAL MODULE: ./build/lock/describe.js
var describe = __webpack_require__(6854);
// EXTERNAL MODULE: ./build/cli/showable.js
var showable = __webpack_require__(7733);
;// CONCATENATED MODULE: ./build/cli/run/waiting-line.js


/** Without a terminal: how often something is said though nothing has changed. */
const REPEAT_MS = 30_000;
/** On a terminal: how often the held-for time moves on. */
const REDRAW_MS = 1_000;
const CLEAR_LINE = "\r\u001b[K";
/** Tells people how a waiting claim stands: one live line on a terminal, else now and then a line. */
class WaitingLine {
    #key;
    #output;
    #live;
    #progress = null;
    #last = "";
    #timer;
    #ended = false;
    constructor(key, output, options) {
        this.#key = key;
        this.#output = output;
        this.#live = output.isTerminal && !options.dumb;
    }
    /** Whether anything was said. */
    get shown() {
        return this.#progress !== null;
    }
    update = (progress) => {
        if (this.#ended)
            return;
        this.#progress = progress;
        const picture = (0,describe/* pictureOf */.CS)(progress);
        if (!this.#live && picture === this.#last)
            return;
        this.#last = picture;
        this.#draw();
    };
    end() {
        if (this.#ended)
            return;
        this.#ended = true;
        clearTimeout(this.#timer);
        if (this.#live && this.shown)
            this.#output.write(CLEAR_LINE);
    }
    #draw() {
        if (this.#progress === null)
            return;
        const line = waitingText(this.#key, this.#progress, Date.now());
        // The last column stays free: writing there would move some terminals to the next line.
        this.#output.write(this.#live ? `${CLEAR_LINE}${(0,showable/* cutToColumns */.b9)(line, this.#output.columns() - 1)}` : `${line}\n`);
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#draw(), this.#live ? REDRAW_MS : REPEAT_MS).unref();
    }
}
function waitingText(key, progress, now) {
    return (0,showable/* showable */.of)(`holdfast: ${(0,describe/* waitingInLine */.Fq)(key, progress, now)}`);
}

;// CONCATENATED MODULE: ./build/cli/acquire.js
















const acquireCommand = (0,command/* defineCommand */.N)({
    name: "acquire",
    summary: "Takes the lock and leaves a keeper behind that holds it",
    usage: "KEY [options] [--until-pid PID | --detach]",
    about: [
        "Prints the path of the lease file, which release and verify take. The keeper lets go when the process that called acquire ends. In $(…), under npx, npm scripts or make that is a short-lived shell: name the one that is meant with --until-pid $$.",
        facts/* KEY_MAY_BE_LEFT_OUT */.de,
    ],
    takes: "key",
    options: [
        ...CLAIM_OPTIONS,
        {
            name: "until-pid",
            value: "PID",
            says: "let go when that process ends",
            default: "the calling process",
        },
        { name: "detach", says: "watch no process; the ttl is then not refreshed, and is the bound" },
    ],
    examples: [
        { line: "holdfast acquire production --until-pid $$", says: "held until this script ends" },
        {
            line: "lease=$(holdfast acquire production --until-pid $$) || exit 1",
            says: "and its lease file in a variable",
        },
        {
            line: "holdfast acquire freeze --detach --ttl 2h --note 'release week'",
            says: "held for two hours, whoever ends",
        },
    ],
    exitCodes: [
        ["0", "acquired"],
        ["1", "not acquired in time"],
        ["2", "bad input or failure"],
        ["128+n", "ended by signal n while waiting; the line is left"],
    ],
}, async (input, io) => {
    const watched = watchedProcess(input);
    // Named after the process that it is held for: this one ends in a moment.
    const plan = claimPlanOf(input, io, watched?.pid);
    const signals = new Signals();
    const line = new WaitingLine(plan.request.key || input.store, io.stderr, {
        dumb: io.env.TERM === "dumb",
    });
    try {
        const storeOptions = storeOptionsOf(io, plan.storeOptions);
        const { url, key } = await withStore(input, io, plan.storeOptions, async (store) => ({
            url: store.url,
            key: (await store.inspect(plan.request.key)).key,
        }));
        const directory = prepareLeaseDirectory(io.env);
        sweepLeases(directory);
        if (io.env.RUNNER_TEMP)
            refuseTwice(directory, key, url);
        const request = { ...plan.request, key, refresh: !input.flag("detach") };
        const leaseFile = newLeasePath(directory, key);
        const order = {
            store: url,
            storeOptions,
            request,
            timeout: plan.timeout,
            history: !input.quiet,
            leaseFile,
            watched,
            job: jobOf(io),
        };
        const onProgress = input.quiet ? {} : { onProgress: line.update };
        const options = { signal: signals.interrupted, ...onProgress };
        const entry = keeperEntry(process.argv[1] ?? "");
        const keeper = spawnKeeper({ entry, env: io.env, directory });
        const lease = await orderKeeper(keeper, order, options);
        line.end();
        io.stdout.write(input.json ? `${(0,showable/* jsonText */.s$)(publicLease(lease, leaseFile))}\n` : `${leaseFile}\n`);
        return 0;
    }
    catch (error) {
        line.end();
        if (signals.first === null)
            throw error;
        (0,report/* reportError */.N7)(new errors/* LockError */.Ku("ABORTED", `Interrupted by ${signals.first}: the claim has left the line.`), io, input.json);
        return signalCode(signals.first);
    }
    finally {
        signals.close();
    }
});
/** The lease without its token, as scripts see it; times in seconds. */
function publicLease(lease, path) {
    const { key, store, owner, fence, slot, since, ttl } = lease;
    return { key, store, owner, fence, slot, since, ttl, waited: lease.waited / 1_000, lease: path };
}
function watchedProcess(input) {
    const text = input.text("until-pid");
    if (input.flag("detach")) {
        if (text === undefined)
            return null;
        throw new errors/* LockError */.Ku("BAD_OPTION", "--until-pid and --detach contradict each other: use one of them.");
    }
    const pid = text === undefined ? process.ppid : Number(text);
    if (!/^\d{1,10}$/.test(text ?? "0") || pid <= 0) {
        throw new errors/* LockError */.Ku("BAD_OPTION", `The process id ${(0,lock_text/* quote */.hD)(text ?? String(pid))} is not a number above 0.`);
    }
    const mark = (0,file_processes/* openProcesses */.I)({ sharedFilesystem: false }).mark(pid);
    if (mark !== null)
        return mark;
    throw new errors/* LockError */.Ku("BAD_OPTION", `There is no process ${pid}: name one that lives as long as the lock is wanted.`);
}

;// CONCATENATED MODULE: ./build/cli/break.js








const REASON_BYTES_LIMIT = 1_000;
const breakCommand = (0,command/* defineCommand */.N)({
    name: "break",
    summary: "Takes a key from its holder, or from all of its holders, dead or alive",
    usage: "KEY --reason TEXT [--slot N]",
    about: [
        "The holder learns of it and stops its command. The reason is shown to it and kept in the audit log. A free key is success, and said so.",
        facts/* KEY_MAY_BE_LEFT_OUT */.de,
    ],
    takes: "key",
    options: [
        { name: "reason", value: "TEXT", says: "why, for the holder and for the record; required" },
        {
            name: "slot",
            value: "N",
            says: "only the holder of this slot, counted from 0",
            default: "all",
        },
    ],
    examples: [
        {
            line: 'holdfast break production --reason "the runner was unplugged"',
            says: "free a lock whose holder cannot be asked",
        },
    ],
    exitCodes: [
        ["0", "taken away, or it was free"],
        ["2", "bad input or failure"],
    ],
}, async (input, io) => {
    const reason = reasonOf(input.text("reason"));
    const slot = slotOf(input);
    const { owner, user } = whoCalls(io);
    const { broken, key, url } = await withStore(input, io, { user }, async (store) => {
        const result = await store.break(input.key, { reason, owner: owner.id, ...slot });
        const name = input.key === "" ? (await store.inspect("")).key : input.key;
        return { ...result, key: name, url: store.url };
    });
    if (input.json)
        io.stdout.write(`${(0,showable/* jsonText */.s$)({ key, store: url, broken })}\n`);
    else if (!input.quiet) {
        const now = Date.now();
        const lines = broken.length === 0
            ? [`${key} was free`]
            : broken.map((holder) => `${key} was taken from ${(0,describe/* holderInLine */.ix)(holder, now)}`);
        for (const line of lines)
            io.stdout.write(`${(0,showable/* showable */.of)(line)}\n`);
    }
    return 0;
});
function reasonOf(text) {
    const reason = (0,lock_text/* cleanText */.X5)((text ?? "").toWellFormed()).trim();
    if (reason === "") {
        throw new errors/* LockError */.Ku("BAD_REASON", 'The reason is missing: say why the lock is broken, such as --reason "the runner was unplugged".');
    }
    if ((0,lock_text/* byteLength */.dp)(reason) > REASON_BYTES_LIMIT) {
        throw new errors/* LockError */.Ku("BAD_REASON", `The reason has ${(0,lock_text/* byteLength */.dp)(reason)} bytes: use at most ${REASON_BYTES_LIMIT}.`);
    }
    return reason;
}
function slotOf(input) {
    const text = input.text("slot");
    if (text === undefined)
        return {};
    const slot = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (!(slot < slots/* SLOTS_LIMIT */.aZ)) {
        throw new errors/* LockError */.Ku("BAD_SLOTS", `The slot ${(0,lock_text/* quote */.hD)(text)} is not a whole number from 0 to ${slots/* SLOTS_LIMIT */.aZ - 1}.`);
    }
    return { slot };
}

;// CONCATENATED MODULE: ./build/cli/clean.js




const cleanCommand = (0,command/* defineCommand */.N)({
    name: "clean",
    summary: "Removes what the dead left: stale locks, tickets, temporary files",
    usage: "[--dry-run] [--stale-timeout D]",
    about: [
        "No lock needs this: the next claim takes over what a dead holder left. It tidies keys that nobody asks for any more.",
    ],
    takes: "nothing",
    options: [
        { name: "dry-run", says: "only say what would be removed" },
        {
            name: "stale-timeout",
            value: "D",
            says: "how old a lock of another tool must be before it can count as stale",
            default: "1h",
        },
    ],
    examples: [
        { line: "holdfast clean --dry-run", says: "see what would go" },
        {
            line: "holdfast clean --store ./locks --stale-timeout 1d",
            says: "keep what is younger than a day",
        },
    ],
    exitCodes: [
        ["0", "done, also where there was nothing to do"],
        ["2", "bad input, or something could not be removed"],
    ],
}, async (input, io) => {
    const dryRun = input.flag("dry-run");
    const stale = staleTimeoutOf(input);
    const { owner, user } = whoCalls(io);
    const { url, removed, failed } = await withStore(input, io, { user }, async (store) => {
        const result = await store.clean?.({ dryRun, owner: owner.id, ...stale });
        return { url: store.url, removed: [], failed: [], ...result };
    });
    if (input.json)
        io.stdout.write(`${(0,showable/* jsonText */.s$)({ store: url, dryRun, removed, failed })}\n`);
    else if (!input.quiet) {
        const verb = dryRun ? "would remove" : "removed";
        for (const { path, why } of removed)
            io.stdout.write(`${(0,showable/* showable */.of)(`${verb} ${path} (${why})`)}\n`);
        if (removed.length === 0)
            (0,report/* say */.cv)(io, `nothing to clean in ${url}`);
    }
    for (const { path, why } of failed)
        (0,report/* say */.cv)(io, `${path} was not cleaned: ${why}`);
    return failed.length > 0 ? 2 : 0;
});

// EXTERNAL MODULE: ./build/cli/help-text.js
var help_text = __webpack_require__(9615);
;// CONCATENATED MODULE: ./build/cli/help.js



const helpCommand = (0,command/* defineCommand */.N)({
    name: "help",
    summary: "Explains Holdfast, or one of its commands",
    usage: "[COMMAND]",
    takes: "word",
    options: [],
    examples: [{ line: "holdfast help run", says: "everything about run" }],
    exitCodes: facts/* DONE_OR_FAILED */.hG,
}, async (input, io) => {
    // Loaded here, because the table holds this command too.
    const { COMMANDS, findCommand } = await Promise.resolve(/* import() */).then(__webpack_require__.bind(__webpack_require__, 805));
    const [name] = input.words;
    io.stdout.write(name === undefined ? (0,help_text/* overview */.M)(COMMANDS) : (0,help_text/* helpOf */.Z)(findCommand(name)));
    return 0;
});

// EXTERNAL MODULE: ./build/lock/history.js
var lock_history = __webpack_require__(4171);
;// CONCATENATED MODULE: ./build/cli/history.js








const DEFAULT_LIMIT = 20;
const LIMIT = 1_000;
const historyCommand = (0,command/* defineCommand */.N)({
    name: "history",
    summary: "Shows who held a key lately, for how long, and how that ended",
    usage: "KEY [--limit N]",
    about: [
        "The newest hold comes first. Median and 90 % are of the holds that were let go: one that was broken or whose holder died lasted until somebody noticed.",
        facts/* KEY_MAY_BE_LEFT_OUT */.de,
    ],
    takes: "key",
    options: [
        {
            name: "limit",
            value: "N",
            says: "show at most N holds; a server remembers 50 of a key",
            default: String(DEFAULT_LIMIT),
        },
    ],
    examples: [
        { line: "holdfast history production", says: "who deployed lately, and how long it took" },
        {
            line: "holdfast history production --limit 50 --json",
            says: "for a script; times in seconds",
        },
    ],
    exitCodes: [
        ["0", "shown, also where there is none yet"],
        ["2", "bad input or failure, or the store remembers nothing"],
    ],
}, async (input, io) => {
    const limit = limitOf(input);
    const found = await withStore(input, io, {}, async (store) => {
        if (store.history === undefined) {
            throw new errors/* LockError */.Ku("NOT_SUPPORTED", `The store ${store.url} keeps no history: use a lock directory or a server of Holdfast's own.`);
        }
        const { key } = await store.inspect(input.key);
        return { key, store: store.url, holds: await store.history(key, { limit }) };
    });
    if (input.json)
        io.stdout.write(`${(0,showable/* jsonText */.s$)(historyJson(found))}\n`);
    else if (!input.quiet)
        io.stdout.write(historyText(found));
    return 0;
});
function limitOf(input) {
    const text = input.text("limit");
    if (text === undefined)
        return DEFAULT_LIMIT;
    const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= LIMIT)
        return limit;
    throw new errors/* LockError */.Ku("BAD_OPTION", `The limit ${(0,lock_text/* quote */.hD)(text)} is not a whole number from 1 to ${LIMIT}.`);
}
/** Times in seconds, as everywhere in JSON. */
function historyJson({ key, store, holds }) {
    const statistics = (0,lock_history/* statisticsOf */.jm)(holds);
    return {
        key,
        store,
        released: statistics?.holds ?? 0,
        median: seconds(statistics?.median),
        p90: seconds(statistics?.ninety),
        holds: holds.map((hold) => ({
            ...hold,
            waited: seconds(hold.waited),
            held: seconds(hold.held),
        })),
    };
}
function seconds(milliseconds) {
    return milliseconds == null ? null : Math.round(milliseconds) / 1_000;
}
function historyText({ key, store, holds }) {
    const lines = [`${key} in ${store}: ${summaryOf(holds.length, (0,lock_history/* statisticsOf */.jm)(holds))}`];
    if (holds.length > 0)
        lines.push(...tableOf([HEADER, ...holds.map(rowOf)]));
    return lines.map((line) => `${(0,showable/* showable */.of)(line)}\n`).join("");
}
function summaryOf(count, statistics) {
    if (count === 0)
        return "no hold is remembered";
    const holds = count === 1 ? "1 hold" : `${count} holds`;
    if (statistics === null)
        return `${holds}, none of them let go`;
    const of = statistics.holds === count ? "" : ` (of ${statistics.holds} let go)`;
    return `${holds}, median ${(0,duration/* formatDuration */.a3)(statistics.median)}, 90 % within ${(0,duration/* formatDuration */.a3)(statistics.ninety)}${of}`;
}
const HEADER = ["since", "waited", "held", "end", "owner"];
function rowOf({ owner, since, waited, held, end }) {
    return [
        since,
        waited === null ? "?" : (0,duration/* formatDuration */.a3)(waited),
        (0,duration/* formatDuration */.a3)(held),
        end,
        // Last, since it may be as long as it likes.
        owner,
    ];
}
function tableOf(rows) {
    const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
    return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd());
}

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
function estimateTurn(question) {
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
    return history === undefined ? null : () => history.call(store, key, { limit: lock_history/* HISTORY_LIMIT */.Dc });
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
        onProgress({ ...progress, estimate: estimateTurn(question) });
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

;// CONCATENATED MODULE: ./build/cli/forecast.js

/** So many keys are looked up at once: a server is not to be flooded with questions. */
const AT_ONCE = 8;
/** A status with the turns that its history lets expect. Without a history there are none. */
async function withEstimate(store, status, now) {
    const isAwaited = status.holders.length >= status.slots || status.waiting > 0;
    const history = isAwaited ? historyOf(store, status.key) : null;
    // A status is worth more than its estimate: whatever fails here is left out.
    const holds = history === null ? [] : await history().catch(() => []);
    return forecastStatus(status, holds, now);
}
async function withEstimates(store, found, now) {
    const known = [];
    for (let first = 0; first < found.length; first += AT_ONCE) {
        const some = found.slice(first, first + AT_ONCE);
        known.push(...(await Promise.all(some.map((status) => withEstimate(store, status, now)))));
    }
    return known;
}

;// CONCATENATED MODULE: ./build/cli/list.js







const listCommand = (0,command/* defineCommand */.N)({
    name: "list",
    summary: "Lists every key that is held or waited for",
    usage: "[--all]",
    takes: "nothing",
    options: [{ name: "all", says: "also free keys that the store remembers" }],
    examples: [
        { line: "holdfast list", says: "what is locked on this machine" },
        { line: "holdfast list --json --store ./locks", says: "for a script, in a store of its own" },
    ],
    exitCodes: facts/* DONE_OR_FAILED */.hG,
}, async (input, io) => {
    const all = input.flag("all");
    const now = Date.now();
    const { found, url } = await withStore(input, io, {}, async (store) => ({
        found: await withEstimates(store, await store.list({ all }), now),
        url: store.url,
    }));
    if (input.json)
        io.stdout.write(`${(0,showable/* jsonText */.s$)(found)}\n`);
    else if (!input.quiet) {
        io.stdout.write(listText(found, now));
        if (found.length === 0)
            (0,report/* say */.cv)(io, `nothing is held or waited for in ${url}`);
    }
    return 0;
});
/** Keys beyond this do not push the other columns out of sight. */
const KEY_COLUMNS = 40;
function listText(found, now) {
    const width = Math.min(KEY_COLUMNS, Math.max(0, ...found.map(({ key }) => key.length)));
    return found.map((status) => `${(0,showable/* showable */.of)(lineOf(status, width, now))}\n`).join("");
}
function lineOf(status, width, now) {
    const { holders, slots, waiting, estimate } = status;
    const held = holders.length === 0 ? "free" : `held by ${(0,describe/* holdersInLine */.XR)(holders, now, estimate)}`;
    const count = slots > 1 ? `${holders.length} of ${slots} slots, ` : "";
    const line = waiting > 0 ? `; ${waiting} waiting` : "";
    const turn = estimate === null ? "" : `; turn of a new claim ${(0,describe/* turnIn */.rn)(estimate)}`;
    return `${status.key.padEnd(width)}  ${count}${held}${line}${turn}`;
}

;// CONCATENATED MODULE: ./build/cli/migrate.js






const migrateCommand = (0,command/* defineCommand */.N)({
    name: "migrate",
    summary: "Converts lock files from one format to the other",
    usage: "PATH… [--to json|sema]",
    about: [
        "A lock that a living Holdfast process holds is left alone, and so is a file that is no lock file; each with a sentence.",
    ],
    takes: "paths",
    options: [
        {
            name: "to",
            value: "FORMAT",
            says: "json, or sema (pid=, timestamp=, tag= lines)",
            default: "json",
        },
    ],
    examples: [
        { line: "holdfast migrate /var/lock/deploy.lock", says: "from lines to JSON" },
        { line: "holdfast migrate locks/*.lock --to sema", says: "so that the sema tools see them" },
    ],
    exitCodes: [
        ["0", "every file is in that format now"],
        ["2", "bad input, or a file was left alone"],
    ],
}, async (input, io) => {
    const to = input.text("to") ?? "json";
    if (to !== "json" && to !== "sema") {
        throw new errors/* LockError */.Ku("BAD_FORMAT", `The format ${(0,lock_text/* quote */.hD)(to)} is not known: use json or sema.`);
    }
    const { owner, user } = whoCalls(io);
    const { migrateLockFile } = await Promise.all(/* import() */[__webpack_require__.e(951), __webpack_require__.e(354)]).then(__webpack_require__.bind(__webpack_require__, 9354));
    const workingDirectory = io.workingDirectory();
    const options = { to, owner: owner.id, user, workingDirectory };
    const results = [];
    for (const path of input.words) {
        // One bad file must not keep the others from being converted.
        results.push(await migrateLockFile(path, options).catch((error) => {
            if (!(0,errors/* isLockError */.S)(error))
                throw error;
            return { path, outcome: "failed", message: error.message };
        }));
    }
    let code = 0;
    for (const { outcome, message } of results) {
        const done = outcome === "migrated" || outcome === "already";
        if (!done) {
            (0,report/* say */.cv)(io, message);
            code = 2;
        }
        else if (!input.quiet && !input.json)
            io.stdout.write(`${(0,showable/* showable */.of)(message)}\n`);
    }
    if (input.json)
        io.stdout.write(`${(0,showable/* jsonText */.s$)(results)}\n`);
    return code;
});

;// CONCATENATED MODULE: ./build/keeper/log.js


function openLog(leaseFile) {
    const path = logPath(leaseFile);
    return {
        write: (line) => {
            try {
                appendFileSync(path, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 });
            }
            catch {
                // The job's directory is gone: the job is, too, and nobody will read this.
            }
        },
    };
}
/** Its lines; none where there is no log. */
function readLog(leaseFile) {
    try {
        return (0,external_node_fs_.readFileSync)(lease_file_logPath(leaseFile), "utf8").trimEnd().split("\n");
    }
    catch {
        return [];
    }
}

;// CONCATENATED MODULE: ./build/keeper/client.js







/** A keeper answers in milliseconds; one that takes this long is stopped or stuck. */
const RELEASE_MS = 10_000;
/** Lets go what a keeper holds, with the keeper's help or, where it is gone or stuck, without. */
async function releaseLease(path, { history = false } = {}) {
    const lease = lease_file_readLeaseFile(path);
    // A keeper that was killed while it waited has left its log.
    if (lease === null)
        return finish(path, null, { outcome: "already-gone" });
    if (lease.state === "lost")
        return finish(path, lease, await lost(lease));
    const processes = (0,file_processes/* openProcesses */.I)({ sharedFilesystem: false });
    let reason = "its keeper had ended";
    if (processes.alive(lease.keeper) !== false) {
        try {
            const request = { op: "release", token: lease.token, history };
            const reply = await askSocket(lease.socket, request, RELEASE_MS);
            const past = history ? { holds: (0,lock_history/* readHolds */.RC)(reply.holds) } : {};
            if (reply.outcome === "released")
                return { outcome: "released", log: [], ...past };
            const after = lease_file_readLeaseFile(path);
            if (after === null)
                return finish(path, lease, { outcome: "already-gone" });
            if (after.state === "lost")
                return finish(path, lease, await lost(after));
        }
        catch (error) {
            if (!(0,errors/* isLockError */.S)(error, "KEEPER_GONE"))
                throw error;
            if (lease_file_readLeaseFile(path) === null)
                return finish(path, lease, { outcome: "already-gone" });
            reason = error.message;
        }
    }
    return finish(path, lease, await releaseFromStuck(lease, reason, processes));
}
/**
 * The keeper is gone, stopped or stuck. A living one is ended only once the lock is let go: before,
 * its end would open the lock to whoever waits, and that would look like a loss.
 */
async function releaseFromStuck(lease, reason, processes) {
    const endKeeper = () => {
        if (processes.alive(lease.keeper) === true)
            process.kill(lease.keeper.pid, "SIGKILL");
    };
    try {
        return await releaseWithoutKeeper(lease, reason);
    }
    catch (error) {
        // Nobody renewed it any more, and a server frees what its keeper's end left behind.
        const keeperGone = processes.alive(lease.keeper) === false;
        if (keeperGone && (0,errors/* isLockError */.S)(error, "STORE_UNREACHABLE")) {
            return { outcome: "lost", reason: `${reason}, and ${uncapitalised(error.message)}` };
        }
        if (!(0,errors/* isLockError */.S)(error, "GUARD_BUSY"))
            throw error;
        // It was stopped inside the store's guard, which only its end opens.
        endKeeper();
        return await releaseWithoutKeeper(lease, reason);
    }
    finally {
        // It must not wake up later and go on as if it still held the lock.
        endKeeper();
    }
}
function uncapitalised(sentence) {
    return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
/**
 * For a job that is over and could not let go: nobody comes back for its lease, and the secrets in
 * it must not stay behind. Returns what the keeper wrote down.
 */
function forgetLease(path) {
    return finish(path, readLeaseFile(path), { outcome: "already-gone" }).log;
}
function finish(path, lease, outcome) {
    const log = readLog(path);
    removeLeaseFile(path);
    if (lease !== null)
        removeSocket(lease.socket);
    return { ...outcome, log };
}
async function releaseWithoutKeeper(lease, reason) {
    return client_withStore(lease, async (store) => {
        const outcome = await store.release(lease);
        if (outcome === "released")
            return { outcome: "recovered", reason };
        return { outcome: "lost", reason, holder: holderOf(await store.inspect(lease.key)) };
    });
}
async function lost(lease) {
    const reason = lease.lost?.reason ?? "it was taken";
    try {
        const status = await client_withStore(lease, (store) => store.inspect(lease.key));
        return { outcome: "lost", reason, holder: holderOf(status) };
    }
    catch {
        return { outcome: "lost", reason };
    }
}
function holderOf(status) {
    return status.holders.map((holder) => holder.owner).join(", ") || null;
}
async function client_withStore(lease, use) {
    const store = await openStore(lease.store, lease.storeOptions);
    try {
        return await use(store);
    }
    finally {
        await store.close();
    }
}
/** Asks the store, not the keeper, whether the lease still holds. */
async function verifyLease(lease) {
    if (lease.state === "lost")
        return { held: false, reason: lease.lost?.reason ?? "it was lost" };
    return client_withStore(lease, async (store) => {
        if (await store.verify(lease))
            return { held: true, reason: null };
        const status = await store.inspect(lease.key);
        // A dead holder's lock stays until somebody takes it: it would be said to be held by this job.
        const isOurs = status.holders.some(({ fence }) => fence !== null && fence === lease.fence);
        if (isOurs)
            return { held: false, reason: "its keeper has ended" };
        const holder = holderOf(status);
        return { held: false, reason: holder === null ? "nobody holds it" : `it is held by ${holder}` };
    });
}

;// CONCATENATED MODULE: ./build/cli/lease.js





/** `--lease`, else KEY among the leases of this user and job, else HOLDFAST_LEASE. */
async function leaseOf(input, io) {
    const named = input.text("lease");
    if (named !== undefined)
        return fromFile(named, input.key);
    if (input.key === "") {
        if (io.env.HOLDFAST_LEASE)
            return fromFile(io.env.HOLDFAST_LEASE, "");
        throw new errors/* LockError */.Ku("BAD_KEY", "Neither a key nor a lease is named: give KEY, --lease FILE, or set HOLDFAST_LEASE.");
    }
    const { key, url } = await withStore(input, io, {}, async (store) => ({
        key: (await store.inspect(input.key)).key,
        url: store.url,
    }));
    const found = findLease(leaseDirectory(io.env), key, url, jobOf(io));
    return { key, path: found?.path ?? null, lease: found?.lease ?? null };
}
/** A lease file that is gone was let go: it still names what the caller asked about. */
function fromFile(path, key) {
    const lease = lease_file_readLeaseFile(path);
    if (lease !== null && key !== "" && key !== lease.key) {
        throw new errors/* LockError */.Ku("BAD_KEY", `The lease file ${path} is for ${JSON.stringify(lease.key)}, not for ${JSON.stringify(key)}: leave the key out.`);
    }
    return { key: lease?.key ?? key, path, lease };
}

;// CONCATENATED MODULE: ./build/cli/release.js






const releaseCommand = (0,command/* defineCommand */.N)({
    name: "release",
    summary: "Lets go what a keeper holds",
    usage: "[KEY] [--lease FILE]",
    about: [
        "Without KEY and --lease it takes HOLDFAST_LEASE. With KEY it finds the keeper by the lease files of this user. A lock that is already gone is success.",
    ],
    takes: "word",
    options: [
        {
            name: "lease",
            value: "FILE",
            says: "the lease file that acquire printed",
            default: "$HOLDFAST_LEASE",
        },
    ],
    examples: [
        { line: "holdfast release production", says: "by key" },
        { line: 'holdfast release --lease "$lease"', says: "by the file that acquire printed" },
    ],
    exitCodes: [
        ["0", "let go, or already gone"],
        ["1", "held by somebody else"],
        ["2", "bad input or failure"],
    ],
}, async (input, io) => {
    const found = await leaseOf(input, io);
    if (found.path === null) {
        const status = await withStore(input, io, {}, (store) => store.inspect(found.key));
        return withoutLease(status, input, io);
    }
    const released = await releaseLease(found.path);
    const { log: _, ...told } = released;
    if (input.json)
        io.stdout.write(`${(0,showable/* jsonText */.s$)({ key: found.key, ...told })}\n`);
    if (!input.quiet)
        (0,report/* say */.cv)(io, sentenceOf(found.key, released));
    return released.outcome === "lost" && released.holder ? 1 : 0;
});
function sentenceOf(key, released) {
    const name = key === "" ? "The lock" : JSON.stringify(key);
    switch (released.outcome) {
        case "released":
            return `${name} was let go.`;
        case "already-gone":
            return `${name} was already let go.`;
        case "recovered":
            return `${name} was let go without its keeper: ${(0,report/* sentence */.em)(released.reason)}`;
        case "lost": {
            const now = !released.holder ? "" : ` It is held by ${released.holder}.`;
            return `${name} was already gone: ${(0,report/* sentence */.em)(released.reason)}${now}`;
        }
    }
}
/** No keeper of this user has it: then it is nobody's, or somebody else's. */
function withoutLease(status, input, io) {
    const holder = status.holders.map(({ owner }) => owner).join(", ") || null;
    const outcome = holder === null ? "already-gone" : "not-held";
    if (input.json)
        io.stdout.write(`${(0,showable/* jsonText */.s$)({ key: status.key, outcome, holder })}\n`);
    const name = JSON.stringify(status.key);
    if (!input.quiet) {
        (0,report/* say */.cv)(io, holder === null
            ? `${name} is free: nothing to let go.`
            : `${name} is held by ${holder}, not by a keeper of this user: nothing was let go.`);
    }
    return holder === null ? 0 : 1;
}

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
;// CONCATENATED MODULE: ./build/cli/run/child.js





/** The environment of the command: the caller's, and what it runs under. */
function childEnvironment(env, holding) {
    const { key, fence, owner, store } = holding.lease;
    // A lease file of a surrounding job is not this lock's: `holdfast verify` would ask for the other.
    const { HOLDFAST_FENCE: _fence, HOLDFAST_LEASE: _lease, ...rest } = env;
    return {
        ...rest,
        HOLDFAST_KEY: key,
        HOLDFAST_OWNER: owner,
        HOLDFAST_STORE: store,
        ...(fence === null ? {} : { HOLDFAST_FENCE: String(fence) }),
    };
}
/** Starts the command, without a shell, on the caller's own terminal or pipes. */
async function startCommand(commandLine, env) {
    const [file = "", ...args] = commandLine;
    let child;
    try {
        child = (0,external_node_child_process_.spawn)(file, args, { stdio: handedDown(args), env });
    }
    catch (error) {
        throw notStarted(file, error);
    }
    const { pid } = child;
    if (pid === undefined) {
        throw await new Promise((resolve) => {
            child.once("error", (error) => resolve(notStarted(file, error)));
        });
    }
    const ended = new Promise((resolve) => {
        child.once("exit", (code, signal) => resolve(signal === null ? (code ?? 0) : signalCode(signal)));
        // Such as a signal that could not be sent; the end is told by `exit` alone.
        child.on("error", () => { });
    });
    return { process: child, pid, ended };
}
/**
 * Its own three, and those that the arguments name: a shell gives `<(…)` as `/dev/fd/63`, and Node
 * closes all others on the way to a child.
 */
function handedDown(args) {
    const stdio = ["inherit", "inherit", "inherit"];
    for (const argument of args) {
        const descriptor = Number(/^\/dev\/fd\/(\d{1,3})$/.exec(argument)?.[1] ?? 0);
        if (descriptor < 3 || !isOpen(descriptor))
            continue;
        while (stdio.length < descriptor)
            stdio.push("ignore");
        stdio[descriptor] = "inherit";
    }
    return stdio;
}
function isOpen(descriptor) {
    try {
        (0,external_node_fs_.fstatSync)(descriptor);
        return true;
    }
    catch {
        return false;
    }
}
function notStarted(file, error) {
    const options = { cause: error };
    switch ((0,errors/* systemCode */.xU)(error)) {
        case "ENOENT":
            return new errors/* LockError */.Ku("COMMAND_NOT_FOUND", `The command ${(0,lock_text/* quote */.hD)(file, 200)} was not found: check its name and the PATH, or, of a script, the interpreter in its first line.`, options);
        case "EAGAIN":
        case "ENOMEM":
        case "EMFILE":
        case "ENFILE":
            return new errors/* LockError */.Ku("INTERNAL", `The command ${(0,lock_text/* quote */.hD)(file, 200)} could not be started, the system is short of resources: ${(0,errors/* messageOf */.bD)(error)}.`, options);
        default:
            return new errors/* LockError */.Ku("COMMAND_NOT_RUNNABLE", `The command ${(0,lock_text/* quote */.hD)(file, 200)} cannot be run (${(0,errors/* messageOf */.bD)(error)}): is it a file that this user may execute?`, options);
    }
}

;// CONCATENATED MODULE: ./build/cli/run/forwarder.js

/**
 * Hands signals on to the command, each exactly once. What came to the whole process group has
 * reached the command already, and a second one could make it stop at once, without cleaning up.
 */
class Forwarder {
    #child;
    #sentinel;
    #onTerminal;
    #judging = null;
    constructor(child, sentinel, onTerminal) {
        this.#child = child;
        this.#sentinel = sentinel;
        this.#onTerminal = onTerminal;
    }
    receive = (signal) => {
        // While one is judged the sentinel may be gone: what comes in the same breath shares the verdict.
        if (this.#judging !== null)
            this.#judging.push(signal);
        else
            void this.#judge(signal);
    };
    async #judge(signal) {
        const signals = [signal];
        this.#judging = signals;
        const origin = await this.#sentinel.originOf(signal);
        if (!this.#hasEnded())
            this.#sentinel.post();
        this.#judging = null;
        for (const each of signals) {
            if (!this.#hasItAlready(each, origin))
                this.#child.kill(each);
        }
    }
    #hasEnded() {
        return this.#child.exitCode !== null || this.#child.signalCode !== null;
    }
    #hasItAlready(signal, origin) {
        if (origin === "alone" || !this.#sharesGroup())
            return false;
        // Nobody can tell: Ctrl-C on a terminal is by far the likeliest.
        return origin === "group" || (this.#onTerminal && signal === "SIGINT");
    }
    /** A command that made a group of its own (setsid, an interactive shell) gets nothing of ours. */
    #sharesGroup() {
        const theirs = groupOf(String(this.#child.pid));
        return theirs === null || theirs === groupOf("self");
    }
}
function groupOf(process) {
    try {
        const stat = (0,external_node_fs_.readFileSync)(`/proc/${process}/stat`, "latin1");
        return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2] ?? null;
    }
    catch {
        return null;
    }
}

;// CONCATENATED MODULE: ./build/cli/run/sentinel.js





/** The kernel signals the members of a group one after another: a moment, and all have it. */
const SETTLE_MS = 5;
/** Where only the sentinel's own end can tell, it gets this long to end. */
const END_MS = 50;
/**
 * Tells whether a signal came to this process alone or to its whole group, as Ctrl-C does. Nothing
 * in Node tells where a signal comes from; but a second process of the group gets what the group
 * gets. So a `cat` waits in it for input that never comes: a signal to the group ends it. It ends
 * by itself when its pipe closes, and thus when this process is killed.
 */
class Sentinel {
    #cat = null;
    /** Has one stand guard. Cheap where one does already. */
    post() {
        if (process.platform === "win32" || (this.#cat !== null && !hasEnded(this.#cat)))
            return;
        this.#cat = null;
        try {
            const path = (0,external_node_fs_.existsSync)("/bin/cat") ? "/bin/cat" : "cat";
            const env = { PATH: process.env.PATH };
            const cat = (0,external_node_child_process_.spawn)(path, [], { stdio: ["pipe", "ignore", "ignore"], cwd: "/", env });
            cat.on("error", () => { });
            cat.stdin.on("error", () => { });
            cat.unref();
            cat.stdin.unref();
            if (cat.pid !== undefined)
                this.#cat = cat;
        }
        catch {
            // No process to be had: then nobody can tell, and `originOf` says so.
        }
    }
    /** Where a signal came from that arrived just now. */
    async originOf(signal) {
        const cat = this.#cat;
        if (cat === null)
            return "unknown";
        await (0,promises_.setTimeout)(SETTLE_MS);
        const fate = hasEnded(cat) ? "ended" : fateOf(cat.pid, signal);
        if (fate === "alive")
            return "alone";
        if (fate === "pending")
            return "group";
        await ended(cat);
        if (!hasEnded(cat))
            return fate === "ended" ? "unknown" : "alone";
        return SIGNALS.includes(cat.signalCode) ? "group" : "unknown";
    }
    dismiss() {
        this.#cat?.kill("SIGKILL");
        this.#cat = null;
    }
}
function hasEnded(cat) {
    return cat.exitCode !== null || cat.signalCode !== null;
}
/** Resolves when it has ended, or after a while. */
async function ended(cat) {
    if (hasEnded(cat))
        return;
    const end = Promise.withResolvers();
    const timer = setTimeout(end.resolve, END_MS);
    cat.once("exit", () => end.resolve());
    await end.promise;
    clearTimeout(timer);
}
/** What can be seen of it without having collected it; `unknown` where there is no /proc. */
function fateOf(pid, signal) {
    let status;
    try {
        status = (0,external_node_fs_.readFileSync)(`/proc/${pid}/status`, "latin1");
    }
    catch {
        return (0,external_node_fs_.existsSync)("/proc/self/status") ? "ended" : "unknown";
    }
    if (/^State:\s+[ZX]/m.test(status))
        return "ended";
    // Stopped, or not yet back on a processor: then the signal waits for it.
    const bit = 1n << BigInt(external_node_os_.constants.signals[signal] - 1);
    for (const [, mask] of status.matchAll(/^(?:SigPnd|ShdPnd):\s+([0-9a-f]+)$/gm)) {
        if ((BigInt(`0x${mask}`) & bit) !== 0n)
            return "pending";
    }
    return "alive";
}

;// CONCATENATED MODULE: ./build/cli/run/under-lock.js






const LOST_CODE = 123;
/** Timers beyond 2^31 ms fire at once. */
const TIMER_LIMIT_MS = 2 ** 31 - 1;
/** Runs the command while the lock is held, then lets go. Resolves to the exit code of `run`. */
async function runUnderLock(holding, plan, signals, io, manner) {
    if (holding.lost.aborted)
        throw holding.lost.reason;
    const sentinel = new Sentinel();
    let code;
    try {
        sentinel.post();
        const command = await startCommand(plan.commandLine, childEnvironment(io.env, holding));
        // From here on the lock outlives even a kill -9 of this process, as long as the command runs.
        void holding.cover(command.pid).catch(() => { });
        const onTerminal = process.stdin.isTTY === true || io.stderr.isTerminal;
        signals.forwardTo(new Forwarder(command.process, sentinel, onTerminal).receive);
        code = await endOf(command, holding, plan.grace, io);
    }
    catch (error) {
        await letGo(holding, io);
        throw error;
    }
    finally {
        // Nobody is left to hand a signal to, and letting go takes only a moment.
        signals.forwardTo(() => { });
        sentinel.dismiss();
    }
    if (!holding.lost.aborted && (await letGo(holding, io)) !== "already-gone")
        return code;
    return under_lock_lost(holding, code, io, manner);
}
/** Waits for the command's end; stops it where the lock is lost before. */
async function endOf(command, holding, grace, io) {
    let timer;
    const stop = () => {
        const killed = grace === null ? "" : `, and SIGKILL after ${(0,duration/* formatDuration */.a3)(grace)}`;
        (0,report/* say */.cv)(io, `${(0,errors/* messageOf */.bD)(holding.lost.reason)} The command gets SIGTERM${killed}.`);
        command.process.kill("SIGTERM");
        if (grace === null)
            return;
        timer = setTimeout(() => command.process.kill("SIGKILL"), Math.min(grace, TIMER_LIMIT_MS));
    };
    if (holding.lost.aborted)
        stop();
    else
        holding.lost.addEventListener("abort", stop);
    const code = await command.ended;
    holding.lost.removeEventListener("abort", stop);
    clearTimeout(timer);
    return code;
}
/** Whether the lock was still there to be let go. A failure is told, and is not the command's. */
async function letGo(holding, io) {
    try {
        return await holding.release();
    }
    catch (error) {
        const { key } = holding.lease;
        (0,report/* say */.cv)(io, `warning: the lock ${JSON.stringify(key)} was not released: ${(0,errors/* messageOf */.bD)(error)} The next claim takes it over once this process has ended.`);
        return "failed";
    }
}
/** Whatever the command's own code was: it may have run beside another holder's. */
function under_lock_lost(holding, code, io, manner) {
    if (holding.lost.aborted) {
        // Said already, when it happened.
        const error = holding.lost.reason;
        if (manner.json)
            (0,report/* reportJson */.l4)(error, io);
    }
    else {
        const { key } = holding.lease;
        const sentence = `The lock ${JSON.stringify(key)} was lost before the command ended, with exit code ${code}.`;
        (0,report/* reportError */.N7)(new errors/* LockError */.Ku("LOCK_LOST", sentence), io, manner.json);
    }
    return LOST_CODE;
}

;// CONCATENATED MODULE: ./build/cli/run.js













/** Leaving the line is quick; a store that hangs must not hold up a user who pressed Ctrl-C. */
const run_LEAVE_MS = 5_000;
/** Below this, waiting was only the store's own work. */
const WORTH_TELLING_MS = 1_000;
const runCommand = (0,command/* defineCommand */.N)(RUN_FACTS, async (input, io) => {
    const plan = planOf(input, io);
    const signals = new Signals();
    try {
        return await withStore(input, io, plan.storeOptions, async (store) => {
            if (!input.quiet)
                warnOfHostedRunner(store, io);
            const holding = await claim(store, plan, signals, input, io);
            // A signal may have come in the same turn of the event loop as the lock: let it be heard.
            await (0,promises_.setImmediate)();
            if (signals.first !== null) {
                if (holding !== null)
                    await letGo(holding, io);
                const left = holding === null ? "the claim has left the line" : "the lock was let go";
                const sentence = `Interrupted by ${signals.first} before the command started: ${left}.`;
                (0,report/* reportError */.N7)(new errors/* LockError */.Ku("ABORTED", sentence), io, input.json);
                return signalCode(signals.first);
            }
            // Without a signal there is a holding: `claim` gives null only where one came.
            return runUnderLock(holding, plan, signals, io, input);
        });
    }
    finally {
        signals.close();
    }
});
/** The held lock, or null where a signal came first. */
async function claim(store, plan, signals, input, io) {
    const line = new WaitingLine(plan.request.key || input.store, io.stderr, {
        dumb: io.env.TERM === "dumb",
    });
    const { timeout, request } = plan;
    const { interrupted } = signals;
    const update = (progress) => line.update(withOwnLock(progress, io.env));
    const forecast = new Forecast({
        slots: request.slots ?? 1,
        history: historyOf(store, request.key),
        onProgress: update,
    });
    const onProgress = input.quiet ? {} : { onProgress: forecast.update };
    const overdue = new AbortController();
    try {
        const holding = await Promise.race([
            store.claim(request, { timeout, signal: interrupted, ...onProgress }),
            leftBehind(interrupted, overdue.signal),
        ]);
        line.end();
        if (holding !== null && !interrupted.aborted && !input.quiet)
            announce(holding, line.shown, io);
        return holding;
    }
    catch (error) {
        if (interrupted.aborted && (0,errors/* isLockError */.S)(error, "ABORTED"))
            return null;
        throw error;
    }
    finally {
        forecast.end();
        line.end();
        overdue.abort();
    }
}
/** A command that asks for the lock it runs under waits for itself, unless it outlives its `run`. */
function withOwnLock(progress, env) {
    const own = progress.holders.some(({ fence }) => String(fence) === env.HOLDFAST_FENCE);
    if (!own || progress.trouble !== undefined)
        return progress;
    return { ...progress, trouble: "that is the lock which this command itself runs under" };
}
async function leftBehind(interrupted, cancel) {
    const begun = Promise.withResolvers();
    interrupted.addEventListener("abort", () => begun.resolve(), { signal: cancel });
    await begun.promise;
    await (0,promises_.setTimeout)(run_LEAVE_MS, undefined, { signal: cancel }).catch(() => { });
    return null;
}
function announce(holding, waited, io) {
    const { lease, reclaimed } = holding;
    if (!waited && lease.waited < WORTH_TELLING_MS && reclaimed === undefined)
        return;
    const from = reclaimed === undefined ? "" : `, taken over from ${reclaimed.from} (${reclaimed.reason})`;
    (0,report/* say */.cv)(io, `acquired ${lease.key} after ${(0,duration/* formatDuration */.a3)(lease.waited)}${from}`);
}
function warnOfHostedRunner(store, io) {
    if (store.promises.scope !== "machine" || !isGithubHosted(io.env))
        return;
    (0,report/* say */.cv)(io, `warning: ${store.url} locks nobody out here: each job on a GitHub-hosted runner has a machine of its own. Name a lock server that all jobs reach with --store, or use self-hosted runners on one machine.`);
}

// EXTERNAL MODULE: ./build/server/option-table.js
var option_table = __webpack_require__(8895);
// EXTERNAL MODULE: ./build/server/options.js
var server_options = __webpack_require__(7121);
// EXTERNAL MODULE: ./build/cli/suggest.js
var suggest = __webpack_require__(6308);
// EXTERNAL MODULE: ./build/cli/version.js
var version = __webpack_require__(3390);
;// CONCATENATED MODULE: ./build/cli/serve.js








const NAMES = Object.keys(option_table/* SERVER_OPTIONS */.Zb);
const serveFacts = {
    name: "serve",
    summary: "Runs a lock server: dflockd's protocol, HTTP, and a page",
    usage: "[options]",
    about: [
        `Each option can also be an environment variable (--max-waiters is ${(0,option_table/* environmentName */.VE)("max-waiters")}); the flag wins. Switches also as --name=false.`,
        "It prints the address on stdout once it accepts connections, and its log on stderr. SIGTERM and SIGINT stop it: those who wait are sent home, holders have until the shutdown timeout; a second signal ends it at once.",
    ],
    takes: "nothing",
    options: NAMES.map(serve_describe),
    examples: [
        { line: "holdfast serve", says: "for this machine alone" },
        {
            line: "holdfast serve --host 0.0.0.0 --auth-token-file /etc/holdfast/token --tls-cert cert.pem --tls-key key.pem",
            says: "for a network",
        },
    ],
    exitCodes: facts/* DONE_OR_FAILED */.hG,
};
function serve_describe(name) {
    const { default: fallback, value, help } = option_table/* SERVER_OPTIONS */.Zb[name];
    return {
        name,
        says: help,
        ...(value === null ? {} : { value }),
        ...(fallback === null ? {} : { default: fallback }),
    };
}
/** Runs until it is told to stop. A LockError that it throws is reported by the caller. */
async function serveCommand(args, io) {
    const flags = readFlags(args);
    if (flags.help !== undefined) {
        io.stdout.write((0,help_text/* helpOf */.Z)(serveFacts));
        return 0;
    }
    if (flags.version !== undefined) {
        io.stdout.write(`${version/* VERSION */.x}\n`);
        return 0;
    }
    const { quiet, json: _, ...server } = flags;
    const options = (0,server_options/* parseServerOptions */.f)({ flags: server, env: io.env });
    const logLevel = quiet === undefined ? options.logLevel : "warn";
    // The server's code is loaded only here: every other command does without it.
    const { serve } = await __webpack_require__.e(/* import() */ 393).then(__webpack_require__.bind(__webpack_require__, 2393));
    await untilSignal(() => serve({ ...options, logLevel }, { ...io, version: version/* VERSION */.x }));
    return 0;
}
/** Listens for signals first: one that comes as soon as the server says that it listens is not lost. */
async function untilSignal(start) {
    const signals = ["SIGTERM", "SIGINT"];
    const { promise: stopped, resolve, reject } = Promise.withResolvers();
    const started = Promise.withResolvers();
    const stop = () => started.promise.then((server) => server.stop()).then(resolve, reject);
    for (const signal of signals)
        process.on(signal, stop);
    try {
        started.resolve(await start());
        await stopped;
    }
    finally {
        for (const signal of signals)
            process.off(signal, stop);
    }
}
const SHORT = { "-h": "help", "-V": "version", "-q": "quiet" };
const SWITCHES = [
    "help",
    "version",
    "quiet",
    "json",
    ...NAMES.filter((name) => option_table/* SERVER_OPTIONS */.Zb[name].value === null),
];
/** `--name value`, `--name=value`; for switches `--name`, `--name=false` and `--no-name`. */
function readFlags(args) {
    const flags = {};
    for (let index = 0; index < args.length; index += 1) {
        const argument = args[index];
        const { name, value } = split(argument);
        if (SWITCHES.includes(name))
            flags[name] = value ?? "true";
        else if (name.startsWith("no-") && SWITCHES.includes(name.slice(3)) && value === null) {
            flags[name.slice(3)] = "false";
        }
        else if (!NAMES.includes(name)) {
            throw unknown(argument, name);
        }
        else {
            if (value === null)
                index += 1;
            const given = value ?? args[index];
            if (given === undefined)
                throw new errors/* LockError */.Ku("BAD_OPTION", `The option --${name} needs a value.`);
            flags[name] = given;
        }
    }
    return flags;
}
function split(argument) {
    const short = SHORT[argument];
    if (short !== undefined)
        return { name: short, value: null };
    if (!argument.startsWith("--"))
        return { name: "", value: null };
    const middle = argument.indexOf("=");
    if (middle === -1)
        return { name: argument.slice(2), value: null };
    return { name: argument.slice(2, middle), value: argument.slice(middle + 1) };
}
/** The value is not shown: it may be a token. */
function unknown(argument, name) {
    if (name === "") {
        return new errors/* LockError */.Ku("BAD_OPTION", `The argument ${(0,lock_text/* quote */.hD)(argument)} is not an option: serve takes options only.`);
    }
    const meant = (0,suggest/* suggest */.Z)(name, [...NAMES, ...SWITCHES]);
    const advice = meant === null ? "see holdfast serve --help" : `did you mean --${meant}?`;
    return new errors/* LockError */.Ku("BAD_OPTION", `The option ${(0,lock_text/* quote */.hD)(`--${name}`)} is not known: ${advice}${meant === null ? "." : ""}`);
}

;// CONCATENATED MODULE: ./build/cli/free.js
/** Whether a claim would get the key at once: a slot is free, or its holder dead, and nobody waits. */
function isFree(status) {
    const living = status.holders.filter(({ reclaimable }) => reclaimable === null);
    return status.waiting === 0 && living.length < status.slots;
}

;// CONCATENATED MODULE: ./build/cli/status.js








const statusCommand = (0,command/* defineCommand */.N)({
    name: "status",
    summary: "Shows who holds a key and who waits for it, and changes nothing",
    usage: "KEY [--exit-code]",
    about: [
        "A dead holder is shown as gone until somebody takes the lock over.",
        facts/* KEY_MAY_BE_LEFT_OUT */.de,
    ],
    takes: "key",
    options: [
        {
            name: "exit-code",
            says: "exit 1 where the key is held, 0 where a claim would get it at once",
        },
    ],
    examples: [
        { line: "holdfast status production", says: "who holds it, since when, who waits" },
        { line: "holdfast status production --quiet --exit-code && echo free", says: "in a script" },
    ],
    exitCodes: [
        ["0", "shown; with --exit-code: a claim would get it at once"],
        ["1", "with --exit-code: it is held"],
        ["2", "bad input or failure"],
    ],
}, async (input, io) => {
    const now = Date.now();
    const status = await withStore(input, io, {}, async (store) => withEstimate(store, await store.inspect(input.key), now));
    if (input.json)
        io.stdout.write(`${(0,showable/* jsonText */.s$)(status)}\n`);
    else if (!input.quiet)
        io.stdout.write(statusText(status, input, now));
    return input.flag("exit-code") && !isFree(status) ? 1 : 0;
});
function statusText(status, input, now) {
    const { estimate } = status;
    const lines = [`${status.key} in ${status.store}: ${status_summaryOf(status)}`];
    for (const holder of status.holders) {
        lines.push(`  held by ${holder.owner}`);
        for (const [name, text] of factsOf(holder, status, now)) {
            lines.push(`    ${name.padEnd(10)} ${text}`);
        }
        const hint = hintFor(holder, status, input);
        if (hint !== null)
            lines.push(`    ${hint}`);
    }
    if (status.waiting > 0) {
        lines.push(`  waiting: ${status.waiting}`);
        for (const waiter of status.waiters) {
            const url = (0,describe/* runUrlOf */.Qm)(waiter);
            const note = waiter.note === null ? "" : `, "${waiter.note}"`;
            const where = url === null ? "" : ` (${url})`;
            const turn = waiter.estimate === null ? "" : `; its turn ${(0,describe/* rangeOf */.be)(waiter.estimate)}`;
            lines.push(`    ${waiter.position}. ${waiter.owner} for ${(0,describe/* ago */.KN)(waiter.since, now)}${note}${where}${turn}`);
        }
    }
    if (estimate !== null)
        lines.push(`  turn of a new claim: ${(0,describe/* turnIn */.rn)(estimate)}`);
    return lines.map((line) => `${(0,showable/* showable */.of)(line)}\n`).join("");
}
function status_summaryOf(status) {
    const held = status.holders.length;
    if (status.slots > 1)
        return `${held} of ${status.slots} slots held`;
    return held === 0 ? "free" : "held";
}
function factsOf(holder, status, now) {
    const facts = [
        ["slot", status.slots > 1 ? String(holder.slot) : null],
        ["since", holder.since === null ? null : `${holder.since} (${(0,describe/* ago */.KN)(holder.since, now)})`],
        ["usually", holder === status.holders[0] ? (0,describe/* usualOf */.sB)(status.estimate) : null],
        ["process", processOf(holder)],
        ["heartbeat", holder.heartbeat === null ? null : `${(0,describe/* ago */.KN)(holder.heartbeat, now)} ago`],
        ["ttl", holder.ttl === null ? null : (0,duration/* formatDuration */.a3)(holder.ttl * 1_000)],
        ["fence", holder.fence === null ? null : String(holder.fence)],
        ["run", (0,describe/* runUrlOf */.Qm)(holder)],
        ["note", holder.note],
        ["problem", holder.problem ?? null],
    ];
    return facts.filter((fact) => fact[1] !== null);
}
function processOf(holder) {
    const pid = holder.pid === null ? "not known" : String(holder.pid);
    const host = holder.host === null ? "" : ` on ${holder.host}`;
    const life = { true: "alive", false: "gone", null: "cannot be seen from here" };
    return holder.pid === null && holder.alive === null
        ? pid
        : `${pid}${host}, ${life[`${holder.alive}`]}`;
}
function hintFor(holder, status, input) {
    if (holder.reclaimable !== null)
        return "The next claim takes it over.";
    if (holder.alive === true)
        return null;
    const store = input.storeWasNamed ? ` --store ${(0,showable/* shellWord */.r7)(input.store)}` : "";
    const slot = status.slots > 1 ? ` --slot ${holder.slot}` : "";
    return `To take it away: holdfast break ${(0,showable/* shellWord */.r7)(status.key)}${slot}${store} --reason TEXT`;
}

;// CONCATENATED MODULE: ./build/cli/verify.js








const verifyCommand = (0,command/* defineCommand */.N)({
    name: "verify",
    summary: "Tells whether the lock is still held, by this lease",
    usage: "[KEY] [--lease FILE] [--fence N]",
    about: [
        "Asks the store. It takes the lease, else KEY with --fence, else HOLDFAST_KEY and HOLDFAST_FENCE, which run and the action set. Put it before the step that must not run twice.",
    ],
    takes: "word",
    options: [
        {
            name: "lease",
            value: "FILE",
            says: "the lease file that acquire printed",
            default: "$HOLDFAST_LEASE",
        },
        {
            name: "fence",
            value: "N",
            says: "the fencing number of the grant that is meant",
            default: "$HOLDFAST_FENCE",
        },
    ],
    examples: [
        {
            line: "holdfast verify && ./switch-traffic.sh",
            says: "in a step of the action, or under run",
        },
        { line: 'holdfast verify production --fence "$HOLDFAST_FENCE"', says: "by key and fence" },
    ],
    exitCodes: [
        ["0", "held"],
        ["1", "not held: lost, let go, or somebody else's"],
        ["2", "bad input or failure"],
    ],
}, async (input, io) => {
    const { key, verified } = await verify(input, io);
    if (input.json)
        io.stdout.write(`${(0,showable/* jsonText */.s$)({ key, held: verified.held, reason: verified.reason })}\n`);
    const name = key === "" ? "The lock" : JSON.stringify(key);
    if (!input.quiet)
        (0,report/* say */.cv)(io, verified.held
            ? `${name} is held.`
            : `${name} is not held: ${(0,report/* sentence */.em)(verified.reason ?? "")}`);
    return verified.held ? 0 : 1;
});
async function verify(input, io) {
    const fence = input.text("fence");
    const byLease = input.text("lease") !== undefined ||
        (input.key === "" && fence === undefined && Boolean(io.env.HOLDFAST_LEASE));
    if (!byLease) {
        const given = fence ??
            (input.key === "" || input.key === io.env.HOLDFAST_KEY ? io.env.HOLDFAST_FENCE : undefined);
        const key = input.key || io.env.HOLDFAST_KEY || "";
        if (given !== undefined && given !== "")
            return verifyFence(key, parseFence(given), input, io);
    }
    const found = await leaseOf(input, io);
    if (found.lease === null)
        return { key: found.key, verified: { held: false, reason: "there is no lease" } };
    return { key: found.key, verified: await verifyLease(found.lease) };
}
async function verifyFence(key, fence, input, io) {
    return withStore(input, io, {}, async (store) => {
        const status = await store.inspect(key);
        const held = await store.verify({ key, fence, slot: 0 });
        const others = status.holders
            .map((holder) => `${holder.owner} with fence ${holder.fence}`)
            .join(", ");
        const reason = held ? null : others === "" ? "nobody holds it" : `it is held by ${others}`;
        return { key: status.key, verified: { held, reason } };
    });
}
function parseFence(text) {
    const fence = Number(text);
    if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(fence))
        return fence;
    throw new errors/* LockError */.Ku("BAD_OPTION", `The fence ${(0,lock_text/* quote */.hD)(text)} is not a whole number: give the one that HOLDFAST_FENCE or the lease names.`);
}

;// CONCATENATED MODULE: ./build/cli/table.js















/** Every command, in the order of the help. */
const COMMANDS = [
    runCommand,
    acquireCommand,
    releaseCommand,
    verifyCommand,
    statusCommand,
    listCommand,
    historyCommand,
    breakCommand,
    cleanCommand,
    migrateCommand,
    { ...serveFacts, run: serveCommand },
    helpCommand,
];
function findCommand(name) {
    const command = COMMANDS.find((candidate) => candidate.name === name);
    if (command !== undefined)
        return command;
    const names = COMMANDS.map((candidate) => candidate.name);
    const meant = (0,suggest/* suggest */.Z)(name, names);
    const advice = meant === null ? "" : `; did you mean ${meant}?`;
    throw new errors/* LockError */.Ku("BAD_COMMAND", `The command ${(0,lock_text/* quote */.hD)(name)} is not known: use one of ${names.join(", ")}${advice || "."}`);
}


/***/ }),

/***/ 3390:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   x: () => (/* binding */ VERSION)
/* harmony export */ });
/** The same as in package.json, which a bundle does not carry along; a test keeps them equal. */
const VERSION = "0.1.0";


/***/ }),

/***/ 6854:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CS: () => (/* binding */ pictureOf),
/* harmony export */   Fq: () => (/* binding */ waitingInLine),
/* harmony export */   KN: () => (/* binding */ ago),
/* harmony export */   Qm: () => (/* binding */ runUrlOf),
/* harmony export */   XR: () => (/* binding */ holdersInLine),
/* harmony export */   be: () => (/* binding */ rangeOf),
/* harmony export */   ix: () => (/* binding */ holderInLine),
/* harmony export */   rn: () => (/* binding */ turnIn),
/* harmony export */   sB: () => (/* binding */ usualOf)
/* harmony export */ });
/* unused harmony exports ordinal, formatRange */
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

/***/ 7675:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   s: () => (/* binding */ sha256)
/* harmony export */ });
/**
 * SHA-256 in hex. The module behind it takes milliseconds to load, and most stages of the action end
 * without needing it: it is loaded when first used.
 */
function sha256(text) {
    return process.getBuiltinModule("node:crypto").hash("sha256", text);
}


/***/ }),

/***/ 739:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   E9: () => (/* binding */ parseDuration),
/* harmony export */   a3: () => (/* binding */ formatDuration),
/* harmony export */   qV: () => (/* binding */ DURATION_LIMIT_MS)
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5352);


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

/***/ 1600:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Ku: () => (/* binding */ LockError),
/* harmony export */   QN: () => (/* binding */ isBadInput),
/* harmony export */   S: () => (/* binding */ isLockError),
/* harmony export */   bD: () => (/* binding */ messageOf),
/* harmony export */   xU: () => (/* binding */ systemCode)
/* harmony export */ });
/* unused harmony export ERROR_CODES */
/**
 * Every failure that a user can meet has a code for scripts and a sentence for people. The codes
 * are listed in docs/errors.md; a test keeps that page and this list the same.
 */
const ERROR_CODES = (/* unused pure expression or super */ null && ([
    "BAD_KEY",
    "BAD_STORE",
    "BAD_DURATION",
    "BAD_SLOTS",
    "BAD_TTL",
    "BAD_LEASE",
    "BAD_OWNER",
    "BAD_NOTE",
    "BAD_METADATA",
    "BAD_PURPOSE",
    "BAD_ENVIRONMENT",
    "BAD_RECLAIM",
    "BAD_FORMAT",
    "BAD_OPTION",
    "BAD_COMMAND",
    "BAD_REASON",
    "BAD_LOCK_FILE",
    "BAD_LEASE_FILE",
    "SLOTS_MISMATCH",
    "TIMEOUT",
    "ABORTED",
    "LOCK_LOST",
    "STORE_UNREACHABLE",
    "STORE_UNSAFE",
    "STORE_NO_LOCKS",
    "STORE_FULL",
    "STORE_DENIED",
    "GUARD_BUSY",
    "LEASE_DIRECTORY",
    "KEEPER_GONE",
    "ALREADY_HELD",
    "NOT_SUPPORTED",
    "COMMAND_NOT_FOUND",
    "COMMAND_NOT_RUNNABLE",
    "NODE_TOO_OLD",
    "INTERNAL",
]));
class LockError extends Error {
    code;
    constructor(code, message, options) {
        super(message, options);
        this.name = "LockError";
        this.code = code;
    }
}
/** True for the codes that mean: what the caller typed is not acceptable. */
function isBadInput(error) {
    return error.code.startsWith("BAD_");
}
function isLockError(error, code) {
    return error instanceof LockError && (code === undefined || error.code === code);
}
/** The sentence of any thrown value, for logs and for wrapping. */
function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}
/** The system's code of a failed call (`ENOENT`), where there is one. */
function systemCode(error) {
    if (typeof error !== "object" || error === null)
        return undefined;
    const code = error.code;
    return typeof code === "string" ? code : undefined;
}


/***/ }),

/***/ 4171:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Dc: () => (/* binding */ HISTORY_LIMIT),
/* harmony export */   RC: () => (/* binding */ readHolds),
/* harmony export */   Xd: () => (/* binding */ sortedQuantile),
/* harmony export */   jm: () => (/* binding */ statisticsOf),
/* harmony export */   so: () => (/* binding */ completed)
/* harmony export */ });
/* unused harmony exports HOLD_ENDS, quantile, readHold */
/* harmony import */ var _owner_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5208);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5352);


/** How a hold ended. `dead`: its holder was found gone; `expired`: its ttl or lease ran out. */
const HOLD_ENDS = ["released", "expired", "dead", "broken"];
/** As many holds as are looked back at: older ones say little about today. */
const HISTORY_LIMIT = 50;
/**
 * Only a hold that was let go tells how long the work takes. One that was broken or whose holder
 * died lasted until somebody noticed, which may have been the next morning.
 */
function completed(holds) {
    return holds.filter((hold) => hold.end === "released");
}
/** Null where no hold was let go. */
function statisticsOf(holds) {
    const times = completed(holds).map(({ held }) => held);
    if (times.length === 0)
        return null;
    return { holds: times.length, median: quantile(times, 0.5), ninety: quantile(times, 0.9) };
}
/** Between two values where none stands exactly there. */
function quantile(values, part) {
    return sortedQuantile(values.toSorted((one, other) => one - other), part);
}
function sortedQuantile(sorted, part) {
    const place = (sorted.length - 1) * part;
    const below = sorted[Math.floor(place)] ?? Number.NaN;
    const above = sorted[Math.ceil(place)] ?? Number.NaN;
    return below + (above - below) * (place - Math.floor(place));
}
/** Lenient, for what a server or a saved file says: null where it is no hold. */
function readHold(value) {
    if (typeof value !== "object" || value === null)
        return null;
    const { owner, since, waited, held, fence, slot, end, metadata } = value;
    if (typeof owner !== "string" || typeof since !== "string")
        return null;
    if (Number.isNaN(Date.parse(since)) || !isSpan(held) || !isHoldEnd(end))
        return null;
    return {
        owner: (0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .cleanText */ .X5)(owner),
        since: new Date(since).toISOString(),
        waited: isSpan(waited) ? waited : null,
        held,
        fence: Number.isSafeInteger(fence) ? fence : null,
        slot: Number.isSafeInteger(slot) ? slot : 0,
        end,
        metadata: (0,_owner_js__WEBPACK_IMPORTED_MODULE_0__/* .readMetadata */ ._6)(metadata),
    };
}
function readHolds(value) {
    if (!Array.isArray(value))
        return [];
    return value.slice(0, HISTORY_LIMIT).flatMap((element) => readHold(element) ?? []);
}
function isSpan(value) {
    return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
function isHoldEnd(value) {
    return HOLD_ENDS.includes(value);
}


/***/ }),

/***/ 2816:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Do: () => (/* binding */ parseKey),
/* harmony export */   g2: () => (/* binding */ encodeKey),
/* harmony export */   y3: () => (/* binding */ decodeKey)
/* harmony export */ });
/* unused harmony export KEY_BYTES_LIMIT */
/* harmony import */ var _digest_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(7675);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5352);



const KEY_BYTES_LIMIT = 200;
/** File names stay below the 255 bytes of most filesystems, with room for suffixes. */
const NAME_BYTES_LIMIT = 150;
const NAME_BYTES_KEPT = 80;
/** A key is opaque text: checked here once, then encoded, never interpreted. */
function parseKey(text) {
    if (text === "") {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_KEY", "The key is empty: name what is to be locked, such as production.");
    }
    if (!text.isWellFormed()) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_KEY", `The key ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(text)} is not valid Unicode: use plain UTF-8 text.`);
    }
    if ((0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .hasControl */ .aQ)(text)) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_KEY", `The key ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(text)} contains a control character: use printable text.`);
    }
    const bytes = (0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .byteLength */ .dp)(text);
    if (bytes > KEY_BYTES_LIMIT) {
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_KEY", `The key ${(0,_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(text, 40)} has ${bytes} bytes: use at most ${KEY_BYTES_LIMIT}.`);
    }
    return text;
}
/**
 * The file name of a key, without `.lock`. Everything but letters, digits, `.`, `_` and `-` is
 * percent-encoded, and so is a leading dot, so that no key can leave the directory or hide in it.
 */
function encodeKey(key) {
    const encoded = encodeBytes(key);
    if (encoded.length <= NAME_BYTES_LIMIT)
        return encoded;
    const digest = (0,_digest_js__WEBPACK_IMPORTED_MODULE_2__/* .sha256 */ .s)(key);
    return `${encoded.slice(0, NAME_BYTES_KEPT)}~${digest}`;
}
function encodeBytes(key) {
    let name = "";
    for (const byte of Buffer.from(key, "utf8")) {
        const plain = isPlain(byte) && !(name === "" && byte === 0x2e);
        name += plain
            ? String.fromCharCode(byte)
            : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    }
    return name;
}
function isPlain(byte) {
    return ((byte >= 0x30 && byte <= 0x39) ||
        (byte >= 0x41 && byte <= 0x5a) ||
        (byte >= 0x61 && byte <= 0x7a) ||
        byte === 0x2e ||
        byte === 0x5f ||
        byte === 0x2d);
}
/** The key of a file name, or null where the name was cut (the key is then a field of the file). */
function decodeKey(name) {
    if (name.includes("~"))
        return null;
    try {
        return decodeURIComponent(name);
    }
    catch {
        return null;
    }
}


/***/ }),

/***/ 5208:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $m: () => (/* binding */ sessionOwnerId),
/* harmony export */   CG: () => (/* binding */ OWNER_BYTES_LIMIT),
/* harmony export */   Eo: () => (/* binding */ parseOwnerId),
/* harmony export */   Hn: () => (/* binding */ ciOwnerId),
/* harmony export */   Ko: () => (/* binding */ tokenOwnerId),
/* harmony export */   _6: () => (/* binding */ readMetadata),
/* harmony export */   lo: () => (/* binding */ NOTE_BYTES_LIMIT),
/* harmony export */   sI: () => (/* binding */ checkMetadata),
/* harmony export */   so: () => (/* binding */ localOwnerId),
/* harmony export */   v8: () => (/* binding */ parseLocalOwnerId),
/* harmony export */   wd: () => (/* binding */ parseNote)
/* harmony export */ });
/* unused harmony export METADATA_FIELDS */
/* harmony import */ var _digest_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(7675);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(5352);
/* harmony import */ var _ttl_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8359);




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

/***/ 6772:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   W$: () => (/* binding */ DEFAULT_RECLAIM),
/* harmony export */   XE: () => (/* binding */ parseReclaim),
/* harmony export */   sX: () => (/* binding */ decideReclaim)
/* harmony export */ });
/* unused harmony export RECLAIM_REASONS */
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);

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

/***/ 4242:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   WS: () => (/* binding */ checkSlots),
/* harmony export */   aZ: () => (/* binding */ SLOTS_LIMIT),
/* harmony export */   fb: () => (/* binding */ parseSlots),
/* harmony export */   qL: () => (/* binding */ slotsMismatch),
/* harmony export */   z0: () => (/* binding */ checkSlot)
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);
/* harmony import */ var _text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5352);


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

/***/ 5352:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   X5: () => (/* binding */ cleanText),
/* harmony export */   aQ: () => (/* binding */ hasControl),
/* harmony export */   dp: () => (/* binding */ byteLength),
/* harmony export */   hD: () => (/* binding */ quote),
/* harmony export */   zP: () => (/* binding */ cutToBytes)
/* harmony export */ });
/** C0, DEL and C1: characters that can forge a line, move a cursor or end a string. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
function hasControl(text) {
    return CONTROL.test(text);
}
/** Replaces each control character by a space, as the lock-file specs say of tags. */
function cleanText(text) {
    return text.replace(CONTROLS, " ");
}
function byteLength(text) {
    return Buffer.byteLength(text, "utf8");
}
/** Cuts at a character boundary so that at most `bytes` bytes of UTF-8 remain. */
function cutToBytes(text, bytes) {
    if (byteLength(text) <= bytes)
        return text;
    let length = 0;
    let end = 0;
    for (const character of text) {
        length += byteLength(character);
        if (length > bytes)
            break;
        end += character.length;
    }
    return text.slice(0, end);
}
/** For error sentences: the text in quotes, control characters made visible, long text cut. */
function quote(text, limit = 60) {
    const shown = JSON.stringify(cutToBytes(text, limit)).replace(/[\u007f-\u009f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return byteLength(text) > limit ? `${shown}…` : shown;
}


/***/ }),

/***/ 8359:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $E: () => (/* binding */ defaultTtlSeconds),
/* harmony export */   A_: () => (/* binding */ isEnvironment),
/* harmony export */   BG: () => (/* binding */ TTL_MIN_MS),
/* harmony export */   JO: () => (/* binding */ isPurpose),
/* harmony export */   Nq: () => (/* binding */ parseEnvironment),
/* harmony export */   QV: () => (/* binding */ REFRESH_AT),
/* harmony export */   cM: () => (/* binding */ parsePurpose)
/* harmony export */ });
/* unused harmony exports ENVIRONMENTS, PURPOSES */
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);

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
    throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_ENVIRONMENT", `The environment ${JSON.stringify(text)} is not known: use one of ${ENVIRONMENTS.join(", ")}.`);
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

/***/ 1477:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CD: () => (/* binding */ LOG_FORMATS),
/* harmony export */   h: () => (/* binding */ createLogger),
/* harmony export */   p_: () => (/* binding */ LOG_LEVELS)
/* harmony export */ });
/* harmony import */ var _lock_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5352);

const LOG_LEVELS = ["debug", "info", "warn", "error"];
const LOG_FORMATS = ["text", "json"];
const LINES_PER_SECOND = 10;
function createLogger(options) {
    const least = LOG_LEVELS.indexOf(options.level);
    const format = options.format === "json" ? formatJson : formatText;
    const events = new Map();
    function enabled(level) {
        return LOG_LEVELS.indexOf(level) >= least;
    }
    function write(level, event, fields = {}) {
        if (enabled(level))
            options.output(`${format(options.now(), level, event, fields)}\n`);
    }
    function limited(level, event, fields = {}) {
        if (!enabled(level))
            return;
        const second = Math.floor(options.now() / 1_000);
        const seen = events.get(event) ?? { second, written: 0, leftOut: 0 };
        events.set(event, seen);
        if (seen.second !== second) {
            seen.second = second;
            seen.written = 0;
        }
        if (seen.written === LINES_PER_SECOND) {
            seen.leftOut += 1;
            return;
        }
        seen.written += 1;
        write(level, event, seen.leftOut === 0 ? fields : { ...fields, left_out: seen.leftOut });
        seen.leftOut = 0;
    }
    return { enabled, write, limited };
}
function formatJson(now, level, event, fields) {
    return JSON.stringify({ time: new Date(now).toISOString(), level, event, ...fields });
}
function formatText(now, level, event, fields) {
    let line = `${new Date(now).toISOString()} ${level.padEnd(5)} ${event}`;
    for (const [name, value] of Object.entries(fields)) {
        if (value === undefined || value === null)
            continue;
        line += ` ${name}=${typeof value === "string" ? quoteWhereNeeded(value) : value}`;
    }
    return line;
}
/** Keys and owners come from outside: they must not be able to forge a line or a field. */
function quoteWhereNeeded(value) {
    return /^[\w@:./+~[\]-]+$/.test(value) ? value : JSON.stringify((0,_lock_text_js__WEBPACK_IMPORTED_MODULE_0__/* .cleanText */ .X5)(value));
}


/***/ }),

/***/ 8895:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   VE: () => (/* binding */ environmentName),
/* harmony export */   Zb: () => (/* binding */ SERVER_OPTIONS),
/* harmony export */   re: () => (/* binding */ optionText)
/* harmony export */ });
const SERVER_OPTIONS = {
    host: { default: "127.0.0.1", value: "ADDRESS", help: "address to listen on" },
    port: { default: "6388", value: "PORT", help: "port to listen on; 0 takes a free one" },
    "http-port": {
        default: null,
        value: "PORT",
        help: "port for HTTP: the API and the page; 0 takes a free one",
    },
    data: { default: null, value: "FILE", help: "keeps locks, sessions and files over a restart" },
    "auth-token-file": {
        default: null,
        value: "FILE",
        help: "clients must show the token in this file",
    },
    "auth-token": { default: null, value: "TOKEN", help: "the same, but seen in the process list" },
    "tls-cert": {
        default: null,
        value: "FILE",
        help: "certificate (PEM); then all connections use TLS",
    },
    "tls-key": { default: null, value: "FILE", help: "its private key (PEM)" },
    "default-lease-ttl": {
        default: "33",
        value: "SECONDS",
        help: "lease of requests that name none",
    },
    "lease-sweep-interval": {
        default: "1",
        value: "SECONDS",
        help: "how often expired leases are ended",
    },
    "gc-interval": { default: "5", value: "SECONDS", help: "how often idle keys are forgotten" },
    "gc-max-idle": { default: "60", value: "SECONDS", help: "how long an idle key is remembered" },
    "max-locks": { default: "1024", value: "N", help: "keys at once; 0: no limit" },
    "max-waiters": { default: "0", value: "N", help: "waiters of one key; 0: no limit" },
    "max-connections": { default: "0", value: "N", help: "connections at once; 0: no limit" },
    "max-sessions": { default: "10000", value: "N", help: "HTTP sessions at once; 0: no limit" },
    "max-body": { default: "16777216", value: "BYTES", help: "largest file over HTTP" },
    "read-timeout": {
        default: "23",
        value: "SECONDS",
        help: "a client silent for longer is cut off",
    },
    "write-timeout": {
        default: "5",
        value: "SECONDS",
        help: "so is one that does not read; 0: never",
    },
    "shutdown-timeout": {
        default: "30",
        value: "SECONDS",
        help: "time for holders to end; 0: for ever",
    },
    "auto-release-on-disconnect": {
        default: "true",
        value: null,
        help: "free what a closed connection held; else when its lease ends",
    },
    "log-level": { default: "info", value: "LEVEL", help: "debug, info, warn or error" },
    "log-format": { default: "text", value: "FORMAT", help: "text or json" },
    insecure: { default: "false", value: null, help: "listen beyond this machine without a token" },
};
/** `--max-waiters` is `HOLDFAST_MAX_WAITERS`. */
function environmentName(name) {
    return `HOLDFAST_${name.toUpperCase().replaceAll("-", "_")}`;
}
/** An empty variable counts as not set: that is how one unsets it in most CI systems. */
function optionText({ flags, env }, name) {
    const flag = flags[name];
    if (flag !== undefined)
        return flag;
    const variable = env[environmentName(name)];
    return variable === undefined || variable.trim() === "" ? null : variable;
}


/***/ }),

/***/ 7121:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   S: () => (/* binding */ checkToken),
/* harmony export */   f: () => (/* binding */ parseServerOptions)
/* harmony export */ });
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);
/* harmony import */ var _lock_text_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(5352);
/* harmony import */ var _wire_request_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4580);
/* harmony import */ var _log_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1477);
/* harmony import */ var _option_table_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(8895);





/** Flags win over the environment, the environment over the defaults. Throws BAD_OPTION. */
function parseServerOptions(source) {
    for (const name of Object.keys(source.flags)) {
        if (Object.hasOwn(_option_table_js__WEBPACK_IMPORTED_MODULE_2__/* .SERVER_OPTIONS */ .Zb, name))
            continue;
        throw bad(`--${name}`, "is not an option of the server", "see holdfast serve --help");
    }
    const read = new OptionReader(source);
    const options = {
        host: read.text("host") ?? "",
        port: read.integer("port", 0, 65_535),
        httpPort: (0,_option_table_js__WEBPACK_IMPORTED_MODULE_2__/* .optionText */ .re)(source, "http-port") === null ? null : read.integer("http-port", 0, 65_535),
        data: read.text("data"),
        authToken: read.token("auth-token"),
        authTokenFile: read.text("auth-token-file"),
        tls: readTls(read),
        defaultLeaseSeconds: read.integer("default-lease-ttl", 1, Number.MAX_SAFE_INTEGER),
        leaseSweepInterval: read.seconds("lease-sweep-interval", SHORTEST_MS),
        gcInterval: read.seconds("gc-interval", SHORTEST_MS),
        gcMaxIdle: read.seconds("gc-max-idle", 0),
        maxLocks: read.integer("max-locks", 0, Number.MAX_SAFE_INTEGER),
        maxWaiters: read.integer("max-waiters", 0, Number.MAX_SAFE_INTEGER),
        maxConnections: read.integer("max-connections", 0, Number.MAX_SAFE_INTEGER),
        maxSessions: read.integer("max-sessions", 0, Number.MAX_SAFE_INTEGER),
        maxBody: read.integer("max-body", 1, BODY_LIMIT),
        readTimeout: read.seconds("read-timeout", SHORTEST_MS),
        writeTimeout: read.seconds("write-timeout", 0),
        shutdownTimeout: read.seconds("shutdown-timeout", 0),
        autoReleaseOnDisconnect: read.flag("auto-release-on-disconnect"),
        logLevel: read.choice("log-level", _log_js__WEBPACK_IMPORTED_MODULE_3__/* .LOG_LEVELS */ .p_),
        logFormat: read.choice("log-format", _log_js__WEBPACK_IMPORTED_MODULE_3__/* .LOG_FORMATS */ .CD),
        insecure: read.flag("insecure"),
        warnings: source.flags["auth-token"] === undefined
            ? []
            : [
                "The token of --auth-token is visible in the process list: use --auth-token-file instead.",
            ],
    };
    if (options.authToken !== null && options.authTokenFile !== null) {
        throw bad("--auth-token-file", "cannot be combined with --auth-token", "give one of the two");
    }
    return options;
}
/** A file is held in memory while it is written. */
const BODY_LIMIT = 2 ** 30;
/** Shorter intervals would only keep the machine busy. */
const SHORTEST_MS = 10;
/** Longer than this no timer of Node's runs. */
const LONGEST_MS = 2 ** 31 - 1;
function readTls(read) {
    const certFile = read.text("tls-cert");
    const keyFile = read.text("tls-key");
    if (certFile === null && keyFile === null)
        return null;
    if (certFile === null || keyFile === null) {
        const [present, missing] = certFile === null ? ["key", "cert"] : ["cert", "key"];
        throw bad(`--tls-${present}`, `stands without --tls-${missing}`, "give both files, or neither");
    }
    return { certFile, keyFile };
}
class OptionReader {
    #source;
    constructor(source) {
        this.#source = source;
    }
    text(name) {
        const text = (0,_option_table_js__WEBPACK_IMPORTED_MODULE_2__/* .optionText */ .re)(this.#source, name) ?? _option_table_js__WEBPACK_IMPORTED_MODULE_2__/* .SERVER_OPTIONS */ .Zb[name].default;
        if (text !== null && (text.trim() === "" || (0,_lock_text_js__WEBPACK_IMPORTED_MODULE_4__/* .hasControl */ .aQ)(text))) {
            throw bad(`--${name}`, `is ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_4__/* .quote */ .hD)(text)}`, "give it a printable value");
        }
        return text;
    }
    /** Never shown, also where it is refused. */
    token(name) {
        const text = (0,_option_table_js__WEBPACK_IMPORTED_MODULE_2__/* .optionText */ .re)(this.#source, name);
        return text === null ? null : checkToken(text, `--${name}`);
    }
    integer(name, least, most) {
        const text = this.text(name).trim();
        const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
        if (!(value >= least && value <= most)) {
            const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
            throw bad(`--${name}`, `is ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_4__/* .quote */ .hD)(text)}`, `use a whole number ${range}`);
        }
        return value;
    }
    /** Plain seconds, as dflockd's users know them, in milliseconds. */
    seconds(name, least) {
        const text = this.text(name).trim();
        const value = /^\d{1,9}(\.\d{1,3})?$/.test(text)
            ? Math.round(Number(text) * 1_000)
            : Number.NaN;
        if (!(value >= least && value <= LONGEST_MS)) {
            const range = `from ${least / 1_000} to ${Math.floor(LONGEST_MS / 1_000)}`;
            throw bad(`--${name}`, `is ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_4__/* .quote */ .hD)(text)}`, `use a number of seconds ${range}, such as 5`);
        }
        return value;
    }
    flag(name) {
        const text = this.text(name).trim().toLowerCase();
        if (["true", "1", "yes", "on"].includes(text))
            return true;
        if (["false", "0", "no", "off"].includes(text))
            return false;
        throw bad(`--${name}`, `is ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_4__/* .quote */ .hD)(text)}`, "use true or false");
    }
    choice(name, choices) {
        const text = this.text(name).trim().toLowerCase();
        const choice = choices.find((one) => one === text);
        if (choice === undefined)
            throw bad(`--${name}`, `is ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_4__/* .quote */ .hD)(text)}`, `use ${choices.join(", ")}`);
        return choice;
    }
}
/** A token that no client could send would lock everybody out. */
function checkToken(text, name) {
    const token = text.trim();
    if (token === "")
        throw bad(name, "is empty", "give a token, or leave it out");
    if ((0,_lock_text_js__WEBPACK_IMPORTED_MODULE_4__/* .hasControl */ .aQ)(token) || Buffer.byteLength(token) > _wire_request_js__WEBPACK_IMPORTED_MODULE_1__/* .LINE_LIMIT */ .by) {
        throw bad(name, "cannot be sent by clients", `use one line of at most ${_wire_request_js__WEBPACK_IMPORTED_MODULE_1__/* .LINE_LIMIT */ .by} printable bytes`);
    }
    return token;
}
function bad(name, problem, advice) {
    return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_OPTION", `The option ${name} ${problem}: ${advice}.`);
}


/***/ }),

/***/ 2962:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   FC: () => (/* binding */ whyNotPrivate),
/* harmony export */   IB: () => (/* binding */ fileMode),
/* harmony export */   Rh: () => (/* binding */ preparePlace),
/* harmony export */   WE: () => (/* binding */ explain),
/* harmony export */   g3: () => (/* binding */ checkDefault),
/* harmony export */   v: () => (/* binding */ prepareDirectory)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1600);
/* harmony import */ var _place_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(8470);
/* harmony import */ var _random_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(5870);





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
    return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("BAD_STORE", `The store ${path} is not a directory: name a directory, or a file that ends in .lock.`);
}
/**
 * The default directory is in a place where everybody may create files. Whoever owns it decides who
 * gets a lock, so it must be this user's own.
 */
function checkDefault(path) {
    const wrong = whyNotPrivate(path);
    if (wrong === null)
        return;
    throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("STORE_UNSAFE", `The default store ${path} ${wrong}: name a directory that all users of the lock may write to, such as --store /var/lib/holdfast (made with mkdir -m 2770 and a common group).`);
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
        sideDirectory((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(place.directory, _place_js__WEBPACK_IMPORTED_MODULE_3__/* .SIDE_DIRECTORY */ .kQ), mode);
        sideDirectory(place.side, mode);
        makeGuard(place.guard, mode & 0o666);
    }
    catch (error) {
        throw explain(error, place.directory);
    }
}
/** Only the main thread may change the mask. Loaded when needed: most processes find the directory made. */
function isMainThread() {
    return process.getBuiltinModule("node:worker_threads").isMainThread;
}
/** With its mode from the first moment: another user may come by before it could be changed. */
function sideDirectory(path, mode) {
    if (isWindows || !isMainThread()) {
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
        if ((0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .systemCode */ .xU)(error) === "EEXIST")
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
    const temporary = `${path}.${process.pid}.${(0,_random_js__WEBPACK_IMPORTED_MODULE_4__/* .randomHex */ .n)(8)}.tmp`;
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
        const code = (0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .systemCode */ .xU)(error);
        if (code !== "EEXIST")
            (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.closeSync)((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.openSync)(path, "a", mode));
    }
    finally {
        (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.unlinkSync)(temporary);
    }
}
/** The system's words become a sentence that says what to do. */
function explain(error, path) {
    if (error instanceof _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku)
        return error;
    const options = { cause: error };
    switch ((0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .systemCode */ .xU)(error)) {
        case "EACCES":
        case "EPERM":
        case "EROFS":
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("STORE_DENIED", `The store ${path} cannot be used (${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .messageOf */ .bD)(error)}): let this user write there, or name another directory with --store.`, options);
        case "ENOSPC":
        case "EDQUOT":
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("STORE_FULL", `The disk of the store ${path} is full (${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .messageOf */ .bD)(error)}): free some space, or name another directory with --store.`, options);
        case "EEXIST":
        case "ENOTDIR":
            return notADirectory((0,node_path__WEBPACK_IMPORTED_MODULE_1__.dirname)(path) === path ? path : path);
        case "ENOENT":
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("STORE_UNREACHABLE", `The store ${path} is gone (${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .messageOf */ .bD)(error)}): was its directory removed?`, options);
        default:
            return new _lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .LockError */ .Ku("STORE_UNREACHABLE", `The store ${path} failed: ${(0,_lock_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .messageOf */ .bD)(error)}.`, options);
    }
}


/***/ }),

/***/ 8470:
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
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6760);
/* harmony import */ var _lock_key_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2816);


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


/***/ }),

/***/ 980:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   I: () => (/* binding */ openProcesses)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8161);


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


/***/ }),

/***/ 5870:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   n: () => (/* binding */ randomHex)
/* harmony export */ });
const POOL_BYTES = 1_024;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;
/** Random bytes in hex. Asking the system for a few bytes at a time costs as much as many at once. */
function randomHex(bytes) {
    if (used + bytes > POOL_BYTES) {
        // Loaded when first needed, as in lock/digest.ts.
        process.getBuiltinModule("node:crypto").randomFillSync(pool);
        used = 0;
    }
    const part = pool.subarray(used, used + bytes);
    used += bytes;
    const text = part.toString("hex");
    // What was handed out is not kept in memory for the next one who looks.
    part.fill(0);
    return text;
}


/***/ }),

/***/ 4580:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $_: () => (/* binding */ renewRequest),
/* harmony export */   Rv: () => (/* binding */ releaseRequest),
/* harmony export */   Wy: () => (/* binding */ authRequest),
/* harmony export */   _$: () => (/* binding */ enqueueRequest),
/* harmony export */   by: () => (/* binding */ LINE_LIMIT),
/* harmony export */   qM: () => (/* binding */ acquireRequest),
/* harmony export */   rR: () => (/* binding */ waitRequest),
/* harmony export */   x8: () => (/* binding */ statsRequest),
/* harmony export */   zl: () => (/* binding */ LONGEST_WAIT_SECONDS),
/* harmony export */   zw: () => (/* binding */ formatRequest)
/* harmony export */ });
/* harmony import */ var _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1600);
/* harmony import */ var _lock_text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5352);


/** Bytes of a line without its newline. */
const LINE_LIMIT = 256;
/**
 * The real server counts seconds in 64-bit nanoseconds and takes 9,223,372,037 s for a timeout in
 * the past. So "without limit" is sent as this: 23 days, far from every overflow.
 */
const LONGEST_WAIT_SECONDS = 2_000_000;
function authRequest(secret) {
    return { command: "auth", key: "_", token: secret, timeout: 0, limit: 0, lease: 0 };
}
function statsRequest(key = "_", argument = "") {
    return { command: "stats", key, token: argument, timeout: 0, limit: 0, lease: 0 };
}
function acquireRequest(terms) {
    const { key, timeout, limit = 1, lease = 0 } = terms;
    return { command: limit === 1 ? "l" : "sl", key, token: "", timeout, limit, lease };
}
function enqueueRequest(terms) {
    const { key, limit = 1, lease = 0 } = terms;
    return { command: limit === 1 ? "e" : "se", key, token: "", timeout: 0, limit, lease };
}
function waitRequest(terms) {
    const { key, timeout, limit = 1 } = terms;
    return { command: limit === 1 ? "w" : "sw", key, token: "", timeout, limit, lease: 0 };
}
function releaseRequest(terms) {
    const { key, token, limit = 1 } = terms;
    return { command: limit === 1 ? "r" : "sr", key, token, timeout: 0, limit, lease: 0 };
}
function renewRequest(terms) {
    const { key, token, limit = 1, lease = 0 } = terms;
    return { command: limit === 1 ? "n" : "sn", key, token, timeout: 0, limit, lease };
}
/** The three lines of a request. Throws BAD_KEY or BAD_OPTION for what no server would accept. */
function formatRequest(request) {
    const { command, key } = request;
    const argument = formatArgument(request);
    if (command !== "stats" && command !== "auth" && (key === "" || /[ \t\r]/.test(key))) {
        throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku("BAD_KEY", `The key ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_1__/* .quote */ .hD)(key)} cannot be sent as it is: encode it first.`);
    }
    checkLine(key, "BAD_KEY", "key");
    checkLine(argument, "BAD_OPTION", command === "auth" ? "token" : "argument");
    return `${command}\n${key}\n${argument}\n`;
}
function formatArgument({ command, token, timeout, limit, lease }) {
    const leasePart = lease === 0 ? "" : ` ${lease}`;
    switch (command) {
        case "l":
            return `${timeout}${leasePart}`;
        case "sl":
            return `${timeout} ${limit}${leasePart}`;
        case "e":
            return lease === 0 ? "" : `${lease}`;
        case "se":
            return `${limit}${leasePart}`;
        case "w":
        case "sw":
            return `${timeout}`;
        case "n":
        case "sn":
            return `${token}${leasePart}`;
        default:
            return token;
    }
}
/** The text is not shown: it may be a secret. A newline in it would forge a request. */
function checkLine(text, code, name) {
    if (text.includes("\n")) {
        throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku(code, `The ${name} contains a line break: it has to be one line.`);
    }
    if ((0,_lock_text_js__WEBPACK_IMPORTED_MODULE_1__/* .byteLength */ .dp)(text) > LINE_LIMIT) {
        throw new _lock_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .LockError */ .Ku(code, `The ${name} has ${(0,_lock_text_js__WEBPACK_IMPORTED_MODULE_1__/* .byteLength */ .dp)(text)} bytes: the protocol takes at most ${LINE_LIMIT}.`);
    }
}


/***/ })

};
