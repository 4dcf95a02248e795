/**
 * Generates the parts of `openapi.json` that follow from `figures.json`: the figures of each response.
 *
 * Figures stand together in a response, between two members that are none.
 */
import type { JsonObject } from '../contract-facts.ts';
import { type Figure, type FigureFacts, figureOf, type Members, membersOf } from './figures.ts';

/** Returns `openapi.json` with the figures of each response; all other parts stay. */
export function openapiFigures(file: JsonObject, facts: FigureFacts): JsonObject {
  const copy = structuredClone(file);
  const { schemas } = copy.components as unknown as { schemas: Record<string, ObjectSchema> };
  const { session, stats, tool, cost, series } = facts.responses;
  const of = (members: Members, wrap = (one: JsonObject): JsonObject => one): Entries =>
    membersOf(facts, members).map(([member, figure]) => [member, wrap(schemaOf(figure))]);
  const [first, ...others] = of(stats);
  put(schemas.Session!, of(session), 'last_event_id');
  // The counts of sessions stand behind the first figure.
  put(schemas.Stats!, [first!], undefined, 'active_sessions');
  put(schemas.Stats!, others, 'total_sessions', 'tools');
  put(schemas.Cost!, of(cost), 'name');
  put(itemsOf(schemas.CostStats!, 'timeline'), of(cost), 'bucket');
  put(itemsOf(schemas.ToolStats!, 'tools'), toolMembers(facts, tool), 'tool_name', 'by_agent');
  put(
    schemas.SeriesLine!,
    of(series, (items) => ({ type: 'array', items })),
    'name',
    'p50_ms',
  );
  return copy;
}

type Entries = (readonly [member: string, schema: JsonObject])[];

interface ObjectSchema {
  required: string[];
  properties: Record<string, JsonObject>;
}

function itemsOf(schema: ObjectSchema, list: string): ObjectSchema {
  return (schema.properties[list] as unknown as { items: ObjectSchema }).items;
}

/** Replaces the members between two others; the first or the last ones without a neighbour. */
function put(schema: ObjectSchema, members: Entries, after: string | undefined, before?: string): void {
  const all = Object.entries(schema.properties);
  const names = all.map(([name]) => name);
  const start = after === undefined ? 0 : names.indexOf(after) + 1;
  const end = before === undefined ? names.length : names.indexOf(before);
  const replaced = names.slice(start, end);
  const kept = schema.required.filter((name) => !replaced.includes(name));
  const at = after === undefined ? 0 : kept.indexOf(after) + 1;
  schema.properties = Object.fromEntries([...all.slice(0, start), ...members, ...all.slice(end)]);
  schema.required = [...kept.slice(0, at), ...members.map(([member]) => member), ...kept.slice(at)];
}

/** A count is a whole number. A sum may pass 2^53, so it is the nearest double (rule STA-06). */
function schemaOf({ kind }: Figure): JsonObject {
  return { type: kind === 'count' ? 'integer' : 'number', minimum: 0 };
}

function toolMembers(facts: FigureFacts, tool: FigureFacts['responses']['tool']): Entries {
  return Object.entries(tool).map(([member, one]) => {
    if (typeof one === 'string') return [member, schemaOf(figureOf(facts, one))] as const;
    return [member, { type: one.per === 'call_count' ? 'number' : ['number', 'null'], minimum: 0 }] as const;
  });
}
