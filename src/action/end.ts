/**
 * Ends a stage that has said something: what is left would only be freed piece by piece. Where its
 * output is not all written yet, the process ends by itself when it is.
 */
export function endProcess(): void {
  if (process.stdout.writableLength === 0) process.exit();
}
