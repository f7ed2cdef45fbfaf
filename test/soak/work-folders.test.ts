// One Mac, two projects, and builds that damage their Mac: the next build works, and the queue continues.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { startService } from '../../bench/service.js';
import { cidermill, ownLines } from '../harness/cli.js';
import { everyNth } from '../harness/soak.js';

t.test('builds that damage their Mac do not affect later builds', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-folders-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const service = await startService({}, ['--macs', '1', '--free', '0']);
  t.teardown(() => service.stop());
  const build = async (project: 'one' | 'two', script: string, ...more: string[]) => {
    const folder = join(root, project);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${project}.txt`), 'sent\n');
    return cidermill(service.env, folder, 'build', '--script', script, ...more);
  };
  const printed = async (project: 'one' | 'two', script: string, ...more: string[]) => {
    const ran = await build(project, script, ...more);
    t.equal(ran.code, 0, `${script}: ${ran.stdout}${ran.stderr}`);
    return ownLines(ran.stdout).trimEnd().split('\n');
  };

  const [one] = await printed('one', 'pwd; touch product');
  const [two] = await printed('two', 'pwd; touch product');
  t.not(one, two);
  t.same(await printed('one', 'pwd; ls -A1'), [one, 'one.txt', 'product'], 'the other project emptied nothing');
  t.same(await printed('one', 'ls -A1', '--clean'), ['one.txt']);
  t.same(await printed('two', 'pwd; ls -A1'), [two, 'product', 'two.txt'], 'and neither did its clean tree');

  const outside = join(root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept'), 'kept');
  // The default run takes the first and the fourth; the repair itself has all of them in `host-agent/daemon/`.
  const deeds = [
    `rm -rf "$PWD" "$HOME"; ln -s '${outside}' "$PWD"; ln -s '${outside}' "$HOME"`,
    'rm -rf "$PWD" "$HOME" "$TMPDIR" "$XDG_CACHE_HOME"',
    'D=$(cd ../..; pwd); rm -rf "$D/state" "$D/mac.json"; mkdir "$D/mac.json"',
    `D=$(cd ../..; pwd); cd /; rm -rf "$D"; ln -s '${outside}' "$D"`,
    'D=$(cd ../..; pwd); chmod -R 0 "$D"; rm -rf "$D/work"; echo >"$D/work"',
  ];
  for (const deed of everyNth(3, deeds)) {
    await build('one', deed);
    const use = 'touch "$HOME/x" "$TMPDIR/x" "$XDG_CACHE_HOME/x"; cat *.txt; pwd';
    t.same(await printed('one', use), ['sent', one], deed);
    t.same(await printed('two', use), ['sent', two], deed);
    t.equal(readFileSync(join(outside, 'kept'), 'utf8'), 'kept');
  }
});
