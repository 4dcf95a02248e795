/**
 * The JSON files of results: the comparison's, and one of each suite, which has its own commit and machine (decisions 22
 * and 68). Invariant: a file is written only if the result follows the schema of this package.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { BinaryResult } from '../binary/result.ts';
import type { CodecsResult } from '../codecs/result.ts';
import { BenchFailure } from '../failure.ts';
import type { SuiteName } from '../plan/suite-options.ts';
import type { RpcResult } from '../rpc/result.ts';
import type { SyncResult } from '../sync/result.ts';

export const SCHEMA_FILE = `${ROOT}loadgen/benchmark-results.schema.json`;

/** The committed results. A suite that was not measured is absent. */
export interface SuiteParts {
  readonly sync?: SyncResult;
  readonly codecs?: CodecsResult;
  readonly binary?: BinaryResult;
  readonly rpc?: RpcResult;
}

/** Names of the suites in the order of the documents. */
export const SUITE_NAMES: readonly SuiteName[] = ['sync', 'codecs', 'binary', 'rpc'];

/** Returns every violation of the schema, or of its `part`, as text; none when the value is valid. */
export async function violations(value: unknown, part = '#'): Promise<string[]> {
  const schema = JSON.parse(await readFile(SCHEMA_FILE, 'utf8')) as object;
  // `unit` documents the unit of a number and checks nothing.
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, keywords: ['unit'] });
  ajv.addSchema(schema, 'result').validate(`result${part}`, value);
  return (ajv.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message}`);
}

/**
 * Returns readable JSON: each metric and each row of a suite has one line. So a list or object without nested ones is on
 * one line, and so is an object with figures.
 */
export function readableJson(value: object): string {
  return `${lines(value, '')}\n`;
}

function lines(value: unknown, indent: string): string {
  const isNested =
    typeof value === 'object' &&
    value !== null &&
    !('figures' in value) &&
    Object.values(value).some((one) => typeof one === 'object' && one !== null);
  if (!isNested) return JSON.stringify(value);
  const inner = `${indent} `;
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((one) => lines(one, inner))]
    : ['{', '}', Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${lines(one, inner)}`)];
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

/** Significant digits of a figure in a result file, more than any interval supports. */
const DIGITS = 4;

/** Rounds every number that is not an integer. `value` is anything that JSON can hold. */
export function rounded<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, one) =>
    typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(DIGITS)) : one,
  );
}

/** Writes a text that follows the schema, or its `part`. An interruption leaves the old file intact. */
export async function writeChecked(text: string, file: string, part?: string): Promise<void> {
  const found = await violations(JSON.parse(text), part);
  const message = 'the result does not follow its schema; nothing was written';
  if (found.length > 0) throw new BenchFailure('result_invalid', message, found);
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, file);
}
