/** Tests settings that block Claude Code's hooks and telemetry, across all files that it merges. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTree, type Tree } from '@twin-ingest/testkit/files/tree.ts';
import { TOKEN_VARIABLE } from '../src/connect/agent.ts';
import { claudeObstacles, readScopes } from '../src/connect/claude-scopes.ts';
import type { ProblemCode } from '../src/connect/problem.ts';

const OPEN = { origin: 'http://127.0.0.1:3141', token_file: null };
const GUARDED = { ...OPEN, token_file: '/t' };
const OWN = '.claude/settings.json';
const LOCAL = 'p/.claude/settings.local.json';
const MANAGED = 'm/etc/claude-code/managed-settings.json';
const PART = 'm/etc/claude-code/managed-settings.d/10.json';

const TABLE: readonly (readonly [
  files: Tree,
  server: typeof OPEN | typeof GUARDED,
  found: readonly ProblemCode[],
])[] = [
  [{}, GUARDED, []],
  [{ [OWN]: '{', [LOCAL]: '[]' }, OPEN, []],
  [{ [OWN]: { disableAllHooks: false, httpHookAllowedEnvVars: [] } }, OPEN, []],
  [
    { [OWN]: { disableAllHooks: true }, [LOCAL]: { allowedHttpHookUrls: [] } },
    OPEN,
    ['url_blocked', 'hooks_off'],
  ],
  [{ [OWN]: { allowedHttpHookUrls: ['*'] } }, OPEN, []],
  [
    { [OWN]: { allowedHttpHookUrls: ['http://127.0.0.1:3141/*'] }, [MANAGED]: { allowedHttpHookUrls: [] } },
    OPEN,
    [],
  ],
  [{ [OWN]: { allowedHttpHookUrls: ['http://127.0.0.1:*/api/hooks/claude-code'] } }, OPEN, []],
  [
    { [OWN]: { allowedHttpHookUrls: ['http://127x0.0.1:3141/*', 'http://127.0.0.1:3141'] } },
    OPEN,
    ['url_blocked'],
  ],
  [{ [OWN]: { httpHookAllowedEnvVars: ['A'] } }, GUARDED, ['url_blocked']],
  [
    { [OWN]: { httpHookAllowedEnvVars: ['A'] }, [LOCAL]: { httpHookAllowedEnvVars: [TOKEN_VARIABLE] } },
    GUARDED,
    [],
  ],
  [{ [OWN]: { allowManagedHooksOnly: true } }, OPEN, []],
  [
    { [MANAGED]: { allowManagedHooksOnly: true }, [PART]: { disableAllHooks: true } },
    OPEN,
    ['managed', 'managed'],
  ],
  [{ [PART]: { env: { OTEL_LOGS_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'otlp' } } }, OPEN, ['managed']],
];

for (const [files, server, found] of TABLE) {
  test(`obstacles in ${JSON.stringify(files)}: ${found.join(', ') || 'none'}`, async () => {
    await inTree(files, (home) => {
      const place = {
        home,
        cwd: join(home, 'p'),
        env: {},
        system: join(home, 'm'),
        platform: 'linux',
        hasCurl: true,
      } as const;
      const obstacles = claudeObstacles(readScopes(place), server, true);
      assert.deepEqual(obstacles.map(({ code }) => code).sort(), [...found].sort());
      const ofCommands = claudeObstacles(readScopes(place), server, false).map(({ code }) => code);
      assert.deepEqual(ofCommands.sort(), found.filter((code) => code !== 'url_blocked').sort());
      for (const { what, remedy } of obstacles) assert.ok(what.endsWith('.') && remedy.endsWith('.'));
    });
  });
}
