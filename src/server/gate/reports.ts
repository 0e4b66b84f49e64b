import type { Claim } from "../table/claim.ts";
import type { CourseContext, Fellow } from "./context.ts";
import { comment, pictureOf, standing } from "./words.ts";

/** GitHub takes 10 comments for a deployment; two are left for the decision. */
const REPORTS_LIMIT = 8;
/** The second comment comes after so long at the earliest, and each further one after twice as long. */
const REPORT_MS = 30_000;

/** What a run that waits is told at GitHub, as often as GitHub takes it. */
export class Reports {
  readonly #course: Pick<Fellow, "pass" | "record">;
  readonly #gate: CourseContext;
  #nextAt: number;
  /** What the last one was about. */
  #picture = "";

  constructor(course: Pick<Fellow, "pass" | "record">, gate: CourseContext) {
    this.#course = course;
    this.#gate = gate;
    this.#nextAt = gate.clock.monotonic();
  }

  /** After a restart it is as if the last one were sent just now. */
  resume(): void {
    this.#pause();
  }

  isDue(claim: Claim | null): boolean {
    return claim?.state === "waiting" && this.#isNews(pictureOf(claim));
  }

  /** Says how the claim stands, where that has changed. */
  async tell(claim: Claim | null): Promise<void> {
    if (claim === null || !this.isDue(claim)) return;
    const { history, clock } = this.#gate;
    const sentence = standing(claim, history.of(claim.entry.key), clock.now());
    await this.say(sentence, pictureOf(claim));
  }

  /** One that gets lost is not sent again: the next one tells more. */
  async say(sentence: string, picture = sentence): Promise<void> {
    if (!this.#isNews(picture)) return;
    const { pass } = this.#course;
    this.#pause();
    this.#picture = picture;
    pass.reports += 1;
    // Counted before it is sent: no crash makes GitHub get more than it takes.
    this.#course.record();
    await this.#gate.questions.review(pass, comment(`Holdfast: ${sentence}.`));
  }

  #isNews(picture: string): boolean {
    const { reports } = this.#course.pass;
    const mayTell = reports < REPORTS_LIMIT && this.#nextAt <= this.#gate.clock.monotonic();
    return mayTell && picture !== this.#picture;
  }

  #pause(): void {
    this.#nextAt = this.#gate.clock.monotonic() + REPORT_MS * 2 ** this.#course.pass.reports;
  }
}
