/**
 * Sends batches of events, mostly to one member, and repeats what was not acknowledged with the same ids.
 *
 * A part of the repetitions goes to another member, and a few acknowledged batches are sent again on purpose.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@twin-ingest/testkit/random.ts';
import type { Member } from '../member.ts';
import type { Attempts } from './attempts.ts';
import { Clients } from './clients.ts';
import { Loop } from './loop.ts';

const LARGEST_BATCH = 5;
const ELSEWHERE = 0.25;
const AGAIN = 0.05;
/** The pause between two requests, so that the machine is not at saturation. */
const PAUSE_MS = 40;
const RETRY_MS = 150;

export class Sender extends Loop {
  private readonly home: Member;
  private readonly members: readonly Member[];
  private readonly attempts: Attempts;
  private readonly random: Random;
  private readonly clients = new Clients();
  private batches = 0;
  private waiting: readonly string[] | undefined;
  private confirmed: readonly string[] | undefined;

  constructor(home: Member, members: readonly Member[], attempts: Attempts, random: Random) {
    super(() => this.once());
    this.home = home;
    this.members = members;
    this.attempts = attempts;
    this.random = random;
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.clients.close();
  }

  private async once(): Promise<void> {
    const { random } = this;
    const isRepetition = this.waiting !== undefined;
    const member = random.chance(ELSEWHERE) ? random.pick(this.members) : this.home;
    const batch = this.waiting ?? this.next();
    const outcome = await this.attempts.send(this.clients.of(member.port), member, batch);
    this.waiting = outcome === 'unknown' ? batch : undefined;
    if (outcome === 'acknowledged') this.confirmed = batch;
    await sleep(random.below(2 * (isRepetition ? RETRY_MS : PAUSE_MS)));
  }

  private next(): readonly string[] {
    if (this.confirmed !== undefined && this.random.chance(AGAIN)) return this.confirmed;
    this.batches += 1;
    const count = 1 + this.random.below(LARGEST_BATCH);
    return Array.from({ length: count }, (_, index) => `${this.home.name}-${this.batches}-${index}`);
  }
}
