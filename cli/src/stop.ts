/**
 * `twin-ingest stop --db FILE`: ends the server that holds a database, and waits for its end.
 *
 * Sends no signal: it leaves a request next to the database that only its server takes (rule STO-13). So it cannot end
 * another process, whatever pid `FILE.owner` has. Exit code: 0 no server holds it any more, 1 the request was not taken.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { COMMAND } from './command-name.ts';
import { placeOf } from './connect/options.ts';
import {
  answerOf,
  askToStop,
  databasePath,
  isLocked,
  isRunning,
  type Owner,
  ownerOf,
  withdrawStop,
} from './lifecycle/database.ts';
import { complainOf, printHelp, say } from './terminal.ts';

const complain = complainOf('stop');

const FLAGS: FlagTable<'db'> = { db: { value: 'FILE', help: 'the database' } };

const HELP = `Usage: ${COMMAND} stop --db FILE

Ends the server that holds FILE: it answers the requests that it has, closes the file and exits. Waits for that.
Does nothing when no server holds FILE, which is exit 0 also for a path that is misspelt. Ends no other process.

${flagLines(FLAGS)}
Exit code: 0 no server holds FILE, 1 the server did not end, 2 a wrong flag.
`;

/** A server takes a request within 2 s (rule STO-13). */
const TAKE_MS = 5_000;
/** A server drains within 5 s (rule PRO-07). */
const DRAIN_MS = 8_000;
const POLL_MS = 20;

/** Runs the command; returns its exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  letReadersLeave(() => undefined);
  const parsed = parseFlags(argv, FLAGS);
  if (parsed.kind === 'help') {
    printHelp(HELP);
    return 0;
  }
  const problems =
    parsed.kind === 'wrong'
      ? [...parsed.problems]
      : parsed.words.map((word) => `unexpected argument ${word}`);
  const db = parsed.kind === 'wrong' ? undefined : parsed.flags.get('db');
  if (parsed.kind !== 'wrong' && db === undefined) problems.push('--db FILE is missing');
  if (problems.length > 0 || db === undefined) {
    for (const problem of problems) complain(problem);
    return 2;
  }
  const database = databasePath(db, placeOf(process.env, process.cwd()).cwd);
  const outcome = await stop(database);
  switch (outcome.kind) {
    case 'none':
      say(`no server holds ${database}`);
      return 0;
    case 'stopped':
      say(`stopped the server with pid ${outcome.pid}`);
      return 0;
    case 'not_taken':
      complain(
        `no server took the request. ${database}.owner names pid ${outcome.pid}, which may be another program; end it yourself if it is a server`,
      );
      return 1;
    case 'silent':
      complain(`the server with pid ${outcome.pid} holds ${database} and does not answer; end it yourself`);
      return 1;
    case 'not_ended':
      complain(`the server with pid ${outcome.pid} has not ended yet`);
      return 1;
  }
}

export type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'stopped' | 'not_taken' | 'not_ended' | 'silent'; readonly pid: number };

/** Asks the server of a database to end, and waits until it has ended. */
export async function stop(database: string): Promise<Outcome> {
  const owner = ownerOf(database);
  if (owner === undefined) return { kind: 'none' };
  const { pid } = owner;
  // A crash leaves the file, and another process may have the pid by now. Only the lock tells it from a frozen server.
  const isSilent = (await answerOf(owner.url)) === 'absent';
  if (isSilent && isLocked(database) === false) return { kind: 'none' };
  askToStop(database, owner);
  const isTaken = () => !existsSync(`${database}.stop`);
  if (!(await within(TAKE_MS, () => isTaken() || !isOwner(database, owner)))) {
    withdrawStop(database);
    return { kind: isSilent && isLocked(database) ? 'silent' : 'not_taken', pid };
  }
  // A server that was ending already took none.
  withdrawStop(database);
  const hasEnded = await within(DRAIN_MS, () => !isOwner(database, owner) && !isRunning(pid));
  return { kind: hasEnded ? 'stopped' : 'not_ended', pid };
}

function isOwner(database: string, { text }: Owner): boolean {
  return ownerOf(database)?.text === text;
}

/** Returns whether a condition holds within a time. */
async function within(limitMs: number, holds: () => boolean): Promise<boolean> {
  for (const end = performance.now() + limitMs; performance.now() < end; await sleep(POLL_MS)) {
    if (holds()) return true;
  }
  return holds();
}

process.exitCode = await run(process.argv.slice(2));
