// A build's log by line numbers, and searched.
// Runs in: soak
import t from 'tap';
import { createBuildLogLines } from '../../control-plane/builds/app/build-log-lines.js';
import type { BuildLogs } from '../../control-plane/builds/logs/build-logs.js';
import { gate } from '../harness/gate.js';
import { startHarness } from '../harness/harness.js';
import { until } from '../harness/until.js';
import { runningBuild } from './running-build.js';

t.test('lines by number: pages add up to the log; the end and beyond', async (t) => {
  const { host, id, json } = await runningBuild(t);
  t.same(await json('?from_line=1'), { from_line: 1, lines: [], total_lines: 0, next_from_line: null });
  const text = Array.from({ length: 2_500 }, (_, i) => `line ${i + 1}${i % 3 ? '' : '\r'}\n`).join('');
  await host.output(id, text);
  const first = await json('?from_line=1');
  t.equal(first.lines.length, 1_000, 'a thousand by default');
  t.same(first.lines[0], { n: 1, text: 'line 1' }, 'without its line end');
  t.match(first, { from_line: 1, total_lines: 2_500, next_from_line: 1_001 });
  t.equal((await json('?lines=10000')).lines.length, 2_500);
  t.same(await json('?from_line=2499&lines=2'), {
    from_line: 2_499,
    lines: [
      { n: 2_499, text: 'line 2499' },
      { n: 2_500, text: 'line 2500' },
    ],
    total_lines: 2_500,
    next_from_line: null,
  });
  t.match(await json('?from_line=2501'), { lines: [], next_from_line: null });
  t.match(await json('?from_line=9007199254740991'), { lines: [], next_from_line: null });
});

t.test('the last line: open while the build runs, complete when it has ended; invalid UTF-8', async (t) => {
  const { host, id, json } = await runningBuild(t);
  await host.output(id, Buffer.concat([Buffer.from('one\n50% '), Buffer.from([0xe2, 0x82])]));
  t.same((await json('?from_line=2')).lines, [{ n: 2, text: '50% ', open: true }]);
  await host.output(id, Buffer.concat([Buffer.from([0xac, 0xff]), Buffer.from('100%')]));
  await host.finish(id);
  const page = await json('?from_line=2');
  t.same(page.lines, [{ n: 2, text: '50% €\ufffd100%' }]);
  t.equal(page.total_lines, 2);
});

t.test('long lines are truncated and marked, long pages end early', async (t) => {
  const { host, id, json } = await runningBuild(t, { log_line_bytes: 100, log_page_bytes: 250 });
  await host.output(id, `${'é'.repeat(60)}\n${'x'.repeat(100)}\r\n${'y'.repeat(700_000)}\nend\n`);
  const page = await json('?from_line=1');
  t.match(page, {
    lines: [
      { n: 1, text: 'é'.repeat(50), cut: true },
      { n: 2, text: 'x'.repeat(100) },
      { n: 3, text: 'y'.repeat(100), cut: true },
    ],
    next_from_line: 4,
  });
  t.equal(page.lines.length, 3);
  t.equal(page.lines[1].cut, undefined);
  t.match(await json('?from_line=4'), { lines: [{ n: 4, text: 'end' }], next_from_line: null });
});

