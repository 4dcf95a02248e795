/**
 * Announces to screen readers: the connection was lost or restored, a fetch failed or succeeded again, the feed was
 * paused, a search has ended. It does not announce events, which would never end.
 */
import { useEffect, useState } from 'preact/hooks';
import { connection } from '../connection.ts';
import { entryCount, isLoaded, isPaused, loadingGap } from '../feed.ts';
import { counted } from '../format.ts';
import { pullFailure } from '../pulls.ts';
import { sought } from '../view.ts';

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
  const wanted = sought.value;
  const isSearched = wanted !== '' && isLoaded.value && loadingGap.value === null;
  useEffect(() => {
    if (isSearched) setText(`${counted(entryCount.peek(), 'event')} found`);
  }, [isSearched, wanted]);
  return (
    <div class="unseen" role="status">
      {text}
    </div>
  );
}
