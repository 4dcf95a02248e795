/** Checks the error codes of `openapi.json` against `vocabulary.json`: texts, and the statuses of operations. */
import type { Json, JsonObject } from '../contract-facts.ts';
import { at, resolve, same } from './json-pointer.ts';

export interface ErrorCode {
  readonly status: number;
  readonly text: string;
}

export function checkErrors(openapi: JsonObject, errors: Readonly<Record<string, ErrorCode>>): string[] {
  const schemas = at(openapi, '/components/schemas') as Record<string, JsonObject>;
  const described = new Map<string, JsonObject>();
  for (const schema of Object.values(schemas)) {
    const code = at(schema, '/properties/code/const');
    if (typeof code === 'string') described.set(code, schema);
  }
  const problems = same('openapi.json: error codes', [...described.keys()], Object.keys(errors));
  const statuses = statusesOfErrors(openapi);
  for (const [code, { status, text }] of Object.entries(errors)) {
    const schema = described.get(code);
    if (!schema) continue;
    problems.push(...same(`openapi.json: text of ${code}`, at(schema, '/properties/error/const'), text));
    const got = statuses.get(code) ?? [];
    problems.push(...same(`openapi.json: statuses of ${code}`, got, [String(status)]));
  }
  return problems;
}

/** Returns the statuses under which operations name each error code. */
function statusesOfErrors(openapi: JsonObject): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [path, item] of Object.entries(
    at(openapi, '/paths') as Record<string, Record<string, JsonObject>>,
  )) {
    // A probe answers every fault with one status (HEA-02).
    if (path === '/readyz') continue;
    for (const [method, operation] of Object.entries(item)) {
      if (method === 'parameters') continue;
      for (const [status, response] of Object.entries(operation.responses as Record<string, JsonObject>)) {
        for (const code of codesOf(openapi, resolve(openapi, response) ?? null)) {
          const list = found.get(code) ?? [];
          if (!list.includes(status)) found.set(code, [...list, status]);
        }
      }
    }
  }
  return found;
}

function codesOf(openapi: JsonObject, value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => codesOf(openapi, item));
  if (value === null || typeof value !== 'object') return [];
  const code = at(value, '/properties/code/const');
  if (typeof code === 'string') return [code];
  const target = resolve(openapi, value);
  if (target !== value) return codesOf(openapi, target ?? null);
  return Object.values(value).flatMap((item) => codesOf(openapi, item));
}
