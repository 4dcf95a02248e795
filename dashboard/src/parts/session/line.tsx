/** One line of the timeline. Its texts are untrusted: each is plain text in an element of its own. */
import { eventOf } from '../../columns.ts';
import { computedTitle, costText, UNPRICED_TITLE } from '../../cost-text.ts';
import { costsOfRow, isSpent, sumOfCosts } from '../../costs.ts';
import { counted, dollars, duration, legible, short, timeOfDay } from '../../format.ts';
import type { Item } from '../../session/items.ts';
import { barsOf, type Line } from '../../session/lines.ts';
import { fold } from '../../session/state.ts';
import { allOf, type Lane, type Turn, timesOf } from '../../session/turns.ts';
import { summaryOf } from '../../summary.ts';
import { now_ms } from '../../time.ts';
import { clock } from '../../titles.ts';
import { openEvent } from '../../view.ts';

interface LineProps {
  readonly line: Line;
  readonly index: number;
  readonly top: number;
  readonly isOpen: boolean;
  readonly isChosen: boolean;
}

export function lineId(key: string): string {
  return `line-${key.replace(/\W/g, '-')}`;
}

export function LineView({ line, index, top, isOpen, isChosen }: LineProps) {
  const { kind, key } = line;
  const isBad = kind === 'item' && line.item.isError;
  const isInner = kind === 'item' && line.item.lane !== null;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid that it is in has the keys.
    <div
      id={lineId(key)}
      class={`line is-${kind}${kind === 'turn' && line.turn.number === 0 ? ' is-start' : ''}${isBad ? ' is-bad' : ''}${isInner ? ' is-inner' : ''}`}
      role="row"
      aria-level={kind === 'turn' ? 1 : isInner ? 3 : 2}
      aria-rowindex={index + 1}
      aria-selected={isChosen}
      aria-expanded={kind === 'item' ? undefined : isOpen}
      data-event={line.row?.id}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => {
        if (line.row !== null) openEvent.value = line.row.id;
      }}
    >
      {kind === 'turn' ? (
        <TurnCells turn={line.turn} lineKey={key} isOpen={isOpen} />
      ) : kind === 'lane' ? (
        <LaneCells lane={line.lane} line={line} isOpen={isOpen} />
      ) : (
        <ItemCells item={line.item} line={line} />
      )}
    </div>
  );
}

interface TurnProps {
  readonly turn: Turn;
  readonly lineKey: string;
  readonly isOpen: boolean;
}

function TurnCells({ turn, lineKey, isOpen }: TurnProps) {
  const { number, prompt, answer, start, sums } = turn;
  const { waited, worked } = timesOf(turn, now_ms.value);
  const facts = [
    `${clock(new Date(start))}`,
    number > 0 ? `worked ${duration(worked)}` : '',
    waited > 0 ? `waited ${duration(waited)}` : '',
    sums.modelCalls > 0 ? counted(sums.modelCalls, 'model call') : '',
    sums.toolCalls > 0 ? counted(sums.toolCalls, 'tool call') : '',
    isSpent(sums) ? costText(sums) : '',
  ];
  return (
    <>
      <span role="gridcell" class="line-fold">
        <FoldButton lineKey={lineKey} isOpen={isOpen} name={number === 0 ? 'the start' : `turn ${number}`} />
      </span>
      <span role="gridcell" class="turn-prompt text">
        {prompt === null ? <span class="dim">Before the first prompt</span> : summaryOf(prompt.row)}
      </span>
      <span role="gridcell" class="turn-facts number dim">
        {facts.filter((text) => text !== '').join(' · ')}
        {sums.errors > 0 && <span class="bad"> · {counted(sums.errors, 'error')}</span>}
      </span>
      <span role="gridcell" class="turn-answer text">
        {answer === null ? (
          number > 0 && <Unanswered turn={turn} />
        ) : (
          <button
            type="button"
            class="link"
            tabIndex={-1}
            title="Show the answer"
            onClick={(event) => {
              event.stopPropagation();
              openEvent.value = answer.row.id;
            }}
          >
            <span class="dim">↳ </span>
            {summaryOf(answer.row)}
          </button>
        )}
      </span>
    </>
  );
}

/** Says why a turn has no answer. */
function Unanswered({ turn }: { readonly turn: Turn }) {
  const asked = allOf(turn).findLast(({ wait }) => wait !== null && wait[1] === null);
  if (asked === undefined) return <span class="dim">↳ no answer yet</span>;
  return <span class="asked">↳ waits for you: {summaryOf(asked.row)}</span>;
}

