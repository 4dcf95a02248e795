/** Reads the newest id and the number of events, again and again: of one member, or of any with `min_seq`. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from '../member.ts';
import { Clients } from './clients.ts';
import type { History } from './history.ts';
import { Loop } from './loop.ts';

const PAUSE_MS = 100;
const LIMIT_MS = 6_000;

/** What a reader asks for next. */
export interface Question {
  readonly member: Member;
  /** The newest id that the client knows; `undefined` for a client without `min_seq`. */
  readonly minSeq: number | undefined;
}

export class Reader extends Loop {
  private readonly next: (seen: number) => Question;
  private readonly history: History;
  private readonly number: () => number;
  private readonly clients = new Clients();
  private seen = 0;

  /**
   * @param next chooses by the newest id that this reader has seen
   * @param number counts the reads of all readers
   */
  constructor(next: (seen: number) => Question, history: History, number: () => number) {
    super(() => this.once());
    this.next = next;
    this.history = history;
    this.number = number;
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.clients.close();
  }

  private async once(): Promise<void> {
    const { history } = this;
    const { member, minSeq } = this.next(this.seen);
    const { name: node, copy, port } = member;
    const read = this.number();
    history.add({ kind: 'asked', read, node, copy, min_seq: minSeq });
    const query = minSeq === undefined ? '' : `min_seq=${minSeq}`;
    try {
      // The newest id comes last. So it is never older than the number, and the next `min_seq` covers both.
      const { total_events: total } = await this.get<{ total_events: number }>(port, `/api/stats?${query}`);
      const page = await this.get<{ events: readonly { id: number }[] }>(
        port,
        `/api/events?limit=1&${query}`,
      );
      // A read that spans the deletion of a copy belongs to neither.
      if (member.copy === copy) {
        const newest = page.events[0]?.id ?? 0;
        history.add({ kind: 'read', read, newest, total });
        this.seen = Math.max(this.seen, newest);
      }
    } catch {
      // The member is away or behind. Others show whether it returns.
    }
    await sleep(PAUSE_MS);
  }

  private async get<T>(port: number, path: string): Promise<T> {
    const reply = await this.clients.of(port).send('GET', path, undefined, [], LIMIT_MS);
    if (reply.status !== 200) throw new Error(`${path} is ${reply.status}`);
    return reply.json<T>();
  }
}
