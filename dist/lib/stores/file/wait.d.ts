import type { CheckedRequest, LockFormat } from "../../lock/request.ts";
import type { ClaimOptions, Lease } from "../../lock/store.ts";
import type { Processes, ProcessMark } from "../../machine/processes.ts";
import { type Auditor } from "./audit/entry.ts";
import type { Place } from "./disk/place.ts";
import type { RealWorld, RealWorldOptions } from "./disk/world.ts";
import { type Grant } from "./protocol/claim.ts";
import type { JudgeRules } from "./protocol/judge.ts";
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
