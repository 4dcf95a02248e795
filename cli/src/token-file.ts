/** Reads the token of a server from the file that a flag names. Messages are those of the servers (rule PRO-03). */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import config from '../../contract/config.json' with { type: 'json' };

const { messages } = config;
const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: messages.file_missing,
  EISDIR: messages.file_folder,
  EACCES: messages.file_denied,
  EPERM: messages.file_denied,
  ERR_ENCODING_INVALID_ENCODED_DATA: messages.file_not_text,
};
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the first line of a token file, as the hooks read it; `null` if it cannot be read or is empty. */
export function tokenLine(path: string): string | null {
  try {
    const [line] = readFileSync(path, 'utf8').split('\n');
    return line!.trim() || null;
  } catch {
    return null;
  }
}

/** Returns the text of the file without white space around it; adds a problem when there is none. */
export function tokenIn(
  flag: string,
  file: string | undefined,
  cwd: string,
  problems: string[],
): string | undefined {
  if (file === undefined) return undefined;
  try {
    return UTF_8.decode(readFileSync(resolve(cwd, file))).trim();
  } catch (error) {
    const message = FAULTS[(error as NodeJS.ErrnoException).code ?? ''] ?? messages.file_unreadable;
    problems.push(message.replace('{source}', `--${flag}`).replace('{value}', JSON.stringify(file)));
    return undefined;
  }
}
