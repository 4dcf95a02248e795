/**
 * Tests `--stdin msgpack` and `--stdin protobuf` (rules PRO-12 to PRO-14): frames with input splits at any position,
 * and frames that are cut off or too long.
 */
import assert from 'node:assert/strict';
import { batchBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import { type ResultLine, resultLines, resultTexts, sumsOf } from '../src/result-lines.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';
import { finishInput, startWithInput, totalOf } from '../src/server-input.ts';

export const STDIN_FRAMES: ScenarioFile = {
  name: 'stdin-frames',
  about: 'frames of standard input',
  scenarios: [
    {
      name: 'frames have results in order, and a malformed body affects no other frame',
      rules: ['PRO-12', 'PRO-13', 'FMT-03', 'LAW'],
      uses: 'both',
      run: manyFrames,
    },
    {
      name: 'a frame may be split at every byte',
      rules: ['PRO-12', 'PRO-13'],
      uses: 'each',
      run: splitFrames,
    },
    {
      name: 'a frame that is cut or too long is a failure line and exit 76',
      rules: ['PRO-14'],
      uses: 'each',
      run: brokenFrames,
    },
  ],
};

const FORMATS = ['msgpack', 'protobuf'] as const;
type FrameFormat = (typeof FORMATS)[number];

function frame(body: Uint8Array): Buffer {
  return Buffer.concat([header(body.length), body]);
}

function header(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

/** Returns a batch of this many events, with ids counted from `from`. */
function batchOf(format: FrameFormat, count: number, from = 0): Buffer {
  const events = Array.from({ length: count }, (_, at) => ({
    session_id: 's',
    agent_type: 'a',
    event_type: 'tool_use',
    event_id: `${format}${from + at}`,
  }));
  return batchBody(format, events);
}

/** Returns a batch of one event that has exactly this many bytes. */
function batchOfBytes(format: FrameFormat, bytes: number): Buffer {
  const withText = (length: number): Buffer =>
    batchBody(format, [
      { session_id: 's', agent_type: 'a', event_type: 'tool_use', metadata: `"${'x'.repeat(length)}"` },
    ]);
  const overhead = withText(bytes).length - bytes;
  const batch = withText(bytes - overhead);
  assert.equal(batch.length, bytes);
  return batch;
}

async function manyFrames(context: ScenarioContext): Promise<void> {
  for (const format of FORMATS) {
    const bodies = [
      batchOf(format, 3),
      Buffer.alloc(0),
      batchOf(format, 2, 2),
      Buffer.from([0xc1, 0xff]),
      batchOf(format, 6),
      batchOf(format, 1, 9),
      batchOf(format, 0),
    ];
    const input = Buffer.concat(bodies.map(frame));
    const found = [];
    for (const target of ['rs', 'ts'] as const) {
      const server = await startWithInput(context, format, {
        target,
        db: context.db(`${format}-${target}`),
        flags: ['--max-batch-events', '5'],
      });
      server.input(input);
      await finishInput(server);
      found.push(resultTexts(server).map((text) => text.replace(/"revision":"\d+"/, '"revision":"N"')));
    }
    assert.deepEqual(found[0], found[1], format);
    const lines = found[0]!.map(
      (text) => JSON.parse(text) as ResultLine & { reason?: string; actual?: number },
    );
    assert.deepEqual(
      lines.map((line) => line.frame),
      bodies.map((_, index) => index + 1),
    );
    assert.deepEqual(lines[0]!.ids, [1, 2, 3]);
    assert.deepEqual([lines[2]!.ids, lines[2]!.duplicates], [[4], 1]);
    assert.deepEqual([lines[3]!.event, lines[3]!.code], ['failure', `invalid_${format}`]);
    assert.deepEqual([lines[4]!.code, lines[4]!.actual], ['batch_too_large', 6]);
    assert.deepEqual(lines[5]!.ids, [5]);
    assert.deepEqual([lines[6]!.received, lines[6]!.ids], [0, []]);
    if (format === 'protobuf') assert.deepEqual([lines[1]!.received, lines[1]!.ids], [0, []]);
    else assert.deepEqual([lines[1]!.code, lines[1]!.reason], ['invalid_msgpack', 'ends too early']);
  }
}

async function splitFrames(context: ScenarioContext): Promise<void> {
  for (const format of FORMATS) {
    const server = await startWithInput(context, format, { db: context.db(format) });
    const length = frame(batchOf(format, 1, 1_000)).length;
    const frames = Array.from({ length }, (_, index) => frame(batchOf(format, 1, 1_000 + index)));
    // Each piece ends one frame and starts the next. The result of a frame shows that the server has read it.
    for (const [index, bytes] of frames.entries()) {
      const next = frames[index + 1]?.subarray(0, index + 1) ?? Buffer.alloc(0);
      server.input(Buffer.concat([bytes.subarray(index), next]));
      await until(() => resultTexts(server).length > index, `the result of frame ${index + 1}`);
    }
    const results = await finishInput(server);
    assert.deepEqual(
      results.map(({ frame: number, ids }) => [number, ids]),
      frames.map((_, index) => [index + 1, [index + 1]]),
    );
  }
}

const MAX_BYTES = 1024;

async function brokenFrames(context: ScenarioContext): Promise<void> {
  const cut = '"error":"Bad request","code":"bad_request"}';
  const tooLong = (actual: number): string =>
    `"error":"Request body is too large","code":"payload_too_large","limit":${MAX_BYTES},"actual":${actual}}`;
  for (const format of FORMATS) {
    const good = frame(batchOf(format, 1));
    const longest = frame(batchOfBytes(format, MAX_BYTES));
    const ends: [bytes: Buffer, failure: string][] = [
      ...[1, 3, 4, good.length - 1].map((end): [Buffer, string] => [good.subarray(0, end), cut]),
      [header(MAX_BYTES + 1), tooLong(MAX_BYTES + 1)],
      [Buffer.concat([header(0xffff_ffff), good]), tooLong(0xffff_ffff)],
    ];
    for (const [index, [bytes, failure]] of ends.entries()) {
      const db = context.db(`${format}-${index}`);
      const server = await startWithInput(context, format, {
        db,
        flags: ['--max-body-bytes', `${MAX_BYTES}`],
      });
      server.input(Buffer.concat([longest, good, bytes]));
      // After a length above the limit, the server exits without the end of the input.
      if (failure === cut) server.endInput();
      assert.deepEqual(await server.exited, { code: 76, signal: null }, server.stderr());
      const texts = resultTexts(server);
      assert.equal(texts.length, 3);
      assert.equal(texts[2], `{"event":"failure","frame":3,${failure}`);
      assert.deepEqual(sumsOf(resultLines(server)).ids, [1, 2]);
      if (index > 0) continue;
      const next = await context.start({ db });
      assert.equal(await totalOf(context, next), 2);
    }
  }
}
