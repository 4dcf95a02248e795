/**
 * Admits events and bytes that wait for the writer (rule ING-10), and limits concurrent work on large bodies.
 *
 * A request without room waits in line, for a bounded time. Its body stays unread in the kernel during the wait. So a
 * client that retries at once costs a waiting connection and no work (decisions 39 and 100).
 *
 * Invariant: bodies take at most `--queue-bytes`, plus one body of the maximum size for each permit while it is
 * inflated. Only the first request in line and standard input hold a part of the room that they wait for. Both wait
 * for bytes before events, so requests cannot block each other.
 */
import { LIMITS } from './contract.ts';
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

  /** Takes places as soon as enough are free and no earlier request waits. */
  async take(count: number, deadline: Deadline): Promise<void> {
    if (this.waiting.size === 0 && count <= this.free) this.free -= count;
    else if (!(await this.wait(count, deadline.left))) throw new Failure('overloaded');
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

/** Time limit for all waits of a request; it starts with the first wait. */
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

/** The longest timer of Node, about 25 days, for waits without a time limit. */
const UNBOUNDED_MS = 2 ** 31 - 1;

/** Room for waiting events and bytes, and the part in use. */
export class Admission {
  readonly freeEvents: Room;
  readonly freeBytes: Room;
  readonly turns = new Room(LIMITS.large_body_turns);
  /** The requests whose body is unread. */
  readonly line = new WaitingLine();
  readonly maxBytes: number;
  /** Number of events that wait for the writer. */
  events = 0;
  /** Bytes per event of recent batches. The estimate tends to be too low rather than too high. */
  bytesPerEvent = LIMITS.assumed_event_bytes;

  constructor(maxEvents: number, maxBytes: number) {
    this.freeEvents = new Room(maxEvents);
    this.freeBytes = new Room(maxBytes);
    this.maxBytes = maxBytes;
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
  /** Longest duration of one wait. */
  private waitMs: number;
  /** Length of the body as sent, before inflating. */
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
   * Waits for room for an unread body: its declared length, and as many events as bodies of that length recently had,
   * at most `mostEvents`. Without a declared length it takes room for one byte and one event.
   */
  async holdUnread(declared: number | undefined, mostEvents: number): Promise<void> {
    const { admission } = this;
    this.declared = declared ?? 0;
    const events = Math.floor(this.declared / admission.bytesPerEvent);
    if (this.waitMs < UNBOUNDED_MS && declared !== undefined && declared <= LIMITS.drain_body_bytes) {
      // A refusal keeps the connection of a small body, so an early one costs little (rule HTT-10).
      this.waitMs = LIMITS.admission_small_wait_ms;
    }
    const deadline = new Deadline(this.waitMs);
    // Standard input never gives up, so it would stay behind every newer request.
    const isInLine = this.waitMs < UNBOUNDED_MS;
    if (isInLine && !(await admission.line.take(deadline.left))) throw new Failure('overloaded');
    try {
      await this.growBytes(declared ?? 1, deadline);
      await this.growEvents(Math.min(Math.max(events, 1), mostEvents), deadline);
    } finally {
      if (isInLine) admission.line.give();
    }
  }

  /** Holds this many bytes in total; waits for room when it holds fewer. */
  async holdBytes(total: number): Promise<void> {
    await this.growBytes(total, new Deadline(this.waitMs));
  }

  /** Gives back the events of a slow body, so that slow clients do not hold the queue. */
  giveEvents(): void {
    this.admission.freeEvents.give(this.events);
    this.events = 0;
  }

  /**
   * Records the number of events of a batch, which the estimate for later batches uses. An estimate that is too high
   * is given back after the scan; one that is too low means a second wait. So the estimate follows dense batches at
   * once and others slowly.
   */
  noteBatch(events: number): void {
    if (events === 0 || this.declared === 0) return;
    const before = this.admission.bytesPerEvent;
    const now = Math.max(Math.floor(this.declared / events), 1);
    const step = Math.ceil(Math.max(now - before, 0) / LIMITS.event_bytes_smoothing);
    this.admission.bytesPerEvent = Math.min(now, before + step);
  }

  /**
   * Holds the number of events that the scan found; waits for room when it holds fewer. It gives back its events
   * before it waits. Otherwise requests that each hold a part and wait for more would block each other.
   */
  async holdEvents(total: number): Promise<void> {
    if (total > this.events) this.giveEvents();
    await this.growEvents(total, new Deadline(this.waitMs));
    this.admission.events += total;
    this.counted += total;
  }

  /** Waits for the permit to work on a large body; keeps it until `endTurn`. */
  async takeTurn(): Promise<void> {
    if (this.hasTurn) return;
    await this.admission.turns.take(1, new Deadline(UNBOUNDED_MS));
    this.hasTurn = true;
  }

  /** Releases the permit to the next large body. */
  endTurn(): void {
    if (this.hasTurn) this.admission.turns.give(1);
    this.hasTurn = false;
  }

  /** Gives back all room that it holds; later calls do nothing. */
  release(): void {
    this.endTurn();
    this.admission.events -= this.counted;
    this.giveEvents();
    this.admission.freeBytes.give(this.bytes);
    this.isReleased = true;
  }

  private async growBytes(total: number, deadline: Deadline): Promise<void> {
    const { freeBytes, maxBytes } = this.admission;
    // A compressed body may be longer than the whole room (rule BOD-04).
    const wanted = Math.min(total, maxBytes);
    const missing = wanted - this.bytes;
    if (missing > 0) await freeBytes.take(missing, deadline);
    else freeBytes.give(-missing);
    // The client may disconnect while its body waits for room to grow.
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
