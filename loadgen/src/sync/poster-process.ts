/**
 * The process that posts, one order at a time.
 *
 * It is a separate process, so that posting takes no CPU time from the followers. Invariants: requests are made before
 * the clock starts, except for an order with a time limit. Times are those of {@link nowMs}, which all processes share.
 * A response that is not 2xx or has no revision fails the order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Exchange } from '../codecs/exchange.ts';
import { nowMs } from '../observe/clock.ts';
import { serve } from '../run/serve.ts';
import { type Answer, eventText, type Order, type Posted, post, requestOf } from './posting.ts';

async function carryOut(order: Order, connections: readonly Exchange[]): Promise<Posted> {
  const { seed, first, batch, requests, per_s, seconds } = order;
  const make = (i: number) =>
    requestOf(Array.from({ length: batch }, (_, k) => eventText(seed, first + i * batch + k)));
  const made = seconds === undefined ? Array.from({ length: requests }, (_, i) => make(i)) : [];
  const answers: Answer[] = [];
  const started_ms = nowMs();
  const end_ms = started_ms + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  let [next, newest] = [0, 0];
  const work = async (connection: Exchange) => {
    while (next < requests && nowMs() < end_ms) {
      const i = next++;
      const request = made[i] ?? make(i);
      const from_ms = per_s === undefined ? nowMs() : started_ms + (i * batch * 1000) / per_s;
      for (let rest = from_ms - nowMs(); rest > 0; rest = from_ms - nowMs()) await sleep(rest);
      const revision = await post(connection, request, batch);
      answers.push({ from_ms, answered_ms: nowMs(), revision });
      newest = Math.max(newest, revision);
    }
  };
  await Promise.all(connections.map(work));
  const [ended_ms, events] = [nowMs(), answers.length * batch];
  return { kind: 'posted', started_ms, ended_ms, events, revision: newest, answers };
}

let connections: readonly Exchange[] = [];
let port = 0;
serve<Order, Posted>((order) => {
  // A server that ended has closed its connections.
  const isUsable = port === order.port && connections.every(({ isOpen }) => isOpen);
  if (!isUsable || connections.length !== order.connections) {
    for (const connection of connections) connection.close();
    port = order.port;
    connections = Array.from({ length: order.connections }, () => new Exchange({ port }));
  }
  return carryOut(order, connections);
});
