/**
 * The commands of `twin-ingest`, in the order of its help.
 *
 * Each loads its program when it is chosen; the program reads `process.argv` and sets the exit code. To add a command,
 * add its line here.
 */
export interface Command {
  readonly name: string;
  readonly help: string;
  readonly load: () => Promise<unknown>;
  /** Whether the program starts a server, and so needs `--server` with the one that is installed. */
  readonly startsServer?: true;
}

export const COMMANDS: readonly Command[] = [
  {
    name: 'connect',
    help: "write into an agent's settings, so that it sends",
    load: () => import('./connect.ts'),
  },
  {
    name: 'doctor',
    help: 'say which agents are connected, and what to do',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'demo',
    help: 'play a day of made-up agents on a database of its own',
    load: () => import('./demo.ts'),
    startsServer: true,
  },
  {
    name: 'bench',
    help: 'compare the Rust server with the TypeScript one on this machine',
    load: () => import('./bench.ts'),
  },
  { name: 'import', help: "send what an agent's transcripts hold", load: () => import('./import.ts') },
  { name: 'export', help: 'write a session as NDJSON or Markdown', load: () => import('./export.ts') },
  { name: 'ensure', help: 'start a server for a file unless one has it', load: () => import('./ensure.ts') },
  { name: 'stop', help: 'end the server that has a file', load: () => import('./stop.ts') },
  {
    name: 'trim',
    help: 'remove from a shared stream what a backup and all servers have',
    load: () => import('./trim.ts'),
  },
  {
    name: 'service',
    help: 'keep a server running while you are signed in',
    load: () => import('./service.ts'),
  },
];
