/** Tests the nodes of NATS that tests start: they begin, die, keep their streams, and end with a reason. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { askNats, greets } from '../src/nats/ask.ts';
import { loopbackPlaces } from '../src/nats/cluster.ts';
import { NatsNode } from '../src/nats/node.ts';
import { natsProgram } from '../src/nats/program.ts';
import { freePorts } from '../src/servers/free-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'nats-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const program = await natsProgram();
const skip = 'missing' in program ? program.missing : false;
const path = 'missing' in program ? '' : program.path;

interface Info {
  readonly error?: { readonly code: number };
  readonly state?: { readonly messages: number };
}

test('a node keeps its stream over a kill, and signals end it', { skip }, async () => {
  const [place] = await loopbackPlaces(join(folder, 'kept'), 1);
  const node = new NatsNode(path, place!);
  assert.equal(await greets(place!.port), false);
  await node.start();
  assert.ok(node.isRunning && Number(node.pid) > 0);
  const stream = JSON.stringify({ name: 's', subjects: ['s'], storage: 'file' });
  assert.equal((await askNats<Info>(place!.port, '$JS.API.STREAM.CREATE.s', stream)).error, undefined);
  await askNats(place!.port, 's', '{}');
  await node.kill();
  assert.equal(node.isRunning, false);
  assert.equal(node.pid, undefined);
  await node.start();
  assert.equal((await askNats<Info>(place!.port, '$JS.API.STREAM.INFO.s')).state?.messages, 1);
  assert.equal((await askNats<Info>(place!.port, '$JS.API.STREAM.INFO.other')).error?.code, 404);
  await node.stop();
  await assert.rejects(askNats(place!.port, '$JS.API.INFO'));
});

test('a node that cannot listen names its log', { skip }, async () => {
  const [place] = await loopbackPlaces(join(folder, 'taken'), 1);
  const node = new NatsNode(path, { ...place!, host: '192.0.2.1' });
  await assert.rejects(node.start(), /nats-1 of NATS does not start; its log is .*nats\.log$/);
});

test('free ports differ, and are below those that the kernel gives away', async () => {
  const ports = await freePorts(5);
  assert.equal(new Set(ports).size, 5);
  assert.ok(ports.every((port) => port >= 20_000 && port < 32_768));
});
