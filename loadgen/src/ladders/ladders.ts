/**
 * DATA: the ladders. Each varies one property of the load or of the database, and keeps all others.
 *
 * Invariant: an event follows from its number and the rung alone, so both servers get the same bytes.
 */
import { uuidText } from '../load/uuid.ts';

/** The load of a rung that names no other. */
export const USUAL = {
  /** Number of events that fill the file before the rung is measured; it grows from rung to rung. */
  stored: 10_000,
  /** Number of events of a slice. */
  events: 60_000,
  /** Events in a request. */
  batch: 50,
  /** Clients of the live stream. */
  clients: 0,
};

export interface Ladder {
  readonly name: string;
  readonly title: string;
  /** What a rung counts, for the axis. */
  readonly unit: string;
  readonly rungs: readonly number[];
  /** Flags of the server. */
  readonly flags?: readonly string[];
  readonly load?: (rung: number) => Partial<typeof USUAL>;
  /** The members of an event that the ladder varies. `number` is that of {@link eventOf}. */
  readonly own?: (number: number, rung: number) => Readonly<Record<string, unknown>>;
}

/** Number of the first event of the slices. The events that fill the file begin at 0. */
export const FIRST_MEASURED = 100_000_000;

export const LADDERS: readonly Ladder[] = [
  {
    name: 'sessions',
    title: 'Sessions',
    unit: 'sessions in the file, each as likely to get the next event',
    rungs: [10, 100, 1_000, 10_000, 100_000, 1_000_000],
    load: (rung) => ({ stored: Math.max(USUAL.stored, rung) }),
    // Each session is in the file once. Then a prime step visits all of the rung in an order without neighbours.
    own: (number, rung) => ({
      session_id: `session-${number < FIRST_MEASURED ? number : (number * 7_368_787) % rung}`,
    }),
  },
  {
    name: 'names',
    title: 'Distinct names',
    unit: 'names of tools, each as likely as the others',
    // Above the last rung names are counted together (rule EVT-15).
    rungs: [10, 100, 1_000, 10_000],
    own: (number, rung) => ({ tool_name: `tool-${(number * 7_919) % rung}` }),
  },
  {
    name: 'rows',
    title: 'Rows',
    unit: 'events in the file before the slices',
    rungs: [300_000, 1_000_000, 3_000_000, 10_000_000],
    load: (rung) => ({ stored: rung }),
  },
  {
    name: 'bytes',
    title: 'Size of an event',
    unit: 'bytes of metadata',
    rungs: [200, 1_000, 4_000, 16_000, 64_000],
    flags: ['--max-metadata-bytes', '131072'],
    load: (rung) => ({ events: rung > 4_000 ? 6_000 : 30_000, batch: 20 }),
    own: (number, rung) => ({ metadata: { at: number, text: 'cargo test '.repeat(rung / 11) } }),
  },
  {
    name: 'clients',
    title: 'Clients of the live stream',
    unit: 'clients that read every event',
    rungs: [0, 1, 10, 100, 1_000],
    flags: ['--max-stream-clients', '1000'],
    load: (rung) => ({ events: rung > 100 ? 2_000 : 10_000, clients: rung }),
  },
  {
    name: 'batch',
    title: 'Events in a request',
    unit: 'events in a request',
    rungs: [1, 10, 100, 1_000],
    load: (rung) => ({ events: rung === 1 ? 10_000 : 60_000, batch: rung }),
  },
];

/** Returns an event of a ladder. */
export function eventOf({ own }: Ladder, rung: number, number: number): Readonly<Record<string, unknown>> {
  return {
    event_id: uuidText(1, number),
    session_id: `session-${number % 1_000}`,
    agent_type: 'claude_code',
    event_type: 'tool_use',
    tool_name: `tool-${number % 20}`,
    project: `project-${number % 50}`,
    model: `model-${number % 5}`,
    duration_ms: number % 900,
    metadata: { at: number, command: 'cargo test --locked --all-targets' },
    ...own?.(number, rung),
  };
}

/** Returns the ladders with these names, all without names; adds a problem for each unknown name. */
export function pickLadders(names: readonly string[] | undefined, problems: string[]): readonly Ladder[] {
  const known = LADDERS.map(({ name }) => name);
  for (const name of names ?? [])
    if (!known.includes(name)) problems.push(`--pick: ${name} is not one of ${known.join(', ')}`);
  return LADDERS.filter(({ name }) => names === undefined || names.includes(name));
}
