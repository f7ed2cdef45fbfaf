// What operators have settled with the payment provider by hand, or still have to.
import { useState } from 'react';
import type { ManualSettlement } from '../../../../../client/types.js';
import { Money, Time } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Button } from '../../../design/button.js';
import { Card } from '../../../design/card.js';
import { type Column, Table } from '../../../design/table.js';
import { useWords } from '../../../words/use-words.js';
import { SettleDialog } from '../payments/settle-dialog.js';
import { words as payments } from '../payments/words.js';
import { words } from './words.js';

export function SettlementsCard({ rows }: { rows: readonly ManualSettlement[] }) {
  const w = useWords(words);
  const p = useWords(payments);
  const [settling, setSettling] = useState<string | null>(null);
  const columns: readonly Column<ManualSettlement>[] = [
    { key: 'what', header: p.what, main: true, cell: (one) => p.states[one.kind] },
    {
      key: 'amount',
      header: w.amount,
      numeric: true,
      narrow: true,
      cell: (one) => (one.amount_won === null ? p.whole : <Money won={one.amount_won} />),
    },
    { key: 'created', header: p.created, cell: (one) => <Time at={one.created_at} /> },
    {
      key: 'state',
      header: p.state,
      cell: (one) =>
        one.settled_at === null ? (
          <Button small onClick={() => setSettling(one.id)}>
            {p.settle}
          </Button>
        ) : (
          <Badge tone="good">{w.settled}</Badge>
        ),
    },
    {
      key: 'by',
      header: w.settledBy,
      cell: (one) =>
        one.settled_at === null ? (
          w.notYet
        ) : (
          <>
            {one.settled_by ?? w.service}, <Time at={one.settled_at} />
          </>
        ),
    },
    { key: 'note', header: p.note, cell: (one) => one.note ?? '' },
  ];
  return (
    <Card title={w.settlements} flush>
      <Table label={w.settlements} rows={rows} rowKey={(one) => one.id} columns={columns} />
      {settling === null ? null : <SettleDialog id={settling} onClose={() => setSettling(null)} />}
    </Card>
  );
}
