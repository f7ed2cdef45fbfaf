// `sudo cidermill host-agent doctor`: root sees other virtual machines, settings and keychains than the agent. So the checks are
// made by a second process, as the agent's user; root only runs the commands that need root.
import { statSync } from 'node:fs';
import { z } from 'zod';
import { cleanText } from '../../shared/clean-text.js';
import { type Account, readAccount } from '../installation/account.js';
import { hasLaunchd, type RunTool, runTool } from '../installation/system-tools.js';
import { type Check, type CheckedHost, MOST_FIX } from './check.js';
import { fixFindings } from './fix.js';
import { type Finding, type Fixed, findingLine } from './report.js';
import { runChecks } from './run-checks.js';

/** Runs `cidermill host-agent …` as the account. @param inSession in its session at the screen, with its keychain */
export type RunAsAgent = (command: {
  account: Account;
  args: readonly string[];
  inSession: boolean;
}) => Promise<{ readonly code: number; readonly stdout: string }>;

/** Shown on the terminal of root. */
const shown = z.string().transform((text) => cleanText(text, MOST_FIX));

const report = z.object({
  version: shown,
  driver: shown,
  ok: z.boolean(),
  machine: z.object({ os: shown, arch: shown, node: shown }),
  findings: z.array(
    z.object({
      check: shown,
      name: shown,
      found: shown,
      fix: shown.nullable(),
      ok: z.boolean(),
      automatic: z.boolean(),
      status: z.enum(['ok', 'warning', 'failed', 'not_applicable']),
    }),
  ),
  fixes: z.array(z.object({ check: shown, command: shown, done: z.boolean(), reason: shown.nullable() })).optional(),
  trial: z
    .array(
      z.object({
        name: shown,
        seconds: z.number(),
        detail: shown,
        status: z.enum(['passed', 'failed', 'skipped', 'not_run']),
      }),
    )
    .nullable(),
});

/**
 * Returns the user of the agent with this data folder, if this process is root on a Mac and the agent is not; else null.
 */
export async function agentAccount(dataDir: string, run: RunTool = runTool): Promise<Account | null> {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid ?? 0;
  if (process.getuid?.() !== 0 || owner === 0 || !hasLaunchd()) return null;
  const { stdout } = await run('/usr/bin/dscl', ['.', '-list', '/Users', 'UniqueID']);
  const name = new RegExp(`^(\\S+)\\s+${owner}$`, 'm').exec(stdout)?.[1];
  return name === undefined ? null : readAccount(run, name);
}

export function doctorOfAgent(account: Account, dataDir: string, runAs: RunAsAgent, run: RunTool = runTool) {
  const diagnose = async (flags: readonly string[]) => {
    const session = await run('/bin/launchctl', ['print', `gui/${account.uid}`]);
    const args = ['doctor', '--json', '--data', dataDir, ...flags];
    const { code, stdout } = await runAs({ account, args, inSession: session.code === 0 });
    const seen = parseReport(stdout);
    if (seen === null) {
      throw new Error(`the doctor that ran as ${account.name} exited with ${code} and without a report`);
    }
    const { fixes, ...rest } = seen;
    const findings = seen.findings.map((finding) => ({ ...finding, repairs: [] }));
    return { ...rest, ...(fixes ? { fixes } : {}), findings };
  };

  return {
    /** Runs the doctor as the agent's user. @param flags those of the command, without --json, --fix and --data */
    diagnose,
    /** Runs the fixes of the findings, each with the permissions that it needs. */
    async fix(
      given: readonly Finding[],
      { checks, open, print }: { checks: readonly Check[]; open: () => CheckedHost; print: (text: string) => void },
    ) {
      const findings = [...given];
      const fixes: Fixed[] = [];
      for (const [i, { check: name, automatic, status, fix }] of findings.entries()) {
        if (!automatic || status === 'ok' || status === 'not_applicable') continue;
        if (fix?.startsWith('sudo ')) {
          const chosen = checks.filter(({ check }) => check === name);
          const host = () => withoutPrograms(open());
          const seen = await runChecks(host(), chosen);
          const done = await fixFindings({
            // The agent's user chooses the checks, but root runs only the repairs that need root.
            findings: seen.map((one) => ({ ...one, repairs: one.repairs.filter(({ as }) => as === 'root') })),
            checks: chosen,
            open: host,
            print,
          });
          fixes.push(...done.fixes);
          findings[i] = done.findings[0] ?? findings[i]!;
          continue;
        }
        print(`run   ${fix} (as ${account.name})\n`);
        const after = await diagnose(['--check', name, '--fix']);
        fixes.push(...(after.fixes ?? []));
        findings[i] = after.findings[0] ?? findings[i]!;
        print(findingLine(findings[i]!));
      }
      return { findings, fixes };
    },
  };
}

/**
 * For root. The agent's user chooses which programs run virtual machines, and says which checks root is to make: checks
 * that root repairs ask only the system.
 */
function withoutPrograms(host: CheckedHost): CheckedHost {
  const inventory = () => Promise.reject(new Error('only the user of the agent asks its driver'));
  return { ...host, tool: null, driver: { kind: host.driver.kind, inventory } };
}

function parseReport(stdout: string): z.infer<typeof report> | null {
  try {
    return report.safeParse(JSON.parse(stdout)).data ?? null;
  } catch {
    // Not JSON: it ended before it could report.
    return null;
  }
}
