/**
 * Trials before the rounds of a closed loop, which say how many events a round has.
 *
 * Invariant: one slow minute does not decide, since the rounds after it would be too short (decision 29).
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { UNSIZED_WARM_UP } from '../plan/lengths.ts';
import type { Spec } from '../plan/spec.ts';
import type { Workload } from '../result/result.ts';
import { warmUpEvents } from './warm-up.ts';

/** Events of a closed round and of its warm-up; `null` where they follow from a rate and a length. */
export type Size = Pick<Workload, 'events' | 'warmup_events'>;

/** For each second of a round; about a third of what the faster server takes on two cores. */
const TRIAL_EVENTS_PER_S = { batch: 70_000, single: 12_000 };

/** Runs one trial of this size; its throughput in events/s. */
export type Trial = (target: TargetName, size: Required<Size>) => Promise<number>;

/**
 * As given, or by the pace of the faster server: what it takes in `duration_s`, after a warm-up in seconds of it. The
 * same for both servers and every round (decision 18).
 */
export async function sizeOf(
  spec: Pick<Spec, 'mode' | 'rate' | 'workload'>,
  targets: readonly TargetName[],
  trial: Trial,
): Promise<Size> {
  const { events, warmup_events, duration_s, batch_size } = spec.workload;
  if (spec.rate !== null || events !== null) return { events, warmup_events };
  const kind = spec.mode === 'single' ? 'single' : 'batch';
  const whole = (events_per_s: number) => Math.ceil((events_per_s * duration_s!) / batch_size) * batch_size;
  const size = {
    events: whole(TRIAL_EVENTS_PER_S[kind]),
    warmup_events: warmup_events ?? UNSIZED_WARM_UP[kind],
  };
  const pace = await fasterPace(targets, (target) => trial(target, size));
  return { events: whole(pace), warmup_events: warmup_events ?? warmUpEvents(pace, batch_size) };
}

/** Events/s of the faster server: the quicker of its two trials, each server having had one to say which it is. */
export async function fasterPace(
  targets: readonly TargetName[],
  trial: (target: TargetName) => Promise<number>,
): Promise<number> {
  let faster = targets[0]!;
  let pace = 0;
  for (const target of targets) {
    const found = await trial(target);
    if (found > pace) [faster, pace] = [target, found];
  }
  return Math.max(pace, await trial(faster));
}
