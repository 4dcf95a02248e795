/**
 * Generates the client's types from `openapi.json`: events as sent, rows, sessions, statistics and queries.
 *
 * It translates only the part of JSON Schema that `openapi.json` uses. Anything else is an error. The text is formatted
 * as by Biome.
 */
import type { Json, JsonObject } from '../contract-facts.ts';

/** The schemas that the client exports; schemas that they refer to are added. */
const SCHEMAS = [
  'Event',
  'Row',
  'Page',
  'TimePage',
  'Session',
  'SessionPage',
  'SessionWithEvents',
  'Stats',
  'Series',
  'Deleted',
  'Backup',
  'BatchResult',
  'Snapshot',
];
/** Names in the client that differ from those of the schemas. */
const RENAMED: Readonly<Record<string, string>> = {
  Event: 'OutgoingEvent',
  Row: 'EventRow',
  Page: 'EventPage',
  TimePage: 'EventTimePage',
  Snapshot: 'StateSnapshot',
};
/** Query parameters of a route, by type name. */
const QUERIES: Readonly<Record<string, string>> = {
  EventsQuery: '/api/events',
  SessionsQuery: '/api/sessions',
  StatsQuery: '/api/stats',
  SeriesQuery: '/api/series',
  SnapshotQuery: '/api/snapshot/{topic}',
};
/** The line width of `biome.json`. */
const LINE_WIDTH = 110;

interface Parameter {
  readonly name: string;
  readonly description?: string;
  readonly schema: JsonObject;
}

/** Returns `client-ts/src/contract.ts`. */
export function clientTypes(openapi: JsonObject): string {
  const { schemas, parameters } = openapi.components as {
    readonly schemas: Readonly<Record<string, JsonObject>>;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
  const declarations: string[] = [];
  const wanted = [...SCHEMAS];
  for (const name of wanted) {
    const schema = schemas[name]!;
    for (const reference of references(schema)) if (!wanted.includes(reference)) wanted.push(reference);
    declarations.push(declaration(name, schema, name === 'Event'));
  }
  const paths = openapi.paths as Readonly<Record<string, { get: { parameters: { $ref?: string }[] } }>>;
  const words = new Map(wanted.map((name) => [JSON.stringify(schemas[name]!.enum), name]));
  for (const [name, path] of Object.entries(QUERIES)) {
    const inQuery = paths[path]!.get.parameters.filter(({ $ref }) => $ref !== undefined);
    const members = inQuery.map(({ $ref }) => {
      const { name, description, schema } = parameters[nameOf($ref!)] as Parameter;
      const known = schema.enum && words.get(JSON.stringify(schema.enum));
      const type = known === undefined ? typeText(schema) : exported(String(known));
      return member(`${name}?`, `${type} | undefined`, description);
    });
    declarations.push(
      `/** Parameters of \`GET ${path}\`. */\nexport interface ${name} {\n${members.join('')}}\n`,
    );
  }
  return `/** Generated from \`contract/openapi.json\` by \`pnpm contract:update\`: requests and answers of the client. */

${declarations.join('\n')}`;
}

function declaration(name: string, schema: JsonObject, isSent: boolean): string {
  const comment = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
  if (schema.properties === undefined) {
    return `${comment}${wrapped(`export type ${exported(name)} =`, typeText(schema).split(' | '))}`;
  }
  const required = schema.required as string[];
  const members = Object.entries(schema.properties as JsonObject).map(([property, value]) => {
    const type = typeText(value as JsonObject);
    const { description } = value as { readonly description?: string };
    if (required.includes(property)) return member(property, type, description);
    // An omitted field may be `undefined`. JSON has no such value, so the field is then omitted too.
    return member(`${property}?`, isSent && type !== 'unknown' ? `${type} | undefined` : type, description);
  });
  return `${comment}export interface ${exported(name)} {\n${members.join('')}}\n`;
}

function member(name: string, type: string, description?: string): string {
  const comment = description === undefined ? '' : `  /** ${description} */\n`;
  return `${comment}${wrapped(`  readonly ${name}:`, type.split(' | '))}`;
}

/** Returns the text on one line if that fits, otherwise with one line for each part of the union. */
function wrapped(begin: string, union: readonly string[]): string {
  const margin = begin.search(/\S/);
  const indented = (part: string, spaces: number) => part.replaceAll('\n', `\n${' '.repeat(spaces)}`);
  if (union.length === 1) return `${begin} ${indented(union[0]!, margin)};\n`;
  const line = `${begin} ${union.join(' | ')};\n`;
  if (line.length - 1 <= LINE_WIDTH && !line.slice(0, -1).includes('\n')) return line;
  const indent = ' '.repeat(margin + 2);
  const parts = union.map((part) => `${indent}| ${indented(part, margin + 4)}`);
  return `${begin}\n${parts.join('\n')};\n`;
}

function typeText(schema: JsonObject): string {
  if (typeof schema.$ref === 'string') return exported(nameOf(schema.$ref));
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return (schema.enum as Json[]).map(literal).join(' | ');
  const parts = (schema.oneOf ?? schema.anyOf) as JsonObject[] | undefined;
  if (parts !== undefined) return parts.map(typeText).join(' | ');
  if (schema.type === undefined) return 'unknown';
  return [schema.type]
    .flat()
    .map((type) => plainType(String(type), schema))
    .join(' | ');
}

function plainType(type: string, schema: JsonObject): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'object':
      return objectText(schema);
    case 'array':
      return arrayOf(typeText(schema.items as JsonObject));
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    default:
      throw new TypeError(`openapi.json: no type is known for ${JSON.stringify(schema)}`);
  }
}

function arrayOf(item: string): string {
  return item.startsWith('readonly ') ? `readonly (${item})[]` : `readonly ${item}[]`;
}

/** Returns a nested object as text, one member a line. The caller indents it. */
function objectText({ properties, required = [] }: JsonObject): string {
  const members = Object.entries(properties as JsonObject).map(([name, value]) => {
    const mark = (required as string[]).includes(name) ? '' : '?';
    return `  readonly ${name}${mark}: ${typeText(value as JsonObject)};\n`;
  });
  return `{\n${members.join('')}}`;
}

/** Returns a literal, with quotes like Biome. */
function literal(value: Json): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function references(schema: Json): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === '$ref' ? [nameOf(String(value))] : references(value),
  );
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

export function exported(name: string): string {
  return RENAMED[name] ?? name;
}
