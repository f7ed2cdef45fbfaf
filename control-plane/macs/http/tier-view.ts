// Tiers and their images as operators see them.

import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import { storedError } from '../../platform/domain/stored-message.js';
import { errorShapes, errorView } from '../../platform/http/message-view.js';
import { count, time, won } from '../../platform/http/values.js';
import type { ImageOfTier, ImageOnHost } from '../app/image-pulls.js';
import type { Tier } from '../domain/tier.js';

export const tierFieldsShape = {
  tier: z.string(),
  name: z.string(),
  price_won: won.meta({ description: 'Price of one Mac for 24 hours, VAT included' }),
  spec: z.object({
    chip: z.string(),
    cpu_cores: count,
    memory_gb: count,
    disk_gb: count,
    macos: z.string(),
  }),
  xcode_versions: z.array(z.string()),
  default_xcode: z.string().nullable(),
  runtimes: z.array(z.string()),
  tools: z.array(z.string()),
  image: z.string().nullable(),
  image_digest: z.string().nullable().meta({ description: 'Null: no host has resolved the image yet' }),
  from_image: z.array(z.string()).meta({ description: 'Values that come from the image' }),
  sales_open: z.boolean(),
  max_days: count,
};

export function tierView(tier: Tier) {
  return {
    tier: tier.tier,
    name: tier.name,
    price_won: tier.priceWon,
    spec: { ...tier.spec },
    xcode_versions: [...tier.xcodeVersions],
    default_xcode: tier.defaultXcode,
    runtimes: [...tier.runtimes],
    tools: [...tier.tools],
    image: tier.image,
    image_digest: tier.imageDigest,
    from_image: [...tier.fromImage],
    sales_open: tier.salesOpen,
    max_days: tier.maxDays,
  };
}

const imageHostShape = z
  .object({
    host_id: z.string(),
    name: z.string(),
    connected: z.boolean(),
    holds: z.boolean().meta({ description: 'The host can create Macs from the image at once' }),
    state: z.enum(['absent', 'pulling', 'ready', 'failed']).nullable(),
    digest: z.string().nullable(),
    percent: count.nullable(),
    fetched_bytes: count.nullable().meta({ description: 'Bytes that its fetch has transferred so far, compressed' }),
    fetch_bytes: count.nullable().meta({ description: 'Bytes that its fetch transfers in all' }),
    bytes: count.nullable(),
    ...errorShapes,
    offers_differ: z.boolean(),
    pull: z
      .object({
        status: z.enum(['queued', 'running', 'done', 'failed']),
        ...errorShapes,
        requested_at: time.nullable(),
        started_at: time.nullable(),
        ended_at: time.nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'ImageOnHost' });

export const tierImageShape = z
  .object({
    tier: z.string(),
    image: z.string().nullable(),
    image_digest: z.string().nullable(),
    offers: z
      .object({
        macos: z.string(),
        xcodes: z.array(z.object({ version: z.string(), build: z.string().nullable() })),
        runtimes: z.array(z.string()),
        tools: z.array(z.string()),
      })
      .nullable(),
    hosts: z.array(imageHostShape),
  })
  .meta({ id: 'TierImage', description: 'What the image of a tier offers, and which hosts have it' });

export function tierImageView({ tier, offers, hosts }: ImageOfTier) {
  return {
    tier: tier.tier,
    image: tier.image,
    image_digest: tier.imageDigest,
    offers,
    hosts: hosts.map(imageHostView),
  };
}

export function imageHostView({ host, image, holds, pull }: ImageOnHost) {
  return {
    host_id: host.hostId,
    name: host.name,
    connected: host.connected,
    holds,
    state: image?.state ?? null,
    digest: image?.digest ?? null,
    percent: image?.percent ?? null,
    fetched_bytes: image?.fetchedBytes ?? null,
    fetch_bytes: image?.fetchBytes ?? null,
    bytes: image?.bytes ?? null,
    offers_differ: image?.differs ?? false,
    ...errorView({ error: image && storedError(image) }),
    pull: pull && {
      status: pull.status,
      requested_at: isoTime(pull.createdAt),
      ...errorView({ error: storedError(pull) }),
      started_at: isoTime(pull.startedAt),
      ended_at: isoTime(pull.endedAt),
    },
  };
}
