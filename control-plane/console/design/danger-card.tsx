// What ends or deletes something, apart from the other actions of a page: its last card.
import { Fragment, type ReactNode } from 'react';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Button } from './button.js';
import { Card } from './card.js';
import styles from './danger-card.module.css';

export interface DangerousAction {
  readonly action: string;
  /** What it does. */
  readonly text: ReactNode;
  /** Why the person cannot do it. */
  readonly refused?: string | null;
  onSelect(): void;
}

/** @example <DangerCard actions={[{ action: w.delete, text: w.deleteText, onSelect: ask }]} /> */
export function DangerCard({ actions }: { readonly actions: readonly DangerousAction[] }) {
  const w = useWords(shared);
  if (actions.length === 0) return null;
  return (
    <Card title={w.danger} className={styles.card}>
      <div className={styles.rows}>
        {actions.map(({ action, text, refused = null, onSelect }) => (
          <Fragment key={action}>
            <p>{text}</p>
            <Button variant="danger" refused={refused} onClick={onSelect}>
              {action}
            </Button>
          </Fragment>
        ))}
      </div>
    </Card>
  );
}
