// Builds: lists, one build and what belongs to it, and what can be done with it.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import {
  cancelBuild,
  changeBuild,
  getBuild,
  getBuildFailure,
  getQueue,
  listBuilds,
  rerunBuild,
} from '../../../client/operations/api.js';
import {
  getSharedBuild,
  listBuildEvents,
  listFiles,
  listSharedArtifacts,
  locate,
  shareBuild,
  unshareBuild,
} from '../../../client/operations/console.js';
import type { Build, BuildFilter, CreatedBuild, SharedArtifacts } from '../../../client/types.js';
import { call, send } from './api.js';
import { type BuildSource, sourceInOrganization } from './build-source.js';
import { useMutation } from './mutation.js';
import { inPlace, type Place } from './place.js';
import { forgetKeys, pagesBefore, readQuery, unlessMissing, useChange } from './queries.js';
import { queryClient } from './query-client.js';

export const hasEnded = ({ status }: Pick<Build, 'status'>): boolean => status !== 'queued' && status !== 'running';

const PAGE = 50;

export const buildsQuery = (place: Place, filter: Omit<BuildFilter, 'before' | 'limit'>) =>
  pagesBefore([place.id, 'builds', filter, place.workspace], (before) =>
    call(inPlace(place, listBuilds), { ...filter, limit: PAGE, before }),
  );

/** The newest builds in which a text occurs. */
export const buildsFoundQuery = (place: Place, q: string, limit: number) =>
  readQuery([place.id, 'builds', 'found', q, limit, place.workspace], call(inPlace(place, listBuilds), { q, limit }));

export const queueQuery = (place: Place) =>
  readQuery([place.id, 'queue', place.workspace], call(inPlace(place, getQueue)));

/** A link has no live stream: what it shows is read again now and then, until the build has ended. */
const LINK_EVERY_MS = 5_000;

/** Output ends a silence without an event; a running build is read again this often. */
const RUNNING_EVERY_MS = 30_000;

export const buildQuery = (source: BuildSource, id: string) =>
  queryOptions({
    ...readQuery([source.owner, 'build', id, source.token], call(source.of(getBuild), id)),
    enabled: unlessMissing,
    refetchInterval({ state: { data } }) {
      if (!data || hasEnded(data)) return false;
      if (source.token !== null) return LINK_EVERY_MS;
      return data.timings.silent_s === null ? false : RUNNING_EVERY_MS;
    },
  });

export const failureQuery = (source: BuildSource, id: string) =>
  readQuery([source.owner, 'build', id, source.token, 'failure'], call(source.of(getBuildFailure), id));

export const eventsQuery = (place: Pick<Place, 'id'>, id: string) =>
  readQuery([place.id, 'build', id, null, 'events'], call(listBuildEvents, place.id, id));

/** The organization of a build, rental or order. */
export const locatedQuery = (id: string) => ({
  ...readQuery(['located', id], call(locate, { id })),
  staleTime: Number.POSITIVE_INFINITY,
});

export const sharedQuery = (token: string) => readQuery(['shared', 'link', token], call(getSharedBuild, token));

export const artifactsQuery = (source: BuildSource, id: string) =>
  infiniteQueryOptions({
    queryKey: [source.owner, 'build', id, source.token, 'artifacts'],
    async queryFn({ signal, pageParam }): Promise<SharedArtifacts> {
      const page = { cursor: pageParam, limit: PAGE };
      if (source.token !== null) return send(call(listSharedArtifacts, source.token, page), { signal });
      const { workspace_id } = await queryClient.ensureQueryData(locatedQuery(id));
      return send(call(listFiles, { workspace_id, kind: 'artifact', job_id: id, ...page }), { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** What can be done with a build of an organization. */
export function useBuildActions(place: Pick<Place, 'id'>) {
  const source = sourceInOrganization(place);
  const show = async (build: Build | CreatedBuild) => {
    const own = [place.id, 'build', build.id];
    queryClient.setQueryData([...own, null], build);
    // It may have changed since the service answered.
    await forgetKeys(own, ...['builds', 'queue', 'status'].map((noun) => [place.id, noun]));
  };
  return {
    cancel: useChange((id: string) => send(call(source.of(cancelBuild), id)), show),
    rerun: useChange((id: string, keyed) => send(call(source.of(rerunBuild), id), keyed), show),
    setPriority: useChange(
      ({ id, priority }: { id: string; priority: 0 | 1 }) => send(call(source.of(changeBuild), id, { priority })),
      show,
    ),
    share: useMutation({ mutationFn: (id: string) => send(call(shareBuild, place.id, id)) }),
    unshare: useMutation({ mutationFn: (id: string) => send(call(unshareBuild, place.id, id)) }),
  };
}
