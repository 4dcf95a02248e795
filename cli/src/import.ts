/**
 * `twin-ingest import AGENT`: sends what an agent's transcripts hold to a server.
 *
 * Invariant: it reads transcripts and never changes them. The parts are in import/.
 */
import { existsSync } from 'node:fs';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { absence } from './connect/reachability.ts';
import { StatusLine } from './demo/status-line.ts';
import { askServer, type ServerState } from './doctor/server.ts';
import { familiesOf, type TranscriptFile, transcriptsAt } from './import/files.ts';
import { Importer, UnsentError } from './import/importer.ts';
import { type ImportOptions, parseImport } from './import/options.ts';
import { progressText } from './import/progress.ts';
import { firstInstant } from './import/since.ts';
import { Tally } from './import/tally.ts';
import { reasonOf } from './request.ts';
import { complainOf, printHelp, say } from './terminal.ts';

const complain = complainOf('import');

letReadersLeave(() => undefined);

async function main(): Promise<number> {
  const parsed = parseImport(process.argv.slice(2), process.env, process.cwd());
  if (parsed.kind === 'help') {
    printHelp(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) complain(problem);
    return 2;
  }
  try {
    return await importAll(parsed.options);
  } catch (error) {
    const { origin } = parsed.options;
    const again = 'run it again later, which adds only what is missing';
    complain(
      error instanceof UnsentError
        ? `stopped: ${origin} took no more (${error.message}); ${again}`
        : reasonOf(error, 0),
    );
    return 1;
  }
}

async function importAll(options: ImportOptions): Promise<number> {
  const { mapping, origin, token, dryRun } = options;
  const state = await askServer(origin, token ?? null);
  const isThere = dryRun ? state.kind === 'answers' : isReady(origin, state);
  if (!isThere && !dryRun) return 1;
  const since = firstInstant(options.since, state.kind === 'answers' ? state.health.time_zone : undefined);
  const found = transcriptsIn(options);
  if (found === null) return 1;
  const files = found.filter(({ changed }) => changed >= since);
  const families = familiesOf(files, mapping);
  const whole = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const tally = new Tally();
  const status = new StatusLine(process.stderr);
  const server = token === undefined ? { baseUrl: origin } : { baseUrl: origin, token };
  const begun = performance.now();
  let shown = begun;
  const progress = () => {
    const now = performance.now();
    if (now - shown < 100) return;
    shown = now;
    status.show(progressText(tally, whole, now - begun, process.stderr.columns));
  };
  const importer = new Importer({ mapping, server, since, dryRun, asks: isThere, tally, progress });
  try {
    for (const family of families) await importer.import(family);
    await importer.finish();
  } finally {
    importer.stop();
    status.clear();
    for (const line of tally.problemLines()) complain(line);
    for (const line of tally.summary(importer.counts, dryRun)) say(line);
    if (!isThere) say(`${origin} does not answer, so what it has counts as new.`);
  }
  return tally.isIncomplete ? 1 : 0;
}

/** Returns the transcripts; `null` after a message that a path does not exist. */
function transcriptsIn({ label, paths }: ImportOptions): readonly TranscriptFile[] | null {
  const elsewhere = 'other files and folders can be given as PATH';
  const missing = paths.filter((path) => !existsSync(path));
  for (const path of missing) complain(`no transcripts of ${label}: ${path} does not exist; ${elsewhere}`);
  if (missing.length > 0) return null;
  const found = transcriptsAt(paths);
  if (found.length === 0)
    complain(`no transcripts of ${label}: ${paths.join(', ')} has no file *.jsonl; ${elsewhere}`);
  return found;
}

/** Returns whether the server takes events; otherwise names the reason. */
function isReady(origin: string, state: ServerState): boolean {
  if (state.kind === 'answers') return true;
  if (state.kind === 'locked')
    complain(`${origin} refuses the token; --token-file names the file of the server`);
  else complain(absence(origin, state));
  return false;
}

process.exitCode = await main();
