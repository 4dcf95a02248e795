/**
 * DATA: colour, shape and dash of each server in every plot. A reader can distinguish the servers without colours.
 *
 * The colours are variables of the page: blue and vermilion of Okabe and Ito, which stay distinct in the common forms
 * of colour blindness. They are lighter on a dark background.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';

export interface Look {
  readonly colour: string;
  readonly symbol: 'circle' | 'diamond2';
  /** Symbol of the server in text. */
  readonly mark: string;
  readonly line: string;
  readonly dash: string;
}

export const LOOKS: Readonly<Record<TargetName, Look>> = {
  rs: { colour: 'var(--rs)', symbol: 'circle', mark: '●', line: 'solid', dash: 'none' },
  ts: { colour: 'var(--ts)', symbol: 'diamond2', mark: '◆', line: 'dashed', dash: '5,3' },
};
