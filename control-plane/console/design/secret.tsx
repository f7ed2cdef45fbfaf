import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import { Button } from './button.js';
import styles from './code.module.css';
import { CopyButton } from './copy-button.js';
import { Note, Stack } from './page.js';

/** A value that the service shows once. `onStored`: the person confirms that it is stored. */
export function Secret({ label, value, onStored }: { label: string; value: string; onStored?: () => void }) {
  const w = useWords(shared);
  return (
    <Stack>
      <Note>{w.shownOnce}</Note>
      <div className={styles.block}>
        <code className={styles.value} data-secret>
          <span className="unseen">{label}: </span>
          {value}
        </code>
        <CopyButton text={value} />
      </div>
      {onStored ? (
        <div>
          <Button variant="primary" onClick={onStored}>
            {w.stored}
          </Button>
        </div>
      ) : null}
    </Stack>
  );
}
