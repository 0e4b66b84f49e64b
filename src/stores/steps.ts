/**
 * The steps in which a protocol is written: generators that yield what they want of a world and get
 * the answer back. In production `perform` runs them on the real thing; test/model runs the same
 * generators on one in memory, in every order and with a crash around every step.
 */

/** Everything that a protocol does to the world outside it, one small step a method. */
type Methods<World> = { readonly [N in keyof World]: (...args: never[]) => unknown };

/** A step of that world that is asked for. */
export interface CallOf<World> {
  readonly name: keyof World;
  readonly args: readonly unknown[];
}

/** A part of a protocol: yields steps, gets their results back, returns its own. */
export type StepsOf<World, T> = Generator<CallOf<World>, T, unknown>;

type Settled<T> = T extends Promise<infer U> ? U : T;

/** One step, as a protocol on that world asks for it: `yield* step("list", directory)`. */
export type StepOf<World extends Methods<World>> = <N extends keyof World>(
  name: N,
  ...args: Parameters<World[N]>
) => StepsOf<World, Settled<ReturnType<World[N]>>>;

/** The `step` of a world, for whose methods it has the types. */
export function stepOf<World extends Methods<World>>(): StepOf<World> {
  return function* step<N extends keyof World>(name: N, ...args: Parameters<World[N]>) {
    return (yield { name, args }) as Settled<ReturnType<World[N]>>;
  };
}

/**
 * Runs steps on a world, waiting only where the world has to: within a guard everything is at once.
 * What a step throws is thrown where the protocol asked for it. `retry`: calls a step, once or again.
 */
export async function perform<World, T>(
  world: NoInfer<World>,
  steps: StepsOf<World, T>,
  retry: (call: () => unknown) => unknown = (call) => call(),
): Promise<T> {
  let turn = steps.next();
  while (!turn.done) {
    let result: unknown;
    try {
      const { name, args } = turn.value;
      const method = world[name] as (...args: readonly unknown[]) => unknown;
      result = retry(() => method.apply(world, args as unknown[]));
      if (result instanceof Promise) result = await result;
    } catch (error) {
      turn = steps.throw(error);
      continue;
    }
    turn = steps.next(result);
  }
  return turn.value;
}
