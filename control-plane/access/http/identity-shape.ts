import { z } from 'zod';
import { isoTime } from '../../platform/domain/iso-time.js';
import { time } from '../../platform/http/values.js';
import type { Identities } from '../app/identities.js';

type Identity = NonNullable<Awaited<ReturnType<Identities['of']>>>;

const text = (most: number) => z.string().max(most);

/** What the provider has added to the address of `/sign-in/provider`, with the token of its request. */
export const identityAnswerShape = z
  .object({
    token: text(2_000).meta({ description: '`token` of `POST /v1/session/provider/begin`' }),
    state: text(500),
    code: text(8_000).optional(),
    error: text(200).optional(),
    iss: text(1_000).optional(),
  })
  .meta({ id: 'IdentityProviderAnswer' });

export const linkedIdentityShape = z
  .object({
    email: z.string().nullable().meta({ description: 'At the provider, when the account was linked' }),
    linked_at: time,
    last_used_at: time.nullable(),
  })
  .meta({ id: 'LinkedIdentity' });

export const identityView = ({ email, createdAt, lastUsedAt }: Identity) => ({
  email,
  linked_at: isoTime(createdAt),
  last_used_at: isoTime(lastUsedAt),
});

export const providerShape = z
  .object({ name: z.string().meta({ description: 'Host of the provider' }) })
  .nullable()
  .meta({ description: 'The identity provider of the service; null: none is configured' });
