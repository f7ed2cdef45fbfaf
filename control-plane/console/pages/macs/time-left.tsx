import type { AgentMac } from '../../../../client/types.js';
import { isEndless, isPaused, macTimeLeft, type Timed } from '../../macs/time-left.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './macs.module.css';
import { words } from './words.js';

const SOON_MS = 24 * 3_600_000;

/** Until when the Mac is rented, and how long that is from now. */
export function MacTime({ mac }: { mac: Timed & Pick<AgentMac, 'starts_at'> }) {
  const w = useWords(words);
  const format = useFormat();
  const now = useNow();
  const { state, starts_at: starts, ends_at: ends } = mac;
  if (state === 'reserved' && starts !== null) {
    return <span className={styles.time}>{w.begins(format.dateTime(starts))}</span>;
  }
  if (ends === null || isEndless(mac)) return <span>{w.noEnd}</span>;
  const left = macTimeLeft(mac, now);
  const paused = isPaused(mac);
  return (
    <span className={styles.time}>
      <span className={left < SOON_MS && !paused ? styles.soon : undefined}>{w.timeLeft(format.left(left))}</span>
      <span className={styles.until}>{paused ? w.paused : w.ends(format.dateTime(ends))}</span>
    </span>
  );
}
