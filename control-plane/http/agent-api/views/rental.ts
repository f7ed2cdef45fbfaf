// Rented Macs in full: GET /rentals and GET /rentals/{rental_id}.
import { z } from 'zod';
import type { AccountQueue } from '../../../app/queue.js';
import type { BusyMac, MacDetail } from '../../../app/rented-macs.js';
import { buildShape, buildView, type ViewContext } from './build.js';
import { jobShape, jobView } from './jobs.js';
import { macShape, macView } from './mac.js';
import { queueShape, queueView } from './queue.js';

const busyMac = macShape
  .extend({ current_build: buildShape.nullable(), queued_builds: z.int().min(0) })
  .meta({ id: 'RentedMac' });

export const rentalListShape = z
  .object({ rentals: z.array(busyMac), queue: queueShape })
  .meta({ id: 'RentalList' });

const names = z.array(z.string());

export const macDetailShape = macShape
  .extend({
    current_build: buildShape.nullable(),
    queued_builds: z.int().min(0),
    mac_state: z.enum(['preparing', 'ready', 'building', 'resetting', 'updating']).nullable(),
    setup: z.object({ xcode: z.string().nullable(), runtimes: names, tools: names }),
    setup_options: z.object({ xcode: names, runtimes: names, tools: names }),
    op: jobShape.nullable(),
  })
  .meta({ id: 'RentalDetail' });

function busyMacView(busy: BusyMac, context: ViewContext): z.infer<typeof busyMac> {
  return {
    ...macView(busy, context.now),
    current_build: busy.currentBuild && buildView(busy.currentBuild, context),
    queued_builds: busy.queuedBuilds,
  };
}

export function rentalListView(
  { macs, queue }: { macs: readonly BusyMac[]; queue: AccountQueue },
  context: ViewContext,
): z.infer<typeof rentalListShape> {
  return { rentals: macs.map((mac) => busyMacView(mac, context)), queue: queueView(queue, context) };
}

export function macDetailView(detail: MacDetail, context: ViewContext): z.infer<typeof macDetailShape> {
  const { mac, lastJob } = detail;
  return {
    ...busyMacView(detail, context),
    mac_state: mac.state === 'reserved' ? null : mac.state,
    setup: { xcode: mac.xcode, runtimes: [...mac.runtimes], tools: [...mac.tools] },
    setup_options: {
      xcode: [...mac.xcodeVersions],
      runtimes: [...mac.tierRuntimes],
      tools: [...mac.tierTools],
    },
    op: lastJob && jobView(lastJob),
  };
}
