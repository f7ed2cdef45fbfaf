// `/sign-in/provider`: where the identity provider sends people back, and where a tab begins that is opened for it
// (`?begin=`).
import { useEffect, useRef, useState } from 'react';
import type { Session } from '../../../../client/types.js';
import {
  endProviderTab,
  type ProviderReturn,
  type ProviderTrip,
  takeReturn,
  useCompleteTrip,
  useGoToProvider,
} from '../../data/identity-provider.js';
import { takeSession } from '../../data/session.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { Note, Page, Stack } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { CodeForm } from '../../shell/code-form.js';
import { Frame } from '../../shell/frame.js';
import { ticketOf } from '../../shell/sign-in-form.js';
import { useWords } from '../../words/use-words.js';
import { Back } from './back.js';
import { words } from './words.js';

/** Of the address of a tab that was opened to go to the provider. */
function begunTrip(): ProviderTrip | null {
  const purpose = new URLSearchParams(location.search).get('begin');
  return purpose === 'sign-in' || purpose === 'confirm' ? { purpose, newTab: true } : null;
}

export default function IdentityProviderPage() {
  const w = useWords(words);
  const [trip, setTrip] = useState<ProviderTrip | null>(null);
  const [state, setState] = useState<'busy' | 'lost' | 'done'>('busy');
  const leave = useGoToProvider();
  const complete = useCompleteTrip();
  const begun = useRef(false);

  const go = (one: ProviderTrip) => leave.mutate(one);
  const end = (of: ProviderTrip, session: Session | null) => {
    if (session) takeSession(session);
    if (of.newTab) {
      setState('done');
      return endProviderTab();
    }
    location.replace(of.next ?? '/');
  };
  const finish = (back: ProviderReturn) => complete.mutate(back, { onSuccess: (session) => end(back, session) });

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, because the answer of the provider counts once
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    const begins = begunTrip();
    const back = begins ? null : takeReturn();
    setTrip(begins ?? back);
    if (begins) go(begins);
    else if (back) finish(back);
    else setState('lost');
  }, []);

  // The latest failure counts: a person who cannot go back to the provider reads why, rather than the error before.
  const ticket = leave.error ? null : ticketOf(complete.error);
  const error = ticket === null ? (leave.error ?? complete.error) : null;
  return (
    <Frame>
      <Page title={titleOf(w, { trip, failed: error !== null, lost: state === 'lost' })}>
        <Card>
          {trip && ticket !== null ? (
            <CodeForm token={ticket} onSignedIn={(session) => end(trip, session)} onBack={() => go({ ...trip })} />
          ) : (
            <Stack>
              {state === 'done' ? <Note>{w.done}</Note> : null}
              {state === 'lost' ? <Note>{w.lost}</Note> : null}
              {state === 'busy' && !error ? <Skeleton lines={2} /> : null}
              {error ? <FailureNote error={error} /> : null}
              {error || state === 'lost' ? (
                <Back trip={trip} error={error} pending={leave.isPending} onAgain={trip ? () => go(trip) : null} />
              ) : null}
            </Stack>
          )}
        </Card>
      </Page>
    </Frame>
  );
}

function titleOf(w: typeof words.en, now: { trip: ProviderTrip | null; failed: boolean; lost: boolean }): string {
  if (now.lost) return w.lostTitle;
  if (now.trip === null) return w.title;
  return (now.failed ? w.failedTitles : w.titles)[now.trip.purpose];
}
