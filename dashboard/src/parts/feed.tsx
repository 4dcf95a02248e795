/**
 * The list of events: the document contains only visible rows, whatever the number of loaded rows.
 *
 * A grid with one tab stop: arrows move a cursor, Enter opens, Escape leaves. Invariant: all rows have one height, so
 * that the position of a row is a product.
 */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { callKey } from '../calls.ts';
import { type ColumnName, columnsOf } from '../columns.ts';
import {
  cursor,
  hasMore,
  hasSkipped,
  holds,
  type Item,
  isLoaded,
  isScrolled,
  items,
  loadGap,
  loadingGap,
  openCalls,
  refusal,
  shownRows,
  toggleCall,
} from '../feed.ts';
import { legible, whole } from '../format.ts';
import { WHOLE_FEED } from '../loaded.ts';
import { isNarrow } from '../narrow.ts';
import { hasFilters, isFiltered, openEvent, selection, since, sought } from '../view.ts';
import { EventRow, rowId } from './event-row.tsx';
import { NoEvents } from './no-events.tsx';
import { SearchProgress } from './search-progress.tsx';

/** Height of a row in pixels, the same values as `--row` in feed.css. */
const ROW_PX = { wide: 28, narrow: 46 };
/** Number of additional rows above and below the visible ones. */
const EXTRA = 4;
/** On a phone a row has two lines, with room for these columns. */
const NARROW: readonly ColumnName[] = ['event', 'tool', 'session', 'took', 'what', 'time'];

const scrollTop = signal(0);
const height = signal(600);
const width = signal(800);
const columns = computed(() => columnsOf(shownRows.value, width.value));
const names = computed(() => (isNarrow.value ? NARROW : columns.value.map(({ name }) => name)));
let box: HTMLElement | null = null;

export function toTop(): void {
  cursor.value = null;
  box?.scrollTo({ top: 0 });
}

