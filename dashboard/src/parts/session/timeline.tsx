/**
 * The timeline of a session: the document contains only visible lines, whatever the number of events.
 *
 * A grid with one tab stop: arrows move a cursor, right and left open and fold, Enter shows the event, Escape leaves.
 */
import { computed, signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isNarrow } from '../../narrow.ts';
import { sessionPage } from '../../route.ts';
import { type Line, lineAt, topsOf } from '../../session/lines.ts';
import { cursorKey, fold, lines, openKeys } from '../../session/state.ts';
import { openEvent } from '../../view.ts';
import { LineView, lineId } from './line.tsx';

/** Heights in pixels, the same values as in session.css. */
const HEIGHTS = {
  wide: { turn: 50, lane: 28, item: 28 },
  narrow: { turn: 72, lane: 44, item: 44 },
};
const EXTRA_PX = 200;

const scrollTop = signal(0);
const height = signal(600);
const tops = computed(() => {
  const of = HEIGHTS[isNarrow.value ? 'narrow' : 'wide'];
  return topsOf(lines.value, (line) => (isStart(line) ? of.lane : of[line.kind]));
});
const seen = computed(() => {
  const [from, to] = [scrollTop.value - EXTRA_PX, scrollTop.value + height.value + EXTRA_PX];
  return [lineAt(tops.value, Math.max(0, from)), lineAt(tops.value, to) + 1] as const;
});
/** What came before the first prompt has a title only. */
const isStart = (line: Line) => line.kind === 'turn' && line.turn.number === 0;
let box: HTMLElement | null = null;

export function Timeline() {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box = ref.current!;
    const observer = new ResizeObserver(([entry]) => {
      height.value = entry!.contentRect.height;
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  const list = lines.value;
  const [first, last] = seen.value;
  const all = tops.value.at(-1)!;
  const id = sessionPage.value;
  // Another session starts at its top. A reader at the end stays there when lines arrive.
  useLayoutEffect(() => box!.scrollTo({ top: 0 }), [id]);
  const before = useRef(all);
  useLayoutEffect(() => {
    const { scrollTop: top, clientHeight } = box!;
    if (top > 0 && top + clientHeight >= before.current - 4) box!.scrollTo({ top: all });
    before.current = all;
  }, [all]);
  const at = list.slice(first, last).find(({ key }) => key === cursorKey.value);
  return (
    <div
      id="timeline"
      ref={ref}
      class="timeline"
      role="treegrid"
      tabIndex={0}
      aria-labelledby="timeline-title"
      aria-describedby="timeline-keys"
      aria-rowcount={list.length}
      aria-activedescendant={at === undefined ? undefined : lineId(at.key)}
      onScroll={(event) => {
        scrollTop.value = event.currentTarget.scrollTop;
      }}
      onKeyDown={onKey}
    >
      <p id="timeline-keys" hidden>
        Up and down choose a line, right and left open and fold it, Enter shows its event, Escape lets go.
      </p>
      <div class="timeline-body" role="rowgroup" style={{ height: `${all}px` }}>
        {list.slice(first, last).map((line, i) => (
          <LineView
            key={line.key}
            line={line}
            index={first + i}
            top={tops.value[first + i]!}
            isOpen={openKeys.value.has(line.key)}
            isChosen={line.key === cursorKey.value}
          />
        ))}
      </div>
    </div>
  );
}

function onKey(event: KeyboardEvent): void {
  if (event.target !== event.currentTarget) return;
  const list = lines.value;
  const at = list.findIndex(({ key }) => key === cursorKey.value);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: 12,
    PageUp: -12,
    Home: -Infinity,
    End: Infinity,
  };
  const step = steps[event.key];
  if (step !== undefined)
    moveTo(Math.min(list.length - 1, Math.max(0, at < 0 ? Math.max(0, step - 1) : at + step)));
  else if (at < 0) return;
  else if (event.key === 'Enter') openLine(list[at]!);
  else if (event.key === 'ArrowRight') fold(list[at]!.key, true);
  else if (event.key === 'ArrowLeft') close(list[at]!, at);
  else if (event.key === 'Escape') cursorKey.value = null;
  else return;
  event.preventDefault();
}

/** Folds a line; from a line without lines below it moves to the one above. */
function close(line: Line, at: number): void {
  if (openKeys.value.has(line.key)) {
    fold(line.key, false);
    return;
  }
  const above = lines.value.slice(0, at).findLastIndex(({ kind }) => kind !== 'item');
  if (line.kind !== 'turn' && above >= 0) moveTo(above);
}

export function openLine(line: Line): void {
  if (line.row !== null) openEvent.value = line.row.id;
}

function moveTo(index: number): void {
  const line = lines.value[index];
  if (line === undefined || box === null) return;
  cursorKey.value = line.key;
  const [top, bottom] = [tops.value[index]!, tops.value[index + 1]!];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}
