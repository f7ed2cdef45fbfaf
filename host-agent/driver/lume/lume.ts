// lume as a tool for virtual machines. Every command names the agent's own folders.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import { removeTree } from '../../system/remove-tree.js';
import { detachedOutput, startDetached } from '../vm/detached.js';
import { type Vm, type VmTool, VmToolError } from '../vm/tool.js';
import { type RunTool, type ToolOptions, toolRunner } from '../vm/tool-command.js';
import { toolEnvironment } from '../vm/tool-environment.js';
import { lumeError } from './errors.js';
import { guardFile, lumeFolders } from './folders.js';
import { imageName, lumeImages } from './images.js';
import { type LumeVm, parseAddress, parseLume, stateOf } from './output.js';
import { endMachine, runArguments, runningMachines } from './processes.js';

interface LumeOptions extends ToolOptions {
  /** Folder for virtual machines and images. */
  home: string;
}

const START_POLL_MS = 100;
/** A virtual machine that cannot start ends sooner. */
const START_MS = 10_000;
const GB = 1e9;
/** Credentials of the registry, which lume takes from the environment. */
const CREDENTIALS = ['GITHUB_USERNAME', 'GITHUB_TOKEN', 'GHCR_USERNAME', 'GHCR_TOKEN'];

export function createLume(options: LumeOptions): VmTool {
  const { path: file, outputDir, limits, clock = systemClock } = options;
  const folders = lumeFolders(path.resolve(options.home));
  const env = lumeEnvironment(options.env ?? process.env);
  const outputOf = (name: string) => path.join(outputDir, `${name}.log`);
  const lume = toolRunner({ file, env, clock }, limits, lumeError);
  // What an interrupted fetch leaves in its TMPDIR is deleted.
  const fetch = toolRunner({ file, env: { ...env, TMPDIR: folders.tmp }, clock }, limits, lumeError);
  const own = ['--storage', folders.vms];
  const machines = () => runningMachines(folders.vms, clock, limits().commandMs);
  const pidsOf = async (name: string) => (await machines()).get(name) ?? [];
  // lume does not create these folders.
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true, mode: 0o700 });

  const hasNoVnc = noVncOption(lume);

  const list = async (): Promise<Vm[]> => {
    const [ours, all, running] = await Promise.all([
      lume(['ls', '--format', 'json', ...own]),
      lume(['ls', '--format', 'json']),
      machines(),
    ]);
    return merge(parseLume('ls', all), parseLume('ls', ours), readdirSync(folders.vms), running);
  };

  return {
    kind: 'lume',
    version: async () => (await lume(['--version'])).trim(),
    list,
    ...lumeImages(lume, fetch, folders, limits),
    async clone({ ref, digest }, name) {
      if (existsSync(path.join(folders.vms, name))) throw new VmToolError('exists', `${name} exists`);
      const image = imageName(digest);
      if (!existsSync(path.join(folders.images, `${image}.json`))) {
        throw new VmToolError('image_not_found', `${ref} is not on this host`);
      }
      await lume(['clone', image, name, '--source-storage', folders.images, '--dest-storage', folders.vms], {
        timeoutMs: limits().cloneMs,
      });
    },
    // A clone has a random MAC address already.
    async configure(name, { cpuCores, memoryGb, diskGb }) {
      const grown = diskGb !== null && (await diskBytesOf(name)) < diskGb * GB;
      const size = [
        ...(cpuCores === null ? [] : ['--cpu', String(cpuCores)]),
        ...(memoryGb === null ? [] : ['--memory', `${memoryGb}GB`]),
        // A clone that is damaged by this is deleted, so it needs no backup.
        ...(grown ? ['--disk-size', `${diskGb * GB}B`, '--no-backup'] : []),
      ];
      if (size.length > 0) await lume(['set', name, ...size, ...own], { timeoutMs: limits().cloneMs });
    },
    async start(name) {
      if ((await pidsOf(name)).length > 0) throw new VmToolError('already_running', `${name} is running`);
      const args = runArguments(name, folders.vms, await hasNoVnc());
      const run = await startDetached({ file, args, env }, outputOf(name));
      for (const deadline = clock.monotonic() + START_MS; ; await pause(clock, START_POLL_MS)) {
        const [vm] = parseLume('get', await lume(['get', name, '--format', 'json', ...own]));
        if (run.exited()) {
          throw endReason(name) ?? new VmToolError('failed', `lume run: ${name} ended at once`);
        }
        // lume prints "stopped" when its check fails, so the process decides.
        if (vm?.status === 'running' || clock.monotonic() >= deadline) return;
      }
    },
    endReason: async (name) => endReason(name),
    stop: (name, timeoutS) => endMachine(name, () => pidsOf(name), clock, timeoutS * 1000),
    async delete(name) {
      if (path.basename(name) !== name)
        throw new VmToolError('failed', `${name} is not a valid name of a virtual machine`);
      if ((await pidsOf(name)).length > 0) throw new VmToolError('already_running', `${name} is running`);
      await lume(['delete', name, '--force', ...own], { ok: ['not_found'] });
      await removeTree(path.join(folders.vms, name));
      for (const left of [guardFile(folders.vms, name), outputOf(name)]) rmSync(left, { force: true });
    },
    async address(name) {
      const [vm] = parseLume('get', await lume(['get', name, '--format', 'json', ...own]));
      return parseAddress(vm?.ipAddress ?? null);
    },
    execTransport: () => null,
  };

  async function diskBytesOf(name: string): Promise<number> {
    const [vm] = parseLume('get', await lume(['get', name, '--format', 'json', ...own]));
    // Unknown: it is not made larger, because making it smaller is an error.
    return vm?.diskSize.total ?? Number.POSITIVE_INFINITY;
  }

  function endReason(name: string): VmToolError | null {
    const said = detachedOutput(outputOf(name)).trim();
    return !/^(?:Error|Fatal error): /m.test(said) ? null : lumeError('run', { code: 1, stdout: '', stderr: said });
  }
}

/** Returns a function that checks whether this version of lume can run virtual machines without a VNC server. */
function noVncOption(lume: RunTool): () => Promise<boolean> {
  let known: Promise<boolean> | null = null;
  return () => {
    known ??= lume(['run', '--help']).then(
      (help) => /^\s*--vnc </m.test(help),
      (error: unknown) => {
        known = null;
        throw error;
      },
    );
    return known;
  };
}

/** @param names all entries of the agent's folder: lume does not list the leftovers of an interrupted clone */
function merge(
  all: readonly LumeVm[],
  ours: readonly LumeVm[],
  names: readonly string[],
  running: ReadonlyMap<string, unknown>,
): Vm[] {
  const found = new Map(all.map((vm) => [vm.name, describe(vm)]));
  for (const name of names) if (!name.startsWith('.')) found.set(name, unlisted(name));
  for (const vm of ours) {
    found.set(vm.name, { ...describe(vm), state: running.has(vm.name) ? 'running' : 'stopped' });
  }
  return [...found.values()];
}

function lumeEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const credentials = CREDENTIALS.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  return toolEnvironment(env, {
    ...Object.fromEntries(credentials),
    LUME_TELEMETRY_ENABLED: 'false',
    // lume writes its log to standard output, among the results.
    LUME_LOG_LEVEL: 'error',
  });
}

const describe = ({ name, status, diskSize }: LumeVm): Vm => ({
  name,
  state: stateOf(status),
  diskBytes: diskSize.total,
  usedBytes: diskSize.allocated,
});

const unlisted = (name: string): Vm => ({ name, state: 'stopped', diskBytes: null, usedBytes: null });
