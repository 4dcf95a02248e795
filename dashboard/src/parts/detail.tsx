/**
 * One event in full: its fields, and its metadata as it was sent, byte for byte, or laid out over lines.
 *
 * What is shown of the metadata is a piece of the answer's text and never of what `JSON.parse` made of it.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Row } from '../api.ts';
import { cursor, holds, items } from '../feed.ts';
import { bytes, legible, legibleJson } from '../format.ts';
import { indented, memberText } from '../json-text.ts';
import { get } from '../request.ts';
import { openEvent, setFilter } from '../view.ts';
import { CopyButton } from './copy-button.tsx';
import { Fields } from './fields.tsx';

type Answer =
  | { readonly row: Row; readonly metadata: string }
  | { readonly failure: string; readonly id: number }
  | null;

export function Detail() {
  const id = openEvent.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const [answer, setAnswer] = useState<Answer>(null);
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
  }, [id]);
  // What was asked for before is not what is looked at.
  const at = answer === null || idOf(answer) !== id ? null : answer;
  return (
    <dialog ref={dialog} class="detail" aria-labelledby="detail-title" onClose={close}>
      <div class="detail-head">
        <h2 id="detail-title">Event {id}</h2>
        <span class="spring" />
        <StepButton id={id} step={-1} name="Newer" />
        <StepButton id={id} step={1} name="Older" />
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
      {at === null && <p class="empty">Loading…</p>}
      {at !== null && 'failure' in at && <p class="empty">{at.failure}</p>}
      {at !== null && 'row' in at && (
        <>
          <Fields row={at.row} />
          <p class="detail-acts">
            <button type="button" onClick={() => showSession(at.row.session_id)}>
              Show this session
            </button>
          </p>
          <Metadata text={at.metadata} isCut={at.row.payload_truncated} />
        </>
      )}
    </dialog>
  );
}

function Metadata({ text, isCut }: { readonly text: string; readonly isCut: boolean }) {
  const [isExact, setIsExact] = useState(false);
  return (
    <section class="metadata" aria-labelledby="metadata-title">
      <div class="panel-head">
        <h3 id="metadata-title">Metadata</h3>
        <span class="dim number">
          {bytes(new Blob([text]).size)}
          {isCut && ', the rest was cut off'}
        </span>
        <span class="spring" />
        <button type="button" aria-pressed={isExact} onClick={() => setIsExact(!isExact)}>
          As sent
        </button>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so that the keyboard has to get there. */}
      <pre tabIndex={0}>{isExact ? text : legibleJson(indented(text))}</pre>
    </section>
  );
}

interface StepButtonProps {
  readonly id: number | null;
  readonly step: 1 | -1;
  readonly name: string;
}

/** To the row beside it in the feed. */
function StepButton({ id, step, name }: StepButtonProps) {
  const rows = items.value.filter((item) => 'row' in item);
  const at = rows.findIndex((item) => holds(item, id));
  const next = at < 0 ? undefined : rows[at + step]?.row.id;
  return (
    <button
      type="button"
      disabled={next === undefined}
      onClick={() => {
        if (cursor.value !== null) cursor.value = next!;
        openEvent.value = next!;
      }}
    >
      {name}
    </button>
  );
}

function close(): void {
  openEvent.value = null;
}

function showSession(id: string): void {
  setFilter('session_id', id);
  cursor.value = null;
  close();
}

async function load(id: number, signal: AbortSignal): Promise<Answer> {
  try {
    const text = await (await get(`/api/events/${id}`, signal)).text();
    return { row: JSON.parse(text) as Row, metadata: memberText(text, 'metadata') ?? '' };
  } catch (error) {
    signal.throwIfAborted();
    return { failure: `It could not be loaded: ${legible(String((error as Error).message))}.`, id };
  }
}

function idOf(answer: Exclude<Answer, null>): number {
  return 'row' in answer ? answer.row.id : answer.id;
}
