/**
 * Checks a body in MessagePack before a library decodes it (rules FMT-03 and FMT-04).
 *
 * Pure. Invariant: the check allocates nothing except the places of the events, whatever the body declares. A body that
 * passes is well-formed to its last byte.
 */
import type { Places } from './batch.ts';
import { SHAPE, shapeAt, Walker } from './msgpack-walker.ts';

/** Bytes per slice; other requests run between slices. */
const SLICE_BYTES = 1 << 17;

const EVENTS = Buffer.from('events');

/** Checks a body that holds one value. */
export function checkEvent(body: Buffer): void {
  const walker = new Walker(body);
  walker.skipValue(0);
  walker.end();
}

/**
 * Checks a body that holds a batch, in slices; `undefined` when it has no array `events`. Of equal keys the last
 * counts. Events after the first `maxItems` are counted but not kept.
 */
export function* checkBatch(body: Buffer, maxItems: number): Generator<void, Places | undefined> {
  const walker = new Walker(body);
  let places: Places | undefined;
  let pause = SLICE_BYTES;
  const isMap = shapeAt(body, 0) === SHAPE.map;
  const [pairs, depth] = isMap ? [walker.container(0), 1] : [1, 0];
  for (let pair = 0; pair < pairs; pair++) {
    if (isMap && walker.keyIs(EVENTS)) {
      places = undefined;
      if (shapeAt(body, walker.at) === SHAPE.array) {
        places = yield* checkEvents(walker, maxItems);
        continue;
      }
    }
    if (walker.at < pause && walker.skipByte()) continue;
    walker.begin(depth, 1);
    while (!walker.skipUntil(pause)) {
      yield;
      pause = walker.at + SLICE_BYTES;
    }
  }
  walker.end();
  return places;
}

/** Checks the array of events that starts at the walker's position. */
function* checkEvents(walker: Walker, maxItems: number): Generator<void, Places> {
  const count = walker.container(1);
  const events: number[] = [];
  let pause = walker.at + SLICE_BYTES;
  for (let left = count; left > 0; ) {
    const start = walker.at;
    // One walk passes all events that are only counted: starting a walk costs more than an event of one byte.
    const isKept = events.length < 2 * maxItems;
    const begun = isKept ? 1 : left;
    walker.begin(2, begun);
    while (!walker.skipUntil(pause)) {
      yield;
      pause = walker.at + SLICE_BYTES;
    }
    left -= begun;
    if (isKept) events.push(start, walker.at);
  }
  return { events, count };
}
