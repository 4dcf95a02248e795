/**
 * Announces to screen readers: the connection was lost or restored, a fetch failed or succeeded again, the feed was
 * paused. It does not announce events, which would never end.
 */
import { useEffect, useState } from 'preact/hooks';
import { connection } from '../connection.ts';
import { isPaused } from '../feed.ts';
import { pullFailure } from '../pulls.ts';

export function Announcer() {
  const [text, setText] = useState('');
  const { state } = connection.value;
  const [wasLost, setWasLost] = useState(false);
  useEffect(() => {
    if (state === 'lost' && !wasLost) {
      setWasLost(true);
      setText('Connection lost, retrying');
    } else if (state === 'live' && wasLost) {
      setWasLost(false);
      setText('Connected again');
    }
  }, [state, wasLost]);
  const isOld = state === 'live' && pullFailure.value !== null;
  const [wasOld, setWasOld] = useState(false);
  useEffect(() => {
    if (isOld === wasOld) return;
    setWasOld(isOld);
    if (isOld) setText('What changed could not be fetched, retrying');
    else if (state === 'live') setText('Up to date again');
  }, [isOld, wasOld, state]);
  const paused = isPaused.value;
  const [wasPaused, setWasPaused] = useState(false);
  useEffect(() => {
    if (paused === wasPaused) return;
    setWasPaused(paused);
    setText(paused ? 'The feed is paused' : 'The feed goes on');
  }, [paused, wasPaused]);
  return (
    <div class="unseen" role="status">
      {text}
    </div>
  );
}
