// Builds: lists, one build and what belongs to it, and what can be done with it.
import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
import type {
  AgentQueue,
  Build,
  BuildEventList,
  BuildFilter,
  BuildLink,
  BuildPage,
  CreatedBuild,
  FailureReport,
  FilePage,
  Located,
  SharedArtifacts,
  SharedBuild,
} from '../../../client/types.js';
import { request } from './api.js';
import { type BuildSource, buildPath, linkPath } from './build-source.js';
import { forgetKeys, pagesBefore, readQuery, useChange } from './queries.js';
import { queryClient } from './query-client.js';
import { apiPath, orgPath, type Place } from './query-text.js';

export const hasEnded = ({ status }: Pick<Build, 'status'>): boolean => status !== 'queued' && status !== 'running';

const PAGE = 50;

export const buildsQuery = (place: Place, filter: Omit<BuildFilter, 'before' | 'limit'>) =>
  pagesBefore<BuildPage>([place.id, 'builds', filter, place.workspace], apiPath(place, '/builds'), {
    ...filter,
    limit: PAGE,
  });

export const queueQuery = (place: Place) =>
  readQuery<AgentQueue>([place.id, 'queue', place.workspace], apiPath(place, '/queue'));

/** A link has no live stream: what it shows is read again now and then, until the build has ended. */
const LINK_EVERY_MS = 5_000;

/** Output ends a silence without an event; a running build is read again this often. */
const RUNNING_EVERY_MS = 30_000;

export const buildQuery = (source: BuildSource, id: string) =>
  queryOptions({
    ...readQuery<Build>([source.owner, 'build', id, source.token], buildPath(source, id)),
    refetchInterval({ state: { data } }) {
      if (!data || hasEnded(data)) return false;
      if (source.token !== null) return LINK_EVERY_MS;
      return data.timings.silent_s === null ? false : RUNNING_EVERY_MS;
    },
  });

export const failureQuery = (source: BuildSource, id: string) =>
  readQuery<FailureReport>([source.owner, 'build', id, source.token, 'failure'], buildPath(source, id, '/failure'));

export const eventsQuery = (place: Pick<Place, 'id'>, id: string) =>
  readQuery<BuildEventList>(
    [place.id, 'build', id, null, 'events'],
    orgPath(place, `/builds/${encodeURIComponent(id)}/events`),
  );

/** The organization of a build, rental or order. */
export const locatedQuery = (id: string) => ({
  ...readQuery<Located>(['located', id], '/v1/locate', { id }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const sharedQuery = (token: string) => readQuery<SharedBuild>(['shared', 'link', token], linkPath(token));

export const artifactsQuery = (source: BuildSource, id: string) =>
  infiniteQueryOptions({
    queryKey: [source.owner, 'build', id, source.token, 'artifacts'],
    async queryFn({ signal, pageParam }): Promise<SharedArtifacts> {
      const query = { cursor: pageParam, limit: PAGE };
      if (source.token !== null) {
        return request<SharedArtifacts>('GET', `${linkPath(source.token)}/artifacts`, { query, signal });
      }
      const { workspace_id } = await queryClient.ensureQueryData(locatedQuery(id));
      return request<FilePage>('GET', '/v1/files', {
        query: { workspace_id, kind: 'artifact', job_id: id, ...query },
        signal,
      });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** What can be done with a build of an organization. */
export function useBuildActions(place: Pick<Place, 'id'>) {
  const all = { id: place.id, workspace: null };
  const path = (id: string, rest = '') => apiPath(all, `/builds/${encodeURIComponent(id)}${rest}`);
  const show = async (build: Build | CreatedBuild) => {
    const own = [place.id, 'build', build.id];
    queryClient.setQueryData([...own, null], build);
    // It may have changed since the service answered.
    await forgetKeys(own, ...['builds', 'queue', 'status'].map((noun) => [place.id, noun]));
  };
  return {
    cancel: useChange((id: string) => request<Build>('POST', path(id, '/cancel')), show),
    rerun: useChange((id: string) => request<CreatedBuild>('POST', path(id, '/rerun')), show),
    setPriority: useChange(
      ({ id, priority }: { id: string; priority: 0 | 1 }) => request<Build>('PATCH', path(id), { body: { priority } }),
      show,
    ),
    share: useMutation({
      mutationFn: (id: string) => request<BuildLink>('POST', orgPath(place, `/builds/${encodeURIComponent(id)}/share`)),
    }),
    unshare: useMutation({
      mutationFn: (id: string) => request<null>('DELETE', orgPath(place, `/builds/${encodeURIComponent(id)}/share`)),
    }),
  };
}
