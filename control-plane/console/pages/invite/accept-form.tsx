import { useState } from 'react';
import type { OpenInvite } from '../../../../client/types.js';
import { Failure } from '../../data/failure.js';
import { useAcceptInvite } from '../../data/invitation.js';
import { Button, LinkButton } from '../../design/button.js';
import { Form, FormFailure } from '../../design/form.js';
import { useGo } from '../../design/link.js';
import { Note, Stack } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
import { ProviderButton } from '../../shell/provider-button.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export interface AcceptFormProps {
  readonly token: string;
  readonly invite: OpenInvite;
  /** E-mail address of the session; null: nobody is signed in. */
  readonly signedInAs: string | null;
}

export function AcceptForm({ token, invite, signedInAs }: AcceptFormProps) {
  const w = useWords(words);
  const go = useGo();
  const accept = useAcceptInvite();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const own = signedInAs === invite.email;
  const asksName = !own && !invite.known;
  const submit = () => {
    accept.mutate(
      { token, ...(own ? {} : { password }), ...(asksName ? { name: name.trim() } : {}) },
      { onSuccess: () => go({ to: '/o/$org', params: { org: invite.organization.slug } }) },
    );
  };
  const signsInFirst = accept.error instanceof Failure && accept.error.code === 'second_factor_required';
  return (
    <Form error={accept.error} onSubmit={submit}>
      <Stack>
        {own ? <p>{w.asYourself(invite.email)}</p> : null}
        {!own && signedInAs !== null ? <Note>{w.otherAccount(signedInAs, invite.email)}</Note> : null}
        {own ? null : (
          <TextField
            label={w.email}
            type="email"
            name="email"
            autoComplete="username"
            readOnly
            value={invite.email}
            onChange={() => undefined}
          />
        )}
        {asksName ? (
          <TextField
            label={w.name}
            name="name"
            autoComplete="name"
            maxLength={100}
            autoFocus
            required
            value={name}
            onChange={setName}
          />
        ) : null}
        {own ? null : (
          <TextField
            label={w.password}
            note={invite.known ? w.passwordKnown : w.passwordNew(invite.password_chars_min)}
            type="password"
            name="password"
            autoComplete={invite.known ? 'current-password' : 'new-password'}
            autoFocus={invite.known}
            required
            value={password}
            onChange={setPassword}
          />
        )}
        {signsInFirst ? (
          <>
            <Note>{w.signInFirst}</Note>
            <LinkButton to="/sign-in" search={{ next: `/invite#${token}` }}>
              {w.signIn}
            </LinkButton>
          </>
        ) : (
          <FormFailure />
        )}
        <Button variant="primary" wide type="submit" pending={accept.isPending}>
          {w.accept(invite.organization.name)}
        </Button>
        {own ? null : (
          <ProviderButton go={{ purpose: 'invite', invite: token, next: `/o/${invite.organization.slug}` }} />
        )}
      </Stack>
    </Form>
  );
}
