/**
 * Handles `/bench/blob`, which exists with `--bench` alone (rules BEN-01 and BEN-04).
 *
 * It sends the same bytes in several forms, so that a page can measure the cost of each form.
 */
import type { App } from '../app.ts';
import type { Exchange } from './exchange.ts';
import type { Parameters } from './parameters.ts';
import { blob as reply } from './reply.ts';

/** Start value of Marsaglia's xorshift generator. */
const SEED = 2_463_534_242;

/** The longest sequence generated so far; a shorter one is a prefix of it. */
let made = Buffer.alloc(0);

/** `GET /bench/blob` (rule BEN-04). */
export function getBlob(_app: App, exchange: Exchange, parameters: Parameters): void {
  const bytes = blob(parameters.number('size')!);
  const started = performance.now();
  const [mediaType, body] = encode(bytes, parameters.text('as')!);
  reply(exchange, body, mediaType, performance.now() - started);
}

function encode(bytes: Buffer, form: string): [mediaType: string, body: string | Buffer] {
  switch (form) {
    case 'base64':
      return ['text/plain', bytes.toString('base64')];
    case 'json':
      return ['application/json', JSON.stringify({ size: bytes.length, data: bytes.toString('base64') })];
    case 'numbers':
      return ['application/json', `[${bytes.join(',')}]`];
    default:
      return ['application/octet-stream', bytes];
  }
}

/** Returns the first bytes of the sequence; reuses bytes generated earlier. */
function blob(size: number): Buffer {
  if (made.length < size) {
    const words = Math.ceil(size / 4);
    made = Buffer.alloc(4 * words);
    let state = SEED;
    for (let word = 0; word < words; word++) {
      made.writeUInt32LE(state >>> 0, 4 * word);
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
    }
  }
  return made.subarray(0, size);
}
