// `/sign-in?next=`: signs the person in, then returns to the page that they came from.
import { useSearch } from '@tanstack/react-router';
import type { Session } from '../../../../client/types.js';
import { nextAddress } from '../../data/next-address.js';
import { takeSession } from '../../data/session.js';
import { Card } from '../../design/card.js';
import { Link, useGo } from '../../design/link.js';
import { Note, Page } from '../../design/page.js';
import { Frame } from '../../shell/frame.js';
import { SignInForm } from '../../shell/sign-in-form.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export default function SignInPage() {
  const w = useWords(words);
  const { next: given } = useSearch({ strict: false }) as { next?: string };
  const next = nextAddress(given, location.origin);
  const go = useGo();
  const signedIn = (session: Session) => {
    takeSession(session);
    if (next === null) return go({ to: '/' });
    // Some pages have a content security policy of their own, and are loaded from the service.
    location.replace(next);
  };
  const reason = reasonOf(next);
  return (
    <Frame>
      <Page title={w.title} lead={reason ? w.reasons[reason] : undefined}>
        <Card>
          <SignInForm next={next} onSignedIn={signedIn} />
        </Card>
        <Note>
          <Link to="/reset-password">{w.forgotten}</Link>
        </Note>
      </Page>
    </Frame>
  );
}

function reasonOf(next: string | null): 'pay' | 'build' | 'other' | null {
  if (next === null || next === '/') return null;
  if (next.startsWith('/pay/')) return 'pay';
  return /^\/(o\/[^/]+\/)?builds\//.test(next) ? 'build' : 'other';
}
