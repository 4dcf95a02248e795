/**
 * Reads a result file.
 *
 * Invariant: a file that is not a result of this version is rejected with a sentence, and never read in part.
 */
import { readFile } from 'node:fs/promises';
import { violations } from './json.ts';
import { type Result, SCHEMA_VERSION } from './result.ts';

/** Maximum number of violations that are reported. */
const MOST_VIOLATIONS = 5;

/** Returns the result, or a sentence that states why the file is not one. */
export async function readResult(file: string): Promise<Result | string> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    return error instanceof SyntaxError
      ? `${file} is no JSON`
      : `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
  const version = (value as { schema_version?: unknown } | null)?.schema_version;
  if (version === undefined) return `${file} is no result: it has no schema_version`;
  if (version !== SCHEMA_VERSION) {
    return `${file} is a result of version ${version}; only version ${SCHEMA_VERSION} can be compared, so measure again`;
  }
  const found = await violations(value);
  if (found.length === 0) return value as Result;
  const more = found.length > MOST_VIOLATIONS ? ` and ${found.length - MOST_VIOLATIONS} more` : '';
  return `${file} does not follow the schema of a result: ${found.slice(0, MOST_VIOLATIONS).join('; ')}${more}`;
}
