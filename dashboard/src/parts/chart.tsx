/**
 * One plot (uPlot on a canvas), with its newest values, or those at the pointer, as text above it.
 *
 * Invariant: it is recreated only when its colours change; new data and widths go to the existing plot.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { timeOfDay } from '../format.ts';
import { plotting } from '../plotting.ts';
import { isDark } from '../theme.ts';

const HEIGHT_PX = 112;
/** Seconds of a day: longer ranges have day labels. */
const DAY_S = 86_400;

interface ChartProps {
  readonly title: string;
  /** The range as text. */
  readonly range: string;
  /** Unix seconds, then a list per series. */
  readonly data: readonly (readonly (number | null)[])[];
  readonly series: readonly { readonly name: string; readonly colour: string }[];
  readonly kind: 'area' | 'line' | 'bars';
  /** Least maximum of the scale, so that small values are not drawn large. */
  readonly least: number;
  format(value: number): string;
}

export function Chart(props: ChartProps) {
  const { title, range, data, series, format } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [pointed, setPointed] = useState<number | null>(null);
  const newest = useRef(data);
  newest.current = data;
  const dark = isDark.value;
  // The effect below passes the data; other options never change.
  useEffect(() => {
    let [made, isGone]: [uPlot | undefined, boolean] = [undefined, false];
    const observer = new ResizeObserver(([entry]) => {
      made?.setSize({ width: Math.floor(entry!.contentRect.width), height: HEIGHT_PX });
    });
    void plotting().then((Plot) => {
      if (isGone) return;
      const options = optionsOf(Plot, props, box.current!, setPointed);
      made = new Plot(options, newest.current as uPlot.AlignedData, box.current!);
      plot.current = made;
      observer.observe(box.current!);
    });
    return () => {
      isGone = true;
      observer.disconnect();
      made?.destroy();
      plot.current = undefined;
    };
  }, [dark]);
  useEffect(() => plot.current?.setData(data as uPlot.AlignedData), [data]);
  const at = pointed ?? data[0]!.length - 1;
  const values = series.map(({ name }, i) => {
    const value = data[i + 1]![at] ?? null;
    return { name, text: value === null ? '–' : format(value) };
  });
  const second = data[0]![at] ?? null;
  return (
    <figure class="panel chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        <span class="number values">
          {values.map(({ name, text }, i) => (
            <span key={name}>
              <span class={`key k-${series[i]!.colour.slice(2)}`} aria-hidden="true" />
              {series.length > 1 && <span class="dim">{name} </span>}
              {text}
            </span>
          ))}
        </span>
        <span class="dim number when">
          {pointed === null || second === null ? range : timeOfDay(new Date(second * 1000)).slice(0, 8)}
        </span>
      </figcaption>
      <div ref={box} class="plot" aria-hidden="true" />
    </figure>
  );
}

function optionsOf(
  Plot: typeof uPlot,
  { series, kind, format, least }: ChartProps,
  box: HTMLElement,
  point: (index: number | null) => void,
): uPlot.Options {
  const [ink, line] = [colourOf(box, '--dim'), colourOf(box, '--line')];
  const axis = {
    stroke: ink,
    font: '11px system-ui',
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
  return {
    width: Math.max(100, Math.floor(box.clientWidth)),
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 } },
    padding: [6, 16, 0, 0],
    scales: {
      // A bar is drawn to the right of its time.
      x: { range: (_, from, to) => [from, kind === 'bars' ? to + 3600 : Math.max(to, from + 1)] },
      y: { range: (_, __, most) => [0, Math.max((most ?? 0) * 1.08, least)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 70,
        size: 22,
        values: (_, splits) => splits.map((at) => moment(at, splits)),
      },
      { ...axis, size: 46, space: 26, values: (_, splits) => splits.map((value) => format(value)) },
    ],
    series: [
      {},
      ...series.map(({ name, colour }): uPlot.Series => {
        const stroke = colourOf(box, colour);
        const bars = kind === 'bars' && { paths: Plot.paths.bars!({ size: [0.8, 24], align: 1 }) };
        const fill = kind === 'line' ? {} : { fill: faint(stroke, kind === 'bars' ? 0.7 : 0.18) };
        const width = kind === 'bars' ? 0 : 1.5;
        return { label: name, stroke, width, points: { show: false }, spanGaps: false, ...fill, ...bars };
      }),
    ],
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
  };
}

/** Returns the colour of a custom property for a canvas: the element resolves `light-dark()`. */
function colourOf(element: HTMLElement, property: string): string {
  element.style.color = `var(${property})`;
  const colour = getComputedStyle(element).color;
  element.style.color = '';
  return colour;
}

function faint(colour: string, alpha: number): string {
  return colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);
}

/** Formats `18:06`, or the day when there are several. */
function moment(second: number, all: readonly number[]): string {
  const at = new Date(second * 1000);
  if (all.at(-1)! - all[0]! > 2 * DAY_S)
    return at.toLocaleDateString('en-US', { month: 'short', day: 'numeric' });
  return timeOfDay(at).slice(0, 5);
}
