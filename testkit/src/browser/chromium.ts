/**
 * Finds the Chromium of this machine for browser tests: `$CHROMIUM_BIN`, or the first of the usual names on PATH.
 *
 * Without Chromium such tests are skipped with a message; in CI its absence is a failure.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

export const CHROMIUM = findChromium();
/** The reason if there is no Chromium, otherwise false. */
export const missing = CHROMIUM === undefined && `no Chromium: $CHROMIUM_BIN or ${NAMES.join(', ')} on PATH`;
/** Value of the option `skip` of `test`. */
export const skip = process.env.CI ? false : missing;
/** Options for Playwright. */
export const launchOptions = {
  ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
  args: ['--disable-gpu', '--disable-quic'],
};

function findChromium(): string | undefined {
  const given = process.env.CHROMIUM_BIN;
  if (given) return given;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((path) => join(path, name))).find((path) => existsSync(path));
}
