/**
 * `pnpm prices:update WHEEL`: writes `contract/prices/models.json` from the price list in a wheel of LiteLLM.
 *
 * The servers contain the file, so that costs need no network. Prices are facts; the file names its source and licence.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readNames } from '@twin-ingest/testkit/events/price-names.ts';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { MOST_BYTES } from './checks/prices.ts';
import { modelsText, pricesOf } from './contract/prices.ts';

const FOLDER = join(fileURLToPath(new URL('..', import.meta.url)), 'contract/prices');
const LIST = 'litellm/model_prices_and_context_window_backup.json';
/** The list is 3.5 MB. */
const LIST_BYTES = 64 * 1024 * 1024;
const USAGE = `Usage: pnpm prices:update WHEEL [--date DAY]

Writes contract/prices/models.json from the price list of LiteLLM.
WHEEL is a file of \`pip download litellm --no-deps\`.

Options:
  --date DAY  the day on which it was downloaded; default: today, UTC
  --help      print this and exit`;

answerHelp(USAGE);
const { values, positionals } = parseArgs({ options: { date: { type: 'string' } }, allowPositionals: true });
const [wheel] = positionals;
const version = /^litellm-([\w.]+)-/.exec(basename(wheel ?? ''))?.[1];
if (wheel === undefined || version === undefined) {
  console.error(USAGE);
  process.exit(2);
}
const list = execFileSync('unzip', ['-p', wheel, LIST], { encoding: 'utf8', maxBuffer: LIST_BYTES });
const text = modelsText({
  date: values.date ?? new Date().toISOString().slice(0, 10),
  source: `LiteLLM ${version} (PyPI), ${LIST}`,
  licence: 'MIT, Copyright (c) 2023 Berri AI',
  models: pricesOf(JSON.parse(list), readNames(FOLDER)),
});
const bytes = Buffer.byteLength(text);
if (bytes > MOST_BYTES) throw new Error(`the prices have ${bytes} bytes, more than ${MOST_BYTES}`);
writeFileSync(join(FOLDER, 'models.json'), text);
console.log(`contract/prices/models.json: ${bytes} bytes`);
