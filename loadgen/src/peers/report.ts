/** The result of `pnpm bench:peers`, and its Markdown for the terminal and for docs/peers.md. */
import { type Summary, summarise } from '../analyse/statistics.ts';
import { measuredOn, mib, short, spread, whole } from '../ladders/report.ts';
import type { Environment } from '../observe/environment.ts';
import { markdownTable } from '../report/markdown-table.ts';
import type { Round } from './measure.ts';
import { type Class, LOAD, type Peer } from './peer.ts';

/** The result of `pnpm bench:peers`. */
export interface PeersResult {
  readonly measured_on: string;
  readonly environment: Environment;
  readonly rounds: number;
  readonly duration_s: number;
  /** Mean length of an event in bytes. */
  readonly event_bytes: number;
  readonly rows: readonly PeerRow[];
  readonly skipped: readonly Skipped[];
}

/** Figures of one server over all rounds. */
export interface PeerRow extends Pick<Peer, 'name' | 'title' | 'durability' | 'setting' | 'repeated'> {
  readonly version: string;
  readonly figures: Readonly<Record<keyof Round, Summary | null>>;
}

/** A server that was not measured, and why. */
export interface Skipped {
  readonly title: string;
  readonly reason: string;
}

export function rowOf(peer: Peer, version: string, rounds: readonly Round[]): PeerRow {
  const { name, title, durability, setting, repeated } = peer;
  const figures = (Object.keys(rounds[0]!) as (keyof Round)[]).map((figure) => {
    return [figure, summarise(rounds.flatMap((round) => round[figure] ?? []))];
  });
  return {
    ...{ name, title, version, durability, setting, repeated },
    figures: Object.fromEntries(figures) as PeerRow['figures'],
  };
}

const CLASSES: Readonly<Record<Class, string>> = {
  disk: 'synced to disk',
  kernel: 'handed to the kernel',
  memory: 'in memory',
};

export function peersReport(result: PeersResult): string {
  const { rounds, duration_s, event_bytes, rows, skipped } = result;
  const { connections, batch, rate } = LOAD;
  const head = [
    'Server',
    'When it answers, an event is',
    'Events/s',
    'CPU µs per event',
    `CPU µs at ${whole(rate)}/s`,
    `p99 ms at ${whole(rate)}/s`,
    'Bytes per event',
    'Peak MiB',
    'Lost by kill -9',
    'A repeated event is',
  ];
  return [
    measuredOn(result),
    markdownTable({ head, rows: rows.map(cellsOf) }, [0, 1, 9]),
    `Medians of ${rounds} interleaved rounds (smallest to largest), each in a fresh folder. ${connections} connections sent ${batch} events of ${Math.round(event_bytes)} bytes at a time. A closed loop and an open loop took ${duration_s} s each. The generator ran on the same cores.`,
    ...skipped.map(({ title, reason }) => `Skipped: ${title}. ${reason}.`),
  ].join('\n\n');
}

function cellsOf({ title, version, durability, setting, repeated, figures }: PeerRow): string[] {
  const figure = (name: keyof PeerRow['figures'], format: (value: number) => string) => {
    const summary = figures[name];
    return summary === null ? '—' : spread(summary, format);
  };
  const lost = figures.lost_events;
  return [
    version === 'this commit' ? title : `${title} ${version}`,
    `${CLASSES[durability]} (${setting})`,
    figure('events_per_s', (value) => `${whole(value / 1000)}k`),
    figure('cpu_us_per_event', short),
    figure('open_cpu_us_per_event', short),
    figure('p99_ms', short),
    figure('bytes_per_event', whole),
    figure('peak_rss_bytes', mib),
    lost === null ? '—' : lost.max === 0 ? 'nothing' : `up to ${whole(lost.max)}`,
    repeated,
  ];
}
