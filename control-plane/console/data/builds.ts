// Builds: lists, one build and what belongs to it, and what can be done with it.
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
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
import { queryClient } from './query-client.js';
import { apiPath, orgPath, type Place } from './query-text.js';

export const hasEnded = ({ status }: Pick<Build, 'status'>): boolean => status !== 'queued' && status !== 'running';

const PAGE = 50;

export const buildsQuery = (place: Place, filter: Omit<BuildFilter, 'before' | 'limit'>) =>
  infiniteQueryOptions({
    queryKey: [place.id, 'builds', filter, place.workspace],
    queryFn: ({ signal, pageParam }) =>
      request<BuildPage>('GET', apiPath(place, '/builds'), {
        query: { ...filter, before: pageParam, limit: PAGE },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_before }) => next_before,
  });

export const queueQuery = (place: Place) =>
  queryOptions({
    queryKey: [place.id, 'queue', place.workspace],
    queryFn: ({ signal }) => request<AgentQueue>('GET', apiPath(place, '/queue'), { signal }),
  });

/** A link has no live stream: what it shows is read again now and then, until the build has ended. */
const LINK_EVERY_MS = 5_000;

/** Output ends a silence without an event; a running build is read again this often. */
const RUNNING_EVERY_MS = 30_000;

export const buildQuery = (source: BuildSource, id: string) =>
  queryOptions({
    queryKey: [source.owner, 'build', id, source.token],
    queryFn: ({ signal }) => request<Build>('GET', buildPath(source, id), { signal }),
    refetchInterval({ state: { data } }) {
      if (!data || hasEnded(data)) return false;
      if (source.token !== null) return LINK_EVERY_MS;
      return data.timings.silent_s === null ? false : RUNNING_EVERY_MS;
    },
  });

export const failureQuery = (source: BuildSource, id: string) =>
  queryOptions({
    queryKey: [source.owner, 'build', id, source.token, 'failure'],
    queryFn: ({ signal }) => request<FailureReport>('GET', buildPath(source, id, '/failure'), { signal }),
  });

export const eventsQuery = (place: Pick<Place, 'id'>, id: string) =>
  queryOptions({
    queryKey: [place.id, 'build', id, null, 'events'],
    queryFn: ({ signal }) =>
      request<BuildEventList>('GET', orgPath(place, `/builds/${encodeURIComponent(id)}/events`), { signal }),
  });

/** The organization of a build, rental or order. */
export const locatedQuery = (id: string) =>
  queryOptions({
    queryKey: ['located', id],
    queryFn: ({ signal }) => request<Located>('GET', '/v1/locate', { query: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const sharedQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared', 'link', token],
    queryFn: ({ signal }) => request<SharedBuild>('GET', linkPath(token), { signal }),
  });

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
  const client = useQueryClient();
  const all = { id: place.id, workspace: null };
  const path = (id: string, rest = '') => apiPath(all, `/builds/${encodeURIComponent(id)}${rest}`);
  const show = async (build: Build) => {
    const own = [place.id, 'build', build.id];
    client.setQueryData([...own, null], build);
    // It may have changed since the service answered.
    const stale = [own, ...['builds', 'queue', 'status'].map((noun) => [place.id, noun])];
    await Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  return {
    cancel: useMutation({
      mutationFn: (id: string) => request<Build>('POST', path(id, '/cancel')),
      onSuccess: show,
    }),
    rerun: useMutation({
      mutationFn: (id: string) => request<CreatedBuild>('POST', path(id, '/rerun')),
      onSuccess: show,
    }),
    setPriority: useMutation({
      mutationFn: ({ id, priority }: { id: string; priority: 0 | 1 }) =>
        request<Build>('PATCH', path(id), { body: { priority } }),
      onSuccess: show,
    }),
    share: useMutation({
      mutationFn: (id: string) => request<BuildLink>('POST', orgPath(place, `/builds/${encodeURIComponent(id)}/share`)),
    }),
    unshare: useMutation({
      mutationFn: (id: string) => request<null>('DELETE', orgPath(place, `/builds/${encodeURIComponent(id)}/share`)),
    }),
  };
}
