/**
 * Ends a stage that has done its work: what is left would only be freed piece by piece. Nothing is
 * lost, since the bundled @actions/core writes at once (scripts/build.ts).
 */
export function endProcess(): void {
  process.exit();
}
