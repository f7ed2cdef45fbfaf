// OpenStack Swift with its S3 interface, on one machine: a real store that many operators have, and one of the strictest.
// Requires: swift-proxy-server
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { createRequests } from '../../control-plane/platform/blobs/s3/requests.js';
import { systemClock } from '../../shared/clock.js';
import { freePort } from './free-port.js';
import { until } from './until.js';

/** Debian's: its modules are not those of another Python in PATH. */
const PYTHON = '/usr/bin/python3';
/** Smallest part of an upload. */
export const SWIFT_PART = 64 * 1024;

/** The servers read swift.conf in /etc, wherever their own configuration is. */
const RUN = `
import sys
from swift.common import utils
utils.SWIFT_CONF_FILE = sys.argv[3]
from swift.common.wsgi import run_wsgi
sys.exit(run_wsgi(sys.argv[1], sys.argv[2]))
`;

/** Writes the ring of each server: the name of its file, and the port. */
const RINGS = `
import sys
from swift.common.ring import RingBuilder
for name, port in zip(sys.argv[1::2], sys.argv[2::2]):
    builder = RingBuilder(4, 1, 1)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'd1', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save(name)
`;

const storage = ['object', 'container', 'account'] as const;

const filters: Readonly<Record<string, readonly string[]>> = {
  catch_errors: ['use = egg:swift#catch_errors'],
  gatekeeper: ['use = egg:swift#gatekeeper'],
  'proxy-logging': ['use = egg:swift#proxy_logging'],
  // Nothing listens there: every request asks the servers.
  cache: ['use = egg:swift#memcache', 'memcache_servers = 127.0.0.1:9'],
  bulk: ['use = egg:swift#bulk'],
  s3api: ['use = egg:swift#s3api', 'location = us-east-1', `min_segment_size = ${SWIFT_PART}`],
  tempauth: ['use = egg:swift#tempauth', 'user_test_tester = testing .admin'],
  copy: ['use = egg:swift#copy'],
  slo: ['use = egg:swift#slo', 'minimum_segment_size = 1'],
  dlo: ['use = egg:swift#dlo'],
  versioned_writes: ['use = egg:swift#versioned_writes'],
};

/** Starts a store with an empty bucket, and stops it after the test. */
export async function startSwift(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'swift-'));
  const etc = join(folder, 'etc');
  mkdirSync(join(folder, 'disks', 'd1'), { recursive: true });
  mkdirSync(etc);
  const write = (name: string, lines: readonly string[]) => writeFileSync(join(etc, name), `${lines.join('\n')}\n`);
  const common = (port: number) => [
    '[DEFAULT]',
    'bind_ip = 127.0.0.1',
    `bind_port = ${port}`,
    'workers = 0',
    `user = ${userInfo().username}`,
    `swift_dir = ${etc}`,
  ];
  write('swift.conf', ['[swift-hash]', 'swift_hash_path_suffix = tests']);
  write('run.py', [RUN]);
  const rings: string[] = [];
  for (const kind of storage) {
    const port = await freePort();
    rings.push(join(etc, `${kind}.ring.gz`), String(port));
    const own = ['[pipeline:main]', `pipeline = ${kind}-server`, `[app:${kind}-server]`, `use = egg:swift#${kind}`];
    write(`${kind}.conf`, [...common(port), `devices = ${join(folder, 'disks')}`, 'mount_check = false', ...own]);
  }
  execFileSync(PYTHON, ['-c', RINGS, ...rings], { stdio: 'pipe' });
  const port = await freePort();
  write('proxy.conf', [
    ...common(port),
    '[pipeline:main]',
    `pipeline = ${Object.keys(filters).join(' ')} proxy-server`,
    '[app:proxy-server]',
    'use = egg:swift#proxy',
    'account_autocreate = true',
    ...Object.entries(filters).flatMap(([name, lines]) => [`[filter:${name}]`, ...lines]),
  ]);

  const servers = [...storage, 'proxy'].map((kind) => {
    const log = openSync(join(folder, `${kind}.log`), 'w');
    const words = [join(etc, 'run.py'), join(etc, `${kind}.conf`), `${kind}-server`, join(etc, 'swift.conf')];
    return spawn(PYTHON, words, { stdio: ['ignore', log, log] });
  });
  t.teardown(async () => {
    for (const server of servers) {
      if (server.exitCode !== null || server.signalCode !== null) continue;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const place = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'mill-objects',
    region: 'us-east-1',
    accessKeyId: 'test:tester',
    secretAccessKey: 'testing',
    pathStyle: true,
  };
  const requests = createRequests({ ...place, prefix: '' }, systemClock);
  t.teardown(() => requests.close());
  await until(
    async () => {
      const ended = servers.findIndex((server) => server.exitCode !== null);
      if (ended >= 0)
        throw new Error(readFileSync(join(folder, `${[...storage, 'proxy'][ended]}.log`), 'utf8').slice(-4_000));
      return requests.call({ method: 'PUT', key: null }).then(
        () => true,
        () => false,
      );
    },
    'Swift has made a bucket',
    120_000,
  );
  return place;
}
