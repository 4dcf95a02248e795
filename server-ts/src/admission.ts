/**
 * Admits events and bytes that wait for the writer (rule ING-10), and limits concurrent work on large bodies.
 *
 * A declared length holds no room: bytes count when they arrive, and events when the body is complete. Without
 * free room a request waits in line with its body unread, for a bounded time. So a client that retries at once costs
 * a waiting connection and no work (decisions 39 and 100).
 *
 * Invariant: bodies take at most `--queue-bytes` and a reserve of one body. While bodies are inflated, each permit adds
 * one body of the maximum size. No request waits for bytes while it has the place in line or holds events. So requests
 * cannot block each other. Over 250 lines because a request has one ticket for all its waits.
 */
import { BodyRoom, type BodyShare, UNBOUNDED_MS } from './body-room.ts';
import { LIMITS, TUNING } from './contract.ts';
import { Failure } from './error.ts';
import { WaitingLine } from './waiting-line.ts';

/** Counts places of one kind and gives them to waiting requests in the order of arrival. */
class Room {
  private free: number;
  private readonly waiting = new Set<Waiting>();

  constructor(places: number) {
    this.free = places;
  }

  get available(): number {
    return this.free;
  }

  /** Takes places as soon as enough are free and no earlier request waits; returns whether that was within `ms`. */
  take(count: number, ms: number): Promise<boolean> | boolean {
    if (this.waiting.size > 0 || count > this.free) return this.wait(count, ms);
    this.free -= count;
    return true;
  }

  /** Returns whether enough places became free within `ms`. */
  private wait(count: number, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isTaken: boolean): void => {
        clearTimeout(timer);
        this.waiting.delete(waiting);
        resolve(isTaken);
      };
      const waiting: Waiting = { count, settle };
      const timer = setTimeout(() => {
        settle(false);
        // The next request in line may need fewer places.
        this.give(0);
      }, ms);
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

/** Room for waiting events and bytes, and the part in use. */
export class Admission {
  readonly freeEvents: Room;
  readonly bodies: BodyRoom;
  readonly turns = new Room(TUNING.large_body_turns);
  readonly results = new Room(TUNING.large_results_turns);
  /** The requests that wait for events. */
  readonly line = new WaitingLine();
  /** Number of events that wait for the writer. */
  events = 0;
  /** Bytes per event of recent batches. The estimate tends to be too low rather than too high. */
  bytesPerEvent = TUNING.assumed_event_bytes;

  /** Creates an admission whose whole room is free. `maxBody` is the length of the largest body in bytes. */
  constructor(maxEvents: number, maxBytes: number, maxBody: number) {
    this.freeEvents = new Room(maxEvents);
    this.bodies = new BodyRoom(maxBytes, maxBody);
  }

  /** Returns a ticket that holds nothing yet; its `release` gives its room back. */
  ticket(): Ticket {
    return new Ticket(this, LIMITS.admission_wait_ms);
  }

  /** Returns a ticket that waits for room without a time limit (rule PRO-12). */
  unboundedTicket(): Ticket {
    return new Ticket(this, UNBOUNDED_MS);
  }
}

/** The room that one request holds. */
export class Ticket {
  private readonly admission: Admission;
  /** The rest of the time for all waits. */
  private waitMs: number;
  private readonly isBounded: boolean;
  /** When it first waited in line, which is its order there. */
  private since: number | undefined;
  /** Length of the body as sent, before inflating. */
  private length = 0;
  private events = 0;
  private readonly bytes: BodyShare;
  private counted = 0;
  private hasTurn = false;
  /** Whether it has the permit to read more results. */
  private hasResults = false;
  /** Whether it has waited for that permit. */
  private hasWaited = false;

  constructor(admission: Admission, waitMs: number) {
    this.admission = admission;
    this.bytes = admission.bodies.share();
    this.waitMs = waitMs;
    this.isBounded = waitMs < UNBOUNDED_MS;
  }

  /** Waits until a byte and an event are free, then lets the body be read. It holds neither. */
  async startBody(declared: number | undefined): Promise<void> {
    if (this.isBounded && declared !== undefined && declared <= LIMITS.drain_body_bytes) {
      // A refusal keeps the connection of a small body, so an early one costs little (rule HTT-10).
      this.waitMs = LIMITS.admission_small_wait_ms;
    }
    await this.inTime((ms) => this.bytes.waitFree(ms));
    await this.takeEvents(1);
    this.giveEvents();
    this.bytes.startReading();
  }

