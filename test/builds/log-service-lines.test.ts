// The service's own lines are marked in the index of a log: by the host that wrote them, and by the control plane.
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { BuildLogs } from '../../control-plane/builds/logs/build-logs.js';
import { withMacs } from '../harness/submitting.js';
import { openLogs } from './open-logs.js';

const logsIn = (root: string) => openLogs(root, { maxOpen: 1 });

/** Returns a function that tells whether the service wrote the line with a number. */
async function serviceLines(logs: BuildLogs, id: string): Promise<(line: number) => boolean> {
  const { length, lines } = await logs.size(id);
  const originOf = await logs.origins(id, 0, length);
  const own: boolean[] = [];
  for (let line = 1; line <= lines; line++) own.push(originOf((await logs.lineStart(id, line)).offset).isOwn);
  return (line) => own[line - 1] ?? false;
}

t.test('line numbers stay correct for any chunks, after a restart and after a cut', async (t) => {
  const root = t.testdir();
  let n = 0;
  const line = fc.record({ own: fc.boolean(), text: fc.constantFrom('a', 'b c', '', '[cidermill] x') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat(200), { maxLength: 6 }),
      fc.boolean(),
      fc.boolean(),
      async (lines, places, reopens, lies) => {
        const id = `rb_${++n}`;
        const own: { from: number; to: number }[] = [];
        let all = '';
        for (const { own: isOwn, text } of lines) {
          const from = all.length;
          all += `${text}\n`;
          if (isOwn) own.push({ from, to: all.length });
        }
        const bytes = Buffer.from(all);
        const cuts = [...new Set([0, ...places.filter((place) => place < bytes.length), bytes.length])];
        cuts.sort((a, b) => a - b);
        let logs = logsIn(root);
        // Every frame lists the range, as hosts do before they know how much of it the service has read.
        const wrong = lies ? [{ from: bytes.length, to: 2 ** 40 }] : [];
        for (const [i, to] of cuts.entries()) {
          if (i === 0) continue;
          await logs.append(id, cuts[i - 1] ?? 0, bytes.subarray(cuts[i - 1], to), [...own, ...wrong]);
          if (!reopens) continue;
          await logs.close();
          logs = logsIn(root);
        }
        const isOwn = await serviceLines(logs, id);
        const seen = lines.map((_, i) => isOwn(i + 1));
        await logs.finish(id, { from: 0, length: bytes.length, sha256: '0'.repeat(64) });
        const after = await serviceLines(logs, id);
        await logs.append(id, 0, bytes);
        await logs.close();
        return lines.every((one, i) => seen[i] === one.own) && lines.every((_, i) => !after(i + 1)) && !isOwn(999);
      },
    ),
    { numRuns: 100 },
  );
});

t.test('a process that is killed between a line and its mark leaves neither alone', async (t) => {
  const root = t.testdir();
  const script = 'a\nb';
  const own = '\n[cidermill] one\n[cidermill] two\n';
  const bytes = Buffer.from(`${script}${own}c\n`);
  const range = { from: script.length + 1, to: script.length + own.length };
  const isOwn = [false, false, true, true, false];
  for (let size = script.length; size <= bytes.length; size++) {
    const id = `rb_${100 + size}`;
    let logs = logsIn(root);
    await logs.append(id, 0, bytes.subarray(0, script.length));
    await logs.append(id, script.length, bytes.subarray(script.length), [range]);
    await logs.close();
    await truncate(join(root, id.slice(-2), `${id}.log`), size);
    logs = logsIn(root);
    const lines = bytes
      .toString('latin1', 0, size)
      .split('\n')
      .filter((text) => text !== '').length;
    const before = await serviceLines(logs, id);
    t.same(
      isOwn.map((_, n) => before(n + 1)),
      isOwn.map((one, n) => one && n < lines),
      `${size} bytes were written`,
    );
    await logs.append(id, size, bytes.subarray(size), [range]);
    const after = await serviceLines(logs, id);
    t.same(
      isOwn.map((_, n) => after(n + 1)),
      isOwn,
      `the rest after ${size} bytes`,
    );
    await logs.close();
  }
});

const noFull = existsSync('/dev/full') ? false : 'this system has no device that is always full';
t.test('a line whose mark cannot be stored is not stored', { skip: noFull }, async (t) => {
  const root = t.testdir();
  let logs = logsIn(root);
  await logs.append('rb_1', 0, Buffer.from('a\n'));
  await logs.close();
  const index = join(root, '_1', 'rb_1.log.index');
  rmSync(index);
  symlinkSync('/dev/full', index);
  logs = logsIn(root);
  const line = Buffer.from('[cidermill] x\n');
  await t.rejects(logs.append('rb_1', 2, line, [{ from: 2, to: 16 }]), { code: 'ENOSPC' });
  rmSync(index);
  t.match(await logs.size('rb_1'), { length: 2 }, 'so that the host sends both again');
  await logs.append('rb_1', 2, line, [{ from: 2, to: 16 }]);
  t.ok((await serviceLines(logs, 'rb_1'))(2));
  await logs.close();
});

t.test('lines and matches of a log have a source', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } })).json();
  await h.workers.idle();
  await host.start();
  const own = '[cidermill] checked out\n';
  const text = `${own}compiling\n[cidermill] stopped: cancelled\n`;
  const header = { build_id: id, attempt: 1, offset: 0, service: [[0, own.length]] as [number, number][] };
  await h.runs.output(host.hostId, header, Buffer.from(text));
  await h.runs.hostLost(host.hostId);
  const get = async (query: string) => (await h.call('GET', `/builds/${id}/log?${query}`)).json();
  t.match((await get('from_line=1')).lines, [
    { n: 1, text: '[cidermill] checked out', source: 'service' },
    { n: 2, text: 'compiling', source: undefined },
    { n: 3, text: '[cidermill] stopped: cancelled', source: undefined },
    { n: 4, text: /^\[cidermill\] The host of this build was lost/, source: 'service' },
  ]);
  const { matches } = await get('search=cidermill');
  t.same(
    matches.map(({ n, source }: { n: number; source?: string }) => [n, source]),
    [
      [1, 'service'],
      [3, undefined],
      [4, 'service'],
    ],
  );
  const report = (await h.call('GET', `/builds/${id}/failure`)).json();
  const shown = [...report.lines, ...report.tail].map(({ n, source }) => [n, source]);
  t.match(
    shown,
    [
      [1, 'service'],
      [2, undefined],
      [3, undefined],
      [4, 'service'],
    ],
    'the report has it too',
  );
});
