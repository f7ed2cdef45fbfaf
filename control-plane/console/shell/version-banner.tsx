// Says that the service has a new version, and loads it when the person wants it.
import { useId, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { hasTyped, newVersion } from '../data/version.js';
import { Button } from '../design/button.js';
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
      {asks ? <TypedQuestion onClose={() => setAsks(false)} /> : null}
    </div>
  );
}

/** A dialog of the browser: the service no longer has parts of this version that are not loaded yet. */
function TypedQuestion({ onClose }: { onClose(): void }) {
  const w = useWords(words);
  const title = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className={styles.question} aria-labelledby={title} onClose={onClose}>
      <h2 id={title}>{w.loadNewVersion}</h2>
      <p>{w.typedIsLost}</p>
      <div className={styles.answers}>
        <Button onClick={() => dialog.current?.close()}>{w.cancel}</Button>
        <Button variant="danger" onClick={() => location.reload()}>
          {w.loadAnyway}
        </Button>
      </div>
    </dialog>
  );
}
