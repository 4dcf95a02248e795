/**
 * What `contract/openapi.json` must have in common with the rest of the contract.
 *
 * The document is written for tools and repeats facts that stand elsewhere; here it is held equal to them.
 * Pure: takes parsed files, gives back problems.
 */
import type { Json, JsonObject } from './contract-facts.ts';

interface Route {
  readonly path: string;
  readonly methods: readonly string[];
  readonly parameters: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly values?: string | readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number | string;
}

interface ErrorCode {
  readonly status: number;
  readonly text: string;
}

/** Problems of the document beside `routes.json`, `vocabulary.json` and the version. */
export function checkOpenapi(
  openapi: JsonObject,
  routesFile: Json,
  vocabulary: Json,
  version: string,
): string[] {
  const { routes, parameters } = routesFile as unknown as {
    routes: Route[];
    parameters: Record<string, Parameter>;
  };
  const words = vocabulary as unknown as Record<string, readonly string[]> & {
    errors: Record<string, ErrorCode>;
  };
  return [
    ...same('openapi.json: info.version', at(openapi, '/info/version'), version),
    ...checkRoutes(openapi, routes, parameters, words),
    ...checkErrors(openapi, words.errors),
    ...checkReferences(openapi),
  ];
}

/** The numbers of rules that its descriptions cite. */
export function citedRules(value: Json): string[] {
  return [...new Set(JSON.stringify(value).match(/\b[A-Z]{3}-\d\d\b/g) ?? [])];
}

function checkRoutes(
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
    // Where a path is read and written, its query parameters are those of reading.
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
  if (type === 'text' || type === 'topics') return { type: 'string' };
  return { type: 'integer', minimum: minimum!, maximum: maximum! };
}

function checkErrors(openapi: JsonObject, errors: Readonly<Record<string, ErrorCode>>): string[] {
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

/** The statuses under which the operations name each error code. */
function statusesOfErrors(openapi: JsonObject): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const item of Object.values(at(openapi, '/paths') as Record<string, Record<string, JsonObject>>))
    for (const [method, operation] of Object.entries(item)) {
      if (method === 'parameters') continue;
      for (const [status, response] of Object.entries(operation.responses as Record<string, JsonObject>)) {
        for (const code of codesOf(openapi, resolve(openapi, response) ?? null)) {
          const list = found.get(code) ?? [];
          if (!list.includes(status)) found.set(code, [...list, status]);
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

function checkReferences(openapi: JsonObject): string[] {
  const names = JSON.stringify(openapi).match(/"\$ref":"[^"]+"/g) ?? [];
  return [...new Set(names)]
    .map((text) => text.slice(8, -1))
    .filter((name) => !name.startsWith('#/') || at(openapi, name.slice(1)) === undefined)
    .map((name) => `openapi.json: ${name} is not there`);
}

function resolve(openapi: JsonObject, value: JsonObject): JsonObject | undefined {
  const name = value.$ref;
  return typeof name === 'string' ? (at(openapi, name.slice(1)) as JsonObject | undefined) : value;
}

/** The value that a JSON pointer (RFC 6901) names. */
function at(value: Json, pointer: string): Json | undefined {
  let current: Json | undefined = value;
  for (const token of pointer.split('/').slice(1)) {
    if (current === null || typeof current !== 'object') return undefined;
    current = (current as JsonObject)[token.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return current;
}

function same(where: string, got: Json | undefined, wanted: Json): string[] {
  const [a, b] = [JSON.stringify(got) ?? 'absent', JSON.stringify(wanted)];
  return a === b ? [] : [`${where}: is ${a}, not ${b}`];
}
