/** What can stand in a list. An element is in one list at a time. */
export interface Linked<T> {
  previous: T | null;
  next: T | null;
}

/**
 * A doubly linked list through its own elements: any element leaves in O(1), wherever it stands,
 * and leaves nothing behind to be skipped later. Ten thousand waiters that hang up cost no more
 * than one.
 */
export class LinkedList<T extends Linked<T>> {
  size = 0;
  first: T | null = null;
  #last: T | null = null;

  push(element: T): void {
    element.previous = this.#last;
    element.next = null;
    if (this.#last === null) this.first = element;
    else this.#last.next = element;
    this.#last = element;
    this.size += 1;
  }

  remove(element: T): void {
    const { previous, next } = element;
    if (previous === null) this.first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    element.previous = null;
    element.next = null;
    this.size -= 1;
  }

  /** Finds the first element of which it is true. */
  find(isIt: (element: T) => boolean): T | null {
    let element = this.first;
    while (element !== null && !isIt(element)) element = element.next;
    return element;
  }

  /** The element at hand may leave during the walk; others may not. */
  *[Symbol.iterator](): Generator<T> {
    let element = this.first;
    while (element !== null) {
      const next: T | null = element.next;
      yield element;
      element = next;
    }
  }
}
