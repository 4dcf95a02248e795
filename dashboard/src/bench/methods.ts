/**
 * The methods of loading binary data from a server into an `ArrayBuffer` of a page.
 *
 * A method reads an answer of `/bench/blob` in its own form (contract rule BEN-04), and does no other work.
 */

export type Form = 'raw' | 'base64' | 'json' | 'numbers';

export interface Method {
  /** A stable name, for results and addresses. */
  readonly name: string;
  /** The name for users. */
  readonly title: string;
  readonly form: Form;
  /** Whether this browser supports it. */
  readonly isSupported: boolean;
  /** Reads the bytes at an address. */
  read(address: string): Promise<ArrayBuffer>;
}

interface WithFromBase64 {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

interface WithBytes {
  bytes?(): Promise<Uint8Array<ArrayBuffer>>;
}

interface WithSetFromBase64 {
  setFromBase64(
    text: string,
    options: { lastChunkHandling: 'stop-before-partial' },
  ): { readonly read: number; readonly written: number };
}

const fromBase64 = (Uint8Array as unknown as WithFromBase64).fromBase64?.bind(Uint8Array);

/** In the order of the table. */
export const METHODS: readonly Method[] = [
  method('raw-array-buffer', 'raw, arrayBuffer()', 'raw', async (answer) => answer.arrayBuffer()),
  method(
    'raw-bytes',
    'raw, bytes()',
    'raw',
    async (answer) => (await (answer as Response & WithBytes).bytes!()).buffer,
    'bytes' in Response.prototype,
  ),
  method('raw-stream', 'raw, stream', 'raw', readStream),
  { name: 'raw-worker', title: 'raw, in a worker', form: 'raw', isSupported: true, read: readInWorker },
  method(
    'base64-from-base64',
    'base64, Uint8Array.fromBase64',
    'base64',
    textWith(fromBase64),
    fromBase64 !== undefined,
  ),
  method(
    'base64-stream',
    'base64, stream, setFromBase64',
    'base64',
    decodeStream,
    'setFromBase64' in Uint8Array.prototype,
  ),
  method(
    'json-from-base64',
    'base64 in JSON, Uint8Array.fromBase64',
    'json',
    async (answer) => fromBase64!(((await answer.json()) as { data: string }).data).buffer,
    fromBase64 !== undefined,
  ),
  method('base64-table', 'base64, a decoder with a table', 'base64', textWith(decodeByTable)),
  method('base64-atob', 'base64, atob', 'base64', textWith(decodeByAtob)),
  method('base64-data-url', 'base64, fetch(data:)', 'base64', async (answer) => {
    const text = await answer.text();
    return (await fetch(`data:application/octet-stream;base64,${text}`)).arrayBuffer();
  }),
  method(
    'json-atob',
    'base64 in JSON, atob',
    'json',
    async (answer) => decodeByAtob(((await answer.json()) as { data: string }).data).buffer,
  ),
  method(
    'numbers',
    'number array in JSON',
    'numbers',
    async (answer) => Uint8Array.from((await answer.json()) as number[]).buffer,
  ),
];

/** Returns the address of a blob of this size in a form. */
export function addressOf(form: Form, size: number): string {
  return `/bench/blob?size=${size}&as=${form}`;
}

function method(
  name: string,
  title: string,
  form: Form,
  decode: (answer: Response) => Promise<ArrayBuffer>,
  isSupported = true,
): Method {
  return { name, title, form, isSupported, read: async (address) => decode(await get(address)) };
}

async function get(address: string): Promise<Response> {
  const answer = await fetch(address, { cache: 'no-store' });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer;
}

function textWith(decode: ((text: string) => Uint8Array<ArrayBuffer>) | undefined) {
  return async (answer: Response): Promise<ArrayBuffer> => decode!(await answer.text()).buffer;
}

async function readStream(answer: Response): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(Number(answer.headers.get('content-length')));
  let at = 0;
  const reader = answer.body!.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    bytes.set(step.value, at);
    at += step.value.length;
  }
  return bytes.buffer;
}

/** Decodes each part of the text as it arrives, so that no string holds all of it. */
async function decodeStream(answer: Response): Promise<ArrayBuffer> {
  const bytes = new Uint8Array((Number(answer.headers.get('content-length')) / 4) * 3);
  const decoder = new TextDecoder('latin1');
  let at = 0;
  let rest = '';
  const reader = answer.body!.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const text = rest + decoder.decode(step.value);
    const room = bytes.subarray(at) as unknown as WithSetFromBase64;
    const { read, written } = room.setFromBase64(text, { lastChunkHandling: 'stop-before-partial' });
    at += written;
    rest = text.slice(read);
  }
  // The padding of the text reserved up to two bytes more.
  return bytes.buffer.transfer(at);
}

let worker: Worker | undefined;

/** Reads the bytes in a worker, which requests them and transfers the memory. One worker serves all rounds. */
function readInWorker(address: string): Promise<ArrayBuffer> {
  worker ??= new Worker('/bench/worker.js', { type: 'module' });
  const own = worker;
  return new Promise((resolve, reject) => {
    own.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) =>
      typeof data === 'string' ? reject(new Error(data)) : resolve(data);
    own.onerror = () => reject(new Error('the worker failed'));
    own.postMessage(address);
  });
}

function decodeByAtob(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

const SIXES = new Uint8Array(128);
for (const [six, character] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
].entries())
  SIXES[character.charCodeAt(0)] = six;

function decodeByTable(text: string): Uint8Array<ArrayBuffer> {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let to = 0;
  for (let at = 0; at < text.length; at += 4) {
    const word =
      (SIXES[text.charCodeAt(at)]! << 18) |
      (SIXES[text.charCodeAt(at + 1)]! << 12) |
      (SIXES[text.charCodeAt(at + 2)]! << 6) |
      SIXES[text.charCodeAt(at + 3)]!;
    bytes[to++] = word >> 16;
    bytes[to++] = word >> 8;
    bytes[to++] = word;
  }
  return bytes;
}
