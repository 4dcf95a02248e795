/** The result of `pnpm bench:peers`. */
import { type Summary, summarise } from '../analyse/statistics.ts';
import type { Environment } from '../observe/environment.ts';
import type { Round } from './measure.ts';
import type { Class, Peer } from './peer.ts';

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
export interface PeerRow {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly durability: Class;
  readonly setting: string;
  readonly repeated: string;
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
