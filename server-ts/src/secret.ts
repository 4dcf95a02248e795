/** Makes random secrets, and the file of a new token (rule SEC-08). */
import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';

/** Random bytes of a secret: 43 characters. */
const SECRET_BYTES = 32;

/** Returns a new secret of the system's random numbers. */
export function randomSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Creates the file (0600) with a new token. It has its name only when it is whole. A file that exists stays as it is. */
export function createToken(path: string): void {
  const partial = `${path}.${process.pid}.partial`;
  writeFileSync(partial, `${randomSecret()}\n`, { flag: 'wx', mode: 0o600 });
  try {
    // Unlike a rename, a link never replaces a file.
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(partial, { force: true });
  }
}
