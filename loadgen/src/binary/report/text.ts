/** The binary suite's result as sentences: missed goals, conditions and warnings. */

import { commitOf } from '../../report/conditions.ts';
import { formatDuration, percent } from '../../report/format.ts';
import { markdownText } from '../../report/markdown-table.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import { outcomeOf } from '../goal.ts';
import { GOALS } from '../goals.ts';
import type { BinaryResult } from '../result.ts';
import { binaryServers } from './tables.ts';

/** Returns by how much each goal is missed. */
function missedLines(binary: BinaryResult): string[] {
  return GOALS.flatMap((goal) => {
    const missed = binaryServers(binary).flatMap((server) => {
      const { share, isMet } = outcomeOf(goal, binary, server);
      return isMet === false ? [`${SHORT_NAMES[server]} by ${percent(Math.abs(1 - share!))}`] : [];
    });
    const why = goal.obstacle === undefined ? '' : `: ${goal.obstacle}`;
    return missed.length === 0 ? [] : [`Missed, ${missed.join(', ')}: ${goal.title}${why}.`];
  });
}

/** Returns the machine and the run as one line of Markdown. */
export function binaryConditions(binary: BinaryResult): string {
  return markdownText(`${conditions(binary).join('; ')}.`);
}

export function binaryLines(binary: BinaryResult): string[] {
  return [
    ...missedLines(binary),
    ...conditions(binary),
    ...binary.warnings.map(
      ({ message, advice }) => `Warning: ${message}${message.endsWith('.') ? '' : '.'} ${advice}`,
    ),
  ];
}

function conditions(binary: BinaryResult): string[] {
  const { browser, environment, size } = binary;
  return [
    `${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, ${environment.platform} ${environment.kernel}, ` +
      `${browser === null ? 'no browser' : `Chromium ${browser}`}, Node ${environment.node_version}, ${environment.rustc_version ?? 'no rustc'}`,
    `commit ${commitOf(binary)}, ${binary.created_at.slice(0, 10)}, in ${formatDuration(binary.took_s)}, ` +
      `${size} run${size === 'quick' ? ', which makes no claim' : ''}`,
  ];
}
