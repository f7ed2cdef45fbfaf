// The tool that runs virtual machines: tart or lume.
import { MOST_RUNNING } from '../../driver/vm/machines.js';
import { type VmToolCode, VmToolError } from '../../driver/vm/tool.js';
import { type Check, type CheckedHost, failed, notApplicable, type Outcome, ok, warning } from '../check.js';
import { compareVersions, versionParts } from '../versions.js';

const nameOfTool = (host: CheckedHost) => host.tool?.kind ?? host.driver.kind;

const vmTool: Check = {
  ...{ check: 'vm_tool', needs: 'any', drivers: 'vm' },
  name: nameOfTool,
  why: 'Nothing can be created without tart or lume. The line also names the license of the installed version.',
  help: '`brew install openai/tools/tart`, or lume; `path` in `agent.json`',
  look: async ({ tool }) => (tool === null ? notApplicable('') : versionOf(tool)),
};

async function versionOf(tool: NonNullable<CheckedHost['tool']>): Promise<Outcome> {
  try {
    const version = await tool.version();
    const found = `${version}; license: ${licenseOf(tool.kind, version)}`;
    const oldest = OLDEST[tool.kind];
    if (!isOlder(version, oldest)) return ok(found);
    return warning(
      found,
      `Install ${tool.kind} ${oldest} or newer: the agent is not tested with older versions.`,
    );
  } catch (error) {
    return failedTool(error);
  }
}

/** The oldest versions that the agent is tested with. */
const OLDEST = { tart: '2.30.0', lume: '0.5.0' } as const;

/** The first version of tart under the Functional Source License; earlier ones were under the Fair Source License. */
const FIRST_FSL = '2.33.0';

function licenseOf(tool: 'tart' | 'lume', version: string): string {
  if (tool === 'lume') return 'MIT';
  if (versionParts(version) === null) return 'see docs/drivers.md';
  return isOlder(version, FIRST_FSL)
    ? 'Fair Source 0.9, free for up to 100 processor cores in all'
    : 'FSL-1.1, not for competing services';
}

/** A version without numbers counts as new. */
const isOlder = (version: string, than: string) =>
  versionParts(version) !== null && compareVersions(version, than) < 0;

const PROCESS_OF_VM = /com\.apple\.Virtualization\.VirtualMachine/;

const virtualMachines: Check = {
  ...{ check: 'virtual_machines', needs: 'any', drivers: 'vm' },
  why: 'macOS runs two virtual machines with macOS at a time, those of other programs included.',
  help: 'stop the others; restart the machine if none runs and macOS still counts one',
  async look(host) {
    const { tool, run, isMac } = host;
    if (tool === null) return notApplicable('');
    try {
      const running = (await tool.list()).filter(({ state }) => state === 'running').map(({ name }) => name);
      const found = `${running.length === 0 ? 'none runs' : `running: ${running.join(', ')}`}; macOS runs ${MOST_RUNNING}`;
      const prefix = prefixOf(host);
      const own = running.filter((name) => name.startsWith(prefix)).length;
      const all = isMac ? (await run('/bin/ps', ['-axo', 'comm'])).stdout.split('\n') : [];
      const processes = all.filter((line) => PROCESS_OF_VM.test(line)).length;
      const others = Math.max(running.length, processes) - own;
      if (others < MOST_RUNNING) return ok(found);
      return warning(
        `${found}; ${others} belong to other programs`,
        `Stop virtual machines that are not the agent's: no Mac can be created beside ${MOST_RUNNING} others with macOS.`,
      );
    } catch (error) {
      return isMissing(error) ? notApplicable(`${tool.kind} is missing`) : failedTool(error);
    }
  },
};

function prefixOf({ config }: CheckedHost): string {
  return config.driver === 'local' ? '' : config[config.driver].name_prefix;
}

const images: Check = {
  ...{ check: 'images', needs: 'any', drivers: 'vm' },
  why: 'Without an image on the host, its first Mac waits until 25 to 100 GB are fetched.',
  help: '`cidermill admin image pull`',
  async look({ tool }) {
    if (tool === null) return notApplicable('');
    try {
      const refs = [...new Set((await tool.images()).map(({ ref }) => ref))];
      if (refs.length > 0) return ok(refs.join(', '));
      return warning(
        'none',
        'Have it fetched by the service: cidermill admin image pull --tier TIER --host HOST',
      );
    } catch (error) {
      return isMissing(error) ? notApplicable(`${tool.kind} is missing`) : failedTool(error);
    }
  },
};

export const isMissing = (error: unknown) => error instanceof VmToolError && error.code === 'missing';

function failedTool(error: unknown): Outcome {
  const advice = error instanceof VmToolError ? ADVICE[error.code] : undefined;
  const found = error instanceof Error ? error.message : String(error);
  return failed(found, advice ?? 'Run the command by hand, as the agent’s user, and see what it says.');
}

const ADVICE: Partial<Record<VmToolCode, string>> = {
  missing: 'Install it, put it on the agent’s PATH, or give its path in agent.json.',
  incompatible: 'Install the version that docs/drivers.md names.',
  limit_reached:
    'Stop other virtual machines. If none runs, restart this machine: macOS still counts one that has ended.',
  keychain_locked: 'Log in at the screen, or run `security unlock-keychain` as the agent’s user.',
};

export const vmToolChecks = [vmTool, virtualMachines, images] as const;
