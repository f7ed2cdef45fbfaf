// `host list --watch` and `host drain --wait` as real processes on a terminal, ended as people end them.
import { once } from 'node:events';
import { spawn } from 'node-pty';
import t from 'tap';
import { bin } from '../../bench/service.js';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { until } from '../harness/until.js';

const OPERATOR = 'the-operator-of-this-mill';

t.test('a watch on a terminal, here and from elsewhere, ends at Ctrl-C and leaves nothing', async (t) => {
  const h = await startHarness(t, { operatorToken: OPERATOR });
  const url = await h.server.listen({ port: 0, host: '127.0.0.1' });
  const host = await startBuildHost(h, { macs: 1 });
  await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } });
  await h.workers.idle();
  await host.start();
  for (const target of [
    ['--url', url],
    ['--data', h.data],
  ]) {
    for (const words of [
      ['host', 'list', '--watch'],
      ['host', 'drain', host.hostId, '--wait'],
    ]) {
      const title = [...words, ...target].join(' ');
      const terminal = spawn(process.execPath, [bin, 'admin', ...words, ...target], {
        cols: 100,
        rows: 10,
        cwd: h.data,
        env: { ...process.env, CIDERMILL_OPERATOR_TOKEN: OPERATOR },
      });
      let seen = '';
      terminal.onData((text) => {
        seen += text;
      });
      const ended = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) => {
        terminal.onExit(resolve);
      });
      const pages = () => seen.split(words.includes('list') ? '\x1b[H' : 'still runs').length - 1;
      await until(async () => pages() >= (words.includes('list') ? 2 : 1), title);
      terminal.write('\x03');
      const { exitCode, signal } = await ended;
      t.ok(signal === 2 || exitCode === 130, `${title}: ${exitCode} ${signal}`);
      t.notMatch(seen, /\bat .*:\d+:\d+|Error/, 'no stack trace');
      const lines = seen.split(/\r?\n/).map((line) => line.replace(/\x1b\[[HJK]/g, ''));
      t.ok(Math.max(...lines.map((line) => line.length)) <= 100, 'no line wraps');
      t.notMatch(seen, /\x1b\[\?/, 'the terminal has no mode that would have to be reset');
    }
  }
  t.equal((await h.hosts.get(host.hostId)).status, 'draining', 'the drain goes on');
});

t.test('a watch ends when its reader has gone', async (t) => {
  const h = await startHarness(t);
  const { spawn: start } = await import('node:child_process');
  const child = start(process.execPath, [bin, 'admin', 'host', 'list', '--watch', '--json', '--data', h.data]);
  const [line] = await once(child.stdout, 'data');
  t.match(JSON.parse(String(line)), { hosts: [], at: String });
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  t.equal(code, 0);
});