function FoldButton({ lineKey, isOpen, name }: { lineKey: string; isOpen: boolean; name: string }) {
  return (
    <button
      type="button"
      class="quiet"
      tabIndex={-1}
      aria-label={`${isOpen ? 'Fold' : 'Open'} ${name}`}
      onClick={(event) => {
        event.stopPropagation();
        fold(lineKey, !isOpen);
      }}
    >
      {isOpen ? '▾' : '▸'}
    </button>
  );
}

function LaneCells({
  lane,
  line,
  isOpen,
}: {
  readonly lane: Lane;
  readonly line: Line;
  readonly isOpen: boolean;
}) {
  const { items, name, start, end } = lane;
  const errors = items.filter(({ isError }) => isError).length;
  const calls = items.filter(({ kind }) => kind !== 'event').length;
  return (
    <>
      <span role="gridcell" class="line-name text">
        <FoldButton lineKey={line.key} isOpen={isOpen} name={`subagent ${name}`} />
        Subagent
      </span>
      <span role="gridcell" class="line-what text">
        <strong>{legible(name, 60)}</strong>
        <span class="dim"> · {counted(calls, 'call')}</span>
        {errors > 0 && <span class="bad"> · {counted(errors, 'error')}</span>}
      </span>
      <Track line={line} />
      <span role="gridcell" class="line-took number">
        {duration(end - start)}
      </span>
      <span role="gridcell" class="line-cost" />
    </>
  );
}

const MARKS = { model: '◆', tool: '▸', event: '·' };

function ItemCells({ item, line }: { readonly item: Item; readonly line: Line }) {
  const { kind, row, name, start, end, wait, isError } = item;
  const title = name ?? eventOf(row);
  const waited = wait === null ? null : duration((wait[1] ?? now_ms.value) - wait[0]);
  return (
    <>
      <span role="gridcell" class={`line-name text m-${kind}`} title={legible(title, 120)}>
        <span aria-hidden="true">{MARKS[kind]} </span>
        {legible(title, 60)}
      </span>
      <span role="gridcell" class="line-what text">
        {isError && <strong class="bad">{row.status === 'timeout' ? 'timeout' : 'error'} </strong>}
        {waited !== null && (
          <span class="asked">
            {wait![1] === null ? 'waits for you since' : 'waited for you'} {waited} ·{' '}
          </span>
        )}
        {kind === 'model' ? modelText(item) : summaryOf(row)}
      </span>
      <Track line={line} />
      <span role="gridcell" class="line-took number" title={`Began ${timeOfDay(new Date(start))}`}>
        {end === null ? <span title="No result yet">…</span> : end > start ? duration(end - start) : ''}
      </span>
      <span role="gridcell" class="line-cost number">
        <Cost item={item} />
      </span>
    </>
  );
}

/** Formats the tokens of a model call; an error is described by its message. */
function modelText({ row, isError }: Item): string {
  const { tokens_in, tokens_out, cache_read_tokens: reused, cache_write_tokens: rebuilt } = row;
  if (isError || tokens_in + tokens_out + reused + rebuilt === 0) return isError ? summaryOf(row) : '';
  const parts = [`${short(tokens_in)} in, ${short(tokens_out)} out`];
  if (reused + rebuilt > 0) parts.push(`${short(reused)} reused, ${short(rebuilt)} rebuilt`);
  return parts.join(' · ');
}

function Cost({ item: { rows } }: { readonly item: Item }) {
  const { reported, computed, unpriced } = sumOfCosts(rows.map(costsOfRow));
  if (reported > 0) return <>{dollars(reported)}</>;
  if (computed > 0) return <span title={computedTitle.value}>~{dollars(computed)}</span>;
  return unpriced > 0 ? <span title={UNPRICED_TITLE}>no price</span> : null;
}

/** Draws when the work of a line happened within its turn. */
function Track({ line }: { readonly line: Line }) {
  const isBad = line.kind === 'item' && line.item.isError;
  return (
    <span role="gridcell" class="track">
      {barsOf(line, now_ms.peek()).map(({ kind, from, to }) => (
        <span
          key={kind}
          class={`bar-${isBad && kind !== 'wait' ? 'bad' : kind}`}
          style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
        />
      ))}
    </span>
  );
}
