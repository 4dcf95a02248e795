/**
 * The comparison as a table on a terminal, with what it was measured under and every reason to distrust it.
 */
import CliTable from 'cli-table3';
import { generatorLoad } from '../metrics.ts';
import type { Result } from '../result.ts';
import { percent } from './format.ts';
import { comparisonTable, conditions } from './rows.ts';

export function terminalReport(result: Result): string {
  const { head, rows } = comparisonTable(result);
  const table = new CliTable({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows.map((row) => [...row]));
  const sections = [conditions(result).join('\n'), table.toString(), generatorLine(result)];
  if (result.warnings.length > 0) {
    const reasons = result.warnings.map((warning) => `  ${warning.message}\n    ${warning.advice}`);
    sections.push(`Reasons to distrust this result:\n${reasons.join('\n')}`);
  }
  return `${sections.join('\n\n')}\n`;
}

/** The generator beside the servers: what it cost, and how near its limit it was. */
function generatorLine(result: Result): string {
  const events = result.rounds.reduce((sum, sample) => sum + sample.measured.sent_events, 0);
  const cpu = result.rounds.reduce((sum, sample) => sum + sample.measured.generator_cpu_us, 0);
  const most = Math.max(...result.rounds.map(generatorLoad));
  return `Generator: ${(cpu / events).toFixed(2)} µs of CPU per event, at most ${percent(most)} of a core.`;
}
