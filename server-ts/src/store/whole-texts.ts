/**
 * Keeps whole metadata next to rows with a summary (rule MET-04): frames of zstd, and the functions of the statements.
 */
import { isUtf8 } from 'node:buffer';
import zlib from 'node:zlib';
import Database from 'better-sqlite3';
import { LIMITS } from '../contract.ts';
import { contentSize } from '../zstd.ts';

const { SqliteError } = Database;

/** Compression costs the time of the writer, so it is the fastest one. */
const PARAMS = { [zlib.constants.ZSTD_c_compressionLevel]: 1 };

/** Returns a text as a frame that declares its size; `undefined` for a text that is not kept. */
export function packText(text: Uint8Array): Buffer | undefined {
  if (text.length > LIMITS.whole_text_bytes) return undefined;
  return zlib.zstdCompressSync(text, { params: PARAMS, pledgedSrcSize: text.length });
}

/** Returns the text of a frame, `undefined` for other bytes. The declared size bounds the memory that it takes. */
export function unpackText(frame: Buffer): Buffer | undefined {
  const size = contentSize(frame);
  if (size === undefined || size > LIMITS.whole_text_bytes) return undefined;
  try {
    const found = zlib.zstdDecompressSync(frame, { maxOutputLength: size + 1, info: true }) as unknown;
    const { buffer: text, engine } = found as { buffer: Buffer; engine: { bytesWritten: number } };
    // zlib ignores what follows a frame.
    return text.length === size && engine.bytesWritten === frame.length && isUtf8(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Adds the functions `unpack_text(frame)` and `pack_text(text)` to a connection. */
export function addWholeTextFunctions(db: Database.Database): void {
  const options = { deterministic: true, directOnly: true };
  db.function('unpack_text', options, (frame: unknown) => {
    const text = Buffer.isBuffer(frame) ? unpackText(frame) : undefined;
    if (text === undefined) throw notWhole();
    return text.toString();
  });
  db.function('pack_text', options, (text: unknown) => {
    const frame = typeof text === 'string' ? packText(Buffer.from(text)) : undefined;
    if (frame === undefined) throw notWhole();
    return frame;
  });
}

function notWhole(): Error {
  return new SqliteError('not a whole text', 'SQLITE_ERROR');
}
