/**
 * Streams of events into servers with `--stdin`. Each run has a fresh process and file, and checks the number of stored
 * events.
 */
import { join } from 'node:path';
import { batchBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import type { RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import type { TextEvent } from '@twin-ingest/testkit/codecs/json.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { pinningCommand } from '../plan/placement.ts';
import type { Launch } from '../run/host.ts';
import { checkCounts, SERVER_FLAGS } from './bench-server.ts';
import { type Figures, FigureValues } from './figure.ts';
import { idsIn } from './loader.ts';
import type { Chunk } from './pipe.ts';
import type { ScenarioContext } from './scenario.ts';

export const PIPE_FORMATS = ['ndjson', 'msgpack', 'protobuf'] as const;
export type PipeFormat = Exclude<RequestFormat, 'json'>;

/** Number of warm-up events, but at most so many times the measured events. A process is slower at first. */
const WARM_UP_EVENTS = 50_000;
const MOST_WARM_UP = 2;
const LENGTH_BYTES = 4;

/** Returns one piece of the stream: lines, or a frame with its length. */
export function chunkOf(format: PipeFormat, events: readonly TextEvent[]): Chunk {
  const body = batchBody(format, events);
  const length = Buffer.alloc(format === 'ndjson' ? 0 : LENGTH_BYTES);
  if (format !== 'ndjson') length.writeUInt32BE(body.length);
  const bytes = Buffer.concat([length, body]);
  return { bytes, ids: idsIn(bytes, events), events: events.length };
}

/** Returns the command line of the server, with a database in `folder`. */
export function pipeCommand(
  name: TargetName,
  format: PipeFormat,
  folder: string,
  { contenders, placement }: Launch,
): string[] {
  const { command, args } = contenders.targets[name];
  const flags = ['--db', databaseIn(folder), '--port', '0', '--stdin', format, ...SERVER_FLAGS];
  return [...pinningCommand(placement.server_cpus), command, ...args, ...flags];
}

export function databaseIn(folder: string): string {
  return join(folder, 'events.db');
}

/** Sends `count` chunks of `batch` events each, `runs` times. */
export async function pipeThrough(
  name: TargetName,
  format: PipeFormat,
  events: readonly TextEvent[],
  batch: number,
  { count, runs }: { readonly count: number; readonly runs: number },
  { launch, loader }: Pick<ScenarioContext, 'launch' | 'loader'>,
): Promise<Figures> {
  const chunks = Array.from({ length: Math.max(1, Math.floor(events.length / batch)) }, (_, i) =>
    chunkOf(format, events.slice(i * batch, (i + 1) * batch)),
  );
  const values = new FigureValues();
  const warm_up = Math.min(count * MOST_WARM_UP, Math.ceil(WARM_UP_EVENTS / batch));
  for (let i = 0; i < runs; i++) {
    const folder = await launch.lifetime.temporaryFolder();
    const command = pipeCommand(name, format, folder.path, launch);
    const piped = await loader.pipe({ command, cwd: folder.path, chunks, warm_up, count });
    const all = piped.events + warm_up * chunks[0]!.events;
    checkCounts(name, databaseIn(folder.path), all, piped.acknowledged);
    await folder.release();
    const { events: stored, bytes, duration_ms, server_cpu_ms, client_cpu_us } = piped;
    values.add({
      events: stored,
      events_per_s: (stored / duration_ms) * 1000,
      mb_per_s: bytes / duration_ms / 1000,
      server_cpu_us_per_event: server_cpu_ms === null ? null : (server_cpu_ms * 1000) / stored,
      client_cpu_us_per_event: client_cpu_us / stored,
    });
  }
  return values.all();
}
