/** Tells how many rows a read may have to visit (rule GET-10). */
import type { EventFilter } from './query.ts';
import type { Read } from './read.ts';

/** What a read costs at most: rows by their key, one page without filters, or summaries; or perhaps every event. */
export type Cost = 'bounded' | 'unbounded';

export function costOf(read: Read): Cost {
  switch (read.kind) {
    case 'list_events':
    case 'events_after':
    case 'export':
      return takesAll(read.filter) ? 'bounded' : 'unbounded';
    case 'snapshot':
      return read.topic.kind === 'session' ? 'unbounded' : 'bounded';
    case 'list_sessions':
    case 'get_session':
    case 'quick_check':
      return 'unbounded';
    default:
      return 'bounded';
  }
}

/** Whether a page takes the rows that come first, instead of looking for its rows among all. */
function takesAll({ fields, sessionId, since, until }: EventFilter): boolean {
  return [...Object.values(fields), sessionId, since, until].every((wanted) => wanted === undefined);
}
