/** Tests the ladders on both servers, with rungs that are small. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { climb, type RungFigures } from '../src/ladders/climb.ts';
import { pickLadders } from '../src/ladders/command.ts';
import { LADDERS, type Ladder } from '../src/ladders/ladders.ts';
import { ladderPlot } from '../src/ladders/plot.ts';
import { laddersReport } from '../src/ladders/report.ts';
import { readEnvironment } from '../src/observe/environment.ts';
import { lifetime } from './scratch.ts';

/** The ladder with few events, and with rungs of at most 20. */
function small(ladder: Ladder): Ladder {
  const rungs = ladder.rungs.slice(0, 2).map((rung) => Math.min(rung, 20));
  return { ...ladder, rungs, stored: () => 100, events: () => 200 };
}

for (const target of TARGET_NAMES) {
  test(`every rung of every ladder is measured on ${target}`, async () => {
    for (const ladder of LADDERS) {
      const figures = await climb(small(ladder), target, lifetime, 1);
      assert.deepEqual(
        figures.map(({ rung }) => rung),
        small(ladder).rungs,
        ladder.name,
      );
      for (const { events_per_s, p99_ms } of figures) assert.ok(events_per_s.median > 0 && p99_ms.median > 0);
    }
  });
}

test('a server that stores an event as a duplicate fails the measurement', async () => {
  const repeated: Ladder = { ...small(LADDERS[0]!), own: () => ({ event_id: 'the same' }) };
  await assert.rejects(climb(repeated, 'rs', lifetime, 1), /201 .*"duplicates":(49|50)/);
});

test('the events that fill the file have every session of the rung once', () => {
  const { filling, own, rungs } = LADDERS.find(({ name }) => name === 'sessions')!;
  const filled = new Set(Array.from({ length: 1_000 }, (_, i) => filling!(i).session_id));
  assert.equal(filled.size, 1_000);
  for (const rung of rungs.filter((one) => one <= 1_000)) {
    const met = new Set(Array.from({ length: rung }, (_, i) => own(i + 77, rung).session_id));
    assert.equal(met.size, rung, 'a slice visits each session once before it visits one again');
    for (const session of met) assert.ok(filled.has(session));
  }
});

const summary = (median: number) => ({ median, min: median, max: median, spread: 0, samples: 1 });
const rung = (number: number, cpu: number | null, rate: number): RungFigures => ({
  rung: number,
  cpu_us_per_event: cpu === null ? null : summary(cpu),
  events_per_s: summary(rate),
  p99_ms: summary(1.25),
  peak_rss_bytes: 50 << 20,
});

test('the report compares the last rung with the first, and the plot stands alone', () => {
  const servers = {
    rs: [rung(10, 4, 200_000), rung(1_000, 6, 100_000)],
    ts: [rung(10, 10, 80_000), rung(1_000, 10, 80_000)],
  };
  const ladder = { ...LADDERS[0]!, servers };
  const result = { measured_on: '2026-01-02', environment: readEnvironment(), ladders: [ladder] };
  const text = laddersReport(result, true);
  assert.match(text, /Rust from 10 to 1,000: 1\.50 times the CPU per event, 0\.50 times the throughput/);
  assert.match(
    text,
    /\| 1,000 \| 6\.0 \(6\.0–6\.0\) \| 100,000 \(100,000–100,000\) \| 1\.3 \(1\.3–1\.3\) \| 50 \|/,
  );
  assert.match(text, /!\[.*\]\(growth\/sessions\.svg\)/);
  const svg = ladderPlot(ladder);
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
  assert.equal(ladderPlot(ladder), svg, 'the same bytes');
  assert.equal([...svg.matchAll(/xmlns=/g)].length, 1);
});

test('a ladder that does not exist is a problem', () => {
  const problems: string[] = [];
  assert.deepEqual(
    pickLadders(['rows', 'none'], problems).map(({ name }) => name),
    ['rows'],
  );
  assert.match(problems[0]!, /none is not one of sessions, names/);
  assert.equal(pickLadders(undefined, []).length, LADDERS.length);
});
