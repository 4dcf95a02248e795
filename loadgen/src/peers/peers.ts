/** DATA: the servers of the comparison, in the order of the table. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { askNats, greets } from '@twin-ingest/testkit/nats/ask.ts';
import { natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import { TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Durability } from '../plan/options.ts';
import type { Class, Peer } from './peer.ts';
import { STREAM } from './protocol.ts';
import { goProgram, redisProgram } from './server.ts';

const DEADLINE_MS = 10_000;

/** Returns the text of a 2xx answer; rejects otherwise. */
async function askHttp(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(DEADLINE_MS) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

/** Returns what the command prints; rejects while Redis does not answer. Its client comes with its server. */
async function askRedis(port: number, ...command: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('redis-cli', ['-e', '-p', String(port), ...command]);
  return stdout;
}

function twin(name: TargetName, durability: Durability): Peer {
  const { label, command, args } = TARGETS[name];
  return {
    name: `${name}-${durability}`,
    title: `twin-ingest, ${label}`,
    durability: durability === 'power' ? 'disk' : 'kernel',
    setting: `--durability ${durability}`,
    repeated: 'never stored twice',
    protocol: 'ingest',
    find: async () => ({ command: [command, ...args], version: 'this commit' }),
    flags: async (folder, port) => [
      ...['--db', join(folder, 'events.db'), '--port', String(port), '--durability', durability],
    ],
    ask: (port) => askHttp(port, '/readyz'),
    async stored(port) {
      const { total_events } = JSON.parse(await askHttp(port, '/api/stats')) as { total_events: number };
      return total_events;
    },
  };
}

/** Subjects of https://docs.nats.io/reference/reference-protocols/nats_api_reference. */
function jetStream(durability: Class, sync: string): Peer {
  return {
    name: `jetstream-${durability}`,
    title: 'NATS JetStream',
    durability,
    setting: `sync_interval: ${sync}`,
    repeated: 'dropped for two minutes (Nats-Msg-Id)',
    protocol: 'jetstream',
    async find() {
      const program = await natsProgram();
      return 'missing' in program ? program : { command: [program.path], version: program.version };
    },
    async flags(folder, port) {
      const file = join(folder, 'nats.conf');
      const store = `store_dir: "${join(folder, 'store')}", sync_interval: ${sync}`;
      await writeFile(file, `listen: "127.0.0.1:${port}"\njetstream { ${store} }\n`);
      return ['-c', file];
    },
    ask: (port) => greets(port),
    async prepare(port) {
      const stream = JSON.stringify({ name: STREAM, subjects: [STREAM], storage: 'file', num_replicas: 1 });
      const subject = `$JS.API.STREAM.CREATE.${STREAM}`;
      const answer = await askNats<{ readonly did_create?: boolean }>(port, subject, stream);
      if (answer.did_create !== true) throw new Error(`NATS has no stream: ${JSON.stringify(answer)}`);
    },
    async stored(port) {
      const subject = `$JS.API.STREAM.INFO.${STREAM}`;
      return (await askNats<{ readonly state: { readonly messages: number } }>(port, subject)).state.messages;
    },
  };
}

function redis(durability: Class, fsync: string): Peer {
  const settings = { appendonly: 'yes', appendfsync: fsync, save: '', 'auto-aof-rewrite-percentage': '0' };
  return {
    name: `redis-${durability}`,
    title: 'Redis Streams',
    durability,
    setting: `appendfsync ${fsync}`,
    repeated: 'stored again',
    protocol: 'resp',
    find: redisProgram,
    flags: async (folder, port) => [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder],
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    ],
    ask: (port) => askRedis(port, 'PING'),
    stored: async (port) => Number(await askRedis(port, 'XLEN', STREAM)),
  };
}

const VICTORIA_LOGS: Peer = {
  name: 'victorialogs',
  title: 'VictoriaLogs',
  durability: 'memory',
  setting: 'defaults; memory is written every 5 s',
  repeated: 'stored again',
  protocol: 'jsonline',
  find: () =>
    goProgram('github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs', 'victoria-logs', '1.52.1'),
  flags: async (folder, port) => [
    `-storageDataPath=${join(folder, 'data')}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=100y',
  ],
  ask: (port) => askHttp(port, '/health'),
  async stored(port) {
    // A search sees events only after this.
    await askHttp(port, '/internal/force_flush');
    const query = encodeURIComponent('* | stats count() n');
    const text = await askHttp(port, `/select/logsql/query?query=${query}`);
    return Number((JSON.parse(text) as { n: string }).n);
  },
};

export const PEERS: readonly Peer[] = [
  twin('rs', 'power'),
  twin('ts', 'power'),
  jetStream('disk', 'always'),
  redis('disk', 'always'),
  twin('rs', 'process'),
  twin('ts', 'process'),
  jetStream('kernel', '2m'),
  redis('kernel', 'everysec'),
  VICTORIA_LOGS,
];
