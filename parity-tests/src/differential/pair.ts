/** Sends the same bytes to two servers at the same time, on keep-alive connections. */
import {
  type Answer,
  announcesClose,
  Connection,
  type Outgoing,
  within,
} from '@twin-ingest/testkit/http/http-client.ts';
import { MOST_BYTES, MOST_BYTES_TOGETHER } from './attachment-contents.ts';
import { comparable, isRefusal } from './compare.ts';

export interface Pair {
  /** Returns both answers as texts that must be equal. */
  ask(sent: Outgoing): Promise<[one: string, other: string]>;
  close(): void;
}

/**
 * A server does not answer an incomplete request. Time to wait for the first answer, and for the second after a
 * refusal.
 */
const SILENCE_MS = 250;
/** Time limit of the second answer after the first. */
const ANSWER_MS = 2_000;

/** Flags of both servers: calls that return their argument, and limits that some attachments exceed. */
export const PAIR_FLAGS = [
  '--bench',
  '--max-attachment-bytes',
  String(MOST_BYTES),
  '--attachments-bytes',
  String(MOST_BYTES_TOGETHER),
];

/** Connects to two servers that are on these ports. */
export function connectPair(ports: readonly number[]): Pair {
  const lines = ports.map((port) => new Line(port));
  return {
    ask: async (sent) => {
      const [one, other] = await settle(await Promise.all(lines.map((line) => line.send(sent))));
      return [one!, other!];
    },
    close: () => {
      for (const line of lines) line.close();
    },
  };
}

interface Asked {
  readonly answer: Promise<string>;
  /** Closes the sending side, so that a server that waits for the rest of a request receives its end. */
  readonly finish: () => void;
  readonly giveUp: () => void;
}

/**
 * Returns both answers; `late` for both when neither server answers half a request.
 *
 * One server may refuse bytes that the other still treats as half a request. The client then ends its side instead of
 * waiting for a time-out of seconds.
 */
async function settle(asked: readonly Asked[]): Promise<string[]> {
  const answers = asked.map((one) => one.answer);
  const first = Promise.any(answers);
  if (!(await within(first, SILENCE_MS))) {
    for (const one of asked) one.giveUp();
    return asked.map(() => 'late');
  }
  const all = Promise.all(answers);
  if (isRefusal(await first) && !(await within(all, SILENCE_MS))) for (const one of asked) one.finish();
  return all;
}

/** Returns whether the head defines where the bytes after it end. */
function isFramed(sent: Outgoing): boolean {
  if (sent.body.length === 0) return true;
  return /\r\n(?:content-length:[ \t]*\d+|transfer-encoding:[ \t]*chunked)[ \t]*\r\n/i.test(
    sent.head.toString('latin1'),
  );
}

/** One keep-alive connection to one server, reopened after a close. */
class Line {
  readonly #port: number;
  #connection: Connection | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async send(sent: Outgoing): Promise<Asked> {
    if (!this.#connection?.reusable) {
      this.close();
      this.#connection = await Connection.open(this.#port);
    }
    const connection = this.#connection;
    const judge = async (answer: Answer): Promise<string> => {
      const announced = answer.kind !== 'response' || announcesClose(answer.response);
      const closed = announced && (await connection.closedWithin(3_000));
      // A server reads bytes without framing as the next request, at a time that varies.
      const framed = isFramed(sent);
      const more = framed && connection.unread.length > 0;
      if (announced || !framed) this.#drop(connection);
      return comparable(answer, closed, more, sent);
    };
    return {
      answer: connection.exchange(sent, ANSWER_MS).then(judge),
      finish: () => connection.halfClose(),
      giveUp: () => this.#drop(connection),
    };
  }

  close(): void {
    if (this.#connection) this.#drop(this.#connection);
  }

  /** Closes a connection, unless another has replaced it. */
  #drop(connection: Connection): void {
    connection.close();
    if (this.#connection === connection) this.#connection = undefined;
  }
}
