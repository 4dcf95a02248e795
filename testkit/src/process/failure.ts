/** Describes why a command failed: a code, which programs match on, and lines that a user can act on. */

export class Failure<Code extends string = string> extends Error {
  readonly code: Code;
  /** Further lines for the reader: an exchange, the end of a log. */
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
