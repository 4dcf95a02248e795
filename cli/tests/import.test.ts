/**
 * Tests `twin-ingest import` as a program against both servers.
 *
 * Over 250 lines because each effect of the command is tested with the rows and sums of both servers.
 */
import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Ran, run } from './run-script.ts';
import {
  at,
  CLAUDE_SESSION,
  CODEX_SESSION,
  claudeHooks,
  claudeLogs,
  claudeTurn,
  codexLogs,
  codexTurn,
  lines,
} from './transcripts.ts';

type Row = Readonly<Record<string, unknown>>;

const CLAUDE_FILE = `.claude/projects/-home-user-projects-app/${CLAUDE_SESSION}.jsonl`;
const CODEX_FILE = `.codex/sessions/2026/03/01/rollout-2026-03-01T12-00-00-${CODEX_SESSION}.jsonl`;

/** Runs work with a server and a home that has these transcripts. */
async function withServer(
  name: TargetName,
  files: Readonly<Record<string, string>>,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  await inTree(files, async (home) => {
    const server = await startServer(name, { cwd: home, flags: ['--db', join(home, 'events.db')] });
    try {
      await work(new Place(home, server));
    } finally {
      await server.stop();
    }
  });
}

class Place {
  readonly home: string;
  readonly #server: RunningServer;

  constructor(home: string, server: RunningServer) {
    this.home = home;
    this.#server = server;
  }

  import(...argv: readonly string[]): Promise<Ran> {
    const { url } = this.#server;
    return run('import', [...argv, '--url', url], {
      cwd: this.home,
      env: { HOME: this.home, CODEX_HOME: '' },
    });
  }

  async get(path: string): Promise<Row> {
    const response = await fetch(`${this.#server.url}${path}`);
    assert.equal(response.status, 200);
    return (await response.json()) as Row;
  }

  async post(path: string, body: unknown): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${this.#server.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200);
  }

  async hooks(all: readonly Row[]): Promise<void> {
    for (const hook of all) await this.post('/api/hooks/claude-code', hook);
  }

  async logs(service: string, all: readonly Row[]): Promise<void> {
    const logRecords = all.map(({ time, ...attributes }) => ({
      timeUnixNano: String(BigInt(Date.parse(at(time as number))) * 1_000_000n),
      attributes: Object.entries(attributes).map(([key, value]) => ({
        key,
        value: typeof value === 'string' ? { stringValue: value } : { doubleValue: value },
      })),
    }));
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] };
    await this.post('/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
  }

  async rows(): Promise<readonly Row[]> {
    return (await this.get('/api/events?order=asc&limit=1000')).events as Row[];
  }

  /** What must not be counted twice. */
  async sums(): Promise<unknown> {
    const { total_tokens_in, total_tokens_out, total_cost_usd, tools, event_types } =
      await this.get('/api/stats');
    const { sessions } = await this.get('/api/sessions');
    const counted = ['tool_use', 'llm_response', 'user_prompt', 'session_start', 'session_end'];
    return {
      total_tokens_in,
      total_tokens_out,
      total_cost_usd,
      tools: (tools as Row[]).map(({ tool_name, count }) => [tool_name, count]),
      types: (event_types as Row[]).filter((one) => counted.includes(one.name as string)),
      sessions: (sessions as Row[]).map(
        ({ id, tokens_in, cache_read_tokens, cache_write_tokens, status }) => ({
          ...{ id, tokens_in, cache_read_tokens, cache_write_tokens, status },
        }),
      ),
    };
  }
}

const pick = (row: Row, names: readonly string[]) => names.map((name) => row[name]);
const NAMES = ['event_type', 'tool_name', 'tokens_in', 'tokens_out', 'call_id', 'agent_id', 'duration_ms'];

