import {
  changePassword,
  changeProfile,
  endOtherSessions,
  endSession,
  listSessions,
} from '../../../client/operations/console.js';
import type { Language } from '../../../shared/language.js';
import { call, send } from './api.js';
import { useMutation } from './mutation.js';
import { readQuery } from './queries.js';
import { queryClient } from './query-client.js';
import { sessionQuery, takeSession } from './session.js';

export const ownSessionsQuery = readQuery(['sessions'], call(listSessions));

export const useEndSession = () =>
  useMutation({
    mutationFn: (id: string) => send(call(endSession, id)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey }),
  });

export const useEndOtherSessions = () =>
  useMutation({
    mutationFn: () => send(call(endOtherSessions)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey }),
  });

/** Name, and language of mails. */
export const useChangeProfile = () =>
  useMutation({
    mutationFn: (body: { name?: string; language?: Language }) => send(call(changeProfile, body)),
    onSuccess: (session) => queryClient.setQueryData(sessionQuery.queryKey, session),
  });

/** All other sessions of the person end. */
export const useChangePassword = () =>
  useMutation({
    mutationFn: (body: { current: string; new: string }) => send(call(changePassword, body)),
    onSuccess: takeSession,
  });
