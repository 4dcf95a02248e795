/** Tests the comparison with other stores: answers in pieces, a kill, events that a server does not have. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { findPeers, startGenerator } from '../src/peers/command.ts';
import { measureRound } from '../src/peers/measure.ts';
import type { Found, Peer } from '../src/peers/peer.ts';
import { PEERS } from '../src/peers/peers.ts';
import { PROTOCOLS, type ProtocolName } from '../src/peers/protocol.ts';
import { peersReport, rowOf } from '../src/peers/report.ts';
import { listen } from './listening-server.ts';
import { lifetime } from './scratch.ts';

const ACCEPTED: readonly { protocol: ProtocolName; answer: string; events: number }[] = [
  { protocol: 'ingest', answer: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', events: 50 },
  { protocol: 'jsonline', answer: 'HTTP/1.1 204 No Content\r\n\r\n', events: 50 },
  { protocol: 'resp', answer: '$3\r\n1-0\r\n$3\r\n1-1\r\n', events: 2 },
  {
    protocol: 'jetstream',
    answer: 'INFO {}\r\nPING\r\nMSG _INBOX.0 1 7\r\n{"a":1}\r\nMSG _INBOX.0 1 2\r\n{}\r\n',
    events: 2,
  },
];

for (const { protocol, answer, events } of ACCEPTED) {
  test(`answers of ${protocol} count the same in any pieces`, () => {
    for (let cut = 0; cut <= answer.length; cut++) {
      const read = PROTOCOLS[protocol].reader(50, () => undefined);
      const counts = [answer.slice(0, cut), answer.slice(cut)].map((piece) => read(Buffer.from(piece)));
      assert.equal(counts[0]! + counts[1]!, events, `cut at ${cut}`);
    }
  });
}

const REFUSED: readonly { protocol: ProtocolName; answer: string; reason: RegExp }[] = [
  { protocol: 'ingest', answer: 'HTTP/1.1 503 Service Unavailable\r\n\r\n', reason: /503/ },
  { protocol: 'resp', answer: '-OOM no memory\r\n', reason: /OOM/ },
  { protocol: 'jetstream', answer: "-ERR 'no'\r\n", reason: /-ERR/ },
  { protocol: 'jetstream', answer: 'MSG _INBOX.0 1 14\r\n{"error":"no"}\r\n', reason: /"error"/ },
];

for (const { protocol, answer, reason } of REFUSED) {
  test(`an answer of ${protocol} that refuses is an error: ${reason}`, () => {
    const read = PROTOCOLS[protocol].reader(50, () => undefined);
    assert.throws(() => read(Buffer.from(answer)), reason);
  });
}

test('NATS gets its answer to PING', () => {
  const written: string[] = [];
  PROTOCOLS.jetstream.reader(50, (text) => written.push(text))(Buffer.from('PING\r\n'));
  assert.deepEqual(written, ['PONG\r\n']);
});

test('in an open loop the connections take turns', async () => {
  const requests = new Map<Socket, number>();
  const server = await listen((_, response) => {
    const socket = response.socket!;
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    response.writeHead(201, { 'content-length': 0 }).end();
  });
  try {
    const port = Number(new URL(server.url).port);
    const load = { protocol: 'ingest', port, connections: 4, batch: 10, first: 0, crashes: false } as const;
    // A batch each 100 ms, so that its answer comes before the next is due, on a busy machine too.
    const order = { ...load, rate: 100, duration_s: 2 };
    const driven = await startGenerator(lifetime).ask(order, 'driven');
    assert.equal(driven.acknowledged_events, 200);
    assert.deepEqual([...requests.values()], [5, 5, 5, 5]);
  } finally {
    server.close();
  }
});

const SERVER = PEERS.find(({ name }) => name === 'rs-process')!;

/** Measures one short round with a generator of its own. */
async function oneRound(peer: Peer) {
  return measureRound(peer, (await peer.find()) as Found, startGenerator(lifetime), 1, lifetime);
}

test('a round has every figure, and a server that is killed has what it acknowledged', async () => {
  const round = await oneRound(SERVER);
  assert.equal(round.lost_events, 0);
  for (const [figure, value] of Object.entries(round)) assert.ok(value! >= 0, `${figure}: ${value}`);
  assert.ok(round.events_per_s > 0 && round.bytes_per_event! > 0);
  const row = rowOf(SERVER, '1', [round]);
  const environment = { commit: null, cpu_model: null, cpu_cores: 2 } as never;
  const result = { measured_on: '2026-11-27', environment, rounds: 1, duration_s: 1, event_bytes: 426 };
  const text = peersReport({ ...result, rows: [row], skipped: [{ title: 'Redis', reason: 'Not here' }] });
  assert.match(text, /nothing/);
  assert.match(text, /Skipped: Redis\. Not here\./);
});

test('a server that does not have an acknowledged event has no result', async () => {
  const forgetful = { ...SERVER, stored: async (port: number) => (await SERVER.stored(port)) - 1 };
  await assert.rejects(oneRound(forgetful), /has \d+ events, and acknowledged \d+/);
});

test('a program that is missing is named and skipped', async () => {
  const absent: Peer = { ...SERVER, title: 'Absent', find: async () => ({ missing: 'nobody has it' }) };
  const { found, skipped } = await findPeers([SERVER, absent]);
  assert.deepEqual(
    found.map(({ peer }) => peer.title),
    [SERVER.title],
  );
  assert.deepEqual(skipped, [{ title: 'Absent', reason: 'nobody has it' }]);
});
