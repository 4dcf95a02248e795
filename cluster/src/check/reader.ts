/** Reads the newest id and the number of events of one member, again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import type { Member } from '../member.ts';
import type { History } from './history.ts';
import { Loop } from './loop.ts';

const PAUSE_MS = 100;
const LIMIT_MS = 6_000;

export class Reader extends Loop {
  private readonly member: Member;
  private readonly history: History;
  private readonly number: () => number;
  private readonly client: ApiClient;

  constructor(member: Member, history: History, number: () => number) {
    super(() => this.once());
    this.member = member;
    this.history = history;
    this.number = number;
    this.client = new ApiClient(member.port);
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.client.close();
  }

  private async once(): Promise<void> {
    const { member, history } = this;
    const { name: node, copy } = member;
    const read = this.number();
    history.add({ kind: 'asked', read, node, copy });
    try {
      const page = await this.get<{ events: readonly { id: number }[] }>('/api/events?limit=1');
      const { total_events: total } = await this.get<{ total_events: number }>('/api/stats');
      // A read that spans the deletion of a copy belongs to neither.
      if (member.copy === copy) history.add({ kind: 'read', read, newest: page.events[0]?.id ?? 0, total });
    } catch {
      // The member is away. Others show whether it returns.
    }
    await sleep(PAUSE_MS);
  }

  private async get<T>(path: string): Promise<T> {
    const reply = await this.client.send('GET', path, undefined, [], LIMIT_MS);
    if (reply.status !== 200) throw new Error(`${path} is ${reply.status}`);
    return reply.json<T>();
  }
}
