/**
 * Tests that each event counts at its own time (rules TIM-01 to TIM-04). History counts in its past, and live events count
 * now. Days are those of a time zone.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { fakeClock } from '../src/fake-clock.ts';
import { RECEIVERS, startReceiver, startSender, untilForwarded } from '../src/forward-pair.ts';
import { parsePrometheus, valuesOf } from '../src/prometheus-text.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const TIME: ScenarioFile = {
  name: 'time',
  about: 'each event at its own time',
  scenarios: [
    {
      name: 'an event of February is in the sums, ranges and session of February, and in nothing of today',
      rules: ['TIM-01', 'TIM-02', 'TIM-03', 'NOT-05', 'STA-05', 'SES-01'],
      uses: 'each',
      run: ofFebruary,
    },
    {
      name: 'a time before 2000 or more than five minutes ahead does not count',
      rules: ['TIM-01', 'MTR-05'],
      uses: 'each',
      run: ignoredTimes,
    },
    {
      name: 'a live source with a slow clock has a running session, and another source has history',
      rules: ['TIM-03', 'SES-02', 'SES-03'],
      uses: 'each',
      run: slowClocks,
    },
    {
      name: 'history neither ends nor reopens a session that had a live event',
      rules: ['TIM-03', 'SES-02', 'SES-03', 'WAI-03'],
      uses: 'each',
      run: lateEnds,
    },
    {
      name: 'events of a sender that was offline for three days count three days ago',
      rules: ['TIM-01', 'TIM-03', 'FWD-05'],
      uses: 'both',
      run: offlineSender,
    },
    {
      name: 'ten minutes after local midnight belong to the new day, also when the clocks change',
      rules: ['TIM-04', 'SER-01', 'SER-02', 'SER-03', 'SER-04'],
      uses: 'each',
      run: localDays,
    },
    {
      name: 'the cost of a day is that of the local day',
      rules: ['TIM-04', 'NOT-05'],
      uses: 'each',
      run: localBudget,
    },
  ],
};

interface Row {
  readonly id: number;
  readonly created_at: string;
  readonly time: string;
  readonly history: boolean;
}

interface Session {
  readonly id: string;
  readonly status: string;
  readonly started_at: string;
  readonly last_event_at: string;
  readonly live_at: string | null;
  readonly ended_at: string | null;
}

interface Stats {
  readonly total_events: number;
  readonly total_cost_usd: number;
  readonly total_sessions: number;
  readonly active_sessions: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const iso = (ms: number): string => new Date(ms).toISOString();

const get = async <T>(client: ApiClient, path: string): Promise<T> => (await client.get(path)).json<T>();

async function rowOf(client: ApiClient, fields: Readonly<Record<string, unknown>>): Promise<Row> {
  const { ids } = await client.ingest([event(fields)]);
  return get(client, `/api/events/${ids[0]}`);
}

const idsOf = async (client: ApiClient, query: string): Promise<number[]> =>
  (await get<{ events: Row[] }>(client, `/api/events?${query}`)).events.map(({ id }) => id);

const sessionsOf = async (client: ApiClient, query = ''): Promise<Session[]> =>
  (await get<{ sessions: Session[] }>(client, `/api/sessions?${query}`)).sessions;

async function ofFebruary(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--budget-usd-day', '10', '--time-zone', 'UTC'] });
  const client = context.client(server);
  const time = '2026-02-10T12:34:56.789Z';
  const now = await rowOf(client, { session_id: 'now', cost_usd: 0.25, project: 'shop' });
  const old = await rowOf(client, {
    session_id: 'old',
    cost_usd: 2.5,
    project: 'shop',
    client_timestamp: time,
  });
  assert.deepEqual([old.time, old.history, now.time, now.history], [time, true, now.created_at, false]);
  const today = `since=${now.created_at.slice(0, 10)}T00:00:00Z`;
  const february = 'since=2026-02-10T00:00:00Z&until=2026-02-11T00:00:00Z';
  assert.deepEqual([await idsOf(client, february), await idsOf(client, today)], [[old.id], [now.id]]);
  // The order of a page stays that of arrival.
  assert.deepEqual(await idsOf(client, 'since=2026-01-01T00:00:00Z'), [old.id, now.id]);
  assert.deepEqual(await idsOf(client, 'order_by=time'), [now.id, old.id]);
  for (const [range, cost, active] of [
    [february, 2.5, 0],
    [today, 0.25, 1],
    ['', 2.75, 1],
  ] as const) {
    const stats = await get<Stats>(client, `/api/stats?${range}`);
    const count = range === '' ? 2 : 1;
    assert.deepEqual(
      [stats.total_events, stats.total_cost_usd, stats.total_sessions, stats.active_sessions],
      [count, cost, count, active],
      range,
    );
    const { by_project: projects } = await get<{ by_project: unknown[] }>(client, `/api/stats/cost?${range}`);
    assert.deepEqual(
      projects.map((one) => (one as { cost_usd: number }).cost_usd),
      [cost],
      range,
    );
    // With durations the sums come from rows, else from stored sums (SER-03).
    for (const source of ['', '&durations=1']) {
      const series = await get<{ buckets: string[]; series: { cost_usd: number[] }[] }>(
        client,
        `/api/series?bucket=day&${range}${source}`,
      );
      const costs = range === '' ? [2.5, 0.25] : [cost];
      assert.deepEqual(series.series[0]!.cost_usd, costs, `${range}${source}`);
      if (range !== today) assert.equal(series.buckets[0], '2026-02-10T00:00:00.000Z');
    }
  }
  // The import of an old session does not move it to the top.
  const [first, second] = await sessionsOf(client);
  assert.deepEqual([first!.id, first!.status, second!.id, second!.status], ['now', 'active', 'old', 'ended']);
  assert.deepEqual([second!.started_at, second!.last_event_at, second!.live_at], [time, time, null]);
  assert.deepEqual(
    (await sessionsOf(client, today)).map(({ id }) => id),
    ['now'],
  );
  const { budget } = await get<{ budget: { cost_usd: number } }>(client, '/api/health');
  assert.equal(budget.cost_usd, 0.25);
  await server.stop();
}

async function ignoredTimes(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const now = Date.now();
  const cases: [string, boolean][] = [
    ['1999-12-31T23:59:59.999Z', false],
    ['0001-01-01T00:00:00Z', false],
    ['9999-12-31T23:59:59.999Z', false],
    [iso(now + LIMITS.time_ahead_ms + MINUTE_MS), false],
    [iso(now + LIMITS.time_ahead_ms - MINUTE_MS), true],
    ['2000-01-01T00:00:00.000Z', true],
    ['2000-01-01T01:00:00.000+01:00', true],
    [iso(now - 5), true],
  ];
  for (const [said, counts] of cases) {
    const { time, created_at: arrival } = await rowOf(client, { client_timestamp: said });
    assert.equal(time, counts ? iso(Date.parse(said)) : arrival, said);
  }
  const values = valuesOf(parsePrometheus((await client.get('/metrics')).text));
  assert.equal(values.get('ingest_times_ignored_total'), 4);
  await server.stop();
}

async function slowClocks(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const hourAgo = iso(Date.now() - HOUR_MS);
  const cases: [string, Readonly<Record<string, unknown>>, boolean][] = [
    ['hook', { source: 'hook', client_timestamp: hourAgo }, false],
    ['otel', { source: 'otel', client_timestamp: hourAgo }, false],
    ['api', { client_timestamp: hourAgo }, true],
    ['import', { source: 'import', client_timestamp: hourAgo }, true],
    ['import of now', { source: 'import' }, false],
    ['nine minutes', { client_timestamp: iso(Date.now() - 9 * MINUTE_MS) }, false],
    ['late hook', { source: 'hook', arrived_at: hourAgo }, true],
    ['prompt hook', { source: 'hook', arrived_at: iso(Date.now() - MINUTE_MS) }, false],
  ];
  for (const [session_id, fields, history] of cases) {
    const row = await rowOf(client, { session_id, ...fields });
    assert.equal(row.history, history, session_id);
    const { session } = await get<{ session: Session }>(
      client,
      `/api/sessions/${encodeURIComponent(session_id)}`,
    );
    assert.deepEqual(
      [session.status, session.live_at],
      history ? ['ended', null] : ['active', row.created_at],
    );
    assert.equal(session.last_event_at, row.time);
  }
  // History does not end or move a live session, and extends it into the past.
  await rowOf(client, { session_id: 'hook', source: 'import', client_timestamp: '2026-02-10T00:00:00Z' });
  const { session } = await get<{ session: Session }>(client, '/api/sessions/hook');
  assert.deepEqual(
    [session.status, session.started_at, session.last_event_at],
    ['active', '2026-02-10T00:00:00.000Z', hourAgo],
  );
  await server.stop();
}

async function lateEnds(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const hourAgo = iso(Date.now() - HOUR_MS);
  const live = { event_type: 'user_prompt' };
  const liveEnd = { event_type: 'session_end' };
  const late = { event_type: 'tool_use', client_timestamp: hourAgo };
  const lateEnd = { event_type: 'session_end', client_timestamp: hourAgo };
  const lateHookEnd = { event_type: 'session_end', source: 'hook', arrived_at: hourAgo };
  const cases: [string, readonly Readonly<Record<string, unknown>>[], status: string, isEnded: boolean][] = [
    ['an end', [live, lateEnd], 'active', false],
    ['a late hook', [live, lateHookEnd], 'active', false],
    ['an event after the end', [live, liveEnd, late], 'ended', true],
    ['an end after the end', [live, liveEnd, lateEnd], 'ended', true],
    // A session of the past ends and goes on in the order of its events.
    ['history alone', [late, lateEnd], 'ended', true],
    ['history that goes on', [late, lateEnd, late], 'ended', false],
    ['history that goes on now', [late, lateEnd, live], 'active', false],
    ['history, then late telemetry of now', [late, lateEnd, { source: 'otel' }], 'ended', true],
  ];
  for (const grouping of ['one request', 'a request each'])
    for (const [name, all, status, isEnded] of cases) {
      const session_id = `${name}, ${grouping}`;
      const events = all.map((fields) => event({ session_id, ...fields }));
      const requests = grouping === 'one request' ? [events] : events.map((one) => [one]);
      for (const request of requests) await client.ingest(request);
      const { session } = await get<{ session: Session }>(
        client,
        `/api/sessions/${encodeURIComponent(session_id)}`,
      );
      assert.deepEqual([session.status, session.ended_at !== null], [status, isEnded], session_id);
    }
  // An agent that needs an answer still needs it.
  const payload = { session_id: 'needs an answer', hook_event_name: 'PermissionRequest', tool_name: 'Bash' };
  assert.equal((await client.post('/api/hooks/claude-code', payload)).status, 200);
  await client.ingest([event({ session_id: 'needs an answer', ...lateEnd })]);
  const { session } = await get<{ session: Session }>(client, '/api/sessions/needs%20an%20answer');
  assert.equal(session.status, 'waiting');
  await server.stop();
}

async function offlineSender(context: ScenarioContext): Promise<void> {
  const { clock, env } = fakeClock(context);
  for (const target of RECEIVERS) {
    writeFileSync(clock, '-3d');
    const offline = await context.start({ db: context.db(`sender-to-${target}.db`), env });
    const sessions = ['plain', 'hook', 'own time', 'wrong time', 'wrong arrival', 'fast clock'];
    const stored = await Promise.all([
      rowOf(context.client(offline), { session_id: 'plain' }),
      rowOf(context.client(offline), { session_id: 'hook', source: 'hook' }),
      rowOf(context.client(offline), {
        session_id: 'own time',
        client_timestamp: iso(Date.now() - 3 * DAY_MS - 2 * HOUR_MS),
      }),
      rowOf(context.client(offline), { session_id: 'wrong time', client_timestamp: '1980-01-01T00:00:00Z' }),
      rowOf(context.client(offline), { session_id: 'wrong arrival', arrived_at: '1980-01-01T00:00:00Z' }),
      // When it is forwarded, this time is no longer ahead.
      rowOf(context.client(offline), {
        session_id: 'fast clock',
        client_timestamp: iso(Date.now() - 3 * DAY_MS + HOUR_MS),
      }),
    ]);
    assert.deepEqual(
      stored.map(({ history }) => history),
      [false, false, true, false, false, false],
    );
    await offline.stop();
    const receiver = await startReceiver(context, target);
    const sender = await startSender(context, target, receiver.port);
    await untilForwarded(context.client(sender));
    const client = context.client(receiver);
    for (const [at, session_id] of sessions.entries()) {
      const { session, events } = await get<{ session: Session; events: Row[] }>(
        client,
        `/api/sessions/${encodeURIComponent(session_id)}`,
      );
      assert.deepEqual([events[0]!.time, events[0]!.history], [stored[at]!.time, true], session_id);
      assert.deepEqual(
        [session.started_at, session.last_event_at, session.status],
        [stored[at]!.time, stored[at]!.time, 'ended'],
      );
    }
    const until = iso(Date.now() - 2 * DAY_MS);
    assert.equal((await get<Stats>(client, `/api/stats?until=${until}`)).total_events, 6);
    assert.equal((await get<Stats>(client, `/api/stats?since=${until}`)).total_events, 0);
    await Promise.all([sender.stop(), receiver.stop()]);
  }
}

/** Zones, each with local days (their first instants in UTC) and an instant ten minutes later. */
const MIDNIGHTS: readonly (readonly [zone: string, starts: readonly string[]])[] = [
  ['Asia/Kolkata', ['2026-02-09T18:30:00.000Z', '2026-02-10T18:30:00.000Z']],
  ['Asia/Kathmandu', ['2026-02-09T18:15:00.000Z', '2026-02-10T18:15:00.000Z']],
  // Spring and autumn: days of 23 and 25 hours.
  ['Europe/Berlin', ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']],
  ['Europe/Berlin', ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']],
  // The clocks move by 30 minutes.
  [
    'Australia/Lord_Howe',
    ['2026-04-03T13:00:00.000Z', '2026-04-04T13:00:00.000Z', '2026-04-05T13:30:00.000Z'],
  ],
  [
    'Australia/Lord_Howe',
    ['2026-10-02T13:30:00.000Z', '2026-10-03T13:30:00.000Z', '2026-10-04T13:00:00.000Z'],
  ],
  // A day that begins at 1:00.
  ['Africa/Cairo', ['2026-04-22T22:00:00.000Z', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z']],
];

async function localDays(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const starts = [...new Set(MIDNIGHTS.flatMap(([, all]) => all))].map((start) => Date.parse(start));
  const times = starts.flatMap((start) => [start - 10 * MINUTE_MS, start + 10 * MINUTE_MS]);
  await client.ingest(times.map((time) => event({ client_timestamp: iso(time), tokens_in: 1 })));
  const countIn = (from: number, to: number): number =>
    times.filter((time) => time >= from && time < to).length;
  for (const [zone, days] of MIDNIGHTS) {
    for (const source of ['', '&durations=1']) {
      // The last day ends where the next one begins, which is later than the last bound.
      const query = `bucket=day&tz=${zone}&since=${days[0]}&until=${days.at(-1)}${source}`;
      const series = await get<{ tz: string; buckets: string[]; series: { event_count: number[] }[] }>(
        client,
        `/api/series?${query}`,
      );
      assert.equal(series.tz, zone);
      const expected = days
        .slice(0, -1)
        .map((day, at) => [day, countIn(Date.parse(day), Date.parse(days[at + 1]!))]);
      assert.deepEqual(
        series.buckets.map((bucket, at) => [bucket, series.series[0]!.event_count[at]]),
        expected,
        query,
      );
    }
  }
  const monthly = await get<{ buckets: string[] }>(client, '/api/series?bucket=month&tz=Asia/Kolkata');
  assert.deepEqual(monthly.buckets, [
    '2026-01-31T18:30:00.000Z',
    '2026-02-28T18:30:00.000Z',
    '2026-03-31T18:30:00.000Z',
    '2026-09-30T18:30:00.000Z',
  ]);
  const weekly = await get<{ buckets: string[] }>(
    client,
    '/api/series?bucket=week&tz=Europe/Berlin&until=2026-03-30T00:00:00%2B02:00',
  );
  assert.deepEqual(weekly.buckets, ['2026-02-08T23:00:00.000Z', '2026-03-22T23:00:00.000Z']);
  const wrong = await client.get('/api/series?tz=Mars/Olympus');
  assert.deepEqual([wrong.status, wrong.json<{ parameter: string }>().parameter], [400, 'tz']);
  await server.stop();
}

async function localBudget(context: ScenarioContext): Promise<void> {
  for (const zone of ['Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC']) {
    const db = context.db(`${zone.replace('/', '-')}.db`);
    const server = await context.start({ db, flags: ['--budget-usd-day', '10', '--time-zone', zone] });
    const client = context.client(server);
    const budgetOf = async (): Promise<{ day: string; cost_usd: number }> =>
      (await get<{ budget: { day: string; cost_usd: number } }>(client, '/api/health')).budget;
    const { day } = await budgetOf();
    // The day's first instant, found without the table of the servers.
    const dayOf = (ms: number): string => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(ms);
    let start = Math.floor(Date.now() / (15 * MINUTE_MS)) * 15 * MINUTE_MS;
    while (dayOf(start - 1) === day) start -= 15 * MINUTE_MS;
    await client.ingest([
      event({ cost_usd: 1, client_timestamp: iso(start) }),
      event({ cost_usd: 2, client_timestamp: iso(start - 1) }),
      event({ cost_usd: 4 }),
    ]);
    const budget = await budgetOf();
    // A run over midnight has another day.
    if (budget.day === day) assert.equal(budget.cost_usd, 5, zone);
    await server.stop();
  }
}