t.test('lines of a truncated and resent log are numbered as stored', async (t) => {
  const { h, host, id, json } = await runningBuild(t);
  const lines = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${word} ${i + 1}\n`).join('');
  await host.output(id, lines(30_000, 'lost'));
  const kept = Buffer.from(`${lines(20_000, 'kept')}[cidermill] 12 bytes left out\nend\n`);
  const { createHash } = await import('node:crypto');
  const log = {
    bytes: kept.length,
    sha256: createHash('sha256').update(kept).digest('hex'),
    omitted_bytes: 12,
    possibly_truncated: false,
  };
  t.equal(await host.finish(id, { log }), 0, 'the host is asked for the log again');
  const header = { build_id: id, attempt: 1, offset: 0 };
  await h.runs.output(host.hostId, header, kept);
  t.equal(await host.finish(id, { log }), null);
  t.match(await json('?from_line=20000&lines=3'), {
    lines: [
      { n: 20_000, text: 'kept 20000' },
      { n: 20_001, text: '[cidermill] 12 bytes left out' },
      { n: 20_002, text: 'end' },
    ],
    total_lines: 20_002,
    next_from_line: null,
  });
  t.match(await json('?search=lost'), { matches: [], total_matches: 0 });
});

t.test('a search is literal, ignores case and ignores colors', async (t) => {
  const { host, id, json } = await runningBuild(t);
  await host.output(id, 'ok\nError: a.b\n\x1b[31merr\x1b[1mor:\x1b[0m a.b\naxb\nerror: last');
  t.same(await json('?search=ERROR:%20a.b'), {
    matches: [
      { n: 2, text: 'Error: a.b' },
      { n: 3, text: '\x1b[31merr\x1b[1mor:\x1b[0m a.b' },
    ],
    total_matches: 2,
    matches_before: 0,
    next_from_line: null,
  });
  t.same((await json('?search=error&from_line=3&ansi=strip&lines=1')).matches, [{ n: 3, text: 'error: a.b' }]);
  t.match(await json('?search=error&lines=2'), { total_matches: 3, next_from_line: 5 });
  t.match(await json('?search=error&from_line=5'), {
    matches: [{ n: 5 }],
    total_matches: 3,
    matches_before: 2,
    next_from_line: null,
  });
  t.match(await json('?search=%5B31m'), { total_matches: 0 }, 'colors themselves are not found');
});

t.test('searches take turns, and only the first part of a long line is read', async (t) => {
  for (const log_searches of [0, 1]) {
    const { host, id, json } = await runningBuild(t, { log_searches, log_line_bytes: 100 });
    await host.output(id, `${'x'.repeat(900_000)}\nend\n`);
    const found = await Promise.all(['end', 'x', 'none'].map((text) => json(`?search=${text}`)));
    t.same(
      found.map(({ total_matches }) => total_matches),
      [1, 1, 0],
    );
    t.same(await json('?from_line=1&lines=1'), {
      from_line: 1,
      lines: [{ n: 1, text: 'x'.repeat(100), cut: true }],
      total_lines: 2,
      next_from_line: 2,
    });
  }
});

t.test('searches of one account do not make those of another wait', async (t) => {
  const h = await startHarness(t, { limits: { log_searches: 1 } });
  const submit = async (key: string) => {
    const body = { script: 'make', repo: 'apple/swift', queue_until_rental: true };
    return (await h.call('POST', '/builds', { key, body })).json().id as string;
  };
  const [loud, quiet] = [await submit(h.keys.all), await submit(h.other.key)];
  const { open: release, opened: released } = gate();
  const opened: string[] = [];
  const logs = {
    async *stream(buildId: string) {
      opened.push(buildId);
      if (buildId === loud) await released;
      yield Buffer.from('error\n');
    },
    origins: async () => () => ({ at: null, isOwn: false }),
  } as unknown as BuildLogs;
  const lines = createBuildLogLines({ ...h, realClock: h.clock, logs });
  const search = (accountId: number, buildId: string) =>
    lines.search({
      scope: { accountId, workspaceIds: null },
      buildId,
      text: 'error',
      fromLine: 1,
      lines: 10,
      signal: new AbortController().signal,
      step: () => Promise.resolve(),
    });
  const held = [1, 2, 3].map(() => search(h.org.id, loud));
  await until(() => opened.length === 1, 'the first has begun');
  t.equal((await search(h.other.id, quiet)).matches.length, 1);
  t.same(opened, [loud, quiet], 'the others of the account wait');
  release();
  t.equal((await Promise.all(held)).length, 3);
});

t.test('text without colors, also when followed', async (t) => {
  const { host, id, log } = await runningBuild(t);
  await host.output(id, '\x1b[1mbold\x1b[0m \x1b');
  await host.output(id, '[31mred\x1b]0;title\x07\n');
  await host.finish(id);
  t.equal((await log('?format=text&ansi=strip')).body, 'bold red\n');
  t.equal((await log('?format=text&ansi=strip&wait=60&offset=0')).body, 'bold red\n');
  t.equal((await log('?tail=1&ansi=strip')).body, 'bold red\n');
  t.equal((await log('?format=text')).body, '\x1b[1mbold\x1b[0m \x1b[31mred\x1b]0;title\x07\n');
});

t.test('what is refused', async (t) => {
  const { h, log } = await runningBuild(t);
  for (const query of [
    'from_line=0',
    'from_line=-1',
    'from_line=x',
    'from_line=',
    'lines=0',
    'lines=10001',
    'search=',
    'search=a%0Ab',
    'search=%00',
    'search=%1b%5B31m',
    `search=${'x'.repeat(201)}`,
    'search=x&lines=1001',
    'from_line=1&tail=1',
    'from_line=1&offset=0',
    'from_line=1&format=text',
    'search=x&wait=1',
    'search=x&tail=1',
    'offset=0&ansi=strip',
    'ansi=keep',
    'from_line=1&from_line=2',
  ]) {
    const answer = await log(`?${query}`);
    t.equal(answer.statusCode, 400, query);
    t.equal(answer.json().error.code, 'invalid_query', query);
  }
  for (const query of ['from_line=1', 'search=x']) {
    const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'a/b' } })).json();
    const foreign = await h.call('GET', `/builds/${id}/log?${query}`, { key: h.other.key });
    t.equal(foreign.statusCode, 404, 'a build of another account');
  }
  t.equal((await log(`?search=${'%F0%9F%8D%8E'.repeat(200)}`)).statusCode, 200, 'characters, not units');
});
