/** One event on one line. Its texts are untrusted: each is plain text in a cell of its own. */
import type { ComponentChildren } from 'preact';
import type { Row } from '../api.ts';
import { callKey, isRunning } from '../calls.ts';
import { type ColumnName, eventOf, toolOf } from '../columns.ts';
import { computedTitle, UNPRICED_TITLE } from '../cost-text.ts';
import { costsOfRow } from '../costs.ts';
import { openCalls, toggleCall } from '../feed.ts';
import { projects } from '../figures.ts';
import { dollars, duration, legible, short, timeOfDay } from '../format.ts';
import { contains, foundIn, fromMatch } from '../found.ts';
import { labelOf } from '../labels.ts';
import { sessionHref } from '../route.ts';
import { summaryOf } from '../summary.ts';
import { projectOf } from '../titles.ts';
import { openEvent, sought } from '../view.ts';
import { Marked } from './marked.tsx';

interface EventRowProps {
  readonly row: Row;
  /** Other events of the same call. */
  readonly parts: readonly Row[];
  readonly isPart: boolean;
  readonly columns: readonly ColumnName[];
  readonly index: number;
  readonly style: { readonly transform: string };
  readonly isChosen: boolean;
}

export function rowId(id: number): string {
  return `event-${id}`;
}

export function EventRow({ row, parts, isPart, columns, index, style, isChosen }: EventRowProps) {
  const { id, event_type, status } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid that it is in has the keys.
    <div
      id={rowId(id)}
      class={`row event is-${status}${isPart ? ' is-part' : ''}`}
      role="row"
      aria-rowindex={index}
      aria-selected={isChosen}
      data-id={id}
      style={style}
      onClick={() => {
        openEvent.value = id;
      }}
    >
      {columns.map((name) => (
        <span
          key={name}
          role="gridcell"
          class={`c-${name} ${CLASSES[name]}${name === 'event' ? ` t-${event_type}` : ''}`}
          title={name === 'event' ? legible(row.source_event ?? event_type) : undefined}
        >
          {name === 'event' && parts.length > 0 && <Fold row={row} count={parts.length + 1} />}
          {name === 'what' && status !== 'success' && <span class="mark">{status} </span>}
          {name === 'what' ? <What row={row} columns={columns} /> : CELLS[name](row, parts)}
        </span>
      ))}
    </div>
  );
}

/** Lists the events of a call separately. */
function Fold({ row, count }: { readonly row: Row; readonly count: number }) {
  const isOpen = openCalls.value.has(callKey(row));
  return (
    <button
      type="button"
      class="fold"
      tabIndex={-1}
      aria-expanded={isOpen}
      aria-label={`${count} events of this call`}
      onClick={(event) => {
        event.stopPropagation();
        toggleCall(row);
      }}
    >
      {isOpen ? '▾' : '▸'}
    </button>
  );
}

const CLASSES: Readonly<Record<ColumnName, 'number' | 'text'>> = {
  time: 'number',
  event: 'text',
  agent: 'text',
  tool: 'text',
  what: 'text',
  took: 'number',
  tokens: 'number',
  cost: 'number',
  session: 'text',
};

/** The summary of an event, or the place where the searched text is, unless another column shows it. */
function What({ row, columns }: { readonly row: Row; readonly columns: readonly ColumnName[] }) {
  const [summary, wanted] = [summaryOf(row), sought.value];
  if (wanted === '') return <>{summary}</>;
  if (contains(summary, wanted)) return <Marked text={fromMatch(summary, wanted)} />;
  if (columns.some((name) => name in textIn && contains(textIn[name as keyof typeof textIn](row), wanted)))
    return <>{summary}</>;
  const found = foundIn(row, wanted);
  if (found === null) return <>{summary}</>;
  return (
    <>
      <span class="where">{legible(found.where in row ? labelOf(found.where) : found.where, 60)}: </span>
      <Marked text={legible(fromMatch(found.text, wanted))} />
    </>
  );
}

/** The texts of columns in which the searched text is marked. */
const textIn = {
  event: (row: Row) => legible(eventOf(row), 60),
  agent: ({ agent_type }: Row) => legible(agent_type, 60),
  tool: (row: Row) => legible(toolOf(row) ?? '', 60),
  session: (row: Row) => legible(whereOf(row), 40),
};

const CELLS: Readonly<
  Record<Exclude<ColumnName, 'what'>, (row: Row, parts: readonly Row[]) => ComponentChildren>
> = {
  // The time when the call started; the next column shows its duration.
  time: (row, parts) => {
    const first = [row, ...parts].reduce((a, b) => (a.id < b.id ? a : b));
    return timeOfDay(new Date(first.time)).slice(0, 8);
  },
  event: (row) => <Marked text={textIn.event(row)} />,
  agent: (row) => <Marked text={textIn.agent(row)} />,
  tool: (row) => <Marked text={textIn.tool(row)} />,
  took: (row) => {
    if (row.duration_ms !== null) return duration(row.duration_ms);
    return isRunning(row) ? <span title="No result yet">…</span> : '';
  },
  tokens: ({ tokens_in, tokens_out }) =>
    tokens_in + tokens_out === 0 ? '' : `${short(tokens_in)}/${short(tokens_out)}`,
  cost: (row) => {
    if (row.cost_usd !== null) return dollars(row.cost_usd);
    if (row.computed_cost_usd !== null)
      return <span title={computedTitle.value}>~{dollars(row.computed_cost_usd)}</span>;
    return costsOfRow(row).unpriced > 0 ? <span title={UNPRICED_TITLE}>–</span> : '';
  },
  session: (row) => (
    <a
      class="where-link"
      tabIndex={-1}
      href={sessionHref(row.session_id)}
      title="Open its session"
      onClick={(event) => event.stopPropagation()}
    >
      <Marked text={textIn.session(row)} />
    </a>
  ),
};

/**
 * Returns the project of an event. Telemetry names no project, but another event of its session may. Otherwise the
 * agent is more informative than an id.
 */
function whereOf({ project, session_id, source, agent_type }: Row): string {
  const known = projectOf({ id: session_id, project: project ?? projects.value.get(session_id) ?? null });
  return known ?? (source === 'otel' ? `${agent_type} ${session_id.slice(0, 4)}` : session_id);
}
