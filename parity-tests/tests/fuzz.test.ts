/** Tests that the fuzzer finds and shrinks a planted difference. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { fuzz } from '../src/fuzz/fuzz.ts';
import { caseText } from '../src/fuzz/report.ts';
import { randomSession } from '../src/fuzz/session.ts';
import { shrink } from '../src/fuzz/shrink.ts';
import { isRequest, parseSteps, type Step, stepsText } from '../src/fuzz/step.ts';
import type { Server, Start } from '../src/fuzz/world.ts';

const OPTIONS = { seed: 1, session: 0, milliseconds: 60_000, steps: 1_200, shrinkRuns: 400 };

/**
 * Starts a server that answers every request alike. With `isPlanted` the runtime ts answers a deletion of events
 * differently once it has received telemetry.
 */
function starting(isPlanted: boolean): Start {
  return async (target): Promise<Server> => {
    let hasTelemetry = false;
    const server = createServer((request, response) => {
      if (request.method === 'POST' && request.url?.startsWith('/v1/')) hasTelemetry = true;
      const isDeletion = request.method === 'DELETE' && request.url?.startsWith('/api/events?');
      request.on('error', () => undefined).resume();
      const isWrong = isPlanted && target === 'ts' && hasTelemetry && isDeletion;
      response.setHeader('content-type', 'text/plain').end(isWrong ? 'wrong' : 'right');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const stop = async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
    };
    return { port: (server.address() as AddressInfo).port, stop, kill: stop };
  };
}

test('a planted difference is found, shrunk to its two steps, and written as a case', async () => {
  const { difference } = await fuzz(async () => starting(true), OPTIONS);
  assert.ok(difference);
  const requests = difference.steps.filter(isRequest).map(({ sent }) => sent.head.toString('latin1'));
  assert.equal(difference.steps.length, 2, stepsText(difference.steps));
  assert.match(requests[0]!, /^POST \/v1\//);
  assert.match(requests[1]!, /^DELETE \/api\/events\?/);
  const { cases } = JSON.parse(caseText(difference, OPTIONS.seed));
  assert.equal(cases[0].given.length, 1);
  assert.match(Buffer.from(cases[0].when.raw_base64, 'base64').toString('latin1'), /^DELETE /);
});

test('equal servers have no difference', async () => {
  const { difference, steps } = await fuzz(async () => starting(false), OPTIONS);
  assert.equal(difference, undefined);
  assert.ok(steps > 0);
});

test('a seed gives the same steps, which a file keeps', () => {
  const session = (seed: number): string => stepsText(randomSession(seededRandom(seed), 300));
  assert.equal(session(1), session(1));
  assert.notEqual(session(1), session(2));
  assert.equal(stepsText(parseSteps(session(1))), session(1));
  const kinds = new Set(parseSteps(stepsText(randomSession(seededRandom(1), 3_000))).map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), ['request', 'restart', 'stream', 'swap']);
});

test('shrinking keeps what the check needs, in steps, headers and bytes', async () => {
  const steps = randomSession(seededRandom(1), 60);
  const body = Buffer.from('aaaaXaaaaYaaaa');
  const head = Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\nA: 1\r\nContent-Length: ${body.length}\r\n\r\n`);
  const last: Step = { kind: 'request', sent: { method: 'POST', head, body, awaitContinue: false } };
  const needed: Step = { kind: 'swap' };
  const check = async (tried: readonly Step[]): Promise<boolean> => {
    const end = tried.at(-1);
    if (end === undefined || !isRequest(end) || !tried.includes(needed)) return false;
    return /X.*Y/.test(end.sent.body.toString()) && end.sent.head.toString().includes('Content-Length');
  };
  const small = await shrink([...steps, needed, ...steps, last], check, 1_000);
  assert.equal(small.length, 2);
  const end = small[1]!;
  assert.ok(isRequest(end));
  assert.equal(end.sent.body.toString(), 'XY');
  assert.equal(end.sent.head.toString(), 'POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n');
});
