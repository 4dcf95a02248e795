/**
 * Sends a short sequence of every kind of write (events, attachments, telemetry, a deletion, a backup), and remembers
 * what the server acknowledged. The sequence goes on after a refusal and ends when the server is gone.
 *
 * Used by scenarios that inject faults: after the fault `requireAll` compares the memory with a server.
 */
import assert from 'node:assert/strict';
import { ApiClient, event, type Ingested, NoReplyError } from '@twin-ingest/testkit/http/api-client.ts';
import Database from 'better-sqlite3';
import { attach, readAttachment, sha256 } from './attachment-client.ts';
import { checkKeys } from './check-keys.ts';
import { checkSummaries } from './check-summaries.ts';
import { isGone } from './load.ts';

export const ROUNDS = 6;
const BATCH = 5;
const BATCHES_PER_ROUND = 4;
const DOOMED = 'doomed';

export interface Refusal {
  readonly status: number;
  readonly code: string;
}

export class MixedWork {
  /** Acknowledged events, by event_id. */
  readonly events = new Map<string, number>();
  readonly attachments = new Set<string>();
  readonly telemetry = new Set<string>();
  readonly refusals: Refusal[] = [];
  isDeletionAcknowledged = false;
  /** Whether the server ended in the middle of an answer. */
  isAnswerCut = false;
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Returns whether the server answered to the end. */
  async send(port: number, rounds = ROUNDS): Promise<boolean> {
    const client = new ApiClient(port);
    try {
      for (let round = 0; round < rounds; round += 1) await this.#round(client, port, round);
      return true;
    } catch (error) {
      if (!isGone(error)) throw error;
      this.isAnswerCut = error instanceof NoReplyError && error.answer.kind === 'garbled';
      return false;
    } finally {
      client.close();
    }
  }

  async #round(client: ApiClient, port: number, round: number): Promise<void> {
    for (let batch = 0; batch < BATCHES_PER_ROUND; batch += 1) {
      const name = `${this.#prefix}-${round}-${batch}`;
      await this.#batch(
        client,
        Array.from({ length: BATCH }, (_, at) => `${name}-${at}`),
      );
    }
    await this.#telemetry(client, `${this.#prefix}-telemetry-${round}`);
    await this.#attachment(port, round);
    if (round === 0) await this.#doomed(client);
    if (round === 2) {
      const reply = await client.send('DELETE', `/api/sessions/${DOOMED}`, undefined, []);
      if (reply.status === 200) this.isDeletionAcknowledged = true;
      else this.#refuse(reply.status, reply.text);
    }
    if (round === 3) {
      const reply = await client.post('/api/backup', {});
      if (reply.status !== 201) this.#refuse(reply.status, reply.text);
    }
  }

  async #batch(client: ApiClient, ids: readonly string[]): Promise<void> {
    const events = ids.map((id) => event({ event_id: id, metadata: { text: 'x'.repeat(500) } }));
    const reply = await client.post('/api/events/batch', { events });
    if (reply.status !== 201) return this.#refuse(reply.status, reply.text);
    reply.json<Ingested>().ids.forEach((id, at) => void this.events.set(ids[at]!, id));
  }

  async #doomed(client: ApiClient): Promise<void> {
    const events = Array.from({ length: 50 }, () => event({ session_id: DOOMED }));
    const reply = await client.post('/api/events/batch', { events });
    if (reply.status !== 201) this.#refuse(reply.status, reply.text);
  }

  /** A record of telemetry becomes an event of a session of its own. */
  async #telemetry(client: ApiClient, session: string): Promise<void> {
    const attributes = { 'session.id': session, 'event.name': 'user_prompt', 'prompt.id': session };
    const body = {
      resourceLogs: [
        {
          resource: { attributes: listed({ 'service.name': 'claude-code' }) },
          scopeLogs: [
            {
              scope: { name: 'com.anthropic.claude_code.events' },
              logRecords: [{ timeUnixNano: '1771438001231000000', attributes: listed(attributes) }],
            },
          ],
        },
      ],
    };
    const reply = await client.post('/v1/logs', body);
    if (reply.status === 200) this.telemetry.add(session);
    else this.refusals.push({ status: reply.status, code: 'telemetry' });
  }

  async #attachment(port: number, round: number): Promise<void> {
    const owner = this.events.values().next().value;
    if (owner === undefined) return;
    const bytes = Buffer.alloc(20_000, `${this.#prefix} ${round}`);
    const status = await attach(port, owner, `file-${this.#prefix}-${round}`, bytes);
    if (status === 201) this.attachments.add(sha256(bytes));
    else if (status !== undefined) this.refusals.push({ status, code: 'attachment' });
  }

  #refuse(status: number, text: string): void {
    this.refusals.push({ status, code: (JSON.parse(text) as { code: string }).code });
  }

  /** Checks that a server has everything that was acknowledged, and stores none of it again. */
  async requireAll(port: number): Promise<void> {
    const client = new ApiClient(port);
    try {
      const events = [...this.events.keys()].map((id) => event({ event_id: id }));
      for (let at = 0; at < events.length; at += 500) {
        const some = events.slice(at, at + 500);
        const reply = await client.post('/api/events/batch', { events: some });
        const { received, duplicates } = reply.json<Ingested>();
        const isAll = received === 0 && duplicates === some.length;
        assert.ok(isAll, `of ${some.length} acknowledged events some were lost: ${reply.text}`);
      }
      for (const name of this.attachments) {
        const bytes = await readAttachment(port, name);
        assert.equal(bytes && sha256(bytes), name, 'an acknowledged attachment');
      }
      for (const session of this.telemetry) {
        const { events: rows } = (await client.get(`/api/events?session_id=${session}`)).json<Page>();
        assert.equal(rows.length, 1, `the event of the telemetry ${session}`);
      }
      if (this.isDeletionAcknowledged) {
        const { events: rows } = (await client.get(`/api/events?session_id=${DOOMED}`)).json<Page>();
        assert.equal(rows.length, 0, 'a deletion was acknowledged');
      }
    } finally {
      client.close();
    }
  }
}

interface Page {
  readonly events: readonly unknown[];
}

function listed(values: Readonly<Record<string, string>>) {
  return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** Checks a file that no server uses: it is whole, its parts agree, and no event_id is there twice. */
export function requireSoundFile(file: string): void {
  const db = new Database(file, { readonly: true });
  try {
    assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
    const twice = db
      .prepare(
        'SELECT event_id FROM events_readable WHERE event_id IS NOT NULL GROUP BY event_id HAVING count(*) > 1',
      )
      .pluck()
      .all();
    assert.deepEqual(twice, [], 'events that are stored twice');
  } finally {
    db.close();
  }
  assert.deepEqual(checkKeys(file).problems, []);
  assert.deepEqual(checkSummaries(file).problems, []);
}
