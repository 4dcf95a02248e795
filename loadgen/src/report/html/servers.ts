/**
 * DATA: how a server looks in every plot: colour, shape and dash, so that no one has to see the colour.
 *
 * The colours are variables of the page: blue and vermilion of Okabe and Ito, which stay distinct in the common forms of
 * colour blindness. They are lighter on dark.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';

export interface Look {
  readonly colour: string;
  readonly symbol: 'circle' | 'diamond2';
  /** In text. */
  readonly mark: string;
  readonly line: string;
  readonly dash: string;
}

export const LOOKS: Readonly<Record<TargetName, Look>> = {
  rs: { colour: 'var(--rs)', symbol: 'circle', mark: '●', line: 'solid', dash: 'none' },
  ts: { colour: 'var(--ts)', symbol: 'diamond2', mark: '◆', line: 'dashed', dash: '5,3' },
};
