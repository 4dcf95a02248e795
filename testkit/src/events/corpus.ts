/**
 * Reads a corpus: one event per line, plain or gzip, distinguished by the first two bytes.
 *
 * Lines keep their text and are not parsed here, so metadata stays byte-exact.
 */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';

/** The first two bytes of a gzip file (RFC 1952, section 2.3.1). */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

export async function* readCorpus(file: string): AsyncGenerator<string> {
  const stream = createReadStream(file);
  const source = (await isGzip(file)) ? stream.pipe(createGunzip()) : stream;
  // A broken file fails the read below; `pipe` alone would leave the reader waiting.
  stream.on('error', (error) => source.destroy(error));
  let rest = '';
  try {
    source.setEncoding('utf8');
    // Splits at line feeds only: readline would also split at U+2028, which JSON text may contain.
    for await (const chunk of source) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    stream.destroy();
  }
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const head = Buffer.alloc(GZIP_MAGIC.length);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return bytesRead === head.length && head.equals(GZIP_MAGIC);
  } finally {
    await handle.close();
  }
}
