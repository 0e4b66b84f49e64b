import {
  type InLine,
  isPlain,
  nextServed,
  PLAIN,
  passedBy,
  servingOrder,
} from "../../lock/admission.ts";
import { type Linked, LinkedList } from "./list.ts";

/** How much of a key a claim wants, and how urgently. */
export type Share = Pick<InLine, "weight" | "priority">;

/** A claim in line, as the line knows it. */
interface Waiting extends InLine {
  passed: number;
  declared: boolean;
  readonly absent: boolean;
  readonly awaited: boolean;
  /** Whether the order of arrival alone says when it is served. */
  readonly isPlain: boolean;
}

/**
 * Those who wait for a key, by arrival. As long as all of them are plain the first one is next; only
 * where somebody is not the rule of admission is asked, which looks at the whole line.
 */
export class Line<Claim extends Waiting & Linked<Claim>> extends LinkedList<Claim> {
  #unusual = 0;
  /** The line as it will be served, until it changes; null: not known. */
  #order: readonly Claim[] | null = null;

  /** Whether the order of arrival is that in which they are served. */
  get isPlain(): boolean {
    return this.#unusual === 0;
  }

  override push(claim: Claim): void {
    super.push(claim);
    if (!claim.isPlain) this.#unusual += 1;
    this.#order = null;
  }

  override remove(claim: Claim): void {
    super.remove(claim);
    if (!claim.isPlain) this.#unusual -= 1;
    this.#order = null;
  }

  /** From now on a claim in line would take the lock. */
  declare(claim: Claim): void {
    this.#unusual -= 1;
    claim.declared = true;
    if (!claim.isPlain) this.#unusual += 1;
  }

  /** In the order in which they will be served. */
  get inOrder(): Iterable<Claim> {
    if (this.isPlain) return this;
    if (this.#order === null) {
      const line = [...this];
      this.#order = servingOrder(line).map((place) => line[place] as Claim);
    }
    return this.#order;
  }

  /** The one that is served next, whether there is enough for it or not. */
  get next(): Claim | null {
    return this.isPlain ? this.find((claim) => !claim.absent || claim.awaited) : nextServed(this);
  }

  /** Whether a claim that comes now is served before all others. Those that are plain would have been served. */
  isFirst(newcomer: Share): boolean {
    if (this.isPlain && isPlain(newcomer)) return true;
    const last: InLine = { ...PLAIN, weight: newcomer.weight, priority: newcomer.priority };
    return nextServed<InLine>([...this, last]) === last;
  }

  /** Counts for those that are passed that a claim, from this line or a newcomer, is served now. */
  pass(served: Claim): Claim[] {
    if (this.isPlain && served.isPlain) return [];
    const line = [...this];
    const place = line.indexOf(served);
    const passed = passedBy(line, place === -1 ? line.length : place).map(
      (each) => line[each] as Claim,
    );
    for (const claim of passed) claim.passed += 1;
    return passed;
  }
}
