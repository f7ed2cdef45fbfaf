// Fixtures for tests of build processes: a data folder with a Mac, a source of empty uploads, and daemons over both.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import type { Test } from 'tap';
import { attemptName, buildFiles, processMark } from '../../../host-agent/contract/attempt-folder.js';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import { type BuildSupervisor, createBuildSupervisor } from '../../../host-agent/daemon/supervisor.js';
import type { MacDriver } from '../../../host-agent/driver/driver.js';
import { createLocalDriver } from '../../../host-agent/driver/local.js';
import type { BuildLimits } from '../../../host-agent/limits.js';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import type { BuildFact, BuildResult, BuildSpec } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { listening } from '../../harness/listening.js';
import { until } from '../../harness/until.js';
import { SLOT, tempFolder } from './rig.js';

/** A control plane that serves empty uploads; `hold` delays its responses. */
async function sourceServer(t: Test) {
  let release: () => void = () => undefined;
  let gate: Promise<void> | null = null;
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(request.url ?? '');
    await gate;
    response.end(JSON.stringify({ files: [], links: [], directories: [] }));
  });
  const port = await listening(t, server);
  t.teardown(() => release());
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    hold() {
      gate = new Promise((resolve) => {
        release = resolve;
      });
    },
    letGo() {
      release();
      gate = null;
    },
  };
}

export interface House {
  dataDir: string;
  siteUrl: string;
  driver: MacDriver;
}

export async function openHouse(
  t: Test,
  dataDir = tempFolder(t),
  driver: MacDriver = createLocalDriver({ dataDir }),
  image: string | null = null,
): Promise<House & Awaited<ReturnType<typeof sourceServer>>> {
  const server = await sourceServer(t);
  await createMacChanges(driver).bring(desiredMac({ slot_id: SLOT, image }), () => {});
  return { ...server, dataDir, driver, siteUrl: server.url };
}

/** The folder with a random name that holds the attempts of a house. */
export function attemptsFolder(house: House): string {
  const builds = path.join(house.dataDir, 'builds');
  const [random = 'none'] = readdirSync(builds);
  return path.join(builds, random);
}

export const folderOf = (house: House, spec: BuildSpec) => path.join(attemptsFolder(house), attemptName(spec));

/** Environment variables of every process of the build. */
export function markOf(house: House, spec: BuildSpec): string {
  return processMark(buildFiles(house.driver.runs(SLOT), spec));
}

/** A shell command for scripts that search for their attempt's folder, starting from HOME. */
export const FIND_ATTEMPT = 'd=$(cd "$HOME"/../../../builds/*/"$CIDERMILL_BUILD_ID".1 && pwd)';

export interface Daemon extends BuildSupervisor {
  finished: Map<string, BuildResult>;
  facts_told: BuildFact[];
  reported: Map<string, number>;
  log(spec: BuildSpec): Promise<string>;
  end(spec: BuildSpec): Promise<BuildResult>;
  /** Returns the lines of the log, and which of them are marked as the service's. */
  sources(spec: BuildSpec): Promise<{ text: string; isService: boolean }[]>;
  /** What is on disk about the attempt's process. */
  state(spec: BuildSpec): string;
}

export function openDaemon(
  t: Test,
  house: House,
  limits: Partial<BuildLimits> = {},
  buildProgram?: string,
  clock: Clock = systemClock,
): Daemon {
  const finished = new Map<string, BuildResult>();
  const reported = new Map<string, number>();
  const factsTold: BuildFact[] = [];
  const supervisor = createBuildSupervisor({
    dataDir: house.dataDir,
    driver: house.driver,
    log: createLog('test', 'fatal'),
    clock,
    link: () => ({ siteUrl: house.siteUrl, credential: 'credential-of-the-host' }),
    // Without warm processes, where a test is not about them.
    limits: () => ({ warmProcesses: 0, ...limits }),
    buildProgram,
    events: {
      onFact: (fact) => factsTold.push(fact),
      onOutput: (ref, bytes) => reported.set(attemptName(ref), bytes),
      onFinished(ref, result) {
        if (finished.has(attemptName(ref))) throw new Error(`${attemptName(ref)} finished twice`);
        finished.set(attemptName(ref), result);
      },
    },
  });
  t.teardown(() => supervisor.close());
  const log = async (spec: BuildSpec) => {
    const pieces: Buffer[] = [];
    for (let offset = 0; ; ) {
      const piece = Buffer.alloc(100_000);
      const length = await supervisor.readLog(spec, offset, piece);
      if (length === 0) return Buffer.concat(pieces).toString();
      pieces.push(piece.subarray(0, length));
      offset += length;
    }
  };
  return {
    ...supervisor,
    finished,
    reported,
    facts_told: factsTold,
    log,
    async sources(spec) {
      const bytes = Buffer.from(await log(spec));
      const ranges = supervisor.serviceLines(spec, 0, bytes.length);
      let end = 0;
      return (bytes.toString().match(/[^\n]*\n|[^\n]+$/g) ?? []).map((text) => {
        const from = end;
        end += Buffer.byteLength(text);
        return { text, isService: ranges.some(([start, stop]) => start <= from && end <= stop) };
      });
    },
    state: (spec) => readFileSync(path.join(folderOf(house, spec), 'state.json'), 'utf8'),
    async end(spec) {
      await until(() => finished.has(attemptName(spec)), `${attemptName(spec)} has ended`);
      const result = finished.get(attemptName(spec));
      if (!result) throw new Error('no result');
      return result;
    },
  };
}

/** Returns the id of the build's process. */
export const pidOf = (house: House, spec: BuildSpec): number =>
  JSON.parse(readFileSync(path.join(folderOf(house, spec), 'state.json'), 'utf8')).pid;
