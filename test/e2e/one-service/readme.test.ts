// The first builds of README.md, run as they stand there.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { sharedService } from './shared-service.js';

const root = new URL('../../../../', import.meta.url).pathname;
const readme = readFileSync(`${root}README.md`, 'utf8');

t.test('one build succeeds, one fails and says why, and both are listed', async (t) => {
  const [, block = ''] = /## Your first builds[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  const lines = block.trim().split('\n');
  t.equal(lines.length, 3, block);
  const { env } = await sharedService();
  const [counted, failed, listed] = lines.map((line) =>
    spawnSync('sh', ['-c', line], { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  t.match(counted, { status: 0, stdout: /^ *\d+ operating\.md$/m });
  t.match(failed, { status: 2, stdout: /No rule to make target/, stderr: /make/ });
  t.match(listed, { status: 0, stdout: /failed[\s\S]*succeeded/ });
});
