import type { AgentMac } from '../../../../client/types.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './macs.module.css';
import { words } from './words.js';

/** What the API answers for a Mac without end. */
const ENDLESS_S = 2_147_483_647;
const SOON_MS = 24 * 3_600_000;

export type Timed = Pick<AgentMac, 'state' | 'starts_at' | 'ends_at' | 'remaining_s'>;

export const isEndless = ({ ends_at, remaining_s }: Timed): boolean => ends_at === null || remaining_s >= ENDLESS_S;

/** Until when the Mac is rented, and how long that is from now. */
export function MacTime({ mac }: { mac: Timed }) {
  const w = useWords(words);
  const format = useFormat();
  const now = useNow();
  const { state, starts_at: starts, ends_at: ends } = mac;
  if (state === 'reserved' && starts !== null) {
    return <span className={styles.time}>{w.begins(format.dateTime(starts))}</span>;
  }
  if (ends === null || isEndless(mac)) return <span>{w.noEnd}</span>;
  // Its time is paused while it is prepared.
  const left = state === 'preparing' ? mac.remaining_s * 1_000 : Math.max(0, Date.parse(ends) - now);
  return (
    <span className={styles.time}>
      <span className={left < SOON_MS ? styles.soon : undefined}>{w.timeLeft(format.duration(left))}</span>
      <span className={styles.until}>{state === 'preparing' ? w.paused : w.ends(format.dateTime(ends))}</span>
    </span>
  );
}
