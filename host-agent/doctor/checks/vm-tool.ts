// The tool that runs virtual machines: tart or lume.
import { isVirtual, type VmDriverName } from '../../../shared/drivers.js';
import { findingFix } from '../../../shared/messages/finding-fixes.js';
import { finding, type License } from '../../../shared/messages/findings.js';
import type { Message } from '../../../shared/messages/message.js';
import { MOST_RUNNING } from '../../driver/vm/machines.js';
import { type VmToolCode, VmToolError } from '../../driver/vm/tool.js';
import { vmToolOf } from '../../driver/vm-tools.js';
import { type Check, type CheckedHost, failed, notApplicable, type Outcome, ok, warning } from '../check.js';
import { compareVersions, versionParts } from '../versions.js';

const nameOfTool = (host: CheckedHost) => host.tool?.kind ?? host.driver.kind;

const vmTool: Check = {
  check: 'vm_tool',
  needs: 'any',
  drivers: 'vm',
  name: nameOfTool,
  why: 'Nothing can be created without tart or lume. The line also names the license of the installed version.',
  help: '`brew install openai/tools/tart`, or lume; `path` in `agent.json`',
  look: async ({ tool }) => (tool === null ? notApplicable('') : versionOf(tool)),
};

async function versionOf(tool: NonNullable<CheckedHost['tool']>): Promise<Outcome> {
  try {
    const version = await tool.version();
    const found = finding('tool', { version, license: licenseOf(tool.kind, version) });
    const { oldest } = vmToolOf(tool.kind);
    if (!isOlder(version, oldest)) return ok(found);
    return warning(found, findingFix('install_newer_tool', { tool: tool.kind, version: oldest }));
  } catch (error) {
    return failedTool(error);
  }
}

function licenseOf(tool: VmDriverName, version: string): License {
  const { now, before } = vmToolOf(tool).license;
  if (before === null) return now;
  if (versionParts(version) === null) return 'unknown';
  return isOlder(version, before.version) ? before.license : now;
}

/** A version without numbers counts as new. */
const isOlder = (version: string, than: string) => versionParts(version) !== null && compareVersions(version, than) < 0;

const PROCESS_OF_VM = /com\.apple\.Virtualization\.VirtualMachine/;

const virtualMachines: Check = {
  check: 'virtual_machines',
  needs: 'any',
  drivers: 'vm',
  why: 'macOS runs two virtual machines with macOS at a time, those of other programs included.',
  help: 'stop the others; restart the machine if none runs and macOS still counts one',
  async look(host) {
    const { tool, run, isMac } = host;
    if (tool === null) return notApplicable('');
    try {
      const running = (await tool.list()).filter(({ state }) => state === 'running').map(({ name }) => name);
      const names = running.join(', ');
      const most = MOST_RUNNING;
      const prefix = prefixOf(host);
      const own = running.filter((name) => name.startsWith(prefix)).length;
      const all = isMac ? (await run('/bin/ps', ['-axo', 'comm'])).stdout.split('\n') : [];
      const processes = all.filter((line) => PROCESS_OF_VM.test(line)).length;
      const others = Math.max(running.length, processes) - own;
      if (others < most) return ok(names === '' ? finding('none_runs', { most }) : finding('running', { names, most }));
      return warning(
        names === ''
          ? finding('none_runs_beside', { most, others })
          : finding('running_beside', { names, most, others }),
        findingFix('stop_other_vms', { most }),
      );
    } catch (error) {
      return isMissing(error) ? notApplicable(`${tool.kind} is missing`) : failedTool(error);
    }
  },
};

function prefixOf({ config }: CheckedHost): string {
  return isVirtual(config.driver) ? config[config.driver].name_prefix : '';
}

const images: Check = {
  check: 'images',
  needs: 'any',
  drivers: 'vm',
  why: 'Without an image on the host, its first Mac waits until 25 to 100 GB are fetched.',
  help: '`cidermill admin image pull`',
  async look({ tool }) {
    if (tool === null) return notApplicable('');
    try {
      const refs = [...new Set((await tool.images()).map(({ ref }) => ref))];
      if (refs.length > 0) return ok(refs.join(', '));
      return warning(
        finding('none'),
        findingFix('pull_image', { command: 'cidermill admin image pull --tier TIER --host HOST' }),
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
  return failed(found, advice ?? findingFix('run_tool_by_hand'));
}

const ADVICE: Partial<Record<VmToolCode, Message>> = {
  missing: findingFix('install_tool'),
  incompatible: findingFix('install_documented_version'),
  limit_reached: findingFix('stop_vms_or_restart'),
  keychain_locked: findingFix('unlock_as_agent'),
};

export const vmToolChecks = [vmTool, virtualMachines, images] as const;
