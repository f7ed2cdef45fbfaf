// The report of `cidermill host-agent doctor`, as text for people and as JSON for programs.
import os from 'node:os';
import { countOf } from '../../shared/count.js';
import type { Command, Outcome, Status } from './check.js';
import type { TrialStep } from './trial.js';

export interface Finding {
  /** The check's code, e.g. `vm_tool`. */
  readonly check: string;
  /** What was checked, e.g. `tart`. */
  readonly name: string;
  readonly status: Status;
  /** Whether the host can work: false only for a failed check. */
  readonly ok: boolean;
  /** What was found. */
  readonly found: string;
  /** What to do about it; null when nothing is wrong. */
  readonly fix: string | null;
  /** Whether `--fix` can do it. */
  readonly automatic: boolean;
  readonly repairs: readonly Command[];
  /** Of `found` and `fix`; missing in a report that another process has written. */
  readonly messages?: Outcome['messages'];
}

/** A command of a finding, run or not. */
export interface Fixed {
  readonly check: string;
  /** As it is shown to people. */
  readonly command: string;
  readonly done: boolean;
  /** Why it was not done; null when it was. */
  readonly reason: string | null;
}

export interface DoctorReport {
  readonly version: string;
  readonly machine: { readonly os: string; readonly arch: string; readonly node: string };
  readonly driver: string;
  readonly findings: readonly Omit<Finding, 'repairs' | 'messages'>[];
  /** With --fix: what was run, or has to be run by somebody else. */
  readonly fixes?: readonly Fixed[];
  /** Null without --try, and when a failed check prevents the trial. */
  readonly trial: readonly TrialStep[] | null;
  readonly ok: boolean;
}

export function reportOf(
  version: string,
  driver: string,
  all: readonly Finding[],
  trial: readonly TrialStep[] | null,
  fixes?: readonly Fixed[],
): DoctorReport {
  const findings = all.map(({ repairs, messages, ...finding }) => finding);
  const ok = findings.every((finding) => finding.ok) && (trial ?? []).every(({ status }) => status !== 'failed');
  const machine = { os: `${os.type()} ${os.release()}`, arch: os.arch(), node: process.version };
  return { version, machine, driver, findings, ...(fixes ? { fixes } : {}), trial, ok };
}

const MARKS: Readonly<Record<Status, string>> = {
  ok: 'ok   ',
  warning: 'warn ',
  failed: 'FAIL ',
  not_applicable: '-    ',
};

/** @example findingLine(finding) // 'warn  sleep: the machine never sleeps, but these settings are on: powernap 1\n      sudo pmset -a powernap 0\n' */
export function findingLine({ name, status, found, fix }: Omit<Finding, 'repairs'>): string {
  return `${MARKS[status]} ${name}: ${found}\n${fix === null ? '' : `      ${fix}\n`}`;
}

/** One line for the checks that do not apply; empty without any. */
export function skippedLine(findings: readonly Finding[]): string {
  const names = findings.filter(({ status }) => status === 'not_applicable').map(({ check }) => check);
  return names.length === 0 ? '' : `-     not applicable here: ${names.join(', ')}\n`;
}

/** @example summaryLine(findings) // '1 problem, 3 warnings.\n' */
export function summaryLine(report: Pick<DoctorReport, 'ok' | 'findings' | 'trial'>): string {
  const warnings = report.findings.filter(({ status }) => status === 'warning').length;
  if (report.ok && warnings === 0) return 'No problems found.\n';
  return `${report.ok ? 'No problems found' : 'Problems found'}${warnings === 0 ? '' : `, ${countOf(warnings, 'warning')}`}.\n`;
}

const WORDS: Readonly<Record<TrialStep['status'], string>> = {
  passed: 'ok   ',
  failed: 'FAIL ',
  skipped: 'skip ',
  not_run: '-    ',
};

/** @example stepLine({ name: 'remove', status: 'passed', seconds: 4.2, detail: 'done' }) // 'ok    remove (4.2 s): done\n' */
export function stepLine({ name, status, seconds, detail }: TrialStep): string {
  const time = status === 'passed' || status === 'failed' ? ` (${seconds.toFixed(1)} s)` : '';
  return `${WORDS[status]} ${name}${time}${detail === '' ? '' : `: ${detail}`}\n`;
}
