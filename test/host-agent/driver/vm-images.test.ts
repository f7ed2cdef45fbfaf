// Images on a host: fetched, resolved, inspected, and deleted when no tier names them.
// Runs in: soak
import t, { type Test } from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { MacDriver } from '../../../host-agent/driver/driver.js';
import type { VmTool } from '../../../host-agent/driver/vm/tool.js';
import type { DesiredImage, ImageFact } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { openTartHost, type TartHost } from '../../harness/vm/tart-host.js';
import { IMAGE, tartRig, untilHost, vmsOf } from './tart-rig.js';

const OTHER = 'ghcr.io/acme/macos:27';
const wanted = (image: string, given: Partial<DesiredImage> = {}): DesiredImage => ({
  image,
  digest: null,
  pull: true,
  ...given,
});
const cached = async (host: TartHost) => {
  const { stdout } = await host.tart('list', '--source', 'oci', '--quiet');
  return stdout.split('\n').filter((line) => line !== '');
};

function watched(t: Test, driver: MacDriver): { facts: ImageFact[][] } {
  const seen: ImageFact[][] = [];
  const asked: Promise<unknown>[] = [];
  const watch = driver.watch({
    macs() {},
    inventory() {},
    images: () => void asked.push(driver.imageFacts().then((facts) => seen.push(facts))),
  });
  t.teardown(async () => {
    await watch.close();
    await Promise.allSettled(asked);
  });
  return { facts: seen };
}
const fact = async (driver: MacDriver, image = IMAGE) => (await driver.imageFacts()).find((one) => one.image === image);

t.test('an image is fetched with progress, resolved once, inspected, and deleted when no tier names it', async (t) => {
  const host = await openTartHost(t, {
    images: { [IMAGE]: {}, [OTHER]: {} },
    faults: { 'pull-ms': '600' },
  });
  const rig = tartRig(host);
  const driver = rig.open();
  const { facts } = watched(t, driver);
  t.same(await driver.imageFacts(), []);
  await host.tart('pull', OTHER);
  driver.wantImages([wanted(IMAGE, { pull: false }), wanted(OTHER, { pull: false })]);
  t.match(await fact(driver), { state: 'absent', digest: null, offers: null });
  driver.wantImages([wanted(IMAGE)]);
  await untilHost(async () => (await fact(driver))?.state === 'ready', 'fetched');
  const digest = host.digests[IMAGE] ?? '';
  t.match(await fact(driver), { digest, percent: null, error: null });
  t.ok((await fact(driver))?.bytes);
  const percents = facts.flat().flatMap((one) => (one.state === 'pulling' ? [one.percent ?? 0] : []));
  t.ok(new Set(percents).size > 1, `progress: ${percents}`);

  const moved = host.addImage(IMAGE);
  t.not(moved, digest);
  driver.wantImages([wanted(IMAGE, { digest })]);
  t.match(await fact(driver), { state: 'ready', digest }, 'what was recorded stays');
  await untilHost(async () => (await fact(driver))?.offers !== null, 'inspected without a Mac being rented');
  t.match((await fact(driver))?.offers, { macos: /^\d+/, xcodes: [{ version: /\d/ }] });
  await untilHost(() => vmsOf(host).length === 0, 'and no virtual machine stays');

  driver.wantImages([wanted(IMAGE)]);
  await untilHost(async () => (await fact(driver))?.digest === moved, 'a new request resolves the tag again');
  driver.wantImages([wanted(IMAGE, { digest: moved, pull: false })]);
  await untilHost(async () => !(await cached(host)).some((ref) => ref.endsWith(digest)), 'the old one is deleted');
  t.ok((await cached(host)).some((ref) => ref.endsWith(moved)));
  driver.wantImages([]);
  await untilHost(async () => !(await cached(host)).some((ref) => ref.includes(':26') || ref.endsWith(moved)), 'all');
  t.ok((await cached(host)).includes(OTHER), 'what an operator has fetched is never deleted');
});

t.test('a failed fetch reports the reason and is retried when it is requested again', async (t) => {
  const host = await openTartHost(t, { faults: { 'pull-breaks': '40' } });
  const rig = tartRig(host);
  const driver = rig.open();
  watched(t, driver);
  driver.wantImages([wanted(IMAGE), wanted('ghcr.io/acme/none:1'), wanted('no-registry')]);
  for (const [image, error] of [
    [IMAGE, /tart pull/],
    ['ghcr.io/acme/none:1', /404/],
    ['no-registry', /.+/],
  ] as const) {
    await untilHost(async () => (await fact(driver, image))?.state === 'failed', `${image} fails`);
    t.match(await fact(driver, image), { error, error_message: { text: error }, digest: null });
  }
  t.equal((await driver.inventory()).blocked, null, 'the host itself is well');
  host.mend('pull-breaks');
  driver.wantImages([wanted(IMAGE, { pull: false })]);
  driver.wantImages([wanted(IMAGE)]);
  await untilHost(async () => (await fact(driver))?.state === 'ready', 'fetched');
});

t.test('an unusable image is refused with the reason and not retried', async (t) => {
  const host = await openTartHost(t, { images: { [IMAGE]: { macos: { version: 'none', build: '1' } } } });
  const driver = tartRig(host).open();
  const digest = host.digests[IMAGE] ?? null;
  driver.wantImages([wanted(IMAGE, { digest, pull: false })]);
  const want = desiredMac({ slot_id: 's1', image: IMAGE, image_digest: digest });
  const bring = () => createMacChanges(driver).bring(want, () => {});
  await t.rejects(bring(), { name: 'UnusableImageError', message: /macOS/ });
  await t.rejects(bring(), { name: 'NotInstalledError', message: /macos:26 cannot be used: .*macOS/ });
  t.match(await fact(driver), { state: 'ready', error: /macOS/, offers: null });
  t.same(await host.running(), []);
});

t.test('a driver that is closed waits for what was asked, and begins nothing more', async (t) => {
  const host = await openTartHost(t);
  const rig = tartRig(host);
  let answer: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const pulls: string[] = [];
  const tool: VmTool = {
    ...rig.tool,
    images: async () => {
      await asked;
      return [];
    },
    pull: async ({ ref }) => {
      pulls.push(ref);
      return { digest: host.digests[ref] ?? '' };
    },
  };
  const driver = rig.open({ tool });
  let changes = 0;
  const changed = () => void changes++;
  const watch = driver.watch({ macs: changed, images: changed, inventory: changed });
  driver.wantImages([wanted(IMAGE, { digest: host.digests[IMAGE] ?? null })]);
  let closed = false;
  const closing = watch.close().then(() => {
    closed = true;
  });
  const before = changes;
  await host.tart('list');
  t.notOk(closed, 'the tool has not answered yet');
  answer();
  await closing;
  t.same(pulls, []);
  t.equal(changes, before, 'nobody is told of changes any more');
});

t.test('a tier without an image is refused at once', async (t) => {
  const host = await openTartHost(t);
  const want = desiredMac({ slot_id: 's1', image: null });
  const refused = createMacChanges(tartRig(host).open()).bring(want, () => {});
  await t.rejects(refused, { name: 'NotInstalledError', message: /--image/ });
});
