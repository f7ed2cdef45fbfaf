// `/invite#token`: accepts an invitation, as the signed-in person, with the password of an account, or as a new person.
import { useQuery } from '@tanstack/react-query';
import MailX from 'lucide-react/icons/mail-x';
import { useEffect, useState } from 'react';
import type { OpenInvite } from '../../../../client/types.js';
import { Failure } from '../../data/failure.js';
import { openInviteQuery } from '../../data/invitation.js';
import { findSession } from '../../data/session.js';
import { Time } from '../../design/amounts.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Note, Page, Stack } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { Frame } from '../../shell/frame.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { AcceptForm } from './accept-form.js';
import { words } from './words.js';

export default function InvitePage() {
  const w = useWords(words);
  const token = useFragment();
  const invite = useQuery(openInviteQuery(token));
  const session = useQuery({ queryKey: ['session', 'of invite'], queryFn: findSession });
  const dead = token === '' || (invite.error instanceof Failure && invite.error.status === 404);
  const open = invite.data;
  const ready = open && session.data !== undefined;
  return (
    <Frame>
      <Page title={open ? w.titleOf(open.organization.name) : w.title} lead={open ? <From invite={open} /> : null}>
        <Card>
          {dead ? <Dead /> : null}
          {!dead && invite.error ? <FailureNote error={invite.error} onRetry={() => void invite.refetch()} /> : null}
          {!dead && !invite.error && !ready ? <Skeleton lines={4} /> : null}
          {ready ? <AcceptForm token={token} invite={open} signedInAs={session.data?.user.email ?? null} /> : null}
        </Card>
        {open ? (
          <Note>
            {w.validUntil} <Time at={open.expires_at} />
          </Note>
        ) : null}
      </Page>
    </Frame>
  );
}

function From({ invite: { invited_by, role, email } }: { invite: OpenInvite }) {
  const w = useWords(words);
  const common = useWords(shared);
  return w.from(invited_by ?? w.operator, email, common.role[role]);
}

function Dead() {
  const w = useWords(words);
  return (
    <EmptyState icon={<MailX />} title={w.deadTitle} action={<LinkButton to="/">{w.home}</LinkButton>}>
      <Stack>
        <p>{w.dead}</p>
      </Stack>
    </EmptyState>
  );
}

/** The text after `#`, which browsers do not send to the service. */
function useFragment(): string {
  const [fragment, setFragment] = useState(() => location.hash.slice(1));
  useEffect(() => {
    const read = () => setFragment(location.hash.slice(1));
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  return fragment;
}
