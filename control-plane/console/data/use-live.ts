// Holds the live stream open while the tab is visible, and repeats the queries that a change concerns.

import { useEffect, useState } from 'react';
import { clock, type Timer } from '../clock.js';
import { concerns, EVERYTHING, type LiveChange, type LiveState, paced, parseChange, reconnectDelay } from './live.js';
import { queryClient } from './query-client.js';
import { sessionQuery } from './session.js';

/** A tab that is hidden for a moment only keeps its stream: browsers allow few connections. */
const HIDDEN_MS = 5_000;

const ofSession: ReadonlySet<string> = new Set(['members', 'workspaces', 'all']);

/**
 * @param url of the stream
 * @param owner the first part of the query keys: the organization's id, or `operator`
 */
export function useLive(url: string, owner: string): LiveState {
  const [state, setState] = useState<LiveState>('connecting');
  useEffect(() => follow(url, owner, setState), [url, owner]);
  return state;
}

/** Returns a function that closes the stream. */
function follow(url: string, owner: string, show: (state: LiveState) => void): () => void {
  let source: EventSource | null = null;
  let timer: Timer | undefined;
  let attempts = 0;

  const { add, stop } = paced((change: LiveChange) => {
    void queryClient.invalidateQueries({
      predicate: ({ queryKey }) => concerns(change, owner, queryKey),
    });
    // The session has the person's role and workspaces.
    if (change.nouns.some((noun) => ofSession.has(noun))) {
      void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    }
  }, clock);

  const connect = () => {
    timer?.cancel();
    timer = undefined;
    if (source) return;
    source = new EventSource(url);
    source.onopen = () => {
      attempts = 0;
      show('open');
      // What changed while there was no stream is not known, not even since the page was loaded.
      add(EVERYTHING);
    };
    source.addEventListener('change', ({ data }) => {
      const change = parseChange(String(data));
      if (change) add(change);
    });
    source.onerror = () => {
      show('closed');
      // The browser reconnects by itself, unless the service has refused.
      if (source?.readyState !== EventSource.CLOSED) return;
      source = null;
      attempts++;
      timer = clock.setTimeout(connect, reconnectDelay(attempts, Math.random()));
      // Leads to the sign-in page if the session has ended.
      void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    };
  };
  const disconnect = () => {
    timer?.cancel();
    timer = undefined;
    source?.close();
    source = null;
  };
  const onVisibility = () => {
    timer?.cancel();
    if (document.visibilityState === 'visible') connect();
    else timer = clock.setTimeout(disconnect, HIDDEN_MS);
  };
  document.addEventListener('visibilitychange', onVisibility);
  if (document.visibilityState === 'visible') connect();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    disconnect();
    stop();
  };
}
