import { type FormEvent, useId, useState } from 'react';
import type { Invite, NewInvite } from '../../../../client/types.js';
import { fieldProblem } from '../../data/failure.js';
import { useInvite } from '../../data/members.js';
import { useOrganization, useTimeLimit } from '../../data/session.js';
import { Time } from '../../design/amounts.js';
import { Button } from '../../design/button.js';
import { Dialog } from '../../design/dialog.js';
import { FailureNote } from '../../design/failure-note.js';
import { Note, Stack } from '../../design/page.js';
import { Secret } from '../../design/secret.js';
import { TextField } from '../../design/text-field.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { RoleFields, type RoleValue, roleBody } from './role-fields.js';
import { words } from './words.js';

/** @param again the invitation that a new one replaces */
export function InviteDialog({ again, onClose }: { again?: Invite | undefined; onClose(): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const organization = useOrganization();
  const invite = useInvite(organization);
  const time = useTimeLimit('invite_s');
  const form = useId();
  const [email, setEmail] = useState(again?.email ?? '');
  const [role, setRole] = useState<RoleValue>({
    role: again?.role ?? 'developer',
    workspaces: again?.workspace_ids ?? organization.workspaces.slice(0, 1).map(({ id }) => id),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate({ email: email.trim(), ...roleBody(role) });
  };
  const close = (open: boolean) => open || onClose();
  if (invite.data) return <Created invite={invite.data} onClose={onClose} />;
  return (
    <Dialog
      title={again ? w.inviteAgain : w.inviteTitle}
      description={(again ? w.inviteAgainText : w.inviteText)(time)}
      open
      onOpenChange={close}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button variant="primary" type="submit" form={form} pending={invite.isPending}>
            {w.createLink}
          </Button>
        </>
      }
    >
      <form id={form} noValidate onSubmit={submit}>
        <Stack>
          <TextField
            label={w.email}
            type="email"
            value={email}
            onChange={setEmail}
            readOnly={again !== undefined}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            problem={fieldProblem(invite.error, 'email')}
          />
          <RoleFields value={role} onChange={setRole} />
          {invite.error ? <FailureNote error={invite.error} /> : null}
        </Stack>
      </form>
    </Dialog>
  );
}

function Created({ invite, onClose }: { invite: NewInvite; onClose(): void }) {
  const w = useWords(words);
  return (
    <Dialog title={w.created} open onOpenChange={(open) => open || onClose()}>
      <Stack>
        <p>{(invite.mailed ? w.mailed : w.notMailed)(invite.email)}</p>
        <Secret label={w.link} value={invite.accept_url} onStored={onClose} />
        <Note>
          {w.worksUntil} <Time at={invite.expires_at} />
        </Note>
      </Stack>
    </Dialog>
  );
}
