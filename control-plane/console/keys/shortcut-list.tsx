// The list of keyboard shortcuts, loaded when somebody asks for it.
import { Fragment, type ReactNode } from 'react';
import { Dialog } from '../design/dialog.js';
import { Link } from '../design/link.js';
import { useChoices } from '../words/language.js';
import { useWords } from '../words/use-words.js';
import { modText } from './platform.js';
import { rowsOf, type ShortcutRow } from './rows.js';
import styles from './shortcut-list.module.css';
import { logShortcuts, pageShortcuts } from './shortcuts.js';
import { words } from './words.js';

export interface ShortcutListProps {
  /** The pages that keys open; null: a page without a side bar, where only the log has shortcuts. */
  readonly pages: readonly { readonly key: string; readonly name: string }[] | null;
  readonly open: boolean;
  onOpenChange(open: boolean): void;
}

export default function ShortcutList({ pages, open, onOpenChange }: ShortcutListProps) {
  const w = useWords(words);
  const { singleKeys } = useChoices();
  const rows = (table: Parameters<typeof rowsOf>[0]) =>
    rowsOf(table, { singleKeys, modText }).map((row) => <Row key={row.label} row={row} />);
  return (
    <Dialog title={w.title} open={open} onOpenChange={onOpenChange}>
      {pages || !singleKeys ? (
        <p>
          {singleKeys ? w.on : w.off}{' '}
          {pages ? (
            <Link to="/settings" onClick={() => onOpenChange(false)}>
              {w.settings}
            </Link>
          ) : null}
        </p>
      ) : null}
      {pages ? <Section title={w.everywhere}>{rows(pageShortcuts)}</Section> : null}
      {pages && pages.length > 0 && singleKeys ? (
        <Section title={w.pages}>
          {pages.map(({ key, name }) => (
            <div key={key}>
              <dt>
                <kbd>g</kbd>
                <span className="unseen"> {w.next} </span>
                <kbd>{key}</kbd>
              </dt>
              <dd>{w.goTo(name)}</dd>
            </div>
          ))}
        </Section>
      ) : null}
      <Section title={w.log}>{rows(logShortcuts)}</Section>
    </Dialog>
  );
}

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h3>{title}</h3>
    <dl className={styles.list}>{children}</dl>
  </section>
);

function Row({ row: { label, keys } }: { row: ShortcutRow }) {
  const w = useWords(words);
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <Fragment key={key}>
            <kbd>{key}</kbd>{' '}
          </Fragment>
        ))}
      </dt>
      <dd>{w.does[label]}</dd>
    </div>
  );
}
