// The report of `cidermill host-agent doctor`, as text for people and as JSON for programs.
import os from 'node:os';
import type { TrialStep } from './trial.js';

export interface Finding {
  /** What was checked, e.g. `tart`. */
  readonly name: string;
  readonly ok: boolean;
  /** What was found. */
  readonly found: string;
  /** What to do about it; null when nothing is wrong. */
  readonly fix: string | null;
}

export interface DoctorReport {
  readonly version: string;
  readonly machine: { readonly os: string; readonly arch: string; readonly node: string };
  readonly driver: string;
  readonly findings: readonly Finding[];
  /** Null without --try, and when a failed check prevents the trial. */
  readonly trial: readonly TrialStep[] | null;
  readonly ok: boolean;
}

export function reportOf(
  version: string,
  driver: string,
  findings: readonly Finding[],
  trial: readonly TrialStep[] | null,
): DoctorReport {
  const ok =
    findings.every((finding) => finding.ok) && (trial ?? []).every(({ status }) => status !== 'failed');
  const machine = { os: `${os.type()} ${os.release()}`, arch: os.arch(), node: process.version };
  return { version, machine, driver, findings, trial, ok };
}

/** @example findingLine({ name: 'tart', ok: true, found: '2.36.0', fix: null }) // 'ok    tart: 2.36.0\n' */
export function findingLine({ name, ok, found, fix }: Finding): string {
  return `${ok ? 'ok   ' : 'FAIL '} ${name}: ${found}\n${fix === null ? '' : `      ${fix}\n`}`;
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
