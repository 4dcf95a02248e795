/** Tests the ladders on both servers, with rungs that are small. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { climb } from '../src/ladders/climb.ts';
import { FIRST_MEASURED, LADDERS, type Ladder, pickLadders } from '../src/ladders/ladders.ts';
import { ladderPlot } from '../src/ladders/plot.ts';
import { laddersReport } from '../src/ladders/report.ts';
import { provenance, summaries } from '../src/ladders/shared.ts';
import { lifetime } from './scratch.ts';

/** The ladder with few events, and with rungs of at most 20. */
function small(ladder: Ladder): Ladder {
  const rungs = ladder.rungs.slice(0, 2).map((rung) => Math.min(rung, 20));
  return { ...ladder, rungs, load: (rung) => ({ ...ladder.load?.(rung), stored: 100, events: 200 }) };
}

test('every rung of every ladder is measured on both servers', async () => {
  for (const ladder of LADDERS.map(small)) {
    const { servers } = await climb(ladder, lifetime, 1);
    for (const figures of [servers.rs, servers.ts]) {
      const rungs = figures.map(({ rung }) => rung);
      assert.deepEqual(rungs, ladder.rungs, ladder.name);
      for (const { events_per_s, p99_ms } of figures)
        assert.ok(events_per_s!.median > 0 && p99_ms!.median > 0);
    }
  }
});

test('a server that stores an event as a duplicate fails the measurement', async () => {
  const repeated: Ladder = { ...small(LADDERS[0]!), own: () => ({ event_id: 'the same' }) };
  await assert.rejects(climb(repeated, lifetime, 1), /201 .*"duplicates":99/);
});

test('a slice visits each session of the file once before it visits one again', () => {
  const { own } = LADDERS.find(({ name }) => name === 'sessions')!;
  const sessionsFrom = (first: number, rung: number) =>
    new Set(Array.from({ length: rung }, (_, i) => own!(first + i, rung).session_id));
  for (const rung of [10, 1_000]) {
    const filled = sessionsFrom(0, rung);
    assert.equal(filled.size, rung);
    assert.deepEqual(sessionsFrom(FIRST_MEASURED + 77, rung), filled);
  }
});

test('the report compares the last rung with the first, and the plot stands alone', () => {
  const rung = (number: number, cpu: number, rate: number) => {
    const sample = { cpu_us_per_event: cpu, events_per_s: rate, p99_ms: 1.25 };
    return { rung: number, ...summaries([sample]), peak_rss_bytes: 50 << 20 };
  };
  const servers = {
    rs: [rung(10, 4, 200_000), rung(1_000, 6, 100_000)],
    ts: [rung(10, 10, 80_000), rung(1_000, 10, 80_000)],
  };
  const ladder = { ...LADDERS[0]!, servers };
  const text = laddersReport({ ...provenance(), ladders: [ladder] }, true);
  assert.match(text, /Rust from 10 to 1,000: 1\.50 times the CPU per event, 0\.50 times the throughput/);
  assert.match(
    text,
    /\| 1,000 \| 6\.0 \(6\.0–6\.0\) \| 100,000 \(100,000–100,000\) \| 1\.3 \(1\.3–1\.3\) \| 50 \|/,
  );
  assert.match(text, /!\[.*\]\(growth\/sessions\.svg\)/);
  assert.match(ladderPlot(ladder), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
});

test('a ladder that does not exist is a problem', () => {
  const problems: string[] = [];
  pickLadders(['rows', 'none'], problems);
  assert.match(problems.join(), /^--pick: none is not one of sessions, names/);
});
