/** A plot with its key, its caption, and a table of its figures for readers who cannot see it. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { SHORT_NAMES } from '../names.ts';
import type { Table } from '../rows.ts';
import { type Drawing, draw } from './draw.ts';
import { html, type Markup } from './markup.ts';
import { LOOKS } from './servers.ts';

export interface Figure extends Drawing {
  /** Anchor of the figure, by which tests find it. */
  readonly id: string;
  readonly caption: string;
  readonly servers: readonly TargetName[];
  readonly table: Table;
}

export function figureMarkup(figure: Figure): Markup {
  return html`<figure id="${figure.id}">
<h3>${figure.title}</h3>
<p class="key">${figure.servers.map(
    (name) =>
      html`<span class="${name}"><b aria-hidden="true">${LOOKS[name].mark}</b> ${SHORT_NAMES[name]} <small>${LOOKS[name].line}</small></span>`,
  )}</p>
${draw(figure)}
<figcaption>${figure.caption}</figcaption>
<details><summary>Figures of this plot</summary>${tableMarkup(figure.table)}</details>
</figure>
`;
}

export function tableMarkup({ head, rows }: Table): Markup {
  return html`<div class="table"><table><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr>${row.map((cell, i) => (i === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`))}</tr>`,
  )}</tbody></table></div>`;
}
