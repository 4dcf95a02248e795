/**
 * The check before every measurement: the same events become the same rows in every format and over every transport.
 * Every format also reads the same rows back.
 *
 * Throws `parity_difference` with the first difference.
 */

import { dirname, join } from 'node:path';
import type { Format } from '@twin-ingest/testkit/codecs/format.ts';
import { ANSWER_FORMATS, REQUEST_FORMATS } from '@twin-ingest/testkit/codecs/format.ts';
import type { TextEvent } from '@twin-ingest/testkit/codecs/json.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import { Host, type Launch } from '../run/host.ts';
import { comparable, readAnswer } from './answers.ts';
import { SERVER_FLAGS, TRANSPORTS } from './bench-server.ts';
import { type Address, Exchange } from './exchange.ts';
import { requestBytes } from './load-process.ts';
import { ingestRequests, readRequest } from './loader.ts';
import { runPipe } from './pipe.ts';
import { chunkOf, databaseIn, PIPE_FORMATS, pipeCommand } from './pipe-server.ts';
import { type EventSource, procwireEvents, sourceEvents } from './source-events.ts';

const EVENTS = 200;
const SOCKET = 'proof.sock';

export async function proveEqualRows(
  servers: readonly TargetName[],
  source: EventSource,
  launch: Launch,
): Promise<void> {
  const events = [
    ...(await sourceEvents('real', EVENTS, source)),
    ...(await sourceEvents('small', EVENTS, source)),
    ...procwireEvents(10_000, 1),
  ].map((event, i) => ({ ...event, event_id: `proof-${i}` }));
  let first: { readonly where: string; readonly rows: string } | undefined;
  const check = (where: string, rows: string) => {
    first ??= { where, rows };
    if (rows === first.rows) return;
    const at = [...rows].findIndex((char, i) => char !== first!.rows[i]);
    const near = (text: string) => text.slice(Math.max(0, at - 80), at + 80);
    const details = [near(first.rows), near(rows)];
    throw new BenchFailure(
      'parity_difference',
      `the rows of ${where} are not those of ${first.where}`,
      details,
    );
  };
  for (const name of servers) {
    for (const format of REQUEST_FORMATS) {
      for (const transport of TRANSPORTS) {
        const flags = [...SERVER_FLAGS, '--socket', SOCKET];
        const host = await Host.start(name, launch, { flags });
        const path = join(dirname(host.database), SOCKET);
        const address = transport === 'tcp' ? { port: host.port } : { path };
        const [request] = ingestRequests(format, events, events.length);
        await ask(address, requestBytes(request!));
        check(`${name} ${format} ${transport}`, await rowsOf(address, events));
        await host.stop();
        await host.discard();
      }
    }
    for (const format of PIPE_FORMATS)
      check(`${name} ${format} stdin`, await piped(name, format, events, launch));
  }
}

async function piped(
  name: TargetName,
  format: (typeof PIPE_FORMATS)[number],
  events: readonly TextEvent[],
  launch: Launch,
): Promise<string> {
  const folder = await launch.lifetime.temporaryFolder();
  const command = pipeCommand(name, format, folder.path, launch);
  const order = { command, cwd: folder.path, chunks: [chunkOf(format, events)], warm_up: 0, count: 1 };
  await launch.lifetime.orInterrupted(runPipe(order, () => undefined));
  const base = databaseIn(folder.path);
  const host = await Host.start(name, launch, { flags: SERVER_FLAGS, base });
  const rows = await rowsOf({ port: host.port }, events);
  await host.stop();
  await host.discard();
  await folder.release();
  return rows;
}

/** Returns all rows as JSON text without their times of arrival. Fails unless the other formats give the same rows. */
async function rowsOf(address: Address, events: readonly TextEvent[]): Promise<string> {
  const read = async (format: Format) => {
    const request = readRequest(format, `/api/events?order=asc&limit=${events.length}`, events.length);
    return ask(address, requestBytes(request));
  };
  const json = await read('json');
  const wanted = readAnswer('json', json).map(comparable);
  if (wanted.length !== events.length)
    throw new BenchFailure('parity_difference', `${wanted.length} of ${events.length} events are stored`);
  for (const format of ANSWER_FORMATS) {
    const found = readAnswer(format, await read(format)).map(comparable);
    const odd = wanted.findIndex((row, i) => row !== found[i]);
    if (odd < 0 && found.length === wanted.length) continue;
    const details = [wanted[odd] ?? '', found[odd] ?? ''];
    throw new BenchFailure(
      'parity_difference',
      `row ${odd} of an answer in ${format} differs from JSON`,
      details,
    );
  }
  return json.toString().replaceAll(/"(created_at|time)":"[^"]*"/g, '"$1":""');
}

async function ask(address: Address, request: Buffer): Promise<Buffer> {
  const exchange = new Exchange(address);
  const { status, body } = await exchange.send(request, true);
  exchange.close();
  if (status < 300) return body;
  throw new BenchFailure(
    'parity_difference',
    `a request was answered ${status} ${body.toString().slice(0, 300)}`,
  );
}
