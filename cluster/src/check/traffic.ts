/** Sends events and attachments to all members, reads from all, and follows the stream, until it is paused. */
import type { Random } from '@twin-ingest/testkit/random.ts';
import type { Member } from '../member.ts';
import { Attempts } from './attempts.ts';
import { Follower } from './follower.ts';
import type { History } from './history.ts';
import { Reader } from './reader.ts';
import { Sender } from './sender.ts';
import { Uploader } from './uploader.ts';

/** What a run sends at a time. */
export class Traffic {
  readonly attempts: Attempts;
  readonly follower: Follower;
  readonly uploader: Uploader;
  private readonly senders: readonly Sender[];
  private readonly readers: readonly Reader[];

  constructor(members: readonly Member[], history: History, randoms: () => Random) {
    let reads = 0;
    this.attempts = new Attempts(history);
    this.senders = members.map((home) => new Sender(home, members, this.attempts, randoms()));
    const number = (): number => ++reads;
    const random = randoms();
    // The last one moves between members, and asks for what anyone has acknowledged or it has seen.
    const moving = (seen: number) => ({
      member: random.pick(members),
      minSeq: Math.max(seen, this.attempts.newest),
    });
    this.readers = [
      ...members.map((member) => new Reader(() => ({ member, minSeq: undefined }), history, number)),
      new Reader(moving, history, number),
    ];
    this.follower = new Follower(members, history, randoms());
    this.uploader = new Uploader(members, this.attempts, history, randoms());
  }

  start(): void {
    for (const one of [...this.senders, ...this.readers, this.follower, this.uploader]) one.start();
  }

  /** Continues to send. */
  send(): void {
    for (const one of [...this.senders, this.uploader]) one.resume();
  }

  /** Stops sending; resolves when no request is in flight. */
  async pause(): Promise<void> {
    await Promise.all([...this.senders, this.uploader].map((one) => one.pause()));
  }

  /** Ends everything. */
  async stop(): Promise<void> {
    await Promise.all(
      [...this.senders, ...this.readers, this.follower, this.uploader].map((one) => one.stop()),
    );
  }
}
