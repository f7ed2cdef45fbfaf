// Fake builds of a host: logs in real files, results when the test says so. This is what a host keeps on disk and in
// its build processes, so it survives any number of daemons.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { appendFile, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptRef } from '../../../host-agent/contract/attempt-folder.js';
import { refKey } from '../../../host-agent/daemon/link/ref-key.js';
import type { BuildSupervisor } from '../../../host-agent/daemon/supervisor.js';
import type { BuildEvents } from '../../../host-agent/daemon/tracked-build.js';
import type {
  ArtifactReport,
  BuildFact,
  BuildResult,
  BuildSecret,
  BuildSpec,
  StopReason,
} from '../../../shared/protocol/index.js';
import { plainResult } from '../../harness/plain-result.js';

export interface SpooledBuild {
  readonly spec: BuildSpec;
  readonly secrets: readonly BuildSecret[];
  readonly stops: StopReason[];
  output(data: Buffer | string): Promise<void>;
  artifact(name: string, data: Buffer): Promise<void>;
  /** Ends the build when what it has put out is in the log, like a runner, which reports a log only once it is whole. */
  finish(result?: Partial<BuildResult>): void;
}

interface Held extends SpooledBuild {
  fact: BuildFact;
  logFile: string;
  ending: boolean;
  result: BuildResult | null;
}

export interface SpooledBuilds {
  /** Opens the builds for a daemon; an earlier daemon gets no more events. */
  open(events: BuildEvents): BuildSupervisor;
  build(buildId: string): SpooledBuild;
  has(buildId: string): boolean;
  /** Number of calls of start. */
  readonly starts: string[];
  /** Builds that ignore a stop. */
  readonly stubborn: Set<string>;
  /** Makes the next starts fail. */
  failStarts(error: Error, times: number): void;
}

export function spooledBuilds(
  dir: string,
  run: (build: SpooledBuild) => void | Promise<void> = () => {},
): SpooledBuilds {
  mkdirSync(dir, { recursive: true });
  const held = new Map<string, Held>();
  const starts: string[] = [];
  const refusals: Error[] = [];
  const stubborn = new Set<string>();
  let events: BuildEvents | null = null;

  const place: Place = { dir, events: () => events };

  return {
    starts,
    stubborn,
    failStarts: (error, times) => void refusals.push(...Array.from({ length: times }, () => error)),
    has: (buildId) => [...held.values()].some((h) => h.spec.build_id === buildId),
    build(buildId) {
      const h = [...held.values()].find((one) => one.spec.build_id === buildId);
      if (!h) throw new Error(`no build ${buildId}`);
      return h;
    },
    open(next) {
      events = next;
      return {
        silentMs: () => null,
        async start(spec, secrets) {
          starts.push(spec.build_id);
          const refusal = refusals.shift();
          if (refusal) throw refusal;
          if (held.has(refKey(spec))) return;
          const h = create(place, spec, secrets);
          await writeFile(h.logFile, '');
          held.set(refKey(spec), h);
          events?.onFact(h.fact);
          void Promise.resolve(run(h));
        },
        stop(ref, reason) {
          const h = held.get(refKey(ref));
          if (!h) throw new Error(`stop of an unknown build ${refKey(ref)}`);
          h.stops.push(reason);
          if (!h.ending && !stubborn.has(ref.build_id))
            h.finish({ outcome: 'stopped', stop_reason: reason, exit_code: 143 });
        },
        facts: () => [...held.values()].map((h) => h.fact),
        isOfThisBoot: async (ref) => held.has(refKey(ref)),
        slotOf: (ref) => held.get(refKey(ref))?.spec.slot_id ?? null,
        result: (ref) => held.get(refKey(ref))?.result ?? null,
        serviceLines: () => [],
        async readLog(ref, offset, into) {
          const h = held.get(refKey(ref));
          if (!h) throw new Error(`read of an unknown build ${refKey(ref)}`);
          const file = await open(h.logFile);
          try {
            return (await file.read(into, 0, into.length, offset)).bytesRead;
          } finally {
            await file.close();
          }
        },
        artifactFile: (ref, name) => artifactPath(dir, ref, name),
        async forget(ref) {
          const h = held.get(refKey(ref));
          held.delete(refKey(ref));
          if (h) await rm(h.logFile);
        },
        adopt: async () => {},
        close: async () => {
          if (events === next) events = null;
        },
      };
    },
  };
}

interface Place {
  dir: string;
  /** Of the daemon that has opened the builds last. */
  events: () => BuildEvents | null;
}

function artifactPath(dir: string, ref: AttemptRef, name: string): string {
  return join(dir, `${ref.build_id}.${ref.attempt}.${name.replaceAll('/', '_')}`);
}

function create({ dir, events }: Place, spec: BuildSpec, secrets: readonly BuildSecret[]): Held {
  const ref = { build_id: spec.build_id, attempt: spec.attempt };
  const hash = createHash('sha256');
  const artifacts: ArtifactReport[] = [];
  let writing = Promise.resolve();
  const h: Held = {
    spec,
    secrets,
    stops: [],
    logFile: join(dir, `${ref.build_id}.${ref.attempt}.log`),
    fact: { ...ref, state: 'running', log_bytes: 0, last_output_at: null },
    ending: false,
    result: null,
    output(data) {
      const bytes = Buffer.from(data);
      writing = writing.then(async () => {
        await appendFile(h.logFile, bytes);
        hash.update(bytes);
        h.fact = { ...h.fact, log_bytes: h.fact.log_bytes + bytes.length, last_output_at: Date.now() };
        events()?.onOutput(ref, h.fact.log_bytes);
        events()?.onFact(h.fact);
      });
      return writing;
    },
    async artifact(name, data) {
      await writeFile(artifactPath(dir, ref, name), data);
      const sha256 = createHash('sha256').update(data).digest('hex');
      artifacts.push({ name, bytes: data.length, sha256 });
    },
    finish(result = {}) {
      h.ending = true;
      void writing.then(() => end(result));
    },
  };
  const end = (result: Partial<BuildResult>) => {
    const log = { bytes: h.fact.log_bytes, sha256: hash.digest('hex') };
    const ended = plainResult({
      script_started_at: 0,
      log: { ...log, omitted_bytes: 0, possibly_truncated: false },
      artifacts,
      ...result,
    });
    h.result = ended;
    h.fact = { ...h.fact, state: 'finished' };
    events()?.onFact(h.fact);
    events()?.onFinished(ref, ended);
  };
  return h;
}
