// `cidermill host-agent doctor --fix`: runs the commands of findings, and checks again.
import { cleanText } from '../../shared/clean-text.js';
import { type Check, type CheckedHost, type Command, commandText, MOST_FOUND } from './check.js';
import { type Finding, type Fixed, findingLine } from './report.js';
import { runCheck } from './run-checks.js';

/**
 * Runs what the findings offer. Nothing else is changed: no FileVault, no login, no account, no virtual machine.
 *
 * @param options.open returns the host for the next check, which must not see earlier answers
 * @param options.print is called with each line before what it announces
 */
export async function fixFindings(options: {
  findings: readonly Finding[];
  checks: readonly Check[];
  open: () => CheckedHost;
  print: (text: string) => void;
}): Promise<{ findings: Finding[]; fixes: Fixed[] }> {
  const { checks, open, print } = options;
  const findings = [...options.findings];
  const fixes: Fixed[] = [];
  for (const [i, finding] of findings.entries()) {
    const check = checks.find((one) => one.check === finding.check);
    if (check === undefined || finding.repairs.length === 0) continue;
    const done = await runAll(finding, open(), print);
    fixes.push(...done);
    if (!done.every((fixed) => fixed.done)) continue;
    const after = await runCheck(open(), check);
    findings[i] = after;
    print(findingLine(after));
  }
  return { findings, fixes };
}

/** Stops at the first command that fails. */
async function runAll(finding: Finding, host: CheckedHost, print: (text: string) => void): Promise<Fixed[]> {
  const fixes: Fixed[] = [];
  for (const command of finding.repairs) {
    const fixed = await runOne(finding.check, command, host, print);
    fixes.push(fixed);
    if (!fixed.done) break;
  }
  return fixes;
}

async function runOne(
  check: string,
  command: Command,
  { run, user }: CheckedHost,
  print: (text: string) => void,
): Promise<Fixed> {
  const text = commandText(command);
  if (command.as === 'root' && user.uid !== 0) {
    const reason = 'needs root: run it yourself, or run the doctor with sudo';
    print(`skip  ${text}\n      ${reason}\n`);
    return { check, command: text, done: false, reason };
  }
  print(`run   ${text}\n`);
  const [file, ...args] = command.argv;
  const { code, stdout, stderr } = await run(file, args);
  if (code === 0) return { check, command: text, done: true, reason: null };
  const reason = `exit code ${code}: ${cleanText(stderr || stdout, MOST_FOUND)}`;
  print(`FAIL  ${reason}\n`);
  return { check, command: text, done: false, reason };
}
