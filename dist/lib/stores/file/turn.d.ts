import type { Lease } from "../../lock/lease.ts";
import type { ClaimOptions } from "../../lock/store.ts";
import type { CheckedRequest } from "../request.ts";
import { type Auditor } from "./audit.ts";
import { type Grant } from "./claim.ts";
import type { JudgeRules } from "./judge.ts";
import type { Place } from "./place.ts";
import type { Processes } from "./processes.ts";
import type { RealWorld, RealWorldOptions } from "./real.ts";
import type { LockFormat, ProcessMark } from "./record.ts";
export interface ClaimContext {
    readonly open: (options: Partial<RealWorldOptions>) => RealWorld;
    readonly store: string;
    readonly format: LockFormat;
    readonly rules: JudgeRules;
    readonly processes: Processes;
    readonly holder: ProcessMark;
    readonly auditor: Auditor;
}
/** Runs a claim from the first look to the grant, with its progress reports and its deadline. */
export declare function takeTurn(place: Place, request: CheckedRequest, options: ClaimOptions, context: ClaimContext): Promise<{
    lease: Lease;
    grant: Grant;
}>;
