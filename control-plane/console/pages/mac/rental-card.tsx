import type { RentalDetail } from '../../../../client/types.js';
import { useTierName } from '../../data/catalog.js';
import { useOrganization } from '../../data/session.js';
import { Time } from '../../design/amounts.js';
import { Card } from '../../design/card.js';
import { Facts } from '../../design/facts.js';
import { Note } from '../../design/page.js';
import { Meter } from '../../design/progress.js';
import { isEndless, isPaused, macTimeLeft } from '../../macs/time-left.js';
import { useFormat } from '../../words/language.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './mac.module.css';
import { words } from './words.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The contract: until when, what was bought, and what was paid, unless the operator granted it. */
export function RentalCard({ mac }: { mac: RentalDetail }) {
  const w = useWords(words);
  const format = useFormat();
  const now = useNow();
  const tierName = useTierName(useOrganization());
  const { starts_at: starts, ends_at: ends, state, hours } = mac;
  const labels = Object.entries(mac.labels);
  const paused = isPaused(mac);
  const left = macTimeLeft(mac, now);
  const text = format.left(left);
  return (
    <Card title={w.rental}>
      {isEndless(mac) || hours === null || hours === 0 ? null : (
        <div className={styles.meter}>
          <Meter
            label={w.left}
            value={left}
            max={hours * HOUR_MS}
            text={state === 'preparing' ? w.leftPaused(text) : text}
            tone={left < DAY_MS && !paused ? 'warn' : 'info'}
          />
        </div>
      )}
      <Facts
        facts={[
          { label: w.tier, value: tierName(mac.tier) },
          starts === null ? null : { label: state === 'reserved' ? w.begins : w.began, value: <Time at={starts} /> },
          {
            label: w.ends,
            value:
              ends === null ? (
                w.noEnd
              ) : paused && state === 'preparing' ? (
                w.endsProvisional(format.dateTime(ends))
              ) : (
                <Time at={ends} />
              ),
          },
          { label: w.bought, value: hours === null ? w.granted : w.boughtHours(hours) },
          mac.amount_won > 0 ? { label: w.amount, value: format.won(mac.amount_won) } : null,
          labels.length > 0
            ? {
                label: w.labels,
                value: labels.map(([key, value]) => (value === '' ? key : `${key}=${value}`)).join(', '),
              }
            : null,
        ]}
      />
      {hours === null ? <Note>{w.noExtend.granted}</Note> : null}
    </Card>
  );
}
