// Rented Macs in full: GET /rentals and GET /rentals/{rental_id}.
import { z } from 'zod';
import { listedBuildShape, listedBuildView, type ViewContext } from '../../builds/http/build-view.js';
import { queueShape, queueView } from '../../builds/http/queue-view.js';
import { jobShape, jobView } from '../../macs/http/jobs-view.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import { nextCursor } from '../../platform/http/page.js';
import { count, time } from '../../platform/http/values.js';
import type { BusyMac, MacDetail, MacList } from '../app/rented-macs.js';
import { macShape, macState, macView } from './mac-view.js';

const busyFields = {
  current_build: listedBuildShape.nullable(),
  queued_builds: count.meta({ description: 'Waiting builds pinned to it' }),
};

const busyMac = macShape.extend(busyFields).meta({ id: 'RentedMac', title: 'A rented Mac and what it builds' });

export const rentalListShape = z
  .object({ rentals: z.array(busyMac), queue: queueShape, next_cursor: nextCursor })
  .meta({ id: 'RentalList', title: 'Macs that have not ended, and the account’s queue' });

const names = z.array(z.string());

export const macDetailShape = macShape
  .extend({
    ...busyFields,
    mac_state: macState.exclude(['reserved']).nullable().meta({ description: 'As `state`, but null while reserved' }),
    setup: z
      .object({ xcode: z.string().nullable(), runtimes: names, tools: names })
      .meta({ id: 'MacSetup', title: 'What is installed and selected' }),
    setup_options: z
      .object({ xcode: names, runtimes: names, tools: names })
      .meta({ title: 'What may be selected for this Mac' }),
    op: jobShape.nullable().meta({ title: 'Its last job' }),
    resets: z
      .object({
        left: count.meta({ description: 'New VMs left within 24 hours' }),
        next_at: time.nullable().meta({ title: 'When the next one is allowed; null: now' }),
      })
      .meta({ title: 'Limits of changes that recreate it' }),
  })
  .meta({ id: 'RentalDetail', title: 'A rented Mac with what is installed on it' });

function busyMacView(busy: BusyMac, context: ViewContext): z.infer<typeof busyMac> {
  return {
    ...macView(busy, context.now),
    current_build: busy.currentBuild && listedBuildView(busy.currentBuild, context),
    queued_builds: busy.queuedBuilds,
  };
}

/** @param most builds of each list of the queue */
export function rentalListView(
  { macs, queue, next, most }: MacList & { next: string | null; most: number },
  context: ViewContext,
): z.infer<typeof rentalListShape> {
  return {
    rentals: macs.map((mac) => busyMacView(mac, context)),
    queue: queueView(queue, context, most),
    next_cursor: next,
  };
}

export function macDetailView(detail: MacDetail, context: ViewContext): z.infer<typeof macDetailShape> {
  const { mac, lastJob, resets } = detail;
  return {
    ...busyMacView(detail, context),
    mac_state: mac.state === 'reserved' ? null : mac.state,
    setup: { xcode: mac.xcode, runtimes: [...mac.runtimes], tools: [...mac.tools] },
    setup_options: {
      xcode: [...mac.xcodeVersions],
      runtimes: [...mac.tierRuntimes],
      tools: [...mac.tierTools],
    },
    op: lastJob && jobView(lastJob, mac.name),
    resets: { left: resets.left, next_at: isoTime(resets.nextAt) },
  };
}
