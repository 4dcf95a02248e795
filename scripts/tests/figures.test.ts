/** Tests the figures of the contract: faults that the check reports, and the effect of a new figure. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { checkFigures } from '../checks/figures.ts';
import type { Fields } from '../contract/fields.ts';
import type { FigureSpec, Figures } from '../contract/figures.ts';
import { generate, isCurrent } from '../update-contract.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string): string => readFileSync(join(ROOT, 'contract', name), 'utf8');
const FIGURES: Figures = JSON.parse(read('figures.json'));
const FIELDS: Fields = JSON.parse(read('fields.json'));
const WORDS: Readonly<Record<string, unknown>> = JSON.parse(read('vocabulary.json'));
const SCHEMA = read('migrations/0001_init.sql');
const PROMPTS: FigureSpec = {
  kind: 'count',
  where: { event_type: 'user_prompt' },
  over: ['events', 'calls'],
  unit: 'events',
  label: 'Prompts',
};
/** The schema with a column for PROMPTS in the statistics. */
const WITH_PROMPTS = SCHEMA.replace(
  'PRIMARY KEY (quarter, name, agent_type)',
  'prompt_count INTEGER NOT NULL DEFAULT 0,\n  PRIMARY KEY (quarter, name, agent_type)',
);

function problemsOf(figures: Figures, schema = SCHEMA): string[] {
  return checkFigures(figures, { fields: FIELDS, schema, words: WORDS });
}

function withFigure(change: Partial<FigureSpec>, responses: Partial<Figures['responses']> = {}): Figures {
  return {
    ...FIGURES,
    figures: { ...FIGURES.figures, prompt_count: { ...PROMPTS, ...change } },
    responses: { ...FIGURES.responses, ...responses },
  };
}

test('figures that agree with everything have no problem', () => {
  assert.deepEqual(problemsOf(FIGURES), []);
  const cost = { ...FIGURES.responses.cost, prompt_count: 'prompt_count' };
  assert.deepEqual(problemsOf(withFigure({}, { cost }), WITH_PROMPTS), []);
});

const SESSION = { ...FIGURES.responses.session, prompt_count: 'prompt_count' };
const WRONG: readonly (readonly [problem: string, figures: Figures, schema?: string])[] = [
  ['no table has the column prompt_count', withFigure({}), SCHEMA],
  ['the table stats has prompt_count, which is no figure', FIGURES],
  [
    'the response session needs the column prompt_count in the table sessions',
    withFigure({}, { session: SESSION }),
  ],
  ['the response session has unheard, which is no figure', withFigure({}, { session: { a: 'unheard' } })],
  ['the response cost is ordered by event_count', withFigure({}, { cost: { cost_usd: 'cost_usd' } })],
  [
    'the response cost has call_count, which is of tools alone',
    withFigure({}, { cost: { calls: 'call_count' } }),
  ],
  ['prompt_count adds up words', withFigure({ kind: 'sum', of: 'tokens_in' })],
  ['prompt_count adds up nothing', withFigure({ kind: 'sum' })],
  ['model of prompt_count is no number', withFigure({ of: 'model' })],
  ['two figures have the column tokens_in', withFigure({ kind: 'sum', of: 'tokens_in' })],
  ['event_type of prompt_count has no word prompt', withFigure({ where: { event_type: 'prompt' } })],
  ['model of prompt_count has no list of words', withFigure({ where: { model: 'opus' } })],
  ['prompt_count is over steps and no plain count', withFigure({ over: ['events', 'steps'] })],
  ['prompt_count is over no or repeated events', withFigure({ over: [] })],
  ['the label of prompt_count is no plain text', withFigure({ label: "Prompt's" })],
  [
    'the column prompt_count of stats is INTEGER, not INTEGER NOT NULL',
    withFigure({}),
    WITH_PROMPTS.replace('prompt_count INTEGER NOT NULL DEFAULT 0', 'prompt_count INTEGER'),
  ],
];

for (const [problem, figures, schema = WITH_PROMPTS] of WRONG) {
  test(`the check reports: ${problem}`, () => {
    const problems = problemsOf(figures, schema);
    assert.ok(problems.includes(`contract/figures.json: ${problem}`), problems.join('\n'));
  });
}

/** What a figure of the statistics changes when `GET /api/stats/cost` and series show it. */
const GENERATED = [
  'client-ts/src/contract.ts',
  'contract/loads/0006_time.sql',
  'contract/openapi.json',
  'contract/queries/add_quarter_to_all_time.sql',
  'contract/queries/select_cost_timeline.sql',
  'contract/queries/select_costs.sql',
  'contract/queries/select_series_rows.sql',
  'contract/queries/select_series_sums.sql',
  'contract/queries/select_series_sums_by_name.sql',
  'contract/queries/select_stats_sums.sql',
  'contract/queries/subtract_from_stats.sql',
  'contract/queries/upsert_stats.sql',
  'contract/schema.json',
  'dashboard/src/figure-names.ts',
  'server-rs/src/figure/table.rs',
  'server-ts/src/figure/table.ts',
];

test('a new figure makes exactly the generated files stale', async () => {
  await inTree({}, async (root) => {
    for (const { path } of generate(ROOT)) cpSync(join(ROOT, path), join(root, path));
    cpSync(join(ROOT, 'contract'), join(root, 'contract'), { recursive: true });
    const { cost, series } = FIGURES.responses;
    const figures = withFigure(
      {},
      {
        cost: { ...cost, prompt_count: 'prompt_count' },
        series: { ...series, prompt_count: 'prompt_count' },
      },
    );
    writeFileSync(join(root, 'contract/figures.json'), JSON.stringify(figures));
    writeFileSync(join(root, 'contract/migrations/0001_init.sql'), WITH_PROMPTS);
    const stale = generate(root).filter((file) => !isCurrent(root, file));
    assert.deepEqual(stale.map(({ path }) => path).sort(), GENERATED);
  });
});
