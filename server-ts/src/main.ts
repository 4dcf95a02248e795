/**
 * Runs `ingest-server`: arguments, app, listen, ready line, signals, drain, close, exit code.
 *
 * The store's threads start from this same file, so that the bundle is one file. Modules that they do not need are
 * imported late. Modules that would crash an older Node are imported after the version check. Over 250 lines because
 * every reason to start and to end a process is here.
 */
import { existsSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import zlib from 'node:zlib';
import { isSound, nowS } from './clock.ts';
import { type Config, parseConfig } from './config/index.ts';
import { readTextFile } from './config/text-file.ts';
import { EXITS } from './contract/flags.ts';
import { CONTRACT_VERSION, fill, LIMITS, OLDEST_NODE, SERVER_VERSION } from './contract.ts';
import { processEnded, ReadyFile } from './lifecycle.ts';
import { complain, printable } from './log.ts';
import { STOP_SIGNALS } from './platform.ts';
import type { CallReaderData } from './rpc/worker.ts';
import { createToken } from './secret.ts';
import type { BackupData } from './store/backups.ts';
import type { CheckpointerData } from './store/checkpoint.ts';
import { fileCode } from './store/failure.ts';
import type { ReaderData } from './store/read.ts';
import type { WriterData } from './store/writer-messages.ts';

const ENTRY = new URL(import.meta.url);
/** The native module that build.ts puts next to the bundle. */
const BINDING = fileURLToPath(new URL('./better_sqlite3.node', ENTRY));
/** A shutdown reserves its last second for the checkpoint. */
const DRAIN_MS = LIMITS.shutdown_ms - 1000;
/** The Node-API of the native SQLite module. */
const NODE_API = 10;
/** Time limit for the exit of the process itself. */
const EXIT_MS = 250;
const EXIT_FAILURE = 1;
/** Decodes files as UTF-8; any other file counts as unreadable. */

/** Returns the reason why this Node cannot run the server, if any: the native SQLite module would crash it, or it has no zstd. */
function runtimeProblem(): string | undefined {
  const { node, napi } = process.versions;
  if (Number(napi) >= NODE_API && 'zstdCompressSync' in zlib) return undefined;
  return `Node.js ${OLDEST_NODE} or newer is needed, with Node-API ${NODE_API}; this is ${node} with Node-API ${napi}`;
}

async function main(): Promise<void> {
  const problem = runtimeProblem();
  if (problem !== undefined) exit(EXIT_FAILURE, problem);
  // By default V8 grows the young generation to many times the size of a request, and the old one to four times the
  // live data. That is 100 MB of garbage. These flags cost at most 3% of the processor time.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=80');
  const parsed = () => parseConfig(process.argv.slice(2), process.env, readTextFile);
  let command = parsed();
  if (command.kind === 'run' && !isSound()) exit(EXITS.clock.code, EXITS.clock.wrong);
  if (command.kind === 'run' && command.config.newToken !== undefined) {
    try {
      createToken(command.config.newToken);
    } catch (error) {
      exit(...unwritable(command.config.newToken, error));
    }
    // Reads the file as any other, also when another program has created it meanwhile. No server starts without the
    // token: a link without its target exists for the creation, and not for the reader.
    const path = command.config.newToken;
    command = parsed();
    if (command.kind === 'run' && command.config.newToken !== undefined)
      exit(...unwritable(path, new Error()));
  }
  switch (command.kind) {
    case 'print':
      writeSync(1, command.text);
      process.exit(0);
      break;
    case 'problems':
      exit(EXITS.config.code, ...command.problems);
      break;
    case 'maintain': {
      const { runCommand } = await import('./maintenance/index.ts');
      const { exit: code, message } = await runCommand(command.task, nativeBinding());
      exit(code, ...(message === '' ? [] : [message]));
      break;
    }
    case 'run':
      await run(command.config);
      break;
  }
}

async function run(config: Config): Promise<void> {
  // Starts in parallel with the imports below, and touches no file before its first message.
  const writerThread = (await import('./store/writer.ts')).startWriter(ENTRY);
  const [{ App }, { openLog }, { Connections }, { OpenError }] = await Promise.all([
    import('./app.ts'),
    import('./log.ts'),
    import('./http/connection.ts'),
    import('./store/connection.ts'),
  ]);
  const { port: portExit, socket: socketExit, database, storage, input: inputExit } = EXITS;
  const log = openLog(config.logLevel);
  const { unknownZone: zone } = config;
  if (zone !== undefined) {
    log.warn({ zone }, "this machine's time zone is unknown; --time-zone names another");
  }
  const connections = new Connections();
  const error = await connections.listen(config.host, config.port);
  if (error !== undefined) {
    const address = `${bracketed(config.host)}:${config.port}`;
    const text = error === 'EADDRINUSE' ? portExit.in_use : portExit.unusable;
    exit(portExit.code, fill(text, { address }));
  }
  const { socket: path } = config;
  const problem = path === undefined ? undefined : await connections.listenAt(path);
  if (path !== undefined && problem !== undefined) {
    exit(socketExit.code, fill(socketExit[problem], { path }));
  }

  const ending = new Ending();
  let app: Awaited<ReturnType<typeof App.build>>;
  try {
    app = await App.build({
      config,
      log,
      connections,
      entry: ENTRY,
      writerThread,
      nativeBinding: nativeBinding(),
      onFatal: (code) => ending.fail(storage.code, code),
      onStopAsked: () => ending.begin(0, 'stop asked'),
    });
  } catch (error) {
    void connections.closeSocket();
    const code = error instanceof OpenError ? error.exit : database.code;
    exit(code, error instanceof Error ? error.message : String(error));
  }
  const { addresses, taken } = connections.port;
  const url = `http://${addresses[0]}`;
  if (taken !== undefined) {
    log.warn({ address: taken }, 'another process listens at this address, to which localhost may lead');
  }
  // Before the first request, so that no event is missed.
  await app.notify(url);
  void app.follow();
  app.serve();
  app.store.announce(url);
  if (config.exitWithStdin) ending.watchInput();
  const ready = {
    event: 'ready',
    url,
    addresses,
    pid: process.pid,
    runtime: 'node',
    version: SERVER_VERSION,
  };
  const code = app.guard.loginCode(nowS());
  const login_url = code === undefined ? undefined : `${url}/?code=${code}`;
  const members = { ...ready, contract: CONTRACT_VERSION, login_url, socket: path };
  const line = `${printable(JSON.stringify(members))}\n`;
  let readyFile: ReadyFile | undefined;
  try {
    readyFile = config.readyFile === undefined ? undefined : ReadyFile.write(config.readyFile, line);
  } catch (error) {
    await Promise.all([app.drain(), connections.closeSocket()]);
    await app.store.close();
    exit(...unwritable(config.readyFile ?? '', error));
  }
  writeSync(1, line);
  log.info({ url, db: config.db }, 'listening');
  void processEnded(config.parentPid).then(() => ending.begin(0, 'parent ended'));
  // A server that reads events from standard input is never idle (rule PRO-18).
  if (config.stdin === undefined) void app.activity.idle().then(() => ending.begin(0, 'idle'));
  const input = config.stdin && (await import('./input/index.ts')).Input.start(app, config.stdin);
  input?.ended.then(
    (ended) =>
      ended === 'broken' ? ending.begin(inputExit.code, 'stdin broken') : ending.begin(0, 'stdin ended'),
    (error: unknown) => app.logFailure(error, 'input failed'),
  );
  void app.checkStorage();
  void app.forward();

  const exitCode = await ending.begun;
  log.info({ reason: ending.reason }, 'stopping');
  setTimeout(() => {
    log.warn('connections were cut');
    connections.cut();
  }, DRAIN_MS).unref();
  setTimeout(() => {
    log.warn('closing took too long');
    exitAtOnce(ending.failure ?? exitCode);
  }, LIMITS.shutdown_ms - EXIT_MS).unref();
  let isWritten = input === undefined;
  const written = input?.stop().then(() => {
    isWritten = true;
  });
  await Promise.all([app.drain(), Promise.race([written, sleep(DRAIN_MS)])]);
  await app.cluster?.close();
  await app.store.close();
  readyFile?.remove();
  log.info('stopped');
  // The storage may also fail during the stop, at the latest in its last checkpoint (rule STO-06).
  const finalCode = ending.failure ?? exitCode;
  // `process.exit` would wait for a thread that writes to a pipe without a reader, copies the database, or looks up a
  // name.
  if (!isWritten || app.store.backups.isRunning || app.hasCutNotice) exitAtOnce(finalCode);
  process.exit(finalCode);
}

/**
 * Decides when and why the process ends. It notices a first signal (rule PRO-07) and the end of the input (rule
 * PRO-10); `run` reports other reasons.
 */
class Ending {
  /** Resolves with the exit code. */
  readonly begun: Promise<number>;
  /** The exit code of a failed storage, which may come during the stop. */
  failure: number | undefined;
  /** Why the end began, for the log. */
  reason = '';
  private resolve: (code: number) => void = () => {};
  private signals = 0;

  constructor() {
    this.begun = new Promise((resolve) => {
      this.resolve = resolve;
    });
    const onSignal = (signal: NodeJS.Signals): void => {
      if (++this.signals > 1) exitAtOnce(EXIT_FAILURE);
      this.begin(0, signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  }

  /** Begins the end with an exit code; only the first call counts. */
  begin(code: number, reason: string): void {
    if (this.reason === '') this.reason = reason;
    this.resolve(code);
  }

  /** Begins the end after a failure of the storage. */
  fail(code: number, reason: string): void {
    this.failure = code;
    this.begin(code, reason);
  }

  /**
   * Ends the process at the end of standard input, whose bytes are ignored. An error counts as the end: no more bytes
   * can arrive.
   */
  watchInput(): void {
    const onEnd = (): void => this.begin(0, 'stdin ended');
    process.stdin.on('end', onEnd).on('error', onEnd).resume();
  }
}

/**
 * Ends the process without waiting for a thread inside SQLite, which `process.exit` waits for. It replaces the
 * process by a program that only exits.
 */
function exitAtOnce(code: number): never {
  process.removeAllListeners('warning');
  process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${code})`], {});
  process.exit(code);
}

/** Returns exit code and message for a file that cannot be written. */
function unwritable(path: string, error: unknown): [number, string] {
  const { code, unwritable: text } = EXITS.target;
  return [code, fill(text, { path, reason: fileCode(error) })];
}

/** Returns the path of the native module; `undefined` without a bundle, where the package finds its own. */
function nativeBinding(): string | undefined {
  return existsSync(BINDING) ? BINDING : undefined;
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** Ends the process after these lines on stderr. */
function exit(code: number, ...lines: readonly string[]): never {
  for (const line of lines) complain(line);
  process.exit(code);
}

if (isMainThread) {
  await main();
} else {
  const data = workerData as WriterData | ReaderData | CheckpointerData | CallReaderData | BackupData;
  switch (data.role) {
    case 'writer':
      (await import('./store/writer-thread.ts')).runWriter(parentPort!, data);
      break;
    case 'reader':
      (await import('./store/reader-thread.ts')).runReader(parentPort!, data);
      break;
    case 'checkpointer':
      (await import('./store/checkpoint-thread.ts')).runCheckpointer(parentPort!, data);
      break;
    case 'backup':
      (await import('./store/backup-thread.ts')).runBackup(parentPort!, data);
      break;
    case 'calls':
      (await import('./rpc/worker-thread.ts')).runCallReader(parentPort!);
      break;
  }
}
