// Macs of an organization; those that were granted can be ended, and more granted.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OperatorOrganization, OperatorRental } from '../../../../../client/types.js';
import { rentalsQuery } from '../../../data/operator.js';
import { Time } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { EmptyState } from '../../../design/empty-state.js';
import { Link } from '../../../design/link.js';
import { NumberField } from '../../../design/number-field.js';
import { Select } from '../../../design/select.js';
import { TextField } from '../../../design/text-field.js';
import { NameAndId } from '../../../macs/mac-link.js';
import { shared } from '../../../words/shared.js';
import { useWords } from '../../../words/use-words.js';
import { useTierOptions } from '../parts/filters.js';
import { OperationDialog } from '../parts/operation-dialog.js';
import { PagedTable } from '../parts/paged-table.js';
import { words as parts } from '../parts/words.js';
import { words } from './words.js';

export function MacsCard({ of }: { of: OperatorOrganization }) {
  const w = useWords(words);
  const [grants, setGrants] = useState(false);
  const [ends, setEnds] = useState<OperatorRental | null>(null);
  return (
    <Card
      title={w.macs}
      flush
      actions={
        <Button small onClick={() => setGrants(true)}>
          {w.grant}
        </Button>
      }
    >
      <MacTable orgId={of.org_id} onEnd={setEnds} />
      {grants ? <GrantDialog of={of} onClose={() => setGrants(false)} /> : null}
      {ends === null ? null : (
        <OperationDialog
          open
          title={w.endTitle(`${ends.name} (${ends.rental_id})`)}
          onOpenChange={() => setEnds(null)}
          operation={{ name: 'rental.end', input: { rental_id: ends.rental_id } }}
          action={w.endGrant}
          danger
          loses={w.endLoses}
          typed={ends.name}
        />
      )}
    </Card>
  );
}

function MacTable({ orgId, onEnd }: { orgId: string; onEnd(rental: OperatorRental): void }) {
  const w = useWords(words);
  const p = useWords(parts);
  const s = useWords(shared);
  const query = useInfiniteQuery(rentalsQuery(orgId));
  return (
    <PagedTable
      query={query}
      empty={<EmptyState title={w.noMacs} />}
      label={w.macs}
      rowKey={(one) => one.rental_id}
      columns={[
        { key: 'mac', header: w.mac, main: true, cell: (one) => <NameAndId id={one.rental_id} name={one.name} /> },
        { key: 'tier', header: p.tier, cell: (one) => one.tier },
        {
          key: 'host',
          header: w.host,
          cell: (one) => (
            <Link to="/operator/hosts/$host_id" params={{ host_id: one.host.host_id }}>
              {one.host.name}
            </Link>
          ),
        },
        {
          key: 'state',
          header: w.state,
          narrow: true,
          cell: (one) => (
            <Badge tone={one.state === 'ready' ? 'good' : 'neutral'}>
              {s.macState[one.state as 'ready'] ?? one.state}
            </Badge>
          ),
        },
        {
          key: 'from',
          header: w.from,
          cell: (one) =>
            one.order_no === null ? (
              w.granted
            ) : (
              <Link to="/operator/orders/$order_no" params={{ order_no: one.order_no }}>
                {w.order(one.order_no)}
              </Link>
            ),
        },
        {
          key: 'ends',
          header: w.ends,
          narrow: true,
          cell: (one) => (one.ends_at === null ? p.forever : <Time at={one.ends_at} />),
        },
        {
          key: 'end',
          header: w.endGrant,
          quiet: true,
          narrow: true,
          cell: (one) =>
            one.order_no === null ? (
              <Button small onClick={() => onEnd(one)}>
                {w.endGrant}
              </Button>
            ) : null,
        },
      ]}
    />
  );
}

function GrantDialog({ of, onClose }: { of: OperatorOrganization; onClose(): void }) {
  const w = useWords(words);
  const p = useWords(parts);
  const tiers = useTierOptions();
  const [tier, setTier] = useState('');
  const [units, setUnits] = useState<number | null>(1);
  const [until, setUntil] = useState('');
  const chosen = tier === '' ? (tiers[0]?.value ?? '') : tier;
  const end = until === '' ? { forever: true } : { until: new Date(until).toISOString() };
  return (
    <OperationDialog
      open
      title={w.grant}
      onOpenChange={onClose}
      operation={{
        name: 'rental.grant',
        input: { org: of.org_id, tier: chosen, ...end, ...(units === null ? {} : { units }) },
      }}
      action={w.grant}
    >
      <p>{w.grantText}</p>
      <Select name="tier" label={p.tier} value={chosen} options={tiers} onChange={setTier} />
      <NumberField name="units" label={w.units} value={units} min={1} onChange={setUnits} />
      <TextField
        name="until"
        label={w.until}
        note={w.untilNote}
        type="datetime-local"
        value={until}
        onChange={setUntil}
        required={false}
      />
    </OperationDialog>
  );
}
