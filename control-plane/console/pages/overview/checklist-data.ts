// What the checklist asks the service, and what it remembers.
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listBuilds, listWebhooks } from '../../../../client/operations/api.js';
import { createApiKey, listApiKeys } from '../../../../client/operations/console.js';
import { call, send } from '../../data/api.js';
import { useMutation } from '../../data/mutation.js';
import { inPlace, type Place } from '../../data/place.js';
import type { CurrentOrganization } from '../../data/session.js';

/** Whether the organization has a key that can be used. */
export const anyKeyQuery = (place: Place, enabled: boolean) =>
  queryOptions({
    queryKey: [place.id, 'keys', 'any'],
    async queryFn({ signal }) {
      const { data } = await send(call(listApiKeys, place.id, { state: 'usable', limit: 1 }), { signal });
      return data.length > 0;
    },
    enabled,
  });

/** Whether the organization has a webhook. */
export const anyWebhookQuery = (place: Place) =>
  queryOptions({
    queryKey: [place.id, 'webhooks', 'any', place.workspace],
    async queryFn({ signal }) {
      const { webhooks } = await send(call(inPlace(place, listWebhooks)), { signal });
      return webhooks.length > 0;
    },
  });

/** Whether any build of the organization has succeeded. */
export const anySuccessQuery = (place: Place) =>
  queryOptions({
    queryKey: [place.id, 'builds', 'any success', place.workspace],
    async queryFn({ signal }) {
      const query = { status: 'succeeded', limit: 1 } as const;
      const { builds } = await send(call(inPlace(place, listBuilds), query), { signal });
      return builds.length > 0;
    },
  });

export function useFirstKey(org: CurrentOrganization) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) =>
      send(
        call(createApiKey, org.id, {
          name,
          levels: ['read', 'build'],
          workspace_id: org.workspace ?? org.workspaces[0]?.id ?? null,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: [org.id, 'keys'] }),
  });
}

/** Whether the person has hidden the checklist of an organization in this browser. */
export function useHidden(orgId: string): readonly [boolean, () => void] {
  const name = `cidermill_first_steps_${orgId}`;
  const [hidden, setHidden] = useState(() => stored(name) !== null);
  return [
    hidden,
    () => {
      setHidden(true);
      try {
        localStorage.setItem(name, 'hidden');
      } catch {
        // A browser that stores nothing shows the list again.
      }
    },
  ];
}

function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    // Storage is forbidden.
    return null;
  }
}
