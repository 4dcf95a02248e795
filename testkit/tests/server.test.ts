/** Tests what an error of a server says that ends before it is ready. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartError, startServer } from '../src/servers/server.ts';

test('the error of a server that ends early begins with its line for people', async () => {
  const log = '{"level":"INFO","message":"connected"}';
  const program = { command: 'sh', args: ['-c', `echo '${log}' >&2; echo 'it has no disk' >&2; exit 69`] };
  await assert.rejects(startServer('rs', {}, program), (error) => {
    assert.ok(error instanceof StartError);
    assert.equal(error.message, `ended before it was ready (code 69)\nit has no disk\n${log}`);
    assert.equal(error.exit?.code, 69);
    return true;
  });
});
