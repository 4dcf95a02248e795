/** `pnpm bench:rpc`: what typed calls cost. */
import { RPC, runRpc } from '../rpc/command.ts';
import { runSuite } from './run-suite.ts';

process.exitCode = await runSuite(RPC, runRpc);
