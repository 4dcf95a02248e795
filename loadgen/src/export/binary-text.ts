/** What a result says of binary transfer as sentences: missed goals, conditions and warnings. */
import type { BinaryResult } from '../binary/binary-result.ts';
import { outcomeOf } from '../binary/goal.ts';
import { GOALS } from '../binary/goals.ts';
import { binaryServers } from './binary-tables.ts';
import { commitOf } from './conditions.ts';
import { formatDuration, percent } from './format.ts';
import { markdownText } from './markdown-table.ts';
import { SHORT_NAMES } from './names.ts';

/** By how much a goal is missed. */
function missedLines(binary: BinaryResult): string[] {
  return GOALS.flatMap((goal) => {
    const missed = binaryServers(binary).flatMap((server) => {
      const { share, isMet } = outcomeOf(goal, binary, server);
      return isMet === false ? [`${SHORT_NAMES[server]} by ${percent(Math.abs(1 - share!))}`] : [];
    });
    return missed.length === 0 ? [] : [`Missed, ${missed.join(', ')}: ${goal.title}.`];
  });
}

/** Machine and run as one line of Markdown. */
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
