/**
 * Ends a stage that has done its work: what is left would only be freed piece by piece, which takes
 * a millisecond. Nothing is lost, since the bundled @actions/core writes at once (scripts/build.ts).
 */
export function endStage(): void {
  process.exit();
}
