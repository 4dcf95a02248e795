/** Tests typed calls to both real servers, in both formats: results, and the place of each error. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { msgpackCalls } from '../src/msgpack.ts';
import { RefusedError } from '../src/refusal.ts';
import { RpcError, type RpcOptions, rpcOf } from '../src/rpc.ts';
import { argumentProblem } from '../src/rpc-check.ts';

const NESTED = { topStr: 'é\0😀', topD: 0.1 + 0.2, topB: false, nested: { str: '', d: 5e-324, b: true } };
const event = (event_id: string) => ({
  event_id,
  session_id: 's1',
  agent_type: 'agent',
  event_type: 'tool_use' as const,
  tool_name: undefined,
});

for (const name of TARGET_NAMES) {
  for (const [kind, format] of [
    ['json', undefined],
    ['msgpack', msgpackCalls],
  ] as const) {
    test(`${name}, ${kind}: every method answers, and its errors are those of the server`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'rpc-'));
      const socketPath = join(folder, 's');
      const flags = ['--db', join(folder, 'e.db'), '--port', '0', '--bench', '--socket', socketPath];
      const server = await startServer(name, { cwd: folder, flags });
      t.after(async () => {
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
      });
      const timings: string[] = [];
      const options: RpcOptions = {
        baseUrl: server.url,
        onTiming: (text) => timings.push(text),
        ...(format && { format }),
      };
      const rpc = rpcOf(options);
      const stored = await rpc.events.ingest([event('a'), event('b'), event('a')]);
      assert.deepEqual([stored.received, stored.duplicates, stored.ids], [2, 1, [1, 2]]);
      assert.equal((await rpc.stats.get()).total_events, 2);
      assert.equal((await rpc.stats.get({ agent_type: 'other' })).total_events, 0);
      const page = await rpc.events.query({ session_id: 's1', limit: 1, order: 'asc', after: undefined });
      assert.deepEqual([page.events[0]!.event_id, page.next], ['a', 1]);
      assert.equal((await rpc.sessions.list()).sessions[0]!.id, 's1');
      assert.equal((await rpc.snapshot.get('events')).revision, '2');
      assert.equal(await rpc.echo.long(-2147483648), -2147483648);
      assert.equal(await rpc.echo.DOMString('\0é😀'), '\0é😀');
      assert.deepEqual(await rpc.echo.nestedDicts([NESTED, NESTED]), [NESTED, NESTED]);
      assert.deepEqual(
        await rpc.echo.doubles([1.7976931348623157e308, -1.5]),
        [1.7976931348623157e308, -1.5],
      );
      assert.equal(timings.length, 10);
      for (const timing of timings) assert.match(timing, /^lib;dur=\d+\.\d{3}$/);

      // The server refuses the same arguments as the client, with the same path and message.
      const unchecked = rpcOf({ ...options, checks: false });
      for (const [method, params] of [
        ['nestedDict', [{ ...NESTED, nested: null }]],
        ['longs', [[0, 1, 2, 3, 4, 5, 6, null]]],
        ['long', [1.5]],
        ['long', []],
        ['long', [1, 2]],
        ['dict', [{ str: 'x', d: 1 }]],
        ['DOMString', [7]],
        ['boolean', ['true']],
      ] as const) {
        const call = unchecked.echo[method] as (...given: readonly unknown[]) => Promise<unknown>;
        const expected = argumentProblem(`echo.${method}`, params);
        assert.notEqual(expected, null);
        await assert.rejects(call(...params), (error) => {
          assert.ok(error instanceof RpcError);
          assert.deepEqual([error.code, error.data], [-32602, expected]);
          return true;
        });
      }
      await assert.rejects(rpc.snapshot.get('nothing'), (error) => {
        assert.ok(error instanceof RpcError);
        assert.equal(error.code, -32000);
        assert.equal((error.data as { code: string }).code, 'not_found');
        return true;
      });
      assert.equal((await rpcOf({ ...options, socketPath }).stats.get({})).total_events, 2);
    });
  }

  test(`${name}: a call without a token, and one of a method that the server does not have`, async (t) => {
    const server = await startServer(name, { flags: ['--db', ':memory:', '--port', '0'] });
    t.after(() => server.stop());
    await assert.rejects(rpcOf({ baseUrl: server.url }).echo.long(1), { name: 'RpcError', code: -32601 });
    const elsewhere = rpcOf({ baseUrl: `${server.url}/nothing` });
    await assert.rejects(
      elsewhere.stats.get(),
      (error) => error instanceof RefusedError && error.status === 404,
    );
  });
}

test('arguments are checked before sending', async () => {
  const rpc = rpcOf({ baseUrl: 'http://127.0.0.1:9', fetch: () => assert.fail('a request was sent') });
  await assert.rejects(rpc.echo.long(2 ** 31), {
    code: -32602,
    data: { path: '/0', message: 'must be an integer from -2147483648 to 2147483647' },
    message: 'echo.long: /0 must be an integer from -2147483648 to 2147483647',
  });
  await assert.rejects(rpc.echo.DOMString('\ud800'), {
    data: { path: '/0', message: 'must be well-formed text' },
  });
  await assert.rejects(rpc.echo.longs(Array.from({ length: 200_001 }, () => 0)), {
    data: { path: '/0', message: 'must be an array of at most 200000 items' },
  });
});

test('a result that breaks its type is a TypeError', async () => {
  const fetch = async () => ({
    status: 200,
    ok: true,
    headers: new Headers(),
    body: null,
    json: async () => ({ jsonrpc: '2.0', result: [1, 'x'], id: 1 }),
  });
  await assert.rejects(rpcOf({ baseUrl: 'http://127.0.0.1:9', fetch }).echo.longs([1, 2]), {
    name: 'TypeError',
    message:
      'echo.longs gave a result that breaks its type: /1 must be an integer from -2147483648 to 2147483647',
  });
});
