/**
 * Generates the parts of `event.schema.json`, `routes.json` and `openapi.json` that follow from `fields.json`.
 *
 * Each function takes a parsed file and returns it with those parts replaced; all other parts stay.
 */
import type { Json, JsonObject } from '../contract-facts.ts';
import { type FieldSpec, type Fields, nameKinds, pascalCase, type ServerColumn } from './fields.ts';

type Words = Readonly<Record<string, readonly string[]>>;

/** Returns `event.schema.json` with its `required`, its `properties`, and the definitions of texts. */
export function eventSchema(file: JsonObject, { fields }: Fields, words: Words): JsonObject {
  const entries = Object.entries(fields);
  const definitions = Object.entries(file.$defs as JsonObject).filter(([name]) => !/text_\d/.test(name));
  const texts = new Map(
    entries
      .filter(([, { kind }]) => kind === 'text')
      .map(([, spec]) => [textDefinition(spec), textSchema(spec)]),
  );
  return {
    ...file,
    required: entries.filter(([, { required }]) => required).map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, spec]) => [name, sentSchema(spec, words)])),
    $defs: { ...Object.fromEntries(texts), ...Object.fromEntries(definitions) },
  };
}

function sentSchema(spec: FieldSpec, words: Words): JsonObject {
  const description = describe(spec);
  if (spec.kind === 'text') return { $ref: `#/$defs/${textDefinition(spec)}`, description };
  if (spec.kind === 'json') return { description };
  if (spec.kind !== 'choice') return { $ref: `#/$defs/${spec.kind}`, description };
  const values = words[spec.values!]!;
  return spec.required
    ? { description, type: 'string', pattern: `^\\s*(?:${values.join('|')})\\s*$` }
    : { description, enum: [...values, null] };
}

function textDefinition({ required, bytes }: FieldSpec): string {
  return `${required ? 'required_' : ''}text_${bytes}`;
}

/** Returns the schema of a text. Its lengths are in code points, as in JSON Schema. */
function textSchema({ required, bytes = 0 }: FieldSpec): JsonObject {
  const inner = `[^\\s\\u0000\\p{Cs}](?:[^\\u0000\\p{Cs}]{0,${bytes - 2}}[^\\s\\u0000\\p{Cs}])?\\s*`;
  return required
    ? {
        description: `Not empty after trimming, at most ${bytes} after trimming, without U+0000 and lone surrogates.`,
        type: 'string',
        pattern: `^\\s*${inner}$`,
      }
    : {
        description: `At most ${bytes} after trimming, without U+0000 and lone surrogates; empty is absent.`,
        type: ['string', 'null'],
        pattern: `^\\s*(?:${inner})?$`,
      };
}

function describe(spec: FieldSpec): string {
  const { kind, description, required, trimmed, default: absent } = spec;
  const sentences = [
    ...(description === undefined ? [] : [description]),
    ...(kind === 'text' && trimmed ? ['Trimmed.'] : []),
    ...(kind === 'choice' && !trimmed ? ['Not trimmed.'] : []),
    ...(required || /\bAbsent\b/.test(description ?? '') ? [] : [`Absent: ${absent}.`]),
  ];
  return sentences.join(' ');
}

/** The routes that take every filter. */
const FILTERED = ['/api/events', '/api/series'];

/** Returns `routes.json` with the filters of the filtered routes, the parameter of each, and the fields of series. */
export function routesFile(file: JsonObject, contract: Fields): JsonObject {
  const { filters } = contract;
  const routes = (file.routes as JsonObject[]).map((route) => {
    if (!FILTERED.includes(route.path as string)) return route;
    const others = (route.parameters as string[]).filter((name) => !isField(name, contract));
    return { ...route, parameters: [...filters, ...others] };
  });
  const own = filters.map((name) => [name, parameterOf(name, contract)] as const);
  const others = Object.entries(file.parameters as JsonObject).filter(([name]) => !isField(name, contract));
  const parameters = Object.fromEntries([...own, ...others]);
  (parameters.by as JsonObject).values = nameKinds(contract);
  return { ...file, routes, parameters };
}

function parameterOf(name: string, { fields }: Fields): JsonObject {
  const { kind, values, filter_needs: needs } = fields[name]!;
  const type = kind === 'choice' ? { type: 'choice', values: values! } : { type: 'text' };
  return { name, ...type, ...(needs === undefined ? {} : { needs }) };
}

function isField(name: string, { fields }: Fields): boolean {
  return Object.hasOwn(fields, name);
}