for (const name of TARGET_NAMES) {
  test(`transcripts of Claude Code become events of ${name}, each once`, async () => {
    const subagent = claudeTurn(CLAUDE_SESSION, { isSidechain: true, agentId: 'a1' }, 's');
    const files = {
      [CLAUDE_FILE]: lines(...claudeTurn()),
      [CLAUDE_FILE.replace('.jsonl', '/subagents/agent-a1.jsonl')]: lines(...subagent),
    };
    await withServer(name, files, async (place) => {
      const first = await place.import('claude-code');
      assert.equal(first.code, 0, first.stderr);
      assert.match(first.stdout, /^Read 12 lines of 2 files in 1 sessions: 13 events stored, 0 were already/);
      const rows = await place.rows();
      assert.deepEqual(
        rows.map((row) => pick(row, NAMES)),
        [
          ['session_start', null, 0, 0, null, null, null],
          ['user_prompt', null, 0, 0, null, null, null],
          ['response', null, 0, 0, null, null, null],
          ['tool_use', 'Bash', 0, 0, 't1', null, 2000],
          ['llm_response', null, 100, 30, null, null, null],
          ['response', null, 0, 0, null, null, null],
          ['llm_response', null, 100, 20, null, null, null],
          ['response', null, 0, 0, null, 'a1', null],
          ['tool_use', 'Bash', 0, 0, 't1s', 'a1', 2000],
          ['llm_response', null, 100, 30, null, 'a1', null],
          ['response', null, 0, 0, null, 'a1', null],
          ['llm_response', null, 100, 20, null, 'a1', null],
          ['session_end', null, 0, 0, null, null, null],
        ],
      );
      assert.ok(rows.every(({ project, branch }) => project === 'app' && branch === 'main'));
      const call = rows[3]!;
      assert.deepEqual(pick(call, ['source', 'source_event', 'client_timestamp', 'model']), [
        ...['import', 'user', at(5), null],
      ]);
      assert.deepEqual(call.metadata, {
        transcript_path: join(place.home, CLAUDE_FILE),
        line: 5,
        tool_name: 'Bash',
        tool_input: { command: 'echo hello' },
        tool_response: { stdout: 'hello', stderr: '' },
      });
      assert.equal(rows[4]!.cache_write_tokens, 7);
      assert.equal(((await place.get('/api/sessions')).sessions as Row[])[0]!.status, 'ended');
      const again = await place.import('claude-code');
      assert.match(again.stdout, /: 0 events stored, 12 were already stored\.\n$/);
      appendFileSync(join(place.home, CLAUDE_FILE), lines(...claudeTurn(CLAUDE_SESSION, {}, 'b')));
      const third = await place.import('claude-code');
      assert.match(third.stdout, /: 7 events stored/, 'the six of the new turn, and its end');
    });
  });

  test(`a dry run counts what an import then stores in ${name}`, async () => {
    const fork = '11111111-2222-4333-8444-666666666666';
    const files = {
      // The second turn repeats the lines of the first one in another file of the session.
      [CLAUDE_FILE]: lines(...claudeTurn()),
      [CLAUDE_FILE.replace('.jsonl', '/copy.jsonl')]: lines(...claudeTurn()),
      [CLAUDE_FILE.replace(CLAUDE_SESSION, fork)]: lines(...claudeTurn(fork, {}, 'f')),
    };
    const figuresOf = ({ stdout }: Ran) =>
      /: ([\d,]+) events (?:would be )?stored, ([\d,]+) (?:are|were)/.exec(stdout)!.slice(1);
    await withServer(name, files, async (place) => {
      await place.hooks(claudeHooks);
      for (const more of ['', lines(...claudeTurn(CLAUDE_SESSION, {}, 'b'))]) {
        appendFileSync(join(place.home, CLAUDE_FILE), more);
        const dry = await place.import('claude-code', '--dry-run');
        const { length } = await place.rows();
        const [stored] = figuresOf(await place.import('claude-code'));
        assert.equal((await place.rows()).length - length, Number(stored));
        assert.ok(Number(stored) > 0);
        assert.equal(figuresOf(dry)[0], stored);
      }
    });
  });

  test(`an import into ${name} counts at the times of its events, and moves no session to now`, async () => {
    await withServer(name, { [CLAUDE_FILE]: lines(...claudeTurn()) }, async (place) => {
      assert.equal((await place.import('claude-code')).code, 0);
      const { sessions } = await place.get('/api/sessions');
      const session = (sessions as Row[])[0]!;
      assert.deepEqual(pick(session, ['started_at', 'live_at', 'status']), [at(0), null, 'ended']);
      assert.equal(
        session.last_event_at,
        (await place.rows())
          .map(({ time }) => time)
          .sort()
          .at(-1),
      );
      assert.ok((await place.rows()).every(({ history }) => history === true));
      const today = new Date(Date.now() - 3_600_000).toISOString();
      const { total_events } = await place.get(`/api/stats?since=${today}`);
      const until = encodeURIComponent(at(3600));
      const then = await place.get(`/api/stats?since=${encodeURIComponent(at(0))}&until=${until}`);
      assert.deepEqual([total_events, then.total_events], [0, 8]);
    });
  });

  test(`transcripts of Codex become events of ${name}, each once`, async () => {
    await withServer(name, { [CODEX_FILE]: lines(...codexTurn()) }, async (place) => {
      const first = await place.import('codex');
      assert.equal(first.code, 0, first.stderr);
      const rows = await place.rows();
      assert.deepEqual(
        rows.map((row) => [...pick(row, NAMES), row.model]),
        [
          ['session_start', null, 0, 0, null, null, null, null],
          ['user_prompt', null, 0, 0, null, null, null, 'made-up-codex'],
          ['llm_response', null, 80, 50, null, null, null, 'made-up-codex'],
          ['tool_use', 'exec_command', 0, 0, 'c1', null, 1000, 'made-up-codex'],
          ['response', null, 0, 0, null, null, null, 'made-up-codex'],
          ['llm_response', null, 80, 20, null, null, null, 'made-up-codex'],
          ['session_end', null, 0, 0, null, null, null, 'made-up-codex'],
        ],
      );
      assert.match((await place.import('codex')).stdout, /: 0 events stored, 6 were already stored/);
    });
  });

  test(`an import counts nothing again that hooks and telemetry reported to ${name}`, async () => {
    const files = { [CLAUDE_FILE]: lines(...claudeTurn()), [CODEX_FILE]: lines(...codexTurn()) };
    await withServer(name, files, async (place) => {
      await place.hooks(claudeHooks);
      await place.logs('claude-code', claudeLogs);
      await place.logs('codex_exec', codexLogs);
      const before = await place.sums();
      for (const agent of ['claude-code', 'codex', 'claude-code', 'codex'])
        assert.equal((await place.import(agent)).code, 0);
      assert.deepEqual(await place.sums(), before);
      const { sessions } = before as { sessions: Row[] };
      assert.deepEqual(
        sessions.map(({ id, tokens_in }) => [id, tokens_in]),
        [
          [CODEX_SESSION, 160],
          [CLAUDE_SESSION, 200],
        ],
      );
    });
  });

  test(`hooks and telemetry that reach ${name} after the import count nothing again`, async () => {
    await withServer(name, { [CLAUDE_FILE]: lines(...claudeTurn()) }, async (place) => {
      await place.import('claude-code');
      const before = (await place.sums()) as Row;
      await place.hooks(
        claudeHooks.filter(({ hook_event_name }) => !String(hook_event_name).startsWith('Session')),
      );
      await place.logs('claude-code', claudeLogs);
      const after = (await place.sums()) as Row;
      for (const key of ['total_tokens_in', 'total_tokens_out', 'tools', 'types'])
        assert.deepEqual(after[key], before[key], key);
    });
  });

  test(`an answer without a request id is matched by its tokens and time on ${name}`, async () => {
    const strip = (line: Row): Row =>
      Object.fromEntries(Object.entries(line).filter(([key]) => key !== 'requestId'));
    const files = { [CLAUDE_FILE]: lines(...claudeTurn().map(strip)) };
    await withServer(name, files, async (place) => {
      const [, first] = claudeLogs.filter((log) => log['event.name'] === 'api_request');
      await place.logs('claude-code', [first!]);
      await place.import('claude-code');
      const answers = (await place.rows()).filter(({ event_type }) => event_type === 'llm_response');
      assert.deepEqual(
        answers.map((row) => pick(row, ['source', 'tokens_out'])),
        [
          ['otel', 20],
          ['import', 30],
        ],
      );
    });
  });

  test(`a forked session counts only what is its own on ${name}`, async () => {
    const fork = '11111111-2222-4333-8444-666666666666';
    const copy = claudeTurn(fork).map((line) =>
      line.promptId === undefined ? line : { ...line, promptId: 'p2' },
    );
    const own = claudeTurn(fork, {}, 'f');
    const start = (session: string, seconds: number) => ({
      ...{ type: 'queue-operation', sessionId: session, timestamp: at(seconds) },
    });
    const files = {
      [CLAUDE_FILE]: lines(start(CLAUDE_SESSION, 0), ...claudeTurn()),
      // The name precedes that of the original.
      [CLAUDE_FILE.replace(CLAUDE_SESSION, '00000000')]: lines(start(fork, 60), ...copy, ...own),
    };
    await withServer(name, files, async (place) => {
      const ran = await place.import('claude-code');
      assert.match(ran.stdout, /6 lines are copies in forked sessions/);
      const { sessions } = await place.get('/api/sessions');
      assert.deepEqual(
        (sessions as Row[]).map(({ id, tokens_in }) => [id, tokens_in]),
        [
          [fork, 200],
          [CLAUDE_SESSION, 200],
        ],
      );
    });
  });

  test(`damaged and unknown lines are reported, and the rest reaches ${name}`, async () => {
    const turn = claudeTurn();
    const text = lines('{"type":"user","mess', '', turn[0]!, { type: 'new-thing' }, '[1]', ...turn.slice(1));
    await withServer(name, { [CLAUDE_FILE]: `${text}{"type":"new-thing"}` }, async (place) => {
      const ran = await place.import('claude-code');
      assert.equal(ran.code, 0);
      assert.match(ran.stderr, /2 damaged lines: not a JSON object, first at .*\.jsonl:1\n/);
      assert.match(ran.stderr, /2 unknown lines: new-thing, first at .*\.jsonl:4\n/);
      assert.match(ran.stdout, /: 8 events stored/);
    });
  });
}

