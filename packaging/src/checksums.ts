/** Writes `SHA256SUMS`, in the format of sha256sum, for all files of a folder. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'SHA256SUMS';

export function writeChecksums(folder: string): void {
  const lines = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== NAME)
    .map(({ name }) => name)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(folder, NAME), lines.join(''));
}
