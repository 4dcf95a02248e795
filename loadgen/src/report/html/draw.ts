/**
 * Draws a plot as inline SVG, without a browser.
 *
 * Invariants: every SVG has a title, a description and a role. It needs no script and no other file. It has no ids,
 * which could be the same as those of another plot. The same input gives the same bytes.
 */
import * as Plot from '@observablehq/plot';
import { type Element, JSDOM } from 'jsdom';
import { type Markup, trusted } from './markup.ts';

const { document } = new JSDOM('').window;

/** Size of every plot: a third of a wide page, and still readable at the width of a phone. */
const WIDTH = 440;
const HEIGHT = 280;

export interface Drawing {
  readonly title: string;
  readonly description: string;
  readonly options: Plot.PlotOptions;
}

export function draw({ title, description, options }: Drawing): Markup {
  const svg: Element = Plot.plot({
    document,
    className: 'drawn',
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 60,
    marginRight: 16,
    marginTop: 28,
    marginBottom: 44,
    ...options,
    style: { fontSize: '13px', fontFamily: 'inherit' },
  });
  // The library adds a style sheet to each plot. The page's own style sheet replaces them.
  svg.querySelector('style')?.remove();
  roundGeometry(svg);
  svg.removeAttribute('width');
  svg.removeAttribute('height');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', title);
  for (const [name, text] of [
    ['desc', description],
    ['title', title],
  ] as const) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    element.textContent = text;
    svg.prepend(element);
  }
  return trusted(svg.outerHTML);
}

const GEOMETRY = ['d', 'transform', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'width', 'height', 'cx', 'cy'] as const;

/** Rounds coordinates to a tenth of a pixel, which halves the size of the page. Text does not change. */
function roundGeometry(svg: Element): void {
  for (const element of svg.querySelectorAll('*')) {
    for (const name of GEOMETRY) {
      const value = element.getAttribute(name);
      if (value === null || value.endsWith('em')) continue;
      element.setAttribute(
        name,
        value.replaceAll(/-?\d+\.\d+(e-?\d+)?/g, (number) => String(Number(Number(number).toFixed(1)))),
      );
    }
  }
}
