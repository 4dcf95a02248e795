/**
 * Removes from a stream what every copy and a backup have (rule CLU-13).
 *
 * Invariant: nothing is removed unless each server that is named follows the stream and has the sequence of the backup.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { askNats } from '@twin-ingest/testkit/nats/ask.ts';
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import { request } from '../request.ts';

export interface TrimOptions {
  /** Addresses of all servers of the stream; the first one makes the backup. */
  readonly servers: readonly string[];
  /** Address of a server of NATS. */
  readonly nats: URL;
  /** Token of NATS; `undefined` where it needs none. */
  readonly natsToken: string | undefined;
  /** Token of the servers; `undefined` where they need none. */
  readonly serverToken: string | undefined;
}

export interface Trimmed {
  readonly stream: string;
  /** The file of the backup, on the machine of the first server. */
  readonly backup: string;
  readonly sequence: number;
  /** Number of messages that left the stream. */
  readonly removed: number;
}

interface Copy {
  readonly stream: string;
  readonly applied: number;
  readonly failure: string | null;
}

/** How long a server may take until it has the sequence of the backup. */
const BEHIND_MS = 10_000;
const LOOK_MS = 100;
const ANSWER_MS = 60_000;

/** Makes a backup, waits until every copy has what it has, and removes that from the stream. Throws a `Failure`. */
export async function trim(options: TrimOptions): Promise<Trimmed> {
  const { servers, nats, natsToken: token } = options;
  const copies = await Promise.all(servers.map((server) => copyOf(server, options)));
  const { stream } = copies[0]!;
  const foreign = copies.findIndex((copy) => copy.stream !== stream);
  if (foreign > 0)
    throw new Failure('another_stream', `${servers[foreign]} has ${copies[foreign]!.stream}, not ${stream}`);
  const { file: backup, sequence } = await ask<{ file: string; sequence: number }>(
    'POST',
    `${servers[0]}/api/backup`,
    options,
  );
  for (const server of servers) await untilApplied(server, sequence, options);
  const subject = `$JS.API.STREAM.PURGE.${stream}`;
  const answer = await askNats<{ success?: boolean; purged?: number }>(
    Number(nats.port),
    subject,
    JSON.stringify({ seq: sequence + 1 }),
    { host: nats.hostname, ...(token === undefined ? {} : { token }) },
  ).catch((error: unknown) => {
    throw new Failure('nats', `${nats.host} did not trim ${stream}: ${String(error)}`);
  });
  if (answer.success !== true)
    throw new Failure('nats', `${nats.host} did not trim ${stream}: ${JSON.stringify(answer)}`);
  return { stream, backup, sequence, removed: answer.purged ?? 0 };
}

/** Waits until a copy has a sequence; throws when it does not follow the stream, or stays behind. */
async function untilApplied(server: string, sequence: number, options: TrimOptions): Promise<void> {
  const end = performance.now() + BEHIND_MS;
  for (;;) {
    const { applied, failure } = await copyOf(server, options);
    if (failure !== null)
      throw new Failure('not_following', `${server} does not follow the stream: ${failure}`);
    if (applied >= sequence) return;
    if (performance.now() > end)
      throw new Failure(
        'behind',
        `${server} has the stream up to ${applied}, and the backup up to ${sequence}`,
      );
    await sleep(LOOK_MS);
  }
}

async function copyOf(server: string, options: TrimOptions): Promise<Copy> {
  const { cluster } = await ask<{ cluster?: Copy }>('GET', `${server}/api/health`, options);
  if (cluster === undefined) throw new Failure('no_stream', `${server} has no --store jetstream`);
  return cluster;
}

async function ask<T>(method: string, url: string, { serverToken }: TrimOptions): Promise<T> {
  const headers = serverToken === undefined ? {} : { authorization: `Bearer ${serverToken}` };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const reply = await request(url, { method, headers, signal }).catch((error: unknown) => {
    const { cause } = error as { cause?: { code?: string } };
    throw new Failure('unreachable', `${url} does not answer: ${cause?.code ?? String(error)}`);
  });
  if (!reply.ok) throw new Failure('refused', `${url} is ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as T;
}