test('a dry run sends nothing and needs no server', async () => {
  await inTree({ [CLAUDE_FILE]: lines(...claudeTurn()) }, async (home) => {
    const ran = await run('import', ['claude-code', '--dry-run', '--url', 'http://127.0.0.1:9'], {
      ...{ cwd: home, env: { HOME: home } },
    });
    assert.equal(ran.code, 0);
    assert.match(
      ran.stdout,
      /: 8 events would be stored, 0 are already stored\.\nNothing was sent \(--dry-run\)\.\n.* does not answer, so/,
    );
  });
});

test('young events wait for the next run', async () => {
  const young = { ...claudeTurn()[0], timestamp: new Date().toISOString() };
  await inTree({ 'one.jsonl': lines(...claudeTurn(), young) }, async (home) => {
    const ran = await run('import', ['claude-code', 'one.jsonl', '--dry-run'], { cwd: home });
    assert.match(ran.stdout, /1 of the last minute, for the next run/);
  });
});

test('a server that does not answer, a wrong token and a missing folder are exit 1', async () => {
  await inTree({ token: 'a-token-of-more-than-sixteen-characters\n', other: 'wrong\n' }, async (home) => {
    for (const file of ['token', 'other']) chmodSync(join(home, file), 0o600);
    const how = { cwd: home, env: { HOME: home } };
    const dead = await run('import', ['codex', '--url', 'http://127.0.0.1:9'], how);
    assert.equal(dead.code, 1);
    assert.match(dead.stderr, /No server answers at/);
    const server = await startServer('ts', {
      cwd: home,
      flags: ['--db', join(home, 'events.db'), '--token-file', join(home, 'token')],
    });
    try {
      const locked = await run('import', ['codex', '--url', server.url, '--token-file', 'other'], how);
      assert.equal(locked.code, 1);
      assert.match(locked.stderr, /refuses the token/);
      const missing = await run('import', ['codex', '--url', server.url, '--token-file', 'token'], how);
      assert.equal(missing.code, 1);
      assert.equal(
        missing.stderr,
        `import: no transcripts of Codex: ${join(home, '.codex/sessions')} does not exist; other files and folders can be given as PATH\n`,
      );
      mkdirSync(join(home, '.codex/sessions'), { recursive: true });
      const empty = await run('import', ['codex', '--dry-run'], how);
      assert.equal(empty.code, 0);
      assert.match(empty.stderr, /^import: no transcripts of Codex: .*sessions has no file \*\.jsonl; /);
    } finally {
      await server.stop();
    }
  });
});

test('wrong flags are exit 2, all reported at once', async () => {
  const ran = await run('import', ['cursor', '--since', 'soon', '--url', 'x', '--token-file', 'tmp'], {
    cwd: '/',
  });
  assert.equal(ran.code, 2);
  assert.equal(ran.stderr.split('\n').length, 5);
  assert.match(ran.stderr, /^import: --token-file "tmp" is a folder, not a file$/m);
  assert.match(ran.stderr, /unknown agent cursor/);
  assert.match(ran.stderr, /--since must be a date/);
});
