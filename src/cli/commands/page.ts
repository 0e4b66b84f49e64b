import { LockError } from "../../lock/errors.ts";
import { jsonText, quote } from "../../lock/text.ts";
import { type Command, DONE_OR_FAILED, type Input } from "../command.ts";
import { openNamedStore, whoCalls, whoIntervenes } from "../context.ts";
import { VERSION } from "../help-text.ts";
import { untilSignal } from "../until-signal.ts";

const PORT_LIMIT = 65_535;

export const pageCommand: Command = {
  name: "page",
  summary: "Shows the locks of any store on a live page, for this machine alone",
  usage: "[--port N] [--allow-changes]",
  about: [
    "It prints the page's address on stdout and serves it until Ctrl-C or, where there are signals, SIGTERM or SIGINT. The address carries a token: without it, other users of this machine see no locks. The store's own password never reaches the browser.",
    "A lock directory or an engine says when something changes. A repository is asked, once for all browsers: every 5 s, and down to every 30 s while nothing changes; and not at all while no browser looks.",
  ],
  takes: "nothing",
  options: [
    { name: "port", value: "N", says: "listen there on 127.0.0.1", default: "0, a free one" },
    {
      name: "allow-changes",
      says: "let the page freeze, thaw and break; else it only looks",
    },
  ],
  examples: [
    { line: "holdfast page", says: "the locks of this machine" },
    {
      line: "holdfast page --store github:acme/shop --allow-changes",
      says: "those of a repository, with buttons",
    },
  ],
  exitCodes: DONE_OR_FAILED,
  async act(input, io) {
    const port = portOf(input);
    const mayChange = input.flag("allow-changes");
    const store = await openNamedStore(input, io, { user: whoCalls(io).user });
    try {
      // The server's code is loaded only here: every other command does without it.
      const { servePage } = await import("../../server/store-page/serve.ts");
      const start = async () => {
        const page = await servePage(store, {
          port,
          mayChange,
          by: whoIntervenes(io),
          version: VERSION,
          output: (line) => io.stderr.write(line),
        });
        const { address } = page;
        const said = { address, store: store.url, mayChange };
        io.stdout.write(input.json ? `${jsonText(said)}\n` : `listening ${address}\n`);
        return page;
      };
      await untilSignal(start, io.env);
      return 0;
    } finally {
      await store.close();
    }
  },
};

function portOf(input: Input): number {
  const text = input.text("port") ?? "0";
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= PORT_LIMIT) return port;
  throw new LockError(
    "BAD_OPTION",
    `The port ${quote(text)} is not a whole number from 0 to ${PORT_LIMIT}.`,
  );
}
