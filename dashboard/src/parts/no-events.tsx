/** What somebody sees who has just started the server: how the first event comes. */
import { CopyButton } from './copy-button.tsx';

export function NoEvents() {
  const body =
    '{"session_id":"hello","agent_type":"curl","event_type":"user_prompt","metadata":{"text":"Hello"}}';
  const command = `curl ${location.origin}/api/events -H 'content-type: application/json' -d '${body}'`;
  return (
    <div class="empty">
      <p>
        <strong>No events yet.</strong> Send one, and it appears here:
      </p>
      <pre>{command}</pre>
      <p>
        <CopyButton text={command} /> <span class="dim">or run</span> <code>pnpm demo</code>
        <span class="dim">, or</span> <code>pnpm connect</code> <span class="dim">to watch Claude Code.</span>
      </p>
    </div>
  );
}
