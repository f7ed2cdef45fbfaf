import { useQuery } from '@tanstack/react-query';
import type { Place } from '../../data/place.js';
import { usageQuery } from '../../data/usage.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { Columns } from '../../design/page.js';
import { Meter } from '../../design/progress.js';
import { Skeleton } from '../../design/skeleton.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** The share of a limit from which the page says what happens when it is reached. */
const NEARLY = 0.9;

/** What is used of the organization's limits. */
export function Storage({ place }: { place: Place }) {
  const w = useWords(words);
  const format = useFormat();
  const query = useQuery(usageQuery(place));
  if (query.error) return <FailureNote error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton lines={3} />;
  const { usage, limits } = query.data;
  const meters = [
    { label: w.contents, value: usage.contents_bytes, max: limits.contents_bytes },
    { label: w.artifacts, value: usage.artifacts_bytes, max: limits.artifacts_bytes },
    { label: w.logs, value: usage.logs_bytes, max: limits.logs_bytes },
    { label: w.records, value: usage.records_bytes, max: limits.records_bytes },
  ];
  const used = ({ value, max }: { value: number; max: number }) => w.used(format.bytes(value), format.bytes(max));
  return (
    <Card title={w.storage}>
      <Columns>
        {meters.map((meter) => (
          <Meter key={meter.label} {...meter} text={used(meter)} />
        ))}
      </Columns>
      {meters.some(({ value, max }) => value >= max * NEARLY) ? <p>{w.full}</p> : null}
    </Card>
  );
}
