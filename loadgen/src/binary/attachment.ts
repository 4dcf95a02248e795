/** Stores bytes as an attachment of an event, so that the server reads them from a file. */
import { BenchFailure } from '../failure.ts';
import { hashOf } from './blob-bytes.ts';

const EVENT = { session_id: 'bench', agent_type: 'bench', event_type: 'tool_use' };

/** Stores the bytes. Fails unless the server returns their hash. */
export async function keepAttachment(url: string, bytes: Buffer<ArrayBuffer>): Promise<void> {
  const [id] = (
    await send<{ readonly ids: readonly number[] }>(
      `${url}/api/events`,
      'POST',
      'application/json',
      JSON.stringify(EVENT),
    )
  ).ids;
  const { sha256 } = await send<{ readonly sha256: string }>(
    `${url}/api/events/${id}/attachments/bytes`,
    'PUT',
    'application/octet-stream',
    bytes,
  );
  const hash = hashOf(bytes);
  if (sha256 !== hash)
    throw new BenchFailure('payload_differs', `an attachment has SHA-256 ${sha256}, not ${hash}`);
}

async function send<Answer>(
  address: string,
  method: string,
  type: string,
  body: string | Buffer<ArrayBuffer>,
): Promise<Answer> {
  const answer = await fetch(address, { method, headers: { 'content-type': type }, body });
  if (answer.status === 201) return (await answer.json()) as Answer;
  throw new BenchFailure('server_failed', `${method} ${address}: ${answer.status}`, [await answer.text()]);
}
