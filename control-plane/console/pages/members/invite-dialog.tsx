import { useState } from 'react';
import type { Invite, NewInvite } from '../../../../client/types.js';
import { useInvite } from '../../data/members.js';
import { useOrganization, useTimeLimit } from '../../data/session.js';
import { Time } from '../../design/amounts.js';
import { FormDialog } from '../../design/form-dialog.js';
import { Note } from '../../design/page.js';
import { SecretDialog } from '../../design/secret.js';
import { TextField } from '../../design/text-field.js';
import { useWords } from '../../words/use-words.js';
import { RoleFields, type RoleValue, roleBody } from './role-fields.js';
import { words } from './words.js';

/** @param again the invitation that a new one replaces */
export function InviteDialog({ again, onClose }: { again?: Invite | undefined; onClose(): void }) {
  const w = useWords(words);
  const organization = useOrganization();
  const invite = useInvite(organization);
  const time = useTimeLimit('invite_s');
  const [email, setEmail] = useState(again?.email ?? '');
  const [role, setRole] = useState<RoleValue>({
    role: again?.role ?? 'developer',
    workspaces: again?.workspace_ids ?? organization.workspaces.slice(0, 1).map(({ id }) => id),
  });
  const submit = () => {
    invite.mutate({ email: email.trim(), ...roleBody(role) });
  };
  if (invite.data) return <Created invite={invite.data} onClose={onClose} />;
  return (
    <FormDialog
      title={again ? w.inviteAgain : w.inviteTitle}
      description={(again ? w.inviteAgainText : w.inviteText)(time)}
      submit={w.createLink}
      pending={invite.isPending}
      error={invite.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        name="email"
        label={w.email}
        type="email"
        value={email}
        onChange={setEmail}
        readOnly={again !== undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <RoleFields value={role} onChange={setRole} />
    </FormDialog>
  );
}

function Created({ invite, onClose }: { invite: NewInvite; onClose(): void }) {
  const w = useWords(words);
  return (
    <SecretDialog
      title={w.created}
      label={w.link}
      value={invite.accept_url}
      onStored={onClose}
      before={<p>{(invite.mailed ? w.mailed : w.notMailed)(invite.email)}</p>}
    >
      <Note>
        {w.worksUntil} <Time at={invite.expires_at} />
      </Note>
    </SecretDialog>
  );
}
