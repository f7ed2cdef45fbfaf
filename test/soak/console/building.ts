// Builds in every state, for the pages that show them.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type BuildHost, startBuildHost } from '../../harness/build-host.js';
import type { Harness } from '../../harness/harness.js';

export const SHA = '0123456789abcdef0123456789abcdef01234567';
const MINUTE = 60_000;

const request = {
  repo: 'acme/shop-ios',
  ref: 'main',
  commit: SHA,
  pr: 128,
  timeout_min: 60,
  script: 'set -euo pipefail\nxcodebuild test -scheme Shop -destination "platform=iOS Simulator,name=iPhone 17"',
};

export const submit = async (h: Harness, more: object = {}): Promise<string> =>
  (await h.call('POST', '/builds', { body: { ...request, ...more } })).json().id;

/** Reports that the running build has come to the script. */
export async function inScript(h: Harness, host: BuildHost, id: string): Promise<void> {
  await host.start();
  const now = h.clock.now();
  const at = (s: number) => now + s * 1_000;
  await h.clock.advance(16_000);
  await host.facts({
    build_id: id,
    steps: [
      { step: 'prepare', at: at(0) },
      { step: 'source', at: at(1) },
      { step: 'xcode', at: at(14) },
      { step: 'script', at: at(15) },
    ],
  });
}

/** Ends a build that has failed with a compile error, has artifacts and a log of some length. */
export async function failedBuild(h: Harness, host: BuildHost): Promise<string> {
  const id = await submit(h);
  await inScript(h, host, id);
  const line = (n: number) =>
    `CompileSwift normal arm64 /Users/builder/work/App/Sources/File${n}.swift (in target 'Shop' from project 'Shop')\n`;
  await host.output(id, Array.from({ length: 140 }, (_, n) => line(n)).join(''));
  await host.output(
    id,
    "App/Cart.swift:12:9: error: cannot find 'totl' in scope\n        totl += item.price\n        ^~~~\n",
  );
  await h.clock.advance(4 * MINUTE);
  await store(h, id, 'reports/junit.xml', 2_000);
  await store(h, id, 'logs/Shop.xcresult.tar.gz', 480_000);
  await host.finish(id, { exit_code: 65, reason_code: 'script_failed', fault: 'customer', summary: 'x' });
  return id;
}

export async function succeededBuild(h: Harness, host: BuildHost, more: object = {}): Promise<string> {
  const id = await submit(h, more);
  await inScript(h, host, id);
  await host.output(id, '** TEST SUCCEEDED **\n');
  await h.clock.advance(6 * MINUTE);
  await host.finish(id);
  return id;
}

async function store(h: Harness, buildId: string, name: string, size: number): Promise<void> {
  const bytes = Buffer.alloc(size, 'x');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await h.artifacts.store({ buildId, attempt: 1, name, bytes: size, sha256 }, Readable.from([bytes]));
}

/** One build that has failed, one that has succeeded, one that runs, two that wait. */
export async function everyState(h: Harness) {
  const host = await startBuildHost(h, { macs: 2, hours: 48 });
  const failed = await failedBuild(h, host);
  const succeeded = await succeededBuild(h, host);
  const [mac] = host.rentals;
  const running = await submit(h, { rental_id: mac });
  await inScript(h, host, running);
  // Its Mac is busy, so it is cancelled before it starts.
  const branch = 'feature/a-branch-with-a-rather-long-name';
  const cancelled = await submit(h, { rental_id: mac, ref: branch, pr: undefined });
  await h.call('POST', `/builds/${cancelled}/cancel`);
  await host.output(running, 'Test Suite Shop started\n');
  await h.clock.advance(2 * MINUTE);
  const waiting = await submit(h, { rental_id: mac });
  const behind = await submit(h, { rental_id: mac, ref: 'release/2.1' });
  await h.workers.idle();
  return { host, failed, succeeded, cancelled, running, waiting, behind };
}
