// Before it waits for its start message, a warm build process runs a small build in a temporary folder. So the code
// that a build needs is loaded and compiled, and its first line comes tens of milliseconds earlier.
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { SourceManifest } from '../../shared/protocol/index.js';
import { daemonMessage, type StartOrder } from '../contract/control.js';
import { createLocalDriver } from '../driver/local.js';
import { directly } from '../system/network.js';
import { removeTree } from '../system/remove-tree.js';
import { type BuildProcessParts, carryOut } from './build-process.js';
import { createHalt } from './halt.js';
import { createReporter } from './reporter.js';

const LIMIT_MS = 10_000;

/** @param enough aborted when a real build arrives; the warm-up then ends at once */
export async function warmUp(parts: BuildProcessParts, enough: AbortSignal): Promise<void> {
  if (enough.aborted) return;
  const halt = createHalt();
  enough.addEventListener('abort', () => halt.request('superseded'), { once: true });
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'cidermill-warm-'));
  const manifest: SourceManifest = { files: [], links: [], directories: [] };
  const server = createServer((_, response) => response.end(JSON.stringify(manifest)));
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const driver = createLocalDriver({ dataDir });
    await driver.create({ slot_id: 's0', image: null }, () => {});
    await driver.saveRecord('s0', {
      rental_id: 'rt_0',
      account_id: 0,
      generation: 0,
      revision: 0,
      xcode: null,
      runtimes: [],
      tools: [],
    });
    const order: StartOrder = {
      type: 'start',
      data_dir: dataDir,
      builds_dir: path.join(dataDir, 'builds'),
      spec: {
        build_id: 'rb_0',
        attempt: 1,
        account_id: 0,
        rental_id: 'rt_0',
        slot_id: 's0',
        script: 'echo "$EXAMPLE_1"',
        xcode: null,
        timeout_ms: LIMIT_MS,
        clean_tree: false,
        source: {
          kind: 'upload',
          upload_id: 'up_0',
          manifest_sha256: '0'.repeat(64),
          files: 0,
          total_bytes: 0,
        },
        source_key: 'upload',
        labels: { repo: null, ref: null, commit: null, pr: null },
        log: { head_bytes: 1000, tail_bytes: 1000 },
        kill_grace_ms: 0,
        artifacts: { max_files: 0, max_bytes: 0 },
      },
      secrets: Array.from({ length: 5 }, (_, n) => ({
        name: `EXAMPLE_${n}`,
        value: `no secret at all, ${n}\n`,
      })),
      link: { site_url: `http://127.0.0.1:${port}`, credential: 'none' },
      network: directly,
      driver: driver.spec,
      boot: 'none',
      limits: { reserveBytes: 0 },
    };
    const message = daemonMessage.parse(JSON.parse(JSON.stringify(order)));
    if (message.type !== 'start') throw new Error('the start message is not valid');
    await carryOut(message, { halt, reporter: createReporter(parts.clock), parts });
  } finally {
    server.close();
    server.closeAllConnections();
    await removeTree(dataDir);
  }
}
