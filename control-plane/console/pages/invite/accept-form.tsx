import { type FormEvent, useState } from 'react';
import type { OpenInvite } from '../../../../client/types.js';
import { Failure, fieldProblem, shortestPassword } from '../../data/failure.js';
import { useAcceptInvite } from '../../data/invitation.js';
import { Button, LinkButton } from '../../design/button.js';
import { FailureNote } from '../../design/failure-note.js';
import { useGo } from '../../design/link.js';
import { Note, Stack } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
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
  const [tried, setTried] = useState(false);
  const own = signedInAs === invite.email;
  const asksName = !own && !invite.known;
  const problems = {
    name: tried && asksName && name.trim() === '' ? w.needed : undefined,
    password: tried && !own && password === '' ? w.needed : undefined,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const complete = own || password !== '';
    if (!complete || (asksName && name.trim() === '')) return;
    accept.mutate(
      { token, ...(own ? {} : { password }), ...(asksName ? { name: name.trim() } : {}) },
      { onSuccess: () => go({ to: '/o/$org', params: { org: invite.organization.slug } }) },
    );
  };
  const tooShort = shortestPassword(accept.error) !== null;
  const wrong = accept.error instanceof Failure && accept.error.code === 'invalid_credentials';
  const signsInFirst = accept.error instanceof Failure && accept.error.code === 'second_factor_required';
  return (
    <form method="post" noValidate onSubmit={submit}>
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
            problem={problems.name ?? fieldProblem(accept.error, 'name')}
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
            problem={
              problems.password ??
              (tooShort ? w.short(invite.password_chars_min) : fieldProblem(accept.error, 'password'))
            }
          />
        )}
        {accept.error ? (
          <FailureNote error={wrong ? plain(w.wrong) : signsInFirst ? plain(w.signInFirst) : accept.error} />
        ) : null}
        {signsInFirst ? (
          <LinkButton to="/sign-in" search={{ next: `/invite#${token}` }}>
            {w.signIn}
          </LinkButton>
        ) : null}
        <Button variant="primary" wide type="submit" pending={accept.isPending}>
          {w.accept(invite.organization.name)}
        </Button>
      </Stack>
    </form>
  );
}

const plain = (message: string) => new Failure({ status: null, code: 'form', message });
