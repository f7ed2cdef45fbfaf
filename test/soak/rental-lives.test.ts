// Whole lives of rentals in virtual machines: rented, built on, reset, given another Xcode, extended, ended; with every part
// real but tart, whose stand-in runs real guests.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { type Service, startService } from '../../bench/service.js';
import { cidermill, ownLines } from '../harness/cli.js';
import { until } from '../harness/until.js';
import { tartDataFolder } from '../harness/vm/tart-data.js';
import { openTartHost } from '../harness/vm/tart-host.js';

const IMAGE = 'ghcr.io/acme/macos:26';
const DAY = 24 * 3_600_000;

interface Rental {
  readonly rental_id: string;
  readonly state: string;
  readonly ends_at: string;
}

/** Agrees and pays as the owner of the account does on the pay page. */
async function pay(service: Service, order: string): Promise<void> {
  const post = async (path: string, body: object, cookie = '') => {
    const answer = await fetch(service.runner_url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.site_url, cookie },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const { email, password } = service;
  const [cookie = ''] = (await post('/v1/session', { email, password })).headers.getSetCookie();
  const consents = { terms: true, withdrawal: true };
  await post(`/v1/organizations/${service.org_id}/orders/${order}/pay`, { consents }, cookie.split(';')[0]);
}

/** Returns those of these virtual machines whose disk is still there. */
const vmsOfRecord = (names: readonly string[], home: string) =>
  names.filter((name) => existsSync(join(home, 'vms', name)));

t.test('a Mac is rented, used for builds, reset, switched to another Xcode, extended and ended', async (t) => {
  const mac = await openTartHost(t, { images: { [IMAGE]: {} } });
  const service = await startService(
    { PATH: mac.env.PATH, TART_HOME: mac.home },
    ['--driver', 'tart', '--image', IMAGE, '--macs', '0', '--free', '2', '--test-clock'],
    tartDataFolder(),
  );
  const app = mkdtempSync(join(tmpdir(), 'cidermill-app-'));
  t.teardown(async () => {
    await service.stop();
    rmSync(app, { recursive: true, force: true });
  });
  writeFileSync(join(app, 'edited.txt'), 'one\n');
  writeFileSync(join(app, 'kept.txt'), 'kept\n');
  const run = async (...args: string[]) => {
    const ran = await cidermill(service.env, app, ...args);
    if (ran.code !== 0) throw new Error(`${args.join(' ')}: ${ran.code} ${ran.stdout}${ran.stderr}`);
    return ran.stdout;
  };
  const build = async (script: string, ...args: string[]) => ownLines(await run('build', '--script', script, ...args));
  const json = async (...args: string[]) => JSON.parse(await run('--json', ...args));
  const ours = async () => (await mac.running()).filter((name) => name.startsWith('cidermill-'));

  // Rent.
  const order = (await run('rent', '--tier', 'local', '--days', '1', '--detach')).trim();
  await pay(service, order);
  const macs = async (): Promise<Rental[]> => {
    const headers = { authorization: `Bearer ${service.api_key}` };
    const answer = await fetch(`${service.base_url}/rentals`, { headers });
    return ((await answer.json()) as { rentals: Rental[] }).rentals;
  };
  await until(async () => (await macs())[0]?.state === 'ready', 'the Mac is ready');
  const rental = (await macs())[0]?.rental_id ?? '';

  // Build.
  const first = await build(
    'sw_vers -productName; whoami; cat edited.txt; echo made > made.txt; mkdir -p "$HOME/Library/Caches/org.swift.swiftpm"; echo c > "$HOME/Library/Caches/org.swift.swiftpm/c"',
  );
  t.equal(first, 'macOS\nadmin\none\n');
  writeFileSync(join(app, 'edited.txt'), 'two\n');
  const second = await build(
    'cat edited.txt made.txt; mkdir "$CIDERMILL_ARTIFACTS/App.app"; echo app > "$CIDERMILL_ARTIFACTS/App.app/bin"; ln -s bin "$CIDERMILL_ARTIFACTS/App.app/link"',
    '--artifacts',
    'out',
  );
  t.match(second, /^two\nmade\n/, 'incremental');
  t.equal(readFileSync(join(app, 'out/App.app/link'), 'utf8'), 'app\n', 'a bundle with its link');
  rmSync(join(app, 'out'), { recursive: true });

  // Another Xcode.
  const versions: string[] = (await json('macs', rental)).setup_options.xcode;
  t.ok(versions.length > 1, 'what the image offers, without an operator having typed it');
  const [oldest = ''] = versions;
  await run('xcode', oldest, rental, '--wait', '--yes');
  t.match(await build('xcodebuild -version; xcode-select -p'), `Xcode ${oldest}\n`);

  // Resets.
  await run('reset', rental, '--keep-cache', '--wait', '--yes');
  t.equal(await build('ls -1; cat "$HOME/Library/Caches/org.swift.swiftpm/c"'), 'edited.txt\nkept.txt\nc\n');
  const before = await ours();
  await run('reset', rental, '--wait', '--yes');
  t.equal(
    await build('ls -1; ls "$HOME/Library/Caches/org.swift.swiftpm" 2>/dev/null || echo none'),
    'edited.txt\nkept.txt\nnone\n',
  );
  t.notSame(await ours(), before, 'another virtual machine');

  // Extended and ended.
  const ends = Date.parse((await macs())[0]?.ends_at ?? '');
  const extension = await fetch(`${service.base_url}/rentals/${rental}/extend`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hours: 24 }),
  });
  await pay(service, ((await extension.json()) as { order_no: string }).order_no);
  await until(async () => Date.parse((await macs())[0]?.ends_at ?? '') === ends + DAY, 'extended');
  const clock = await fetch(`${service.site_url}/dev/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance_ms: 2 * DAY + 60_000 }),
  });
  t.ok(clock.ok);
  await until(async () => (await macs()).length === 0, 'the rental has ended');
  const traces = () => [...readdirSync(join(service.data, 'host/macs')), ...vmsOfRecord(before, mac.home)];
  await until(() => traces().length === 0, 'neither record nor virtual machine is left');
});
