// Tiers, and which hosts have their images.
import { useQuery } from '@tanstack/react-query';
import Disc3 from 'lucide-react/icons/disc-3';
import { useState } from 'react';
import type { OperatorTier, TierImage } from '../../../../../client/types.js';
import { imagesQuery, tiersQuery } from '../../../data/operator.js';
import { Badge } from '../../../design/badge.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { Facts } from '../../../design/facts.js';
import { Columns, Page } from '../../../design/page.js';
import { useFormat } from '../../../words/language.js';
import { useWords } from '../../../words/use-words.js';
import { Loaded } from '../parts/paged-table.js';
import { ImageCard } from './image-card.js';
import { TierDialog } from './tier-dialog.js';
import { words } from './words.js';

export default function TiersPage() {
  const w = useWords(words);
  const query = useQuery(tiersQuery);
  const images = useQuery(imagesQuery);
  const [edits, setEdits] = useState<OperatorTier | 'new' | null>(null);
  const add = (
    <Button variant="primary" onClick={() => setEdits('new')}>
      {w.add}
    </Button>
  );
  return (
    <Page title={w.title} lead={w.lead} actions={add}>
      <Loaded query={query} lines={10}>
        {({ tiers }) =>
          tiers.length === 0 ? (
            <Card>
              <EmptyState icon={<Disc3 />} title={w.emptyTitle}>
                {w.empty}
              </EmptyState>
            </Card>
          ) : (
            <Columns>
              {tiers.map((tier) => (
                <TierCard key={tier.tier} tier={tier} onEdit={() => setEdits(tier)} />
              ))}
            </Columns>
          )
        }
      </Loaded>
      <Loaded query={images} lines={4}>
        {(found) => (
          <>
            {found.images.map((image: TierImage) => (
              <ImageCard key={image.tier} image={image} />
            ))}
          </>
        )}
      </Loaded>
      {edits === null ? null : <TierDialog tier={edits === 'new' ? null : edits} onClose={() => setEdits(null)} />}
    </Page>
  );
}

function TierCard({ tier, onEdit }: { tier: OperatorTier; onEdit(): void }) {
  const w = useWords(words);
  const format = useFormat();
  const { spec, slots } = tier;
  const listed = (values: readonly string[], name: string) =>
    [values.join(', ') || w.none, tier.from_image.includes(name) ? `(${w.ofImage})` : ''].join(' ').trim();
  const mac = [
    spec.chip,
    spec.cpu_cores > 0 && w.cores(spec.cpu_cores),
    spec.memory_gb > 0 && w.gb(spec.memory_gb),
    spec.disk_gb > 0 && w.diskGb(spec.disk_gb),
    spec.macos && `macOS ${spec.macos}`,
  ];
  return (
    <Card
      title={
        <>
          {tier.name} <Badge tone={tier.sales_open ? 'good' : 'neutral'}>{tier.sales_open ? w.open : w.closed}</Badge>
        </>
      }
      actions={
        <Button small onClick={onEdit} aria-label={w.editTitle(tier.name)}>
          {w.edit}
        </Button>
      }
    >
      <Facts
        facts={[
          { label: w.id, value: <code>{tier.tier}</code> },
          { label: w.price, value: w.perDay(format.won(tier.price_won)) },
          { label: w.mac, value: mac.filter(Boolean).join(', ') || w.none },
          { label: w.slots, value: w.slotCounts(slots.free, slots.used, slots.unsellable) },
          { label: w.maxDays, value: w.days(tier.max_days) },
          { label: w.xcode, value: listed(tier.xcode_versions, 'xcodes') },
          tier.default_xcode !== null && { label: w.defaultXcode, value: tier.default_xcode },
          { label: w.runtimes, value: listed(tier.runtimes, 'runtimes') },
          { label: w.tools, value: listed(tier.tools, 'tools') },
          { label: w.image, value: tier.image ?? w.none },
        ]}
      />
    </Card>
  );
}
