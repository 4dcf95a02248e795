/**
 * Checks the summaries in `contract/agents/NAME/summaries.json`: every hook of the agent has one. Each list must end
 * with a template that needs nothing from a payload, so that the dashboard always has a line to show.
 */
import { ANY_NAME } from '@twin-ingest/mapping/rule.ts';
import type { Json, JsonObject } from '../contract-facts.ts';

/** Matches a placeholder such as `{a.b|c}`. */
const PLACE = /\{[^}]*\}/g;
const PATHS = /^\{\w+(\.\w+)*(\|\w+(\.\w+)*)*\}$/;

/** Returns the problems of a file of summaries, by its name below `contract/`. */
export function checkSummaries(
  file: string,
  mapping: Json,
  files: ReadonlyMap<string, Json | undefined>,
): string[] {
  const summaries = files.get(file) as JsonObject | undefined;
  if (summaries === undefined) return [`${file} is not there`];
  const { about: _, for_others, object_paths, known, hooks, other, ...rest } = summaries;
  const lists = (hooks ?? {}) as JsonObject;
  const problems = [
    ...Object.keys(rest).map((key) => `${key} means nothing`),
    ...(for_others === undefined || for_others === true ? [] : ['for_others is not true']),
    ...(isTexts(object_paths) ? [] : ['object_paths is no list of texts']),
    ...(isTexts(known) ? [] : ['known is no list of texts']),
    ...Object.keys(((mapping as JsonObject).records ?? {}) as JsonObject)
      .filter((hook) => hook !== ANY_NAME && !Object.hasOwn(lists, hook))
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
