// A forgotten password: the request for a link, and the link of the address, which has its token in the fragment.
import { queryOptions } from '@tanstack/react-query';
import {
  getPasswordReset,
  lookUpPasswordReset,
  requestPasswordReset,
  resetPassword,
} from '../../../client/operations/console.js';
import { call, send } from './api.js';
import { useMutation } from './mutation.js';
import { readQuery } from './queries.js';

/** Whether links are mailed, and what a password needs. */
export const passwordResetQuery = readQuery(['password-reset'], call(getPasswordReset));

export const openPasswordResetQuery = (token: string) =>
  queryOptions({
    queryKey: ['password-reset', token],
    queryFn: ({ signal }) => send(call(lookUpPasswordReset, { token }), { signal }),
    retry: false,
    enabled: token !== '',
    refetchOnWindowFocus: false,
  });

export const useRequestPasswordReset = () =>
  useMutation({ mutationFn: (body: { email: string }) => send(call(requestPasswordReset, body)) });

export const useResetPassword = () =>
  useMutation({ mutationFn: (body: { token: string; password: string }) => send(call(resetPassword, body)) });
