import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENTS } from './agents.ts';
import { Counters, type Reason, Tally } from './counters.ts';
import { REASONS } from './otlp.ts';

test('reasons match the file and its order', () => {
  const ours: Reason[] = ['unknown_agent', 'unknown_event', 'no_session', 'too_large', 'invalid'];
  assert.deepEqual(REASONS, ours);
});

test('agents without records are not shown', () => {
  const counters = new Counters();
  const tally = new Tally();
  tally.of(AGENTS[1]).count('spans', 2);
  tally.of(AGENTS[1]).noise += 2;
  tally.of(undefined).count('logs', 1);
  tally.of(undefined).ignore('unknown_agent');
  counters.add(tally, 0);
  counters.add(tally, 1000);
  assert.deepEqual(tally.rejected(), [['unknown_agent', 1]]);
  assert.equal(
    JSON.stringify(counters.json()),
    '{"grpc_connections":0,"wrong_paths":0,"last_wrong_path":null,"without_records":0,"agents":[{"agent_type":"codex","last_at":"1970-01-01T00:00:01.000Z","logs":0,"spans":4,"points":0,"stored":0,"duplicates":0,"noise":4,"ignored":{}},{"agent_type":"unknown","last_at":"1970-01-01T00:00:01.000Z","logs":2,"spans":0,"points":0,"stored":0,"duplicates":0,"noise":0,"ignored":{"unknown_agent":2}}]}',
  );
});

test('only the first gRPC connection is logged', () => {
  const counters = new Counters();
  assert.deepEqual([counters.countGrpc(), counters.countGrpc()], [true, false]);
  assert.equal((counters.json() as { grpc_connections: number }).grpc_connections, 2);
});
