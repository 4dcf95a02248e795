/** What a result says of formats and transports as sentences: conditions and warnings. */
import type { CodecsResult } from '../codecs/codecs-result.ts';
import { commitOf } from './conditions.ts';
import { formatDuration } from './format.ts';

export function codecsLines(codecs: CodecsResult): string[] {
  const { environment, seed, size, recorded, warnings } = codecs;
  return [
    `${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, ${environment.platform} ${environment.kernel}, ` +
      `Node ${environment.node_version}, ${environment.rustc_version ?? 'no rustc'}`,
    `commit ${commitOf(codecs)}, ${codecs.created_at.slice(0, 10)}, in ${formatDuration(codecs.took_s)}, seed ${seed}, ` +
      `${recorded ? 'recorded' : 'generated'} events, ${size} run${size === 'quick' ? ', which makes no claim' : ''}`,
    ...warnings.map(
      ({ message, advice }) => `Warning: ${message}${message.endsWith('.') ? '' : '.'} ${advice}`,
    ),
  ];
}
