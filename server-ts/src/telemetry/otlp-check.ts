/**
 * Checks a Protobuf request before reading it (rules FMT-06 and OTL-03).
 *
 * Pure. Invariant: the check allocates nothing, whatever the body declares. A body that passes is well-formed to its
 * last byte.
 */
import { LIMITS } from '../contract.ts';
import { refusal } from '../formats/fault.ts';
import { Walker } from '../formats/protobuf-check.ts';
import { isUtf8Range } from '../formats/utf8.ts';
import { fieldOf, type Message } from './otlp.ts';

/** Bytes per slice; other requests run between slices. A shorter message takes one slice. */
const SLICE_BYTES = 1 << 19;

/** Checks a body that is one message, in slices. */
export function* checkMessage(body: Buffer, message: Message): Generator<void, void> {
  yield* checkInSlices(new Walker(body), body, message, body.length, 1);
}

function* checkInSlices(
  walker: Walker,
  body: Buffer,
  message: Message,
  end: number,
  depth: number,
): Generator<void, void> {
  if (depth > LIMITS.json_depth) throw refusal('invalid_protobuf', 'depth');
  let pause = walker.at + SLICE_BYTES;
  while (walker.at < end) {
    const field = fieldOf(message, walker.tag(end, message.fields));
    const valueEnd = walker.value(end);
    const isLong = valueEnd - walker.at > SLICE_BYTES;
    if (field?.message === undefined) checkText(body, field?.isText, walker.at, valueEnd);
    else if (isLong) yield* checkInSlices(walker, body, field.message, valueEnd, depth + 1);
    else checkNested(walker, body, field.message, valueEnd, depth + 1);
    walker.at = valueEnd;
    if (valueEnd > pause && !isLong) {
      yield;
      pause = valueEnd + SLICE_BYTES;
    }
  }
}

function checkNested(walker: Walker, body: Buffer, message: Message, end: number, depth: number): void {
  if (depth > LIMITS.json_depth) throw refusal('invalid_protobuf', 'depth');
  while (walker.at < end) {
    const field = fieldOf(message, walker.tag(end, message.fields));
    const valueEnd = walker.value(end);
    if (field?.message === undefined) checkText(body, field?.isText, walker.at, valueEnd);
    else checkNested(walker, body, field.message, valueEnd, depth + 1);
    walker.at = valueEnd;
  }
}

function checkText(body: Buffer, isText: boolean | undefined, start: number, end: number): void {
  if (isText === true && !isUtf8Range(body, start, end)) throw refusal('invalid_protobuf', 'utf8');
}
