/** Tests the port on both loopback addresses (rule PRO-21): `localhost` may lead to ::1. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart } from '@twin-ingest/testkit/servers/failed-start.ts';
import type { RunningServer, StartOptions } from '@twin-ingest/testkit/servers/server.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const LOOPBACK: ScenarioFile = {
  name: 'loopback',
  about: 'one port on 127.0.0.1 and ::1',
  scenarios: [
    {
      name: 'localhost, 127.0.0.1 and [::1] lead to the same server',
      rules: ['PRO-21', 'PRO-01', 'SEC-01', 'SEC-02', 'STO-11'],
      uses: 'each',
      run: sameServer,
    },
    {
      name: 'a server with another --host listens only there',
      rules: ['PRO-21'],
      uses: 'each',
      run: otherHosts,
    },
    {
      name: 'a server starts on IPv4 alone when another process has the port of ::1',
      rules: ['PRO-21', 'PRO-05'],
      uses: 'each',
      run: takenByAnother,
    },
    {
      name: 'port 0 chooses a port that both addresses have',
      rules: ['PRO-21'],
      uses: 'each',
      run: chosenPort,
    },
    {
      name: 'a machine without IPv6 is no reason for a warning',
      rules: ['PRO-21'],
      uses: 'each',
      run: noIpv6,
    },
    {
      name: 'a drain ends the streams of ::1, answers its requests, and frees the port',
      rules: ['PRO-21', 'PRO-07'],
      uses: 'each',
      run: drain,
    },
    {
      name: 'both addresses share the connections',
      rules: ['PRO-21', 'HTT-12'],
      uses: 'each',
      run: sharedConnections,
    },
  ],
};

const WARNING = 'another process listens at this address, to which localhost may lead';

/** Skips a scenario on a machine that has no ::1. */
function needIpv6(context: ScenarioContext): void {
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  if (!addresses.some(({ address }) => address === '::1')) context.skip('this machine has no ::1');
}

function bothOf(port: number): string[] {
  return [`127.0.0.1:${port}`, `[::1]:${port}`];
}

