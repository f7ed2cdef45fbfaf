// Signs a person in: on the page `/sign-in`, and in the dialog over a page whose session has ended.
import { type FormEvent, useRef, useState } from 'react';
import type { Session } from '../../../client/types.js';
import { Failure } from '../data/failure.js';
import { useSignIn } from '../data/session.js';
import { Button } from '../design/button.js';
import { FailureNote } from '../design/failure-note.js';
import { Stack } from '../design/page.js';
import { TextField } from '../design/text-field.js';
import { useWords } from '../words/use-words.js';
import { words } from './sign-in-words.js';

export interface SignInFormProps {
  /** Who signed in last. */
  readonly email?: string;
  onSignedIn(session: Session): void;
}

export function SignInForm({ email: known = '', onSignedIn }: SignInFormProps) {
  const w = useWords(words);
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const [incomplete, setIncomplete] = useState(false);
  const signIn = useSignIn();
  const form = useRef<HTMLFormElement>(null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const missing = email.trim() === '' || password === '';
    setIncomplete(missing);
    if (missing || signIn.isPending) return;
    signIn.mutate(
      { email: email.trim(), password },
      {
        onSuccess: onSignedIn,
        onError: () => {
          setPassword('');
          form.current?.querySelector<HTMLInputElement>('[type=password]')?.focus();
        },
      },
    );
  };

  return (
    <form ref={form} method="post" noValidate onSubmit={submit}>
      <Stack>
        <TextField
          label={w.email}
          type="email"
          name="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus={known === ''}
          required
          value={email}
          onChange={setEmail}
        />
        <TextField
          label={w.password}
          type="password"
          name="password"
          autoComplete="current-password"
          autoFocus={known !== ''}
          required
          value={password}
          onChange={setPassword}
        />
        {incomplete ? <FailureNote error={plain(w.missing)} /> : null}
        {signIn.error && !incomplete ? (
          <FailureNote error={isWrong(signIn.error) ? plain(w.wrong) : signIn.error} />
        ) : null}
        <Button variant="primary" wide type="submit" pending={signIn.isPending}>
          {w.signIn}
        </Button>
      </Stack>
    </form>
  );
}

const isWrong = (error: unknown) => error instanceof Failure && error.code === 'invalid_credentials';
const plain = (message: string) => new Failure({ status: null, code: 'form', message });
