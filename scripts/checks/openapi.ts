/**
 * Checks that `contract/openapi.json` agrees with the rest of the contract.
 *
 * The document repeats facts of other files for tools; this module checks that they are equal. Pure: takes parsed
 * files, returns problems.
 */
import type { Json, JsonObject } from '../contract-facts.ts';
import { at, same } from './json-pointer.ts';
import { checkErrors, type ErrorCode } from './openapi-errors.ts';
import { checkRoutes, type Parameter, type Route } from './openapi-routes.ts';

/** Returns the problems of the document, compared with `routes.json`, `vocabulary.json` and the version. */
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
    ...checkHeaders(openapi, vocabulary as JsonObject),
    ...checkReferences(openapi),
  ];
}

/** Returns the rules that the descriptions cite. */
export function citedRules(value: Json): string[] {
  return [...new Set(JSON.stringify(value).match(/\b[A-Z]{3}-\d\d\b/g) ?? [])];
}

/** Files of pages have the headers that `vocabulary.json` lists. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  page_headers: ['/', '/app.js', '/app.css'],
  bench_page_headers: ['/bench/', '/bench/app.js', '/bench/worker.js', '/bench/app.css'],
};

function checkHeaders(openapi: JsonObject, vocabulary: JsonObject): string[] {
  return Object.entries(PAGES).flatMap(([name, paths]) => {
    const facts = (vocabulary[name] ?? {}) as JsonObject;
    const wanted = Object.fromEntries(
      Object.entries(facts).map(([key, value]) => [key, { schema: { const: value! } }]),
    );
    return paths.flatMap((path) => {
      const answer = (openapi.paths as JsonObject | undefined)?.[path];
      return answer === undefined
        ? []
        : same(
            `openapi.json: headers of ${path}`,
            at(answer as JsonObject, '/get/responses/200/headers'),
            wanted,
          );
    });
  });
}

function checkReferences(openapi: JsonObject): string[] {
  const names = JSON.stringify(openapi).match(/"\$ref":"[^"]+"/g) ?? [];
  return [...new Set(names)]
    .map((text) => text.slice(8, -1))
    .filter((name) => !name.startsWith('#/') || at(openapi, name.slice(1)) === undefined)
    .map((name) => `openapi.json: ${name} is not there`);
}
