/** Tests the comparison with other stores: answers in pieces, a kill, events that a server does not have. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { provenance } from '../src/ladders/shared.ts';
import { findPeers, rowOf, startGenerator } from '../src/peers/command.ts';
import { measureRound } from '../src/peers/measure.ts';
import type { Found, Peer } from '../src/peers/peer.ts';
import { PEERS } from '../src/peers/peers.ts';
import { answerReader, PROTOCOLS, type ProtocolName } from '../src/peers/protocol.ts';
import { peersReport } from '../src/peers/report.ts';
import { listen } from './listening-server.ts';
import { lifetime } from './scratch.ts';

/** Answers to accepted events: their number, and what the reader writes. */
const ACCEPTED: readonly [ProtocolName, answer: string, events: number, written: string][] = [
  ['ingest', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', 50, ''],
  ['jsonline', 'HTTP/1.1 204 No Content\r\n\r\n', 50, ''],
  ['resp', '$3\r\n1-0\r\n$3\r\n1-1\r\n', 2, ''],
  [
    'jetstream',
    'INFO {}\r\nPING\r\nMSG _INBOX.0 1 7\r\n{"a":1}\r\nMSG _INBOX.0 1 2\r\n{}\r\n',
    2,
    'PONG\r\n',
  ],
];

for (const [name, answer, events, wanted] of ACCEPTED) {
  test(`answers of ${name} count the same in any pieces`, () => {
    for (let cut = 0; cut <= answer.length; cut++) {
      let written = '';
      const read = answerReader(PROTOCOLS[name], 50, (text) => (written += text));
      const counts = [answer.slice(0, cut), answer.slice(cut)].map((piece) => read(Buffer.from(piece)));
      assert.deepEqual([counts[0]! + counts[1]!, written], [events, wanted], `cut at ${cut}`);
    }
  });
}

test('an answer that refuses is an error', () => {
  const refused: readonly [ProtocolName, answer: string, reason: RegExp][] = [
    ['ingest', 'HTTP/1.1 503 Service Unavailable\r\n\r\n', /503/],
    ['resp', '-OOM no memory\r\n', /OOM/],
    ['jetstream', "-ERR 'no'\r\n", /-ERR/],
    ['jetstream', 'MSG _INBOX.0 1 14\r\n{"error":"no"}\r\n', /"error"/],
  ];
  for (const [name, answer, reason] of refused) {
    const read = answerReader(PROTOCOLS[name], 50, () => undefined);
    assert.throws(() => read(Buffer.from(answer)), reason);
  }
});

test('in an open loop the connections take turns', async () => {
  const requests = new Map<Socket, number>();
  const server = await listen((_, response) => {
    const socket = response.socket!;
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    response.writeHead(201, { 'content-length': 0 }).end();
  });
  const port = Number(new URL(server.url).port);
  // A batch each 25 ms, so that each of the 40 connections sends two.
  const order = { protocol: 'ingest', port, first: 0, crashes: false, rate: 2_000, duration_s: 2 } as const;
  const driven = await startGenerator(lifetime).ask(order, 'driven');
  server.close();
  assert.equal(driven.acknowledged_events, 4_000);
  assert.deepEqual([...requests.values()], Array(40).fill(2));
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
  const rows = [rowOf(SERVER, { command: [], version: '1' }, [round])];
  const skipped = [{ title: 'Redis', reason: 'Not here' }];
  const text = peersReport({ ...provenance(), rounds: 1, duration_s: 1, event_bytes: 426, rows, skipped });
  assert.match(text, /nothing/);
  assert.match(text, /Skipped: Redis\. Not here\./);
});

test('a server that does not have an acknowledged event has no result', async () => {
  const forgetful = { ...SERVER, stored: async (port: number) => (await SERVER.stored(port)) - 1 };
  await assert.rejects(oneRound(forgetful), /has \d+ events, and acknowledged \d+/);
});

test('a program that is missing is skipped and named once', async () => {
  const absent: Peer = { ...SERVER, title: 'Absent', find: async () => ({ missing: 'nobody has it' }) };
  const { found, skipped } = await findPeers([SERVER, absent, absent]);
  assert.deepEqual([found.length, skipped], [1, [{ title: 'Absent', reason: 'nobody has it' }]]);
});
