/**
 * Tests parts of the health answer that a case cannot express: sorting by bytes, and stability of constant values.
 */
import assert from 'node:assert/strict';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const HEALTH: ScenarioFile = {
  name: 'health',
  about: 'the effective settings that a server reports',
  sharesStreams: true,
  scenarios: [
    {
      name: 'compile options are ordered by their bytes and stay the same',
      rules: ['HEA-01'],
      uses: 'each',
      run: compileOptions,
    },
  ],
};

async function compileOptions(context: ScenarioContext): Promise<void> {
  const client = context.client(await context.start());
  const ask = async (): Promise<string[]> =>
    (await client.get('/api/health')).json<{ compile_options: string[] }>().compile_options;
  const options = await ask();
  const ordered = [...options].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  assert.deepEqual(options, ordered);
  assert.deepEqual(await ask(), options);
}
