/**
 * Tests to which file each command writes its result, and that the committed results follow the schema. Only `--publish`
 * replaces a committed one.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { BINARY } from '../src/binary/command.ts';
import { parseOptions } from '../src/cli/compare-command.ts';
import { CODECS } from '../src/codecs/command.ts';
import { FLAG_ENTRIES } from '../src/plan/flags.ts';
import { parseSuite } from '../src/plan/suite-options.ts';
import { LADDERS, PEERS, RESULT, resultFile, SOAK, suiteFile } from '../src/result/files.ts';
import { SUITE_NAMES, violations } from '../src/result/json.ts';
import { RPC } from '../src/rpc/command.ts';
import { SYNC } from '../src/sync/command.ts';
import { failsWith } from './fake-targets.ts';
import { runCompare } from './run-program.ts';
import { folder } from './scratch.ts';

const CLEAN = { commit: '0'.repeat(40), dirty: false };
const TINY = [
  '--mode=batch',
  '--rounds=1',
  '--starts=1',
  '--driver=autocannon',
  '--concurrency=4',
  '--warmup=500',
];

test('a comparison writes to .bench, and changes no committed file', async () => {
  const run = await runCompare([...TINY, '--events=3000']);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.changed, '');
  assert.match(run.stderr, /^The result goes to .*\/\.bench\/benchmark-results\.json$/m);
  const written = ['benchmark-raw.json', 'benchmark-report.html', 'benchmark-results.json', 'history.jsonl'];
  assert.deepEqual(readdirSync(run.scratch).toSorted(), written);
});

test('every command writes to .bench, to the file of --out, or with --publish to the committed file', () => {
  for (const committed of [RESULT, SOAK, LADDERS, PEERS, suiteFile('sync')]) {
    const file = (out: string | undefined, publish: boolean, from = CLEAN) =>
      resultFile(committed, { out, publish }, from, folder);
    const scratch = join(folder, '.bench', committed.replace(/^.*\//, ''));
    assert.equal(file(undefined, false), scratch);
    assert.equal(file(undefined, false, { ...CLEAN, dirty: true }), scratch);
    assert.equal(file('/somewhere/r.json', false), '/somewhere/r.json');
    assert.equal(file(undefined, true), join(folder, committed));
    assert.throws(
      () => file(undefined, true, { ...CLEAN, dirty: true }),
      failsWith('not_committed', /commit/),
    );
  }
});

test('--publish is a flag of the full comparison, the soak and the suites, and excludes flags that change the run', () => {
  const isPublished = (mode: string) => {
    const parsed = parseOptions(
      [`--mode=${mode}`, '--publish', '--rounds=6'].slice(0, mode === 'soak' ? 2 : 3),
    );
    return parsed.kind === 'run' && parsed.options.publish;
  };
  const modes = FLAG_ENTRIES.find(([name]) => name === 'mode')![1].choices!;
  assert.deepEqual(modes.filter(isPublished), ['soak', 'all']);
  assert.equal(parseSuite(SYNC, []).kind, 'run');
  for (const usage of [SYNC, CODECS, BINARY, RPC]) {
    const parse = (...flags: string[]) => parseSuite<string>(usage, ['--publish', ...flags]);
    const parsed = parse();
    assert.ok(parsed.kind === 'run' && parsed.options.publish && parsed.options.flags.length === 0);
    for (const flag of [
      '--quick',
      '--all',
      '--only=rs',
      `--scenarios=${usage.scenarios[0]}`,
      '--no-build',
      '--out=r',
    ])
      assert.equal(parse(flag).kind, 'invalid', flag);
  }
});

test('every committed result follows the schema', async () => {
  const committed = [
    ...[RESULT, SOAK].map((path) => [path, '#'] as const),
    ...SUITE_NAMES.map((name) => [suiteFile(name), `#/$defs/${name}`] as const),
  ];
  for (const [path, part] of committed)
    assert.deepEqual(await violations(JSON.parse(readFileSync(join(ROOT, path), 'utf8')), part), [], path);
});
