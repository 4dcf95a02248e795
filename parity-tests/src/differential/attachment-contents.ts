/**
 * The bytes that requests of attachments send and ask for.
 *
 * They are few, so that most of what is read exists, and the same bytes come again under other names.
 */
import { createHash } from 'node:crypto';
import type { Random } from '@twin-ingest/testkit/random.ts';

/** Around the edges of buffers, and of what the servers of this scenario keep (see `pair.ts`). */
const SIZES = [0, 1, 2, 10, 100, 1_000, 4_096, 65_535, 65_536, 65_537, 100_000];
/** For the flags of the servers: the longest content but one fits, and not all contents fit together. */
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
/** How many contents are short, and the place of the one that most requests are about. */
const SHORT = 18;
const FAVOURITE = 14;

function content(bytes: Buffer): Content {
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Mostly a short one: long ones take their time, and all the room. */
export function someContent(random: Random): Content {
  if (random.chance(0.4)) return CONTENTS[FAVOURITE]!;
  return random.pick(random.chance(0.7) ? CONTENTS.slice(0, SHORT) : CONTENTS);
}
