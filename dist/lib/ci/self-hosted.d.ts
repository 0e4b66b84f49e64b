import { type Detector } from "./detector.ts";
/** Forgejo's runner sets Gitea's mark as well: asked before `gitea`. */
export declare const forgejo: Detector;
/** Gitea's runner sets all of GitHub's variables: asked before `github`. */
export declare const gitea: Detector;
/**
 * A restart is a new pipeline. The legs of a matrix are workflows of one name and several numbers;
 * steps may run side by side. Sets Drone's variables too: asked before `drone`.
 */
export declare const woodpecker: Detector;
/** A restart is a new build; a matrix is written as several stages; steps may run side by side. */
export declare const drone: Detector;
/**
 * A re-run is a new build, and parallel builds are configurations of their own. The build number is
 * free text that may come again; the unique id is only in the address, where the server tells that.
 */
export declare const teamcity: Detector;
/**
 * A re-run is a new build. Parallel stages and matrix cells have stage names of their own; branches
 * of a scripted pipeline may have none, but hold different executors.
 */
export declare const jenkins: Detector;
