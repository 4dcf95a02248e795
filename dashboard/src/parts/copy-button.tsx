/** Copies a text to the clipboard and confirms it. */
import { useEffect, useState } from 'preact/hooks';

export function CopyButton({ text, name = 'Copy' }: { readonly text: string; readonly name?: string }) {
  const [done, setDone] = useState<'no' | 'copied' | 'failed'>('no');
  useEffect(() => {
    if (done === 'no') return;
    const timer = setTimeout(() => setDone('no'), 2000);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setDone('copied'),
      () => setDone('failed'),
    );
  };
  return (
    <button type="button" onClick={copy}>
      {done === 'no' ? name : done === 'copied' ? 'Copied' : 'Could not copy'}
    </button>
  );
}
