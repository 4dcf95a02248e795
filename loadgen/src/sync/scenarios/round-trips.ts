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
import type { Parameters } from '../../result/suite-rows.ts';
import { Host, withHost } from '../../run/host.ts';
import { agree } from '../../run/warm-up.ts';
import { BACK_TO_BACK } from '../goals.ts';
import type { Journal } from '../journal.ts';
import { eventText, post, requestOf } from '../posting.ts';
import { latencyFrom, type Sample } from '../result.ts';
import { repeated, type Scenario, type ScenarioContext, withFollower } from '../scenario.ts';
import { shippedClient } from '../strategies.ts';

/** Largest number of warm-up parts. Each has as many round trips as the measurement. */
const MOST_PARTS = 5;

/** Longer than the client's own throttle. The scenario `bursts` measures the effect of the throttle. */
const REST_MS = 20;

const LIVEZ = Buffer.from('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');

const unthrottled = shippedClient({ throttle_ms: 0 });

export const roundTrip: Scenario = async (server, context) => {
  const { sizes, launch, strategies } = context;
  const { round_trips: many, paced_round_trips: few } = sizes;
  await withHost(Host.start(server, launch), async (host) => {
    for (const { pace, follow, events, ...how } of [
      { pace: BACK_TO_BACK, follow: unthrottled, events: many },
      { pace: `${BACK_TO_BACK}, posted by Sender`, follow: unthrottled, events: many, posting: postBySender },
      { pace: `throttle 16 ms, ${REST_MS} ms apart`, follow: strategies.sync, events: few, rest_ms: REST_MS },
    ]) {
      await withFollower(follow, host, context, async (journal) => {
        const trip = tripsOf(host, journal, context, how);
        await addOnceSteady(context, { pace, events }, () => repeated(events, trip));
      });
    }
    // A round trip is three exchanges. The smallest exchange shows how much of their time is the machine's.
    const connection = new Exchange({ port: host.port });
    const exchange = async () => {
      const from_ms = nowMs();
      const { status } = await connection.send(LIVEZ, false);
      const took_ms = nowMs() - from_ms;
      if (status !== 200) throw new BenchFailure('server_failed', `GET /livez answered ${status}`);
      return took_ms;
    };
    const smallest = { pace: 'GET /livez alone, back to back', exchanges: many };
    await addOnceSteady(context, smallest, () => repeated(many, exchange));
  });
};

const METADATA_BYTES = [50, 10_000, 100_000];

/** More than the largest event. The server would truncate its metadata otherwise. */
const FLAGS = ['--max-metadata-bytes', '262144'];

const WARM_UP = 20;

/** Round trips by size of the event, which is posted and fetched back by its follower. */
export const payloads: Scenario = async (server, context) => {
  const { payload_round_trips: events } = context.sizes;
  for (const metadata_bytes of METADATA_BYTES) {
    await withHost(Host.start(server, context.launch, { flags: FLAGS }), (host) =>
      withFollower(unthrottled, host, context, async (journal) => {
        const trip = tripsOf(host, journal, context, { metadata_bytes });
        await repeated(WARM_UP, trip);
        context.add({ metadata_bytes, events }, [], latencyFrom(await repeated(events, trip)));
      }),
    );
  }
};

interface Trips {
  readonly metadata_bytes?: number;
  /** Milliseconds between an apply and the next post, so that no throttle is active. */
  readonly rest_ms?: number;
  readonly posting?: Posting;
}

/** Returns a function that makes one round trip and returns its duration, in milliseconds. */
function tripsOf(
  host: Host,
  journal: Journal,
  { seed }: ScenarioContext,
  { metadata_bytes, rest_ms = 0, posting = postBySocket }: Trips,
) {
  const ready = posting(host.port);
  return async (): Promise<number> => {
    const send = ready(eventText(seed, host.take(1), { metadata_bytes }));
    if (rest_ms > 0) await sleep(rest_ms);
    journal.clear();
    const from_ms = nowMs();
    return (await journal.reached(await send())) - from_ms;
  };
}

/**
 * Opens a connection to a port. Its result prepares an event, given as JSON. The function that this returns posts the
 * event, and resolves to the revision of `events`.
 */
type Posting = (port: number) => (text: string) => () => Promise<number>;

/** Posts over a plain socket, as an agent does. It uses less of the server's cores than the `Sender` does. */
export const postBySocket: Posting = (port) => {
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

/**
 * Repeats the round trips until the medians of two parts in a row agree, then measures. V8 compiles code on both sides
 * during thousands of them. The median of every warm-up part is kept.
 */
async function addOnceSteady(
  context: ScenarioContext,
  parameters: Parameters,
  takeAll: () => Promise<number[]>,
): Promise<void> {
  const parts: Sample[] = [];
  let [before, now] = [Number.NaN, Number.NaN];
  while (parts.length < MOST_PARTS && !agree(before, now)) {
    [before, now] = [now, median(await takeAll())!];
    parts.push({ warm_up_p50_ms: now });
  }
  context.add(parameters, parts, latencyFrom(await takeAll()));
}
