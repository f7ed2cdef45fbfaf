// `cidermill failure` and `cidermill logs` by line numbers, against the service itself.
// Runs in: soak
import t, { type Test } from 'tap';
import { submit, withMacs } from '../../harness/submitting.js';
import { runCli } from '../run-cli.js';
import { placeAt } from './place-at.js';

async function setUp(t: Test) {
  const { h, host } = await withMacs(t, 1, { limits: { log_page_bytes: 4_000, log_line_bytes: 2_000 } });
  const { id } = await submit(h);
  await host.start();
  const place = await placeAt(t, h, h.keys.read);
  return { host, id, run: (...args: string[]) => runCli(place, args) };
}

t.test('failure: the whole diagnosis, for people and as JSON', async (t) => {
  const { host, id, run } = await setUp(t);
  t.match(await run('failure', id), {
    code: 0,
    stdout: `${id} running\nnext: The build has not ended: wait for its end.\n\nThe log is empty.\n`,
  });
  const noise = Array.from({ length: 30 }, (_, i) => `step ${i + 1}\n`).join('');
  await host.output(id, `${noise}/w/App/Cart.swift:12:9: error: cannot \x1b[2Jfind 'totl'\n${noise}`);
  await host.finish(id, {
    exit_code: 65,
    reason_code: 'script_failed',
    fault: 'customer',
    work_folder: '/w',
    summary: 'The script ended with exit code 65.',
  });
  const { code, stdout, stderr } = await run('failure', id);
  t.same({ code, stderr }, { code: 0, stderr: '' });
  const steps = (line: number, first: number, count: number) =>
    Array.from({ length: count }, (_, i) => `  ${line + i} │ step ${first + i}`);
  t.same(stdout.split('\n'), [
    `${id} failed: compile_error (exit 65, fault customer, step script)`,
    "App/Cart.swift:12: cannot find 'totl'",
    '→ Fix the compile error at the location shown, then build again.',
    'next: Change the code or the script, then build again.',
    '',
    'in the log:',
    ...steps(26, 26, 5),
    "  31 │ /w/App/Cart.swift:12:9: error: cannot find 'totl'",
    ...steps(32, 1, 8),
    '',
    'the last lines, of 61:',
    ...steps(47, 16, 15),
    '',
    `log: cidermill logs ${id} --from-line 1`,
    '',
  ]);
  const report = JSON.parse((await run('failure', id, '--json')).stdout);
  t.match(report, { build_id: id, failure: { reason_code: 'compile_error' }, total_lines: 61 });
  t.match(await run('failure', 'rb_none'), { code: 64, stderr: /build_not_found/ });
});

t.test('logs by line, searched, and without colors', async (t) => {
  const { host, id, run } = await setUp(t);
  const lines = Array.from({ length: 1_000 }, (_, i) => `\x1b[3${i % 8}mline\x1b[0m ${i + 1}`);
  await host.output(id, `${lines.join('\n')}\n${'x'.repeat(3_000)}\n`);
  await host.finish(id);
  const text = async (...args: string[]) => (await run('logs', id, ...args)).stdout;
  t.equal(await text('--from-line', '999', '--lines', '2'), `${lines.slice(998).join('\n')}\n`);
  t.equal(await text('--lines', '500', '--no-ansi'), `${lines.slice(0, 500).map(plain).join('\n')}\n`, 'page by page');
  const cut = await run('logs', id, '--from-line', '1001');
  t.same(cut, { ...cut, code: 0, stdout: `${'x'.repeat(2_000)}\n` });
  t.match(cut.stderr, /^1 long line not shown whole/);
  t.equal(await text('--search', 'LINE 99', '--no-ansi', '--lines', '3'), '99:line 99\n990:line 990\n991:line 991\n');
  t.match(
    (await run('logs', id, '--search', 'line 9', '--lines', '3')).stderr,
    /^111 matching lines in all; continue with --from-line 92\b/,
  );
  t.match(await run('logs', id, '--search', 'nowhere'), {
    code: 0,
    stdout: '',
    stderr: /^0 matching lines in all\n/,
  });
  t.match(JSON.parse(await text('--search', 'line 1000', '--json')), {
    total_matches: 1,
    matches: [{ n: 1_000 }],
  });
  t.match(JSON.parse(await text('--from-line', '7', '--lines', '1', '--json')), { next_from_line: 8 });
  const all = `${lines.map(plain).join('\n')}\n${'x'.repeat(3_000)}\n`;
  for (const form of [[], ['-f'], ['--offset', '0'], ['--tail', '2000']]) {
    t.equal(await text('--no-ansi', ...form), all, `logs --no-ansi ${form.join(' ')}`);
  }
  for (const wrong of [
    ['--from-line', '0'],
    ['--search', ''],
    ['--from-line', '1', '-f'],
    ['--lines', '1', '--tail', '1'],
  ]) {
    t.match(await run('logs', id, ...wrong), { code: 64 }, wrong.join(' '));
  }
});

t.test('logs with the time of each line: whole, its end, by number, searched and followed', async (t) => {
  const { host, id, run } = await setUp(t);
  await host.output(id, '\x1b[1mone\x1b[0m\ntwo\n50% ');
  const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z';
  const printed = (...texts: string[]) => new RegExp(`^${texts.map((text) => `${time} ${text}\n`).join('')}$`);
  const logs = (...args: string[]) => run('logs', id, '--timestamps', '--no-ansi', ...args);
  const followed = logs('-f');
  const asJson = logs('-f', '--json');
  await host.output(id, '100%\nlast');
  await host.finish(id);
  t.match((await logs()).stdout, new RegExp(`^${time} one\n${time} two\n${time} 50% 100%\n${time} last$`));
  t.match((await logs('-f')).stdout, printed('one', 'two', '50% 100%', 'last'));
  t.match((await followed).stdout, printed('one', 'two', '50% 100%', 'last'));
  t.match((await logs('--tail', '2')).stdout, new RegExp(`^${time} 50% 100%\n${time} last$`));
  t.match((await logs('--from-line', '2', '--lines', '1')).stdout, printed('two'));
  t.match((await logs('--search', 'two')).stdout, new RegExp(`^2:${time} two\n$`));
  const pages = (await asJson).stdout
    .trim()
    .split('\n')
    .map((page) => JSON.parse(page));
  t.match(
    pages.flatMap(({ lines }) => lines),
    [{ n: 1, text: 'one', at: String }, { n: 2 }, { n: 3, text: '50% 100%' }, { n: 4, text: 'last' }],
  );
  t.match(await logs('--offset', '0'), { code: 64, stderr: /use --from-line/ });
  t.match(await logs('--json'), { code: 64 });
});

const plain = (line: string) => line.replace(/\x1b\[\d+m/g, '');
