/**
 * Makes a network namespace that reaches this machine over one link, as a container or another machine does.
 *
 * Skips the scenario where this is not permitted: it needs root and the program `ip`.
 */
import { spawn, spawnSync } from 'node:child_process';
import type { ScenarioContext } from './scenario.ts';

let count = 0;

/** A namespace with an address of its own, and the address of this machine as it sees it. */
export class Namespace {
  readonly here: string;
  readonly there: string;
  /** A prefix that runs a command inside. */
  readonly wrapper: readonly string[];

  constructor(context: ScenarioContext) {
    const id = `${process.pid}-${count++}`;
    const name = `ingest-${id}`;
    const [near, far] = [`in${id}a`, `in${id}b`];
    const subnet = `10.${200 + (count % 50)}.${(process.pid >> 6) % 256}`;
    const host = (process.pid % 64) * 4;
    [this.here, this.there] = [`${subnet}.${host + 1}`, `${subnet}.${host + 2}`];
    this.wrapper = ['ip', 'netns', 'exec', name];
    const made = spawnSync('ip', ['netns', 'add', name], { encoding: 'utf8' });
    if (made.status !== 0) context.skip(`no network namespace: ${made.error?.message ?? made.stderr.trim()}`);
    context.atEnd(() => void spawnSync('ip', ['netns', 'delete', name]));
    const inside = ['-netns', name];
    for (const args of [
      ['link', 'add', near, 'type', 'veth', 'peer', 'name', far],
      ['link', 'set', far, 'netns', name],
      ['address', 'add', `${this.here}/30`, 'dev', near],
      ['link', 'set', near, 'up'],
      [...inside, 'address', 'add', `${this.there}/30`, 'dev', far],
      [...inside, 'link', 'set', far, 'up'],
      [...inside, 'link', 'set', 'lo', 'up'],
    ]) {
      const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
      if (status !== 0) context.skip(`no network namespace: ip ${args.join(' ')}: ${stderr.trim()}`);
    }
  }

  /** Sends a request of the namespace to this address; returns the status and the body. */
  request(
    address: string,
    port: number,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ): readonly [status: number, body: string] {
    const script = `
      const [address, port, headers, body] = process.argv.slice(1);
      const method = body === '' ? 'GET' : 'POST';
      const options = { host: address, port, method, path: '/api/events', headers: JSON.parse(headers), agent: false };
      const request = require('node:http').request(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('end', () => console.log(JSON.stringify([response.statusCode, text])));
      });
      request.end(body);`;
    const sent = body === undefined ? '' : JSON.stringify(body);
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const args = ['-e', script, address, String(port), JSON.stringify({ ...json, ...headers }), sent];
    const [program, ...prefix] = [...this.wrapper, process.execPath];
    const { stdout, stderr } = spawnSync(program!, [...prefix, ...args], { encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as [number, string];
  }

  /** Forwards the namespace's own address to its loopback, as the far end of `ssh -L` does; returns the port. */
  async forwardLoopback(context: ScenarioContext, port: number): Promise<number> {
    const script = `
      const { connect, createServer } = require('node:net');
      const server = createServer((near) => {
        const far = connect(Number(process.argv[2]), '127.0.0.1');
        for (const socket of [near, far]) socket.on('error', () => {});
        near.pipe(far).pipe(near);
      });
      server.listen(0, process.argv[1], () => console.log(server.address().port));`;
    const [program, ...prefix] = [...this.wrapper, process.execPath];
    const relay = spawn(program!, [...prefix, '-e', script, this.there, String(port)]);
    context.atEnd(() => void relay.kill('SIGKILL'));
    return await new Promise((resolve, reject) => {
      relay.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
      relay.once('error', reject).once('exit', () => reject(new Error('the relay has ended')));
    });
  }
}
