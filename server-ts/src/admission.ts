/**
 * What may wait for the writer, by events and by bytes (rule ING-10), and turns for the work on large bodies.
 *
 * A request without room waits in the order of arrival, for a bounded time. Its body stays unread in the kernel
 * meanwhile, so a client that retries at once costs a waiting connection and no work (decision 40).
 * Invariant: bodies take at most `--queue-bytes`, and one largest body for each turn while it is inflated.
 */
import { LIMITS } from './contract.ts';
import { Failure } from './error.ts';

/** Places of one kind, given to those who wait in the order of arrival. */
class Room {
  private free: number;
  private readonly waiting = new Set<Waiting>();

  constructor(places: number) {
    this.free = places;
  }

  /** Takes places at once, unless there are too few or another request waits. */
  take(count: number): boolean {
    if (this.waiting.size > 0 || count > this.free) return false;
    this.free -= count;
    return true;
  }

  /** Takes places as soon as there are enough; whether that was within `ms`. */
  wait(count: number, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isTaken: boolean): void => {
        clearTimeout(timer);
        this.waiting.delete(waiting);
        resolve(isTaken);
      };
      const timer = setTimeout(() => {
        settle(false);
        // A request behind this one may need fewer places.
        this.give(0);
      }, ms);
      const waiting: Waiting = { count, settle };
      this.waiting.add(waiting);
    });
  }

  give(count: number): void {
    this.free += count;
    for (const { count: wanted, settle } of this.waiting) {
      if (wanted > this.free) return;
      this.free -= wanted;
      settle(true);
    }
  }
}

interface Waiting {
  readonly count: number;
  readonly settle: (isTaken: boolean) => void;
}

/** As long as a timer of Node can be: turns end by themselves. */
const UNBOUNDED_MS = 2 ** 31 - 1;

/** What may wait, and what does. */
export class Admission {
  readonly freeEvents: Room;
  readonly freeBytes: Room;
  readonly turns = new Room(LIMITS.large_body_turns);
  readonly maxBytes: number;
  /** How many events wait for the writer. */
  events = 0;
  /** Of the batch that was scanned last; an assumption before there is one. */
  bytesPerEvent = LIMITS.assumed_event_bytes;

  constructor(maxEvents: number, maxBytes: number) {
    this.freeEvents = new Room(maxEvents);
    this.freeBytes = new Room(maxBytes);
    this.maxBytes = maxBytes;
  }

  /** A ticket for nothing yet; its `release` gives back what it holds. */
  ticket(): Ticket {
    return new Ticket(this);
  }
}

/** A request's part of what waits. */
export class Ticket {
  private readonly admission: Admission;
  private events = 0;
  private bytes = 0;
  private counted = 0;
  private hasTurn = false;
  private isReleased = false;

  constructor(admission: Admission) {
    this.admission = admission;
  }

  /**
   * Waits for room for a body that is not read yet: for its declared length, and for as many events as that length came
   * to in the batch scanned last, `mostEvents` at most. Without a declared length, for a byte and an event.
   */
  async holdUnread(declared: number | undefined, mostEvents: number): Promise<void> {
    const events = Math.floor((declared ?? 0) / this.admission.bytesPerEvent);
    await this.holdBytes(declared ?? 1);
    await this.holdPlaces(Math.min(Math.max(events, 1), mostEvents));
  }

  /** Holds this many bytes in all; waits for room where it holds fewer. `close`: a refusal ends the connection. */
  async holdBytes(total: number, close = false): Promise<void> {
    // A compressed body may be longer than what may wait (rule BOD-04).
    const wanted = Math.min(total, this.admission.maxBytes);
    const missing = wanted - this.bytes;
    await hold(this.admission.freeBytes, missing, close);
    // The client may have left while its body waited for room to grow.
    if (this.isReleased) this.admission.freeBytes.give(missing);
    else this.bytes = wanted;
  }

  /** Notes how many events a batch of `length` bytes had, by which the next ones are estimated. */
  noteBatch(events: number, length: number): void {
    if (events > 0) this.admission.bytesPerEvent = Math.max(Math.floor(length / events), 1);
  }

  /** Holds the events that a body was scanned to have; waits for room where it holds fewer. */
  async holdEvents(total: number): Promise<void> {
    await this.holdPlaces(total);
    this.admission.events += total;
    this.counted += total;
  }

  /** Waits until it is this request's turn to work on a large body; it keeps the turn until `endTurn`. */
  async takeTurn(): Promise<void> {
    if (this.hasTurn) return;
    const { turns } = this.admission;
    if (!turns.take(1)) await turns.wait(1, UNBOUNDED_MS);
    this.hasTurn = true;
  }

  /** Lets the next large body have its turn. */
  endTurn(): void {
    if (this.hasTurn) this.admission.turns.give(1);
    this.hasTurn = false;
  }

  /** Gives back all that it holds, once. */
  release(): void {
    this.endTurn();
    this.admission.events -= this.counted;
    this.admission.freeEvents.give(this.events);
    this.admission.freeBytes.give(this.bytes);
    this.isReleased = true;
  }

  private async holdPlaces(total: number): Promise<void> {
    await hold(this.admission.freeEvents, total - this.events, false);
    this.events = total;
  }
}

/** Gives back `-missing` places, or waits in line for `missing` more. */
async function hold(room: Room, missing: number, close: boolean): Promise<void> {
  if (missing <= 0) room.give(-missing);
  else if (!room.take(missing) && !(await room.wait(missing, LIMITS.admission_wait_ms))) {
    throw new Failure('overloaded', {}, close);
  }
}
