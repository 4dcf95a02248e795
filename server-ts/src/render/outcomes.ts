/**
 * Renders outcomes of events and failures of requests as JSON text (rules ING-01 to ING-05 and HTT-01).
 *
 * Pure. HTTP answers and the result lines of standard input have the same text.
 */
import { errorSpec, type Failure } from '../error.ts';
import type { FieldError, Outcomes } from '../event.ts';

/** Renders the answer to one valid event. */
export function singleJson({ ids, revision }: Outcomes): string {
  const counts =
    ids[0] === 0 ? '"received":0,"ids":[],"duplicates":1' : `"received":1,"ids":[${ids[0]}],"duplicates":0`;
  return `{${counts},"revision":"${revision}"}`;
}

/** Renders the answer to a deletion (rule RET-04). */
export function deletedJson(events: number, revision: number): string {
  return `{"deleted":${events},"revision":"${revision}"}`;
}

/** Renders a copy of a database (rules BAK-01 and BAK-07). */
export function backupJson(
  file: string,
  bytes: number,
  newestId: number,
  attachments: number,
  sequence: number | undefined,
): string {
  return JSON.stringify({ file, bytes, newest_id: newestId, attachments, sequence });
}

/** Renders the bounds of retention, and what they apply to (rule RET-03). */
export function retentionJson(
  { days, bytes }: Readonly<Record<'days' | 'bytes', number>>,
  used: number,
  firstEventId: number | null,
): string {
  return `{"days":${days},"bytes":${bytes},"used_bytes":${used},"first_event_id":${firstEventId}}`;
}

/** Renders the answer to a batch. Ids make up most of the text, so they are printed without a tree of values. */
export function batchJson(outcomes: Outcomes, withResults: boolean): string {
  const ids = outcomes.ids.filter((id) => id !== 0);
  const rejected = outcomes.rejected.map(({ index, line, errors }) => ({
    index,
    line,
    errors: lines(errors),
  }));
  const duplicates = outcomes.ids.length - ids.length;
  const json = `{"received":${ids.length},"ids":[${ids.join(',')}],"duplicates":${duplicates},"rejected":${JSON.stringify(rejected)}`;
  const more = withResults ? `,"results":${JSON.stringify(results(outcomes))}` : '';
  return `${json}${more},"revision":"${outcomes.revision}"}`;
}

/** Returns one entry per item, in order: rejected items have their positions, valid items fill the others. */
function results(outcomes: Outcomes): unknown[] {
  const total = outcomes.ids.length + outcomes.rejected.length;
  const list: unknown[] = [];
  let valid = 0;
  let refused = 0;
  for (let index = 0; index < total; index++) {
    const rejected = outcomes.rejected[refused];
    if (rejected?.index === index) {
      refused++;
      list.push({ index, line: rejected.line, status: 'rejected', errors: lines(rejected.errors) });
      continue;
    }
    const id = outcomes.ids[valid++]!;
    list.push(id === 0 ? { index, status: 'duplicate' } : { index, status: 'stored', id });
  }
  return list;
}

function lines(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

/** Renders the answer to a failed request. */
export function failureJson({ code, members }: Failure): string {
  return JSON.stringify({ error: errorSpec(code).text, code, ...members });
}
