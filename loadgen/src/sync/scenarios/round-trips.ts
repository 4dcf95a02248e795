/**
 * The latency of one change at a client that is in sync: post, invalidation, snapshot, apply.
 *
 * A round trip begins before the post is written and ends when a state that contains the event is applied. The process
 * of the follower posts, like a page that shows what it sent.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type OutgoingEvent, Sender } from '@twin-ingest/client';
import { median } from '../../analyse/statistics.ts';
import { Exchange } from '../../codecs/exchange.ts';
import { BenchFailure } from '../../failure.ts';
import { nowMs } from '../../observe/clock.ts';
import { Host, withHost } from '../../run/host.ts';
import { agree } from '../../run/warm-up.ts';
import { BACK_TO_BACK } from '../goals.ts';
import { eventText, post, requestOf } from '../posting.ts';
import { latencyFrom, type Sample } from '../result.ts';
import { repeated, type Scenario, withFollower } from '../scenario.ts';
import { shippedClient } from '../strategies.ts';

/** Largest number of warm-up parts. Each has as many round trips as the measurement. */
const MOST_PARTS = 5;

/** Milliseconds between an apply and the next post, so that the client's own throttle is not active. */
const REST_MS = 20;

const unthrottled = shippedClient({ throttle_ms: 0 });

export const roundTrip: Scenario = async (server, context) => {
  const { sizes, launch, seed, strategies, add } = context;
  const backToBack = { follow: unthrottled, events: sizes.round_trips, rest_ms: 0 };
  const paced = { follow: strategies.sync, events: sizes.paced_round_trips, rest_ms: REST_MS };
  await withHost(Host.start(server, launch), async (host) => {
    for (const { pace, follow, events, rest_ms, posting } of [
      { ...backToBack, pace: BACK_TO_BACK, posting: postBySocket },
      { ...backToBack, pace: `${BACK_TO_BACK}, posted by Sender`, posting: postBySender },
      { ...paced, pace: `throttle 16 ms, ${REST_MS} ms apart`, posting: postBySocket },
    ]) {
      await withFollower(follow, host, context, async (journal) => {
        const ready = posting(host.port);
        const trip = async (): Promise<number> => {
          const send = ready(eventText(seed, host.posted++));
          if (rest_ms > 0) await sleep(rest_ms);
          journal.clear();
          const from_ms = nowMs();
          return (await journal.reached(await send())) - from_ms;
        };
        add({ pace, events }, await onceSteady(() => repeated(events, trip)));
      });
    }
  });
};

/**
 * Repeats the round trips until the medians of two parts in a row agree, then measures. V8 compiles code on both sides
 * during thousands of them. Returns the median of every warm-up part, and the percentiles of the measurement.
 */
async function onceSteady(takeAll: () => Promise<number[]>): Promise<Sample[]> {
  const parts: Sample[] = [];
  let [before, now] = [Number.NaN, Number.NaN];
  while (parts.length < MOST_PARTS && !agree(before, now)) {
    [before, now] = [now, median(await takeAll())!];
    parts.push({ warm_up_p50_ms: now });
  }
  const { p50_ms, p95_ms, p99_ms, max_ms } = latencyFrom(await takeAll())!;
  return [...parts, { p50_ms, p95_ms, p99_ms, max_ms }];
}

/**
 * Opens a connection to a port. Its result prepares an event, given as JSON. The function that this returns posts the
 * event, and resolves to the revision of `events`.
 */
type Posting = (port: number) => (text: string) => () => Promise<number>;

/** Posts over a plain socket, as an agent does. It uses less of the server's cores than the `Sender` does. */
const postBySocket: Posting = (port) => {
  const exchange = new Exchange({ port });
  return (text) => {
    const request = requestOf([text]);
    return () => post(exchange, request, 1);
  };
};

/** Posts by the shipped client's `Sender`, as a web page does: a batch of one event, sent at once and only once. */
export const postBySender: Posting = (port) => {
  let problem: string | null = null;
  const fail = (what: string): void => {
    problem ??= what;
    sender.stop();
  };
  const sender = new Sender({
    baseUrl: `http://127.0.0.1:${port}`,
    onState: (state, error) => {
      if (state === 'retrying') fail(String(error));
    },
    onRejected: (_event, problems) => fail(problems.join()),
  });
  return (text) => {
    const event = JSON.parse(text) as OutgoingEvent;
    return async () => {
      sender.send(event);
      await sender.flush().catch((error: unknown) => {
        throw new BenchFailure('generator_failed', `the client’s Sender: ${problem ?? error}`);
      });
      return Number(sender.revision);
    };
  };
};
