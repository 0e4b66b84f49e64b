import type { Frame } from "./frame.ts";
import type { Request } from "./request.ts";
import { type Violation } from "./violation.ts";
/** Numbers, token and key are read from the bytes; only what outlives the request becomes text. */
export declare function parseRequest(frame: Frame): Request | Violation;
