// Backup, and the key that seals secrets.
import { z } from 'zod';
import type { Organizations } from '../../access/app/organizations.js';
import { operation } from '../../platform/http/operation.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count } from '../../platform/http/values.js';
import type { Unreadable } from '../../start/app/unreadable-secrets.js';
import type { Rotation } from '../key-rotation.js';

interface Deps {
  readonly organizations: Pick<Organizations, 'list'>;
  backup(file: string): Promise<void>;
  rotateKey(): Promise<Rotation>;
  unreadableSecrets(): Promise<Unreadable[]>;
}

/** More than these at once have one cause. */
const SHOWN = 1_000;

export function createMaintenanceRoutes({ organizations, unreadableSecrets }: Deps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/unreadable-secrets',
      operationId: 'listUnreadableSecrets',
      level: 'read',
      errors: ['secrets_unavailable'],
      summary: 'Sealed values that cannot be opened: build secrets, signing secrets; at most 1,000',
      responses: {
        200: z
          .object({
            total: count,
            unreadable: z.array(
              z.object({
                org_id: z.string().nullable(),
                org_slug: z.string().nullable(),
                kind: z.string().meta({ description: 'secret, webhook or notify_url' }),
                name: z.string().meta({ description: 'Name of the secret, or id of the webhook or build' }),
                reason: z.string(),
              }),
            ),
          })
          .meta({ id: 'UnreadableSecrets' }),
      },
      async handle() {
        const found = await unreadableSecrets();
        const orgs = new Map((await organizations.list()).map((org) => [org.id, org]));
        const unreadable = found.map(({ accountId, ...one }) => {
          const org = orgs.get(accountId);
          return { org_id: org?.orgId ?? null, org_slug: org?.slug ?? null, ...one };
        });
        return { status: 200, body: { total: unreadable.length, unreadable: unreadable.slice(0, SHOWN) } };
      },
    }),
  ];
}

export const backup = operation<Deps>()({
  name: 'backup',
  summary: 'Write a consistent copy of the database, while the service goes on',
  input: z.object({ file: z.string().meta({ description: 'Absolute path of the new file' }) }),
  output: z.object({ file: z.string() }),
  audit: { name: 'database.backup', concerns: [] },
  confirm: false,
  access: 'machine',
  errors: ['invalid_request'],
  async run(deps, { file }) {
    await deps.backup(file);
    return { file };
  },
});

export const rotateSecretsKey = operation<Deps>()({
  name: 'secrets.rotate-key',
  summary: 'Create a new key and encrypt everything with it',
  input: z.object({}),
  output: z.object({
    key_id: z.string(),
    resealed: count.meta({ description: 'Values that have the new key' }),
    unreadable: count.meta({ description: 'Values that cannot be opened; they stay as they are' }),
  }),
  audit: { name: 'secrets.rotate_key', concerns: [] },
  confirm: true,
  access: 'token',
  errors: ['secrets_unavailable'],
  async run({ rotateKey }) {
    const { keyId, resealed, unreadable } = await rotateKey();
    return { key_id: keyId, resealed, unreadable };
  },
});

export const maintenanceOperations = [backup, rotateSecretsKey];
