/** Writes the help of `twin-ingest`: its commands, its flags, and those of the server. */
import { type FlagTable, flagLines } from '@twin-ingest/testkit/process/flags.ts';
import { COMMAND } from '../command-name.ts';
import type { Command } from '../commands.ts';

/** The part of `contract/config.json` that the help shows. */
export interface ServerHelp {
  readonly options: readonly {
    readonly name: string;
    readonly value?: string;
    readonly default?: unknown;
    readonly help: string;
  }[];
  readonly commands: readonly {
    readonly name: string;
    readonly operand: string | null;
    readonly help: string;
  }[];
}

export function helpText(commands: readonly Command[], server: ServerHelp): string {
  const own: FlagTable<string> = {
    runtime: {
      value: 'rust|node',
      help: 'the server to start (default: Rust where it is installed or built)',
    },
    'no-open': { help: 'print where the dashboard is, and open no browser' },
  };
  const lines = [
    { left: 'start', help: 'start a server; also without a command' },
    ...commands.map(({ name, help }) => ({ left: name, help })),
    ...server.commands.map(({ name, operand, help }) => ({
      left: operand === null ? name : `${name} ${operand}`,
      help,
    })),
  ];
  const width = Math.max(...lines.map(({ left }) => left.length));
  const table = lines.map(({ left, help }) => `  ${left.padEnd(width)}  ${help}\n`).join('');
  return `Usage: ${COMMAND} [command] [flags]

Starts a server that shows coding agents on a local dashboard, and opens the dashboard.

${table}
--help after a command lists its flags. Flags of start:

${flagLines({ ...own, ...serverFlags(server) })}
Exit code: that of the command; 2 for a wrong flag or command.
`;
}

export function serverFlags({ options }: Pick<ServerHelp, 'options'>): FlagTable<string> {
  return Object.fromEntries(
    options.map(({ name, value, default: preset, help }) => {
      const isShown = value !== undefined && ['string', 'number'].includes(typeof preset) && name !== 'db';
      const text = name === 'db' ? `${help} [in your folder of data]` : help;
      return [
        name,
        { ...(value === undefined ? {} : { value }), help: isShown ? `${text} [${preset}]` : text },
      ];
    }),
  );
}
