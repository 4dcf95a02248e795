/** Encodes events as JSON and NDJSON text. The `metadata` of an event is JSON text and is inserted unchanged. */

/** An event with fields of JSON, except that `metadata` is JSON text. */
export type TextEvent = Readonly<Record<string, unknown>> & { readonly metadata?: string };

export function jsonEvent(event: TextEvent): string {
  const members = Object.entries(event)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${name === 'metadata' ? value : JSON.stringify(value)}`);
  return `{${members.join(',')}}`;
}

export function jsonBatch(events: readonly TextEvent[]): string {
  return `{"events":[${events.map(jsonEvent).join(',')}]}`;
}

/** Encodes one event per line. */
export function ndjsonBatch(events: readonly TextEvent[]): string {
  return events.map((event) => `${jsonEvent(event)}\n`).join('');
}

/** Splits an answer into lines. Every line, including the last, ends with a line feed. */
export function decodeNdjson(body: Buffer): unknown[] {
  if (body.length === 0) return [];
  const lines = body.toString().split('\n');
  if (lines.pop() !== '') throw new Error('the last line has no line feed');
  return lines.map((line) => JSON.parse(line) as unknown);
}
