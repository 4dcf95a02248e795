/**
 * `pnpm demo:swap`: runs the demo while the two servers alternate on one file and one port. Each server is killed under
 * load.
 *
 * The sender, a subscriber of the stream and the dashboard continue. Each event is counted when it is sent, on the
 * stream, and as a row. A server that is started at the very end makes the last check, so that no result depends on
 * memory alone. Exits with 1 if an event was missed or doubled. The dashboard counts and shows its own events.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventRow, type OutgoingEvent, Sender, type SentEvent, streamEvents } from '@twin-ingest/client';
import { plainEvents } from './demo/agents/plain.ts';
import { openPage } from './demo/browser.ts';
import { corpusTimeline } from './demo/corpus.ts';
import { presentOf } from './demo/day.ts';
import { Delivery, type Verdict } from './demo/delivery.ts';
import { type Figures, watchFigures } from './demo/figures.ts';
import { type DemoOptions, parseDemo } from './demo/options.ts';
import { replay } from './demo/replay.ts';
import { eventIds } from './demo/rows.ts';
import { onStage, type Stage } from './demo/stage.ts';
import { grouped, StatusLine } from './demo/status-line.ts';
import { Turns } from './demo/turns.ts';
import { complainOf, printHelp } from './terminal.ts';

const complain = complainOf('demo:swap');

/** Longest time without progress of the stream after the last event was sent. */
const STILL_MS = 20_000;
const LOOK_MS = 50;
const SEED = 1;
/** Largest number of waiting events, below the sender's own limit. */
const MOST_WAITING = 5_000;

async function main(): Promise<number> {
  const parsed = parseDemo('swap', process.argv.slice(2), process.env);
  if (parsed.kind === 'help') {
    printHelp(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) complain(problem);
    return 2;
  }
  const { options } = parsed;
  return await onStage('demo:swap', ['rs', 'ts'], options.build, (stage) => demoSwap(stage, options));
}

async function demoSwap(stage: Stage, options: DemoOptions): Promise<number> {
  const { corpus, speed } = options;
  const timeline = corpus === null ? plainEvents(presentOf(SEED)) : await corpusTimeline(corpus);
  const turns = await Turns.begin(stage, options.server, options.port);
  const { baseUrl } = turns;
  const status = new StatusLine(process.stdout);
  status.say(`The servers take turns at ${baseUrl}/ (Ctrl-C ends it)`);
  if (options.open && !(await openPage(`${baseUrl}/`)))
    status.say('No browser here: open that address yourself.');

  const delivery = new Delivery();
  const onRejected = ({ event_id }: SentEvent) => delivery.rejected(event_id);
  const sender = new Sender({ baseUrl, onRejected });
  const following = new AbortController();
  const onEvent = ({ event_id }: EventRow) => delivery.streamed(String(event_id));
  // The stream starts at the first row, so that it misses none.
  const from = { epoch: await turns.epoch(), id: 0 };
  const followed = streamEvents({ baseUrl, from, signal: following.signal, onEvent });
  followed.catch(() => stage.end());

  const tell = ({ stored, clients }: Figures) => {
    const { sent, streamed, doubled, missed } = delivery.counts;
    const acknowledged = sender.counts.stored + sender.counts.duplicates;
    const counts = { sent, acknowledged, stored, streamed, doubled, missed };
    status.show(`${turns.now}  ${progressOf(counts)}  ${clients} watching  ${turns.swaps} swaps`);
  };
  // Agents continue without a server: their events wait in the sender, up to a limit.
  const play = async ({ event_id: _, ...event }: OutgoingEvent) => {
    while (sender.waiting >= MOST_WAITING && !stage.over.aborted) await sleep(LOOK_MS);
    if (stage.over.aborted) return;
    const client_timestamp = new Date().toISOString();
    delivery.sent(sender.send({ ...event, client_timestamp } as OutgoingEvent));
  };
  await Promise.all([
    stage.until(options.seconds),
    replay({ timeline, speed, play }, stage.over),
    watchFigures(baseUrl, tell, stage.over),
    takeTurns(turns, sender, options, stage, status),
  ]);

  await turns.last();
  await flushed(sender);
  await settled(delivery);
  following.abort();
  await followed;
  const verdict = delivery.judge(await eventIds(baseUrl));
  const acknowledged = sender.counts.stored + sender.counts.duplicates;
  sender.stop();
  await turns.current.stop();
  status.say(sentence({ ...verdict, acknowledged }, turns.swaps));
  return verdict.isSound ? 0 : 1;
}

/** Swaps the servers until the demo ends. Each kill happens while the sender has a request in flight. */
async function takeTurns(
  turns: Turns,
  sender: Sender,
  { interval, swaps }: DemoOptions,
  stage: Stage,
  status: StatusLine,
): Promise<void> {
  const { over } = stage;
  while (!over.aborted) {
    await sleep(interval * 1000, undefined, { signal: over }).catch(() => undefined);
    while (sender.waiting === 0 && !over.aborted) await sleep(1);
    if (over.aborted) return;
    const waiting = sender.waiting;
    const swap = await turns.swap().catch((error: unknown) => {
      // Ctrl-C at the terminal also ends a server that is starting. In that case the last server starts later.
      if (!over.aborted) throw error;
    });
    if (swap === undefined) return;
    const { killed, started, took_ms } = swap;
    status.say(
      `${killed} was killed with ${grouped(waiting)} events under way; ` +
        `${started} goes on after ${took_ms.toFixed(0)} ms`,
    );
    if (turns.swaps === swaps) stage.end();
  }
}

/** Flushes the sender, which may be waiting for its next attempt although the server is available. */
async function flushed(sender: Sender): Promise<void> {
  await Promise.race([sender.flush(), sleep(STILL_MS, undefined, { ref: false })]);
}

/** Resolves once the stream has shown every event, or makes no progress. */
async function settled(delivery: Delivery): Promise<void> {
  let streamed = -1;
  let moved_at = performance.now();
  while (!delivery.isComplete && performance.now() - moved_at < STILL_MS) {
    if (delivery.counts.streamed !== streamed) {
      streamed = delivery.counts.streamed;
      moved_at = performance.now();
    }
    await sleep(LOOK_MS);
  }
}

function progressOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${grouped(count)}`)
    .join('  ');
}

function sentence(verdict: Verdict & { readonly acknowledged: number }, swaps: number): string {
  const { sent, rejected, acknowledged, stored, streamed, doubled, missed, isSound } = verdict;
  const refused = rejected === 0 ? {} : { refused: rejected };
  const counts = progressOf({ sent, ...refused, acknowledged, stored, streamed, doubled, missed });
  return `${isSound ? 'Every event once' : 'NOT every event once'} across ${swaps} swaps: ${counts}`;
}

process.exitCode = await main();
