/**
 * A plot as inline SVG, drawn without a browser.
 *
 * Invariants: every SVG has a title, a description and a role. It needs no script and no other file. It has no ids that
 * a second plot could share, and is the same bytes every time. Knows nothing of results.
 */
import * as Plot from '@observablehq/plot';
import { type Element, JSDOM } from 'jsdom';
import { type Markup, trusted } from './markup.ts';

const { document } = new JSDOM('').window;

/** One size for all, made for a third of a wide page, and still readable at the width of a phone. */
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
  // What the library adds for pages of its own; the page's style has it once.
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

/** A tenth of a pixel is enough, and halves the page. Text stays as it is. */
export function roundGeometry(svg: Element): void {
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
