/** Measures how much later than its acknowledgement an event is on the stream of another server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { SseClient } from '@twin-ingest/testkit/http/sse-client.ts';
import type { Member } from '../member.ts';
import { eventsOf } from './load.ts';
import { briefly, type Measuring, startBoard } from './measuring.ts';
import { quantile } from './quantile.ts';

const EVENTS_PER_S = 2_000;
const BATCH = 10;
const LOOK_MS = 1;
const WARM_SECONDS = 5;

/** Sends at a fixed rate to one server, while a client follows each of the others. */
export function measureLag(measuring: Measuring): Promise<void> {
  const { program, seconds, add } = measuring;
  return briefly(measuring, async (lifetime) => {
    const board = await startBoard(program, ['rs', 'ts', 'rs', 'ts'], lifetime);
    const homes = board.members.slice(0, 2);
    // The first seconds of a process compile its code, also that of its stream.
    for (const home of homes) await slice(board.members, home, WARM_SECONDS);
    for (const home of homes) {
      for (const { other, lags } of await slice(board.members, home, seconds)) {
        if (lags.some(Number.isNaN)) throw new Error(`${other.name} did not stream every event`);
        add({
          what: `lag at ${EVENTS_PER_S} events/s`,
          setting: `${home.target} to ${other.target} (${other.name})`,
          events: lags.length,
          p50_ms: quantile(lags, 0.5),
          p99_ms: quantile(lags, 0.99),
        });
      }
    }
  });
}

/** The delivery lag of each event at another server, in milliseconds; not a number for an event that it did not stream. */
interface Lags {
  readonly other: Member;
  readonly lags: readonly number[];
}

/** Sends to one server, and follows the streams of the others. */
async function slice(members: readonly Member[], home: Member, seconds: number): Promise<Lags[]> {
  const others = members.filter((one) => one !== home);
  const seen = others.map(() => new Map<number, number>());
  const state = { over: false };
  const watching = others.map((one, index) => watch(one, seen[index]!, state));
  await sleep(200);
  const acknowledged = await openLoop(home, seconds);
  await sleep(2_000);
  state.over = true;
  await Promise.all(watching);
  const lagsAt = (arrivals: Map<number, number>): number[] =>
    [...acknowledged].map(([id, at]) => Math.max(0, arrivals.get(id)! - at));
  return others.map((other, index) => ({ other, lags: lagsAt(seen[index]!) }));
}

/** Sends batches when they are due; returns when each id was acknowledged. */
async function openLoop({ port }: Member, seconds: number): Promise<Map<number, number>> {
  const client = new ApiClient(port);
  const acknowledged = new Map<number, number>();
  const sending: Promise<void>[] = [];
  const begun = performance.now();
  const count = (seconds * EVENTS_PER_S) / BATCH;
  for (let index = 0; index < count; index++) {
    const due = begun + (index * BATCH * 1000) / EVENTS_PER_S;
    while (performance.now() < due) await sleep(LOOK_MS);
    sending.push(
      client.ingest(eventsOf(BATCH)).then(({ ids }) => {
        const at = performance.now();
        for (const id of ids) acknowledged.set(id, at);
      }),
    );
  }
  await Promise.all(sending);
  client.close();
  return acknowledged;
}

/** Records when a server streams each id. */
async function watch(member: Member, seen: Map<number, number>, state: { over: boolean }): Promise<void> {
  const client = await SseClient.open(member.port);
  while (!state.over) {
    const at = performance.now();
    for (const { id } of client.frames.splice(0)) if (id !== undefined) seen.set(Number(id), at);
    await sleep(LOOK_MS);
  }
  client.close();
}