export function Feed() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box = ref.current!;
    const observer = new ResizeObserver(([entry]) => {
      height.value = entry!.contentRect.height;
      width.value = entry!.contentRect.width;
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  // Another list starts at its top; its filters and search identify it.
  const chosen = selection.value;
  useEffect(() => box!.scrollTo({ top: 0 }), [chosen]);
  const list = items.value;
  const row_px = isNarrow.value ? ROW_PX.narrow : ROW_PX.wide;
  const first = Math.max(0, Math.floor(scrollTop.value / row_px) - EXTRA);
  const last = Math.min(list.length, Math.ceil((scrollTop.value + height.value) / row_px) + EXTRA);
  const seen = list.slice(first, last);
  const at = cursor.value;
  const cursorItem = at === null ? undefined : seen.find((item) => holds(item, at));
  const cursorId = cursorItem !== undefined && 'row' in cursorItem ? cursorItem.row.id : null;
  return (
    <div class="feed-box">
      <p id="feed-keys" hidden>
        Up and down choose an event, right and left open and close a call, Enter shows details, Escape lets
        go.
      </p>
      <div
        id="feed"
        ref={ref}
        class="feed"
        role="grid"
        tabIndex={0}
        aria-labelledby="feed-title"
        aria-describedby="feed-keys"
        aria-rowcount={list.length + 1}
        aria-busy={!isLoaded.value}
        aria-activedescendant={cursorId === null ? undefined : rowId(cursorId)}
        style={{ '--columns': columns.value.map((column) => column.width).join(' ') }}
        onScroll={(event) => {
          scrollTop.value = event.currentTarget.scrollTop;
          isScrolled.value = event.currentTarget.scrollTop > 2;
        }}
        onKeyDown={(event) => onKey(event, row_px)}
      >
        <div class="feed-head row" role="row" aria-rowindex={1}>
          {columns.value.map(({ name, title }) => (
            <span key={name} role="columnheader" class={`c-${name}`}>
              {title}
            </span>
          ))}
        </div>
        <div
          class="feed-body"
          role={list.length === 0 ? undefined : 'rowgroup'}
          style={{ height: `${list.length * row_px}px` }}
        >
          {seen.map((item, i) => (
            <Slot key={(first + i) % (last - first)} item={item} index={first + i} row_px={row_px} />
          ))}
        </div>
      </div>
      {list.length === 0 && isLoaded.value && <NothingHere />}
      <SearchProgress />
    </div>
  );
}

interface SlotProps {
  readonly item: Item;
  readonly index: number;
  readonly row_px: number;
}

function Slot({ item, index, row_px }: SlotProps) {
  const style = { transform: `translateY(${index * row_px}px)` };
  if ('row' in item) {
    const isChosen = holds(item, cursor.value ?? openEvent.value);
    return <EventRow {...item} columns={names.value} index={index + 2} style={style} isChosen={isChosen} />;
  }
  const { gap, missing } = item;
  const text = missing === null ? 'Load older events' : `${whole(missing)} more not loaded: load the next`;
  return (
    <div class="row gap" role="row" aria-rowindex={index + 2} style={style}>
      <span role="gridcell">
        <button type="button" class="quiet" onClick={() => void loadGap(gap)}>
          {loadingGap.value === gap ? 'Loading…' : text}
        </button>
      </span>
    </div>
  );
}

function NothingHere() {
  return (
    <div class="feed-empty">
      {refusal.value !== null ? (
        <p class="empty">
          <strong>The server refuses these filters:</strong> {legible(refusal.value)}.
        </p>
      ) : hasMore.value && loadingGap.value !== null ? (
        <p class="empty">Searching…</p>
      ) : hasSkipped.value ? (
        <p class="empty">
          No event is recent. Sessions, time ranges, filters and the search show those of an import.{' '}
          {hasMore.value && (
            <button type="button" class="quiet" onClick={() => void loadGap(WHOLE_FEED)}>
              Load older events
            </button>
          )}
        </p>
      ) : hasMore.value ? (
        <p class="empty">
          No event was found before the search was stopped.{' '}
          <button type="button" class="quiet" onClick={() => void loadGap(WHOLE_FEED)}>
            Search older events
          </button>
        </p>
      ) : sought.value !== '' ? (
        <p class="empty">
          No stored event contains “{legible(sought.value)}”
          {hasFilters.value || since.value !== null ? ' and passes the filters' : ''}.
        </p>
      ) : isFiltered.value ? (
        <p class="empty">
          {since.value === null ? 'No event passes these filters.' : 'No event in this time range.'}
        </p>
      ) : (
        <NoEvents />
      )}
    </div>
  );
}

function onKey(event: KeyboardEvent, row_px: number): void {
  if (event.target !== event.currentTarget) return;
  const page = Math.max(1, Math.floor(height.value / row_px) - 2);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: -Infinity,
    End: Infinity,
  };
  const step = steps[event.key];
  if (step !== undefined) move(step, row_px);
  else if (event.key === 'Enter' && cursor.value !== null) openEvent.value = cursor.value;
  else if (event.key === 'Escape' && cursor.value !== null) cursor.value = null;
  else if (event.key === 'ArrowRight') fold(true);
  else if (event.key === 'ArrowLeft') fold(false);
  else return;
  event.preventDefault();
}

/** Expands or collapses the call at the cursor. */
function fold(isOpen: boolean): void {
  const item = items.value.find((one) => holds(one, cursor.value));
  if (item === undefined || !('row' in item) || item.parts.length === 0) return;
  if (openCalls.value.has(callKey(item.row)) !== isOpen) toggleCall(item.row);
}

/** Moves between rows and skips gaps. */
function move(step: number, row_px: number): void {
  const list = items.value;
  const ids = list.map((item) => ('row' in item ? item.row.id : null));
  const rows = ids.filter((id) => id !== null);
  if (rows.length === 0) return;
  const from = list.filter((item) => 'row' in item).findIndex((item) => holds(item, cursor.value));
  const to = Math.min(rows.length - 1, Math.max(0, from < 0 ? (step > 1 ? step : 0) : from + step));
  cursor.value = rows[to]!;
  reveal(ids.indexOf(rows[to]!), row_px);
}

/** Scrolls as little as needed; the header covers the first row's position. */
function reveal(index: number, row_px: number): void {
  if (box === null) return;
  const [top, bottom] = [index * row_px, (index + 2) * row_px];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}
