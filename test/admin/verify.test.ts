// `cidermill admin verify`: what it prints, and that it writes nothing.
import t, { type Test } from 'tap';
import { createProgram, runAdmin } from '../../control-plane/admin/cli.js';
import type { RunAlone } from '../../control-plane/admin/command.js';
import { printed } from '../../control-plane/admin/command.js';
import { printedBy } from '../harness/admin.js';
import { contentsOf } from '../harness/contents.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { submit } from '../harness/submitting.js';

const noService = () => Promise.reject(new Error('it asks a service'));

const damage = (h: Harness) => h.store.run('UPDATE builds SET event_sequence = 7');
const repair = (h: Harness) => h.store.run('UPDATE builds SET event_sequence = 1');

async function withBuild(t: Test) {
  const h = await startHarness(t, { receivers: true });
  // The command has the real time, the service of the test another one: nothing here may be due.
  const { id } = await submit(h, { queue_until_rental: true });
  await h.workers.idle();
  return { h, id, verify: (...more: string[]) => printedBy(['verify', '--data', h.data, ...more]) };
}

t.test('everything holds: exit code 0, and nothing is written', async (t) => {
  const { h, verify } = await withBuild(t);
  const before = await contentsOf(h);
  t.match(await verify(), {
    code: 0,
    out: /^ok +one_build_on_a_mac +At most one build runs on a Mac\.$[\s\S]*\neverything holds\n$/m,
  });
  const { code, out } = await verify('--json');
  const { checks } = JSON.parse(out);
  t.equal(code, 0);
  t.ok(checks.length >= 25);
  for (const one of checks) t.match(one, { name: /^[a-z_]+$/, holds: /^[A-Z].*\.$/, repair: /\S/, contradictions: [] });
  t.same(await contentsOf(h), before);
});

t.test('a contradiction is named with what mends it: exit code 1', async (t) => {
  const { h, id, verify } = await withBuild(t);
  await damage(h);
  const { code, out } = await verify();
  t.equal(code, 1);
  t.match(out, /^1 +event_numbers/m);
  t.ok(out.includes(`event_numbers: ${id}: 1 events, up to number 1; the build counts 7\n  to mend it: by hand`), out);
  const found = JSON.parse((await verify('--json')).out).checks.filter(
    ({ contradictions }: { contradictions: unknown[] }) => contradictions.length > 0,
  );
  t.match(found, [{ name: 'event_numbers', contradictions: [{ subject: id }] }]);
});

t.test('--watch prints what is new and what is gone', async (t) => {
  const { h, id } = await withBuild(t);
  const stopped = new Error('interrupted');
  const watch = async (asJson: boolean) => {
    let text = '';
    const between = [() => damage(h), async () => {}, () => repair(h)];
    const run: RunAlone = {
      asJson,
      show: (result) => {
        text += printed(result, asJson);
      },
      write: (more) => {
        text += more;
      },
      progress: () => {},
      note: (more) => t.comment(more),
      clock: h.clock,
      async pause(ms) {
        t.equal(ms, 60_000);
        const next = between.shift();
        if (!next) throw stopped;
        await next();
      },
    };
    const output = { write: () => {}, complain: () => {} };
    const program = createProgram(output, noService, async (_target, work) => void (await work(run)));
    await t.rejects(program.parseAsync(['verify', '--watch', '--data', h.data], { from: 'user' }), stopped);
    return text;
  };
  const lines = (await watch(false)).trim().split('\n');
  t.match(lines, [
    /^\S+Z \d+ checks, 0 contradictions; again every minute$/,
    new RegExp(`^\\S+Z new {3}event_numbers: ${id}: .*\\(to mend it: by hand`),
    new RegExp(`^\\S+Z gone {2}event_numbers: ${id}: `),
  ]);
  t.equal(lines.length, 3);
  const passes = (await watch(true))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.same(
    passes.map(({ checks }) => checks.flatMap((one: { contradictions: unknown[] }) => one.contradictions).length),
    [0, 1, 1, 0],
  );
});

t.test('what it cannot verify', async (t) => {
  t.match(await printedBy(['verify', '--data', '/nowhere']), { code: 66, err: /there is no database/ });
  const said: string[] = [];
  const output = { write: () => {}, complain: (text: string) => void said.push(text), readLine: async () => '' };
  t.equal(await runAdmin(['verify', '--url', 'http://127.0.0.1:1'], output), 64);
  t.match(said.join(''), /works on the machine of the service/);
});
