// The account at the identity provider that is linked to the person. Nothing where the service has no provider.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { identityQuery, useGoToProvider, useUnlinkIdentity } from '../../data/identity-provider.js';
import { useSession } from '../../data/session.js';
import { RelativeTime } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { ConfirmDialog } from '../../design/confirm-dialog.js';
import { Facts } from '../../design/facts.js';
import { FailureNote } from '../../design/failure-note.js';
import { Note, Row, Stack } from '../../design/page.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function IdentityCard() {
  const w = useWords(words);
  const common = useWords(shared);
  const toast = useToast();
  const { user } = useSession();
  const query = useQuery(identityQuery);
  const leave = useGoToProvider();
  const unlink = useUnlinkIdentity();
  const [asks, setAsks] = useState(false);
  if (query.error) {
    return (
      <Card>
        <FailureNote error={query.error} onRetry={() => void query.refetch()} />
      </Card>
    );
  }
  const { provider = null, identity = null } = query.data ?? {};
  if (!provider) return null;
  const { name } = provider;
  const hasPassword = user.confirm_ways.includes('password');
  return (
    <Card title={w.identity(name)}>
      <Stack>
        {identity ? (
          <Facts
            facts={[
              { label: w.identityEmail, value: identity.email ?? w.identityUnknown },
              { label: w.linked, value: <RelativeTime at={identity.linked_at} /> },
              {
                label: w.lastUsed,
                value: identity.last_used_at === null ? common.none : <RelativeTime at={identity.last_used_at} />,
              },
            ]}
          />
        ) : (
          <Note>{w.identityText(name)}</Note>
        )}
        {leave.error ? <FailureNote error={leave.error} /> : null}
        <Row>
          {identity ? (
            <Button refused={hasPassword ? null : w.unlinkRefused} onClick={() => setAsks(true)}>
              {w.unlink}
            </Button>
          ) : (
            <Button
              pending={leave.isPending || leave.isSuccess}
              onClick={() => leave.mutate({ purpose: 'link', next: '/settings' })}
            >
              {w.link}
            </Button>
          )}
        </Row>
      </Stack>
      <ConfirmDialog
        title={w.unlinkTitle(name)}
        open={asks}
        onOpenChange={setAsks}
        action={w.unlink}
        pending={unlink.isPending}
        error={unlink.error}
        onConfirm={() =>
          unlink.mutate(undefined, {
            onSuccess: () => {
              setAsks(false);
              toast.done(w.unlinked);
            },
          })
        }
      >
        {w.unlinkText}
      </ConfirmDialog>
    </Card>
  );
}
