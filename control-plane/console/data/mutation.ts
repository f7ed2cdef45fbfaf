// The hook of everything that changes something on the service.
import {
  type DefaultError,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation as useTanstackMutation,
} from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { SendOptions } from './api.js';
import { useRequestKey } from './idempotency.js';

export interface MutationOptions<O, I> extends Pick<UseMutationOptions<O, DefaultError, I>, 'onSuccess' | 'onError'> {
  /**
   * @param keyed options of `send` with an Idempotency-Key: the same one until the input changes or the request is
   *   answered, so that a repeat after a lost answer changes nothing twice
   */
  mutationFn(input: I, keyed: SendOptions): Promise<O>;
  onSettled?(): unknown;
}

/**
 * TanStack's `useMutation`, where what is under way is not begun a second time with the same input: two clicks within a
 * frame, before the button is disabled, send one request.
 */
export function useMutation<O, I = void>({ mutationFn, onSettled, ...rest }: MutationOptions<O, I>) {
  const key = useRequestKey();
  const [underWay] = useState(() => new Map<string, Promise<O>>());
  /** Whether to forget the answer of what is under way, e.g. because its dialog was closed. */
  const forgets = useRef(false);
  const mutation = useTanstackMutation<O, DefaultError, I>({
    ...rest,
    async mutationFn(input) {
      const answer = await mutationFn(input, { headers: key.headers(input ?? null) });
      key.done();
      return answer;
    },
    ...(onSettled ? { onSettled } : {}),
  });
  const { mutateAsync: begin, reset: forget } = mutation;
  const mutateAsync = useCallback(
    (...args: Parameters<typeof begin>) => {
      const of = JSON.stringify(args[0] ?? null);
      const before = underWay.get(of);
      forgets.current = false;
      if (before) return before;
      const begun = begin(...args).finally(() => {
        underWay.delete(of);
        if (forgets.current && underWay.size === 0) forget();
      });
      underWay.set(of, begun);
      return begun;
    },
    [begin, forget, underWay],
  );
  const reset = useCallback(() => {
    // A request that is still under way is shown if the form begins it again, although `reset` has cleared the result
    // before.
    if (underWay.size === 0) forget();
    else forgets.current = true;
  }, [forget, underWay]);
  const mutate = useCallback(
    // Its failure is in `error`, and given to `onError`.
    (...args: Parameters<typeof begin>) => void mutateAsync(...args).catch(() => undefined),
    [mutateAsync],
  );
  return { ...mutation, mutate, mutateAsync, reset } as UseMutationResult<O, DefaultError, I>;
}
