/** Shown to a user who has just started the server: how to send the first event. */
import { packageManager } from '../../../package.json';
import { CopyButton } from './copy-button.tsx';
import { TelemetryNotes } from './telemetry-notes.tsx';

/** Works where only Node is installed, as in the README. */
const PNPM = `npx --yes ${packageManager}`;

export function NoEvents() {
  const body =
    '{"session_id":"hello","agent_type":"curl","event_type":"user_prompt","metadata":{"text":"Hello"}}';
  const command = `curl ${location.origin}/api/events -H 'content-type: application/json' -d '${body}'`;
  return (
    <div class="empty">
      <TelemetryNotes />
      <p>
        <strong>No events yet.</strong> Send one, and it appears here:
      </p>
      <pre>{command}</pre>
      <p>
        <CopyButton text={command} />{' '}
        <span class="dim">or watch Claude Code, from the folder of twin-ingest:</span>
      </p>
      <pre>{`${PNPM} connect claude-code --url ${location.origin}`}</pre>
      <p>
        <code>{`${PNPM} demo`}</code>{' '}
        <span class="dim">plays a day of made-up agents on a page of its own.</span>
      </p>
    </div>
  );
}
