// Fetches of images that operators request.
import { z } from 'zod';
import type { Hosts } from '../../hosts/app/hosts.js';
import { targetOf, targetOfAll } from '../../platform/domain/audit-entry.js';
import { operation } from '../../platform/http/operation.js';
import type { ImagePulls } from '../app/image-pulls.js';

export const pullImage = operation<{
  readonly images: Pick<ImagePulls, 'request'>;
  readonly hosts: Pick<Hosts, 'named'>;
}>()({
  name: 'image.pull',
  summary: 'Fetch the image of a tier on its hosts, a few at a time',
  input: z.object({
    tier: z.string().meta({ description: 'Tier whose image is fetched' }),
    host: z.string().optional().meta({ description: 'Only this host of the tier, by id or name (default: all)' }),
  }),
  output: z.object({ tier: z.string(), hosts: z.array(z.string()).meta({ description: 'Ids of the hosts' }) }),
  audit: { name: 'image.pull', concerns: [] },
  confirm: false,
  access: 'console',
  errors: ['invalid_request', 'invalid_tier', 'host_not_found', 'host_state'],
  async run({ images, hosts }, { tier, host }, { record, concerns }) {
    concerns({ target: targetOf(tier) });
    const hostId = host === undefined ? null : (await hosts.named(host)).hostId;
    const done = record((ids: readonly string[]) => ({ target: targetOfAll(ids) }));
    return { tier, hosts: [...(await images.request(tier, hostId, done))] };
  },
});

export const imageOperations = [pullImage];
