// Idempotency keys of the console's requests about money.
import t from 'tap';
import { createRequestKey } from '../../control-plane/console/data/idempotency.js';

t.test('a repeat has the same key until it is answered; another content has another one', async (t) => {
  const key = createRequestKey();
  const of = (content: unknown) => key.headers(content)['idempotency-key'];
  const first = of({ usd: 10 });
  t.match(first, /^[0-9a-f]{32}$/);
  t.equal(of({ usd: 10 }), first);
  const other = of({ usd: 20 });
  t.not(other, first);
  key.done();
  t.not(of({ usd: 20 }), other, 'the next one is meant');
});
