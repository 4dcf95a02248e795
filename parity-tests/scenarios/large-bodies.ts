/**
 * Tests bodies that are small on the wire and expensive to process: the server stays small, and answers other
 * requests. Memory is that of the server's own process, from `/proc`.
 */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { memoryMb, processorMs, requireProc, resetMostMemory } from '../src/process-figures.ts';
import { callBody, postCall } from '../src/rpc-calls.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { slowestLivez } from '../src/slowest-livez.ts';

export const LARGE_BODIES: ScenarioFile = {
  name: 'large-bodies',
  about: 'compressed batches and typed calls of millions of items',
  scenarios: [
    {
      name: 'millions of empty items cost little memory and delay no other request',
      rules: ['ING-09', 'BOD-05'],
      uses: 'each',
      measures: true,
      faults: ['F13'],
      run: emptyItems,
    },
    {
      name: 'millions of unneeded values cost no more than a valid call',
      rules: ['RPC-01', 'RPC-02', 'RPC-03'],
      uses: 'each',
      measures: true,
      run: needlessValues,
    },
  ],
};

const REQUESTS = 24;
/** Number of items. Each has three bytes; the total of 8 MiB has 8 kB after gzip. */
const ITEMS = 2_700_000;
/** Several times the memory that both servers need. A server that keeps the items of one request needs more. */
const MOST_GROWN_MB = 400;
const MOST_LIVEZ_MS = 500;

async function emptyItems(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start();
  const client = context.client(server);
  const body = gzipSync(`{"events":[${'{},'.repeat(ITEMS - 1)}{}]}`);
  const before = memoryMb(server.pid, 'VmRSS');
  let isDone = false;
  const livez = slowestLivez(context.client(server), () => isDone);
  const replies = await Promise.all(
    Array.from({ length: REQUESTS }, () =>
      client.send('POST', '/api/events/batch', body, [['content-encoding', 'gzip']], 60_000),
    ),
  );
  isDone = true;
  const grownMb = memoryMb(server.pid, 'VmHWM') - before;
  const slowestMs = await livez;
  context.note(`${Math.round(grownMb)} MB, /livez within ${Math.round(slowestMs)} ms`);
  for (const { status, text } of replies) {
    assert.equal(status, 413, text);
    const code = '"code":"batch_too_large","limit":10000';
    assert.equal(text, `{"error":"Too many events in one batch",${code},"actual":${ITEMS}}`);
  }
  assert.ok(grownMb < MOST_GROWN_MB, `the server grew by ${Math.round(grownMb)} MB`);
  assert.ok(slowestMs < MOST_LIVEZ_MS, `/livez took ${Math.round(slowestMs)} ms`);
}

const CALL_BYTES = 24 << 20;
/** Memory above that of a valid call of the same length. Empty objects as V8 values would take 800 MB. */
const MOST_MORE_MB = 64;
const MOST_MORE_MS = 1000;

async function needlessValues(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start({ flags: ['--bench'] });
  const nested = '{"str":"","d":0,"b":true}';
  const members = `"topD":0,"topB":true,"nested":${nested}}`;
  const dict = `{"topStr":"",${members}`;
  const list = (item: string): string => `[${`${item},`.repeat(CALL_BYTES / (item.length + 1))}${item}]`;
  const empty = list('{}');
  const deep = list(`${'['.repeat(60)}${']'.repeat(60)}`);
  const problem = (path: string, message: string): string => {
    const data = `{"path":"${path}","message":"${message}"}`;
    return `"error":{"code":-32602,"message":"Invalid params","data":${data}}`;
  };
  const tooMany = problem('/0', 'must be an array of at most 200000 items');
  const known = `"result":[${dict}]`;
  const call = (params: string): Buffer => callBody('echo.nestedDicts', params);
  const text = 'x'.repeat(CALL_BYTES);
  const cases: [name: string, body: Buffer, answer: string][] = [
    ['valid', call(`[[{"topStr":"${text}",${members}]]`), `"result":[{"topStr":"${text}",${members}]`],
    ['unknown member', call(`[[{"x":${empty},"topStr":"",${members}]]`), known],
    ['unknown member of the call', Buffer.from(`{"x":${empty},${call(`[[${dict}]]`).subarray(1)}`), known],
    ['items beyond the limit', call(`[${empty}]`), tooMany],
    ['another type', callBody('echo.boolean', `[${empty}]`), problem('/0', 'must be a boolean')],
    ['nested arrays', call(`[[{"x":${deep},"topStr":"",${members}]]`), known],
    ['duplicates', call(`[[{${'"topD":{},'.repeat(CALL_BYTES / 10)}"topStr":"",${members}]]`), known],
  ];
  let valid: { readonly mb: number; readonly ms: number } | undefined;
  for (const [name, body, answer] of cases) {
    resetMostMemory(server.pid);
    const [mbBefore, msBefore] = [memoryMb(server.pid, 'VmRSS'), processorMs(server.pid)];
    const reply = await postCall(server.port, body);
    const mb = memoryMb(server.pid, 'VmHWM') - mbBefore;
    const ms = processorMs(server.pid) - msBefore;
    context.note(`${name}: ${Math.round(mb)} MB, ${ms} ms`);
    assert.ok(reply.body.equals(Buffer.from(`{"jsonrpc":"2.0",${answer},"id":1}`)), name);
    valid ??= { mb, ms };
    assert.ok(mb <= valid.mb + MOST_MORE_MB, `${name}: the server grew by ${Math.round(mb)} MB`);
    assert.ok(ms <= valid.ms * 4 + MOST_MORE_MS, `${name}: ${ms} ms of processor time`);
  }
}
