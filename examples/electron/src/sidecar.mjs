/**
 * Starts a twin-ingest server next to an app, finds its URL, and ends it with the app. Imports nothing of Electron.
 *
 * The server ends with the app in every case: its standard input is a pipe that the kernel closes when the app dies
 * (`--exit-with-stdin`), also after kill -9.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** Exit code of a server whose database another server holds. */
const IN_USE = 75;
/** A server drains within 5 s. */
const DRAIN_MS = 6_000;
const START_MS = 15_000;

/**
 * @typedef {object} Program
 * @property {string} command
 * @property {readonly string[]} [args] Arguments before the server's flags: the file of the TypeScript server.
 *
 * @typedef {object} Sidecar
 * @property {number} pid
 * @property {string} url Base of all requests, such as `http://127.0.0.1:41234`.
 * @property {string} loginUrl Opens one window with the dashboard, within five minutes; it contains no token.
 * @property {string} tokenFile The file with the token, for requests of the main process.
 * @property {Promise<number | null>} ended The exit code.
 * @property {() => Promise<number | null>} stop Ends the server: it answers what it has received and closes the database.
 */

/**
 * Starts the server with its data in a folder of the app; resolves when it listens. After a crash of the app the old
 * server may still drain; this waits for it.
 *
 * @param {Program} program
 * @param {string} folder
 * @returns {Promise<Sidecar>}
 */
export async function startSidecar(program, folder) {
  for (const begun = performance.now(); ; await sleep(100)) {
    const { sidecar, code, log } = await tryStart(program, folder);
    if (sidecar !== undefined) return sidecar;
    // The exit code tells the reason: 65 the database is unusable, 2 a wrong flag.
    if (code !== IN_USE || performance.now() - begun > DRAIN_MS)
      throw new Error(`the server ended with ${code}: ${log}`);
  }
}

/** Starts the server once; resolves with its exit code when it ends before it is ready. */
async function tryStart({ command, args = [] }, folder) {
  mkdirSync(folder, { recursive: true });
  const tokenFile = join(folder, 'token');
  const flags = ['--port', '0', '--exit-with-stdin', '--log-level', 'warn'];
  const files = ['--db', join(folder, 'events.db'), '--token-file', tokenFile, '--new-token'];
  const child = spawn(command, [...args, ...flags, ...files], { stdio: ['pipe', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    // The end of the log explains a failure.
    log = (log + text).slice(-4_096);
  });
  child.stdin.on('error', () => {});
  const ended = new Promise((resolve, reject) => {
    child.once('exit', (code) => resolve(code)).once('error', reject);
  });
  const late = setTimeout(() => child.kill('SIGKILL'), START_MS);
  const lines = createInterface(child.stdout);
  const first = new Promise((resolve) => lines.once('line', resolve));
  const ready = await Promise.race([first, ended.then(() => undefined)]).finally(() => clearTimeout(late));
  if (ready === undefined) return { code: await ended, log: log.trim() };
  const { url, login_url: loginUrl, pid } = JSON.parse(ready);
  const stop = async () => {
    child.stdin.end();
    const hung = setTimeout(() => child.kill('SIGKILL'), DRAIN_MS);
    return await ended.finally(() => clearTimeout(hung));
  };
  return { sidecar: { pid, url, loginUrl, tokenFile, ended, stop } };
}
