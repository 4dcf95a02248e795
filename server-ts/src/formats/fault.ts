/** Names why a body is refused before it is decoded: the first rule that breaks (rule FMT-03). */
import { VOCABULARY } from '../contract.ts';
import { type ErrorCode, Failure } from '../error.ts';

/** Each is explained by its message in `contract/vocabulary.json`. */
export type Fault = keyof typeof VOCABULARY.format_messages;

/** The failure of a body with this fault. */
export function refusal(code: ErrorCode, fault: Fault): Failure {
  return new Failure(code, { reason: VOCABULARY.format_messages[fault] });
}
