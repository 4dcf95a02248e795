/**
 * Selects the visible columns of the feed: those with content, as far as there is room.
 *
 * A column whose rows all have the same value, or none, gives its room to the column What.
 */
import type { Row } from './api.ts';

export type ColumnName =
  | 'time'
  | 'event'
  | 'agent'
  | 'tool'
  | 'what'
  | 'took'
  | 'tokens'
  | 'cost'
  | 'session';

interface Column {
  readonly name: ColumnName;
  readonly title: string;
  readonly width: string;
  /** Least width of the feed, in pixels. */
  readonly from_px: number;
  readonly isWanted: (rows: readonly Row[]) => boolean;
}

const always = () => true;
const differs = (of: (row: Row) => string) => (rows: readonly Row[]) =>
  rows.some((row) => of(row) !== of(rows[0]!));

const COLUMNS: readonly Column[] = [
  { name: 'time', title: 'Time', width: '58px', from_px: 0, isWanted: always },
  { name: 'event', title: 'Event', width: '134px', from_px: 0, isWanted: always },
  {
    name: 'agent',
    title: 'Agent',
    width: '84px',
    from_px: 900,
    isWanted: differs(({ agent_type }) => agent_type),
  },
  {
    name: 'tool',
    title: 'Tool',
    width: '80px',
    from_px: 0,
    isWanted: (rows) => rows.some((row) => toolOf(row) !== null),
  },
  { name: 'what', title: 'What', width: 'minmax(0, 1fr)', from_px: 0, isWanted: always },
  {
    name: 'took',
    title: 'Took',
    width: '56px',
    from_px: 0,
    isWanted: (rows) => rows.some(({ duration_ms }) => duration_ms !== null),
  },
  {
    name: 'tokens',
    title: 'Tokens',
    width: '82px',
    from_px: 800,
    isWanted: (rows) => rows.some(({ tokens_in, tokens_out }) => tokens_in + tokens_out > 0),
  },
  {
    name: 'cost',
    title: 'Cost',
    width: '56px',
    from_px: 0,
    isWanted: (rows) => rows.some((row) => (row.cost_usd ?? row.computed_cost_usd ?? 0) > 0),
  },
  {
    name: 'session',
    title: 'Project',
    width: '92px',
    from_px: 700,
    isWanted: differs(({ session_id }) => session_id),
  },
];

/** Returns the columns of a feed that is `width_px` wide. */
export function columnsOf(rows: readonly Row[], width_px: number): readonly Column[] {
  return COLUMNS.filter((column) => width_px >= column.from_px && column.isWanted(rows));
}

/** Returns the event's name without the agent's name, which telemetry repeats in each. */
export function eventOf({ source, source_event, event_type, agent_type }: Row): string {
  if (source_event === null) return event_type;
  const prefix = `${agent_type}.`;
  return source === 'otel' && source_event.startsWith(prefix)
    ? source_event.slice(prefix.length)
    : source_event;
}

/** Returns the tool of a row; a hook's payload also contains it. */
export function toolOf({ tool_name, source, metadata }: Row): string | null {
  if (tool_name !== null || source !== 'hook') return tool_name;
  const named = (metadata as { readonly tool_name?: unknown } | null)?.tool_name;
  return typeof named === 'string' ? named : null;
}
