/** What is rarely done, loaded by those who do it: break, clean, let go without the holder, list. */
export { breakSteps } from "./break.ts";
export { catalogue, reachable } from "./catalogue.ts";
export { cleanKey } from "./clean.ts";
export { letGoSteps } from "./let-go.ts";
