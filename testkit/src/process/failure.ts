/**
 * Why a command failed: a code, told apart by code and never by text, and lines that a person can act on.
 */

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

/** The command was stopped from outside; exit 130. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}
