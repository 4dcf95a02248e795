/**
 * One event in full: its fields, and its metadata byte for byte as sent, or formatted over lines.
 *
 * The metadata comes from the answer's text, never from the result of `JSON.parse`.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Row } from '../api.ts';
import { eventOf } from '../columns.ts';
import { connection } from '../connection.ts';
import { cursor, holds, items, shownRows } from '../feed.ts';
import type { FilterName } from '../filters.ts';
import { legible, legibleJson, metadataSize, timeOfDay } from '../format.ts';
import { indented, memberText } from '../json-text.ts';
import { get } from '../request.ts';
import { sessionHref, sessionPage } from '../route.ts';
import { timeOf } from '../session/interval.ts';
import { neighboursOf } from '../session/lines.ts';
import { lines, page } from '../session/state.ts';
import { openEvent, setFilter } from '../view.ts';
import { Attachments } from './attachments.tsx';
import { CopyButton } from './copy-button.tsx';
import { Fields } from './fields.tsx';
import { Marked } from './marked.tsx';

/** Room above the first match of the metadata. */
const MATCH_TOP_PX = 40;

type Answer =
  | { readonly row: Row; readonly metadata: string }
  | { readonly failure: string; readonly id: number; readonly row: null }
  | null;

export function Detail() {
  const id = openEvent.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const [answer, setAnswer] = useState<Answer>(null);
  const [attempt, setAttempt] = useState(0);
  const isLive = connection.value.state === 'live';
  useEffect(() => {
    const box = dialog.current!;
    if (id === null) {
      if (box.open) box.close();
      return;
    }
    if (!box.open) box.showModal();
    const end = new AbortController();
    load(id, end.signal).then(setAnswer, () => undefined);
    return () => end.abort();
  }, [id, attempt]);
  const hasFailed = answer !== null && 'failure' in answer;
  // When the server returns, the detail reloads without a click.
  useEffect(() => {
    if (isLive && hasFailed) setAttempt((before) => before + 1);
  }, [isLive]);
  // An answer to an earlier request may belong to another event.
  const at = answer === null || idOf(answer) !== id ? null : answer;
  const near = around(id);
  return (
    <dialog ref={dialog} class="detail" aria-labelledby="detail-title" onClose={close}>
      <div class="detail-head">
        <h2 id="detail-title">Event {id}</h2>
        <span class="spring" />
        <StepButton to={near.newer} name="Newer" />
        <StepButton to={near.older} name="Older" />
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      {id !== null && <Parts rows={near.rows} id={id} />}
      {at === null && <p class="empty">Loading…</p>}
      {at !== null && 'failure' in at && (
        <p class="empty">
          {at.failure}{' '}
          <button type="button" onClick={() => setAttempt(attempt + 1)}>
            Retry
          </button>
        </p>
      )}
      {at?.row && <EventDetail row={at.row} metadata={at.metadata} />}
      {at !== null && 'failure' in at && <ListedDetail id={at.id} />}
    </dialog>
  );
}

interface EventDetailProps {
  readonly row: Row;
  readonly metadata: string;
}

function EventDetail({ row, metadata }: EventDetailProps) {
  const { session_id, source_event } = row;
  return (
    <>
      <Fields row={row} />
      <p class="detail-acts">
        {sessionPage.value !== session_id && (
          <a class="button" href={sessionHref(session_id)} onClick={close}>
            Open its session
          </a>
        )}
        <button type="button" onClick={() => narrow('session_id', session_id)}>
          Show this session
        </button>
        {source_event !== null && (
          <button type="button" onClick={() => narrow('source_event', source_event)}>
            Show all {legible(source_event, 40)}
          </button>
        )}
      </p>
      <Attachments event={row.id} />
      <Metadata text={metadata} row={row} />
    </>
  );
}

/** Shows the listed values of an event that could not be loaded. Its numbers may be rounded. */
function ListedDetail({ id }: { readonly id: number }) {
  const row = [...shownRows.value, ...(page.value?.rows ?? [])].find((one) => one.id === id);
  if (row === undefined) return null;
  return <EventDetail row={row} metadata={JSON.stringify(row.metadata)} />;
}

function Metadata({ text, row }: { readonly text: string; readonly row: Row }) {
  const [isExact, setIsExact] = useState(false);
  const box = useRef<HTMLPreElement>(null);
  // The first match becomes visible.
  useEffect(() => {
    const match = box.current?.querySelector('mark');
    if (match) box.current!.scrollTop = match.offsetTop - box.current!.offsetTop - MATCH_TOP_PX;
  }, [text, isExact]);
  return (
    <section class="metadata" aria-labelledby="metadata-title">
      <div class="panel-head">
        <h3 id="metadata-title">Metadata</h3>
        <span class="dim number">{metadataSize(new Blob([text]).size, row)}</span>
        <span class="spring" />
        <button type="button" aria-pressed={isExact} onClick={() => setIsExact(!isExact)}>
          As sent
        </button>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so that the keyboard has to get there. */}
      <pre ref={box} tabIndex={0}>
        <Marked text={isExact ? text : legibleJson(indented(text))} isJson />
      </pre>
    </section>
  );
}

interface StepButtonProps {
  /** The next event in this direction. */
  readonly to: number | undefined;
  readonly name: string;
}

function StepButton({ to, name }: StepButtonProps) {
  return (
    <button type="button" disabled={to === undefined} onClick={() => show(to!)}>
      {name}
    </button>
  );
}

/** Lists the events of a call when there are several. */
function Parts({ rows, id }: { readonly rows: readonly Row[]; readonly id: number }) {
  if (rows.length < 2) return null;
  return (
    <nav class="chips" aria-label="Events of this call">
      {rows.map((row) => (
        <button
          type="button"
          key={row.id}
          class="chip"
          aria-current={row.id === id}
          onClick={() => show(row.id)}
        >
          {legible(eventOf(row), 40)}{' '}
          <span class="dim number">{timeOfDay(new Date(timeOf(row))).slice(0, 8)}</span>
        </button>
      ))}
    </nav>
  );
}

function show(id: number): void {
  if (cursor.value !== null) cursor.value = id;
  openEvent.value = id;
}

/** Returns the events of the line of an event, and the events next to it, on the page that is shown. */
function around(id: number | null): ReturnType<typeof neighboursOf> {
  if (id === null) return { rows: [] };
  if (sessionPage.value !== null) return neighboursOf(lines.value, id);
  const list = items.value.filter((item) => 'row' in item);
  const at = list.findIndex((item) => holds(item, id));
  const [newer, older] = [list[at - 1]?.row.id, list[at + 1]?.row.id];
  return {
    rows: [list[at]?.row ?? [], ...(list[at]?.parts ?? [])].flat().toSorted((a, b) => a.id - b.id),
    ...(newer !== undefined && { newer }),
    ...(at >= 0 && older !== undefined && { older }),
  };
}

function close(): void {
  openEvent.value = null;
}

function narrow(name: FilterName, value: string): void {
  if (sessionPage.value !== null) location.hash = '#/';
  setFilter(name, value);
  cursor.value = null;
  close();
}

async function load(id: number, signal: AbortSignal): Promise<Answer> {
  try {
    const text = await (await get(`/api/events/${id}`, signal)).text();
    return { row: JSON.parse(text) as Row, metadata: memberText(text, 'metadata') ?? '' };
  } catch (error) {
    signal.throwIfAborted();
    const why = legible(String((error as Error).message));
    return { failure: `It could not be loaded: ${why}.`, id, row: null };
  }
}

function idOf(answer: Exclude<Answer, null>): number {
  return answer.row === null ? answer.id : answer.row.id;
}
