/**
 * Follows the stream of events with `Last-Event-ID`, and moves to another member every few seconds or when one ends.
 *
 * A member whose copy is behind the client must not answer with `reset` (CLU-09). After one the client leaves.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SseClient } from '@twin-ingest/testkit/http/sse-client.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import type { Member } from '../member.ts';
import type { History } from './history.ts';
import { Loop } from './loop.ts';

/** A client stays at least this long, and at most six times as long. */
const STAY_MS = 500;
const LOOK_MS = 20;
const OPEN_MS = 2_000;
/** Silence after which the client takes the member for lost. Frames of statistics come every second. */
const SILENT_MS = 4_000;

export class Follower extends Loop {
  private readonly members: readonly Member[];
  private readonly history: History;
  private readonly random: Random;
  private newest = 0;
  private isOver = false;

  constructor(members: readonly Member[], history: History, random: Random) {
    super(() => this.stay());
    this.members = members;
    this.history = history;
    this.random = random;
  }

  override async stop(): Promise<void> {
    this.isOver = true;
    await super.stop();
  }

  /** Waits until the client has seen an id; returns whether it has. */
  async reached(id: number, limitMs: number): Promise<boolean> {
    const end = performance.now() + limitMs;
    while (this.newest < id && performance.now() < end) await sleep(LOOK_MS);
    return this.newest >= id;
  }

  private async stay(): Promise<void> {
    const { name: node, port } = this.random.pick(this.members);
    const headers = [['last-event-id', String(this.newest)]] as const;
    const opening = SseClient.open(port, '/api/stream', headers);
    const client = await Promise.race([opening, sleep(OPEN_MS)]);
    if (client?.head?.status !== 200) {
      void opening.then((late) => late.close());
      client?.close();
      await sleep(LOOK_MS);
      return;
    }
    this.history.add({ kind: 'moved', node, after: this.newest });
    const leaveAt = performance.now() + STAY_MS * (1 + this.random.below(6));
    let heardAt = performance.now();
    while (!client.ended && !this.isOver && performance.now() < leaveAt) {
      if (performance.now() - heardAt > SILENT_MS) break;
      const frames = client.frames.splice(0);
      if (frames.length > 0) heardAt = performance.now();
      for (const { id, data } of frames) {
        if (data === '{"type":"reset"}') {
          this.history.add({ kind: 'reset', node, after: this.newest });
          client.close();
          await sleep(LOOK_MS);
          return;
        }
        if (id !== undefined) this.see(node, Number(id), data!);
      }
      await sleep(LOOK_MS);
    }
    client.close();
  }

  private see(node: string, id: number, data: string): void {
    const { payload } = JSON.parse(data) as { payload: { event_id: string } };
    this.history.add({ kind: 'streamed', node, id, event_id: payload.event_id });
    this.newest = Math.max(this.newest, id);
  }
}
