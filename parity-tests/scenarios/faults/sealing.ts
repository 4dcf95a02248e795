/**
 * Opens the files after each single write of a server that seals metadata, as `kill -9` between two writes leaves them
 * (fault F2). Every row has its text, and the other server continues some of the files.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { readSealedTexts } from '@twin-ingest/testkit/files/sealed-texts.ts';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import Database from 'better-sqlite3';
import { runCommand } from '../../src/command-line.ts';
import { GrowingImage, writeImage } from '../../src/power-loss/image.ts';
import { removeImage } from '../../src/power-loss/recorded-run.ts';
import { LONGEST_BYTES, RECORDED, readRecording } from '../../src/power-loss/recording.ts';
import type { ScenarioContext } from '../../src/scenario.ts';
import { countSealed, untilSealed } from '../../src/sealed-file.ts';
import { recording, requireStrace } from '../../src/strace.ts';

const EVENTS = 2_100;
const BATCH = 700;
/** The other server continues after each write of this number. */
const SERVER_EVERY = 100;

export async function killWhileSealing(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const random = seededRandom(context.options.seed);
  const texts = Array.from({ length: EVENTS }, (_, at) =>
    at % 9 === 0 ? '{}' : JSON.stringify({ n: at, text: 'é x '.repeat(random.below(120)) }),
  );
  const db = context.db();
  const filling = await context.start({ db });
  const client = context.client(filling);
  for (let at = 0; at < EVENTS; at += BATCH)
    await client.ingest(
      texts.slice(at, at + BATCH).map((metadata) => event({ metadata: JSON.parse(metadata) })),
    );
  // Before the second tick, so that nothing is sealed yet or little.
  assert.deepEqual(await filling.stop(), { code: 0, signal: null });
  const image = new GrowingImage(new Map([['', readFileSync(db)]]));
  const sealedBefore = countSealed(db);

  const output = context.db('sealing.strace');
  const server = await context.start({ db, wrapper: recording(RECORDED, output, LONGEST_BYTES) });
  await untilSealed(db, EVENTS);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  const operations = readRecording(readFileSync(output, 'latin1'), db);
  rmSync(output);
  assert.ok(countSealed(db) > sealedBefore, 'the recording has a sealing');

  const killed = context.db('killed.db');
  const seen = new Set<number>();
  let writes = 0;
  for (const operation of operations) {
    if (operation.kind === 'acknowledge' || operation.kind === 'sync') continue;
    image.apply(operation);
    writeImage(image.files(), killed);
    const what = `after write ${writes + 1}, ${operation.kind} of "${operation.file}"`;
    assert.deepEqual(textsIn(killed), texts, what);
    seen.add(countSealed(killed));
    if (writes % SERVER_EVERY === 0) await continueWith(context, killed, texts, what);
    removeImage(killed);
    writes += 1;
  }
  assert.ok(seen.size > 1, 'files before and after the sealing of a block');
  context.note(`${writes} writes of ${seen.size - 1} sealed blocks, each with all ${EVENTS} texts`);
}

/** Returns the metadata of every row, oldest first. The file must be sound. */
function textsIn(file: string): string[] {
  const db = new Database(file, { fileMustExist: true });
  try {
    assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
    readSealedTexts(db);
    return db.prepare<[], string>('SELECT metadata FROM events_readable ORDER BY id').pluck().all();
  } finally {
    db.close();
  }
}

/** The other server seals what is left. */
async function continueWith(
  context: ScenarioContext,
  db: string,
  texts: readonly string[],
  what: string,
): Promise<void> {
  const server = await context.start({ db, target: context.other });
  await untilSealed(db, EVENTS);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.deepEqual(textsIn(db), texts, what);
  const verified = await runCommand(context.target, ['verify', db], { cwd: context.folder });
  assert.equal(verified.exit, 0, `${what}: ${verified.stdout}${verified.stderr}`);
}
