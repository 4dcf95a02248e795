/** Starts a sender and a receiver of forwarded events, and compares what they hold. */
import assert from 'node:assert/strict';
import { readSealedTexts } from '@twin-ingest/testkit/files/sealed-texts.ts';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import Database from 'better-sqlite3';
import { eventIdOf } from './event-id.ts';
import { parsePrometheus, valuesOf } from './prometheus-text.ts';
import { type ScenarioContext, until } from './scenario.ts';

/** The servers that receive: both twins, so that a scenario of each sender tests all four pairs. */
export const RECEIVERS: readonly TargetName[] = ['rs', 'ts'];

/** The member `forwarding` of `/api/health`. */
export interface Forwarding {
  readonly to: string;
  readonly waiting: number;
  readonly last_at: string | null;
  readonly failure: string | null;
}

type Row = Readonly<Record<string, unknown>>;

export async function forwardingOf(client: ApiClient): Promise<Forwarding> {
  return (await client.get('/api/health')).json<{ forwarding: Forwarding }>().forwarding;
}

/** Returns the numbers of forwarding in `/metrics`, without the prefix of their names. */
export async function forwardMetrics(client: ApiClient): Promise<Readonly<Record<string, number>>> {
  const values = valuesOf(parsePrometheus((await client.get('/metrics')).text));
  const own = [...values].filter(([name]) => name.startsWith('ingest_forward_'));
  return Object.fromEntries(own.map(([name, value]) => [name.slice('ingest_forward_'.length), value]));
}

/** Waits until no event waits to be forwarded. */
export async function untilForwarded(client: ApiClient, deadlineMs = 30_000): Promise<void> {
  const isDone = async (): Promise<boolean> => (await forwardingOf(client)).waiting === 0;
  await until(isDone, 'all events forwarded', deadlineMs);
}

export function startReceiver(
  context: ScenarioContext,
  target: TargetName,
  port = 0,
  flags: readonly string[] = [],
): Promise<RunningServer> {
  const all = ['--port', String(port), ...flags];
  return context.start({ target, db: context.db(`receiver-${target}.db`), flags: all });
}

/** Starts the server under test as a sender. Its database has the name of the receiver. */
export function startSender(
  context: ScenarioContext,
  to: string,
  port: number,
  flags: readonly string[] = [],
): Promise<RunningServer> {
  const url = `http://127.0.0.1:${port}`;
  return context.start({ db: senderDb(context, to), flags: ['--forward', url, ...flags] });
}

export function senderDb(context: ScenarioContext, to: string): string {
  return context.db(`sender-to-${to}.db`);
}

/** Returns all rows of a database, oldest first. */
export function rowsOf(path: string): Row[] {
  const db = new Database(path, { readonly: true });
  try {
    readSealedTexts(db);
    return db.prepare('SELECT * FROM events_readable ORDER BY id').all() as Row[];
  } finally {
    db.close();
  }
}

/** Checks that the receiver has exactly the events of the sender, each once, with equal fields (rules FWD-03 to FWD-05). */
export function compareRows(sender: string, receiver: string): number {
  const sent = rowsOf(sender);
  const origin = originOf(sender);
  const expected = byEventId(sent.map((row) => forwarded(row, origin)));
  const received = byEventId(rowsOf(receiver));
  assert.equal(received.length, expected.length, 'number of events');
  assert.deepEqual(received.map(common), expected.map(common));
  return received.length;
}

/** Returns a row as its receiver stores it. */
function forwarded(row: Row, origin: string): Row {
  const made = eventIdOf(JSON.stringify([origin, row.id, Date.parse(row.created_at as string)]));
  const { event_id = null, arrived_at = null } = row;
  return { ...row, event_id: event_id ?? made, arrived_at: arrived_at ?? row.created_at };
}

/** Returns the columns that a receiver does not give itself. */
function common(row: Row): Row {
  const { id: _id, created_at: _createdAt, computed_cost_usd: _computed, ...rest } = row;
  return rest;
}

function byEventId(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (String(a.event_id) < String(b.event_id) ? -1 : 1));
}

export function originOf(path: string): string {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare("SELECT value FROM meta WHERE key = 'forward_origin'").pluck().get() as string;
  } finally {
    db.close();
  }
}
