/** Tests `kill -9` during uploads, both servers alternating on one file and one folder. */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { brokenFilesOf, filesOf, requireAll, uploadUntilDead } from '../src/attachment-client.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const ATTACHMENT_CRASH: ScenarioFile = {
  name: 'attachment-crash',
  about: 'kill -9 in the middle of uploads',
  scenarios: [
    {
      name: 'kill -9 during uploads leaves no partial content and loses no acknowledged one',
      rules: ['ATT-01', 'ATT-09', 'STO-03', 'PRO-08'],
      uses: 'both',
      faults: ['F1'],
      run: killInUploads,
    },
  ],
};

const TURNS = 6;
const CLIENTS = 4;
const LARGEST_BYTES = 1 << 20;

async function killInUploads(context: ScenarioContext): Promise<void> {
  const random = seededRandom(context.options.seed);
  const sizeOf = (): number => 1 + random.below(LARGEST_BYTES);
  const acknowledged = new Set<string>();
  let inTheMiddle = 0;
  let id: number | undefined;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const server = await context.start({ target: turn % 2 === 0 ? context.target : context.other });
    assert.deepEqual(brokenFilesOf(context.db()), [], 'nothing half-written after a start');
    await requireAll(server.port, acknowledged);
    id ??= (await context.client(server).ingest([event()])).ids[0]!;
    const before = acknowledged.size;
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      uploadUntilDead(server.port, id!, `${turn}-${client}`, sizeOf, acknowledged),
    );
    await until(() => acknowledged.size >= before + 10, 'ten acknowledged attachments', 30_000);
    // The kill must hit an upload in progress, otherwise the test proves nothing.
    await until(() => filesOf(context.db()).some((path) => path.startsWith('upload-')), 'an upload');
    await server.kill();
    inTheMiddle += filesOf(context.db()).filter((path) => path.startsWith('upload-')).length;
    await Promise.all(clients);
  }
  const server = await context.start();
  assert.deepEqual(brokenFilesOf(context.db()), []);
  await requireAll(server.port, acknowledged);
  assert.ok(inTheMiddle > 0, 'a kill came in the middle of an upload');
  context.note(`${TURNS} kills, ${inTheMiddle} uploads cut, ${acknowledged.size} acknowledged, 0 lost`);
}
