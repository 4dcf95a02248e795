/**
 * Admits events and bytes that wait for the writer (rule ING-10), and gives out turns for the work on large bodies.
 *
 * A request without room waits in the order of arrival, for a bounded time. Its body stays unread in the kernel
 * meanwhile, so a client that retries at once costs a waiting connection and no work (decision 39).
 * Invariant: bodies take at most `--queue-bytes`, and one largest body for each turn while it is inflated. Only one
 * request with an unread body holds a part of what it waits for, so requests cannot block each other.
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

  get available(): number {
    return this.free;
  }

  /** Takes places as soon as there are enough and no request before this one waits. */
  async take(count: number, deadline: Deadline): Promise<void> {
    if (this.waiting.size === 0 && count <= this.free) this.free -= count;
    else if (!(await this.wait(count, deadline.left))) throw new Failure('overloaded');
  }

  /** Whether there were enough places within `ms`. */
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
        // A request behind this one may need fewer places.
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

/** Until when a request may wait; begins with its first wait. */
class Deadline {
  private end: number | undefined;
  private readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  get left(): number {
    this.end ??= performance.now() + this.ms;
    return Math.max(this.end - performance.now(), 0);
  }
}

/** The longest timer of Node, some 25 days, for waits that need no end. */
const UNBOUNDED_MS = 2 ** 31 - 1;

/** What may wait, and what does. */
export class Admission {
  readonly freeEvents: Room;
  readonly freeBytes: Room;
  readonly turns = new Room(LIMITS.large_body_turns);
  /** For the first in line of those whose body is unread. */
  readonly door = new Room(1);
  readonly maxBytes: number;
  /** How many events wait for the writer. */
  events = 0;
  /** Of the batches scanned lately, rather too few than too many. */
  bytesPerEvent = LIMITS.assumed_event_bytes;

  constructor(maxEvents: number, maxBytes: number) {
    this.freeEvents = new Room(maxEvents);
    this.freeBytes = new Room(maxBytes);
    this.maxBytes = maxBytes;
  }

  /** A ticket for nothing yet; its `release` gives back what it holds. */
  ticket(): Ticket {
    return new Ticket(this, LIMITS.admission_wait_ms);
  }

  /** A ticket that waits until there is room, however long that takes (rule PRO-12). */
  patientTicket(): Ticket {
    return new Ticket(this, UNBOUNDED_MS);
  }
}

/** A request's part of what waits. */
export class Ticket {
  private readonly admission: Admission;
  /** How long one wait may take. */
  private readonly waitMs: number;
  /** The length of the body as it is sent. */
  private declared = 0;
  private events = 0;
  private bytes = 0;
  private counted = 0;
  private hasTurn = false;
  private isReleased = false;

  constructor(admission: Admission, waitMs: number) {
    this.admission = admission;
    this.waitMs = waitMs;
  }

  /**
   * Waits for room for a body that is not read yet: for its declared length, and for as many events as that length came
   * to in batches lately, `mostEvents` at most. Without a declared length, for a byte and an event.
   */
  async holdUnread(declared: number | undefined, mostEvents: number): Promise<void> {
    const { admission } = this;
    this.declared = declared ?? 0;
    const events = Math.floor(this.declared / admission.bytesPerEvent);
    const deadline = new Deadline(this.waitMs);
    await admission.door.take(1, deadline);
    try {
      await this.growBytes(declared ?? 1, deadline);
      await this.growEvents(Math.min(Math.max(events, 1), mostEvents), deadline);
    } finally {
      admission.door.give(1);
    }
  }

  /** Holds this many bytes in all; waits for room where it holds fewer. */
  async holdBytes(total: number): Promise<void> {
    await this.growBytes(total, new Deadline(this.waitMs));
  }

  /** Gives back the events of a body that comes slowly, so that slow clients do not hold the queue. */
  giveEvents(): void {
    this.admission.freeEvents.give(this.events);
    this.events = 0;
  }

  /**
   * Notes how many events a batch had, by which the next ones are estimated. Too high an estimate is given back after the
   * scan; too low a one means a second wait. So the estimate follows dense batches at once and others slowly.
   */
  noteBatch(events: number): void {
    if (events === 0 || this.declared === 0) return;
    const before = this.admission.bytesPerEvent;
    const now = Math.max(Math.floor(this.declared / events), 1);
    const step = Math.ceil(Math.max(now - before, 0) / LIMITS.event_bytes_smoothing);
    this.admission.bytesPerEvent = Math.min(now, before + step);
  }

  /**
   * Holds the events that a body was scanned to have; waits for room where it holds fewer. It gives back what it holds
   * before it waits: requests that each hold a part and wait for more would wait for each other.
   */
  async holdEvents(total: number): Promise<void> {
    if (total > this.events) this.giveEvents();
    await this.growEvents(total, new Deadline(this.waitMs));
    this.admission.events += total;
    this.counted += total;
  }

  /** Waits until it is this request's turn to work on a large body; it keeps the turn until `endTurn`. */
  async takeTurn(): Promise<void> {
    if (this.hasTurn) return;
    await this.admission.turns.take(1, new Deadline(UNBOUNDED_MS));
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
    this.giveEvents();
    this.admission.freeBytes.give(this.bytes);
    this.isReleased = true;
  }

  private async growBytes(total: number, deadline: Deadline): Promise<void> {
    const { freeBytes, maxBytes } = this.admission;
    // A compressed body may be longer than what may wait (rule BOD-04).
    const wanted = Math.min(total, maxBytes);
    const missing = wanted - this.bytes;
    if (missing > 0) await freeBytes.take(missing, deadline);
    else freeBytes.give(-missing);
    // The client may have left while its body waited for room to grow.
    if (this.isReleased) freeBytes.give(missing);
    else this.bytes = wanted;
  }

  private async growEvents(total: number, deadline: Deadline): Promise<void> {
    const { freeEvents } = this.admission;
    const missing = total - this.events;
    if (missing > 0) await freeEvents.take(missing, deadline);
    else freeEvents.give(-missing);
    this.events = total;
  }
}
