// What is ordered, what it costs, and what to do when there is no room.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CatalogTier } from '../../../../client/types.js';
import { fieldProblem } from '../../../../shared/messages/field-problems.js';
import { quoteQuery } from '../../data/catalog.js';
import { Failure } from '../../data/failure.js';
import { usePlaceOrder } from '../../data/orders.js';
import type { RawSearch } from '../../data/search.js';
import { MANAGERS, useMay, useOrganization, useTimeLimit } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Form, FormFailure } from '../../design/form.js';
import { Note, Stack } from '../../design/page.js';
import { useFormat } from '../../words/language.js';
import { shared } from '../../words/shared.js';
import { useNow } from '../../words/use-now.js';
import { useWords } from '../../words/use-words.js';
import { NameFields, nameChecks, namesFor } from './name-fields.js';
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
  const names = namesFor(typed, units);
  const startAt = startOf(start, now);
  const xcode = xcodeOf(tier, search);

  const place = (count: number) =>
    order.mutate({ ...wanted, units: count, names: names.slice(0, count), start: startAt ?? 'now', xcode });
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
      <Form
        error={noRoom ? null : order.error}
        checks={{ start: startAt === null ? fieldProblem('in_the_past') : null, ...nameChecks(names) }}
        onSubmit={() => place(units)}
      >
        <Stack>
          <OrderFields tier={tier} search={search} onChange={change} />
          <NameFields
            units={units}
            typed={typed}
            onChange={(next) => {
              order.reset();
              setTyped(next);
            }}
          />
          <QuoteLines wanted={wanted} showsRoom={start === 'now' && noRoom === null} />
          {noRoom ? <NoRoom failure={noRoom} wanted={wanted} onFewer={place} /> : null}
          <FormFailure />
          <Button variant="primary" wide type="submit" pending={order.isPending} refused={refused}>
            {tier.price_won > 0 ? w.order : w.orderFree}
          </Button>
          <Note>{tier.price_won > 0 ? w.orderNote(heldFor) : w.orderNoteFree}</Note>
        </Stack>
      </Form>
    </Card>
  );
}
