import type { CatalogTier, WaitlistEntry } from '../../../../client/types.js';
import { useLeaveWaitlist } from '../../data/catalog.js';
import { MANAGERS, useMay, useOrganization } from '../../data/session.js';
import { Badge } from '../../design/badge.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Facts } from '../../design/facts.js';
import { FailureNote } from '../../design/failure-note.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import styles from './rent.module.css';
import { words } from './words.js';

const DAY_MS = 24 * 3_600_000;

export function TierCard({ tier, chosen, onChoose }: { tier: CatalogTier; chosen: boolean; onChoose(): void }) {
  const w = useWords(words);
  const format = useFormat();
  const now = useNow(60_000);
  const { spec } = tier;
  // What the operator left out is 0 or empty.
  const gigabytes = (count: number) => (count > 0 ? `${format.number(count)} GB` : '');
  const facts = [
    { label: w.chip, value: spec.chip },
    { label: w.cores, value: spec.cpu_cores > 0 ? w.coresValue(spec.cpu_cores) : '' },
    { label: w.memory, value: gigabytes(spec.memory_gb) },
    { label: w.disk, value: gigabytes(spec.disk_gb) },
    { label: w.macos, value: spec.macos },
    { label: w.xcode, value: tier.xcode_versions.join(', ') },
    { label: w.runtimes, value: tier.runtimes.join(', ') },
    { label: w.tools, value: tier.tools.join(', ') },
  ].filter(({ value }) => value !== '');
  return (
    <Card
      className={chosen ? styles.chosen : undefined}
      title={
        <span className={styles.name}>
          {tier.name} <Availability tier={tier} />
        </span>
      }
      actions={
        <Button aria-pressed={chosen} onClick={onChoose}>
          {chosen ? w.chosen : w.choose}
        </Button>
      }
    >
      {tier.price_won > 0 ? (
        <p className={styles.price}>
          {w.price(format.won(tier.price_won))} <span>{w.vatIncluded}</span>
        </p>
      ) : null}
      {facts.length > 0 ? <Facts facts={facts} /> : null}
      {tier.waitlist
        .filter((entry) => matters(entry, now))
        .map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
    </Card>
  );
}

/** Entries that wait, and those that were notified within a day. */
const matters = ({ status, notified_at: at }: WaitlistEntry, now: number): boolean =>
  status === 'waiting' || (status === 'notified' && at !== null && now - Date.parse(at) < DAY_MS);

function Availability({ tier }: { tier: CatalogTier }) {
  const w = useWords(words);
  if (!tier.sales_open) return <Badge tone="neutral">{w.closed}</Badge>;
  return tier.available_now > 0 ? (
    <Badge tone="good">{w.available(tier.available_now)}</Badge>
  ) : (
    <Badge tone="warn">{w.noneAvailable}</Badge>
  );
}

/** An entry of the waitlist, with its position. */
function Entry({ entry }: { entry: WaitlistEntry }) {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const now = useNow(60_000);
  const leave = useLeaveWaitlist(useOrganization());
  const mayLeave = useMay(MANAGERS);
  const macs = common.macs(entry.units);
  return (
    <div className={styles.entry}>
      <p>
        {entry.status === 'notified'
          ? w.notified(macs, format.relative(entry.notified_at ?? entry.created_at, now))
          : w.waiting(macs, entry.position)}
      </p>
      {entry.status === 'waiting' ? (
        <Button
          small
          pending={leave.isPending}
          refused={mayLeave ? null : common.needsRole(format.list([common.role.owner, common.role.admin]))}
          onClick={() => leave.mutate(entry.id)}
        >
          {w.leave}
        </Button>
      ) : null}
      {leave.error ? <FailureNote error={leave.error} /> : null}
    </div>
  );
}
