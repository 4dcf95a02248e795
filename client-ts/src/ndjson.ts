/** NDJSON (FMT-02): one event a line. */
import type { Format } from './format.ts';

export const ndjson: Format = {
  type: 'application/x-ndjson',
  event: (event) => `${JSON.stringify(event)}\n`,
  batch: (pieces) => pieces.join(''),
};
