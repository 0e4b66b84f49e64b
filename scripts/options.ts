/** Reads whole numbers among a script's options; one that is none ends the script with a sentence. */
export function countIn<Values extends object>(values: Values) {
  return (name: keyof Values & string, least: number): number => {
    const value = Number(values[name]);
    if (Number.isSafeInteger(value) && value >= least) return value;
    process.stderr.write(`--${name} ${values[name]}: use a whole number, at least ${least}.\n`);
    process.exit(2);
  };
}
