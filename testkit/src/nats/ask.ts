/** Sends single requests to a server of NATS, in the text protocol of its clients. */
import { connect } from 'node:net';

const LIMIT_MS = 5_000;

/** Sends a request, and returns the JSON of its answer. Rejects without an answer in time. */
export async function askNats<T>(port: number, subject: string, body = '', host = '127.0.0.1'): Promise<T> {
  const socket = connect(port, host);
  const timer = setTimeout(() => socket.destroy(), LIMIT_MS);
  const hello = 'CONNECT {"verbose":false,"headers":true}\r\nSUB _INBOX.ask 1\r\n';
  socket.write(`${hello}PUB ${subject} _INBOX.ask ${Buffer.byteLength(body)}\r\n${body}\r\n`);
  let text = '';
  try {
    for await (const chunk of socket.setEncoding('utf8')) {
      text += chunk;
      const found = /\r\nMSG _INBOX\.ask 1 \d+\r\n(\{.*\})\r\n/s.exec(text);
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
