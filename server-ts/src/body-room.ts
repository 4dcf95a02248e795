/**
 * Counts the bytes of bodies that have arrived, and decides which half-read body may go on (rule ING-10).
 *
 * A declared length holds nothing. When half-read bodies fill the room, the oldest one takes its rest from a reserve.
 * So one body always ends, and gives its room to the next one.
 *
 * Invariant: all bodies together hold at most the room and the reserve.
 */
import { LIMITS } from './contract.ts';

/** A wait for bytes, or for the state of the other bodies. */
interface Wait {
  readonly isReady: () => boolean;
  readonly settle: (isReady: boolean) => void;
}

/** The room for bytes, and the bodies that are being read. */
export class BodyRoom {
  readonly most: number;
  free: number;
  reserve: number;
  /** The half-read bodies, in the order of their first byte. */
  readonly readers = new Set<BodyShare>();
  /** Number of requests that wait for bytes. */
  waiting = 0;
  /** Bytes that the last request lacked when it gave up; 0 once they are free. */
  wanted = 0;
  private readonly waits = new Set<Wait>();

  /** Creates a room of `most` bytes, and a reserve for one body. */
  constructor(most: number, reserve: number) {
    this.most = most;
    this.free = most;
    this.reserve = reserve;
  }

  /** Returns a share that holds nothing yet. */
  share(): BodyShare {
    return new BodyShare(this);
  }

  /** Returns the free bytes, without the reserve. */
  get available(): number {
    return this.free;
  }

  /** Whether a request waits for bytes, or gave up and they are still not free. */
  get isFull(): boolean {
    return this.waiting > 0 || this.wanted > 0;
  }

  /** Ends the waits that the current state allows to end. */
  changed(): void {
    if (this.free >= this.wanted) this.wanted = 0;
    for (const wait of this.waits) if (wait.isReady()) wait.settle(true);
  }

  /** Returns whether `isReady` held within `ms`. It runs at once, and after each change while a request waits. */
  until(isReady: () => boolean, ms: number): Promise<boolean> | boolean {
    if (isReady()) return true;
    return new Promise((resolve) => {
      const settle = (is: boolean): void => {
        clearTimeout(timer);
        this.waits.delete(wait);
        resolve(is);
      };
      const wait: Wait = { isReady, settle };
      const timer = setTimeout(() => settle(false), ms);
      this.waits.add(wait);
    });
  }

  /**
   * Waits for as many bytes. Other half-read bodies are not read further during the wait. When it ends without them,
   * these bodies stay unread until the bytes are free.
   */
  waitFor(bytes: number, isReady: () => boolean, ms: number): Promise<boolean> | boolean {
    return isReady() || this.waitFull(bytes, isReady, ms);
  }

  private async waitFull(bytes: number, isReady: () => boolean, ms: number): Promise<boolean> {
    const wasFull = this.isFull;
    this.waiting++;
    if (!wasFull) for (const reader of this.readers) reader.filled();
    const is = await this.until(isReady, ms);
    this.waiting--;
    if (!is) this.wanted = Math.max(this.wanted, Math.min(bytes, LIMITS.drain_body_bytes));
    this.changed();
    return is;
  }
}

/** The bytes that one body holds; `release` gives them back. */
export class BodyShare {
  private readonly room: BodyRoom;
  private held = 0;
  private reserved = 0;
  private isReleased = false;
  /** Ends `pressed`. */
  private wake: ((isPressed: boolean) => void) | undefined;

  constructor(room: BodyRoom) {
    this.room = room;
  }

  /** Waits until a byte is free. Takes none. */
  waitFree(ms: number): Promise<boolean> | boolean {
    return this.room.waitFor(1, () => this.room.free > 0 || this.isReleased, ms);
  }

  /** Joins the bodies that are being read. */
  startReading(): void {
    this.room.readers.add(this);
  }

  /** Leaves the bodies that are being read. */
  endReading(): void {
    this.wake?.(false);
    if (this.room.readers.delete(this)) this.room.changed();
  }

  /** Waits until it holds this many bytes in total, at most the whole room; gives back what is more. */
  hold(total: number, ms: number): Promise<boolean> | boolean {
    const { room } = this;
    // A compressed body may be longer than the whole room (rule BOD-04).
    const missing = Math.min(total, room.most) - this.held - this.reserved;
    if (missing <= 0) {
      const fromRoom = Math.min(-missing, this.held);
      this.held -= fromRoom;
      this.reserved += missing + fromRoom;
      this.give(fromRoom, -missing - fromRoom);
      return true;
    }
    // The client may disconnect while its body waits for room to grow.
    return room.waitFor(missing, () => this.isReleased || this.grow(missing), ms);
  }

  private grow(missing: number): boolean {
    const { room } = this;
    if (missing <= room.free) {
      room.free -= missing;
      this.held += missing;
    } else if (this.isOldest && missing <= room.reserve) {
      room.reserve -= missing;
      this.reserved += missing;
    } else {
      return false;
    }
    return true;
  }

  /**
   * Waits until reading must pause: the room is full for another request, and this body is not the oldest. Returns
   * `false` once it is no longer read.
   */
  pressed(): Promise<boolean> {
    return new Promise((resolve) => {
      this.wake = resolve;
      if (!this.room.readers.has(this)) resolve(false);
      else if (this.room.isFull) this.filled();
    });
  }

  /** Ends `pressed`, since the room is full. */
  filled(): void {
    if (!this.isOldest) this.wake?.(true);
  }

  /** Waits until reading may go on. */
  calm(ms: number): Promise<boolean> | boolean {
    const { room } = this;
    return room.until(() => !room.isFull || this.isOldest || !room.readers.has(this), ms);
  }

  /** Gives back all bytes; later calls do nothing. */
  release(): void {
    this.isReleased = true;
    this.wake?.(false);
    this.room.readers.delete(this);
    this.give(this.held, this.reserved);
    this.held = 0;
    this.reserved = 0;
  }

  private get isOldest(): boolean {
    const [oldest] = this.room.readers;
    return oldest === this;
  }

  private give(held: number, reserved: number): void {
    this.room.free += held;
    this.room.reserve += reserved;
    this.room.changed();
  }
}

/** The longest timer of Node, about 25 days, for waits without a time limit. */
export const UNBOUNDED_MS = 2 ** 31 - 1;
