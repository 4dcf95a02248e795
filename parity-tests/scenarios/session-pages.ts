/** Tests pages of sessions that stop early (rule SES-05): following `next` gives every matching session once. */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const SESSION_PAGES: ScenarioFile = {
  name: 'session-pages',
  about: 'pages of sessions that stop early',
  scenarios: [
    {
      name: 'a page of sessions looks at a bounded number of sessions',
      rules: ['SES-05'],
      uses: 'each',
      run: manySessions,
    },
  ],
};

const BATCH = 10_000;

interface SessionPage {
  readonly sessions: readonly { readonly id: string }[];
  readonly next: string | null;
  readonly scanned_to: string | null;
}

async function manySessions(context: ScenarioContext): Promise<void> {
  const client = context.client(await context.start());
  const count = LIMITS.page_sessions + 2_000;
  const wanted = new Set([0, 1, 1_999, 2_000, 2_001, count - 1]);
  for (let first = 0; first < count; first += BATCH) {
    const length = Math.min(BATCH, count - first);
    const events = Array.from({ length }, (_, index) => {
      const project = wanted.has(first + index) ? 'wanted' : 'other';
      return event({ session_id: `s${first + index}`, project });
    });
    await client.ingest(events);
  }
  const expected = [...wanted].sort((a, b) => b - a).map((at) => `s${at}`);
  for (const [limit, lengths] of [
    [50, [3, 3]],
    [2, [2, 2, 2]],
  ] as const) {
    const found: string[][] = [];
    for (let cursor = ''; ; ) {
      const page = (
        await client.get(`/api/sessions?project=wanted&limit=${limit}${cursor}`)
      ).json<SessionPage>();
      found.push(page.sessions.map(({ id }) => id));
      assert.equal(page.scanned_to, page.next);
      if (page.next === null) break;
      cursor = `&cursor=${page.next}`;
    }
    assert.deepEqual(found.flat(), expected);
    assert.deepEqual(
      found.map(({ length }) => length),
      lengths,
    );
  }
  const all = (await client.get('/api/sessions?limit=2')).json<SessionPage>();
  assert.equal(all.sessions.length, 2);
  assert.match(all.next!, new RegExp(`^\\d+\\.${count - 1}$`));
  assert.equal(all.scanned_to, all.next);
}
