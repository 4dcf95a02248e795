/**
 * Runs the cases of one file against one server.
 *
 * The file has one server with one fresh database. Cases that need more have their own server. Invariants: a skipped
 * case has a reason. Every started server is stopped.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder } from '@twin-ingest/testkit/files/temporary-folder.ts';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Refusal } from './case.ts';
import {
  type Case,
  type CaseFile,
  isAnswered,
  needsFreshServer,
  rulesOfCase,
  type ServerNeeds,
} from './case.ts';
import type { JetStream } from './jetstream.ts';
import { fill, newPlaceholders } from './placeholders.ts';
import { refusalDifferences } from './refusal.ts';
import { buildRequest } from './request.ts';
import type { Outcome, Result } from './result.ts';
import { runCase } from './run-case.ts';

/** The server of the cases: one that the suite starts, or one that already runs. */
export type Place =
  | { readonly kind: 'target'; readonly name: TargetName; readonly jetStream?: JetStream | undefined }
  | { readonly kind: 'base-url'; readonly port: number };

/** A server that the suite starts. */
type Started = Extract<Place, { kind: 'target' }>;

export function placeName(place: Place): string {
  return place.kind === 'target' ? place.name : 'base-url';
}

/** Returns results in the order of the cases. */
export async function runFile(file: CaseFile, cases: readonly Case[], place: Place): Promise<Result[]> {
  const results = new Map<Case, Result>();
  const record = async (one: Case, work: () => Promise<Outcome>): Promise<void> => {
    const begun = performance.now();
    const outcome = await work().catch((error: unknown): Outcome => failure(error));
    const ms = performance.now() - begun;
    const target = placeName(place);
    results.set(one, {
      suite: file.name,
      name: one.name,
      rules: rulesOfCase(one),
      target,
      outcome,
      ms,
      notes: [],
    });
  };
  if (place.kind === 'base-url') {
    for (const one of cases) await record(one, () => runOnForeign(file, one, place.port));
  } else {
    const shared = cases.filter((one) => !needsFreshServer(one));
    const own = cases.filter(needsFreshServer);
    if (shared.length > 0) {
      await withServer(place, file.server ?? {}, async (server, folder) => {
        await prepare(file, server.port, folder);
        for (const one of shared) await record(one, () => runOn(one, server.port, folder));
      }).catch(async (error: unknown) => {
        for (const one of shared) if (!results.has(one)) await record(one, () => Promise.reject(error));
      });
    }
    for (const one of own) await record(one, () => runOnOwn(file, one, place));
  }
  return cases.map((one) => results.get(one)!);
}

async function runOn(one: Case, port: number, folder: string): Promise<Outcome> {
  if (!isAnswered(one)) return runRefusal(one, one.then as Refusal, port);
  const exchanges = await runCase(one, port, folder);
  const failed = exchanges.some((exchange) => exchange.differences.length > 0);
  return failed ? { kind: 'failed', exchanges } : { kind: 'passed' };
}

async function runRefusal({ when }: Case, then: Refusal, port: number): Promise<Outcome> {
  const { head, body } = buildRequest(fill(when, newPlaceholders(port)), port);
  const differences = await refusalDifferences(port, Buffer.concat([head, body]), then);
  if (differences.length === 0) return { kind: 'passed' };
  const lines = differences.map(({ where, expected, got }) => `${where}: expected ${expected}, got ${got}`);
  return { kind: 'failed', exchanges: [], message: lines.join('\n') };
}

function runOnOwn(file: CaseFile, one: Case, place: Started): Promise<Outcome> {
  const needs = { ...file.server, flags: [...(file.server?.flags ?? []), ...(one.flags ?? [])] };
  return withServer(place, needs, async (server, folder) => {
    await prepare(file, server.port, folder);
    return runOn(one, server.port, folder);
  });
}

/** Sends the file's `given` requests to each of its servers; a failure counts for every case on it. */
async function prepare(file: CaseFile, port: number, folder: string): Promise<void> {
  if (!file.given) return;
  const when = { path: '/livez' };
  const then = { status: 200, json: { status: 'ok' } };
  const exchanges = await runCase(
    { name: 'given', rule: 'LAW', given: file.given, when, then },
    port,
    folder,
  );
  const difference = exchanges.flatMap((exchange) => exchange.differences)[0];
  if (difference) throw new Error(`given of the file: ${difference.where} is ${difference.got}`);
}

function runOnForeign(file: CaseFile, one: Case, port: number): Promise<Outcome> {
  const reason =
    one.flags || file.server ? 'needs a server with flags of its own' : 'needs an empty database';
  if (file.server || file.given || needsFreshServer(one)) return Promise.resolve({ kind: 'skipped', reason });
  return runOn(one, port, '/nonexistent');
}

async function withServer<T>(
  { name, jetStream }: Started,
  needs: ServerNeeds,
  work: (server: RunningServer, folder: string) => Promise<T>,
): Promise<T> {
  return inFolder(async (folder) => {
    for (const [file, text] of Object.entries(needs.files ?? {}))
      writeFileSync(join(folder, file), text, { mode: 0o600 });
    const place = (text: string): string => text.replaceAll('<folder>', folder);
    const env = Object.fromEntries(
      Object.entries(needs.env ?? {}).map(([key, value]) => [key, place(value)]),
    );
    const db = join(folder, 'events.db');
    const streams = jetStream?.streams();
    const flags = ['--db', db, ...(needs.flags ?? []).map(place), ...(streams?.flagsFor(db) ?? [])];
    const server = await startServer(name, { flags, env, cwd: folder });
    try {
      await streams?.untilFollowing(server);
      return await work(server, folder);
    } finally {
      // The test database is discarded; the restart scenarios cover clean stops.
      await server.kill();
      await streams?.delete();
    }
  });
}

function failure(error: unknown): Outcome {
  return { kind: 'failed', exchanges: [], message: error instanceof Error ? error.message : String(error) };
}
