import type { ChangedOptions, Documents, ReadOptions, Session, SwapOptions } from "./register.ts";

/**
 * How far a session is with its signs of life, if a swap can give the first and take back the last. `new`: none
 * is wanted yet. `due`: the next swap or renewal gives the first. `over`: a swap has ended it, and nothing is
 * left to be done.
 */
export type Stage = "new" | "due" | "alive" | "over";

/** A session as its engine knows it. */
export interface Own {
  readonly id: string;
  readonly deadAfter: number;
  stage: Stage;
}

/** The documents of a register, with the session in whose name a call is made as the last argument. */
export interface OwnDocuments<O extends Own> {
  read(key: string, options?: ReadOptions, own?: O): ReturnType<Documents["read"]>;
  swap(
    key: string,
    version: string | null,
    next: string,
    options?: SwapOptions,
    own?: O,
  ): ReturnType<Documents["swap"]>;
  changed(key: string, version: string | null, options: ChangedOptions, own?: O): Promise<void>;
}

/** A session of a register, with the signs of life of its engine. */
export function sessionOn<O extends Own>(
  documents: OwnDocuments<O>,
  own: O,
  signs: Pick<Session, "begin" | "renew" | "end">,
): Session {
  return {
    id: own.id,
    read: (key, options) => documents.read(key, options, own),
    swap: (key, version, next, options) => documents.swap(key, version, next, options, own),
    changed: (key, version, options) => documents.changed(key, version, options, own),
    ...signs,
  };
}

/** Whether this swap has to give the first sign of life. */
export function isBegunBy(own: Own | undefined, { ends = false }: SwapOptions): own is Own {
  return own?.stage === "due" && !ends;
}

/** Takes note that the engine has answered a swap, which gave its sign of life even if it was a conflict. */
export function wasSwapped(
  own: Own | undefined,
  options: SwapOptions,
  outcome: "done" | "conflict",
): void {
  if (own === undefined || own.stage === "new") return;
  if (isBegunBy(own, options)) own.stage = "alive";
  if (options.ends && outcome === "done") own.stage = "over";
}

/** Whether changes are told to the session itself. No swap names a session that shows no life. */
export function isWatching(own: Own | undefined): own is Own {
  return own !== undefined && own.stage !== "new";
}

export function isOver({ stage }: Own): boolean {
  return stage === "over";
}
