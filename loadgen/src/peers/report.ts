/** The result of `pnpm bench:peers`, and its Markdown for the terminal and for docs/peers.md. */
import { measuredOn, mib, type Provenance, short, spread, summaries, whole } from '../ladders/shared.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { LOAD } from './drive.ts';
import type { Class, Peer, Round } from './measure.ts';

/** The result of `pnpm bench:peers`. */
export interface PeersResult extends Provenance {
  readonly rounds: number;
  readonly duration_s: number;
  /** Mean length of an event in bytes. */
  readonly event_bytes: number;
  readonly rows: readonly PeerRow[];
  /** The servers that were not measured, and why. */
  readonly skipped: readonly { readonly title: string; readonly reason: string }[];
}

export type PeerRow = ReturnType<typeof rowOf>;

/** Returns the row of a server of this version, with its figures over all rounds. */
export function rowOf(peer: Peer, version: string, rounds: readonly Round[]) {
  const { name, title, durability, setting, repeated } = peer;
  return { name, title, version, durability, setting, repeated, figures: summaries(rounds) };
}

const CLASSES: Readonly<Record<Class, string>> = {
  disk: 'synced to disk',
  kernel: 'handed to the kernel',
  memory: 'in memory',
};

const RATE = `${whole(LOAD.rate)}/s`;

/** The columns of the table. */
const COLUMNS: Readonly<Record<string, (row: PeerRow) => string>> = {
  Server: ({ title, version }) => (version === 'this commit' ? title : `${title} ${version}`),
  'When it answers, an event is': ({ durability, setting }) => `${CLASSES[durability]} (${setting})`,
  'Events/s': ({ figures }) => spread(figures.events_per_s, (value) => `${whole(value / 1000)}k`),
  'CPU µs per event': ({ figures }) => spread(figures.cpu_us_per_event, short),
  [`CPU µs at ${RATE}`]: ({ figures }) => spread(figures.open_cpu_us_per_event, short),
  [`p99 ms at ${RATE}`]: ({ figures }) => spread(figures.p99_ms, short),
  'Bytes per event': ({ figures }) => spread(figures.bytes_per_event, whole),
  'Peak MiB': ({ figures }) => spread(figures.peak_rss_bytes, mib),
  'Lost by kill -9': ({ figures: { lost_events: lost } }) =>
    lost!.max === 0 ? 'nothing' : `up to ${whole(lost!.max)}`,
  'A repeated event is': ({ repeated }) => repeated,
};
/** Indexes of the columns with words. */
const WORDS = [0, 1, 9];

export function peersReport(result: PeersResult): string {
  const { rounds, duration_s, event_bytes, rows, skipped } = result;
  const cells = rows.map((row) => Object.values(COLUMNS).map((cellOf) => cellOf(row)));
  return [
    measuredOn(result),
    markdownTable({ head: Object.keys(COLUMNS), rows: cells }, WORDS),
    `Medians of ${rounds} interleaved rounds (smallest to largest), each in a fresh folder. ${LOAD.connections} connections sent ${LOAD.batch} events of ${Math.round(event_bytes)} bytes at a time. A closed loop and an open loop took ${duration_s} s each. The generator ran on the same cores.`,
    ...skipped.map(({ title, reason }) => `Skipped: ${title}. ${reason}.`),
  ].join('\n\n');
}
