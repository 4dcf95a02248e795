/**
 * Tests exports of many rows: complete, and in memory that does not depend on their number (rule FMT-09).
 *
 * Memory is that of the server's own process, from `/proc`.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { mediaTypeOf } from '@twin-ingest/testkit/codecs/format.ts';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const EXPORTS: ScenarioFile = {
  name: 'exports',
  about: 'answers of up to 1,000,000 rows',
  scenarios: [
    {
      name: 'an export has every row once and takes little memory',
      rules: ['FMT-09'],
      uses: 'each',
      measures: true,
      run: manyRows,
    },
  ],
};

const BATCHES = 16;
const BATCH_EVENTS = 4000;
const METADATA = { text: 'x'.repeat(1000) };
/** Less than the size of all rows, and more than the size of several pages in any allocator. */
const MOST_GROWN_MB = 64;

async function manyRows(context: ScenarioContext): Promise<void> {
  if (!existsSync('/proc/self/status')) context.skip('no /proc here');
  const filling = await context.start();
  const client = context.client(filling);
  const events = Array.from({ length: BATCH_EVENTS }, () => event({ metadata: METADATA }));
  for (let batch = 0; batch < BATCHES; batch++) await client.ingest(events);
  await filling.stop();
  for (const format of ['ndjson', 'arrow'] as const) {
    // Storing the events changes the memory of a process, so a new process exports them.
    const server = await context.start();
    await context.client(server).get('/api/events?limit=1000');
    const before = memoryMb(server.pid, 'VmRSS');
    const { bytes, ids } = await exported(server.port, format);
    const grownMb = memoryMb(server.pid, 'VmHWM') - before;
    await server.stop();
    context.note(`${format}: ${Math.round(bytes / 1e6)} MB, the server grew by ${Math.round(grownMb)} MB`);
    assert.ok(grownMb < MOST_GROWN_MB, `${format}: the server grew by ${Math.round(grownMb)} MB`);
    if (format === 'arrow') continue;
    const expected = Array.from({ length: BATCHES * BATCH_EVENTS }, (_, index) => index + 1);
    assert.deepEqual(ids, expected);
  }
}

/** Exports all rows, oldest first; returns the number of bytes, and for NDJSON the id of each row. */
function exported(port: number, format: 'ndjson' | 'arrow'): Promise<{ bytes: number; ids: number[] }> {
  const path = '/api/events?order=asc&limit=1000000';
  return new Promise((resolve, reject) => {
    const request = get({ port, path, headers: { accept: mediaTypeOf(format) } }, (response) => {
      let bytes = 0;
      let begun = '';
      const ids: number[] = [];
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (format === 'arrow') return;
        const lines = (begun + chunk.toString('latin1')).split('\n');
        begun = lines.pop()!;
        for (const line of lines) ids.push(Number(/^\{"id":(\d+),/.exec(line)![1]));
      });
      response.on('end', () => resolve({ bytes, ids })).on('error', reject);
    });
    request.on('error', reject);
  });
}

/** Returns a line of `/proc/PID/status` in megabytes: `VmRSS` is the current memory, `VmHWM` the peak. */
function memoryMb(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const kilobytes = new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  );
  return Number(kilobytes?.[1]) / 1024;
}
