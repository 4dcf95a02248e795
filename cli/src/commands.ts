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
    name: 'ensure',
    help: 'start a server for a database if none holds it, and print its URL',
    load: () => import('./ensure.ts'),
  },
  {
    name: 'stop',
    help: 'end the server that holds a database, and no other process',
    load: () => import('./stop.ts'),
  },
  {
    name: 'service',
    help: 'keep a server running while you are signed in',
    load: () => import('./service.ts'),
  },
];
