// The last steps of an installation: does the agent reach its service, and what does the machine lack?

import { z } from 'zod';
import { cleanText } from '../../../shared/clean-text.js';
import { countOf } from '../../../shared/count.js';
import { pause } from '../../../shared/pause.js';
import { type AgentState, readAgentState } from '../../daemon/agent-state.js';
import { MOST_FIX } from '../../doctor/check.js';
import type { Account } from '../../installation/account.js';
import { asOwner } from '../../installation/as-user.js';
import { InstallError, TRY_LATER } from '../../installation/install-error.js';
import { type Found, leftOut, ok, type Step } from '../../installation/steps.js';
import { lockHolder } from '../../system/lock.js';
import type { InstallDeps } from './machine.js';
import type { InstallPlan } from './plan.js';

const CONNECTED_WITHIN_MS = 60_000;
const POLL_MS = 250;

/** @param replaced start time of the agent that has just been told to end; null: none was told */
export function connectionStep(
  { data, tools }: InstallPlan,
  replaced: () => number | null,
  { clock }: InstallDeps,
): Step {
  const current = () => {
    const state = runningAgent(data);
    return state === null || state.started_at === replaced() ? null : state;
  };
  const isUp = () => current()?.link.state === 'up';
  return {
    name: 'connection',
    async look(): Promise<Found> {
      if (tools === null) return leftOut(`start the agent with: cidermill host-agent run --data ${data}`);
      if (isUp()) return ok(connected(data));
      return {
        state: 'needed',
        text: 'wait until the agent is connected',
        async apply() {
          const end = clock.monotonic() + CONNECTED_WITHIN_MS;
          while (!isUp()) {
            const refused = current()?.link.state === 'refused';
            if (refused || clock.monotonic() >= end) throw new InstallError(whyNot(data), TRY_LATER);
            await pause(clock, POLL_MS);
          }
          return connected(data);
        },
      };
    },
  };
}

/** Returns the state of the agent that runs, or null. */
export function runningAgent(data: string): AgentState | null {
  return asOwner(data, () => {
    const state = readAgentState(data);
    return state !== null && state.pid === lockHolder(data) ? state : null;
  });
}
const connected = (data: string): string => {
  const state = runningAgent(data);
  return `${state?.name} (${state?.host_id}) is connected to ${state?.service}`;
};

function whyNot(data: string): string {
  const state = runningAgent(data);
  const again = 'Everything is installed: the agent keeps trying. See: cidermill host-agent status';
  if (state === null)
    return `the agent does not run; see: cidermill host-agent logs, and cidermill host-agent logs --crash`;
  if (state.link.state === 'refused') {
    return `${state.service} no longer knows this host; enroll it with a new token: add --enroll-again`;
  }
  return `not connected to ${state.service}: ${state.link.reason ?? state.link.state}. ${again}`;
}

/** What this reads of the doctor's report. */
const shown = z.string().transform((text) => cleanText(text, MOST_FIX));
const doctorReport = z.object({
  findings: z.array(
    z.object({
      name: shown,
      status: z.string(),
      found: shown,
      fix: shown.nullable(),
    }),
  ),
});

/** Problems that the doctor finds are shown; they do not make the installation fail. */
export function doctorStep(
  { data, tools, session, driver }: InstallPlan,
  account: () => Account,
  deps: InstallDeps,
): Step {
  return {
    name: 'doctor',
    async look(): Promise<Found> {
      if (tools === null) return leftOut('checks of this machine; run: cidermill host-agent doctor');
      return {
        state: 'needed',
        text: 'check this machine',
        async apply() {
          const args = ['doctor', '--json', '--data', data, '--driver', driver];
          const { code, stdout } = await deps.runCommand({
            account: account(),
            args,
            inSession: session === 'login',
          });
          const report = parseReport(stdout);
          if (report === null) return `the doctor ended with ${code} and no report; run: cidermill host-agent doctor`;
          const of = (wanted: string) => report.findings.filter(({ status }) => status === wanted);
          const [problems, warnings] = [of('failed'), of('warning')];
          return [
            ...(problems.length === 0 ? ['no problems found'] : []),
            ...problems.map(({ name, found, fix }) => `${name}: ${found}${fix === null ? '' : `. ${fix}`}`),
            ...(warnings.length === 0 ? [] : [`${warningsText(warnings)}; see: cidermill host-agent doctor`]),
          ].join('\n');
        },
      };
    },
  };
}

const warningsText = (warnings: readonly { name: string }[]) =>
  `${countOf(warnings.length, 'warning')} (${warnings.map(({ name }) => name).join(', ')})`;

function parseReport(stdout: string) {
  try {
    return doctorReport.safeParse(JSON.parse(stdout)).data ?? null;
  } catch {
    // Not JSON.
    return null;
  }
}
