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
 * Starts the server with its data in a folder of the app; resolves when it listens.
 *
 * @param {Program} program
 * @param {string} folder
 * @returns {Promise<Sidecar>}
 */
export async function startSidecar({ command, args = [] }, folder) {
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
  // The exit code tells the reason: 65 the database is in use or unusable, 2 a wrong flag.
  if (ready === undefined) throw new Error(`the server ended with ${await ended}: ${log.trim()}`);
  const { url, login_url: loginUrl, pid } = JSON.parse(ready);
  const stop = async () => {
    child.stdin.end();
    const hung = setTimeout(() => child.kill('SIGKILL'), DRAIN_MS);
    return await ended.finally(() => clearTimeout(hung));
  };
  return { pid, url, loginUrl, tokenFile, ended, stop };
}
