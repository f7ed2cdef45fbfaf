// What pages do in a dialog that opens from elsewhere, too: `?do=invite` in the address of the page opens it. Who may is said
// here, for the button of the page and for the palette.
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Address } from './addresses.js';
import { type RawSearch, useSearchParameters } from './data/search.js';
import { MANAGERS, type Role, useMay } from './data/session.js';

interface PageActionRow {
  readonly to: Address;
  readonly roles: readonly Role[];
}

export const pageActions = {
  createKey: { to: '/o/$org/keys', roles: MANAGERS },
  invite: { to: '/o/$org/members', roles: MANAGERS },
  setSecret: { to: '/o/$org/secrets', roles: MANAGERS },
  createWebhook: { to: '/o/$org/webhooks', roles: MANAGERS },
} as const satisfies Readonly<Record<string, PageActionRow>>;

export type PageAction = keyof typeof pageActions;

const parse = ({ do: asked }: RawSearch) => asked;

/**
 * For the page of the action.
 *
 * @param open opens its dialog; called when the address asks for it and the person may
 * @returns whether the person may
 * @example const may = usePageAction('createKey', () => setCreating(true));
 */
export function usePageAction(name: PageAction, open: () => void): boolean {
  const may = useMay(pageActions[name].roles);
  const [asked, setSearch] = useSearchParameters(parse);
  const latest = useRef(open);
  latest.current = open;
  const isWanted = useRef(false);
  const settled = useRouterState({ select: ({ status }) => status === 'idle' });
  useEffect(() => {
    if (asked === name) {
      isWanted.current = may;
      // Going back or loading the page again does not open it once more.
      setSearch({ do: undefined });
    } else if (isWanted.current && settled) {
      // By now the heading has taken the focus, as it does after each navigation.
      isWanted.current = false;
      latest.current();
    }
  }, [asked, name, may, settled, setSearch]);
  return may;
}
