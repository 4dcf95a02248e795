/** Collects which agents passed all scenarios that ran, for the last lines of the report. */
import type { AgentKind } from '../agents/agent.ts';

export class Verdicts {
  readonly #lines = new Map<string, { version: string; passed: number; failed: number }>();
  readonly #skipped = new Map<string, string>();

  begin({ label }: AgentKind, version: string): void {
    this.#lines.set(label, { version, passed: 0, failed: 0 });
  }

  skip({ label }: AgentKind, reason: string): void {
    this.#skipped.set(label, reason);
  }

  pass({ label }: AgentKind): void {
    this.#lines.get(label)!.passed++;
  }

  fail({ label }: AgentKind): void {
    this.#lines.get(label)!.failed++;
  }

  text(): string {
    const played = [...this.#lines].map(([label, { version, passed, failed }]) => {
      const verdict = failed === 0 && passed > 0 ? 'verified' : 'unverified';
      return `${label} ${version}: ${verdict}, ${passed} passed, ${failed} failed\n`;
    });
    const skipped = [...this.#skipped].map(([label, reason]) => `${label}: unverified, ${reason}\n`);
    return [...played, ...skipped].join('');
  }
}
