/** Sends attachments, reads them back, and lists the folder that holds them. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection, compose, type Response } from '@twin-ingest/testkit/http/http-client.ts';
import { type Header, headerValues } from '@twin-ingest/testkit/http/http-parser.ts';

const DEADLINE_MS = 60_000;

/** Returns the name of a content (rule ATT-09). */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Creates an event to attach to; returns its id. */
export async function newEvent(client: ApiClient): Promise<number> {
  return (await client.ingest([event()])).ids[0]!;
}

/** Sends a request on a connection of its own; `undefined` without an answer. */
export async function exchange(
  port: number,
  method: string,
  path: string,
  body: Buffer = Buffer.alloc(0),
  headers: readonly Header[] = [],
): Promise<Response | undefined> {
  let connection: Connection;
  try {
    connection = await Connection.open(port);
  } catch {
    return undefined;
  }
  const all: Header[] = [['host', `127.0.0.1:${port}`], ...headers];
  if (method === 'PUT') all.push(['content-length', String(body.length)]);
  const answer = await connection.exchange(compose(method, path, all, body), DEADLINE_MS);
  connection.close();
  return answer.kind === 'response' ? answer.response : undefined;
}

/** Attaches bytes to an event; returns the status, `undefined` without an answer. */
export async function attach(
  port: number,
  event: number,
  name: string,
  body: Buffer,
): Promise<number | undefined> {
  return (await exchange(port, 'PUT', pathOf(event, name), body))?.status;
}

/**
 * Attaches many equal pieces. Sending them takes little CPU time of this process, so that it does not delay other
 * requests.
 */
export function attachPieces(
  port: number,
  event: number,
  name: string,
  piece: Buffer,
  count: number,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': piece.length * count };
    const upload = request({ port, method: 'PUT', path: pathOf(event, name), headers, agent: false });
    upload.on('error', reject).on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    Readable.from(Array.from({ length: count }, () => piece)).pipe(upload);
  });
}

/** Returns the bytes of an attachment; `undefined` when it does not exist. */
export async function readAttachment(port: number, name: string): Promise<Buffer | undefined> {
  const response = await exchange(port, 'GET', `/api/attachments/${name}`);
  if (response?.status !== 200) return undefined;
  const length = Number(headerValues(response.headers, 'content-length')[0]);
  return length === response.body.length ? response.body : undefined;
}

/** Sends the head of an upload and the first bytes of its body, and then nothing more. */
export async function beginUpload(
  port: number,
  event: number,
  name: string,
  length: number,
  first: Buffer,
): Promise<Connection> {
  const connection = await Connection.open(port);
  connection.write(
    `PUT ${pathOf(event, name)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${length}\r\n\r\n`,
  );
  connection.write(first);
  return connection;
}

function pathOf(event: number, name: string): string {
  return `/api/events/${event}/attachments/${name}`;
}

/**
 * Returns the files in the folder of a database's attachments, without its state, by path within it; none for a missing
 * folder.
 */
export function filesOf(db: string): string[] {
  const folder = `${db}.attachments`;
  if (!existsSync(folder)) return [];
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const isContent = (path: string): boolean =>
    !path.startsWith('state') && statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true;
  return all.filter(isContent).sort();
}

/** Returns files that are not a complete content under its own name, be it aside (rule ATT-11). */
export function brokenFilesOf(db: string): string[] {
  return filesOf(db).filter((path) => {
    const name = sha256(readFileSync(join(`${db}.attachments`, path)));
    return path !== join(name.slice(0, 2), name) && path !== join('aside', name);
  });
}

/** Attaches bodies of these sizes one after the other until the server is killed. Adds the hash of each to `acknowledged`. */
export async function uploadUntilDead(
  port: number,
  id: number,
  prefix: string,
  sizeOf: () => number,
  acknowledged: Set<string>,
): Promise<void> {
  for (let number = 0; ; number += 1) {
    const body = randomBytes(sizeOf());
    const status = await attach(port, id, `${prefix}-${number}`, body);
    if (status === undefined) return;
    assert.equal(status, 201);
    acknowledged.add(sha256(body));
  }
}

/** Checks that every acknowledged attachment exists, byte for byte. */
export async function requireAll(port: number, acknowledged: ReadonlySet<string>): Promise<void> {
  for (const name of acknowledged) {
    const bytes = await readAttachment(port, name);
    assert.equal(bytes && sha256(bytes), name, 'an acknowledged attachment');
  }
}
