/**
 * Checks the summaries in `contract/hooks/AGENT.summaries.json`: every hook of the agent has one. Each list must end
 * with a template that needs nothing from a payload, so that the dashboard always has a line to show.
 */
import type { Json, JsonObject } from '../contract-facts.ts';

const ENDING = '.summaries.json';
/** Matches a placeholder such as `{a.b|c}`. */
const PLACE = /\{[^}]*\}/g;
const PATHS = /^\{\w+(\.\w+)*(\|\w+(\.\w+)*)*\}$/;

export function isSummaries(name: string): boolean {
  return name.startsWith('hooks/') && name.endsWith(ENDING);
}

/** Returns the problems of a mapping's summaries, by the mapping's name below `contract/`. */
export function checkSummaries(
  name: string,
  mapping: Json,
  files: ReadonlyMap<string, Json | undefined>,
): string[] {
  const file = name.replace(/\.json$/, ENDING);
  const summaries = files.get(file) as JsonObject | undefined;
  if (summaries === undefined) return [`${name} has no summaries: ${file} is not there`];
  const { about: _, object_paths, known, hooks, other, ...rest } = summaries;
  const lists = (hooks ?? {}) as JsonObject;
  const problems = [
    ...Object.keys(rest).map((key) => `${key} means nothing`),
    ...(isTexts(object_paths) ? [] : ['object_paths is no list of texts']),
    ...(isTexts(known) ? [] : ['known is no list of texts']),
    ...Object.keys(((mapping as JsonObject).hooks ?? {}) as JsonObject)
      .filter((hook) => !Object.hasOwn(lists, hook))
      .map((hook) => `${hook} has no summary`),
    ...Object.entries({ ...lists, other: other ?? null }).flatMap(([hook, list]) =>
      checkTemplates(hook, list),
    ),
  ];
  return problems.map((text) => `${file}: ${text}`);
}

function checkTemplates(hook: string, list: Json): string[] {
  if (!isTexts(list) || list.length === 0) return [`${hook} is no list of templates`];
  const broken = list.flatMap((template) =>
    (template.match(PLACE) ?? []).filter((place) => !PATHS.test(place)),
  );
  return [
    ...broken.map((place) => `${hook}: ${place} is no path`),
    ...(/[{}]/.test(list.at(-1)!) ? [`${hook}: the last template needs something from the payload`] : []),
  ];
}

function isTexts(list: Json | undefined): list is string[] {
  return Array.isArray(list) && list.every((text) => typeof text === 'string' && text !== '');
}
