/** Reads a file of text that a flag names (rule PRO-03). */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** The content of a file, and its mode. */
export interface TextFile {
  readonly text: string;
  readonly mode: number;
}

/** The name of a message of `config.json`. */
type FileFault = 'file_missing' | 'file_folder' | 'file_denied' | 'file_not_text' | 'file_unreadable';

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a file of UTF-8 text; for a file that is none, returns the name of the message. */
export function readTextFile(path: string): TextFile | FileFault {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    return { mode: fstatSync(file).mode, text: UTF_8.decode(readFileSync(file)) };
  } catch (error) {
    return fileFault(error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Returns the message for an error of the file system or of the decoder. */
export function fileFault(error: unknown): FileFault {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'file_missing';
    case 'EISDIR':
      return 'file_folder';
    case 'EACCES':
    case 'EPERM':
      return 'file_denied';
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'file_not_text';
    default:
      return 'file_unreadable';
  }
}
