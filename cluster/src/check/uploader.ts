/**
 * Uploads attachments of acknowledged events to any member, and repeats what was not acknowledged with the same bytes.
 *
 * Most have one part in the bucket of NATS, and some have up to three (128 KiB each).
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '@twin-ingest/testkit/http/api-client.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import type { Member } from '../member.ts';
import type { Attempts, Outcome } from './attempts.ts';
import { Clients } from './clients.ts';
import type { AttachmentPlace, History } from './history.ts';
import { Loop } from './loop.ts';

const SMALL_BYTES = 8_000;
const LARGE_BYTES = 300_000;
const LARGE = 0.1;
const PAUSE_MS = 300;
const LIMIT_MS = 6_000;

export class Uploader extends Loop {
  private readonly members: readonly Member[];
  private readonly attempts: Attempts;
  private readonly history: History;
  private readonly random: Random;
  private readonly clients = new Clients();
  private readonly places: AttachmentPlace[] = [];
  private waiting: { readonly place: AttachmentPlace; readonly bytes: Buffer } | undefined;

  constructor(members: readonly Member[], attempts: Attempts, history: History, random: Random) {
    super(() => this.once());
    this.members = members;
    this.attempts = attempts;
    this.history = history;
    this.random = random;
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.clients.close();
  }

  /** Returns where attachments may be: all that were sent, from the `first` one on. */
  sent(first: number): readonly AttachmentPlace[] {
    return this.places.slice(first);
  }

  private async once(): Promise<void> {
    await sleep(this.random.below(2 * PAUSE_MS));
    if (this.attempts.newest === 0) return;
    const upload = this.waiting ?? this.next();
    const outcome = await this.put(this.random.pick(this.members), upload.place, upload.bytes);
    this.waiting = outcome === 'unknown' ? upload : undefined;
  }

  private next(): { readonly place: AttachmentPlace; readonly bytes: Buffer } {
    const name = `${this.places.length}.bin`;
    const place: AttachmentPlace = [this.attempts.newest, name];
    const bytes = 1 + this.random.below(this.random.chance(LARGE) ? LARGE_BYTES : SMALL_BYTES);
    this.places.push(place);
    return { place, bytes: Buffer.alloc(bytes, name) };
  }

  private async put({ name: node, port }: Member, place: AttachmentPlace, bytes: Buffer): Promise<Outcome> {
    const { history } = this;
    const headers = [['content-type', 'application/octet-stream']] as const;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    history.add({ kind: 'attaching', node, place, sha256 });
    const path = `/api/events/${place[0]}/attachments/${place[1]}`;
    let reply: Reply;
    try {
      reply = await this.clients.of(port).send('PUT', path, bytes, headers, LIMIT_MS);
    } catch {
      return 'unknown';
    }
    if (reply.status === 503) return 'unknown';
    const isStored = reply.status === 200 || reply.status === 201;
    if (isStored) history.add({ kind: 'attached', node, place });
    else history.add({ kind: 'attachment_refused', node, place, why: `${reply.status} ${reply.text}` });
    return isStored ? 'acknowledged' : 'refused';
  }
}
