import { Card } from '../../design/card.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** Secrets whose key the service has lost: every build fails until they are set again. */
export function Unreadable({ names }: { names: readonly string[] }) {
  const w = useWords(words);
  const format = useFormat();
  if (names.length === 0) return null;
  return (
    <Card title={w.unreadableTitle(names.length)}>
      <p>{w.unreadableText}</p>
      <p>
        <code>{format.list(names)}</code>
      </p>
    </Card>
  );
}
