/**
 * The parent's side of the process with the stream clients of a round.
 *
 * Invariants: the process ends with the run at the latest. A process that ends by itself fails the run.
 */
import { Helper, type HelperOptions } from '../../run/helper.ts';
import type { StreamOrders } from './process.ts';

/** Starts the process. Resolves when every client is connected and has received its first frame. */
export async function startStreamClients(
  url: string,
  clients: number,
  { lifetime, placement }: Pick<HelperOptions, 'lifetime' | 'placement'>,
): Promise<Helper<StreamOrders>> {
  const program = new URL('./process.ts', import.meta.url);
  const name = 'the stream clients';
  const helper = new Helper<StreamOrders>({ name, program, placement, lifetime, code: 'stream_failed' });
  await helper.ask('connect', url, clients);
  return helper;
}
