/** Names the first rule that a body breaks; the server checks before it decodes (rule FMT-03). */
import { VOCABULARY } from '../contract.ts';
import { type ErrorCode, Failure } from '../error.ts';

/** The rule that a body breaks; `format_messages` of `contract/vocabulary.json` explains each. */
export type Fault = keyof typeof VOCABULARY.format_messages;

/** Returns the failure of a request whose body has this fault. */
export function refusal(code: ErrorCode, fault: Fault): Failure {
  return new Failure(code, { reason: VOCABULARY.format_messages[fault] });
}
