/** A text in which the searched text is marked. It is always text nodes, never markup. */
import { contains, piecesOf } from '../found.ts';
import { sought } from '../view.ts';

interface MarkedProps {
  readonly text: string;
  /** Whether the text is JSON, in which strings have the searched text with escapes. */
  readonly isJson?: boolean;
}

export function Marked({ text, isJson = false }: MarkedProps) {
  const wanted = sought.value;
  if (wanted === '') return <>{text}</>;
  const escaped = JSON.stringify(wanted).slice(1, -1);
  const needle = isJson && !contains(text, wanted) ? escaped : wanted;
  return (
    <>{piecesOf(text, needle).map((piece, i) => (i % 2 === 1 ? <mark key={i}>{piece}</mark> : piece))}</>
  );
}
