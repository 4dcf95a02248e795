/** The codecs suite's result as sentences: missed goals, conditions and warnings. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { commitOf } from '../../report/conditions.ts';
import { formatDuration, percent } from '../../report/format.ts';
import { markdownText } from '../../report/markdown-table.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import { outcomeOf } from '../goal.ts';
import { GOALS } from '../goals.ts';
import type { CodecsResult } from '../result.ts';

/** Returns by how much each goal is missed, and why. */
function missedLines(codecs: CodecsResult): string[] {
  const servers = Object.keys(codecs.servers) as TargetName[];
  return GOALS.flatMap((goal) => {
    const missed = servers.flatMap((server) => {
      const { share, isMet } = outcomeOf(goal, codecs, server);
      return isMet === false ? [`${SHORT_NAMES[server]} by ${percent(Math.abs(1 - share!))}`] : [];
    });
    if (missed.length === 0) return [];
    const why = goal.obstacle === undefined ? '' : `: ${goal.obstacle}`;
    return [`Missed, ${missed.join(', ')}: ${goal.title}${why}.`];
  });
}

/** Returns the machine and the run as one line of Markdown. */
export function conditionsText(codecs: CodecsResult): string {
  return markdownText(`${conditions(codecs).join('; ')}.`);
}

export function codecsLines(codecs: CodecsResult): string[] {
  return [
    ...missedLines(codecs),
    ...conditions(codecs),
    ...codecs.warnings.map(
      ({ message, advice }) => `Warning: ${message}${message.endsWith('.') ? '' : '.'} ${advice}`,
    ),
  ];
}

function conditions(codecs: CodecsResult): string[] {
  const { environment, seed, size, recorded } = codecs;
  return [
    `${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, ${environment.platform} ${environment.kernel}, ` +
      `Node ${environment.node_version}, ${environment.rustc_version ?? 'no rustc'}`,
    `commit ${commitOf(codecs)}, ${codecs.created_at.slice(0, 10)}, in ${formatDuration(codecs.took_s)}, seed ${seed}, ` +
      `${recorded ? 'recorded' : 'generated'} events, ${size} run${size === 'quick' ? ', which makes no claim' : ''}`,
  ];
}
