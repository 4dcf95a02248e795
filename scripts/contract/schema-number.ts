/**
 * Raises the number of the schema with each edit of it (rule STO-10).
 *
 * `schema.json` has a digest of the schema next to the number. A comment or a line break is no edit, because it would
 * make users convert their files for nothing.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../contract-facts.ts';

/** Returns `schema.json` for this text of the schema: with the next number when the schema has changed. */
export function schemaFile(file: JsonObject, schema: string): JsonObject {
  const text = schema.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
  const sha256 = createHash('sha256').update(text).digest('hex');
  return file.sha256 === sha256 ? file : { ...file, number: Number(file.number) + 1, sha256 };
}
