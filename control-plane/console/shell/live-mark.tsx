import type { LiveState } from '../data/live.js';
import { useWords } from '../words/use-words.js';
import styles from './live-mark.module.css';
import { words } from './words.js';

/** Shows whether the page is up to date. */
export function LiveMark({ state }: { state: LiveState }) {
  const w = useWords(words);
  return (
    <span className={styles.mark} data-state={state} role="status" title={w.live[state]}>
      <span className={styles.text}>{w.live[state]}</span>
    </span>
  );
}
