/**
 * The Chromium of this machine, for tests of pages: `$CHROMIUM_BIN`, or the first of the usual names on PATH.
 *
 * Where there is none such tests are skipped and say so, but not in CI, where that is a failure.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

export const CHROMIUM = findChromium();
/** Why there is none, or false. */
export const missing = CHROMIUM === undefined && `no Chromium: $CHROMIUM_BIN or ${NAMES.join(', ')} on PATH`;
/** As `test` takes it. */
export const skip = process.env.CI ? false : missing;
/** As Playwright takes them. */
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
