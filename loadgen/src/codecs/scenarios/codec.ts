/** Codecs without a server: bytes to events and back, in both languages, each codec in fresh processes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonEvent } from '@twin-ingest/testkit/codecs/json.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { pinningCommand } from '../../plan/placement.ts';
import { checkFields, runAlone, type Step, stepFigures } from '../alone.ts';
import { procwireRowBytes } from '../alone-columns.ts';
import type { ScenarioName } from '../result.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { procwirePayload, sourceEvents, upTo } from '../source-events.ts';

/** The reference is the JSON library of the language, without typed events. It reads no fields. */
const REFERENCE = 'json reference';
const EVENT_CODECS = ['json', 'ndjson', 'msgpack', 'protobuf', REFERENCE];
const PROCWIRE_CODECS = ['json procwire', 'msgpack procwire', 'protobuf procwire'];

export const codecScenario: Scenario = {
  name: 'codec',
  async measure(servers, context) {
    const { sizes, source } = context;
    const most = Math.max(...sizes.codec_bytes);
    const events = upTo(await sourceEvents('real', Math.ceil(most / 400), source), most);
    const sized = sizes.codec_bytes.map((size) => {
      const part = upTo(events, size);
      const json_bytes = part.reduce((sum, event) => sum + Buffer.byteLength(jsonEvent(event)) + 1, 0);
      return { size, count: part.length, events: part.length, json_bytes };
    });
    await measureSteps('codec', servers, EVENT_CODECS, sized, { payload: 'real' }, context);
    const payloads = sizes.codec_bytes.map((size) => {
      const json_bytes = JSON.stringify(procwirePayload(size)).length;
      return { size, count: size, events: 1, json_bytes };
    });
    await measureSteps('codec', servers, PROCWIRE_CODECS, payloads, { payload: 'procwire' }, context);
  },
};

export const arrowScenario: Scenario = {
  name: 'arrow',
  async measure(servers, context) {
    const { sizes, source } = context;
    const events = await sourceEvents('small', 1000, source);
    const json_bytes = events.reduce((sum, event) => sum + Buffer.byteLength(jsonEvent(event)) + 1, 0);
    const counts = (bytesOf: (rows: number) => number) =>
      sizes.arrow_rows.map((rows) => ({ rows, count: rows, events: rows, json_bytes: bytesOf(rows) }));
    const stored = counts((rows) => (json_bytes / events.length) * rows);
    await measureSteps('arrow', servers, ['arrow'], stored, { schema: 'events' }, context);
    const procwire = counts(procwireRowBytes);
    await measureSteps('arrow', servers, ['arrow procwire'], procwire, { schema: 'procwire' }, context);
  },
};

interface Count {
  readonly count: number;
  readonly events: number;
  readonly json_bytes: number;
  readonly size?: number;
  readonly rows?: number;
}

async function measureSteps(
  scenario: ScenarioName,
  servers: readonly TargetName[],
  codecs: readonly string[],
  counts: readonly Count[],
  parameters: { readonly payload: string } | { readonly schema: string },
  { launch, sizes, source, add }: ScenarioContext,
): Promise<void> {
  const { lifetime, placement } = launch;
  const folder = await lifetime.temporaryFolder();
  const file = join(folder.path, 'events.ndjson');
  const payload = scenario === 'codec' ? 'real' : 'small';
  const lines = await sourceEvents(
    payload,
    Math.max(1000, ...counts.map(({ events }) => Math.min(events, 30_000))),
    source,
  );
  await writeFile(file, lines.map((event) => `${jsonEvent(event)}\n`).join(''));
  const found: (Step & { readonly name: TargetName })[] = [];
  const run = { events: file, counts: counts.map(({ count }) => count), seconds: sizes.codec_s, lifetime };
  const wrapper = pinningCommand(placement.generator_cpus);
  for (let turn = 0; turn < sizes.codec_processes; turn++) {
    for (const codec of turn % 2 === 0 ? codecs : codecs.toReversed()) {
      for (const name of turn % 2 === 0 ? servers : servers.toReversed()) {
        const steps = await runAlone(name, { ...run, codec, wrapper });
        found.push(...steps.map((step) => ({ ...step, name })));
      }
    }
  }
  await folder.release();
  checkFields(found.filter(({ codec }) => codec !== REFERENCE));
  for (const name of servers) {
    for (const codec of codecs) {
      for (const { count, events, json_bytes, ...size } of counts) {
        const own = found.filter((one) => one.name === name && one.codec === codec && one.count === count);
        for (const [step, steps] of Map.groupBy(own, (one) => one.step)) {
          const asked = { codec, ...parameters, ...size, step };
          add({ server: name, parameters: asked, figures: stepFigures(steps, { events, json_bytes }) });
        }
      }
    }
  }
}
