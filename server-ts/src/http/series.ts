/** Handles `/api/series`. */
import type { App } from '../app.ts';
import { Failure } from '../error.ts';
import { NAME_KINDS } from '../field.ts';
import type { Bucket } from '../store/series-filter.ts';
import { findZone, type Zone } from '../zones.ts';
import { eventFilter } from './events.ts';
import type { Exchange } from './exchange.ts';
import type { Parameters } from './parameters.ts';
import { ok } from './reply.ts';

/** Returns the zone of the buckets. The parameter has a default and is checked (rule GET-07). */
function zoneOf(parameters: Parameters): Zone {
  const zone = findZone(parameters.text('tz')!);
  if (zone === undefined) throw new Failure('invalid_parameter');
  return zone;
}

/** `GET /api/series` (rules SER-01 to SER-06). */
export async function getSeries(app: App, exchange: Exchange, parameters: Parameters): Promise<void> {
  const filter = {
    events: { ...eventFilter(parameters), limit: 0 },
    bucket: parameters.text('bucket') as Bucket,
    zone: zoneOf(parameters),
    by: NAME_KINDS.find((kind) => kind === parameters.text('by')),
    withDurations: parameters.text('durations') === '1',
  };
  const json = await app.store.json({ kind: 'series', filter }, exchange.response);
  if (json === undefined) throw new Failure('internal');
  ok(exchange, json);
}
