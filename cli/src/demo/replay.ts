/**
 * Plays a timeline through a `Sender`, each event at its moment.
 *
 * A server that is away does not stop the agents: what they do meanwhile waits in the sender. What must stay true: every
 * event is sent as a new one, with the present time, and what waits is bounded; then the timeline waits too.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { OutgoingEvent, Sender } from '@twin-ingest/client';
import type { Timeline } from './timeline.ts';

/** Below the sender's own bound. */
const MOST_WAITING = 5_000;
/** So often others get their turn when much is due at once. */
const EVENTS_A_TURN = 50;
const PATIENCE_MS = 20;

export interface ReplayOptions {
  readonly sender: Sender;
  readonly timeline: Timeline;
  readonly speed: number;
  /** The `event_id` that an event was sent with. */
  onSent?(event_id: string): void;
}

/** Resolves when the signal aborts. */
export async function replay(options: ReplayOptions, signal: AbortSignal): Promise<void> {
  const { sender, timeline, speed } = options;
  let start_ms = performance.now();
  let sent = 0;
  for (const { at_ms, event } of timeline) {
    for (;;) {
      const early_ms = start_ms + at_ms / speed - performance.now();
      if (early_ms <= 0 || signal.aborted) break;
      await pause(early_ms, signal);
    }
    while (sender.waiting >= MOST_WAITING && !signal.aborted) {
      await pause(PATIENCE_MS, signal);
      start_ms += PATIENCE_MS;
    }
    if (signal.aborted) return;
    options.onSent?.(sender.send(asNew(event)));
    if (++sent % EVENTS_A_TURN === 0) await setImmediate();
  }
}

function asNew({ event_id: _, ...event }: OutgoingEvent): OutgoingEvent {
  return { ...event, client_timestamp: new Date().toISOString() } as unknown as OutgoingEvent;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