/** Returns `openapi.json` with the filters, an event as sent, a row, and the lists of the filter options. */
export function openapiFile(
  file: JsonObject,
  contract: Fields,
  words: Words,
  limits: { readonly max_integer: number; readonly max_cost_usd: number },
): JsonObject {
  const { fields, filters, row } = contract;
  const copy = structuredClone(file);
  const components = copy.components as { parameters: JsonObject; schemas: JsonObject };
  const paths = copy.paths as Record<string, { get: { parameters: { $ref: string }[] } }>;
  const nameOf = ({ $ref }: { $ref: string }): string => $ref.slice($ref.lastIndexOf('/') + 1);
  for (const path of FILTERED) {
    const operation = paths[path]!.get;
    operation.parameters = [
      ...filters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
      ...operation.parameters.filter((one) => !isField(nameOf(one), contract)),
    ];
  }
  components.parameters = {
    ...Object.fromEntries(filters.map((name) => [name, openapiParameter(name, fields[name]!, words)])),
    ...Object.fromEntries(Object.entries(components.parameters).filter(([name]) => !isField(name, contract))),
  };
  (components.parameters.by as { schema: JsonObject }).schema.enum = nameKinds(contract);
  const entries = Object.entries(fields);
  const event = components.schemas.Event as JsonObject;
  event.required = entries.filter(([, { required }]) => required).map(([name]) => name);
  event.properties = Object.fromEntries(
    entries.map(([name, spec]) => [name, openapiSent(name, spec, limits)]),
  );
  const whole = components.schemas.Row as JsonObject;
  whole.properties = Object.fromEntries(row.map((name) => [name, openapiColumn(name, contract)]));
  whole.required = [...row];
  const options = components.schemas.FilterOptions as JsonObject;
  const kinds = nameKinds(contract);
  options.required = kinds;
  options.properties = Object.fromEntries(
    kinds.map((name) => [name, { type: 'array', items: { $ref: '#/components/schemas/Counted' } }]),
  );
  return copy;
}

function openapiParameter(
  name: string,
  { kind, values, filter_needs: needs }: FieldSpec,
  words: Words,
): JsonObject {
  const schema = kind === 'choice' ? { enum: [...words[values!]!] } : { type: 'string', minLength: 1 };
  const description = needs === undefined ? {} : { description: `Only together with ${needs} (GET-03).` };
  return { name, in: 'query', ...description, schema };
}

function openapiSent(
  name: string,
  spec: FieldSpec,
  limits: { readonly max_integer: number; readonly max_cost_usd: number },
): JsonObject {
  const nullable = (type: string): Json => (spec.required ? type : [type, 'null']);
  switch (spec.kind) {
    case 'text':
      return {
        type: nullable('string'),
        ...(spec.required ? { pattern: '\\S' } : {}),
        description: `At most ${spec.bytes} bytes of UTF-8 after trimming (EVT-12).`,
      };
    case 'choice': {
      const reference = { $ref: `#/components/schemas/${pascalCase(name)}` };
      return spec.required ? reference : { oneOf: [reference, { type: 'null' }] };
    }
    case 'integer':
      return { type: nullable('integer'), minimum: 0, maximum: limits.max_integer };
    case 'dollars':
      return { type: nullable('number'), minimum: 0, maximum: limits.max_cost_usd };
    case 'timestamp':
      return { type: nullable('string'), format: 'date-time' };
    case 'json':
      return { description: 'Any JSON value, kept byte for byte (MET-01).' };
  }
}

/** Returns a column of a row as clients read it. */
function openapiColumn(name: string, { fields, server_columns }: Fields): JsonObject {
  const spec: FieldSpec | ServerColumn = fields[name] ?? server_columns[name]!;
  const type = (one: string): Json => (spec.default === null ? [one, 'null'] : one);
  switch (spec.kind) {
    case 'text':
      return { type: type('string') };
    case 'choice':
      return { $ref: `#/components/schemas/${pascalCase(name)}` };
    case 'integer':
      if ('value' in spec) return { const: spec.value! };
      return { type: type('integer'), minimum: name === 'id' ? 1 : 0 };
    case 'dollars':
      return { type: type('number'), minimum: 0 };
    case 'timestamp':
      return { type: type('string'), format: 'date-time' };
    case 'boolean':
      return { type: 'boolean' };
    case 'json':
      return { description: 'Any JSON value, its text as it was sent (MET-01).' };
  }
}
