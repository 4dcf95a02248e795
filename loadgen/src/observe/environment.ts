/**
 * Reads facts about the machine and the versions of a run.
 *
 * Invariant: a result contains no path, host name or user name. A value that the system does not report is `null`.
 */
import { spawnSync } from 'node:child_process';
import { arch, cpus, loadavg, platform, release, tmpdir, totalmem } from 'node:os';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

export type Environment = Readonly<ReturnType<typeof readEnvironment>>;

/** Files that are generated from a result, so that one run does not make the next one dirty. */
const GENERATED =
  'benchmark-results.json docs/benchmark-results.md docs/suites docs/peers.md docs/performance.md README.md';

/** Returns whether a checkout differs from its commit, generated files aside; `null` when git fails. */
export function isDirty(root: string): boolean | null {
  const excluded = GENERATED.split(' ').map((file) => `:(exclude)${file}`);
  const status = output('git', ['status', '--porcelain', '--', '.', ...excluded], root);
  return status === null ? null : status !== '';
}

/** Reads the facts. Outside of a checkout there is no commit, and rustc has built no server. */
export function readEnvironment({ isCheckout = true } = {}) {
  const processors = cpus();
  return {
    cpu_model: processors[0]?.model.trim() || null,
    cpu_cores: processors.length,
    memory_bytes: totalmem(),
    platform: platform(),
    arch: arch(),
    kernel: release(),
    // The first line is the heading. Only GNU's `df` has the option.
    database_file_system: output('df', ['--output=fstype', tmpdir()])?.split('\n')[1] ?? null,
    // Of one, five and fifteen minutes, before anything was started.
    load_average: loadavg(),
    node_version: process.versions.node,
    rustc_version: isCheckout ? output('rustc', ['--version']) : null,
    commit: isCheckout ? output('git', ['rev-parse', 'HEAD']) : null,
    // Whether tracked or new files differ from the commit.
    dirty: isCheckout ? isDirty(ROOT) : null,
  };
}

/** Returns what a program prints; `null` when it fails or is not there. */
function output(command: string, args: readonly string[], cwd = ROOT): string | null {
  const { status, stdout } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
