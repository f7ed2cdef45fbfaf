// Holds the live stream open while the tab is visible, and repeats the queries that a change concerns.

import { useEffect, useSyncExternalStore } from 'react';
import { clock, type Timer } from '../clock.js';
import { cutRequests } from './api.js';
import { type Connection, connection } from './connection.js';
import { concerns, EVERYTHING, type LiveChange, pacedByKind } from './live.js';
import { createStream } from './live-stream.js';
import { queryClient } from './query-client.js';
import { sessionQuery } from './session.js';

/** A tab that is hidden for a moment only keeps its stream: browsers allow few connections. */
const HIDDEN_MS = 5_000;

/** A session that was read before the page opened its stream is not read again. */
const NEW_MS = 10_000;

const sessionReadAt = (): number => queryClient.getQueryState(sessionQuery.queryKey)?.dataUpdatedAt ?? 0;

const ofSession: ReadonlySet<string> = new Set(['members', 'workspaces', 'notices', 'all']);

/** How the page's connection is; null: nothing of the page is live. */
export const useConnection = (): Connection | null => useSyncExternalStore(connection.subscribe, connection.get);

/**
 * @param url of the stream
 * @param owner the first part of the query keys: the organization's id, or `operator`
 */
export const useLive = (url: string, owner: string): void => useEffect(() => follow(url, owner), [url, owner]);

/** Returns a function that closes the stream. */
function follow(url: string, owner: string): () => void {
  const readSession = () => void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  let opened = false;
  const { add, stop } = pacedByKind((change: LiveChange) => {
    // The stream has just been opened: what waited for it has not been asked for yet.
    const isFirst = change === EVERYTHING && !opened && connection.allFollowed();
    opened = true;
    void queryClient.invalidateQueries({
      predicate: ({ queryKey, state }) => concerns(change, owner, queryKey) && !(isFirst && state.status === 'pending'),
    });
    // The session has the person's role, workspaces and number of unread notices.
    const isNew = isFirst && clock.now() - sessionReadAt() < NEW_MS;
    if (!isNew && change.nouns.some((noun) => ofSession.has(noun))) readSession();
  }, clock);
  const watch = connection.watch();
  const stream = createStream(url, {
    clock,
    random: Math.random,
    connect: (address) => new EventSource(address),
    show: watch.set,
    changed: add,
    stuck: cutRequests,
    // Leads to the sign-in page if the session has ended.
    refused: readSession,
  });

  let hiding: Timer | undefined;
  const isVisible = () => document.visibilityState === 'visible';
  const onVisibility = () => {
    hiding?.cancel();
    if (isVisible()) stream.open();
    else hiding = clock.setTimeout(stream.close, HIDDEN_MS);
  };
  // The browser may be wrong about the connection, because the service may run on this machine; only an attempt shows
  // it.
  const onNetwork = () => {
    if (isVisible()) stream.reopen();
  };
  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('online', onNetwork);
  addEventListener('offline', onNetwork);
  if (isVisible()) stream.open();
  return () => {
    hiding?.cancel();
    document.removeEventListener('visibilitychange', onVisibility);
    removeEventListener('online', onNetwork);
    removeEventListener('offline', onNetwork);
    stream.close();
    stop();
    watch.end();
  };
}
