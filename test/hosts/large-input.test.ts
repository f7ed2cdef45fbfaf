// Large JSON of hosts is checked by a thread, with the results that small JSON has.
import t, { type Test } from 'tap';
import { InvalidMessage } from '../../control-plane/hosts/link/incoming.js';
import { createLargeInput } from '../../control-plane/hosts/link/large-input.js';

const PADDING = ' '.repeat(100_000);
const fact = (n: number) => ({
  build_id: `rb_${n}`,
  attempt: 1,
  state: 'running' as const,
  log_bytes: n,
  last_output_at: null,
});
const factsOf = (builds: readonly object[]) => ({ type: 'facts' as const, builds, macs: [] });

const started = (t: Test) => {
  const input = createLargeInput();
  t.teardown(() => input.close());
  return input;
};

t.test('a large message has the result of a small one', async (t) => {
  const input = started(t);
  const messages = [
    factsOf([fact(1), { build_id: '../x' }, fact(2)]),
    { type: 'facts', builds: 7 },
    { type: 'nonsense' },
    7,
    { type: 'build_finished', build_id: 'rb_1', attempt: 1 },
  ];
  for (const isFirst of [false, true]) {
    for (const message of messages) {
      const text = JSON.stringify(message);
      const of = (json: string) =>
        input.message(Buffer.from(json), isFirst).catch((error: unknown) => {
          if (!(error instanceof InvalidMessage)) throw error;
          return { reason: error.message, closeCode: error.closeCode };
        });
      t.same(await of(text + PADDING), await of(text), `${text}, ${isFirst ? 'first' : 'later'}`);
    }
  }
  await t.rejects(input.message(Buffer.from(`{${PADDING}`), false), { name: 'InvalidMessage', message: 'not JSON' });
});

t.test('messages that arrive together are separated', async (t) => {
  const input = started(t);
  const answers = await Promise.all(
    [1000, 3, 900].map((count) =>
      input.message(
        Buffer.from(JSON.stringify(factsOf(Array.from({ length: count }, (_, n) => fact(n)))) + PADDING),
        false,
      ),
    ),
  );
  t.same(
    answers.map(({ message }) => (message.type === 'facts' ? message.builds.length : null)),
    [1000, 3, 900],
  );
});

t.test('hashes of a request for contents', async (t) => {
  const input = started(t);
  const sha256 = Array.from({ length: 2_000 }, (_, n) => n.toString(16).padStart(64, '0'));
  t.same(await input.hashes(Buffer.from(JSON.stringify({ sha256 }))), sha256);
  for (const body of ['{', '{"sha256":[]}', '{"sha256":["x"]}', '[]']) {
    for (const text of [body, body + PADDING]) {
      await t.rejects(input.hashes(Buffer.from(text)), { code: 'invalid_request' }, `${body}, ${text.length} bytes`);
    }
  }
});

t.test('checks under way fail when the service stops, and a new thread is started', async (t) => {
  const input = started(t);
  const text = Buffer.from(JSON.stringify(factsOf([fact(1)])) + PADDING);
  const failed = t.rejects(input.message(text, false), { message: 'the service is stopping' });
  await input.close();
  await failed;
  t.match(await input.message(text, false), { message: { type: 'facts' }, refused: [] });
});
