import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { commitAll } from "../../helpers/git.ts";
import { start } from "../../helpers/processes.ts";
import { ROOT } from "../../helpers/sources.ts";

/** A block of code of a document. */
export interface Block {
  readonly document: string;
  readonly language: string;
  readonly text: string;
}

/** The blocks of a document, in their order. */
export function blocksOf(document: string): Block[] {
  const text = readFileSync(join(ROOT, document), "utf8");
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = "", block = ""]) => ({ document, language, text: block }),
  );
}

/** The one block of a document in a language that has these words. */
export function blockWith(document: string, language: string, words: string): string {
  const found = blocksOf(document).filter(
    (block) => block.language === language && block.text.includes(words),
  );
  if (found.length !== 1)
    throw new Error(`${document} has ${found.length} ${language} blocks with ${words}`);
  return found[0]?.text as string;
}

/** A reader's home: a shell in it finds the usual programs, and what the reader has installed. */
export function openHome() {
  const directory = temporaryDirectory();
  const bin = join(directory, "bin");
  mkdirSync(bin);
  const env: Record<string, string> = {
    HOME: directory,
    // The reader has Node 24, and what is installed globally comes before the rest.
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOLDFAST_STORE: join(directory, "locks"),
    HOLDFAST_PORT: "0",
    RUNNER_TEMP: directory,
    // `npm link` and `npm install -g` put their programs into `bin`.
    npm_config_prefix: directory,
    npm_config_update_notifier: "false",
    npm_config_offline: "true",
  };
  const write = (path: string, text: string, mode = 0o755) => {
    writeFileSync(join(directory, path), text);
    chmodSync(join(directory, path), mode);
  };
  return {
    directory,
    write,
    env,
    /** Ends at the first line that fails, and prints each line before it runs it. */
    type: (lines: string, cwd = directory) => start("/bin/sh", ["-exc", lines], { cwd, env }),
    /** The command, as a reader has it who has installed it. */
    install: () =>
      write(
        "bin/holdfast",
        `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "dist/cli/index.js")}" "$@"\n`,
      ),
    /** The scripts of a reader: each says that it ran, and with what. */
    scripts: (...names: string[]) => {
      for (const name of names) write(name, `#!/bin/sh\necho "$(basename "$0") ran" "$@"\n`);
    },
  };
}

export type Home = ReturnType<typeof openHome>;

/**
 * The repository under its address, as it is here and not as it was committed. In place of the
 * registry stand the packages that are installed here.
 */
export function publish(home: Home): void {
  const published = join(home.directory, "published");
  mkdirSync(published);
  const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const parts = ["package.json", "package-lock.json", "action.yml", "dist", ...files];
  for (const part of parts.filter((name: string) => !name.includes("*") && !/^dist\//.test(name)))
    cpSync(join(ROOT, part), join(published, part), { recursive: true });
  commitAll(published);
  Object.assign(home.env, {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.${published}.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://github.com/holdfast-ci/holdfast",
  });
  home.write(
    "bin/npm",
    `#!/bin/sh
case "$*" in
  "install" | "ci") exec ln -s "${ROOT}/node_modules" node_modules ;;
esac
PATH=\${PATH#*${delimiter}} exec npm "$@"
`,
  );
}
