// Says that the service has a new version, and loads it when the person wants it.
import { useState, useSyncExternalStore } from 'react';
import { hasTyped, newVersion } from '../data/version.js';
import { Button } from '../design/button.js';
import { ConfirmDialog } from '../design/confirm-dialog.js';
import { useWords } from '../words/use-words.js';
import styles from './shell.module.css';
import { words } from './words.js';

export function VersionBanner() {
  const w = useWords(words);
  const isNew = useSyncExternalStore(newVersion.subscribe, newVersion.isThere);
  const [asks, setAsks] = useState(false);
  const load = () => (hasTyped() ? setAsks(true) : location.reload());
  return (
    // It is always there, because screen readers announce only changes inside of it.
    <div role="status">
      {isNew ? (
        <p className={styles.version}>
          {w.newVersion}
          <Button small onClick={load}>
            {w.loadNewVersion}
          </Button>
        </p>
      ) : null}
      <ConfirmDialog
        title={w.loadNewVersion}
        open={asks}
        onOpenChange={setAsks}
        action={w.loadAnyway}
        onConfirm={() => location.reload()}
      >
        {w.typedIsLost}
      </ConfirmDialog>
    </div>
  );
}
