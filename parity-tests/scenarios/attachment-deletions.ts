/** Tests deletions of events with many attachments: how long other events wait, and what an upload meanwhile keeps. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import Database from 'better-sqlite3';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import { attach, filesOf, newEvent, readAttachment, sha256 } from '../src/attachment-client.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { injecting, requireStrace } from '../src/strace.ts';

const SCOPES = ['before', 'session'] as const;

export const ATTACHMENT_DELETIONS: ScenarioFile = {
  name: 'attachment-deletions',
  about: 'deletions of events with many attachments',
  scenarios: [
    ...SCOPES.map((scope) => ({
      name: `an event with thousands of attachments does not stop the writer (${scope})`,
      rules: ['RET-05', 'RET-06'],
      attacks: ['X4'] as const,
      uses: 'each' as const,
      measures: true,
      run: (context: ScenarioContext) => manyAttachments(context, scope),
    })),
    ...SCOPES.map((scope) => ({
      name: `on a slow disk no event waits for all files of a step (${scope})`,
      rules: ['RET-05'],
      attacks: ['X4'] as const,
      uses: 'each' as const,
      measures: true,
      run: (context: ScenarioContext) => slowDisk(context, scope),
    })),
    {
      name: 'an upload during the removal keeps its content, and its bytes count once',
      rules: ['RET-05', 'RET-06', 'ATT-04'],
      attacks: ['X4'],
      uses: 'each',
      run: uploadMeanwhile,
    },
    {
      name: 'a stop during the removal leaves no file',
      rules: ['RET-05', 'ATT-09'],
      uses: 'each',
      run: stopMeanwhile,
    },
  ],
};

/** No other event may wait longer for a deletion. */
const MOST_WAIT_MS = 100;
const DELETIONS = 3;
const MANY = 2_000;

/**
 * The longest wait of each deletion is the sum of a step and of what else the machine does. A busy machine delays some
 * deletions, and a step that is too long all of them. So the bound holds for the best one.
 */
async function manyAttachments(context: ScenarioContext, scope: Scope): Promise<void> {
  const server = await startWithAttachments(context, DELETIONS, MANY);
  const slowest: number[] = [];
  for (let at = 0; at < DELETIONS; at++) {
    const waits = await waitsDuring(context, server, scope, at);
    const events = MANY / LIMITS.retention_step_attachments / 4;
    assert.ok(waits.length >= events, `${waits.length} events meanwhile`);
    slowest.push(Math.round(Math.max(...waits)));
  }
  assert.deepEqual(filesOf(context.db()), [], 'no file is left');
  context.note(`the longest wait of each deletion: ${slowest.join(', ')} ms`);
  assert.ok(Math.min(...slowest) < MOST_WAIT_MS, `events waited ${slowest} ms`);
}

/** A step removes this many files, so an event that waits for all of them waits for three times the bound. */
const SLOW = LIMITS.retention_step_attachments;
const REMOVAL_MS = 10;

async function slowDisk(context: ScenarioContext, scope: Scope): Promise<void> {
  requireStrace(context);
  const server = await startWithAttachments(context, DELETIONS, SLOW, REMOVAL_MS);
  const slowest: number[] = [];
  for (let at = 0; at < DELETIONS; at++) {
    const begun = performance.now();
    const waits = await waitsDuring(context, server, scope, at);
    const tookMs = performance.now() - begun;
    assert.ok(tookMs > SLOW * REMOVAL_MS, `the deletion took only ${tookMs} ms, so the disk was not slow`);
    slowest.push(Math.round(Math.max(...waits)));
  }
  assert.deepEqual(filesOf(context.db()), [], 'the answer comes after the last file');
  context.note(`the longest wait of each deletion: ${slowest.join(', ')} ms`);
  assert.ok(Math.min(...slowest) < MOST_WAIT_MS, `events waited ${slowest} ms`);
}

