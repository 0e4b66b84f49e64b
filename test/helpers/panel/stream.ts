import { afterEach } from "vitest";
import type { KeyJson } from "../../../src/server/observers/describe.ts";

export interface ServerEvent {
  /** Null: a comment. */
  readonly name: string | null;
  readonly keys: KeyJson[];
}

const streams: EventStream[] = [];

afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

/** Reads `/admin/events` as it comes; closed after the test. */
export class EventStream {
  readonly response: Response;
  /** All that came so far. */
  readonly events: ServerEvent[] = [];
  /** The state of every key, put together from what came. */
  readonly locks = new Map<string, KeyJson>();
  ended = false;
  readonly #abort: AbortController;
  readonly #news: (() => void)[] = [];

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const abort = new AbortController();
    const stream = new EventStream(await fetch(url, { headers, signal: abort.signal }), abort);
    streams.push(stream);
    void stream.#read();
    return stream;
  }

  close(): void {
    this.#abort.abort();
  }

  /** Resolves when it is true; looked at after every event and at the end. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      if (this.ended) throw new Error("The stream ended before.");
      await new Promise<void>((resolve) => this.#news.push(resolve));
    }
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of this.response.body ?? []) {
        rest += decoder.decode(chunk, { stream: true });
        const blocks = rest.split("\n\n");
        rest = blocks.pop() as string;
        for (const block of blocks) this.#take(block);
      }
    } catch {
      // Closed by the test.
    }
    this.ended = true;
    for (const resolve of this.#news.splice(0)) resolve();
  }

  #take(block: string): void {
    if (block.startsWith(":")) {
      this.events.push({ name: null, keys: [] });
    } else {
      const [event = "", data = ""] = block.split("\n");
      const name = event.replace(/^event: /, "");
      const content = JSON.parse(data.replace(/^data: /, "")) as Record<string, KeyJson[]>;
      const keys = content.locks ?? content.keys ?? [];
      if (name === "state") this.locks.clear();
      for (const lock of keys) {
        if (lock.holders.length === 0 && lock.waiting === 0) this.locks.delete(lock.key);
        else this.locks.set(lock.key, lock);
      }
      this.events.push({ name, keys });
    }
    for (const resolve of this.#news.splice(0)) resolve();
  }
}
