/**
 * Tests payloads of hooks against the mapping. The server must accept or refuse each payload by the rules. The whole
 * row is compared. Metadata must be equal byte for byte, or truncated by rule HOK-03.
 *
 * Made-up payloads run everywhere. `--hooks` or `TWIN_HOOKS` names a folder of real payloads, one a file. Without it,
 * the real payloads are skipped with a message.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { itemSpans, memberText } from '@twin-ingest/testkit/events/metadata-span.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { hookText } from '../src/differential/hooks.ts';
import { type HookAgent, hookOutcome } from '../src/hook-row.ts';
import { matchJson } from '../src/match.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

const METADATA = CONFIG.options.find((option) => option.name === 'max-metadata-bytes')!;
const RULES = ['HOK-01', 'HOK-02', 'HOK-03', 'MET-01', 'MET-02', 'OTL-09'];

interface Payload {
  readonly name: string;
  readonly bytes: Buffer;
}

export const HOOKS: ScenarioFile = {
  name: 'hooks',
  about: 'payloads of hooks with any content',
  sharesStreams: true,
  scenarios: [
    {
      name: 'made-up payloads follow the mapping with a small limit',
      rules: RULES,
      uses: 'each',
      run: (context) => hold(context, madeUp(context), METADATA.minimum!),
    },
    {
      name: 'made-up payloads of Codex follow the mapping with a small limit',
      rules: RULES,
      uses: 'each',
      run: (context) => hold(context, madeUp(context), METADATA.minimum!, 'codex'),
    },
    {
      name: 'payload files follow the mapping with the default limit',
      rules: RULES,
      uses: 'each',
      run: (context) => hold(context, files(context), undefined),
    },
    {
      name: 'payload files follow the mapping with a small limit',
      rules: RULES,
      uses: 'each',
      run: (context) => hold(context, files(context), METADATA.minimum!),
    },
    {
      name: 'payload files follow the mapping with whole metadata',
      rules: RULES,
      uses: 'each',
      run: (context) => hold(context, files(context), METADATA.maximum!),
    },
  ],
};

async function hold(
  context: ScenarioContext,
  payloads: readonly Payload[],
  limit: number | undefined,
  agent: HookAgent = 'claude-code',
): Promise<void> {
  const flags = limit === undefined ? [] : ['--max-metadata-bytes', String(limit)];
  const client = context.client(await context.start({ flags }));
  let [last, cut] = [0, 0];
  const known = new Set<unknown>();
  for (const { name, bytes } of payloads) {
    const expected = hookOutcome(agent, bytes, limit ?? (METADATA.default as number));
    const answer = await client.send('POST', `/api/hooks/${agent}`, bytes, []);
    assert.deepEqual([answer.status, answer.text], [expected.status, expected.body], name);
    const { text } = await client.get(`/api/events?after=${last}`);
    const rows = itemSpans(memberText(text, 'events')!);
    const id = expected.stored?.row.event_id ?? null;
    const isStored = expected.stored !== undefined && !known.has(id);
    assert.equal(rows.length, isStored ? 1 : 0, `rows of ${name}`);
    if (!isStored) continue;
    if (id !== null) known.add(id);
    assert.equal(memberText(rows[0]!, 'metadata'), expected.stored.metadata, `metadata of ${name}`);
    assert.deepEqual(matchJson(expected.stored.row, JSON.parse(rows[0]!)), [], `the row of ${name}`);
    last = Number(memberText(rows[0]!, 'id'));
    if (expected.stored.row.payload_truncated === true) cut++;
  }
  context.note(`${payloads.length} payloads, ${last} stored, ${cut} of them cut`);
}

function files(context: ScenarioContext): Payload[] {
  const folder = context.options.hooks;
  if (folder === undefined) context.skip('no folder of payloads: give one with --hooks or TWIN_HOOKS');
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  assert.ok(names.length > 0, `${folder} holds no payload`);
  return names.sort().map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}

const MADE_UP = 600;

/** Returns the payloads of the differential scenario, and texts that are truncated at every position. */
function madeUp(context: ScenarioContext): Payload[] {
  const random = seededRandom(context.options.seed);
  const units = [
    'x',
    'é',
    '€',
    '😀',
    '\\n',
    '\\u00e9',
    '\\ud83d\\ude00',
    '\\ud800',
    '\\udc00',
    '\\"',
    '\\\\',
  ];
  const long = () => `"${Array.from({ length: random.below(400) }, () => random.pick(units)).join('')}"`;
  const object = () => `{"file_path":"/a", "content" :${long()},"o":{"a":${long()}},"n":[1 , 2]}`;
  const texts = Array.from({ length: MADE_UP }, () => {
    const text = hookText(random);
    if (!text.startsWith('{"') || random.chance(0.3)) return text;
    return `{"tool_input":${random.chance(0.5) ? long() : object()},"é\\n":${long()},${text.slice(1)}`;
  });
  return texts.map((text, index) => ({
    name: `payload ${index} of seed ${context.options.seed}`,
    bytes: Buffer.from(text),
  }));
}
