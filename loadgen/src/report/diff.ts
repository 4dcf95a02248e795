/** The comparison of two results as tables for a terminal. The same as JSON is the `Diff` itself. */
import CliTable from 'cli-table3';
import type { Diff, RatioDiff } from '../analyse/diff.ts';
import type { Figure, FigureDiff } from '../analyse/diff-figures.ts';
import { METRICS } from '../analyse/metrics.ts';
import type { Interval, Verdict } from '../analyse/statistics.ts';
import { formatValue } from './format.ts';

interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const NONE = '—';

const VERDICTS: Readonly<Record<Verdict, string>> = {
  higher: 'higher',
  lower: 'lower',
  no_difference: 'no difference',
  too_few_rounds: 'too few rounds',
};

export function terminalDiff(diff: Diff): string {
  const tables = tablesOf(diff).map(({ title, head, rows }) => {
    if (rows.length === 0) return `${title}: none.`;
    const table = new CliTable({ head: [...head], style: { head: [], border: [], compact: true } });
    table.push(...rows.map((row) => [...row]));
    return `${title}\n${table.toString()}`;
  });
  const warnings = diff.warnings.map((warning) => `Warning: ${warning}`).join('\n');
  return `${[...(warnings === '' ? [] : [warnings]), ...tables, summaryLine(diff)].join('\n\n')}\n`;
}

/** How much of it agrees, in one line. */
export function summaryLine({ summary }: Diff): string {
  const repeating = summary.ratios_repeat_rate;
  const left = summary.ratios_not_compared - repeating;
  const few = left === 0 ? '' : `; too few rounds to compare: ${left}`;
  const repeated = repeating === 0 ? '' : `; only repeat the rate: ${repeating}`;
  const others = `of the others ${summary.others_disagree}, where chance may leave out ${summary.others_allowed}`;
  return (
    `The runs ${summary.agree ? 'agree' : 'do not agree'}: ` +
    `of the headline's ratios ${summary.headline_disagree || 'none'} disagree, ${others}. ` +
    `Ratios that agree: ${summary.ratios_agree} of ${summary.ratios}${few}${repeated}; ` +
    `without noise floors the intervals of ${summary.ratios_overlap} overlap, and of ${summary.ratios_agree_plainly} each median lies within the other's. ` +
    `Figures without a difference: ${summary.figures_without_difference} of ${summary.figures}` +
    `${summary.figures_not_judged === 0 ? '' : `; too few rounds to judge: ${summary.figures_not_judged}`}.`
  );
}

function tablesOf(diff: Diff): Table[] {
  return [
    {
      title: 'Made under',
      head: ['', 'A', 'B', ''],
      rows: diff.facts.map((fact) => [fact.name, fact.a, fact.b, fact.differs ? 'differs' : '']),
    },
    {
      title: 'Figures (median with its 95 % interval; change of B over A)',
      head: ['Measurement', 'Metric', 'Server', 'A', 'B', 'Change', 'Intervals', 'Noise floor', 'Verdict'],
      rows: diff.figures.map(figureRow),
    },
    {
      title: 'Ratios (Rust / TypeScript)',
      head: ['Measurement', 'Metric', 'A', 'B', 'Noise floor', 'Agree'],
      rows: diff.ratios.map(ratioRow),
    },
  ];
}

function figureRow(figure: FigureDiff): string[] {
  const { change, change_interval: interval, intervals_overlap: overlap } = figure;
  return [
    figure.measurement,
    labelOf(figure.metric),
    figure.server,
    figureText(figure.a, figure.metric),
    figureText(figure.b, figure.metric),
    change === null ? NONE : withInterval(change - 1, interval && shifted(interval), signedPercent),
    overlap === null ? NONE : overlap ? 'overlap' : 'apart',
    floorText(figure.noise_floor),
    VERDICTS[figure.verdict],
  ];
}

function ratioRow({ measurement, metric, a, b, noise_floor, repeats_rate, agree }: RatioDiff): string[] {
  const text = (ratio: RatioDiff['a']) =>
    withInterval(ratio.ratio, ratio.interval === 'none' ? null : ratio, (value) => `${digits(value)}×`);
  return [
    measurement,
    labelOf(metric),
    text(a),
    text(b),
    floorText(noise_floor),
    repeats_rate ? 'repeats the rate' : agree === null ? VERDICTS.too_few_rounds : agree ? 'yes' : 'no',
  ];
}

function figureText(figure: Figure, key: string): string {
  const unit = METRICS.find((metric) => metric.key === key)?.unit;
  return withInterval(figure.median, figure.interval, (value) =>
    unit === undefined ? digits(value) : formatValue(value, unit),
  );
}

/** The unit once, behind the interval, where it is the same for all three. */
function withInterval(value: number, interval: Interval | null, show: (value: number) => string): string {
  if (interval === null) return show(value);
  const texts = [value, interval.low, interval.high].map(show);
  const unit = /\D*$/.exec(texts[0]!)![0];
  const [middle, low, high] = texts.every((text) => text.endsWith(unit))
    ? texts.map((text) => text.slice(0, text.length - unit.length))
    : texts;
  const behind = middle === texts[0] ? '' : unit;
  return `${middle} [${low} – ${high}]${behind}`;
}

function shifted({ low, high }: Interval): Interval {
  return { low: low - 1, high: high - 1 };
}

function floorText(floor: number | null): string {
  return floor === null ? 'unknown' : `${digits(floor * 100)} %`;
}

function signedPercent(share: number): string {
  const text = digits(Math.abs(share * 100));
  return `${text === '0' ? '' : share > 0 ? '+' : '−'}${text} %`;
}

function labelOf(key: string): string {
  return METRICS.find((metric) => metric.key === key)?.label ?? key;
}

/** Three significant digits; nothing but zero has none. */
function digits(value: number): string {
  if (value === 0) return '0';
  return value.toLocaleString('en-US', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
}
