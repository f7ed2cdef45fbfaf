import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { useMemoryFolder } from '../../tools/test/memory-folder.js';

t.test('temporary files of tests are in memory, where that is possible', async (t) => {
  if (process.platform !== 'linux') return t.pass('only Linux has such a folder');
  const memory = mkdtempSync(join(tmpdir(), 'cidermill-memory-'));
  t.teardown(() => rmSync(memory, { recursive: true }));
  const env: NodeJS.ProcessEnv = {};
  const remove = useMemoryFolder(env, memory);
  t.match(env.TMPDIR, `${memory}/cidermill-tests-`);
  t.ok(existsSync(env.TMPDIR ?? ''));
  remove();
  t.same(readdirSync(memory), []);

  const chosen: NodeJS.ProcessEnv = { TMPDIR: '/var/tmp' };
  useMemoryFolder(chosen, memory)();
  t.same([chosen.TMPDIR, readdirSync(memory)], ['/var/tmp', []], 'a folder that was chosen is used');
  const without: NodeJS.ProcessEnv = {};
  useMemoryFolder(without, join(memory, 'none'))();
  t.same(without, {});
});
