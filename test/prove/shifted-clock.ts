let shift = 0;

/** Moves the wall clock of this process by so many milliseconds. Its monotonic clock goes on. */
export function shiftClock(milliseconds: number): void {
  shift = milliseconds;
}

const RealDate = Date;

/** `Date` as a machine with a wrong clock has it: every way to ask for now is shifted. */
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) =>
    args.length === 0 ? new target(target.now() + shift) : Reflect.construct(target, args),
  get: (target, name) =>
    name === "now" ? () => target.now() + shift : Reflect.get(target, name, target),
});
