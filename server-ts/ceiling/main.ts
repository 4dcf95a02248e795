/**
 * Measures the storage ceiling: this server's own store writes events in bulk, and the timed part has no HTTP and no
 * parsing.
 *
 * A tool of the comparison, not part of the deployed server. Runs from source, with `--import ./tests/load-sql.ts`.
 *
 * Invariant: the timed part is exactly the writer's work for a group, including its rule for checkpoints. At most one
 * chunk of groups is in memory. stdout holds one line of JSON. Exits with 2 for a wrong flag, with 1 for any other
 * failure.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { Buffers } from '../src/buffers.ts';
import { nowMs } from '../src/clock.ts';
import type { Config } from '../src/config/index.ts';
import { EventTable, RawEvents } from '../src/event.ts';
import { scanBatch } from '../src/json.ts';
import { Checkpointer } from '../src/store/checkpoint.ts';
import { type Connection, openConnection } from '../src/store/connection.ts';
import { EventWriter } from '../src/store/events.ts';
import { createSchema } from '../src/store/schema.ts';
import type { Submission } from '../src/store/submission.ts';
import { validator } from '../src/validate.ts';
import { type Flags, parseFlags, WrongFlag } from './flags.ts';

/** Reads groups until their bodies have this many bytes, then stores them. */
const CHUNK_BYTES = 16 << 20;
const READ_BYTES = 1 << 20;
const LINE_FEED = 0x0a;
const FAILURE = 1;
const WRONG_FLAG = 2;

/** Counts of stored events, and the time that storing took. */
class Totals {
  events = 0;
  stored = 0;
  duplicates = 0;
  wallMs = 0;
  cpuUs = 0;
}

/** Creates a database with the schema and the pragmas of the server. Fails when the file exists. */
function makeDatabase({ db: path, durability }: Config): Connection {
  closeSync(openSync(path, 'wx', 0o600));
  const db = openConnection({ path, durability, nativeBinding: undefined });
  createSchema(db);
  return db;
}

/** Prepares a body as the pipeline does for the writer: scanned, validated, truncated. */
function prepare(body: Buffer, maxMetadataBytes: number): Submission {
  const raw = new RawEvents();
  const scan = scanBatch(body, raw, Number.MAX_SAFE_INTEGER);
  let step = scan.next();
  while (!step.done) step = scan.next();
  if (!isUtf8(body) || step.value?.isBatch !== true) throw new Error('is no batch');
  const { count } = raw;
  const table = new EventTable(body, count, new Buffers());
  const validate = validator(raw, table, maxMetadataBytes);
  for (let index = 0; index < count; index++) {
    if (validate(index) !== undefined) throw new Error('holds an invalid event');
  }
  const { extra, numbers, ints } = table;
  return { body, extra, numbers, ints, count, ascii: extra === undefined && isAscii(body) };
}

/** Stores a chunk group by group. Exactly this function is timed. */
function storeChunk(
  events: EventWriter,
  checkpointer: Checkpointer,
  chunk: readonly Submission[],
  totals: Totals,
): void {
  const started = performance.now();
  const cpu = process.cpuUsage();
  for (const group of chunk) {
    const { stored } = events.insertGroup([group], nowMs());
    checkpointer.afterGroup();
    totals.stored += stored;
    totals.duplicates += group.count - stored;
  }
  totals.wallMs += performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  totals.cpuUs += user + system;
  totals.events += chunk.reduce((sum, group) => sum + group.count, 0);
}

async function run({ groups, config }: Flags): Promise<Totals> {
  const file = openSync(groups, 'r');
  const db = makeDatabase(config);
  const options = { path: config.db, durability: config.durability, nativeBinding: undefined };
  const checkpointer = new Checkpointer(db, options, new URL('../src/main.ts', import.meta.url), {
    onCheckpoint: () => {},
    onFailure: (_, reason) => {
      throw new Error(reason);
    },
  });
  const totals = storeGroups(db, checkpointer, file, config.maxMetadataBytes);
  await checkpointer.close();
  db.close();
  closeSync(file);
  return totals;
}

function storeGroups(
  db: Connection,
  checkpointer: Checkpointer,
  file: number,
  maxMetadataBytes: number,
): Totals {
  const [events, totals] = [new EventWriter(db), new Totals()];
  let chunk: Submission[] = [];
  let bytes = 0;
  let number = 0;
  for (const body of readLines(file)) {
    number++;
    bytes += body.length;
    try {
      chunk.push(prepare(body, maxMetadataBytes));
    } catch (error) {
      throw new Error(`line ${number} ${reasonOf(error)}`);
    }
    if (bytes >= CHUNK_BYTES) {
      storeChunk(events, checkpointer, chunk, totals);
      chunk = [];
      bytes = 0;
    }
  }
  storeChunk(events, checkpointer, chunk, totals);
  return totals;
}

/** Yields the lines as bytes, each with memory of its own. */
function* readLines(file: number): Generator<Buffer> {
  const block = Buffer.allocUnsafeSlow(READ_BYTES);
  let parts: Buffer[] = [];
  for (let length = readSync(file, block); length > 0; length = readSync(file, block)) {
    let start = 0;
    for (;;) {
      const end = block.subarray(0, length).indexOf(LINE_FEED, start);
      parts.push(Buffer.from(block.subarray(start, end < 0 ? length : end)));
      if (end < 0) break;
      yield Buffer.concat(parts);
      parts = [];
      start = end + 1;
    }
  }
  const rest = Buffer.concat(parts);
  if (rest.length > 0) yield rest;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

try {
  const totals = await run(parseFlags(process.argv.slice(2)));
  const line = {
    events: totals.events,
    stored: totals.stored,
    duplicates: totals.duplicates,
    duration_ms: totals.wallMs,
    cpu_us: totals.cpuUs,
  };
  writeSync(1, `${JSON.stringify(line)}\n`);
} catch (error) {
  writeSync(2, `${reasonOf(error)}\n`);
  process.exitCode = error instanceof WrongFlag ? WRONG_FLAG : FAILURE;
}
