// Reports changes of this host to the control plane.
import type { Clock, Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { AgentMessage, BuildFact, ImageFact, MacFact } from '../../../shared/protocol/index.js';
import type { AttemptRef } from '../../contract/attempt-folder.js';
import type { LinkLimits } from '../../limits.js';
import { coalesce } from '../../system/coalesce.js';
import type { BuildSupervisor } from '../supervisor.js';
import type { Hello } from './connection.js';
import { refKey } from './ref-key.js';

/**
 * Returns whether the attempt is reported to the control plane. An attempt that is starting may be lost with this daemon,
 * so it is not reported, and the control plane keeps sending what is needed to start it.
 */
export const isReportable = (fact: BuildFact): boolean => fact.state !== 'starting';

export type Reports = ReturnType<typeof createReports>;

export function createReports(deps: {
  builds: Pick<BuildSupervisor, 'facts'>;
  macFacts: () => Promise<MacFact[]>;
  imageFacts: () => Promise<ImageFact[]>;
  /** Returns false when the link is down; the next hello reports everything. */
  send: (message: AgentMessage) => boolean;
  clock: Clock;
  limits: () => LinkLimits;
  log: Log;
}) {
  const { builds, macFacts, imageFacts, send, clock, limits, log } = deps;
  const reportedStates = new Map<string, BuildFact['state']>();
  let reportedMacs = new Map<string, string>();
  let reportedImages = '[]';
  let activity: Timer | null = null;

  const sendBuilds = (all: BuildFact[]) => {
    const facts = all.filter(isReportable);
    if (facts.length === 0 || !send({ type: 'facts', builds: facts, macs: [] })) return;
    for (const fact of facts) reportedStates.set(refKey(fact), fact.state);
  };

  const reportChangedMacs = async () => {
    const facts = await macFacts();
    const present = new Set(facts.map((fact) => fact.slot_id));
    const emptied = [...reportedMacs.keys()].filter((slotId) => !present.has(slotId)).map(emptySlot);
    const changed = [...facts, ...emptied].filter((fact) => reportedMacs.get(fact.slot_id) !== JSON.stringify(fact));
    if (changed.length === 0 || !send({ type: 'facts', builds: [], macs: changed })) return;
    for (const fact of changed) reportedMacs.set(fact.slot_id, JSON.stringify(fact));
    for (const { slot_id } of emptied) reportedMacs.delete(slot_id);
  };
  const reportMacs = coalesce(() =>
    reportChangedMacs().catch((error: unknown) => {
      log.error({ err: error }, 'cannot list the Macs of this host');
    }),
  );

  const reportImages = coalesce(async () => {
    try {
      const images = await imageFacts();
      const text = JSON.stringify(images);
      if (text === reportedImages || !send({ type: 'facts', builds: [], macs: [], images })) return;
      reportedImages = text;
    } catch (error) {
      log.error({ err: error }, 'cannot list the images of this host');
    }
  });

  return {
    up(hello: Pick<Hello, 'builds' | 'macs' | 'images'>) {
      reportedStates.clear();
      for (const fact of hello.builds) reportedStates.set(refKey(fact), fact.state);
      reportedMacs = new Map(hello.macs.map((fact) => [fact.slot_id, JSON.stringify(fact)]));
      reportedImages = JSON.stringify(hello.images ?? []);
      // What changed while hello was in flight.
      sendBuilds(builds.facts().filter((fact) => reportedStates.get(refKey(fact)) !== fact.state));
      void reportMacs();
      void reportImages();
    },
    build(fact: BuildFact) {
      if (reportedStates.get(refKey(fact)) !== fact.state) {
        sendBuilds([fact]);
        return;
      }
      activity ??= clock.setTimeout(() => {
        activity = null;
        sendBuilds(builds.facts());
      }, limits().activityMs);
    },
    gone(ref: AttemptRef) {
      reportedStates.delete(refKey(ref));
    },
    /** To be called when Macs may have changed. */
    macs: () => void reportMacs(),
    /**
     * Call it when images may have changed, and when a desire names others: then all of them are reported again, because the
     * control plane keeps only reports about images that are named at that time.
     */
    images(again = false) {
      if (again) reportedImages = '[]';
      void reportImages();
    },
    close() {
      activity?.cancel();
    },
  };
}

function emptySlot(slotId: string): MacFact {
  const nothing = { rental_id: null, xcode: null, progress: null, refused: null, error: null };
  return { slot_id: slotId, generation: 0, revision: 0, state: 'empty', ...nothing };
}
