import { type Detector } from "./detector.ts";
/** The environment does not tell the legs of a matrix apart: the caller has to. */
export declare const github: Detector;
/** The job's id is new for a retry and for each leg of `parallel`, whose name the job's name carries. */
export declare const gitlab: Detector;
/** A re-run is a new workflow with new job numbers; only parallel runs share both. */
export declare const circleci: Detector;
/** A retried job is a new job with an id of its own, and so is each parallel one. */
export declare const buildkite: Detector;
/**
 * A classic release carries the build number of what it deploys: two releases of one build must not
 * be taken for one. Asked before `azure`.
 */
export declare const azureRelease: Detector;
/** SYSTEM_JOBID is no help: it is the same in every run of a pipeline. */
export declare const azure: Detector;
/** A re-run of failed steps keeps the build number and counts the step's runs. Numbers are per repository. */
export declare const bitbucket: Detector;
/** A restarted job keeps all of its variables; but it gets a new machine. */
export declare const travis: Detector;
