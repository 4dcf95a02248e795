/**
 * Tests large attachments: they take little memory and delay no other request. Memory is that of the server's own
 * process, from `/proc`.
 */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { attach, attachPieces, readAttachment, sha256 } from '../src/attachment-client.ts';
import { memoryMb, requireProc } from '../src/process-figures.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { slowestLivez } from '../src/slowest-livez.ts';

export const ATTACHMENT_MEMORY: ScenarioFile = {
  name: 'attachment-memory',
  about: 'large attachments take little memory and delay no other request',
  scenarios: [
    {
      name: 'uploads and slow downloads of 32 MiB take bounded memory',
      rules: ['ATT-04', 'ATT-07'],
      uses: 'each',
      measures: true,
      faults: ['F13'],
      run: boundedMemory,
    },
    {
      name: '/livez answers while 8 uploads of 32 MiB run',
      rules: ['ATT-04', 'HEA-02'],
      uses: 'each',
      measures: true,
      run: livezMeanwhile,
    },
  ],
};

const SIZE = 32 << 20;
const PIECE = 64 << 10;
const UPLOADS = 4;
const DOWNLOADS = 4;
/**
 * The uploads alone are 128 MB, so a server that buffers them exceeds this limit. Node keeps tens of MB of read buffers
 * until it collects them.
 */
const MOST_GROWN_MB = 120;
const MOST_LIVEZ_MS = 500;

async function boundedMemory(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start();
  const id = (await context.client(server).ingest([event()])).ids[0]!;
  const bodies = Array.from({ length: UPLOADS }, (_, at) => Buffer.alloc(SIZE, `content ${at}`));
  // At its first attachment a server loads code. That memory must not count as memory of a body.
  const first = Buffer.alloc(1 << 20);
  assert.equal(await attach(server.port, id, 'first', first), 201);
  assert.deepEqual(await readAttachment(server.port, sha256(first)), first);
  const before = memoryMb(server.pid, 'VmRSS');
  const statuses = await Promise.all(bodies.map((body, at) => attach(server.port, id, `${at}`, body)));
  assert.ok(
    statuses.every((status) => status === 201),
    statuses.join(' '),
  );
  const uploadedMb = memoryMb(server.pid, 'VmHWM') - before;
  const name = sha256(bodies[0]!);
  const slow = Array.from({ length: DOWNLOADS }, () => new SlowDownload(server.port, name));
  for (const download of slow) context.atEnd(() => download.close());
  await Promise.all(slow.map((download) => download.begun));
  // A server that reads ahead would read all of the slow downloads during these uploads.
  for (let quick = 0; quick < 2; quick += 1) {
    assert.equal(sha256((await readAttachment(server.port, name))!), name);
  }
  const grownMb = memoryMb(server.pid, 'VmHWM') - before;
  context.note(`uploads ${Math.round(uploadedMb)} MB, with downloads ${Math.round(grownMb)} MB`);
  assert.ok(grownMb < MOST_GROWN_MB, `the server grew by ${Math.round(grownMb)} MB`);
  for (const download of slow) assert.equal(await download.digest(), name, 'a slow client gets all of it');
}

/** A client that stops reading after the first bytes until the digest is requested. */
class SlowDownload {
  /** Resolves with the first bytes. */
  readonly begun: Promise<void>;
  readonly #socket: Socket;
  readonly #received: Buffer[] = [];

  constructor(port: number, name: string) {
    this.#socket = connect(port, '127.0.0.1');
    const head = [`GET /api/attachments/${name} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close'];
    this.#socket.on('error', () => {}).write(`${head.join('\r\n')}\r\n\r\n`);
    this.begun = new Promise((resolve) => {
      this.#socket.once('data', (bytes) => {
        this.#received.push(bytes);
        this.#socket.pause();
        resolve();
      });
    });
  }

  /** Reads the rest; returns the digest of the body. */
  async digest(): Promise<string> {
    this.#socket.on('data', (bytes) => this.#received.push(bytes)).resume();
    await new Promise((resolve) => this.#socket.once('close', resolve));
    const all = Buffer.concat(this.#received);
    return sha256(all.subarray(all.indexOf('\r\n\r\n') + 4));
  }

  close(): void {
    this.#socket.destroy();
  }
}

async function livezMeanwhile(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const id = (await context.client(server).ingest([event()])).ids[0]!;
  const pieces = Array.from({ length: 8 }, (_, at) => Buffer.alloc(PIECE, `content ${at}`));
  let isDone = false;
  const livez = slowestLivez(context.client(server), () => isDone);
  const begun = performance.now();
  const statuses = await Promise.all(
    pieces.map((piece, at) => attachPieces(server.port, id, `${at}`, piece, SIZE / PIECE)),
  );
  const seconds = (performance.now() - begun) / 1000;
  isDone = true;
  const slowestMs = await livez;
  context.note(`${seconds.toFixed(1)} s, /livez within ${Math.round(slowestMs)} ms`);
  assert.ok(
    statuses.every((status) => status === 201),
    statuses.join(' '),
  );
  assert.ok(slowestMs < MOST_LIVEZ_MS, `/livez took ${Math.round(slowestMs)} ms`);
}
