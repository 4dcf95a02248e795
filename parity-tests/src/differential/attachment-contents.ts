/**
 * Defines the bytes that attachment requests send and read.
 *
 * There are only a few contents, so that most reads find one, and the same bytes recur under other names.
 */
import { createHash } from 'node:crypto';
import type { Random } from '@twin-ingest/testkit/random.ts';

/** Sizes near the limits of buffers, and of this scenario's servers (see `pair.ts`). */
const SIZES = [0, 1, 2, 10, 100, 1_000, 4_096, 65_535, 65_536, 65_537, 100_000];
/** For the servers' flags: all contents but the longest fit, and not all contents fit together. */
export const MOST_BYTES = 100_000;
export const MOST_BYTES_TOGETHER = 1_500_000;

export interface Content {
  readonly bytes: Buffer;
  readonly sha256: string;
}

export const CONTENTS: readonly Content[] = [...SIZES, MOST_BYTES + 1].flatMap((size) =>
  [0x41, 0xff, 0x00].map((byte) =>
    content(Buffer.from(Array.from({ length: size }, (_, at) => byte ^ (at % 251)))),
  ),
);
/** Number of short contents, and the index of the one in most requests. */
const SHORT = 18;
const FAVOURITE = 14;

function content(bytes: Buffer): Content {
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Returns a content, mostly a short one. Long ones are slow, and soon use up the total limit. */
export function someContent(random: Random): Content {
  if (random.chance(0.4)) return CONTENTS[FAVOURITE]!;
  return random.pick(random.chance(0.7) ? CONTENTS.slice(0, SHORT) : CONTENTS);
}
