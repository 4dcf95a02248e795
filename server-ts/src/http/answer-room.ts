/**
 * Bounds the bytes of answers that clients have not taken (rule HTT-15).
 *
 * A client that reads nothing costs as much as its answer has bytes. So above the bound the server closes the
 * connections that have taken nothing for the longest time. Other clients neither wait nor pay for them.
 *
 * Invariant: the answers of the room hold at most its bytes, and the newest answer. Bytes that several clients share
 * count once.
 */
import { LIMITS } from '../contract.ts';
import { type Taker, takenBytes } from './send-queues.ts';

/** A part of an answer that waits for its client. */
interface Answer {
  readonly socket: Taker;
  readonly memory: object;
  /** Bytes that the client had taken at the last look, and when they became as many. */
  taken: number;
  takenAtMs: number;
}

/** Memory that one or more answers are in. */
interface Memory {
  readonly bytes: number;
  answers: number;
}

/** The room for answers that clients have not taken. */
export class AnswerRoom {
  private readonly most: number;
  private readonly answers = new Set<Answer>();
  private readonly memories = new Map<object, Memory>();
  private heldBytes = 0;

  /** Creates a room for this many bytes. */
  constructor(most: number) {
    this.most = most;
  }

  /** Returns the counted bytes. */
  get held(): number {
    return this.heldBytes;
  }

  /**
   * Counts `memory`, which has these bytes, until the returned function runs. Closes the slowest connections when the
   * room is full.
   */
  hold(socket: Taker, bytes: number, memory: object): () => void {
    if (bytes < LIMITS.answer_room_least_bytes) return () => {};
    this.look();
    const answer: Answer = { socket, memory, taken: takenBytes(socket), takenAtMs: performance.now() };
    this.answers.add(answer);
    const known = this.memories.get(memory);
    if (known === undefined) {
      this.memories.set(memory, { bytes, answers: 1 });
      this.heldBytes += bytes;
    } else known.answers++;
    while (this.heldBytes > this.most) {
      const slowest = this.slowest(answer);
      if (slowest === undefined) break;
      this.remove(slowest);
      slowest.socket.destroy();
    }
    return () => this.remove(answer);
  }

  private remove(answer: Answer): void {
    if (!this.answers.delete(answer)) return;
    const memory = this.memories.get(answer.memory)!;
    if (--memory.answers > 0) return;
    this.memories.delete(answer.memory);
    this.heldBytes -= memory.bytes;
  }

  /** Notes which clients have taken bytes. Node does not report this, so each new part is an occasion. */
  private look(): void {
    const now = performance.now();
    for (const answer of this.answers) {
      const taken = takenBytes(answer.socket);
      if (taken <= answer.taken) continue;
      answer.taken = taken;
      answer.takenAtMs = now;
    }
  }

  /** Returns the part of which nothing was taken for the longest time, except for one; of equal ones the oldest. */
  private slowest(except: Answer): Answer | undefined {
    let slowest: Answer | undefined;
    for (const answer of this.answers) {
      if (answer === except) continue;
      if (slowest === undefined || answer.takenAtMs < slowest.takenAtMs) slowest = answer;
    }
    return slowest;
  }
}
