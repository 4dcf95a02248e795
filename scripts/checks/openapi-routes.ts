/** Checks paths, methods and query parameters of `openapi.json` against `routes.json`. */
import type { JsonObject } from '../contract-facts.ts';
import { at, resolve, same } from './json-pointer.ts';

export interface Route {
  readonly path: string;
  readonly methods: readonly string[];
  readonly parameters: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly values?: string | readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number | string;
}

export function checkRoutes(
  openapi: JsonObject,
  routes: readonly Route[],
  parameters: Readonly<Record<string, Parameter>>,
  words: Readonly<Record<string, readonly string[]>>,
): string[] {
  const paths = at(openapi, '/paths') as JsonObject;
  const problems = same(
    'openapi.json: paths',
    Object.keys(paths),
    routes.map((route) => route.path),
  );
  for (const { path, methods, parameters: keys } of routes) {
    const item = (paths[path] ?? {}) as JsonObject;
    const operations = Object.keys(item).filter((key) => key !== 'parameters');
    problems.push(
      ...same(
        `openapi.json: methods of ${path}`,
        operations,
        methods.map((name) => name.toLowerCase()),
      ),
    );
    // If a path has GET and POST, its query parameters belong to GET.
    const operation = at(item, methods.includes('GET') ? '/get' : '/post') as JsonObject | undefined;
    const says = ((operation?.parameters ?? []) as JsonObject[])
      .map((one) => resolve(openapi, one))
      .filter((one) => one?.in === 'query');
    const where = `openapi.json: parameters of ${path}`;
    problems.push(
      ...same(
        where,
        says.map((one) => one?.name ?? null),
        keys.map((key) => parameters[key]!.name),
      ),
    );
    if (says.length !== keys.length) continue;
    keys.forEach((key, index) => {
      const schema = schemaOf(parameters[key]!, words);
      for (const [word, value] of Object.entries(schema))
        problems.push(...same(`${where}: ${key}: ${word}`, at(says[index]!, `/schema/${word}`), value));
    });
  }
  return problems;
}

function schemaOf(parameter: Parameter, words: Readonly<Record<string, readonly string[]>>): JsonObject {
  const said = parameter.default === undefined ? {} : { default: parameter.default };
  return { ...typeOf(parameter, words), ...said };
}

function typeOf(parameter: Parameter, words: Readonly<Record<string, readonly string[]>>): JsonObject {
  const { type, values, minimum, maximum } = parameter;
  if (type === 'choice') return { enum: [...(typeof values === 'string' ? words[values]! : values!)] };
  if (type === 'timestamp') return { type: 'string', format: 'date-time' };
  if (type === 'integer') return { type, minimum: minimum!, maximum: maximum! };
  return { type: 'string' };
}
