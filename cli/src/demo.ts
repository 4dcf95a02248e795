/**
 * `twin-ingest demo`: starts a server on a private database, plays a day of coding agents through the agents' own routes,
 * and opens the dashboard.
 *
 * It needs only the checkout and leaves nothing behind. The parts are in demo/.
 */
import { randomUUID } from 'node:crypto';
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import { tail } from '@twin-ingest/testkit/servers/server.ts';
import { openPage } from './demo/browser.ts';
import { corpusTimeline } from './demo/corpus.ts';
import { Courier } from './demo/courier.ts';
import { type Figures, watchFigures } from './demo/figures.ts';
import { type DemoOptions, parseDemo } from './demo/options.ts';
import { Play } from './demo/play.ts';
import { replay } from './demo/replay.ts';
import { onStage, type Stage } from './demo/stage.ts';
import { grouped, StatusLine } from './demo/status-line.ts';
import { type StoredWork, type WorkDone, workOf } from './demo/work-done.ts';
import { complainOf, printHelp } from './terminal.ts';

const complain = complainOf('demo');

const SEED = 1;
/** A day plays in seconds, so sessions of agents without an end event soon count as idle. */
const FLAGS = ['--session-timeout-minutes', '1'];

async function main(): Promise<number> {
  const parsed = parseDemo('demo', process.argv.slice(2), process.env);
  if (parsed.kind === 'help') {
    printHelp(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) complain(problem);
    return 2;
  }
  const { options } = parsed;
  return await onStage('demo', [options.server], options.build, (stage) => demo(stage, options));
}

async function demo(stage: Stage, options: DemoOptions): Promise<number> {
  const { corpus, speed } = options;
  const events = corpus === null ? null : await corpusTimeline(corpus);
  const server = await stage.start(options.server, options.port, FLAGS);
  const status = new StatusLine(process.stdout);
  status.say(
    `${server.target.label} shows ${corpus ?? 'a day of made-up agents'} at ${server.url}/ (Ctrl-C ends it)`,
  );
  if (options.open && !(await openPage(`${server.url}/`)))
    status.say('No browser here: open that address yourself.');

  const courier = new Courier(server.url);
  const day = new Play(courier);
  const sendAsNew = async (event: object) => {
    const client_timestamp = new Date().toISOString();
    const body = { ...event, event_id: randomUUID(), client_timestamp };
    await courier.send({ path: '/api/events', body });
  };
  let stored = 0;
  const tell = (figures: Figures) => {
    stored = figures.stored;
    const { rate, clients } = figures;
    status.show(`${progressOf(courier, stored)}  ${rate.toFixed(1)} events/s  ${clients} watching`);
  };
  void server.exited.then(() => stage.end());
  await Promise.all([
    stage.until(options.seconds),
    events === null
      ? day.day(SEED, speed, stage.over)
      : replay({ timeline: events, speed, play: sendAsNew }, stage.over),
    watchFigures(server.url, tell, stage.over),
  ]);
  const counted = await workOf(server.url).catch(() => null);
  const exit = await server.stop();
  status.say(progressOf(courier, counted?.events ?? stored));
  if (events === null && counted !== null) status.say(compared(day.done, counted));
  // A console of Windows sends its events to the server too, which then exits at once with 1.
  if (exit.code === 0 || (exit.code === 1 && process.platform === 'win32')) return 0;
  const how = exit.signal ?? `code ${exit.code}`;
  throw new Failure('server_failed', `the server ended with ${how}`, tail(server.stderr()));
}

function progressOf({ sent, refused }: Courier, stored: number): string {
  const lost = refused === 0 ? '' : `  refused ${grouped(refused)}`;
  return `sent ${grouped(sent)}  stored ${grouped(stored)}${lost}`;
}

/** Compares the agents' work with the server's counts. */
function compared(done: WorkDone, counted: StoredWork): string {
  const of = (name: string, key: keyof WorkDone) =>
    `${name} ${grouped(counted[key])} of ${grouped(done[key])}`;
  const dollars = (nanos: number) => `$${(nanos / 1e9).toFixed(2)}`;
  const cost = `cost ${dollars(counted.cost_nanos)} of ${dollars(done.cost_nanos)}`;
  const tokens = [of('tokens in', 'tokens_in'), of('tokens out', 'tokens_out')];
  return [of('calls', 'calls'), of('errors', 'errors'), ...tokens, cost].join('  ');
}

process.exitCode = await main();
