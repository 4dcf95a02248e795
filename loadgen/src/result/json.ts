/** Writes a result file after checking it against the schema of the contract. An invalid result is not written. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { BenchFailure } from '../failure.ts';

export const SCHEMA_FILE = `${ROOT}contract/benchmark-results.schema.json`;

/** Returns every violation of the schema, or of its `part`, as text; none when the value is valid. */
export async function violations(value: unknown, part = '#'): Promise<string[]> {
  const schema = JSON.parse(await readFile(SCHEMA_FILE, 'utf8')) as object;
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  // `unit` documents the unit of a number and checks nothing.
  ajv.addKeyword({ keyword: 'unit', schemaType: 'string' });
  ajv.addSchema(schema, 'result');
  const validate = ajv.getSchema(`result${part}`)!;
  validate(value);
  return (validate.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message}`);
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

/** Rounds every number that is not an integer to `digits` significant digits. `value` is anything that JSON can hold. */
export function rounded<Value>(value: Value, digits: number): Value {
  return JSON.parse(JSON.stringify(value), (_, one) =>
    typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(digits)) : one,
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
