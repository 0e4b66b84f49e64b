/** How a refused token is answered: it is not good, no rule is for it, or it is not known now. */
type Status = 401 | 403 | 503;

/** A token is not accepted. The message has all details and is for the log. */
export class TokenRefused extends Error {
  readonly status: Status;
  /** For the client: the same, without what a stranger need not know. */
  readonly told: string;

  constructor(message: string, status: Status = 401, told = message) {
    super(message);
    this.status = status;
    this.told = told;
  }

  /** True: the token may be good, but this server cannot tell now. */
  get isPassing(): boolean {
    return this.status === 503;
  }
}
