/**
 * Sends records with hostile values at every path of every mapping to both servers: equal answers, equal events, and
 * bounds of time and memory.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { ApiClient, Reply } from '@twin-ingest/testkit/http/api-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import { normaliseBody } from '../src/differential/normalise.ts';
import type { HostileRequest } from '../src/hostile/pool.ts';
import { hostileRequests } from '../src/hostile/requests.ts';
import { memoryMb } from '../src/process-figures.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const HOSTILE_RECORDS: ScenarioFile = {
  name: 'hostile-records',
  about: 'hostile values at every path that a mapping reads',
  scenarios: [
    {
      name: 'hostile values become the same events, in bounded time and memory',
      rules: [
        'LAW',
        'HOK-02',
        'HOK-03',
        'OTL-02',
        'OTL-04',
        'OTL-06',
        'OTL-07',
        'OTL-08',
        'EVT-11',
        'EVT-12',
      ],
      uses: 'both',
      measures: true,
      attacks: ['X15'],
      run: hostileRecords,
    },
  ],
};

/** Requests for each one of `--requests`. */
const SHARE = 2;
/** The events are compared after this many requests. */
const COMPARED = 100;
const MOST_MS = 2_000;
const MOST_GROWN_MB = 300;

/** Flags of both servers: those of large metadata, and those with which most metadata is summarised and redacted. */
const FLAGS = [[], ['--max-metadata-bytes', '256', '--redact', 'builtin:secrets']];

async function hostileRecords(context: ScenarioContext): Promise<void> {
  const requests = hostileRequests(seededRandom(context.options.seed));
  const count = (context.options.requests * SHARE) / FLAGS.length;
  for (const [index, flags] of FLAGS.entries()) await compare(context, requests, count, String(index), flags);
}

async function compare(
  context: ScenarioContext,
  requests: Generator<HostileRequest, never>,
  count: number,
  name: string,
  flags: readonly string[],
): Promise<void> {
  const servers = await Promise.all(
    (['rs', 'ts'] as const).map((target) =>
      context.start({ target, db: context.db(`${target}-${name}.db`), flags }),
    ),
  );
  const clients = servers.map((server) => context.client(server));
  const before = servers.map(memoryOf);
  const statuses = new Map<string, number>();
  let [after, slowestMs] = [0, 0];
  for (let sent = 1; sent <= count; sent += 1) {
    const request = requests.next().value;
    const what = `request ${sent} with ${flags}: ${request.path}, ${request.what}`;
    const begun = performance.now();
    const [rs, ts] = await Promise.all(clients.map((client) => send(client, request)));
    slowestMs = Math.max(slowestMs, performance.now() - begun);
    assert.equal(ts, rs, what);
    const status = rs!.slice(0, 3);
    assert.match(status, /^(?:200|400|413)$/, `${what}: ${rs}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (sent % COMPARED === 0 || sent === count) after = await compareEvents(clients, after);
  }
  await compareState(clients);
  const grownMb = servers.map((server, at) => memoryOf(server) - before[at]!);
  const figures = `${Math.round(slowestMs)} ms at most, ${grownMb.map(Math.round).join(' and ')} MB`;
  context.note(`${count} requests (${[...statuses].join(' ')}), ${after} events, ${figures}`);
  assert.ok(after > count / 3 && statuses.has('400'), `${after} events of ${count} requests`);
  assert.ok(slowestMs < MOST_MS, figures);
  assert.ok(Math.max(...grownMb) < MOST_GROWN_MB, figures);
}

/** Returns the peak of the memory; 0 on a machine without `/proc`. */
function memoryOf({ pid }: RunningServer): number {
  return existsSync(`/proc/${pid}/status`) ? memoryMb(pid, 'VmHWM') : 0;
}

async function send(client: ApiClient, { path, type, body }: HostileRequest): Promise<string> {
  return textOf(await client.send('POST', path, body, [['content-type', type]], 60_000));
}

function textOf({ status, headers, body }: Reply): string {
  return `${status} ${headerValues(headers, 'content-type').join()} ${body.toString('latin1')}`;
}

/** Compares the events after an id; returns the id of the newest. */
async function compareEvents(clients: readonly ApiClient[], from: number): Promise<number> {
  for (let after = from; ; ) {
    const replies = await Promise.all(
      clients.map((client) => client.get(`/api/events?after=${after}&limit=1000`)),
    );
    const [rs, ts] = replies.map(({ text }) => normaliseBody(text));
    if (rs !== ts) assert.fail(firstDifference(rs!, ts!));
    const { events, next } = replies[0]!.json<{ events: { id: number }[]; next: number | null }>();
    after = events.at(-1)?.id ?? after;
    if (next === null) return after;
  }
}

/** Compares what the events have led to: sessions with their waits, the counts of telemetry, and that both live. */
async function compareState(clients: readonly ApiClient[]): Promise<void> {
  const [rs, ts] = await Promise.all(
    clients.map(async (client) => {
      assert.equal((await client.get('/livez')).status, 200);
      const { telemetry } = (await client.get('/api/health')).json<{ telemetry: unknown }>();
      const { sessions } = (await client.get('/api/sessions?limit=1000')).json<{
        sessions: { session_id: string }[];
      }>();
      // The times by which a server orders them are of its clock.
      const rows = sessions.map((row) => JSON.stringify(row)).sort();
      return normaliseBody([JSON.stringify(telemetry), ...rows].join('\n'));
    }),
  );
  if (rs !== ts) assert.fail(firstDifference(rs!, ts!));
}

function firstDifference(rs: string, ts: string): string {
  let at = 0;
  while (rs[at] === ts[at]) at += 1;
  const start = Math.max(0, rs.lastIndexOf('{"id":', at));
  const shown = (text: string): string =>
    `${text.slice(start, start + 600)}\n… ${text.slice(Math.max(start, at - 200), at + 200)}`;
  return `events differ\nrs: ${shown(rs)}\nts: ${shown(ts)}`;
}
