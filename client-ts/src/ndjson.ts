/** The format NDJSON (FMT-02, FMT-09): one event a line, one row a line. */
import { chunksOf } from './answer-bytes.ts';
import type { EventRow } from './contract.ts';
import type { Format, PageFormat } from './format.ts';

const type = 'application/x-ndjson';

export const ndjson: Format & PageFormat = {
  type,
  isExport: true,
  event: (event) => `${JSON.stringify(event)}\n`,
  batch: (pieces) => pieces.join(''),
  async page(response) {
    const events: EventRow[] = [];
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of chunksOf(response, type)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) events.push(JSON.parse(line));
    }
    if (rest !== '') events.push(JSON.parse(rest));
    // The answer has only rows, so the last page is the empty one. It has all rows up to its limit (FMT-09).
    const last = events.at(-1)?.id;
    return { events, next: last ?? null, scanned_to: last ?? 0 };
  },
};
