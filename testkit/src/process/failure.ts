/** Describes why a command failed: a code for programs, and lines for the user. */

export class Failure<Code extends string = string> extends Error {
  readonly code: Code;
  /** Further lines for the user, such as an exchange or the end of a log. */
  readonly details: readonly string[];
  constructor(code: Code, message: string, details: readonly string[] = []) {
    super(message);
    this.name = 'Failure';
    this.code = code;
    this.details = details;
  }
}

/** A user interrupted the command; exit 130. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}
