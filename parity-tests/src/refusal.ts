/**
 * Sends bytes that are not a well-formed request to one server: only a refusal is allowed (rule HTT-08).
 *
 * Each attempt has a connection of its own. One sends the bytes alone, another the same bytes followed by a request
 * that would store an event. Others split both into two TCP writes at several positions. Invariant: a refusal is 400,
 * 408, 414 or 431, or a close without an answer. Headers and body are not compared.
 */
import net from 'node:net';
import type { Refusal } from './case.ts';
import type { Difference } from './match.ts';

const STATUSES = ['400', '408', '414', '431'];
/** The limit of 10 s with a tolerance for a busy machine. */
const DEADLINE_MS = 15_000;
/** Pause after which the server reads two writes separately. */
const PAUSE_MS = 20;

/** Returns the problems of all attempts. */
export async function refusalDifferences(
  port: number,
  bytes: Buffer,
  { answered = 0 }: Refusal,
): Promise<Difference[]> {
  const before = await get(port, '/api/events?limit=1');
  const event = '{"session_id":"smuggled","agent_type":"agent","event_type":"tool_use"}';
  const behind = Buffer.from(
    `POST /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${event.length}\r\n\r\n${event}`,
  );
  const whole = Buffer.concat([bytes, behind]);
  const cuts = [1, 0.25, 0.5, 0.75].map((share) => Math.floor(share * bytes.length));
  const attempts: (readonly [what: string, pieces: readonly Buffer[]])[] = [
    ['alone', [bytes]],
    ['with a request behind it', [whole]],
    ...[...cuts, bytes.length - 1]
      .filter((cut) => cut > 0)
      .map((cut) => [`cut at ${cut}`, [whole.subarray(0, cut), whole.subarray(cut)]] as const),
  ];
  const found = await Promise.all(
    attempts.map(async ([what, pieces]) => {
      const { statuses, closed } = await send(port, pieces);
      const [refusal, ...more] = statuses.slice(answered);
      const isRefused = more.length === 0 && (refusal === undefined || STATUSES.includes(refusal));
      const inFront = statuses.slice(0, answered);
      const areAnswered = inFront.length === answered && inFront.every((status) => status.startsWith('2'));
      if (closed && isRefused && areAnswered) return [];
      const got = `${statuses.join(' ') || 'nothing'}, ${closed ? 'closed' : `open after ${DEADLINE_MS} ms`}`;
      return [{ where: what, expected: `${answered} answers, a refusal, closed`, got }];
    }),
  );
  const after = await get(port, '/api/events?limit=1');
  const stored = before === after ? [] : [{ where: 'stored', expected: before, got: after }];
  return [...found.flat(), ...stored];
}

/** Returns the statuses of all answers, and whether the server closed the connection. */
function send(port: number, pieces: readonly Buffer[]): Promise<{ statuses: string[]; closed: boolean }> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    let received = '';
    const end = (closed: boolean) => (): void => {
      clearTimeout(timer);
      socket.destroy();
      const heads = received.matchAll(/HTTP\/1\.[01] (\d{3}) /g);
      resolve({ statuses: [...heads].map(([, status]) => status!), closed });
    };
    const timer = setTimeout(end(false), DEADLINE_MS);
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    // A reset also counts as a close, even while the rest is being written.
    socket.on('error', end(true)).on('end', end(true)).on('close', end(true));
    const write = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) return;
      socket.write(piece);
      // One timer after the other: on a busy machine, timers of several lengths may fire in another order.
      setTimeout(() => write(index + 1), PAUSE_MS);
    };
    socket.on('connect', () => write(0));
  });
}

async function get(port: number, path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}
