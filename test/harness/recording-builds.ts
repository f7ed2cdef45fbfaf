// The builds port of the link, in memory: stores logs as the control plane does, and records the reports.
import { createHash } from 'node:crypto';
import type { LinkBuilds, LinkMacs } from '../../control-plane/hosts/app/link-ports.js';
import type {
  BuildFact,
  BuildResult,
  BuildSecret,
  BuildSpec,
  DesiredBuild,
  DesiredImage,
  DesiredMac,
  ImageFact,
  MacFact,
  StopReason,
} from '../../shared/protocol/index.js';
import { until } from './until.js';

interface Recorded {
  spec: BuildSpec;
  secrets: BuildSecret[];
  hostId: string;
  reported: boolean;
  log: Buffer[];
  logBytes: number;
  facts: BuildFact[];
  finishes: BuildResult[];
  /** The log that was stored is not the one that the host has reported. */
  damage: Error | null;
  stop: StopReason | null;
}

export interface RecordingBuilds extends LinkBuilds, LinkMacs {
  /** Assigns a build to a host; the caller must wake the link. */
  assign(hostId: string, spec: Partial<BuildSpec> & { build_id: string }, secrets?: BuildSecret[]): void;
  cancel(buildId: string): void;
  /** Removes the build from its host, as after a move. */
  forget(buildId: string): void;
  log(buildId: string): Buffer;
  recorded(buildId: string): Recorded;
  macs: DesiredMac[];
  macFactsOf: Map<string, readonly MacFact[]>;
  images: DesiredImage[];
  imageFactsOf: Map<string, readonly ImageFact[]>;
  /** Called before every append; may throw or wait. */
  beforeOutput: (buildId: string, bytes: number) => void | Promise<void>;
  /** Resolves when the build's end has been reported with its whole log; rejects when that log is another. */
  finishedOnce(buildId: string): Promise<BuildResult>;
}

export function recordingBuilds(): RecordingBuilds {
  const builds = new Map<string, Recorded>();
  const own = (hostId: string, ref: { build_id: string; attempt: number }) => {
    const build = builds.get(ref.build_id);
    return build && build.hostId === hostId && build.spec.attempt === ref.attempt ? build : null;
  };
  const recorded = (buildId: string) => {
    const build = builds.get(buildId);
    if (!build) throw new Error(`no build ${buildId}`);
    return build;
  };

  const self: RecordingBuilds = {
    macs: [],
    macFactsOf: new Map(),
    images: [],
    imageFactsOf: new Map(),
    beforeOutput: () => {},
    assign(hostId, spec, secrets = []) {
      builds.set(spec.build_id, {
        spec: { ...plainSpec, ...spec },
        secrets,
        hostId,
        reported: false,
        log: [],
        logBytes: 0,
        facts: [],
        finishes: [],
        damage: null,
        stop: null,
      });
    },
    cancel(buildId) {
      recorded(buildId).stop = 'cancelled_by_user';
    },
    forget: (buildId) => void builds.delete(buildId),
    log: (buildId) => Buffer.concat(recorded(buildId).log),
    recorded,
    async finishedOnce(buildId) {
      let first: BuildResult | undefined;
      const ended = () => {
        const build = builds.get(buildId);
        if (build?.damage) throw build.damage;
        first = build?.finishes[0];
        return first !== undefined;
      };
      await until(ended, `the end of ${buildId} is reported`);
      return first!;
    },
    async desiredBuilds(hostId) {
      const desired: DesiredBuild[] = [];
      for (const b of builds.values()) {
        if (b.hostId !== hostId || b.finishes.length > 0) continue;
        desired.push({
          build_id: b.spec.build_id,
          attempt: b.spec.attempt,
          want: b.stop ? 'stop' : 'run',
          stop_reason: b.stop,
          spec: b.reported ? null : b.spec,
          secrets: b.reported ? null : b.secrets,
        });
      }
      return desired;
    },
    async facts(hostId, facts) {
      for (const fact of facts) {
        const build = own(hostId, fact);
        if (!build) continue;
        if (fact.state !== 'absent') build.reported = true;
        build.facts.push(fact);
      }
    },
    async output(hostId, header, data) {
      await self.beforeOutput(header.build_id, data.length);
      const build = own(hostId, header);
      if (!build) return { nextOffset: header.offset + data.length };
      if (header.offset === build.logBytes && data.length > 0) {
        build.log.push(Buffer.from(data));
        build.logBytes += data.length;
      }
      return { nextOffset: build.logBytes };
    },
    async finished(hostId, { build_id, attempt, result }) {
      const build = own(hostId, { build_id, attempt });
      // A repeated end has no effect, like every report of an attempt that is not running any more.
      if (!build || build.finishes.length > 0) return { resendFrom: null };
      if (result.log.lost) {
        build.finishes.push(result);
        return { resendFrom: null };
      }
      if (build.logBytes < result.log.bytes) return { resendFrom: build.logBytes };
      const hash = createHash('sha256').update(self.log(build_id)).digest('hex');
      if (hash !== result.log.sha256) {
        build.damage = new Error(`the log of ${build_id} is not what the host has`);
        throw build.damage;
      }
      build.finishes.push(result);
      return { resendFrom: null };
    },
    desiredMacs: async () => self.macs,
    desiredImages: async () => self.images,
    async imageFacts(hostId, facts) {
      self.imageFactsOf.set(hostId, facts);
    },
    async macFacts(hostId, facts) {
      self.macFactsOf.set(hostId, facts);
    },
  };
  return self;
}

export const plainSpec: BuildSpec = {
  build_id: 'rb_1',
  attempt: 1,
  account_id: 1,
  rental_id: 'rt_1',
  slot_id: 'slot_1',
  script: 'true',
  xcode: null,
  timeout_ms: 3_600_000,
  clean_tree: false,
  source: { kind: 'git', url: 'https://example.com/x.git', ref: null, commit: null, pr: null },
  labels: { repo: null, ref: null, commit: null, pr: null },
  log: { head_bytes: 64 * 1024 * 1024, tail_bytes: 256 * 1024 },
  kill_grace_ms: 10_000,
  artifacts: { max_files: 100, max_bytes: 2 ** 30 },
};
