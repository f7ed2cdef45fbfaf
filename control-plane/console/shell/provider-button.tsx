// Signing in with the identity provider of the service.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { openProviderTab, type ProviderTrip, useGoToProvider } from '../data/identity-provider.js';
import { signInWaysQuery } from '../data/passkeys.js';
import { Button } from '../design/button.js';
import { FailureNote } from '../design/failure-note.js';
import { useWords } from '../words/use-words.js';
import { words } from './sign-in-words.js';

/** Renders nothing where the service has no identity provider. */
export function ProviderButton({ go }: { readonly go: ProviderTrip }) {
  const w = useWords(words);
  const ways = useQuery(signInWaysQuery);
  const leave = useGoToProvider();
  /** The page stays busy until the provider's page is there. */
  const [leaving, setLeaving] = useState(false);
  const provider = ways.data?.provider;
  if (!provider) return null;
  const click = () => {
    // In this tab after all, where the browser refuses to open one.
    if (go.newTab && openProviderTab('sign-in')) return;
    leave.mutate(go, { onSuccess: () => setLeaving(true) });
  };
  return (
    <>
      {leave.error ? <FailureNote error={leave.error} /> : null}
      <Button wide pending={leave.isPending || leaving} onClick={click}>
        {w.continueAt(provider.name)}
      </Button>
    </>
  );
}
