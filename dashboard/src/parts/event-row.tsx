/** One event on one line. Its texts are somebody else's: they are text and nothing else, each in a cell of its own. */
import type { Row } from '../api.ts';
import { dollars, duration, legible, short, timeOfDay } from '../format.ts';
import { summaryOf } from '../summary.ts';
import { openEvent } from '../view.ts';

interface EventRowProps {
  readonly row: Row;
  readonly index: number;
  readonly style: { readonly transform: string };
  readonly isChosen: boolean;
}

export function rowId(id: number): string {
  return `event-${id}`;
}

export function EventRow({ row, index, style, isChosen }: EventRowProps) {
  const { id, event_type, status } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid that it is in has the keys.
    <div
      id={rowId(id)}
      class={`row event is-${status}`}
      role="row"
      aria-rowindex={index}
      aria-selected={isChosen}
      data-id={id}
      style={style}
      onClick={() => {
        openEvent.value = id;
      }}
    >
      <span role="gridcell" class="c-time number">
        {timeOfDay(new Date(row.created_at))}
      </span>
      <span role="gridcell" class={`c-type t-${event_type}`}>
        {event_type}
      </span>
      <span role="gridcell" class="c-agent text">
        {legible(row.agent_type, 60)}
      </span>
      <span role="gridcell" class="c-tool text">
        {legible(row.tool_name ?? '', 60)}
      </span>
      <span role="gridcell" class="c-what text">
        {status !== 'success' && <span class="mark">{status} </span>}
        {summaryOf(row)}
      </span>
      <span role="gridcell" class="c-took number">
        {row.duration_ms === null ? '' : duration(row.duration_ms)}
      </span>
      <span role="gridcell" class="c-tokens number">
        {row.tokens_in + row.tokens_out === 0 ? '' : `${short(row.tokens_in)}/${short(row.tokens_out)}`}
      </span>
      <span role="gridcell" class="c-cost number">
        {row.cost_usd === null ? '' : dollars(row.cost_usd)}
      </span>
      <span role="gridcell" class="c-session text">
        {legible(row.session_id, 40)}
      </span>
    </div>
  );
}
