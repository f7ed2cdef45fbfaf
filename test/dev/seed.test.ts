import t from 'tap';
import { openSeedData } from '../../control-plane/dev/data.js';
import { parseDevOptions } from '../../control-plane/dev/options.js';
import { hostIsConnected } from '../../control-plane/dev/ready.js';
import { DEV_TIER, describeTier, seedTier, sizeOfVms } from '../../control-plane/dev/seed.js';
import { printWaiting } from '../../control-plane/dev/waiting.js';
import type { Host } from '../../control-plane/hosts/domain/host.js';
import type { ImageOfTier } from '../../control-plane/macs/app/image-pulls.js';
import { systemClock } from '../../shared/clock.js';
import type { Inventory } from '../../shared/protocol/index.js';

const inventory = (...versions: string[]): Inventory => ({
  hostname: 'mini',
  os: 'Darwin 25.0.0',
  arch: 'arm64',
  cpu_cores: 10,
  driver: 'local' as const,
  memory_bytes: 16 * 2 ** 30,
  disk_free_bytes: 2 ** 38,
  xcodes: versions.map((version) => ({ version, build: null, developer_dir: `/Applications/${version}` })),
});

t.test('the tier of cidermill dev describes the machine, with every Xcode found', async (t) => {
  const data = await openSeedData(t.testdir());
  t.teardown(() => data.close());
  await seedTier(data, null);
  const tier = async () => (await data.tiers.list()).find((one) => one.tier === DEV_TIER);
  await describeTier(data, inventory('26.1', '16.4'));
  t.match(await tier(), {
    spec: { chip: 'arm64', cpu_cores: 10, memory_gb: 16 },
    xcodeVersions: ['16.4', '26.1'],
    defaultXcode: '26.1',
  });
  await data.tiers.edit(DEV_TIER, { spec: { chip: 'M4' }, defaultXcode: '16.4' });
  await describeTier(data, inventory('26.1', '26.2'));
  t.match(await tier(), {
    spec: { chip: 'M4', cpu_cores: 10 },
    xcodeVersions: ['16.4', '26.1', '26.2'],
    defaultXcode: '16.4',
  });
});

t.test(
  'the tier is described by the inventory of the current connection of the host, not of an earlier one',
  async (t) => {
    const before = inventory('16.4');
    const now = inventory('16.4', '26.1');
    const answers = [
      { connected: false, inventory: before },
      { connected: false, inventory: before },
      { connected: true, inventory: now },
    ];
    let asked = 0;
    const hosts = {
      get: async () => {
        const answer = answers[asked++];
        if (!answer) throw new Error('asked too often');
        return answer as unknown as Host;
      },
    };
    t.equal(await hostIsConnected(hosts, 'host_1', systemClock), now);
    t.equal(asked, 3);
  },
);

t.test('with an image, Macs are virtual machines of half this machine', async (t) => {
  const data = await openSeedData(t.testdir());
  t.teardown(() => data.close());
  const tier = async () => (await data.tiers.list()).find((one) => one.tier === DEV_TIER);
  await seedTier(data, 'ghcr.io/acme/macos:1');
  t.match(await tier(), { image: 'ghcr.io/acme/macos:1', spec: { cpu_cores: /^\d+$/, memory_gb: /^\d+$/ } });
  await seedTier(data, 'ghcr.io/acme/macos:2');
  t.match(await tier(), { image: 'ghcr.io/acme/macos:2' }, 'another start with another image');
  const sizes = [
    [8, 16, { cpu_cores: 4, memory_gb: 6 }],
    [14, 64, { cpu_cores: 7, memory_gb: 25 }],
    [2, 8, { cpu_cores: 4, memory_gb: 4 }],
  ] as const;
  for (const [cores, gb, size] of sizes) t.same(sizeOfVms(cores, gb * 2 ** 30), size);
});

t.test('flags of cidermill dev', async (t) => {
  t.match(parseDevOptions([]), { driver: 'local', image: null, macs: 2, free: 2 });
  const { image } = parseDevOptions(['--driver', 'tart']);
  t.match(image, /^ghcr\.io\//, 'an image that tart can pull');
  t.match(parseDevOptions(['--driver', 'tart', '--macs', '2', '--free', '0']), { macs: 2, free: 0 });
  const lume = ['--driver', 'lume', '--image', 'macos-sequoia-vanilla:latest'];
  t.match(parseDevOptions(lume), { driver: 'lume', image: lume[3], macs: 1, free: 1 });
  for (const refused of [
    ['--image', 'a:1'],
    ['--driver', 'lume'],
    ['--driver', 'vmware'],
    ['--driver', 'tart', '--image', ''],
  ]) {
    t.throws(() => parseDevOptions(refused), { name: 'CommanderError' }, refused.join(' '));
  }
});

t.test('the lines printed while virtual machines are created', async (t) => {
  const on = (image: object | null, blocked: object | null = null) =>
    ({
      tier: { image: 'ghcr.io/acme/macos:26' },
      hosts: [{ host: { inventory: { blocked } }, image }],
    }) as unknown as ImageOfTier;
  const states = [
    on(null),
    on({ state: 'pulling', percent: 3 }),
    on({ state: 'pulling', percent: 3 }),
    on({ state: 'failed', error: 'no such image' }),
    on({ state: 'ready' }, { code: 'keychain_locked', message: 'the keychain is locked' }),
    on({ state: 'ready' }),
  ];
  const lines: string[] = [];
  let at = 0;
  const print = printWaiting({ show: async () => states[at++] as ImageOfTier }, (line) => lines.push(line));
  for (const _ of states) await print();
  t.same(lines, [
    'creating the virtual machines',
    'fetching ghcr.io/acme/macos:26: 3 %',
    'ghcr.io/acme/macos:26 cannot be fetched: no such image',
    'this host cannot create Macs now: the keychain is locked',
    'creating the virtual machines',
  ]);
});
