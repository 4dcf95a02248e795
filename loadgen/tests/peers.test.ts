/** Tests the comparison with other stores: answers in pieces, a kill, events that a server does not have. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { provenance } from '../src/ladders/shared.ts';
import { drive, startGenerator } from '../src/peers/drive.ts';
import { measureRound, type Peer } from '../src/peers/measure.ts';
import { findPeers, PEERS } from '../src/peers/peers.ts';
import { answerReader, INGEST, JETSTREAM, JSON_LINES, type Protocol, RESP } from '../src/peers/protocol.ts';
import { peersReport, rowOf } from '../src/peers/report.ts';
import { listen } from './listening-server.ts';
import { lifetime } from './scratch.ts';

const generator = await startGenerator(lifetime);

/** Answers to accepted events: their number, and what the reader writes. */
const ACCEPTED: readonly [Protocol, answer: string, events: number, written: string][] = [
  [INGEST, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', 50, ''],
  [JSON_LINES, 'HTTP/1.1 204 No Content\r\n\r\n', 50, ''],
  [RESP, '$3\r\n1-0\r\n$3\r\n1-1\r\n', 2, ''],
  [JETSTREAM, 'INFO {}\r\nPING\r\nMSG _INBOX.0 1 7\r\n{"a":1}\r\nMSG _INBOX.0 1 2\r\n{}\r\n', 2, 'PONG\r\n'],
];

test('answers count the same in any pieces', () => {
  for (const [protocol, answer, events, wanted] of ACCEPTED) {
    for (let cut = 0; cut <= answer.length; cut++) {
      let written = '';
      const read = answerReader(protocol, 50, (text) => (written += text));
      const counts = [answer.slice(0, cut), answer.slice(cut)].map((piece) => read(Buffer.from(piece)));
      assert.deepEqual([counts[0]! + counts[1]!, written], [events, wanted], `${answer} cut at ${cut}`);
    }
  }
});

test('an answer that refuses is an error', () => {
  const refused: readonly [Protocol, answer: string, reason: RegExp][] = [
    [INGEST, 'HTTP/1.1 503 Service Unavailable\r\n\r\n', /503/],
    [RESP, '-OOM no memory\r\n', /OOM/],
    [JETSTREAM, "-ERR 'no'\r\n", /-ERR/],
    [JETSTREAM, 'MSG _INBOX.0 1 14\r\n{"error":"no"}\r\n', /"error"/],
  ];
  for (const [protocol, answer, reason] of refused) {
    const read = answerReader(protocol, 50, () => undefined);
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
  const order = { protocol: INGEST, port, first: 0, crashes: false, rate: 2_000, duration_s: 2 };
  const driven = await drive(generator, order);
  server.close();
  assert.equal(driven.acknowledged_events, 4_000);
  assert.deepEqual([...requests.values()], Array(40).fill(2));
});

const SERVER = PEERS.find(({ name }) => name === 'rs-process')!;

/** Measures one short round. */
async function oneRound(peer: Peer) {
  const program = await peer.find();
  assert.ok('path' in program);
  return measureRound(peer, program.path, generator, 1);
}

test('a round has every figure, and a server that is killed has what it acknowledged', async () => {
  const round = await oneRound(SERVER);
  assert.equal(round.lost_events, 0);
  for (const [figure, value] of Object.entries(round)) assert.ok(value! >= 0, `${figure}: ${value}`);
  assert.ok(round.events_per_s > 0 && round.bytes_per_event! > 0);
  const rows = [rowOf(SERVER, '1', [round])];
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
  const absent: Peer = { ...SERVER, title: 'Absent', find: async () => ({ missing: 'not installed' }) };
  const { found, skipped } = await findPeers([SERVER, absent, absent]);
  assert.deepEqual([found.length, skipped], [1, [{ title: 'Absent', reason: 'not installed' }]]);
});
