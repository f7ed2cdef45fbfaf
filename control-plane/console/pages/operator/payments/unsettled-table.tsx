import type { UnsettledPayment } from '../../../../../client/types.js';
import { Money, RelativeTime, Time } from '../../../design/amounts.js';
import { Badge } from '../../../design/badge.js';
import { Button } from '../../../design/button.js';
import { Link } from '../../../design/link.js';
import { Note, Stack } from '../../../design/page.js';
import { type Column, Table } from '../../../design/table.js';
import { useFormat } from '../../../words/language.js';
import { useWords } from '../../../words/use-words.js';
import { Organization } from '../host/slots-card.js';
import { words as parts } from '../parts/words.js';
import { words } from './words.js';

/**
 * @param settle marks one as settled; without it nothing can be marked
 * @param settled ids of those that an operator has settled
 */
export function useUnsettledColumns(
  settle?: (id: string) => void,
  settled: ReadonlySet<string> = new Set(),
): readonly Column<UnsettledPayment>[] {
  const w = useWords(words);
  const p = useWords(parts);
  return [
    {
      key: 'order',
      header: w.order,
      main: true,
      narrow: true,
      cell: (one) => (
        <div>
          {one.of === 'order' ? (
            <Link to="/operator/orders/$order_no" params={{ order_no: one.order_no }}>
              {one.order_no}
            </Link>
          ) : (
            one.order_no
          )}
          <Note>{one.of === 'order' ? w[one.kind] : `${w[one.kind]} (${w.topUp})`}</Note>
        </div>
      ),
    },
    { key: 'org', header: p.organization, narrow: true, cell: (one) => <Organization of={one.organization} /> },
    {
      key: 'amount',
      header: w.amount,
      numeric: true,
      narrow: true,
      cell: (one) => (one.amount_won === null ? w.whole : <Money won={one.amount_won} />),
    },
    { key: 'state', header: w.state, cell: (one) => <State of={one} /> },
    {
      key: 'next',
      header: w.next,
      cell: (one) =>
        one.next_attempt_at !== null ? (
          <RelativeTime at={one.next_attempt_at} />
        ) : one.status === 'succeeded' || one.status === 'void' ? (
          ''
        ) : settled.has(one.id) ? (
          w.byHand
        ) : settle && isForOperators(one) ? (
          <Stack>
            {w.never}
            <Button small onClick={() => settle(one.id)}>
              {w.settle}
            </Button>
          </Stack>
        ) : (
          w.never
        ),
    },
    { key: 'created', header: w.created, narrow: true, cell: (one) => <Time at={one.created_at} /> },
  ];
}

export function UnsettledTable({
  label,
  rows,
  settled,
}: {
  label: string;
  rows: readonly UnsettledPayment[];
  settled?: ReadonlySet<string>;
}) {
  return (
    <Table
      label={label}
      rows={rows}
      rowKey={(one) => `${one.kind} ${one.id}`}
      columns={useUnsettledColumns(undefined, settled)}
    />
  );
}

/** Nothing more is tried. */
const isForOperators = ({ kind, status }: UnsettledPayment) =>
  status === 'over_returned' || (kind === 'refund' && status === 'failed');

function State({ of: one }: { of: UnsettledPayment }) {
  const w = useWords(words);
  const format = useFormat();
  const name = one.kind === 'refund' && one.status === 'failed' ? 'refused' : (one.status as 'open');
  const isOver = one.status === 'over_returned';
  const tone = name === 'refused' || isOver ? 'bad' : one.status === 'succeeded' ? 'good' : 'warn';
  const said = [
    isOver ? w.returned(format.won(one.returned_won)) : one.error,
    one.attempts > 0 ? w.attempts(one.attempts) : null,
    one.refusals > 0 ? w.refusals(one.refusals) : null,
  ].filter((each) => each !== null);
  return (
    <>
      <Badge tone={tone}>{w.states[name] ?? one.status}</Badge>
      {said.length > 0 ? <div>{said.join(' · ')}</div> : null}
    </>
  );
}
