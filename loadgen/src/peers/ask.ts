/** Small requests to peers: over HTTP, and one line over a socket. */
import { connect } from 'node:net';

const DEADLINE_MS = 10_000;

/** Returns the text of a 2xx answer; rejects otherwise. */
export async function askHttp(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(DEADLINE_MS) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

/** Sends text over a new connection, and returns the first part of the answer that `wanted` matches. */
export function askSocket(port: number, text: string, wanted: RegExp): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  socket.setEncoding('latin1').setTimeout(DEADLINE_MS, () => reject(new Error(`no answer: ${received}`)));
  socket.on('data', (piece) => {
    received += piece;
    const found = wanted.exec(received);
    if (found !== null) resolve(found);
  });
  socket.once('error', reject).once('close', () => reject(new Error(`closed: ${received}`)));
  socket.write(text);
  return promise.finally(() => socket.destroy());
}
