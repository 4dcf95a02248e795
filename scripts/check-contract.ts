/**
 * `pnpm contract:check`: the files of `contract/` agree with each other, with the cases and with both servers.
 *
 * Why a program: the facts stand once, but some are needed in two forms (prose and data, data and OpenAPI), and
 * a rule that nothing proves is a wish.
 * What must stay true: every problem is printed, not the first; exit 1 when there is one.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Facts, type Json, type JsonObject, readFacts } from './contract-facts.ts';
import { checkHooks } from './hook-checks.ts';
import { checkOpenapi, citedRules } from './openapi-checks.ts';

interface Option {
  readonly name: string;
  readonly env: string;
  readonly type: string;
  readonly default: Json;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
  readonly at_least?: string;
}

/** Problems, one a line, and what was looked at. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly looked: string;
}

/** Checks all that was read. */
export function checkContract(facts: Facts): Verdict {
  const rules = ruleNames(facts.rules);
  const file = (name: string): Json => facts.json.get(name) ?? {};
  const openapi = file('openapi.json') as JsonObject;
  const { errors } = file('vocabulary.json') as unknown as {
    errors: Record<string, { status: number }>;
  };
  const { options } = file('config.json') as unknown as { options: Option[] };
  const problems = [
    ...checkFiles(facts),
    ...checkNumbers(rules),
    ...checkProofs(rules, facts),
    ...citedRules(openapi)
      .filter((rule) => !rules.includes(rule))
      .map((rule) => `openapi.json cites ${rule}, which is no rule`),
    ...checkOpenapi(openapi, file('routes.json'), file('vocabulary.json'), facts.version),
    ...checkCodes(facts.rules, errors),
    ...[...facts.json]
      .filter(([name, value]) => name.startsWith('hooks/') && value !== undefined)
      .flatMap(([name, value]) =>
        checkHooks(name, value!, file('vocabulary.json'), file('event.schema.json')),
      ),
    ...options.flatMap((option) => checkOption(option, options)),
    ...checkQueries(facts),
    ...checkSchemas(facts, openapi),
  ];
  const count = (kind: string): number => facts.proofs.filter((proof) => proof.where.startsWith(kind)).length;
  const looked =
    `${rules.length} rules, ${count('case')} cases, ${count('scenario')} scenarios, ` +
    `${Object.keys(errors).length} error codes, ${options.length} options, ${facts.queries.length} queries, ` +
    `${facts.json.size} JSON files`;
  return { problems, looked };
}

/** The numbers of the rules, in their order. */
export function ruleNames(text: string): string[] {
  return [...text.matchAll(/^(?:- )?\*\*([A-Z]{3}-\d\d|LAW)\*\*/gm)].map(([, name]) => name!);
}

/** Every file that the table of the README names is there, and every JSON file is JSON. */
function checkFiles(facts: Facts): string[] {
  const named = [...facts.rules.matchAll(/^\| `([^`*/]+)` *\|/gm)].map(([, name]) => name!);
  return [
    ...named.filter((name) => !facts.files.includes(name)).map((name) => `contract/${name} is not there`),
    ...[...facts.json]
      .filter(([, value]) => value === undefined)
      .map(([name]) => `contract/${name} is no JSON`),
  ];
}

/** Numbers rise by one within their letters, so that none was lost or given twice. */
function checkNumbers(rules: readonly string[]): string[] {
  const next = new Map<string, number>();
  return rules.flatMap((rule) => {
    const [letters = '', digits] = rule.split('-');
    if (digits === undefined) return [];
    const wanted = next.get(letters) ?? 1;
    next.set(letters, Number(digits) + 1);
    return Number(digits) === wanted ? [] : [`${rule} stands where number ${wanted} is due`];
  });
}

function checkProofs(rules: readonly string[], facts: Facts): string[] {
  const proved = new Set(facts.proofs.flatMap((proof) => proof.rules));
  return [
    ...rules.filter((rule) => !proved.has(rule)).map((rule) => `${rule} has no case and no scenario`),
    ...facts.proofs.flatMap((proof) =>
      proof.rules
        .filter((rule) => !rules.includes(rule))
        .map((rule) => `${proof.where} names ${rule}, which is no rule`),
    ),
    ...facts.proofs
      .filter((proof) => proof.rules.length === 0)
      .map((proof) => `${proof.where} names no rule`),
  ];
}

/** Every code of the vocabulary is named in a rule, by itself or by a status that is its own. */
function checkCodes(text: string, errors: Readonly<Record<string, { readonly status: number }>>): string[] {
  const statuses = Object.values(errors).map((error) => error.status);
  const byStatus = (status: number): boolean =>
    statuses.filter((one) => one === status).length === 1 && new RegExp(`\\b${status}\\b`).test(text);
  return Object.entries(errors)
    .filter(([code, { status }]) => !text.includes(`\`${code}\``) && !byStatus(status))
    .map(([code]) => `vocabulary.json has the code ${code}, which no rule names`);
}

