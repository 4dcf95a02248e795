/** Sends single requests to a server of NATS, in the text protocol of its clients. */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';

const LIMIT_MS = 5_000;

/**
 * Sends a request, with `header` as its only header line, and returns the JSON of its answer. Rejects if it is late.
 *
 * @param options `token` is that of `authorization { token: ... }` in the configuration of NATS
 */
export async function askNats<T>(
  port: number,
  subject: string,
  body = '',
  { host = '127.0.0.1', header, token }: { host?: string; header?: string; token?: string } = {},
): Promise<T> {
  const socket = connect(port, host);
  const timer = setTimeout(() => socket.destroy(), LIMIT_MS);
  // NATS gives an answer to every client of its subject.
  const inbox = `_INBOX.${randomUUID()}`;
  const client = JSON.stringify({ verbose: false, headers: true, auth_token: token });
  const hello = `CONNECT ${client}\r\nSUB ${inbox} 1\r\n`;
  const head = header === undefined ? '' : `NATS/1.0\r\n${header}\r\n\r\n`;
  const length = Buffer.byteLength(head + body);
  const sizes = header === undefined ? `${length}` : `${Buffer.byteLength(head)} ${length}`;
  const command = header === undefined ? 'PUB' : 'HPUB';
  socket.write(`${hello}${command} ${subject} ${inbox} ${sizes}\r\n${head}${body}\r\n`);
  let text = '';
  try {
    for await (const chunk of socket.setEncoding('utf8')) {
      text += chunk;
      const found = /\r\nMSG \S+ 1 \d+\r\n(\{.*\})\r\n/s.exec(text);
      if (found !== null) return JSON.parse(found[1]!) as T;
    }
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
  throw new Error(`no answer from NATS: ${text}`);
}

/** Returns whether a server of NATS greets on this port. */
export function greets(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const end = (found: boolean): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(LIMIT_MS, () => end(false));
    socket.once('data', () => end(true)).once('error', () => end(false));
  });
}
