/** Classifies reads by the number of rows that they may visit (rule GET-10). */
import type { EventFilter } from './query.ts';
import type { Read } from './read.ts';
import { hasSums } from './series-filter.ts';

/**
 * Upper bound of a read's cost. `bounded`: rows by their key, one page without filters, or summaries. `unbounded`:
 * possibly every event. `search`: possibly every event, with a search for a text.
 */
export type Cost = 'bounded' | 'unbounded' | 'search';

export function costOf(read: Read): Cost {
  switch (read.kind) {
    case 'list_events':
    case 'events_after':
    case 'export':
      if (read.filter.text !== undefined) return 'search';
      return isEmpty(read.filter) ? 'bounded' : 'unbounded';
    case 'snapshot':
      return read.topic.kind === 'session' ? 'unbounded' : 'bounded';
    case 'series':
      if (hasSums(read.filter)) return 'bounded';
      return read.filter.events.text === undefined ? 'unbounded' : 'search';
    case 'list_by_time':
    case 'list_sessions':
    case 'get_session':
    case 'check_table':
    case 'forward':
      return 'unbounded';
    default:
      return 'bounded';
  }
}

/** Returns whether every event between the bounds matches. */
export function isEmpty({ fields, sessionId, text, since, until, late }: EventFilter): boolean {
  return [...Object.values(fields), sessionId, text, since, until, late].every(
    (wanted) => wanted === undefined,
  );
}
