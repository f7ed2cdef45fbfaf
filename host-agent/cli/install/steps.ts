// The steps of `host-agent install`, in their order.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { cleanText } from '../../../shared/clean-text.js';
import { readJson, writeDurably } from '../../../shared/durable-file.js';
import { packageVersion } from '../../../shared/package-version.js';
import type { AgentConfigInput } from '../../daemon/agent-config.js';
import { configPath, isolationRefusal, needsRestart, parseConfig } from '../../daemon/config.js';
import { readCredential } from '../../daemon/credential.js';
import { type Account, createRoleAccount } from '../../installation/account.js';
import { agentProgramStep } from '../../installation/agent-program.js';
import { asUser } from '../../installation/as-user.js';
import { foldersStep } from '../../installation/folders.js';
import { InstallError } from '../../installation/install-error.js';
import { jobPlist } from '../../installation/job.js';
import { jobPlaces, launchdStep, otherSessionStep, plistStep } from '../../installation/job-steps.js';
import { openLaunchd } from '../../installation/launchd.js';
import { commandStep, programStep } from '../../installation/links.js';
import { type Found, leftOut, ok, type Step } from '../../installation/steps.js';
import { readToken } from '../token.js';
import type { InstallDeps } from './machine.js';
import { connectionStep, doctorStep, runningAgent } from './outcome.js';
import { type InstallPlan, MISSING_URL, NOT_CREATED } from './plan.js';

/** Results of earlier steps that later steps use. */
interface Progress {
  account: Account;
  /** The version that the agent has once it is started. */
  version: string;
  /** The running agent has an older configuration. */
  restart: boolean;
  /** When the agent that has to be replaced was started; null: the running one may stay. */
  replaced: number | null;
}

export function installSteps(plan: InstallPlan, deps: InstallDeps): Step[] {
  const { paths, version, program, session, data, tools } = plan;
  const progress: Progress = {
    account: plan.account,
    version: packageVersion(),
    restart: false,
    replaced: null,
  };
  const { clock } = deps;
  const places = () =>
    jobPlaces(paths, progress.account, (domain) =>
      tools === null ? null : openLaunchd({ run: tools, domain, clock }),
    );
  const { home } = plan.account;
  return [
    accountStep(plan, progress),
    foldersStep(() => ({ paths, data, account: progress.account })),
    agentProgramStep(
      paths,
      version,
      () => (plan.selfUpgrade ? progress.account : null),
      (present) => {
        progress.version = present;
      },
    ),
    programStep(paths, version, program),
    commandStep(paths, version),
    enrolmentStep(plan, progress, deps),
    configurationStep(plan, progress),
    otherSessionStep(() => places()[session === 'daemon' ? 'login' : 'daemon']),
    plistStep(
      () => places()[session],
      () => jobPlist({ session, program, user: progress.account.name, home, data }),
    ),
    launchdStep(
      () => places()[session],
      () => {
        const running = runningAgent(data);
        const outdated = progress.restart || (running !== null && running.version !== progress.version);
        progress.replaced = outdated ? (running?.started_at ?? null) : null;
        return outdated;
      },
    ),
    connectionStep(plan, () => progress.replaced, deps),
    doctorStep(plan, () => progress.account, deps),
  ];
}

function accountStep({ account, tools }: InstallPlan, progress: Progress): Step {
  const { name, home } = account;
  return {
    name: 'account',
    async look(): Promise<Found> {
      if (tools === null) return leftOut(`users of this machine are left alone; the agent runs as ${name}`);
      if (account.uid !== NOT_CREATED) return ok(`${name} (${account.uid})`);
      return {
        state: 'needed',
        text: `create the role account ${name}, with which nobody can log in`,
        async apply() {
          progress.account = await createRoleAccount(tools, name, home);
          return `created the role account ${name} (${progress.account.uid})`;
        },
      };
    },
  };
}

/** Returns what this machine is enrolled as, in an existing data folder. */
function enrolled(data: string): { hostId: string; name: string; service: string | null } | null {
  if (!lstatSync(data, { throwIfNoEntry: false })) return null;
  const credential = readCredential(data);
  if (credential === null) return null;
  const config = readJson(configPath(data)) as { control_plane?: unknown } | undefined;
  const service = typeof config?.control_plane === 'string' ? config.control_plane : null;
  const clean = (text: string) => cleanText(text, 200);
  return {
    hostId: clean(credential.host_id),
    name: clean(credential.name),
    service: service === null ? null : clean(service),
  };
}

