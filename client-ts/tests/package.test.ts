/**
 * Tests the tarball of `pnpm pack` as users install it: outside the workspace, with only the dependencies of its
 * manifest. It also runs and checks the examples.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { build } from 'esbuild';
import {
  CLIENT,
  folder,
  install,
  installed,
  installPackage,
  remove,
  run,
  typeCheck,
} from './installed-package.ts';

const EXAMPLES = join(CLIENT, 'examples');
before(installPackage);
after(remove);

test('the tarball holds the build, its licence and its README, and no sources', () => {
  assert.deepEqual(readdirSync(installed).toSorted(), ['LICENSE', 'README.md', 'dist', 'package.json']);
  const sources = readdirSync(join(CLIENT, 'src')).map((name) => name.replace(/\.ts$/, ''));
  const expected = sources.flatMap((name) => [`${name}.d.ts`, `${name}.js`]);
  assert.deepEqual(readdirSync(join(installed, 'dist')).toSorted(), expected.toSorted());
});

test('plain JavaScript sends an event with the package, in Node by undici', async (t) => {
  const asked: { url: string | undefined; agent: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    asked.push({ url: request.url, agent: request.headers['user-agent'], body });
    response
      .writeHead(201, { 'content-type': 'application/json' })
      .end('{"received":1,"ids":[1],"duplicates":0,"rejected":[],"revision":"1"}');
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(
    join(folder, 'send.js'),
    `import { Sender } from '@twin-ingest/client';
    const sender = new Sender({ baseUrl: '${baseUrl}' });
    sender.send({ event_id: 'e', session_id: 's', agent_type: 'a', event_type: 't' });
    await sender.flush();
    sender.stop();
    console.log(sender.revision, sender.counts.stored);`,
  );
  assert.equal(await run(process.execPath, ['send.js']), '1 1\n');
  const body = '{"events":[{"event_id":"e","session_id":"s","agent_type":"a","event_type":"t"}]}';
  // The global fetch sends a User-Agent; undici itself does not.
  assert.deepEqual(asked, [{ url: '/api/events/batch', agent: undefined, body }]);
});

test('the formats are entry points that need their packages; the core loads none', async () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const peers: Readonly<Record<string, string>> = { msgpack: 'msgpackr', protobuf: '@bufbuild/protobuf' };
  assert.deepEqual(Object.keys(manifest.peerDependencies).toSorted(), Object.values(peers).toSorted());
  writeFileSync(
    join(folder, 'formats.js'),
    `import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { Sender } = await import('@twin-ingest/client');
    const core = loaded.filter((url) => /msgpack|protobuf|ndjson|wire-fields|answer-bytes|pieces|rpc/.test(url));
    const results = { core };
    for (const name of ['ndjson', 'msgpack', 'protobuf'])
      try {
        const { [name]: format } = await import('@twin-ingest/client/' + name);
        const bodies = [];
        const fetch = async (_, { headers, body }) => {
          bodies.push(headers['content-type'], typeof body);
          return Response.json({ received: 1, duplicates: 0, rejected: [], revision: '1' });
        };
        const sender = new Sender({ fetch, format });
        sender.send({ session_id: 's', agent_type: 'a', event_type: 'tool_use' });
        await sender.flush();
        results[name] = bodies.join(' ');
      } catch ({ code, message }) {
        results[name] = code + ' ' + /'([^']*)'/.exec(message)[1];
      }
    console.log(JSON.stringify(results));`,
  );
  const results = async () => JSON.parse(await run(process.execPath, ['formats.js']));
  const ndjson = 'application/x-ndjson string';
  assert.deepEqual(await results(), {
    core: [],
    ndjson,
    msgpack: 'ERR_MODULE_NOT_FOUND msgpackr',
    protobuf: 'ERR_MODULE_NOT_FOUND @bufbuild/protobuf',
  });
  install(...Object.values(peers));
  assert.deepEqual(await results(), {
    core: [],
    ndjson,
    msgpack: 'application/vnd.msgpack object',
    protobuf: 'application/protobuf object',
  });
});

test('the declarations accept valid code and refuse invalid code', async () => {
  writeFileSync(
    join(folder, 'types.ts'),
    `import {
      compareRevisions, events, isRevision, Sender, sessions, stats, Sync, streamEvents, Topics,
    } from '@twin-ingest/client';
    import { msgpack } from '@twin-ingest/client/msgpack';
    import { ndjson } from '@twin-ingest/client/ndjson';
    import { protobuf } from '@twin-ingest/client/protobuf';
    import { rpcOf } from '@twin-ingest/client/rpc';
    const { total_events } = await rpcOf({ baseUrl: '' }).stats.get({});
    total_events.toFixed();
    // @ts-expect-error: no such parameter
    await rpcOf({ baseUrl: '' }).stats.get({ agent: 'a' });
    for (const format of [msgpack, ndjson, protobuf]) {
      new Sender({ socketPath: '/s', format });
      (await events({ socketPath: '/s', format, query: { limit: 5 } })).next?.toFixed();
      // @ts-expect-error: statistics are JSON
      await stats({ socketPath: '/s', format });
    }
    const sender = new Sender({ baseUrl: '', onRejected: (_event, problems) => problems.join() });
    const id: string = sender.send({ session_id: 's', agent_type: 'a', event_type: 'tool_use', tokens_in: 1 });
    // @ts-expect-error: no event without a session
    sender.send({ agent_type: 'a', event_type: 'tool_use' });
    // @ts-expect-error: a misspelt word
    sender.send({ session_id: 's', agent_type: 'a', event_type: 'tol_use' });
    // @ts-expect-error: a misspelt field
    sender.send({ session_id: 's', agent_type: 'a', event_type: 'tool_use', toolname: 'Bash' });
    // @ts-expect-error: a number as text
    sender.send({ session_id: 's', agent_type: 'a', event_type: 'tool_use', tokens_in: '1' });
    const left_out = { tool_name: undefined, status: null };
    sender.send({ session_id: 's', agent_type: 'a', event_type: 'tool_use', ...left_out });
    await sender.flush({ timeout_ms: 1000, signal: new AbortController().signal });
    // @ts-expect-error: no text is a revision before it was looked at
    compareRevisions('1', id);
    if (isRevision(id)) compareRevisions(id, id) satisfies -1 | 0 | 1;
    const topics = new Topics({ topics: ['events', 'stats', 'sessions', 'session:a'] });
    new Sync({ ...topics.of('stats'), apply: ({ data }) => void data.total_events.toFixed() });
    new Sync({ ...topics.of('events'), apply: ({ data }) => void (data.events[0]?.event_type === 'error') });
    new Sync({ ...topics.of('sessions'), apply: ({ data }) => void data.sessions[0]?.id.length });
    new Sync({ ...topics.of('session:a'), apply: ({ data }) => void data.session.project?.length });
    // @ts-expect-error: the state has no such field
    new Sync({ ...topics.of('stats'), apply: ({ data }) => void data.sum });
    // @ts-expect-error: no such topic
    topics.of('statistics');
    const page = await events({ query: { event_type: 'tool_use', limit: 5 } });
    page.events.map(({ tool_name }) => tool_name?.length);
    // @ts-expect-error: no such filter
    await events({ query: { toolname: 'Bash' } });
    (await sessions({ query: { status: 'active' } })).sessions satisfies readonly { readonly id: string }[];
    (await stats()).total_cost_usd.toFixed(2);
    const { signal } = new AbortController();
    await streamEvents({ signal, onEvent: (row, { epoch }) => void (epoch.length + row.id.toFixed().length) });
    `,
  );
  const lib = ['es2022', 'dom', 'dom.iterable'];
  await typeCheck('types.ts', { lib, module: 'nodenext', moduleResolution: 'nodenext' });
  await typeCheck('types.ts', { lib, module: 'esnext', moduleResolution: 'bundler' });
});

test('the page example compiles, and its bundle has the browser’s fetch and no undici', async () => {
  copyFileSync(join(EXAMPLES, 'page', 'main.ts'), join(folder, 'page.ts'));
  const lib = ['es2022', 'dom', 'dom.iterable'];
  await typeCheck('page.ts', { lib, module: 'esnext', moduleResolution: 'bundler' });
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: ['page.ts'],
    bundle: true,
    format: 'esm',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const inputs = Object.keys(metafile.inputs);
  const [{ imports } = { imports: [] }] = Object.values(metafile.outputs);
  assert.deepEqual(imports, []);
  assert.ok(inputs.includes('node_modules/@twin-ingest/client/dist/fetch.js'), inputs.join());
  assert.deepEqual(
    inputs.filter((path) => /undici|fetch-node|msgpack|protobuf|ndjson|wire-fields|\/src\//.test(path)),
    [],
  );
  const html = readFileSync(join(EXAMPLES, 'page', 'index.html'), 'utf8');
  const script = readFileSync(join(EXAMPLES, 'page', 'main.ts'), 'utf8');
  const ids = [...script.matchAll(/querySelector\('#(\w+)'\)/g)].map(([, id]) => `id="${id}"`);
  assert.ok(ids.length > 0);
  for (const wanted of [...ids, 'src="main.js"']) assert.ok(html.includes(wanted), wanted);
});

for (const name of TARGET_NAMES) {
  test(`the Node example sends events to ${name} and reads them`, async () => {
    copyFileSync(join(EXAMPLES, 'node', 'main.ts'), join(folder, 'main.ts'));
    const flags = ['--db', join(folder, `${name}.db`)];
    const server = await startServer(name, { cwd: folder, flags });
    const printed = await run(process.execPath, ['main.ts', server.url]);
    assert.deepEqual(printed.trimEnd().split('\n'), [
      'event 1: Read',
      'event 2: Edit',
      'event 3: Bash',
      '3 stored, the state has them from revision 3 on',
    ]);
    assert.equal((await server.stop()).code, 0);
  });
}
