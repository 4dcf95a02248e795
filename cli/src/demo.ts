/**
 * `pnpm demo`: a server on a database of its own, coding agents played into it as they work, and the page that shows
 * them.
 *
 * Needs nothing but the checkout; leaves nothing behind. The parts are in demo/.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Sender } from '@twin-ingest/client';
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import { tail } from '@twin-ingest/testkit/servers/server.ts';
import { openPage } from './demo/browser.ts';
import { corpusTimeline } from './demo/corpus.ts';
import { type Figures, watchFigures } from './demo/figures.ts';
import { type DemoOptions, parseDemo } from './demo/options.ts';
import { replay } from './demo/replay.ts';
import { madeUpSessions } from './demo/sessions.ts';
import { onStage, type Stage } from './demo/stage.ts';
import { grouped, StatusLine } from './demo/status-line.ts';

/** What is under way at the end may take this long. */
const FLUSH_MS = 1_000;

async function main(): Promise<number> {
  const parsed = parseDemo('demo', process.argv.slice(2), process.env);
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) process.stderr.write(`demo: ${problem}\n`);
    return 2;
  }
  const { options } = parsed;
  return await onStage('demo', [options.server], options.build, (stage) => demo(stage, options));
}

async function demo(stage: Stage, options: DemoOptions): Promise<number> {
  const { corpus } = options;
  const timeline = corpus === null ? madeUpSessions(1) : await corpusTimeline(corpus);
  const server = await stage.start(options.server, options.port);
  const status = new StatusLine(process.stdout);
  status.say(
    `${server.target.label} shows ${corpus ?? 'made-up sessions'} at ${server.url}/ (Ctrl-C ends it)`,
  );
  if (options.open && !(await openPage(`${server.url}/`)))
    status.say('No browser here: open that address yourself.');

  let sent = 0;
  let rejected = 0;
  const sender = new Sender({ baseUrl: server.url, onRejected: () => rejected++ });
  const tell = ({ stored, rate, clients }: Figures) =>
    status.show(`${told(sent, stored, rejected)}  ${rate.toFixed(1)} events/s  ${clients} watching`);
  void server.exited.then(() => stage.end());
  await Promise.all([
    stage.until(options.seconds),
    replay({ sender, timeline, speed: options.speed, onSent: () => sent++ }, stage.over),
    watchFigures(server.url, tell, stage.over),
  ]);
  // What is under way arrives, unless the server is gone: a terminal tells it of Ctrl-C too.
  const flushed = sender.flush().catch(() => undefined);
  await Promise.race([flushed, server.exited, sleep(FLUSH_MS, undefined, { ref: false })]);
  const { stored, duplicates } = sender.counts;
  sender.stop();
  const exit = await server.stop();
  status.say(told(sent, stored + duplicates, rejected));
  // Told twice, by the terminal and from here, it ends at once with 1.
  if (exit.code === 0 || (exit.code === 1 && process.stdin.isTTY)) return 0;
  const how = exit.signal ?? `code ${exit.code}`;
  throw new Failure('server_failed', `the server ended with ${how}`, tail(server.stderr()));
}

function told(sent: number, stored: number, rejected: number): string {
  const refused = rejected === 0 ? '' : `  refused ${grouped(rejected)}`;
  return `sent ${grouped(sent)}  stored ${grouped(stored)}${refused}`;
}

process.exitCode = await main();
