// Which queries are sent again after a change.
import { QueryObserver } from '@tanstack/react-query';
import t from 'tap';
import { ConsoleQueryClient } from '../../control-plane/console/data/query-client.js';
import { until } from '../harness/until.js';

t.test('an answer from before a change is not kept, even if it is the first one', async (t) => {
  const client = new ConsoleQueryClient();
  t.teardown(() => client.clear());
  const answers: { resolve(text: string): void; reject(error: Error): void }[] = [];
  const observer = new QueryObserver<string>(client, {
    queryKey: ['org_1', 'builds'],
    queryFn: () => new Promise((resolve, reject) => answers.push({ resolve, reject })),
    retry: false,
  });
  t.teardown(observer.subscribe(() => undefined));
  t.equal(answers.length, 1, 'it is asked when it is shown');
  const changed = client.invalidateQueries({ queryKey: ['org_1'] });
  const other = client.invalidateQueries({ queryKey: ['org_2'] });
  answers[0]?.resolve('queued');
  await other;
  await until(() => answers.length === 2, 'it is asked again after the first answer');
  t.equal(observer.getCurrentResult().data, 'queued', 'which is shown until then');
  answers[1]?.resolve('running');
  await changed;
  t.equal(observer.getCurrentResult().data, 'running');

  const again = client.invalidateQueries({ queryKey: ['org_1'] });
  t.equal(answers.length, 3, 'with an answer there it is asked at once');
  const once = client.invalidateQueries({ queryKey: ['org_1'] });
  answers[3]?.resolve('failed');
  await Promise.all([again, once]);
  t.equal(observer.getCurrentResult().data, 'failed');
  t.equal(answers.length, 4);
});

t.test('a first answer that fails is left as it is', async (t) => {
  const client = new ConsoleQueryClient();
  t.teardown(() => client.clear());
  let asked = 0;
  const fail = { now: (_error: Error): void => undefined };
  const observer = new QueryObserver<string>(client, {
    queryKey: ['org_1', 'queue'],
    retry: false,
    queryFn: () =>
      new Promise((_, reject) => {
        asked++;
        fail.now = reject;
      }),
  });
  t.teardown(observer.subscribe(() => undefined));
  const changed = client.invalidateQueries();
  fail.now(new Error('out of reach'));
  await changed;
  t.equal(asked, 1);
  t.equal(observer.getCurrentResult().error?.message, 'out of reach');
});
