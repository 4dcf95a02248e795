/** Says why a comparison cannot have both servers. Invariant: no I/O. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Facts, missingText, runsTypeScript, WANTED_NODE } from '../launch/runtime.ts';

/** Returns one line, or `null` when every wanted server runs here. */
export function missingServer(facts: Facts, only: TargetName | null): string | null {
  const { node, rust, isTypeScriptBuilt } = facts;
  // The measurement itself needs the same Node as the TypeScript server.
  if (!runsTypeScript(facts)) {
    const who = only === 'rs' ? 'the measurement' : 'the TypeScript server';
    return `${who} needs ${WANTED_NODE}; install it, this is Node.js ${node}`;
  }
  if (only !== 'ts' && !rust.isInstalled && rust.build === undefined)
    return `${missingText(rust)}; --only node measures the TypeScript server alone`;
  if (only !== 'rs' && !isTypeScriptBuilt) return 'the TypeScript server is not built';
  return null;
}
