import type { Register, RegisterTraits } from "../../../src/stores/engines/register.ts";

export const KEY = "production";

/** A fresh engine, empty, for one test. */
export interface RegisterPlace {
  /** A register of its own connection, as another process would have it. */
  open(): Promise<Register>;
  /** Where the engine can be made to: the answer of the next swap gets lost. */
  loseNext?(how: "stands" | "never"): void;
  /** Where the engine can be made to: reads that are not strong lag behind from now on. */
  lag?(states: number): void;
  cleanup(): Promise<void>;
}

export interface RegisterFactory {
  readonly traits: Pick<RegisterTraits, "push">;
  /** The engine keeps signs of life. */
  readonly signs: boolean;
  /** Its sessions are judged as they are watched: that one has ended is seen a little later. */
  readonly watched?: boolean;
  /** Documents are kept for so many contenders, each so many times. Slow engines take fewer. */
  readonly contention?: { readonly registers: number; readonly rounds: number };
  /** A claim is woken by what concerns it, and by nothing else. */
  readonly wakesFew?: boolean;
  readonly loses?: boolean;
  readonly lags?: boolean;
  create(): Promise<RegisterPlace>;
}

/** The registers of one test, closed at its end. */
export class RegisterScene {
  readonly #factory: RegisterFactory;
  #place: RegisterPlace | null = null;
  #registers: Register[] = [];

  constructor(factory: RegisterFactory) {
    this.#factory = factory;
  }

  async begin(): Promise<void> {
    this.#place = await this.#factory.create();
  }

  async end(): Promise<void> {
    for (const register of this.#registers.splice(0)) await register.close();
    await this.place.cleanup();
  }

  get place(): RegisterPlace {
    if (this.#place === null) throw new Error("the scene has not begun");
    return this.#place;
  }

  async open(): Promise<Register> {
    const register = await this.place.open();
    this.#registers.push(register);
    return register;
  }
}

/** Puts a document there, whatever was there before. */
export async function put(register: Register, key: string, text: string): Promise<string> {
  const { version } = await register.read(key, { strong: true });
  const swap = await register.swap(key, version, text);
  if (swap.outcome !== "done") throw new Error(`the swap of ${key} is ${swap.outcome}`);
  return swap.version;
}
