/**
 * Makes an error answer: a stable code, and the members that go with it.
 *
 * `contract/errors` has the status, public text and `Retry-After` of each code. This module knows nothing of HTTP;
 * `http/reply` turns a failure into an answer.
 */
import type { ErrorCode } from './contract/errors.ts';

export { ERROR_CODES, type ErrorCode, errorSpec } from './contract/errors.ts';

/** Further members of a failure's answer, in their order. */
type Members = Readonly<Record<string, unknown>>;

/** A code, further members of the answer, and whether the connection closes. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly members: Members;
  /** Whether the connection closes after this answer. */
  readonly close: boolean;

  constructor(code: ErrorCode, members: Members = {}, close = false) {
    super(code);
    this.name = 'Failure';
    this.code = code;
    this.members = members;
    this.close = close;
  }
}
