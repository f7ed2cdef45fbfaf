// tart as a tool for virtual machines: one command line per method. Arguments never contain a secret: tart hands them to its
// telemetry, and its guest agent logs them.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { execTransport } from '../../guest/transport.js';
import { detachedOutput, startDetached } from '../vm/detached.js';
import { refOfDigest } from '../vm/image-names.js';
import { type VmTool, VmToolError } from '../vm/tool.js';
import { type ToolOptions, toolRunner } from '../vm/tool-command.js';
import { toolEnvironment } from '../vm/tool-environment.js';
import { tartError } from './errors.js';
import { tartImages } from './images.js';
import { parseDiskBytes, parseVms } from './output.js';

interface TartOptions extends ToolOptions {
  /** TART_HOME; null: tart's default. */
  home: string | null;
  /** Connections of one pull. */
  pullConcurrency: number;
}

/** How often the agent checks whether a virtual machine that it has just started runs. */
const START_POLL_MS = 100;
const GB = 1e9;
const STOP_MARGIN_S = 30;

export function createTart(options: TartOptions): VmTool {
  const { path: file, home, outputDir, limits, clock = systemClock } = options;
  const env = toolEnvironment(options.env ?? process.env, {
    // Plain lines of progress.
    CI: '1',
    // tart must not delete images by itself: the driver knows which ones are needed.
    TART_NO_AUTO_PRUNE: '1',
    ...(home === null ? {} : { TART_HOME: home }),
  });
  const outputOf = (name: string) => path.join(outputDir, `${name}.log`);

  const tart = toolRunner({ file, env, clock }, limits, tartError);
  const list = async () => parseVms(await tart(['list', '--source', 'local', '--format', 'json']));
  return {
    kind: 'tart',
    version: async () => (await tart(['--version'])).trim(),
    list,
    ...tartImages(tart, options),
    async clone({ ref, digest }, name) {
      await tart(['clone', refOfDigest(ref, digest), name], { timeoutMs: limits().cloneMs });
    },
    async configure(name, { cpuCores, memoryGb, diskGb }) {
      const grown = diskGb !== null && (await diskBytesOf(name)) < diskGb * GB;
      await tart([
        'set',
        name,
        '--random-mac',
        ...(cpuCores === null ? [] : ['--cpu', String(cpuCores)]),
        ...(memoryGb === null ? [] : ['--memory', String(memoryGb * 1024)]),
        ...(grown ? ['--disk-size', String(diskGb)] : []),
      ]);
    },
    async start(name) {
      const args = ['run', '--no-graphics', '--no-audio', '--no-clipboard', name];
      const run = await startDetached({ file, args, env }, outputOf(name));
      for (const deadline = clock.monotonic() + limits().commandMs; ; ) {
        if ((await list()).some((vm) => vm.name === name && vm.state === 'running')) return;
        if (run.exited()) throw endReason(name) ?? new VmToolError('failed', `tart run: ${name} ended at once`);
        if (clock.monotonic() >= deadline) throw new VmToolError('unresponsive', `tart run: ${name} does not start`);
        await pause(clock, START_POLL_MS);
      }
    },
    endReason: async (name) => endReason(name),
    async stop(name, timeoutS) {
      await tart(['stop', name, '--timeout', String(timeoutS)], {
        timeoutMs: (timeoutS + STOP_MARGIN_S) * 1000,
        ok: ['not_running', 'not_found'],
      });
    },
    async delete(name) {
      await tart(['delete', name], { ok: ['not_found'] });
      rmSync(outputOf(name), { force: true });
    },
    async address(name) {
      return (await tart(['ip', name], { ok: ['no_address'] })).trim() || null;
    },
    execTransport: (name) => execTransport((argv) => ({ file, args: ['exec', '-i', name, ...argv], env })),
  };

  async function diskBytesOf(name: string): Promise<number> {
    // Unknown: it is not made larger, because making it smaller is an error.
    return parseDiskBytes(await tart(['get', name, '--format', 'json'])) ?? Number.POSITIVE_INFINITY;
  }

  /** A shutdown of the guest and a stop are not errors: tart prints a message and exits with 0. */
  function endReason(name: string): VmToolError | null {
    const said = detachedOutput(outputOf(name)).trim();
    const error = tartError('run', { code: 1, stdout: '', stderr: said });
    return said === '' || (error.code === 'failed' && /guest has stopped|Stopping VM/.test(said)) ? null : error;
  }
}
