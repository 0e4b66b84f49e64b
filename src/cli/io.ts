import { LockError, messageOf } from "../lock/errors.ts";

/** What a command gets from outside: where it writes, its environment, its working directory. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Throws where that directory is gone. */
  workingDirectory(): string;
}

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Columns of the terminal; changes with its window. */
  columns(): number;
}

/** For a terminal that does not tell its size. */
const USUAL_COLUMNS = 80;

export function systemIo(): Io {
  return {
    stdout: outputTo(process.stdout),
    stderr: outputTo(process.stderr),
    env: process.env,
    workingDirectory() {
      try {
        return process.cwd();
      } catch (error) {
        throw new LockError(
          "BAD_STORE",
          `The working directory is gone (${messageOf(error)}): change to one that exists.`,
          { cause: error },
        );
      }
    },
  };
}

function outputTo(stream: NodeJS.WriteStream): Output {
  // The reader of the output may have ended (`holdfast list | head -1`): that is no failure.
  stream.on("error", () => {});
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    columns: () => stream.columns || USUAL_COLUMNS,
  };
}

/** Resolves when all output is written, or cannot be written any more. */
export function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write("", () => resolve());
  });
}
