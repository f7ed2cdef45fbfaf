import { Dialog } from '../design/dialog.js';
import { useWords } from '../words/use-words.js';
import styles from './log-shortcuts.module.css';
import { words } from './words.js';

const keys = [
  ['search', ['/']],
  ['nextPrevious', ['n', 'N']],
  ['ends', ['g', 'G']],
  ['failure', ['f']],
  ['cursor', ['↓', '↑']],
  ['fold', ['o']],
  ['copy', ['c']],
  ['wrap', ['w']],
  ['times', ['t']],
  ['full', ['z']],
  ['escape', ['Esc']],
  ['help', ['?']],
] as const;

export function LogShortcuts({ open, onOpenChange }: { open: boolean; onOpenChange(open: boolean): void }) {
  const w = useWords(words);
  return (
    <Dialog title={w.shortcuts} open={open} onOpenChange={onOpenChange}>
      <dl className={styles.keys}>
        {keys.map(([name, all]) => (
          <div key={name}>
            <dt>
              {all.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{w.keys[name]}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
