/**
 * Bounds the bytes of answers that clients have not taken (rule HTT-15).
 *
 * A client that reads nothing costs as much as its answer has bytes. So above the bound the server closes the
 * connections that take their answers most slowly, and other clients neither wait nor pay for them.
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
  readonly madeMs: number;
  /** Bytes that the client had taken when the part was made. */
  readonly taken: number;
}

/** Memory that one or more answers are in. */
interface Memory {
  readonly bytes: number;
  answers: number;
}

/** Shortest age of a part in milliseconds, so that the pace of a new one is finite. */
const LEAST_AGE_MS = 1;

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
    const answer = { socket, memory, madeMs: performance.now(), taken: takenBytes(socket) };
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

  /** Returns the part that its client takes most slowly, except for one. */
  private slowest(except: Answer): Answer | undefined {
    const now = performance.now();
    let slowest: Answer | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const answer of this.answers) {
      if (answer === except) continue;
      const pace = paceOf(answer, now);
      if (pace >= least) continue;
      least = pace;
      slowest = answer;
    }
    return slowest;
  }
}

/**
 * Returns the bytes per millisecond that the client takes. A page more than it has taken counts, so that the first bytes
 * of a new answer are not slow.
 */
function paceOf({ socket, madeMs, taken }: Answer, now: number): number {
  return (takenBytes(socket) - taken + LIMITS.page_bytes) / Math.max(now - madeMs, LEAST_AGE_MS);
}
