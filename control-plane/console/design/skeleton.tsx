import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import styles from './skeleton.module.css';

/** In place of content that is being loaded. `lines`: how high it is. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  const w = useWords(shared);
  return (
    <div className={styles.skeleton} role="status" data-loading>
      <span className="unseen">{w.loading}</span>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <span key={at} className={styles.line} aria-hidden="true" />
      ))}
    </div>
  );
}
