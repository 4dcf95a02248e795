/** Shown to a user who has just started the server: how to send the first event. */
import { EXAMPLE } from '../agent-texts.ts';
import { health } from '../figures.ts';
import { CopyButton } from './copy-button.tsx';
import { TelemetryNotes } from './telemetry-notes.tsx';

export function NoEvents() {
  const body =
    '{"session_id":"hello","agent_type":"curl","event_type":"user_prompt","metadata":{"text":"Hello"}}';
  const command = `curl ${location.origin}/api/events -H 'content-type: application/json' -d '${body}'`;
  // A server of a later version may not name it.
  const program = health.value?.command_name ?? 'twin-ingest';
  return (
    <div class="empty">
      <TelemetryNotes />
      <p>
        <strong>No events yet.</strong> Send one, and it appears here:
      </p>
      <pre>{command}</pre>
      <p>
        <CopyButton text={command} /> <span class="dim">or watch {EXAMPLE.label}:</span>
      </p>
      <pre>{`${program} connect ${EXAMPLE.connect} --url ${location.origin}`}</pre>
      <p>
        <code>{`${program} demo`}</code>{' '}
        <span class="dim">plays a day of made-up agents on a page of its own.</span>
      </p>
    </div>
  );
}
