/** `pnpm bench:rpc`: what typed calls cost. */
import { parseSuite } from '../plan/suite-options.ts';
import { RPC, runRpc } from '../rpc/command.ts';
import { REAL_CONTENDERS } from '../run/contenders.ts';
import { runCommand } from './run-command.ts';

const argv = process.argv.slice(2);
process.exitCode = await runCommand('rpc', parseSuite(RPC, argv), (options, lifetime) =>
  runRpc(argv, options, REAL_CONTENDERS, lifetime),
);
