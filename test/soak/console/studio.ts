// A studio with Macs, builds, orders and a fleet, as the pictures of the documents show them.
import { operatorProblem } from '../../../shared/messages/operator-problems.js';
import { type BuildHost, startBuildHost } from '../../harness/build-host.js';
import type { Harness } from '../../harness/harness.js';
import { addHost, DAY, order, pay } from '../../harness/renting.js';

const MINUTE = 60_000;

const commits = [
  ['Round the total once, not for each item', 'Ada Lovelace', 'fix/rounding', 214],
  ['Show the delivery date in the cart', 'Grace Hopper', 'feature/delivery-date', 213],
  ['Update the payment SDK to 4.2', 'Katherine Johnson', 'main', null],
  ['Fix a crash when the search is cleared', 'Ada Lovelace', 'fix/search-crash', 211],
  ['Snapshot tests for the dark theme', 'Lin Park', 'tests/dark-theme', 209],
  ['Faster start: load the catalog lazily', 'Grace Hopper', 'perf/lazy-catalog', 208],
  ['Localize receipts in Korean', 'Lin Park', 'main', null],
  ['Remove the old onboarding', 'Katherine Johnson', 'chore/onboarding', 205],
] as const;

const sha = (n: number) => ((n + 7) * 0x9e3779b1).toString(16).padEnd(40, '3f70a9c2d81b').slice(0, 40);

const E = '\x1b[';

/** Output of `xcodebuild` through a formatter. */
const output = (suites: number) =>
  [
    '::group::Resolve packages',
    'Fetching https://github.com/pointfreeco/swift-snapshot-testing',
    'Fetching https://github.com/apple/swift-collections',
    'Resolved 14 packages in 2.1 s',
    '::endgroup::',
    `${E}1m▸ Compiling${E}0m Cart.swift`,
    `${E}1m▸ Compiling${E}0m Checkout.swift`,
    `${E}1m▸ Compiling${E}0m Money.swift`,
    `${E}1m▸ Linking${E}0m Shop`,
    `${E}1mTest Suite CartTests started${E}0m`,
    ...Array.from({ length: suites }, (_, n) => [
      `    ${E}32m✔${E}0m testTotalOf${n + 2}Items (0.0${n + 1} s)`,
      `    ${E}32m✔${E}0m testRoundingOf${n + 2}Currencies (0.${n + 1}2 s)`,
    ]).flat(),
    '',
  ].join('\n');

const failure = [
  `    ${E}31m✖ testTotalIsRoundedOnce, XCTAssertEqual failed: ("10.01") is not equal to ("10.02")${E}0m`,
  "App/Sources/Cart.swift:42:17: error: cannot find 'roundedTotal' in scope",
  '        return items.map(\\.price).roundedTotal',
  '                                  ^~~~~~~~~~~~',
  '** TEST FAILED **',
  '',
].join('\n');

async function build(h: Harness, host: BuildHost, n: number, rental: string | undefined): Promise<string> {
  const [title, author, ref, pr] = commits[n % commits.length] ?? commits[0];
  const body = {
    repo: 'apple-press/shop-ios',
    ref,
    ...(pr === null ? {} : { pr }),
    commit: sha(n),
    xcode: '16.2',
    timeout_min: 60,
    script: 'set -euo pipefail\nxcodebuild test -scheme Shop -destination "platform=iOS Simulator,name=iPhone 17"',
    ...(rental === undefined ? {} : { rental_id: rental }),
  };
  const { id } = (await h.call('POST', '/builds', { body })).json();
  await h.workers.idle();
  if ((await host.desired()).every((one) => one.build_id !== id)) return id;
  await host.start();
  const now = h.clock.now();
  const step = (name: 'prepare' | 'source' | 'xcode' | 'script', s: number) => ({ step: name, at: now + s * 1_000 });
  await host.output(id, '[cidermill] Checking out apple-press/shop-ios\n', 'service');
  await host.facts({
    build_id: id,
    commit_sha: sha(n),
    commit_about: { title, author },
    steps: [step('prepare', 0), step('source', 1), step('xcode', 8), step('script', 9)],
  });
  await h.clock.advance(12_000);
  await host.output(id, output(3 + (n % 3)));
  return id;
}

export async function studio(h: Harness) {
  const host = await startBuildHost(h, { macs: 4, hours: 7 * 24 });
  const names = ['Release', 'Pull requests 1', 'Pull requests 2', 'Nightly'];
  for (const [at, rental] of host.rentals.entries()) {
    await h.call('PATCH', `/rentals/${rental}`, { body: { name: names[at] } });
  }
  const ended: string[] = [];
  for (let n = 7; n >= 1; n -= 1) {
    const id = await build(h, host, n, undefined);
    await h.clock.advance((4 + (n % 3)) * MINUTE);
    if (n === 4) {
      await host.output(id, failure);
      await host.finish(id, { exit_code: 65, reason_code: 'script_failed', fault: 'customer', summary: 'x' });
    } else await host.finish(id);
    ended.push(id);
    await h.clock.advance(11 * MINUTE);
  }
  const failed = ended[3] ?? '';
  const running = await build(h, host, 0, host.rentals[0]);
  await h.clock.advance(3 * MINUTE);
  const second = await build(h, host, 1, host.rentals[1]);
  await h.clock.advance(MINUTE);
  for (const n of [2, 5]) await build(h, host, n, host.rentals[0]);
  await h.workers.idle();

  const others = await addHost(h, 2, { shared: true });
  const third = await addHost(h, 2);
  const later = await order(h, { start: new Date(h.clock.now() + 2 * DAY).toISOString(), hours: 72 });
  await pay(h, later.order_no);
  const unpaid = await order(h, { units: 2, hours: 48 });
  for (const [id, name, version] of [
    [host.hostId, 'mini-seoul-01', '0.4.2'],
    [others.hostId, 'mini-seoul-02', '0.4.2'],
    [third.hostId, 'studio-seoul-03', '0.4.1'],
  ] as const) {
    await h.store.run('UPDATE hosts SET name = :name, agent_version = :version WHERE host_id = :id', {
      id,
      name,
      version,
    });
  }
  return { failed, running, second, unpaid: unpaid.order_no, others };
}

/** What operators have to look at. */
export async function problems(h: Harness, hostId: string): Promise<void> {
  const now = h.clock.now();
  const findings = [
    { check: 'filevault', status: 'failed', found: 'FileVault is on.', fix: 'sudo fdesetup disable' },
    { check: 'sleep', status: 'warning', found: 'The Mac sleeps after 10 minutes.', fix: 'sudo pmset -a sleep 0' },
  ];
  await h.store.run('UPDATE hosts SET health = :health WHERE host_id = :hostId', {
    hostId,
    health: JSON.stringify({ checked_at: now, findings }),
  });
  const reason = operatorProblem('few_slots', { free: 1, total: 8, used: 7, unsellable: 0 });
  await h.store.run(
    `INSERT INTO operator_problems (kind, subject, name, message, reason, seen_at, begun_at, times)
     VALUES ('capacity.low', 'm4', 'm4', :message, :reason, :now, :now, 1)`,
    { message: reason.text, reason: JSON.stringify(reason), now },
  );
}
