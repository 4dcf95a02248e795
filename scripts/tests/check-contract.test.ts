/**
 * Tests `check-contract` on made-up contracts: a valid one, and copies of it with one fault.
 *
 * Over 250 lines because the valid contract is written out once, and every faulty one differs from it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTree, type Tree } from '@twin-ingest/testkit/files/tree.ts';
import { checkContract } from '../check-contract.ts';
import { ruleNames } from '../checks/rules.ts';
import { readFacts } from '../contract-facts.ts';

const PAGE = `# Rules

**LAW** Both alike.

| rules | chapter |
|-------|---------|
| GET   | [read](rules/read.md) |

| file | holds |
|---|---|
| \`VERSION\` | the version |
| \`queries/*.sql\` | statements |
`;

const RULES = `# Read

- **GET-01** One thing of a \`session_id\`.
- **GET-02** Bad is 400 \`bad_thing\`, absent is 404.
`;

const ERROR = (code: string, text: string): unknown => ({
  type: 'object',
  properties: { error: { const: text }, code: { const: code } },
});

const OPENAPI = {
  info: { version: '1.0.0' },
  paths: {
    '/things': {
      get: {
        description: 'GET-01',
        parameters: [{ $ref: '#/components/parameters/limit' }, { $ref: '#/components/parameters/kind' }],
        responses: {
          200: { content: { 'text/a': {}, 'text/b': {} } },
          400: { $ref: '#/components/responses/Bad' },
          404: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Absent' } } } },
        },
      },
    },
  },
  components: {
    parameters: {
      limit: { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 9, default: 5 } },
      kind: { name: 'kind', in: 'query', schema: { enum: ['a', 'b'] } },
    },
    responses: { Bad: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Bad' } } } } },
    schemas: { Bad: ERROR('bad_thing', 'Bad'), Absent: ERROR('absent', 'Absent') },
  },
};

/** A valid mapping of hooks. */
const HOOKS = {
  source: 'hook',
  name: { from: ['name'] },
  summary: ['name', 'id'],
  fields: { session_id: { from: 'id', default: 'unknown' } },
  records: { End: { event_type: 'tool_use' }, '*': { event_type: 'tool_use' } },
};

/** Returns an agent with such hooks, in its folder and in the file that joins all agents. */
function agentWith(hooks: unknown): Tree {
  const agent = { label: 'Agent', agent_type: 'agent' };
  return {
    'contract/agents.json': { agent: { ...agent, hooks } },
    'contract/agents/agent/agent.json': { ...agent, versions: {} },
    'contract/agents/agent/hooks.json': hooks,
  };
}

/** A valid figure, and the tables that have it. */
const FIGURES = {
  figures: {
    event_count: { kind: 'count', over: ['events'], unit: 'events', label: 'Events', rare: true },
  },
  responses: {
    session: {},
    stats: {},
    tool: {},
    cost: { events: 'event_count' },
    series: { events: 'event_count' },
  },
};
const SUMS =
  'CREATE TABLE sessions (event_count INTEGER NOT NULL); CREATE TABLE stats (event_count INTEGER NOT NULL);';

