/** DATA: the servers of the comparison, in the order of the table, and where their programs come from. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { askNats } from '@twin-ingest/testkit/nats/ask.ts';
import { type NatsProgram, natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import { ROOT, TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { say } from '../ladders/shared.ts';
import type { Durability } from '../plan/flags.ts';
import type { Class, Peer, Round } from './measure.ts';
import { INGEST, JETSTREAM, JSON_LINES, RESP, STREAM } from './protocol.ts';

const DEADLINE_MS = 10_000;

const run = promisify(execFile);

/** Returns the text of a 2xx answer; rejects otherwise. */
async function askHttp(port: number, path: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(DEADLINE_MS) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

function twin(name: TargetName, durability: Durability): Peer {
  const { label, command, args } = TARGETS[name];
  return {
    name: `${name}-${durability}`,
    title: `twin-ingest, ${label}`,
    durability: durability === 'power' ? 'disk' : 'kernel',
    setting: `--durability ${durability}`,
    repeated: 'never stored twice',
    protocol: INGEST,
    find: async () => ({ path: command, version: 'this commit' }),
    async flags(folder, port) {
      return [...args, `--db=${join(folder, 'events.db')}`, `--port=${port}`, `--durability=${durability}`];
    },
    async stored(port) {
      const { total_events } = JSON.parse(await askHttp(port, '/api/stats')) as { total_events: number };
      return total_events;
    },
  };
}

function jetStream(durability: Class, sync: string): Peer {
  return {
    name: `jetstream-${durability}`,
    title: 'NATS JetStream',
    durability,
    setting: `sync_interval: ${sync}`,
    repeated: 'dropped for two minutes (Nats-Msg-Id)',
    protocol: JETSTREAM,
    find: natsProgram,
    async flags(folder, port) {
      const file = join(folder, 'nats.conf');
      const store = `store_dir: "${join(folder, 'store')}", sync_interval: ${sync}`;
      await writeFile(file, `listen: "127.0.0.1:${port}"\njetstream { ${store} }\n`);
      return ['-c', file];
    },
    /** Subject of https://docs.nats.io/reference/reference-protocols/nats_api_reference; a stream that exists stays. */
    async stored(port) {
      const stream = JSON.stringify({ name: STREAM, subjects: [STREAM], storage: 'file', num_replicas: 1 });
      const subject = `$JS.API.STREAM.CREATE.${STREAM}`;
      const { state, error } = await askNats<{ state?: { messages: number }; error?: object }>(
        port,
        subject,
        stream,
      );
      if (state === undefined) throw new Error(`NATS has no stream: ${JSON.stringify(error)}`);
      return state.messages;
    },
  };
}

/** Redis has a log of all changes, and neither snapshots nor rewrites. */
const KEEP_ALL = { appendonly: 'yes', save: '', 'auto-aof-rewrite-percentage': '0' };

function redis(durability: Class, fsync: string): Peer {
  return {
    name: `redis-${durability}`,
    title: 'Redis Streams',
    durability,
    setting: `appendfsync ${fsync}`,
    repeated: 'stored again',
    protocol: RESP,
    async find() {
      const found = await run('redis-server', ['--version']).catch(() => null);
      if (found === null) return { missing: 'not installed: apt-get install redis-server' };
      return { path: 'redis-server', version: /v=(\S+)/.exec(found.stdout)![1]! };
    },
    async flags(dir, port) {
      const settings = { bind: '127.0.0.1', port: String(port), dir, ...KEEP_ALL, appendfsync: fsync };
      return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    },
    /** The client comes with the server. With `-e` it fails while the server does not answer. */
    async stored(port) {
      const { stdout } = await run('redis-cli', ['-e', '-p', String(port), 'XLEN', STREAM]);
      return Number(stdout);
    },
  };
}

const VICTORIA_LOGS: Peer = {
  name: 'victorialogs',
  title: 'VictoriaLogs',
  durability: 'memory',
  setting: 'defaults; memory is written every 5 s',
  repeated: 'stored again',
  protocol: JSON_LINES,
  /** Builds the program with Go once, into a folder that git ignores. */
  async find() {
    const version = '1.52.1';
    const folder = join(ROOT, '.bench/bin', `victoria-logs-${version}`);
    const path = join(folder, 'victoria-logs');
    if (existsSync(path)) return { path, version };
    say(`building VictoriaLogs ${version} with Go`);
    const module = `github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs@v${version}`;
    const built = spawnSync('go', ['install', module], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, GOBIN: folder },
    });
    return built.status === 0 ? { path, version } : { missing: 'Go is not installed, or cannot build it' };
  },
  flags: async (folder, port) => [
    `-storageDataPath=${join(folder, 'data')}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=100y',
  ],
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

/** Returns the servers whose programs are there, and the others with the reason, each title once. */
export async function findPeers(peers: readonly Peer[] = PEERS) {
  const found: { readonly peer: Peer; readonly program: NatsProgram; readonly rounds: Round[] }[] = [];
  const skipped = new Map<string, string>();
  for (const peer of peers) {
    const program = await peer.find();
    if ('missing' in program) skipped.set(peer.title, program.missing);
    else found.push({ peer, program, rounds: [] });
  }
  return { found, skipped: [...skipped].map(([title, reason]) => ({ title, reason })) };
}
