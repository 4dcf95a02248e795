/** Waits until all copies are at the same sequence, and reads rows, statistics and attachments into the history. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import type { Member } from '../member.ts';
import type { AttachmentPlace, History, Row } from './history.ts';
import type { Uploader } from './uploader.ts';

const SETTLE_MS = 60_000;
const LOOK_MS = 50;
const LIMIT_MS = 6_000;
const PAGE = 1_000;
const SESSIONS = '/api/sessions?limit=1000';

interface Health {
  readonly cluster: { readonly applied: number; readonly waiting: number; readonly failure: string | null };
}

export class Copies {
  private readonly members: readonly Member[];
  private readonly history: History;
  private readonly clients: readonly ApiClient[];
  private readonly uploader: Uploader;
  private checked = 0;
  private checkedUploads = 0;
  /** What was read and not yet confirmed. */
  private pendingCheck: { upto: number; statistics: Record<string, string> } | undefined;

  constructor(members: readonly Member[], history: History, uploader: Uploader) {
    this.members = members;
    this.history = history;
    this.uploader = uploader;
    this.clients = members.map(({ port }) => new ApiClient(port));
  }

  close(): void {
    for (const client of this.clients) client.close();
  }

  /** Reads what is new since the last check, or everything. Returns the newest id, or `undefined` without equal copies. */
  async check(isWhole: boolean): Promise<number | undefined> {
    const end = performance.now() + SETTLE_MS;
    let states: readonly string[] = [];
    let before = '';
    while (performance.now() < end) {
      states = await Promise.all(this.clients.map(stateOf));
      const isEqual = new Set(states).size === 1 && /^\d+$/.test(states[0]!);
      // An event of a request that was given up may come late, so the same state must be seen twice.
      if (isEqual && before === states[0]) return await this.read(isWhole, Number(before));
      before = isEqual ? states[0]! : '';
      await sleep(LOOK_MS);
    }
    for (const [index, { name }] of this.members.entries())
      this.history.add({
        kind: 'stuck',
        node: name,
        why: `its copy is at ${states[index]} of ${states.join(', ')}`,
      });
    return undefined;
  }

  private async read(isWhole: boolean, upto: number): Promise<number> {
    const after = isWhole ? 0 : this.checked;
    const { history, members, clients } = this;
    const statistics: Record<string, string> = {};
    // The last upload may have been repeated since the last check.
    const places = this.uploader.sent(isWhole ? 0 : Math.max(0, this.checkedUploads - 1));
    this.checkedUploads = this.uploader.sent(0).length;
    let newest = 0;
    for (const [index, client] of clients.entries()) {
      const node = members[index]!.name;
      const rows = await rowsOf(client, after, upto);
      history.add({ kind: 'copy', node, after, upto, rows });
      history.add({ kind: 'attachments', node, found: await attachmentsOf(client, places) });
      newest = Math.max(newest, rows.at(-1)?.[0] ?? 0);
      statistics[node] = (await textOf(client, '/api/stats')) + (await textOf(client, SESSIONS));
    }
    // The caller adds `checked` when the stream has followed.
    this.pendingCheck = { upto, statistics: shortened(statistics) };
    this.checked = upto;
    return newest;
  }

  /** Ends a check. */
  confirm(): void {
    if (this.pendingCheck !== undefined) this.history.add({ kind: 'checked', ...this.pendingCheck });
    this.pendingCheck = undefined;
  }
}

/** Returns the sequence of a copy that has all messages, or why it has not. */
async function stateOf(client: ApiClient): Promise<string> {
  try {
    const { cluster } = JSON.parse(await textOf(client, '/api/health')) as Health;
    if (cluster.failure !== null) return cluster.failure;
    return cluster.waiting > 0 ? `${cluster.applied} and ${cluster.waiting} more` : String(cluster.applied);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns digests of equal statistics, and different ones as they are. */
function shortened(statistics: Readonly<Record<string, string>>): Record<string, string> {
  if (new Set(Object.values(statistics)).size > 1) return { ...statistics };
  return Object.fromEntries(Object.entries(statistics).map(([node, text]) => [node, digestOf(text)]));
}

async function rowsOf(client: ApiClient, after: number, upto: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (let next: number | null = after; next !== null; ) {
    const text = await textOf(client, `/api/events?after=${next}&limit=${PAGE}`);
    const page = JSON.parse(text) as { events: { id: number; event_id: string }[]; next: number | null };
    for (const row of page.events)
      if (row.id <= upto) rows.push([row.id, row.event_id, digestOf(JSON.stringify(row))]);
    next = page.next;
  }
  return rows;
}

/** Reads the bytes of all attachments at these places; returns the places that have one, with its digest. */
async function attachmentsOf(client: ApiClient, places: readonly AttachmentPlace[]) {
  const found: [AttachmentPlace, string][] = [];
  for (const place of places) {
    const listed = JSON.parse(await textOf(client, `/api/events/${place[0]}/attachments`)) as {
      attachments: { name: string; sha256: string }[];
    };
    const one = listed.attachments.find(({ name }) => name === place[1]);
    if (one === undefined) continue;
    const reply = await client.send('GET', `/api/attachments/${one.sha256}`, undefined, [], LIMIT_MS);
    const digest = createHash('sha256').update(reply.body).digest('hex');
    found.push([place, reply.status === 200 ? digest : `${reply.status} ${reply.text}`]);
  }
  return found;
}

async function textOf(client: ApiClient, path: string): Promise<string> {
  const reply = await client.send('GET', path, undefined, [], LIMIT_MS);
  if (reply.status !== 200) throw new Error(`${path} is ${reply.status} ${reply.text}`);
  return reply.text;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
