/**
 * Tests the set-ups of docs/remote.md with network namespaces.
 *
 * A container reaches the server of this machine. This machine reaches servers in a namespace through a forwarded port.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { listen } from '@twin-ingest/testkit/servers/tcp-server.ts';
import { Namespace } from '../src/namespace.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const REMOTE: ScenarioFile = {
  name: 'remote',
  about: 'containers, other machines and forwarded ports',
  scenarios: [
    {
      name: 'a container reaches the server by an allowed name with the token',
      rules: ['SEC-01', 'SEC-06', 'SEC-10'],
      uses: 'each',
      run: fromContainer,
    },
    {
      name: 'a page works through a forwarded port of another machine',
      rules: ['SEC-02', 'SEC-07'],
      uses: 'each',
      run: throughTunnel,
    },
    {
      name: 'a page works through a published port of a container',
      rules: ['SEC-02', 'SEC-06', 'SEC-07'],
      uses: 'each',
      run: throughPublishedPort,
    },
  ],
};

const TOKEN = 'correct-horse-battery-staple';
const NAME = 'host.docker.internal';

async function fromContainer(context: ScenarioContext): Promise<void> {
  const container = new Namespace(context);
  const flags = ['--host', '0.0.0.0', '--token-file', tokenFile(context)];
  const closed = await context.start({ db: context.db('closed.db'), flags });
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const named = (port: number) => ({ host: `${NAME}:${port}`, ...bearer });
  const refused = container.request(container.here, closed.port, named(closed.port), event());
  assert.equal(refused[0], 403);
  assert.match(refused[1], /--allow-host host\.docker\.internal would allow it/);
  const byAddress = container.request(container.here, closed.port, bearer, event());
  assert.equal(byAddress[0], 403);
  assert.ok(byAddress[1].includes(`--allow-host ${container.here} would allow it`), byAddress[1]);

  const { port } = await context.start({ flags: [...flags, '--allow-host', NAME] });
  const send = (headers: Record<string, string>) => container.request(container.here, port, headers, event());
  assert.equal(send(named(port))[0], 201);
  assert.equal(send({ host: `${NAME}:${port}` })[0], 401);
  assert.equal(send({ ...named(port), authorization: 'Bearer another-token-of-length' })[0], 401);
  // The dashboard on that name, which browsers send no Sec-Fetch-Site to.
  assert.equal(send({ ...named(port), origin: `http://${NAME}:${port}` })[0], 201);
  assert.equal(send({ ...named(port), origin: 'http://evil.example' })[0], 403);
}

async function throughTunnel(context: ScenarioContext): Promise<void> {
  const machine = new Namespace(context);
  const server = await context.start({ wrapper: machine.wrapper });
  const far = await machine.forwardLoopback(context, server.port);
  const near = await forward(context, machine.there, far);
  for (const host of ['localhost', '127.0.0.1']) {
    const own = {
      host: `${host}:${near}`,
      origin: `http://${host}:${near}`,
      'sec-fetch-site': 'same-origin',
    };
    assert.equal(await status(near, own, event()), 201);
    assert.equal(await status(near, { ...own, origin: `http://${host}:1` }, event()), 403);
  }
  // Without the tunnel nothing answers: the server listens on the loopback of its machine.
  await assert.rejects(status(server.port, {}, undefined, machine.there));
}

async function throughPublishedPort(context: ScenarioContext): Promise<void> {
  const container = new Namespace(context);
  const flags = ['--host', '0.0.0.0', '--token-file', tokenFile(context)];
  const server = await context.start({ flags, wrapper: container.wrapper });
  const near = await forward(context, container.there, server.port);
  const own = {
    host: `localhost:${near}`,
    origin: `http://localhost:${near}`,
    'sec-fetch-site': 'same-origin',
  };
  assert.equal(await status(near, own, event()), 401);
  const cookie = await signIn(near, own.host);
  assert.equal(await status(near, { ...own, cookie }, event()), 201);
  assert.equal(await status(near, { ...own, host: 'localhost', cookie }, event()), 403);
}

/** Listens on the loopback of this machine, as `ssh -L` and `docker -p` do; returns the port. */
async function forward(context: ScenarioContext, address: string, port: number): Promise<number> {
  const relay = await listen((near) => {
    const far = connect(port, address);
    far.on('error', () => {});
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
  });
  context.atEnd(() => relay.close());
  return relay.port;
}

async function status(
  port: number,
  headers: Record<string, string>,
  body?: object,
  host = '127.0.0.1',
): Promise<number> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return await new Promise((resolve, reject) => {
    const options = { host, port, path: '/api/events', headers: { ...json, ...headers }, agent: false };
    const method = body === undefined ? 'GET' : 'POST';
    request({ ...options, method, timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Returns the cookie that the dashboard gets for the token. */
async function signIn(port: number, host: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: `/?token=${TOKEN}`, headers: { host }, agent: false };
    request(options, (response) => {
      response.resume();
      resolve(response.headers['set-cookie']![0]!.split(';')[0]!);
    })
      .on('error', reject)
      .end();
  });
}

function tokenFile(context: ScenarioContext): string {
  const file = context.db('token');
  writeFileSync(file, TOKEN, { mode: 0o600 });
  return file;
}
