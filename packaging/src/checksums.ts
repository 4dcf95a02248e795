/** Writes and checks `SHA256SUMS`, in the format of sha256sum, for all files of a folder. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'SHA256SUMS';

export function writeChecksums(folder: string): void {
  writeFileSync(join(folder, NAME), checksumsOf(folder));
}

/** Fails when a file is missing, new or different. */
export function checkChecksums(folder: string): void {
  const [wanted, found] = [readFileSync(join(folder, NAME), 'utf8'), checksumsOf(folder)];
  if (wanted !== found) throw new Error(`${NAME} says\n${wanted}but the files are\n${found}`);
}

function checksumsOf(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== NAME)
    .map(({ name }) => name)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');
}