  /** Holds this many bytes in total; when it holds fewer and there is no room, resolves once there is. */
  holdBytes(total: number): Promise<void> | undefined {
    return this.inTime((ms) => this.bytes.hold(total, ms));
  }

  /** Waits until this half-read body must pause, because another request waits for bytes; `false` after its end. */
  pressed(): Promise<boolean> {
    return this.bytes.pressed();
  }

  /** Waits until the half-read body may be read further. */
  async holdStill(): Promise<void> {
    await this.inTime((ms) => this.bytes.calm(ms));
  }

  /**
   * Waits for the events of a complete body: as many as bodies of this length recently had, at most `mostEvents`. A body
   * whose parts take their own room has 0.
   */
  async endBody(length: number, mostEvents: number): Promise<void> {
    this.bytes.endReading();
    this.length = length;
    if (mostEvents === 0) return;
    const events = Math.floor(length / this.admission.bytesPerEvent);
    await this.takeEvents(Math.min(Math.max(events, 1), mostEvents));
  }

  /** Gives back all events. */
  private giveEvents(): void {
    this.admission.freeEvents.give(this.events);
    this.events = 0;
  }

  /** Waits for events, in line unless the ticket is unbounded. */
  private async takeEvents(count: number): Promise<void> {
    const { line, freeEvents } = this.admission;
    // Standard input never gives up, so it would stay behind every newer request.
    if (this.isBounded) {
      const { since = performance.now() } = this;
      this.since = since;
      await this.inTime((ms) => line.take(since, ms));
    }
    try {
      await this.inTime((ms) => freeEvents.take(count, ms));
      this.events = count;
    } finally {
      if (this.isBounded) line.give();
    }
  }

  /**
   * Records the number of events of a batch, which the estimate for later batches uses. An estimate that is too high
   * is given back after the scan; one that is too low means a second wait. So the estimate follows dense batches at
   * once and others slowly.
   */
  noteBatch(events: number): void {
    if (events === 0 || this.length === 0) return;
    const before = this.admission.bytesPerEvent;
    const now = Math.max(Math.floor(this.length / events), 1);
    const step = Math.ceil(Math.max(now - before, 0) / TUNING.event_bytes_smoothing);
    this.admission.bytesPerEvent = Math.min(now, before + step);
  }

  /**
   * Holds the number of events that the scan found; waits for room when it holds fewer. It gives back its events
   * before it waits. Otherwise requests that each hold a part and wait for more would block each other.
   */
  async holdEvents(total: number): Promise<void> {
    const { freeEvents } = this.admission;
    if (total <= this.events) {
      freeEvents.give(this.events - total);
    } else {
      this.giveEvents();
      await this.inTime((ms) => freeEvents.take(total, ms));
    }
    this.events = total;
    this.admission.events += total;
    this.counted += total;
  }

  /** Waits for the permit to work on a large body; keeps it until `endTurn`. */
  async takeTurn(): Promise<void> {
    if (this.hasTurn) return;
    await this.admission.turns.take(1, UNBOUNDED_MS);
    this.hasTurn = true;
  }

  /**
   * Waits for the permit to read more results than a large body has; keeps it to the end. Without it after
   * `large_results_wait_ms` the batch goes on, so that no client can stop another.
   */
  async takeResults(): Promise<void> {
    if (this.hasWaited) return;
    this.hasWaited = true;
    this.hasResults = await this.admission.results.take(1, TUNING.large_results_wait_ms);
  }

  /** Releases the permit to the next large body. */
  endTurn(): void {
    if (this.hasTurn) this.admission.turns.give(1);
    this.hasTurn = false;
  }

  /** Gives back all room that it holds; later calls do nothing. */
  release(): void {
    this.endTurn();
    if (this.hasResults) this.admission.results.give(1);
    this.hasResults = false;
    this.admission.events -= this.counted;
    this.counted = 0;
    this.giveEvents();
    this.bytes.release();
  }

  /** Waits for room for at most `waitMs`, which it shortens by the time of the wait. */
  private inTime(room: (ms: number) => Promise<boolean> | boolean): Promise<void> | undefined {
    const start = performance.now();
    const waited = room(this.waitMs);
    if (waited === true) return undefined;
    const end = (is: boolean): void => {
      if (this.isBounded) this.waitMs = Math.max(this.waitMs - (performance.now() - start), 0);
      if (!is) throw new Failure('overloaded');
    };
    return Promise.resolve(waited).then(end);
  }
}