function checkOption(option: Option, options: readonly Option[]): string[] {
  const { name, type, default: value, minimum = 0, maximum = 0 } = option;
  const where = `config.json: ${name}`;
  const wanted = `INGEST_${name.toUpperCase().replaceAll('-', '_')}${type === 'list' ? 'S' : ''}`;
  const problems = option.env === wanted ? [] : [`${where}: its variable is ${option.env}, not ${wanted}`];
  if (type === 'integer') {
    if (minimum > maximum) problems.push(`${where}: the minimum is above the maximum`);
    if (typeof value !== 'number' || value < minimum || value > maximum)
      problems.push(`${where}: the default ${value} is not from ${minimum} to ${maximum}`);
  }
  if (type === 'choice' && !option.choices?.includes(String(value)))
    problems.push(`${where}: the default ${value} is none of the choices`);
  if (option.at_least !== undefined) {
    const other = options.find((one) => one.name === option.at_least);
    if (!other) problems.push(`${where}: ${option.at_least} is no option`);
    else if (Number(value) < Number(other.default))
      problems.push(`${where}: the default is below ${other.name}`);
  }
  return problems;
}

/** Every statement is used by both servers, under its name in the case of their language. */
function checkQueries(facts: Facts): string[] {
  return facts.queries.flatMap((query) => {
    const camel = query.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const name = new RegExp(`\\b(${query}|${query.toUpperCase()}|${camel})\\b`);
    return [...facts.sources]
      .filter(([, text]) => !name.test(text))
      .map(([folder]) => `contract/queries/${query}.sql is not used in ${folder}`);
  });
}

/** What a JSON Schema validator can say: every schema compiles, and the last result is valid. */
function checkSchemas(facts: Facts, openapi: JsonObject): string[] {
  const problems: string[] = [];
  const compile = (
    name: string,
    schema: Json,
    draft: 'draft7' | '2020',
  ): ((value: Json) => boolean) | undefined => {
    try {
      return validator(draft).compile(schema);
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  for (const [name, schema] of facts.json) {
    if (!name.endsWith('.schema.json') || schema === undefined) continue;
    const draft = String((schema as JsonObject).$schema).includes('2020-12') ? '2020' : 'draft7';
    const validate = compile(`contract/${name}`, schema, draft);
    if (
      name === 'benchmark-results.schema.json' &&
      facts.results !== undefined &&
      validate?.(facts.results) === false
    )
      problems.push('benchmark-results.json is not of the shape of contract/benchmark-results.schema.json');
  }
  const { components } = openapi as { components?: { schemas?: JsonObject } };
  for (const name of Object.keys(components?.schemas ?? {}))
    compile(
      `openapi.json: ${name}`,
      { $ref: `#/components/schemas/${name}`, components: components! },
      '2020',
    );
  return problems;
}

/** The validator belongs to parity-tests, whose dependency it is. */
function validator(draft: 'draft7' | '2020'): { compile(schema: Json): (value: Json) => boolean } {
  const load = createRequire(new URL('../parity-tests/package.json', import.meta.url));
  const module = load(draft === '2020' ? 'ajv/dist/2020.js' : 'ajv') as {
    default: new (options: object) => { compile(schema: Json): (value: Json) => boolean };
  };
  return new module.default({ strict: false, validateFormats: false, allowUnionTypes: true });
}

async function main(): Promise<number> {
  const { problems, looked } = checkContract(await readFacts(fileURLToPath(new URL('..', import.meta.url))));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(
    `contract: ${looked}: ${problems.length === 0 ? 'in order' : `${problems.length} problems`}\n`,
  );
  return problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
