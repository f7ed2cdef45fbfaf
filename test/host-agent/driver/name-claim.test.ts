// Two agents on one machine: neither deletes the other's virtual machines as its own leftovers.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { claimNames } from '../../../host-agent/driver/vm/name-claim.js';
import { createHostAgent } from '../../../host-agent/index.js';
import type { TartSpec } from './tart-rig.js';

const markOf = (dataDir: string) => join(dataDir, 'credential.json');

function agentIn(root: string, name: string): string {
  const dataDir = join(root, name);
  mkdirSync(dataDir, { recursive: true });
  const credential = { host_id: `host_${name}`, name, credential: 'cmh_x' };
  writeFileSync(markOf(dataDir), JSON.stringify(credential), { mode: 0o600 });
  return dataDir;
}

t.test('names belong to one agent until its data folder is gone', async (t) => {
  const root = t.testdir();
  const home = join(root, 'tart');
  const claim = (data_dir: string, name_prefix = 'cidermill-') =>
    claimNames({ kind: 'tart', home, data_dir, name_prefix } as TartSpec, markOf);
  const [a, b] = [agentIn(root, 'a'), agentIn(root, 'b')];
  t.equal(claim(a), null);
  t.equal(claim(a), null, 'again, after a restart');
  t.match(claim(b), /belong to the agent with the data folder .*\/a: .*tart\.name_prefix/);
  t.equal(claim(b, 'other-'), null, 'other names are free');
  rmSync(markOf(b));
  t.equal(claim(a, 'unused-'), null);
  rmSync(a, { recursive: true });
  const c = agentIn(root, 'c');
  t.equal(claim(c), null, 'its agent is gone for good');
  t.equal(claim(c, 'other-'), null, 'so is this one');
});

t.test('an agent refuses to start over the names of another', async (t) => {
  const root = t.testdir();
  const home = join(root, 'tart');
  const [a, b] = [agentIn(root, 'a'), agentIn(root, 'b')];
  const config = { control_plane: 'http://127.0.0.1:9', driver: 'tart', tart: { home, path: '/bin/false' } };
  for (const dataDir of [a, b]) {
    chmodSync(dataDir, 0o700);
    writeFileSync(join(dataDir, 'agent.json'), JSON.stringify(config));
  }
  const first = createHostAgent({ dataDir: a, overrides: { log_level: 'silent' } });
  await first.start();
  t.teardown(() => first.stop());
  const second = createHostAgent({ dataDir: b, overrides: { log_level: 'silent' } });
  await t.rejects(second.start(), { name: 'ConfigError', message: /name_prefix/ });
});