function enrolmentStep(plan: InstallPlan, progress: Progress, deps: InstallDeps): Step {
  const { flags, data } = plan;
  return {
    name: 'enrollment',
    async look(): Promise<Found> {
      const present = progress.account.uid === NOT_CREATED ? null : asUser(progress.account, () => enrolled(data));
      if (present !== null && !flags.enrollAgain) {
        refuseOtherService(present, flags.url);
        return ok(`${present.name} (${present.hostId}) of ${present.service ?? 'an unknown service'}`);
      }
      if (flags.url === undefined) throw new InstallError(MISSING_URL);
      const how = flags.approve ? 'with an approval code' : 'with a token';
      return {
        state: 'needed',
        text: `enroll with ${flags.url}, ${how}`,
        apply: () => enroll(plan, progress, deps),
      };
    },
  };
}

function refuseOtherService(present: { name: string; service: string | null }, url: string | undefined): void {
  if (url === undefined || present.service === null || origin(url) === origin(present.service)) return;
  throw new InstallError(
    `this machine is the host ${present.name} of ${present.service}, not of ${url}. If the service has moved, run on the service: ` +
      `cidermill admin host move-to ${url}. To enroll with another service, add --enroll-again`,
  );
}

const origin = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/** Shown on the terminal of root, and written by a process of the account. */
const shown = z.string().transform((text) => cleanText(text, 200));
const enrolledAs = z.object({ host_id: shown, name: shown });

async function enroll({ flags, data, driver }: InstallPlan, { account }: Progress, deps: InstallDeps): Promise<string> {
  const option = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  const args = [
    'enroll',
    '--json',
    '--data',
    data,
    '--url',
    flags.url ?? '',
    '--driver',
    driver,
    ...option('--name', flags.name),
    ...option('--ca-file', flags.caFile),
    ...option('--https-proxy', flags.httpsProxy),
    ...option('--bypass-proxy', flags.bypassProxy),
    ...(flags.allowUnisolated ? ['--allow-unisolated'] : []),
    ...(flags.approve ? ['--approve'] : []),
    ...(flags.enrollAgain ? ['--replace'] : []),
  ];
  const input = flags.approve ? '' : await readToken(flags.tokenFile);
  const { code, stdout } = await deps.runCommand({ account, args, input });
  // Its message is on standard error.
  if (code !== 0) throw new InstallError(`enrollment failed (exit code ${code})`, code);
  const { host_id, name } = enrolledAs.parse(JSON.parse(stdout));
  return `enrolled as ${name} (${host_id})`;
}

/** Brings agent.json up to the flags; what an operator has written into it stays. */
function configurationStep({ flags, data }: InstallPlan, progress: Progress): Step {
  const file = configPath(data);
  const wanted = (present: Record<string, unknown>): Partial<AgentConfigInput> => ({
    ...(flags.driver === undefined ? {} : { driver: flags.driver }),
    ...(flags.allowUnisolated ? { allow_unisolated: true } : {}),
    ...(flags.caFile === undefined ? {} : { ca_file: flags.caFile }),
    ...(flags.httpsProxy === undefined ? {} : { https_proxy: flags.httpsProxy }),
    ...(flags.bypassProxy === undefined ? {} : { no_proxy: flags.bypassProxy }),
    ...(typeof present.log_file === 'string' ? {} : { log_file: join(data, 'agent.log') }),
  });
  return {
    name: 'configuration',
    async look(): Promise<Found> {
      const json =
        progress.account.uid === NOT_CREATED || !lstatSync(data, { throwIfNoEntry: false })
          ? undefined
          : asUser(progress.account, () => readJson(file));
      const present = typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : null;
      if (present === null)
        return {
          state: 'needed',
          text: `write ${file}`,
          apply: () =>
            Promise.reject(new InstallError(`${file} is missing or is not JSON; enroll again with --enroll-again`)),
        };
      const fresh = { ...present, ...wanted(present) };
      const config = parseConfig(fresh);
      const refusal = isolationRefusal(config);
      if (refusal !== null) throw new InstallError(`${refusal}. The agent does not start without it`);
      if (JSON.stringify(fresh) === JSON.stringify(present)) return ok(file);
      return {
        state: 'needed',
        text: `update ${file}`,
        apply() {
          progress.restart = needsRestart(parseConfig(present), config).length > 0;
          asUser(progress.account, () => writeDurably(file, `${JSON.stringify(fresh, null, 2)}\n`));
        },
      };
    },
  };
}
