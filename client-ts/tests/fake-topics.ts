/** A server of topics with answers from the test, and its clients with a fake clock. */

import { FakeClock, settle } from '@twin-ingest/testkit/fake-clock.ts';
import type { ConnectionState } from '../src/connection.ts';
import type { Fetch } from '../src/fetch.ts';
import { Sync } from '../src/sync.ts';
import { type TopicName, type TopicOptions, Topics, type TopicsOptions } from '../src/topics.ts';

interface Asked {
  readonly url: URL;
  readonly headers: Record<string, string>;
}

/** Returns a fake server. It answers snapshots from the list. Streams stay open until the test ends them. */
export function server(...answers: Response[]) {
  const streams: (Asked & { send(text: string): Promise<void>; end(): Promise<void> })[] = [];
  const pulls: Asked[] = [];
  /** Answers to the next requests for a stream, instead of a stream. */
  const refusals: Response[] = [];
  const fetch: Fetch = async (url, { headers, signal }) => {
    const asked = { url: new URL(url), headers: headers as Record<string, string> };
    if (asked.url.pathname !== '/api/stream') {
      pulls.push(asked);
      return answers.shift()!;
    }
    const refusal = refusals.shift();
    if (refusal !== undefined) return refusal;
    let control!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        control = controller;
        signal?.addEventListener('abort', () => controller.error(signal.reason), { once: true });
      },
    });
    streams.push({
      ...asked,
      send(text) {
        control.enqueue(new TextEncoder().encode(text));
        return settle();
      },
      end() {
        control.close();
        return settle();
      },
    });
    return new Response(body);
  };
  return { fetch, streams, pulls, refusals };
}

export const states = () => {
  const heard: string[] = [];
  const onState = (state: ConnectionState, _: unknown, wait_ms: number) =>
    heard.push(state === 'waiting' ? `waiting ${wait_ms}` : state);
  return { heard, onState };
};
export const frame = (topic: string, revision: string, epoch = 'a') =>
  `event: invalidate\ndata: ${JSON.stringify({ topic, revision, epoch })}\n\n`;
export const snapshot = (revision: string, more: object = {}) =>
  Response.json({ topic: 'events', epoch: 'a', revision, ...more, data: revision });

export function topicsOn(fake: ReturnType<typeof server>, more: Partial<TopicsOptions> = {}) {
  const clock = new FakeClock();
  const given = { ...fake, clock, random: () => 1, baseUrl: 'http://host/', ...more };
  return { clock, topics: new Topics({ topics: ['events', 'stats'], ...given }) };
}

export function syncOn(topics: Topics, clock: FakeClock, topic: TopicName, options: TopicOptions = {}) {
  const applied: string[] = [];
  const sync = new Sync<unknown>({
    ...topics.of(topic, options),
    clock,
    pace: { throttle_ms: 0 },
    apply: ({ revision, since }, isReset) => {
      applied.push(`${isReset ? 'reset ' : ''}${since ?? ''}-${revision}`);
    },
  });
  return { sync, applied };
}
