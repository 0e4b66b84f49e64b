/** What is rarely done, loaded by those who do it: break, clean, let go without the holder, list. */
export { catalogue, reachable } from "./disk/catalogue.ts";
export { breakSteps } from "./protocol/break.ts";
export { cleanKey } from "./protocol/clean.ts";
export { letGoSteps } from "./protocol/let-go.ts";
