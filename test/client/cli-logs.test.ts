// `cidermill logs` in its forms.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { bytesOf, runCli, startCli } from './run-cli.js';
import { setUp } from './scripted-place.js';
import { BIN } from './spawn-cli.js';

t.test('logs: whole, end, from an offset, followed, and cut short by its reader', async (t) => {
  const { service, place } = await setUp(t);
  const text = `${Array.from({ length: 30_000 }, (_, n) => `line ${n}`).join('\n')}\n`;
  service.onSubmit = (build) => build.append(text);
  await runCli(place, ['build', '--detach', '--script', 'x']);
  const id = 'rb_000001';
  t.equal((await runCli(place, ['logs', id])).stdout, text);
  t.equal((await runCli(place, ['logs', id, '--tail', '2'])).stdout, 'line 29998\nline 29999\n');
  t.equal((await runCli(place, ['logs', id, '--offset', String(text.length - 11)])).stdout, 'line 29999\n');
  t.match(JSON.parse((await runCli(place, ['logs', id, '--json'])).stdout), {
    build_id: id,
    offset: 0,
    next_offset: 262_144,
  });
  t.match(JSON.parse((await runCli(place, ['logs', id, '--json', '--tail', '1'])).stdout), {
    data: 'line 29999\n',
  });
  t.match(await runCli(place, ['logs', id, '--offset', '0', '--tail', '1']), { code: 64 });
  const following = startCli(place, ['logs', '-f', id]);
  const asJson = startCli(place, ['logs', '-f', id, '--json']);
  await following.until('stdout', 'line 29999\n');
  service.builds.get(id)?.append('the end\n');
  service.builds.get(id)?.finish({ status: 'failed', exit_code: 1 });
  t.match(await following.done, { code: 0, stdout: `${text}the end\n` });
  const segments = (await asJson.done).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.equal(segments.map(({ data }) => data).join(''), `${text}the end\n`);
  t.equal(segments.at(-1).eof, true);

  const odd = Buffer.from('line \xff\xfe \xe2\x82\nend \xe2', 'latin1');
  service.onSubmit = (build) => {
    build.append(odd);
    build.finish({ status: 'succeeded', exit_code: 0 });
  };
  const printed = (...args: string[]) => bytesOf(place, args);
  const whole = odd.toString('latin1');
  t.equal(await printed('build', '--script', 'x'), whole, 'bytes that are no UTF-8 pass as they are');
  for (const form of [[], ['-f'], ['--offset', '0'], ['--tail', '2']]) {
    t.equal(await printed('logs', 'rb_000002', ...form), whole, `logs ${form.join(' ')}`);
  }
  t.equal(await printed('logs', 'rb_000002', '--tail', '1'), whole.slice(whole.indexOf('\n') + 1));

  const pipe = `set -o pipefail; '${process.execPath}' '${BIN}' logs ${id} | head -1`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', pipe], { env: place.env });
  t.same({ stdout, stderr }, { stdout: 'line 0\n', stderr: '' }, 'and nobody complains');
});
