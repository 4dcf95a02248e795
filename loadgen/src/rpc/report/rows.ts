/** Every row of a scenario with every figure, for the report page. The Markdown document has only the short tables. */

import { formatValue, group } from '../../report/format.ts';
import { SHORT_NAMES } from '../../report/names.ts';
import type { Table } from '../../report/rows.ts';
import { FIGURES, type FigureKey } from '../figure.ts';
import type { RpcResult, ScenarioName } from '../result.ts';
import { NONE } from './cells.ts';

/** Returns `null` if the scenario has no rows. */
export function rpcRows(result: RpcResult, scenario: ScenarioName): Table | null {
  const rows = result.rows.filter((row) => row.scenario === scenario);
  if (rows.length === 0) return null;
  const keys = (Object.keys(FIGURES) as FigureKey[]).filter((key) =>
    rows.some(({ figures }) => figures[key] !== undefined),
  );
  return {
    head: ['Case', ...keys.map((key) => FIGURES[key].label)],
    rows: rows.map(({ server, parameters, figures }) => [
      [SHORT_NAMES[server], ...Object.entries(parameters).map(([name, value]) => `${name} ${value}`)].join(
        ', ',
      ),
      ...keys.map((key) => (figures[key] === undefined ? NONE : textOf(figures[key], key))),
    ]),
  };
}

function textOf(value: number, key: FigureKey): string {
  const { unit } = FIGURES[key];
  return unit === 'calls_per_s' ? group(Math.round(value * 100) / 100) : formatValue(value, unit);
}
