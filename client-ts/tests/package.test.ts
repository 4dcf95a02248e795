/**
 * The tarball of `pnpm pack`, as whoever installs it has it: outside of the workspace, with what its manifest names and
 * no more. The examples run and are checked there too.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { build } from 'esbuild';

const CLIENT = fileURLToPath(new URL('../', import.meta.url));
const EXAMPLES = join(CLIENT, 'examples');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'client-package-')));
const modules = join(folder, 'node_modules');
const installed = join(modules, '@twin-ingest', 'client');
after(() => rmSync(folder, { recursive: true, force: true }));

/** Rejects with what the program printed unless it ends with 0. */
async function run(command: string, args: readonly string[], cwd = folder): Promise<string> {
  // Scripts of the manifest run on the Node that runs this.
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return promisify(execFile)(command, args, { cwd, env: { ...process.env, PATH: path } }).then(
    ({ stdout }) => stdout,
    ({ message, stdout, stderr }: Error & { stdout: string; stderr: string }) =>
      assert.fail(`${message}\n${stdout}\n${stderr}`),
  );
}

/** The pnpm that runs this test; else the one that the workspace names. */
function packageManager(): readonly string[] {
  const running = process.env.npm_execpath ?? '';
  if (/pnpm[^/\\]*$/.test(running))
    return ['.js', '.cjs', '.mjs'].includes(extname(running)) ? [process.execPath, running] : [running];
  const { packageManager } = JSON.parse(readFileSync(join(CLIENT, '..', 'package.json'), 'utf8'));
  return ['npx', '--yes', packageManager];
}

before(async () => {
  const [command, ...first] = packageManager();
  await run(command!, [...first, 'pack', '--pack-destination', folder], CLIENT);
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, tarball!), '--strip-components=1', '-C', installed]);
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies))
    symlinkSync(realpathSync(join(CLIENT, 'node_modules', name)), join(modules, name));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});

test('it holds what was built, its licence and what it is for, and no sources', () => {
  assert.deepEqual(readdirSync(installed).toSorted(), ['LICENSE', 'README.md', 'dist', 'package.json']);
  const sources = readdirSync(join(CLIENT, 'src')).map((name) => name.replace(/\.ts$/, ''));
  const expected = sources.flatMap((name) => [`${name}.d.ts`, `${name}.js`]);
  assert.deepEqual(readdirSync(join(installed, 'dist')).toSorted(), expected.toSorted());
});

test('plain JavaScript sends an event with it, in Node by undici', async (t) => {
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
  // The global fetch says who it is; undici itself does not.
  assert.deepEqual(asked, [{ url: '/api/events/batch', agent: undefined, body }]);
});

const STRICT = { target: 'es2022', strict: true, noEmit: true, types: [] };

/** Fails with the compiler's own words. Declarations are checked as well. */
async function typeCheck(file: string, options: Readonly<Record<string, unknown>>): Promise<void> {
  const compilerOptions = { ...STRICT, ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  await run(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', '.']);
}

test('its declarations say what is right, and what is not', async () => {
  writeFileSync(
    join(folder, 'types.ts'),
    `import {
      compareRevisions, events, isRevision, Sender, sessions, stats, Sync, streamEvents, Topics,
    } from '@twin-ingest/client';
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

test('the example of a page is right by its types, and its bundle has the browser’s fetch and no undici', async () => {
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
    inputs.filter((path) => /undici|fetch-node|\/src\//.test(path)),
    [],
  );
  const html = readFileSync(join(EXAMPLES, 'page', 'index.html'), 'utf8');
  const script = readFileSync(join(EXAMPLES, 'page', 'main.ts'), 'utf8');
  const ids = [...script.matchAll(/querySelector\('#(\w+)'\)/g)].map(([, id]) => `id="${id}"`);
  assert.ok(ids.length > 0);
  for (const wanted of [...ids, 'src="main.js"']) assert.ok(html.includes(wanted), wanted);
});

for (const name of TARGET_NAMES) {
  test(`the example of Node sends to ${name} and reads what it sent`, async () => {
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