/** All contents come again while the server removes their files. */
async function uploadMeanwhile(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const room = SLOW + 1;
  const server = await startWithAttachments(context, 1, SLOW, 3 * REMOVAL_MS, [
    '--attachments-bytes',
    String(room * LIMITS.attachment_block_bytes),
    '--max-attachment-bytes',
    String(LIMITS.attachment_block_bytes),
  ]);
  const client = context.client(server);
  const id = await newEvent(client);
  let isDone = false;
  const deletion = client.send('DELETE', pathOf('session', 0), undefined, [], 60_000).then(({ status }) => {
    isDone = true;
    return status;
  });
  await until(() => filesOf(context.db()).length < SLOW, 'the first removed file');
  const bodies = Array.from({ length: SLOW }, (_, at) => Buffer.from(contentOf(0, at)));
  assert.ok(!isDone && filesOf(context.db()).length > SLOW / 2, 'most files are not removed yet');
  const uploads = bodies.map((body, at) => attach(server.port, id, `again-${at}`, body));
  assert.deepEqual(new Set(await Promise.all(uploads)), new Set([201]));
  assert.equal(await deletion, 200);
  for (const body of bodies) assert.deepEqual(await readAttachment(server.port, sha256(body)), body);
  assert.equal(
    await attach(server.port, id, 'last', Buffer.from('last')),
    201,
    'bytes of deleted ones are free',
  );
  assert.equal(await attach(server.port, id, 'more', Buffer.from('more')), 507, 'bytes of new ones are not');
  assert.equal(filesOf(context.db()).length, room);
}

async function stopMeanwhile(context: ScenarioContext): Promise<void> {
  requireStrace(context);
  const server = await startWithAttachments(context, 1, SLOW, 3 * REMOVAL_MS);
  const client = context.client(server);
  const deletion = client.send('DELETE', pathOf('session', 0), undefined, [], 60_000).catch(() => undefined);
  await until(() => filesOf(context.db()).length < SLOW, 'the first removed file');
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  await deletion;
  assert.deepEqual(filesOf(context.db()), []);
}

type Scope = (typeof SCOPES)[number];

/** Returns the path that deletes this session, or all events up to its own. The events have the ids 1, 2, 3 and so on. */
function pathOf(scope: Scope, at: number): string {
  return scope === 'before' ? `/api/events?before=${at + 2}` : `/api/sessions/s${at}`;
}

/**
 * Starts a server whose first events have a session and `count` attachments each. The removal of a file takes
 * `removalMs` longer than on this disk.
 */
async function startWithAttachments(
  context: ScenarioContext,
  events: number,
  count: number,
  removalMs = 0,
  flags: readonly string[] = [],
): Promise<RunningServer> {
  const first = await context.start();
  const sessions = Array.from({ length: events }, (_, at) => event({ session_id: `s${at}` }));
  const { ids } = await context.client(first).ingest(sessions);
  await first.stop();
  for (const [at, id] of ids.entries()) addAttachments(context.db(), id, at, count);
  const effect = `delay_enter=${removalMs * 1_000}`;
  const wrapper = injecting({ calls: 'unlink,unlinkat', effect, when: '1+' });
  return context.start({ flags, ...(removalMs > 0 && { wrapper }) });
}

/** Returns how long each event waited that a client sent during a deletion, one after the other. */
async function waitsDuring(
  context: ScenarioContext,
  server: RunningServer,
  scope: Scope,
  at: number,
): Promise<number[]> {
  const writer = context.client(server);
  const waits: number[] = [];
  let isDone = false;
  const writing = (async () => {
    while (!isDone) {
      const begun = performance.now();
      assert.equal((await writer.post('/api/events', event())).status, 201);
      waits.push(performance.now() - begun);
    }
  })();
  const reply = await context.client(server).send('DELETE', pathOf(scope, at), undefined, [], 60_000);
  isDone = true;
  await writing;
  assert.equal(reply.json<{ deleted: number }>().deleted, 1, reply.text);
  return waits;
}

function contentOf(of: number, at: number): string {
  return `content ${of} ${at}`;
}

/** Adds attachments to an event, as uploads of different contents would. */
function addAttachments(path: string, id: number, of: number, count: number): void {
  const db = new Database(path);
  const insert = db.prepare(
    "INSERT INTO attachments (event, name, sha256, size, media_type, created_at) VALUES (?, ?, ?, ?, 'text/plain', 0)",
  );
  db.transaction(() => {
    for (let at = 0; at < count; at++) {
      const content = Buffer.from(contentOf(of, at));
      const name = sha256(content);
      const folder = join(`${path}.attachments`, name.slice(0, 2));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, name), content);
      insert.run(id, `a${at}`, Buffer.from(name, 'hex'), content.length);
    }
  })();
  db.close();
}
