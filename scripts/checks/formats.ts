/** Checks that `formats.json`, the routes with formats, and the media types of `openapi.json` agree. */
import type { Json, JsonObject } from '../contract-facts.ts';
import { at, resolve, same } from './json-pointer.ts';

export interface Format {
  readonly media_types: readonly string[];
  readonly parameter?: { readonly name: string; readonly value: string };
  readonly answer_suffix: string;
}

interface FormatRoute {
  readonly path: string;
  readonly methods: readonly string[];
  readonly produces: string;
  readonly formats?: readonly string[];
  readonly reads?: readonly string[];
  readonly bench?: boolean;
}

/** Returns the problems, one a line. */
export function checkFormats(formatsFile: Json, routesFile: Json, openapi: JsonObject): string[] {
  const { formats = {} } = formatsFile as { formats?: Readonly<Record<string, Format>> };
  const { routes } = routesFile as unknown as { routes: FormatRoute[] };
  const all = Object.values(formats).flatMap(({ media_types }) => media_types);
  return [
    ...all
      .filter((type, index) => all.indexOf(type) !== index || type !== type.toLowerCase())
      .map((type) => `formats.json: ${type} is there twice, or not in lower case`),
    ...routes.flatMap((route) => checkRoute(route, formats, openapi)),
  ];
}

function checkRoute(
  route: FormatRoute,
  formats: Readonly<Record<string, Format>>,
  openapi: JsonObject,
): string[] {
  const { path, methods, produces, formats: answers, reads = [] } = route;
  const own = (names: readonly string[]): string[] =>
    names.flatMap((name) => formats[name]?.media_types[0] ?? []);
  const types = answers === undefined ? [produces] : own(answers);
  const operation = (method: string): JsonObject =>
    (at(openapi, `/paths/${path.replaceAll('/', '~1')}/${method}`) ?? {}) as JsonObject;
  const where = `openapi.json: ${path}`;
  // A route has the formats of GET, or of POST if it has no GET (rule HTT-13).
  const chosen = methods.includes('GET') ? 'get' : 'post';
  return [
    ...[answers ?? [], reads].flatMap((names) => inOrder(path, names, Object.keys(formats))),
    ...(types[0] === produces ? [] : [`routes.json: ${path} produces ${produces}, not ${types[0]}`]),
    ...(methods.includes('GET') || answers !== undefined
      ? same(`${where}: media types of the answer`, answerTypes(openapi, operation(chosen)), types)
      : []),
    ...(methods.includes('POST') && reads.length > 0
      ? same(
          `${where}: media types of the body`,
          mediaTypes(at(operation('post'), '/requestBody/content')),
          own(reads),
        )
      : []),
  ];
}

/** Checks that names of formats exist and follow the order of `formats.json`. */
function inOrder(path: string, names: readonly string[], known: readonly string[]): string[] {
  const wanted = known.filter((name) => names.includes(name));
  return same(`routes.json: formats of ${path}`, [...names], wanted);
}

/** Returns the media types of the first successful answer. */
function answerTypes(openapi: JsonObject, operation: JsonObject): string[] {
  const responses = (operation.responses ?? {}) as Record<string, JsonObject>;
  const success = Object.keys(responses).find((status) => status.startsWith('2'));
  return success === undefined
    ? []
    : mediaTypes(resolve(openapi, responses[success]!)?.content as Json | undefined);
}

function mediaTypes(content: Json | undefined): string[] {
  return Object.keys((content ?? {}) as JsonObject);
}
