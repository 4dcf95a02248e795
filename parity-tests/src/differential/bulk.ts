/** Generates batches that are large enough for several pages in a streamed answer (rule FMT-09). */
import { batchBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import { mediaTypeOf, REQUEST_FORMATS } from '@twin-ingest/testkit/codecs/format.ts';
import { compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import LIMITS from '../../../contract/limits.json' with { type: 'json' };

/** Metadata of this length is kept unchanged by default. */
const LONG_BYTES = 10_000;

/** Returns a batch in any format. Nearly all of its events are new. */
export function bulkIngest(random: Random): Outgoing {
  const isLong = random.chance(0.3);
  const count = isLong
    ? Math.ceil(LIMITS.export_page_bytes / LONG_BYTES) + random.below(20)
    : LIMITS.export_page_rows - 100 + random.below(300);
  const metadata = isLong ? `"${'x'.repeat(LONG_BYTES - 2)}"` : '{"a":1}';
  const events = Array.from({ length: count }, (_, index) => ({
    session_id: 'bulk',
    agent_type: random.pick(['claude', 'codex']),
    event_type: 'tool_use',
    tokens_in: index,
    ...(index % 3 === 0 ? { branch: random.pick(['main', 'dev']) } : {}),
    ...(index % 7 === 0 ? {} : { metadata }),
  }));
  const format = random.pick(REQUEST_FORMATS);
  const body = batchBody(format, events);
  return compose(
    'POST',
    '/api/events/batch',
    [
      ['Host', '127.0.0.1'],
      ['Content-Type', mediaTypeOf(format)],
      ['Content-Length', String(body.length)],
    ],
    body,
  );
}
