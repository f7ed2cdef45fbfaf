// What is ordered, what it costs, and what to do when there is no room.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { CatalogTier } from '../../../../client/types.js';
import { quoteQuery } from '../../data/catalog.js';
import { Failure } from '../../data/failure.js';
import { usePlaceOrder } from '../../data/orders.js';
import type { RawSearch } from '../../data/search.js';
import { MANAGERS, useMay, useOrganization, useTimeLimit } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { Note, Stack } from '../../design/page.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { NameFields, namesFor, useNameProblems } from './name-fields.js';
import { NoRoom } from './no-room.js';
import { OrderFields, xcodeOf } from './order-fields.js';
import { QuoteLines } from './quote-lines.js';
import { type RentSearch, startOf } from './search.js';
import { words } from './words.js';

export function OrderForm({
  tier,
  search,
  onChange,
}: {
  tier: CatalogTier;
  search: RentSearch;
  onChange(changes: RawSearch): void;
}) {
  const w = useWords(words);
  const common = useWords(shared);
  const format = useFormat();
  const org = useOrganization();
  const mayOrder = useMay(MANAGERS);
  const now = useNow(60_000);
  const heldFor = useTimeLimit('order_hold_s');
  const { units, days, start } = search;
  const wanted = { tier: tier.tier, hours: days * 24, units };
  const order = usePlaceOrder(org);
  const [typed, setTyped] = useState<readonly string[]>([]);
  const [checked, setChecked] = useState(false);
  const problemsOf = useNameProblems();
  const names = namesFor(typed, units);
  // What was typed is judged once it is sent.
  const problems = checked ? problemsOf(names, order.error) : new Map<number, string>();
  const startAt = startOf(start, now);
  const xcode = xcodeOf(tier, search);

  const place = (count: number) =>
    order.mutate({ ...wanted, units: count, names: names.slice(0, count), start: startAt ?? 'now', xcode });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (startAt !== null && problemsOf(names, null).size === 0) place(units);
  };
  const needsRole = common.needsRole(format.list([common.role.owner, common.role.admin]));
  const quote = useQuery(quoteQuery(org, wanted));
  const noneFree = start === 'now' && quote.data?.available_now === 0 && !quote.isPlaceholderData;
  const refused = !mayOrder ? needsRole : !tier.sales_open ? w.closed : noneFree ? w.noneAvailable : null;
  const change = (changes: RawSearch) => {
    order.reset();
    onChange(changes);
  };
  const noRoom = order.error instanceof Failure && order.error.code === 'no_capacity' ? order.error : null;

  return (
    <Card title={`${w.orderTitle}: ${tier.name}`}>
      <form method="post" noValidate onSubmit={submit}>
        <Stack>
          <OrderFields tier={tier} search={search} onChange={change} />
          <NameFields
            units={units}
            typed={typed}
            problems={problems}
            onChange={(next) => {
              order.reset();
              setChecked(false);
              setTyped(next);
            }}
          />
          <QuoteLines wanted={wanted} showsRoom={start === 'now' && noRoom === null} />
          {noRoom ? <NoRoom failure={noRoom} wanted={wanted} onFewer={place} /> : null}
          {order.error && !noRoom && problems.size === 0 ? <FailureNote error={order.error} /> : null}
          <Button variant="primary" wide type="submit" pending={order.isPending} refused={refused}>
            {tier.price_won > 0 ? w.order : w.orderFree}
          </Button>
          <Note>{tier.price_won > 0 ? w.orderNote(heldFor) : w.orderNoteFree}</Note>
        </Stack>
      </form>
    </Card>
  );
}
