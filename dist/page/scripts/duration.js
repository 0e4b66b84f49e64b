// @ts-check

/**
 * A duration for people: `4m 10s`, `2h`, `350ms`. At most two units. The command line and the server's
 * page show the same words, so a browser loads this file as it is.
 *
 * @param {number} milliseconds
 */
export function formatDuration(milliseconds) {
  if (milliseconds >= 1 && milliseconds < 1_000) return `${Math.floor(milliseconds)}ms`;
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  /** @type {[number, string][]} */
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  const shown = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2);
  const words = shown.filter(([amount], place) => place === 0 || amount > 0);
  return words.map(([amount, unit]) => `${amount}${unit}`).join(" ");
}

/**
 * A time that is still running, in whole seconds: its milliseconds change faster than anybody reads.
 * The clocks of two machines may differ, so it is never below zero.
 *
 * @param {number} milliseconds
 */
export function formatAge(milliseconds) {
  return formatDuration(Math.floor(Math.max(0, milliseconds) / 1_000) * 1_000);
}
