/**
 * Shows the attachments of an event: images inline, everything for download.
 *
 * The server determines what a browser may show (contract rule ATT-07). The dashboard shows those media types as
 * images, and no other content.
 */
import { useEffect, useState } from 'preact/hooks';
import { inline_media_types } from '../../../contract/vocabulary.json';
import type { Attachment } from '../api.ts';
import { bytes, legible } from '../format.ts';
import { getJson } from '../request.ts';

/** Media types that the server sends as `inline`. */
const IMAGES: ReadonlySet<string> = new Set(inline_media_types);

export function Attachments({ event }: { readonly event: number }) {
  const [list, setList] = useState<readonly Attachment[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    const end = new AbortController();
    setList([]);
    setFailure(null);
    listOf(event, end.signal).then(setList, (error: Error) => {
      if (!end.signal.aborted) setFailure(legible(error.message));
    });
    return () => end.abort();
  }, [event]);
  if (failure !== null) return <p class="empty">The attachments could not be loaded: {failure}.</p>;
  if (list.length === 0) return null;
  return (
    <section class="attachments" aria-labelledby="attachments-title">
      <div class="panel-head">
        <h3 id="attachments-title">Attachments</h3>
      </div>
      <ul>
        {list.map((attachment) => (
          <Item key={attachment.name} attachment={attachment} />
        ))}
      </ul>
    </section>
  );
}

function Item({ attachment }: { readonly attachment: Attachment }) {
  const { name, sha256, size, media_type } = attachment;
  const address = `/api/attachments/${sha256}`;
  return (
    <li>
      <a href={address} download={name}>
        {legible(name)}
      </a>{' '}
      <span class="dim number">
        {bytes(size)}, {legible(media_type)}
      </span>
      {IMAGES.has(media_type) && <img src={address} alt={legible(name)} loading="lazy" />}
    </li>
  );
}

async function listOf(event: number, signal: AbortSignal): Promise<readonly Attachment[]> {
  const path = `/api/events/${event}/attachments`;
  return (await getJson<{ readonly attachments: readonly Attachment[] }>(path, signal)).attachments;
}
