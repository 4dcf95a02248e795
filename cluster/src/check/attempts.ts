/** Sends single requests, and writes what becomes of them into the history. */
import { type ApiClient, event, type Ingested, type Reply } from '@twin-ingest/testkit/http/api-client.ts';
import type { Member } from '../member.ts';
import type { History } from './history.ts';

/** `unknown`: the events may be stored, so that the sender repeats them. */
export type Outcome = 'acknowledged' | 'unknown' | 'refused';

const LIMIT_MS = 6_000;
const SESSIONS = 20;

export class Attempts {
  /** The newest id that anyone has acknowledged. */
  newest = 0;
  private readonly history: History;
  private requests = 0;

  constructor(history: History) {
    this.history = history;
  }

  async send(client: ApiClient, member: Member, event_ids: readonly string[]): Promise<Outcome> {
    const { history } = this;
    const request = ++this.requests;
    const session_id = `session-${request % SESSIONS}`;
    const events = event_ids.map((event_id) =>
      event({ event_id, session_id, tokens_in: 1, metadata: { request } }),
    );
    const body = Buffer.from(JSON.stringify({ events }));
    history.add({ kind: 'sent', request, node: member.name, copy: member.copy, event_ids });
    let reply: Reply;
    try {
      reply = await client.send('POST', '/api/events/batch', body, [], LIMIT_MS);
    } catch (error) {
      history.add({ kind: 'unknown', request, why: error instanceof Error ? error.message : String(error) });
      return 'unknown';
    }
    if (reply.status === 503) {
      history.add({ kind: 'unknown', request, why: `503 ${reply.json<{ code: string }>().code}` });
      return 'unknown';
    }
    if (reply.status !== 200 && reply.status !== 201) {
      history.add({ kind: 'refused', request, why: `${reply.status} ${reply.text}` });
      return 'refused';
    }
    const { ids, duplicates } = reply.json<Ingested>();
    history.add({ kind: 'acknowledged', request, ids, duplicates });
    this.newest = Math.max(this.newest, ...ids);
    return 'acknowledged';
  }

  /** Records a member that does not work again. */
  stuck(member: Member, why: string): void {
    this.history.add({ kind: 'stuck', node: member.name, why });
  }
}