const GOOD: Tree = {
  'contract/README.md': PAGE,
  'contract/rules/read.md': RULES,
  'contract/VERSION': '1.0.0\n',
  'contract/openapi.json': OPENAPI,
  'contract/routes.json': {
    routes: [
      {
        path: '/things',
        methods: ['GET'],
        produces: 'text/a',
        formats: ['a', 'b'],
        parameters: ['limit', 'kind'],
      },
    ],
    parameters: {
      limit: { name: 'limit', type: 'integer', minimum: 1, maximum: 9, default: 5 },
      kind: { name: 'kind', type: 'choice', values: 'kinds' },
    },
  },
  'contract/formats.json': {
    formats: { a: { media_types: ['text/a', 'text/x-a'] }, b: { media_types: ['text/b'] } },
  },
  'contract/vocabulary.json': {
    kinds: ['a', 'b'],
    event_types: ['tool_use'],
    statuses: ['success', 'error'],
    sources: ['api', 'hook', 'otel'],
    errors: { bad_thing: { status: 400, text: 'Bad' }, absent: { status: 404, text: 'Absent' } },
  },
  'contract/config.json': {
    options: [
      { name: 'max-things', env: 'INGEST_MAX_THINGS', type: 'integer', default: 5, minimum: 1, maximum: 9 },
      {
        name: 'queue',
        env: 'INGEST_QUEUE',
        type: 'integer',
        default: 5,
        minimum: 1,
        maximum: 9,
        at_least: 'max-things',
      },
      { name: 'level', env: 'INGEST_LEVEL', type: 'choice', default: 'info', choices: ['info'] },
      { name: 'allow', env: 'INGEST_ALLOWS', type: 'list', default: [] },
    ],
  },
  'contract/fields.json': {
    fields: {
      session_id: {
        kind: 'text',
        required: true,
        bytes: 9,
        column: 'session',
        sql: 'INTEGER NOT NULL',
        since: '1.0.0',
        protobuf: 1,
        arrow: 'utf8',
      },
    },
    server_columns: {},
    row: ['session_id'],
    filters: ['session_id'],
  },
  'contract/figures.json': FIGURES,
  'contract/migrations/0001_init.sql': `CREATE TABLE events (session INTEGER NOT NULL);
    CREATE VIEW events_readable AS SELECT session AS session_id FROM events; ${SUMS}`,
  'contract/event.schema.json': { type: 'object', properties: { session_id: {} } },
  ...agentWith(HOOKS),
  'contract/otlp.json': {
    requests: {},
    messages: {},
    reasons: [],
    status_codes: { 400: 3 },
  },
  'contract/thing.schema.json': { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
  'contract/agents/agent/summaries.json': {
    object_paths: [],
    known: [],
    hooks: { End: ['The end'] },
    other: ['A hook'],
  },
  'contract/queries/select_thing.sql': 'SELECT 1',
  'parity-tests/cases/00-things.json': {
    cases: [
      { name: 'one', rule: 'GET-01' },
      { name: 'two', rule: ['GET-02', 'GET-01'] },
    ],
  },
  'parity-tests/scenarios/index.ts':
    "export const SCENARIO_FILES = [{ name: 'all', scenarios: [{ name: 'alike', rules: ['LAW'] }] }];",
  'server-rs/src/store.rs': 'let sql = QUERIES.select_thing;',
  'server-ts/src/contract.ts': "import sql from '../contract/queries/select_thing.sql';",
  'server-ts/src/store.ts': 'const sql = QUERIES.selectThing;',
};

async function problemsOf(changes: Tree): Promise<readonly string[]> {
  return inTree({ ...GOOD, ...changes }, async (root) => checkContract(await readFacts(root)).problems);
}

/** Returns the made-up OpenAPI document with one text replaced. */
function openapiWith(from: string, to: string): Tree {
  const text = JSON.stringify(OPENAPI);
  assert.ok(text.includes(from), `${from} is in the document`);
  return { 'contract/openapi.json': text.replace(from, to) };
}

test('a valid contract has no problem', async () => {
  assert.deepEqual(await problemsOf({}), []);
});

test('the numbers of rules are read from their lines', () => {
  assert.deepEqual(ruleNames(`${PAGE}${RULES}`), ['LAW', 'GET-01', 'GET-02']);
});

test('a rule without a case or scenario is a problem', async () => {
  const rules = `${RULES}- **GET-03** Nobody looks.\n`;
  assert.deepEqual(await problemsOf({ 'contract/rules/read.md': rules }), [
    'GET-03 has no case and no scenario',
  ]);
});

test('a chapter that the page does not list, or with rules of another, is a problem', async () => {
  assert.deepEqual(await problemsOf({ 'contract/rules/other.md': '# Other\n' }), [
    'contract/rules/other.md is not in contract/README.md',
  ]);
  const page = PAGE.replace('| GET ', '| PUT ');
  assert.deepEqual(await problemsOf({ 'contract/README.md': page }), [
    'contract/rules/read.md has GET-01, and contract/README.md names PUT for it',
    'contract/rules/read.md has GET-02, and contract/README.md names PUT for it',
  ]);
});

test('a missing rule number is a problem', async () => {
  const rules = RULES.replace('GET-02', 'GET-04');
  const problems = await problemsOf({ 'contract/rules/read.md': rules });
  assert.ok(problems.includes('GET-04 stands where number 2 is due'));
  assert.ok(problems.includes('case 00-things.json: two names GET-02, which is no rule'));
});

test('a case without a rule, and a scenario of an unknown rule, are problems', async () => {
  const cases = {
    cases: [
      { name: 'one', rule: ['GET-01', 'GET-02'] },
      { name: 'idle', rule: [] },
    ],
  };
  const scenarios =
    "export const SCENARIO_FILES = [{ name: 'all', scenarios: [{ name: 'x', rules: ['LAW', 'ABC-01'] }] }];";
  assert.deepEqual(
    await problemsOf({
      'parity-tests/cases/00-things.json': cases,
      'parity-tests/scenarios/index.ts': scenarios,
    }),
    ['scenario all: x names ABC-01, which is no rule', 'case 00-things.json: idle names no rule'],
  );
});

test('a missing file of the README, and invalid JSON, are problems', async () => {
  const page = PAGE.replace('| `VERSION`', '| `event.json` | an event |\n| `VERSION`');
  assert.deepEqual(await problemsOf({ 'contract/README.md': page, 'contract/broken.json': '{' }), [
    'contract/event.json is not there',
    'contract/broken.json is no JSON',
  ]);
});

test('a code that no rule names is a problem', async () => {
  const rules = RULES.replace('absent is 404', 'absent is absent');
  assert.deepEqual(await problemsOf({ 'contract/rules/read.md': rules }), [
    'vocabulary.json has the code absent, which no rule names',
  ]);
});

test('OpenAPI that differs from the routes is a problem', async () => {
  assert.match(
    (await problemsOf(openapiWith('"/things"', '"/thing"')))[0]!,
    /^openapi.json: paths: is \["\/thing"\]/,
  );
  assert.match((await problemsOf(openapiWith('"get"', '"post"')))[0]!, /methods of \/things: is \["post"\]/);
  assert.deepEqual(await problemsOf(openapiWith('"maximum":9', '"maximum":8')), [
    'openapi.json: parameters of /things: limit: maximum: is 8, not 9',
  ]);
  assert.deepEqual(await problemsOf(openapiWith('["a","b"]', '["a"]')), [
    'openapi.json: parameters of /things: kind: enum: is ["a"], not ["a","b"]',
  ]);
  assert.match(
    (await problemsOf(openapiWith('"name":"kind"', '"name":"sort"')))[0]!,
    /parameters of \/things: is/,
  );
});

test('OpenAPI that differs from the vocabulary, the version or the rules is a problem', async () => {
  assert.deepEqual(await problemsOf(openapiWith('"404"', '"410"')), [
    'openapi.json: statuses of absent: is ["410"], not ["404"]',
  ]);
  assert.deepEqual(await problemsOf(openapiWith('"const":"Bad"', '"const":"Worse"')), [
    'openapi.json: text of bad_thing: is "Worse", not "Bad"',
  ]);
  assert.deepEqual(await problemsOf({ 'contract/VERSION': '1.0.1\n' }), [
    'openapi.json: info.version: is "1.0.0", not "1.0.1"',
  ]);
  assert.deepEqual(await problemsOf(openapiWith('GET-01', 'GET-09')), [
    'openapi.json cites GET-09, which is no rule',
  ]);
});

test('formats that differ from the routes, or from each other, are problems', async () => {
  assert.deepEqual(await problemsOf(openapiWith('"text/b"', '"text/c"')), [
    'openapi.json: /things: media types of the answer: is ["text/a","text/c"], not ["text/a","text/b"]',
  ]);
  const twice = { formats: { a: { media_types: ['text/a'] }, b: { media_types: ['text/b', 'text/a'] } } };
  assert.deepEqual(await problemsOf({ 'contract/formats.json': twice }), [
    'formats.json: text/a is there twice, or not in lower case',
  ]);
  const reversed = { formats: { b: { media_types: ['text/b'] }, a: { media_types: ['text/a'] } } };
  assert.deepEqual(await problemsOf({ 'contract/formats.json': reversed }), [
    'routes.json: formats of /things: is ["a","b"], not ["b","a"]',
  ]);
});

test('a choice may lack a default when only a flag sets it', async () => {
  const options = [{ name: 'a', env: 'INGEST_A', type: 'choice', default: null, choices: ['x'] }];
  assert.deepEqual(await problemsOf({ 'contract/config.json': { options } }), []);
});

test('a dangling reference is a problem', async () => {
  const problems = await problemsOf(openapiWith('#/components/responses/Bad', '#/components/responses/Sad'));
  assert.ok(problems.includes('openapi.json: #/components/responses/Sad is not there'));
});

test('options out of bounds are problems', async () => {
  const options = [
    { name: 'a', env: 'INGEST_A', type: 'integer', default: 10, minimum: 1, maximum: 9 },
    { name: 'b', env: 'INGEST_BEE', type: 'integer', default: 1, minimum: 1, maximum: 9, at_least: 'a' },
    { name: 'c', env: 'INGEST_C', type: 'choice', default: 'loud', choices: ['quiet'] },
    { name: 'd', env: 'INGEST_D', type: 'choice', default: null, choices: ['quiet'], excludes: 'c' },
  ];
  assert.deepEqual(await problemsOf({ 'contract/config.json': { options } }), [
    'config.json: a: the default 10 is not from 1 to 9',
    'config.json: b: its variable is INGEST_BEE, not INGEST_B',
    'config.json: b: the default is below a',
    'config.json: c: the default loud is none of the choices',
    'config.json: d: c is no switch',
  ]);
});

test('a field without a column is a problem', async () => {
  const schema = `CREATE TABLE events (run INTEGER);
    CREATE VIEW events_readable AS SELECT run AS session_id FROM events; ${SUMS}`;
  assert.deepEqual(await problemsOf({ 'contract/migrations/0001_init.sql': schema }), [
    'contract/fields.json: the table events has no session',
    'contract/fields.json: the table events has run, which is no field',
  ]);
});

test('a member of a response that is no figure is a problem', async () => {
  const cost = { calls: 'call_count', events: 'event_count' };
  const figures = { ...FIGURES, responses: { ...FIGURES.responses, cost } };
  assert.deepEqual(await problemsOf({ 'contract/figures.json': figures }), [
    'contract/figures.json: the response cost has call_count, which is no figure',
  ]);
});

test('a statement that one server does not use is a problem', async () => {
  assert.deepEqual(await problemsOf({ 'server-ts/src/store.ts': '// nothing' }), [
    'contract/queries/select_thing.sql is not used in server-ts/src',
  ]);
});

test('a mapping with a wrong word, and a file of an agent with invalid JSON, are problems', async () => {
  assert.deepEqual(await problemsOf(agentWith({ ...HOOKS, source: 'web' })), [
    'agents/agent/hooks.json: source: "web" is none of hook',
  ]);
  assert.deepEqual(await problemsOf(agentWith({ ...HOOKS, summary: ['id', 'id'] })), [
    'agents/agent/hooks.json: summary: "id" is no plain key, or is there twice',
    'agents/agent/hooks.json: summary: does not begin with name',
  ]);
  assert.deepEqual(await problemsOf({ 'contract/agents/agent/notes.txt': 'later' }), [
    'contract/agents/agent/notes.txt is no JSON',
    'agents/agent/notes.txt means nothing',
  ]);
});

test('versions, connected hooks and summaries that differ from the mapping are problems', async () => {
  const versions = { hooks: { captured: '1', not_captured: ['Start'] }, telemetry: { captured: '1' } };
  assert.deepEqual(
    await problemsOf({
      'contract/agents/agent/agent.json': { label: 'Agent', agent_type: 'agent', versions },
      'contract/agents/agent/connect.json': {
        ...{ format: 'json', help: ['settings'], colour: 'red', member: { value: { endpoint: 'here' } } },
        hooks: { events: { Start: 'http', End: 'mail' } },
      },
      'contract/agents/agent/summaries.json': { object_paths: [], known: [], hooks: {}, other: ['A hook'] },
    }),
    [
      'agents/agent/agent.json: versions: hooks: Start is no name of a record',
      'agents/agent/agent.json: versions: there are no telemetry',
      'agents/agent/summaries.json: End has no summary',
      'agents/agent/connect.json: colour means nothing',
      'agents/agent/connect.json: member has no {origin}',
      'agents/agent/connect.json: hooks: timeout is no number',
      'agents/agent/connect.json: hook "Start" is none of End *',
      'agents/agent/connect.json: End "mail" is none of http command',
    ],
  );
  assert.deepEqual(await problemsOf({ 'contract/agents/other/hooks.json': HOOKS }), [
    'agents/other has no agent.json',
  ]);
});

test('an invalid schema is a problem', async () => {
  const broken = await problemsOf({ 'contract/thing.schema.json': { type: 'thing' } });
  assert.match(broken[0]!, /^contract\/thing\.schema\.json: /);
});
