/**
 * `pnpm contract:check`: checks that the files of `contract/` agree with each other, with the cases and with both
 * servers.
 *
 * Why a program: some facts are needed in two forms (prose and data, data and OpenAPI), and the forms must agree. A
 * rule without a test says nothing about the servers.
 * Invariant: every problem is printed, not only the first. Exit 1 when there is one.
 */
import { fileURLToPath } from 'node:url';
import type { NamesFile } from '@twin-ingest/testkit/events/price-names.ts';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { checkAgents } from './checks/agents.ts';
import { checkFields } from './checks/fields.ts';
import { checkFigures } from './checks/figures.ts';
import { checkFormats } from './checks/formats.ts';
import { checkOpenapi, citedRules } from './checks/openapi.ts';
import { checkOption, type Option } from './checks/options.ts';
import { checkOtlp } from './checks/otlp.ts';
import { checkPrices } from './checks/prices.ts';
import { checkChapters, checkCodes, checkNumbers, checkProofs, ruleNames } from './checks/rules.ts';
import { checkSchemas } from './checks/schemas.ts';
import { checkZones } from './checks/zones.ts';
import type { Fields } from './contract/fields.ts';
import type { Figures } from './contract/figures.ts';
import type { PricesFile } from './contract/prices.ts';
import type { ZonesFile } from './contract/zones.ts';
import { type Facts, type Json, type JsonObject, readFacts } from './contract-facts.ts';
import { generate, isCurrent } from './update-contract.ts';

/** The problems, one a line, and the numbers of checked items. */
export interface Verdict {
  readonly problems: readonly string[];
  readonly looked: string;
}

/** Checks all facts. */
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
    ...checkChapters(facts),
    ...checkNumbers(rules),
    ...checkProofs(rules, facts),
    ...citedRules(openapi)
      .filter((rule) => !rules.includes(rule))
      .map((rule) => `openapi.json cites ${rule}, which is no rule`),
    ...checkOpenapi(openapi, file('routes.json'), file('vocabulary.json'), facts.version),
    ...checkFormats(file('formats.json'), file('routes.json'), openapi),
    ...checkCodes(facts.rules, errors),
    ...checkAgents(facts.json),
    ...checkOtlp(file('otlp.json'), file('routes.json'), errors),
    ...checkFields(file('fields.json') as unknown as Fields, {
      schema: facts.schema,
      rules: facts.rules,
      words: file('vocabulary.json') as JsonObject,
      version: facts.version,
    }),
    ...checkFigures(file('figures.json') as unknown as Figures, {
      fields: file('fields.json') as unknown as Fields,
      schema: facts.schema,
      words: file('vocabulary.json') as JsonObject,
    }),
    ...options.flatMap((option) => checkOption(option, options)),
    ...checkZones(facts.json.get('zones.json') as unknown as ZonesFile | undefined),
    ...checkPrices(
      facts.json.get('prices/models.json') as unknown as PricesFile | undefined,
      facts.json.get('prices/names.json') as unknown as NamesFile | undefined,
    ),
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

/** Checks that every file of the README's table exists, and that every JSON file is valid JSON. */
function checkFiles(facts: Facts): string[] {
  const named = [...facts.page.matchAll(/^\| `([^`*/]+)` *\|/gm)].map(([, name]) => name!);
  return [
    ...named.filter((name) => !facts.files.includes(name)).map((name) => `contract/${name} is not there`),
    ...[...facts.json]
      .filter(([, value]) => value === undefined)
      .map(([name]) => `contract/${name} is no JSON`),
  ];
}

/** Checks that both servers use every statement, under its name in the case of their language. */
function checkQueries(facts: Facts): string[] {
  return facts.queries.flatMap((query) => {
    const camel = query.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const name = new RegExp(`\\b(${query}|${query.toUpperCase()}|${camel})\\b`);
    return [...facts.sources]
      .filter(([, text]) => !name.test(text))
      .map(([folder]) => `contract/queries/${query}.sql is not used in ${folder}`);
  });
}

async function main(): Promise<number> {
  answerHelp(`Usage: pnpm contract:check

Checks that the files of contract/ agree with each other, with the cases and with both servers, and that the files
which pnpm contract:update writes are up to date.

Exit code: 0 in order, 1 a problem.
`);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { problems: found, looked } = checkContract(await readFacts(root));
  const stale = generate(root).filter((file) => !isCurrent(root, file));
  const problems = [
    ...stale.map(({ path }) => `${path} is not up to date: run pnpm contract:update`),
    ...found,
  ];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(
    `contract: ${looked}: ${problems.length === 0 ? 'in order' : `${problems.length} problems`}\n`,
  );
  return problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
