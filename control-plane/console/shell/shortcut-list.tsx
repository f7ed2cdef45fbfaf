// The list of keyboard shortcuts, loaded when somebody asks for it.
import { Dialog } from '../design/dialog.js';
import type { NavigationItem } from '../navigation.js';
import { useWords } from '../words/use-words.js';
import styles from './shortcut-list.module.css';
import { words } from './words.js';

export interface ShortcutListProps {
  readonly pages: readonly NavigationItem[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

export default function ShortcutList({ pages, open, onOpenChange }: ShortcutListProps) {
  const w = useWords(words);
  return (
    <Dialog title={w.shortcuts} open={open} onOpenChange={onOpenChange}>
      <dl className={styles.list}>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>{w.shortcutHelp}</dd>
        {pages.map(({ to, key, label }) => (
          <div key={to} className={styles.row}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{w.goTo(w.nav[label])}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
