// What the organization uses of its limits.
import { useQuery } from '@tanstack/react-query';
import type { Me } from '../../../../client/types.js';
import { useOrganization } from '../../data/session.js';
import { usageQuery } from '../../data/usage.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Facts } from '../../design/facts.js';
import { FailureNote } from '../../design/failure-note.js';
import { Columns, Stack } from '../../design/page.js';
import { Meter } from '../../design/progress.js';
import { Skeleton } from '../../design/skeleton.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import styles from './overview.module.css';
import { words } from './words.js';

export function UsageCard() {
  const { usage: w } = useWords(words);
  const usage = useQuery(usageQuery(useOrganization()));
  return (
    <Card
      title={w.title}
      actions={
        <LinkButton variant="link" to="/o/$org/files">
          {w.files}
        </LinkButton>
      }
    >
      {usage.error ? <FailureNote error={usage.error} onRetry={() => void usage.refetch()} /> : null}
      {usage.isPending ? <Skeleton lines={4} /> : null}
      {usage.data ? <Used me={usage.data} /> : null}
    </Card>
  );
}

function Used({ me: { usage, limits } }: { me: Me }) {
  const { usage: w } = useWords(words);
  const format = useFormat();
  const sizes = [
    [w.contents, usage.contents_bytes, limits.contents_bytes],
    [w.artifacts, usage.artifacts_bytes, limits.artifacts_bytes],
    [w.logs, usage.logs_bytes, limits.logs_bytes],
    [w.records, usage.records_bytes, limits.records_bytes],
  ] as const;
  const full = usage.contents_bytes >= limits.contents_bytes || usage.artifacts_bytes >= limits.artifacts_bytes;
  return (
    <Stack>
      {full ? <p className={styles.warning}>{w.full}</p> : null}
      {usage.logs_bytes >= limits.logs_bytes ? <p className={styles.warning}>{w.logsFull}</p> : null}
      {usage.records_bytes >= limits.records_bytes ? <p className={styles.warning}>{w.recordsFull}</p> : null}
      <Columns>
        <Stack>
          {sizes.map(([label, used, limit]) => (
            <Meter
              key={label}
              label={label}
              value={used}
              max={limit}
              text={w.of(format.bytes(used), format.bytes(limit))}
            />
          ))}
        </Stack>
        <Facts
          facts={[
            { label: w.slots, value: format.number(usage.held_slots) },
            {
              label: w.parked,
              value: w.of(format.number(usage.parked_requests), format.number(limits.parked_requests)),
            },
            {
              label: w.uploads,
              value: w.of(format.number(usage.concurrent_uploads), format.number(limits.concurrent_uploads)),
            },
            { label: w.rate, value: w.perMinute(format.number(limits.account_requests_per_minute)) },
            { label: w.logsKept, value: format.span(limits.logs_kept_ms) },
            { label: w.buildsKept, value: format.span(limits.builds_kept_ms) },
          ]}
        />
      </Columns>
    </Stack>
  );
}
