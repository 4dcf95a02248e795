/** Reads pages of events to their end by `next` (rule GET-01), and exports (rule FMT-09), in every format. */
import assert from 'node:assert/strict';
import { decodeAnswer } from '@twin-ingest/testkit/codecs/codecs.ts';
import { type Format, mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';

export interface Page {
  readonly events: readonly { readonly id: number }[];
  readonly next: number | null;
  readonly scanned_to: number;
}

/** A page of events in short. */
export interface Listed {
  readonly ids: readonly number[];
  readonly next: number | null;
  readonly scanned_to: number;
}

/** Returns all pages, each from the cursor of the one before. */
export async function followedPages(
  client: ApiClient,
  query: string,
  order: 'asc' | 'desc',
  format: Format = 'json',
  from?: number,
): Promise<readonly Listed[]> {
  const list: Listed[] = [];
  for (let cursor: number | null | undefined = from; cursor !== null; ) {
    const at = cursor === undefined ? `order=${order}` : `${order === 'asc' ? 'after' : 'before'}=${cursor}`;
    const { body, status, text } = await answered(client, `${query}&${at}`, format);
    assert.equal(status, 200, text);
    const page = decodeAnswer(format, body, 'page') as Partial<Page>;
    // Protobuf omits null and 0.
    const { events = [], next = null, scanned_to = 0 } = page;
    list.push({ ids: events.map(({ id }) => Number(id)), next, scanned_to });
    cursor = next;
  }
  return list;
}

/** Returns the ids of an export. */
export async function exportedIds(
  client: ApiClient,
  query: string,
  format: 'ndjson' | 'arrow',
): Promise<number[]> {
  const { body } = await answered(client, query, format);
  if (format === 'ndjson')
    return body
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { id: number }).id);
  const { batches } = decodeAnswer(format, body, 'page') as { batches: { id: number | bigint }[][] };
  return batches.flat().map(({ id }) => Number(id));
}

function answered(client: ApiClient, query: string, format: Format) {
  return client.send('GET', `/api/events?${query}`, undefined, [['accept', mediaTypeOf(format)]], 60_000);
}
