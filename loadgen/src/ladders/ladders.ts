/**
 * DATA: the ladders. Each varies one property of the load or of the database, and keeps all others.
 *
 * Invariant: an event follows from its number and the rung alone, so both servers get the same bytes.
 */
import { uuidText } from '../load/uuid.ts';

export interface Ladder {
  readonly name: string;
  readonly title: string;
  /** What a rung counts, for the axis. */
  readonly unit: string;
  readonly rungs: readonly number[];
  /** Flags of the server. */
  readonly flags: readonly string[];
  /** Number of events that fill the file before the rung is measured; it grows from rung to rung. */
  readonly stored: (rung: number) => number;
  /** Number of events of a slice. */
  readonly events: (rung: number) => number;
  /** Events in a request. */
  readonly batch: (rung: number) => number;
  /** Clients of the live stream. */
  readonly clients: (rung: number) => number;
  /** The members of an event that differ from {@link eventOf}. `number` counts the events of all slices. */
  readonly own: (number: number, rung: number) => Readonly<Record<string, unknown>>;
  /** The same for the events that fill the file, where they differ. `number` counts these events. */
  readonly filling?: (number: number) => Readonly<Record<string, unknown>>;
}

const SEED = 1;
const SESSIONS = 1_000;
const always = (value: number) => () => value;

const USUAL = {
  flags: [],
  stored: always(10_000),
  events: always(60_000),
  batch: always(50),
  clients: always(0),
  own: () => ({}),
} as const;

export const LADDERS: readonly Ladder[] = [
  {
    ...USUAL,
    name: 'sessions',
    title: 'Sessions',
    unit: 'sessions in the file, each as likely to get the next event',
    rungs: [10, 100, 1_000, 10_000, 100_000, 1_000_000],
    stored: (rung) => Math.max(10_000, rung),
    filling: (number) => ({ session_id: `session-${number}` }),
    // A prime step visits all sessions in an order without neighbours.
    own: (number, rung) => ({ session_id: `session-${(number * 7_368_787) % rung}` }),
  },
  {
    ...USUAL,
    name: 'names',
    title: 'Distinct names',
    unit: 'names of tools, each as likely as the others',
    // Above the last rung names are counted together (rule EVT-15).
    rungs: [10, 100, 1_000, 10_000],
    own: (number, rung) => ({ tool_name: `tool-${(number * 7_919) % rung}` }),
  },
  {
    ...USUAL,
    name: 'rows',
    title: 'Rows',
    unit: 'events in the file before the slices',
    rungs: [300_000, 1_000_000, 3_000_000, 10_000_000],
    stored: (rung) => rung,
  },
  {
    ...USUAL,
    name: 'bytes',
    title: 'Size of an event',
    unit: 'bytes of metadata',
    rungs: [200, 1_000, 4_000, 16_000, 64_000],
    flags: ['--max-metadata-bytes', '131072'],
    events: (rung) => (rung > 4_000 ? 6_000 : 30_000),
    batch: always(20),
    own: (number, rung) => ({ metadata: { at: number, text: 'cargo test '.repeat(rung / 11) } }),
  },
  {
    ...USUAL,
    name: 'clients',
    title: 'Clients of the live stream',
    unit: 'clients that read every event',
    rungs: [0, 1, 10, 100, 1_000],
    flags: ['--max-stream-clients', '1000'],
    events: (rung) => (rung > 100 ? 2_000 : 10_000),
    clients: (rung) => rung,
  },
  {
    ...USUAL,
    name: 'batch',
    title: 'Events in a request',
    unit: 'events in a request',
    rungs: [1, 10, 100, 1_000],
    events: (rung) => (rung === 1 ? 10_000 : 60_000),
    batch: (rung) => rung,
  },
];

/** Returns the members of an event that the ladder does not vary. */
export function eventOf(number: number): Readonly<Record<string, unknown>> {
  return {
    event_id: uuidText(SEED, number),
    session_id: `session-${number % SESSIONS}`,
    agent_type: 'claude_code',
    event_type: 'tool_use',
    tool_name: `tool-${number % 20}`,
    project: `project-${number % 50}`,
    model: `model-${number % 5}`,
    duration_ms: number % 900,
    metadata: { at: number, command: 'cargo test --locked --all-targets' },
  };
}
