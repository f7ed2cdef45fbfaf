// Loads the pages of the navigation, dialogs and menus while nothing else happens, so that they open at once, and without a
// connection too.
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { addresses } from '../addresses.js';
import { clock } from '../clock.js';
import { useConnection } from '../data/use-live.js';
import { loadDialogs } from '../design/dialog.js';
import { loadErrorTexts } from '../design/failure-text.js';
import { loadMenus } from '../design/menu.js';
import type { NavigationGroup } from '../navigation.js';

/** A page of the navigation, the pages of its entries, and those that every person has. */
const wanted = (to: string, address: string) =>
  address === to || address.startsWith(`${to}/$`) || address === '/settings' || address === '/pay/$order_no';

/** What the page itself needs has been loaded by then, on most connections. */
const AFTER_MS = 5_000;

export function usePrefetch(groups: readonly NavigationGroup[]): void {
  const router = useRouter();
  // What the page itself needs comes first. Pages of a person have no stream.
  const isReady = (useConnection()?.state ?? 'open') === 'open';
  const shown = groups.flatMap(({ items }) => items.map(({ to }) => to)).join(' ');
  useEffect(() => {
    const saves = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
    if (!isReady || saves) return;
    const pages = addresses.filter((address) => shown.split(' ').some((to) => wanted(to, address)));
    let ended = false;
    const next = async () => {
      const page = pages.shift();
      if (page === undefined || ended) return;
      const route = (router.routesByPath as Readonly<Record<string, Parameters<typeof router.loadRouteChunk>[0]>>)[
        page
      ];
      if (route) await router.loadRouteChunk(route);
      cancel = clock.whenIdle(() => void next()).cancel;
    };
    const parts = () => Promise.all([loadErrorTexts(), loadDialogs(), loadMenus()]);
    let { cancel } = clock.setTimeout(() => void parts().then(next), AFTER_MS);
    return () => {
      ended = true;
      cancel();
    };
  }, [router, isReady, shown]);
}
