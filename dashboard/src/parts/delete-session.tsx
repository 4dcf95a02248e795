/** Deletes a session with its events, after a confirmation in place. */
import { useState } from 'preact/hooks';
import type { Session } from '../api.ts';
import { counted } from '../format.ts';
import { setFilter } from '../view.ts';

type State = 'closed' | 'asking' | 'deleting' | 'failed';

export function DeleteSession({ session }: { readonly session: Session }) {
  const [state, setState] = useState<State>('closed');
  const remove = async () => {
    setState('deleting');
    if (!(await deleted(session.id))) setState('failed');
    // Its events are gone, so a page filtered by it would be empty.
    else setFilter('session_id', undefined);
  };
  if (state === 'closed')
    return (
      <button type="button" class="remove" onClick={() => setState('asking')}>
        Delete…
      </button>
    );
  return (
    <p class="confirm" role="alert">
      {state === 'failed' ? 'The server did not delete it. ' : ''}
      Delete this session with its {counted(session.event_count, 'event')} and their attachments, for good?
      <span class="choices">
        <button type="button" class="bad" disabled={state === 'deleting'} onClick={() => void remove()}>
          Delete
        </button>
        <button type="button" disabled={state === 'deleting'} onClick={() => setState('closed')}>
          Keep
        </button>
      </span>
    </p>
  );
}

/** Deletes a session; returns whether it no longer exists. */
async function deleted(id: string): Promise<boolean> {
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  const response = await fetch(path, { method: 'DELETE' }).catch(() => undefined);
  // 404: another page has deleted it.
  return response?.ok === true || response?.status === 404;
}
