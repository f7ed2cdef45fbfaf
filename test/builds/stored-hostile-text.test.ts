// Hostile text that was stored before messages of hosts were checked is harmless to readers.
import { Readable } from 'node:stream';
import t from 'tap';
import { safeParts } from '../../client/artifacts/paths.js';
import { printable } from '../../client/cli/terminal.js';
import { printedJson } from '../../shared/clean-text.js';
import { printedBy } from '../harness/admin.js';
import { HIDDEN, hidden } from '../harness/hidden-text.js';
import { sha256 } from '../harness/sha256.js';
import { withMacs } from '../harness/submitting.js';

const everything = Object.values(hidden).join('');
/** Emoji in file names are joined by invisible characters, which are allowed there. */
const MISLEADING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const stringsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(stringsOf)
      : [];

t.test('hostile rows are cleaned or rejected when they are read', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } })).json();
  await h.workers.idle();
  await host.start();
  for (const name of ['a', 'b'])
    await h.artifacts.store(
      { buildId: id, attempt: 1, name, bytes: 1, sha256: sha256('x') },
      Readable.from([Buffer.from('x')]),
    );
  await host.finish(id, { exit_code: 1 });
  await h.store.transaction(async (tx) => {
    const text = `no${everything.replace(/[\ud800-\udfff](?![\udc00-\udfff])/g, '')}`;
    await tx.run('UPDATE files SET name = :name WHERE name = :a', { name: `../up${text}`, a: 'a' });
    await tx.run('UPDATE files SET name = :name WHERE name = :b', { name: '/etc/passwd', b: 'b' });
    const warnings = JSON.stringify(Array.from({ length: 5000 }, () => text));
    await tx.run('UPDATE builds SET warnings = :warnings', { warnings });
    await tx.run('UPDATE jobs SET message = :text', { text });
    await tx.run('UPDATE hosts SET name = :text, agent_version = :text', { text });
  });

  const files = (await h.callConsole('GET', '/v1/files?kind=artifact')).json().data;
  t.equal(files.length, 2);
  for (const { name, path } of files) {
    t.notMatch(`${name}${path}`, MISLEADING);
    t.equal(safeParts(path), null, 'saving the file rejects the path');
  }
  const report = (await h.call('GET', `/builds/${id}/failure`)).json();
  t.equal(report.artifacts.length, 2);
  t.notMatch(stringsOf(report.artifacts).join(), MISLEADING);
  const build = (await h.call('GET', `/builds/${id}`)).json();
  t.equal(build.warnings.length, 1000);
  t.notMatch(build.warnings.join(), HIDDEN);
  const jobs = (await h.call('GET', '/jobs')).json();
  t.notMatch(stringsOf(jobs).join(), HIDDEN);

  for (const argv of [
    ['host', 'list'],
    ['host', 'list', '--json'],
  ]) {
    const { code, out, err } = await printedBy([...argv, '--data', h.data]);
    t.equal(code, 0);
    t.match(out, 'no');
    t.notMatch(out + err, HIDDEN, argv.join(' '));
  }
});

t.test('JSON output of the command line keeps the value and cannot control a terminal', async (t) => {
  const value = { name: everything, list: ['ok', '❤\ufe0f', '\x9b31m', { '\u202e': 1 }] };
  for (const indent of [0, 2]) {
    const text = printedJson(value, indent);
    t.notMatch(text, HIDDEN);
    t.same(JSON.parse(text), value);
  }
  t.notMatch(printable(everything), HIDDEN);
});