async function sameServer(context: ScenarioContext): Promise<void> {
  needIpv6(context);
  const server = await context.start();
  const { port } = server;
  assert.equal(server.url, `http://127.0.0.1:${port}`);
  assert.deepEqual(server.ready.addresses, bothOf(port));
  let stored = 0;
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    const url = `http://${host}:${port}`;
    for (const origin of [undefined, url]) {
      const answer = await fetch(`${url}/api/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(origin && { origin }) },
        body: JSON.stringify(event()),
      });
      const { ids } = (await answer.json()) as { ids: readonly number[] };
      stored++;
      assert.deepEqual([answer.status, ids], [201, [stored]], `${url} with Origin ${origin}`);
    }
    const foreign = await fetch(`${url}/api/stats`, { headers: { origin: `http://[::1]:${port + 1}` } });
    assert.equal(foreign.status, 403, `${url} with the Origin of another port`);
    await foreign.body?.cancel();
  }
  for (const target of [context.target, context.other]) {
    const ended = await failedStart(target, ['--db', context.db()], context.folder);
    assert.equal(ended.code, 75);
    assert.ok(ended.stderr.includes(`pid ${server.pid} at ${server.url};`), ended.stderr);
  }
}

async function otherHosts(context: ScenarioContext): Promise<void> {
  needIpv6(context);
  for (const [host, addresses] of [
    ['127.0.0.1', bothOf],
    ['localhost', bothOf],
    ['127.0.0.2', (port: number) => [`127.0.0.2:${port}`]],
    ['::1', (port: number) => [`[::1]:${port}`]],
    ['0:0:0:0:0:0:0:1', (port: number) => [`[::1]:${port}`]],
  ] as const) {
    const server = await context.start({ flags: ['--host', host] });
    const { port, ready } = server;
    assert.deepEqual(ready.addresses, addresses(port), host);
    assert.equal(server.url, `http://${ready.addresses[0]}`);
    for (const [address, name] of [
      ['127.0.0.1', `127.0.0.1:${port}`],
      ['::1', `[::1]:${port}`],
    ] as const) {
      assert.equal(await isOpen(address, port), ready.addresses.includes(name), `${host}: ${name}`);
    }
    await server.stop();
  }
}

/** Returns whether a process listens at an address. */
async function isOpen(host: string, port: number): Promise<boolean> {
  const socket = net.connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Listens at an address for the rest of the scenario; returns the port. */
async function occupy(context: ScenarioContext, host: string): Promise<number> {
  const other = net.createServer((socket) => socket.end('other'));
  await once(other.listen({ host, port: 0, ipv6Only: host === '::1' }), 'listening');
  context.atEnd(() => other.close());
  return (other.address() as net.AddressInfo).port;
}

async function takenByAnother(context: ScenarioContext): Promise<void> {
  needIpv6(context);
  const taken = await occupy(context, '::1');
  const server = await context.start({ flags: ['--port', String(taken)] });
  assert.deepEqual(server.ready.addresses, [`127.0.0.1:${taken}`]);
  assert.equal((await context.client(server).get('/livez')).status, 200);
  const other = net.connect(taken, '::1');
  context.atEnd(() => other.destroy());
  const [bytes] = (await once(other, 'data')) as [Buffer];
  assert.equal(bytes.toString(), 'other', 'the other process keeps its port');
  const warnings = linesWith(server, WARNING);
  assert.deepEqual(
    warnings.map(({ level, address }) => [level, address]),
    [['WARN', `[::1]:${taken}`]],
  );
  await server.stop();
  const ipv4 = await occupy(context, '127.0.0.1');
  const flags = ['--db', context.db(), '--port', String(ipv4)];
  const ended = await failedStart(context.target, flags, context.folder);
  assert.equal(ended.code, 69, ended.stderr);
  assert.ok(ended.stderr.includes(`127.0.0.1:${ipv4} is already in use`), ended.stderr);
}

/** Returns the records of a server's log with this message. */
function linesWith(server: RunningServer, message: string): Record<string, unknown>[] {
  const records = server.stderr().split('\n').filter(Boolean);
  return records
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((one) => one.message === message);
}

/** Starts a server in a network of its own, which a shell prepares. Its Unix socket leads there. */
function startInNetwork(
  context: ScenarioContext,
  prepare: string,
  options: StartOptions = {},
): Promise<RunningServer> {
  return context.start({
    ...options,
    flags: ['--socket', join(context.folder, 's.sock')],
    wrapper: [...NETWORK, `${prepare}; exec "$@"`, 'sh'],
  });
}

const NETWORK = ['unshare', '--net', 'sh', '-c'];
const LOOPBACK_UP = 'ip link set lo up';

/** Skips a scenario where this process may not create a network. */
function needNetwork(context: ScenarioContext): void {
  const { status } = spawnSync(NETWORK[0]!, [
    ...NETWORK.slice(1),
    `${LOOPBACK_UP} && sysctl -n kernel.ostype`,
  ]);
  if (status !== 0) context.skip('needs Linux, root, unshare, ip and sysctl to create a network');
}

/** A few ports, of which one is free at both addresses. */
const PORTS = '40000 40007';
const FREE = 40_005;
const TAKEN: readonly (readonly [host: string, port: number])[] = [
  ['::1', 40_000],
  ['::1', 40_002],
  ['::1', 40_006],
  ['127.0.0.1', 40_001],
  ['127.0.0.1', 40_003],
  ['127.0.0.1', 40_004],
  ['127.0.0.1', 40_007],
];

/** Listens at addresses until its standard input ends. */
const OCCUPY = `
  const net = require('node:net');
  const taken = JSON.parse(process.argv[1]);
  let left = taken.length;
  const done = () => --left === 0 && console.log('listening');
  for (const [host, port] of taken) net.createServer().listen({ host, port, ipv6Only: host === '::1' }, done);
  process.stdin.on('end', () => process.exit()).resume();
`;

async function chosenPort(context: ScenarioContext): Promise<void> {
  needNetwork(context);
  needIpv6(context);
  const prepare = `${LOOPBACK_UP}; sysctl -qw net.ipv4.ip_local_port_range='${PORTS}'`;
  for (const taken of [TAKEN, [...TAKEN, ['::1', FREE]]]) {
    const holder = spawn(
      NETWORK[0]!,
      [
        ...NETWORK.slice(1),
        `${prepare}; exec "$@"`,
        'sh',
        process.execPath,
        '-e',
        OCCUPY,
        JSON.stringify(taken),
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    context.atEnd(() => holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    // The server joins the network of the holder.
    const server = await context.start({ wrapper: ['nsenter', '--net', '--target', String(holder.pid)] });
    if (taken === TAKEN) {
      assert.deepEqual(server.ready.addresses, bothOf(FREE));
      assert.deepEqual(linesWith(server, WARNING), []);
    } else {
      // No port is free at both addresses, so the tries end.
      assert.deepEqual(server.ready.addresses, [`127.0.0.1:${server.port}`]);
      assert.equal(linesWith(server, WARNING).length, 1);
    }
    await server.stop();
    holder.stdin.end();
    await once(holder, 'exit');
  }
}

async function noIpv6(context: ScenarioContext): Promise<void> {
  needNetwork(context);
  const server = await startInNetwork(
    context,
    `${LOOPBACK_UP}; sysctl -qw net.ipv6.conf.all.disable_ipv6=1 2>/dev/null || true`,
  );
  assert.deepEqual(server.ready.addresses, [`127.0.0.1:${server.port}`]);
  const client = new ApiClient(join(context.folder, 's.sock'));
  context.atEnd(() => client.close());
  assert.deepEqual((await client.ingest([event()])).ids, [1]);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.ok(!/"level":"(WARN|ERROR)"/.test(server.stderr()), server.stderr());
}

/** A connection to ::1 and what it has received. */
class Line {
  text = '';
  isEnded = false;
  readonly socket: net.Socket;

  constructor(context: ScenarioContext, port: number, host = '::1') {
    this.socket = net.connect(port, host);
    context.atEnd(() => this.socket.destroy());
    this.socket
      .on('error', () => {})
      .on('data', (bytes) => {
        this.text += bytes.toString();
      })
      .on('end', () => {
        this.isEnded = true;
      });
  }
}

async function drain(context: ScenarioContext): Promise<void> {
  needIpv6(context);
  const server = await context.start();
  const { port } = server;
  const stream = new Line(context, port);
  stream.socket.write(`GET /api/stream HTTP/1.1\r\nHost: [::1]:${port}\r\n\r\n`);
  await until(() => stream.text.includes('text/event-stream'), 'the stream has begun');
  const idle = new Line(context, port);
  const request = new Line(context, port);
  const body = JSON.stringify(event());
  request.socket.write(`POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`);
  request.socket.write(`Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
  await until(() => request.text.includes('100 Continue'), 'the request has begun');
  server.signal('SIGTERM');
  await until(() => stream.isEnded, 'the stream ends');
  await until(() => idle.isEnded || idle.socket.destroyed, 'the idle connection ends');
  assert.equal(await isOpen('::1', port), false, 'the server accepts no more');
  request.socket.write(body);
  await until(() => request.isEnded, 'the request is answered');
  assert.match(request.text, /HTTP\/1\.1 201 /);
  assert.deepEqual(await server.exited, { code: 0, signal: null }, server.stderr());
  // The server closed these connections first, so the system still remembers them.
  const next = await context.start({ target: context.other, flags: ['--port', String(port)] });
  assert.deepEqual(next.ready.addresses, bothOf(port));
}

/** Command that sets a limit of descriptors, with which a server accepts four connections (rule HTT-12). */
const FEW = 'ulimit -n 100; exec "$@"';

async function sharedConnections(context: ScenarioContext): Promise<void> {
  needIpv6(context);
  const { port } = await context.start({ wrapper: ['sh', '-c', FEW, 'sh'] });
  const taken = ['::1', '127.0.0.1', '::1', '127.0.0.1'].map((host) => new Line(context, port, host));
  for (const { socket } of taken) socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => taken.every(({ text }) => text.endsWith('{"status":"ok"}')), 'four connections');
  for (const host of ['::1', '127.0.0.1']) {
    const refused = new Line(context, port, host);
    await until(() => refused.text.includes('"code":"overloaded"'), 'the refusal');
  }
}
