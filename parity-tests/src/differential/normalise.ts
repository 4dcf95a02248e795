/**
 * The one place that says which values two servers may answer differently (rule LAW).
 *
 * Each entry has its reason. Everything else must be equal, byte for byte.
 */

interface Allowed {
  readonly keys: readonly string[];
  readonly reason: string;
}

const ALLOWED: readonly Allowed[] = [
  { keys: ['created_at', 'timestamp'], reason: 'each server reads its clock when it commits or connects' },
  {
    keys: ['started_at', 'last_event_at', 'ended_at', 'waiting_since', 'bucket'],
    reason: 'derived from created_at',
  },
  { keys: ['uptime', 'pid'], reason: 'of the process' },
  { keys: ['db_bytes', 'wal_bytes'], reason: 'when a checkpoint ran is a matter of time' },
  { keys: ['epoch'], reason: 'a UUID made with the database' },
  { keys: ['runtime', 'version'], reason: 'names the runtime and its version' },
];

/** Values of these keys that are times in text or numbers; a user's own text is longer or of another form. */
const VALUE = new RegExp(
  `("(?:${ALLOWED.flatMap((one) => one.keys).join('|')})":)("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z"|"[0-9a-f-]{36}"|"rust"|"node"|"\\d+\\.\\d+\\.\\d+"|\\d+)`,
  'g',
);

/** The epoch in the tag of a snapshot, whose revision must be the same. */
const TAG = /^(W\/")[0-9a-f-]{36}(-\d+")$/;

/** A header's value with what may differ taken out. */
export function normaliseHeader(name: string, value: string): string {
  return name === 'etag' ? value.replace(TAG, '$1*$2') : value;
}

/** A body with the values that may differ taken out. */
export function normaliseBody(body: string): string {
  return body.replace(VALUE, '$1"*"');
}
