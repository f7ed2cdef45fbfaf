// Runs single builds for a trial: through the supervisor and a real build process, like every build.
import { readFileSync } from 'node:fs';
import { systemClock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { BuildResult, BuildSecret } from '../../shared/protocol/index.js';
import { createBuildSupervisor } from '../daemon/supervisor.js';
import type { MacDriver } from '../driver/driver.js';
import { serveTrialSources } from './trial-sources.js';

export interface TrialBuild {
  script: string;
  files: Readonly<Record<string, string>>;
  secrets?: readonly BuildSecret[];
  xcode?: string | null;
  /** Stops the build as soon as its log contains this text. */
  stopAt?: string;
}

export interface TrialRun {
  result: BuildResult;
  log: string;
  /** Contents of the artifacts by name. */
  artifacts: Record<string, string>;
}

export interface TrialBuilds {
  run(build: TrialBuild): Promise<TrialRun>;
  close(): Promise<void>;
}

const SLOWEST_MS = 10 * 60_000;
const MOST_LOG = 1024 * 1024;

/** @param options.slotId the Mac in which the builds run; must be ready when `run` is called */
export async function openTrialBuilds(options: {
  dataDir: string;
  driver: MacDriver;
  slotId: string;
  log: Log;
}): Promise<TrialBuilds> {
  const { dataDir, driver, slotId, log } = options;
  const sources = await serveTrialSources();
  const ended = new Map<string, (result: BuildResult) => void>();
  let grew = () => {};
  const builds = createBuildSupervisor({
    dataDir,
    driver,
    log,
    clock: systemClock,
    link: () => sources.link,
    limits: () => ({ warmProcesses: 0 }),
    events: {
      onFact: () => {},
      onOutput: () => grew(),
      onFinished: ({ build_id }, result) => ended.get(build_id)?.(result),
    },
  });
  await builds.adopt();
  let count = 0;

  const textOf = async (ref: { build_id: string; attempt: number }) => {
    const into = Buffer.alloc(MOST_LOG);
    const length = await builds.readLog(ref, 0, into);
    return into.toString('utf8', 0, length);
  };

  return {
    async run({ script, files, secrets = [], xcode = null, stopAt }) {
      count += 1;
      const ref = { build_id: `trial_${process.pid}_${count}`, attempt: 1 };
      const result = new Promise<BuildResult>((resolve) => ended.set(ref.build_id, resolve));
      if (stopAt !== undefined) {
        grew = () =>
          void textOf(ref).then(
            (text) => text.includes(stopAt) && builds.stop(ref, 'cancelled_by_user'),
            (error: unknown) => log.error({ err: error }, 'cannot read the log of a trial build'),
          );
      }
      const upload = sources.put(files);
      await builds.start(
        {
          ...ref,
          account_id: 0,
          rental_id: 'trial',
          slot_id: slotId,
          script,
          xcode,
          timeout_ms: SLOWEST_MS,
          kill_grace_ms: 500,
          clean_tree: false,
          source: { kind: 'upload', upload_id: 'trial', ...upload },
          source_key: 'upload:trial',
          labels: { repo: null, ref: null, commit: null, pr: null },
          log: { head_bytes: MOST_LOG / 2, tail_bytes: MOST_LOG / 4 },
          artifacts: { max_files: 100, max_bytes: 64 * 1024 * 1024 },
        },
        secrets,
      );
      const done = await result;
      grew = () => {};
      const artifacts = Object.fromEntries(
        done.artifacts.map(({ name }) => [name, readFileSync(builds.artifactFile(ref, name), 'utf8')]),
      );
      const run = { result: done, log: await textOf(ref), artifacts };
      await builds.forget(ref);
      return run;
    },
    async close() {
      await builds.close();
      await sources.close();
    },
  };
}
