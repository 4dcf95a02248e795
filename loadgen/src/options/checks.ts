/** What no flag can tell alone: flags that contradict each other, or that the mode has no use for. */
import { namesOf } from '../suite.ts';
import type { FlagName } from './flags.ts';
import type { Options, RunMode } from './types.ts';

/** Flags that mean something in some modes alone; the others take every flag. */
const MODES_OF: Readonly<Partial<Record<FlagName, readonly RunMode[]>>> = {
  // In an open loop: of the closed loop that shares are shares of.
  events: ['batch', 'single', 'open', 'all'],
  duration: ['batch', 'single', 'open', 'soak'],
  'batch-size': ['batch', 'open', 'soak'],
  driver: ['batch', 'single', 'open', 'all'],
  concurrency: ['batch', 'single', 'open', 'soak'],
  rate: ['open', 'soak'],
  'stream-clients': ['batch', 'single', 'open', 'soak'],
  'soak-minutes': ['soak', 'all'],
  warmup: ['batch', 'single', 'open', 'soak'],
  rounds: ['batch', 'single', 'open', 'all'],
  preload: ['batch', 'single', 'open', 'soak'],
  durability: ['batch', 'single', 'open', 'soak', 'startup'],
  corpus: ['batch', 'single', 'open', 'soak', 'all'],
  payload: ['batch', 'single', 'open', 'soak', 'all'],
  ids: ['batch', 'single', 'open', 'soak'],
};

/** Every problem as a sentence. */
export function checkTogether(options: Options): string[] {
  const problems: string[] = [];
  for (const [name, modes] of Object.entries(MODES_OF) as [FlagName, readonly RunMode[]][]) {
    if (options.given.has(name) && !modes.includes(options.mode))
      problems.push(`--${name} has no meaning with --mode=${options.mode}`);
  }
  const both = (one: FlagName, other: FlagName) => options.given.has(one) && options.given.has(other);
  if (options.mode !== 'all' && both('corpus', 'payload'))
    problems.push('--corpus and --payload both say which events are sent; give one of them');
  if (options.mode !== 'open' && both('events', 'duration'))
    problems.push('--events and --duration both say how long a round is; give one of them');
  if (both('soak-minutes', 'duration'))
    problems.push('--soak-minutes and --duration both say how long the soak is; give one of them');
  const closed = options.mode === 'batch' || options.mode === 'single';
  if (closed && options.events !== undefined) {
    const batch = options.mode === 'single' ? 1 : options.batchSize;
    const requests = Math.ceil(options.events / batch);
    if (requests < options.concurrency) {
      problems.push(
        `--events ${options.events} in batches of ${batch} are ${requests} requests, ` +
          `fewer than --concurrency ${options.concurrency}`,
      );
    }
  }
  problems.push(...thresholdProblems(options));
  const soakRate = options.mode === 'soak' ? options.rates : undefined;
  if (soakRate !== undefined && (soakRate.length !== 1 || soakRate[0]!.kind !== 'fixed'))
    problems.push('--rate of a soak is one rate in events per second');
  // Which measurements there are is known of flags that are right.
  if (problems.length === 0) problems.push(...pickProblems(options));
  return problems;
}

/** A name that is mistyped would leave its measurement out without a word. */
function pickProblems(options: Options): string[] {
  const names = namesOf(options);
  return (options.pick ?? [])
    .filter((name) => !names.includes(name))
    .map((name) => {
      const there = names.length === 0 ? 'nothing but starts' : names.join(', ');
      return `--pick names ${name === '' ? 'nothing' : name}; --mode=${options.mode} measures ${there}`;
    });
}

/** A condition on what is left out could never hold, and would say so after the run. */
function thresholdProblems({ only, thresholds }: Options): string[] {
  if (only === undefined) return [];
  return thresholds
    .filter(({ subject }) => subject !== only)
    .map(
      ({ condition, subject }) =>
        `--threshold ${condition} is about ${subject === 'ratio' ? 'both servers' : subject}, and --only=${only} leaves ` +
        `${subject === 'ratio' ? 'one of them' : 'it'} out`,
    );
}
