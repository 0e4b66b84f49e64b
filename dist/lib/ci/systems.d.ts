import { type CiRun, type Read } from "./detector.ts";
export declare function detect(env: Read, hostname: string): CiRun | null;
