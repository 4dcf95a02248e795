/** Counts what an import did, and writes it as lines for the user. */
import { grouped } from '../demo/status-line.ts';
import type { ProblemKind } from './transcript.ts';

interface Problem {
  readonly kind: ProblemKind | 'rejected' | 'unreadable';
  readonly name: string;
  readonly first: string;
  count: number;
}

/** Problems of different names that are listed; further ones are counted. */
const MOST_PROBLEMS = 50;

export interface Counts {
  readonly stored: number;
  readonly duplicates: number;
}

export class Tally {
  files = 0;
  lines = 0;
  bytes = 0;
  /** Events that the transcripts have. */
  found = 0;
  /** Events that hooks or telemetry reported. */
  reported = 0;
  /** Lines that a forked session copied. */
  copies = 0;
  /** Events of the last minute. */
  recent = 0;
  sessions = 0;
  readonly #problems = new Map<string, Problem>();

  problem(kind: Problem['kind'], place: string, name: string): void {
    const isListed = this.#problems.size < MOST_PROBLEMS;
    const key = isListed || this.#problems.has(`${kind} ${name}`) ? `${kind} ${name}` : `${kind} others`;
    const known = this.#problems.get(key);
    if (known === undefined) this.#problems.set(key, { kind, name, first: place, count: 1 });
    else known.count++;
  }

  /** Whether something could not be read or sent. */
  get isIncomplete(): boolean {
    return [...this.#problems.values()].some(({ kind }) => kind === 'rejected' || kind === 'unreadable');
  }

  problemLines(): string[] {
    return [...this.#problems.values()].map(
      ({ kind, name, first, count }) => `${grouped(count)} ${LABELS[kind]}: ${name}, first at ${first}`,
    );
  }

  /** `counts` are those of the sender, or what they would be. */
  summary({ stored, duplicates }: Counts, isDry: boolean): string[] {
    const read = `${grouped(this.lines)} lines of ${grouped(this.files)} files`;
    const left = [
      [this.reported, 'reported by hooks or telemetry before'],
      [this.recent, 'of the last minute, for the next run'],
    ] as const;
    const rest = left.filter(([count]) => count > 0).map(([count, text]) => `${grouped(count)} ${text}`);
    const what = isDry
      ? `${grouped(stored)} events would be stored, ${grouped(duplicates)} are already stored`
      : `${grouped(stored)} events stored, ${grouped(duplicates)} were already stored`;
    const copies = this.copies > 0 ? [`${grouped(this.copies)} lines are copies in forked sessions.`] : [];
    return [
      `${[`Read ${read} in ${grouped(this.sessions)} sessions: ${what}`, ...rest].join('; ')}.`,
      ...copies,
      ...(isDry ? ['Nothing was sent (--dry-run).'] : []),
    ];
  }
}

const LABELS: Readonly<Record<Problem['kind'], string>> = {
  damaged: 'damaged lines',
  unknown: 'unknown lines',
  lost: 'lines without a session',
  rejected: 'events refused by the server',
  unreadable: 'files that cannot be read',
};
