/**
 * Measures HTTP only: the server's own listener and express's router answer batches without reading their contents.
 * With `--bare` the listener answers alone; the difference is the router's cost. It runs with `--import
 * ./tests/load-sql.ts`.
 *
 * It prints the ready line of a server and ends on SIGTERM. The difference between its throughput and the server's is
 * the cost of everything behind HTTP.
 */
import { writeSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { Connections } from './src/http/connection.ts';

const ANSWER = '{"received":50,"ids":[],"duplicates":0,"rejected":[]}';

const routes = express.Router({ caseSensitive: true, strict: true });
routes.post('/api/events/batch', answer);

function answer(request: IncomingMessage, response: ServerResponse): void {
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
  });
  request.on('end', () => {
    response.writeHead(length > 0 ? 201 : 400, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': ANSWER.length,
    });
    response.end(ANSWER);
  });
}

const connections = new Connections();
const error = await connections.listen('127.0.0.1', 0);
if (error !== undefined) throw new Error(error);
const bare = process.argv.includes('--bare');
connections.serve(
  bare
    ? answer
    : (request, response) => routes(request as never, response as never, () => response.destroy()),
);
const url = `http://127.0.0.1:${connections.portNumber}`;
const ready = { event: 'ready', url, pid: process.pid, runtime: 'node', version: '0', contract: '0' };
writeSync(1, `${JSON.stringify(ready)}\n`);
process.once('SIGTERM', () => {
  void connections.drain().then(() => process.exit(0));
  connections.cut();
});
