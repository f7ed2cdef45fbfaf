// How the page's connection is: the same mark in the header and beside a log, and a line below the header.
import { useEffect, useState } from 'react';
import { clock } from '../clock.js';
import { isAway } from '../data/connection.js';
import { useConnection } from '../data/use-live.js';
import { useFormat } from '../words/language.js';
import { shared } from '../words/shared.js';
import { useWords } from '../words/use-words.js';
import styles from './live-mark.module.css';

/** Renders nothing on pages without live data. `short`: without the text where there is little room. */
export function LiveMark({ short = false }: { short?: boolean }) {
  const w = useWords(shared);
  const connection = useConnection();
  if (!connection) return null;
  const text = w.live[connection.state];
  return (
    <span className={styles.mark} data-live={connection.state} title={text}>
      <span className={short ? styles.short : undefined}>{text}</span>
    </span>
  );
}

/** An interruption that ends within this time is shown by the mark alone. */
const PATIENCE_MS = 1_500;
const DAY_MS = 24 * 3_600_000;

/** Says since when there is no connection, and that the page shows what was known then. */
export function ConnectionBanner() {
  const w = useWords(shared);
  const format = useFormat();
  const connection = useConnection();
  const away = isAway(connection);
  const silent = away && connection.silent;
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!away) return;
    const timer = clock.setTimeout(() => setLasts(true), PATIENCE_MS);
    return () => {
      timer.cancel();
      setLasts(false);
    };
  }, [away]);
  const at = connection?.heardAt ?? 0;
  const since = clock.now() - at < DAY_MS ? format.clock(at) : format.dateTime(at);
  return (
    // It is always there, because screen readers announce only changes inside of it.
    <div className={styles.banner} role="status">
      {away && (lasts || silent) ? (
        <p>
          <strong>{connection.state === 'lost' ? w.noConnection(since) : w.noUpdates(since)}</strong> {w.knownThen}
        </p>
      ) : null}
    </div>
  );
}
