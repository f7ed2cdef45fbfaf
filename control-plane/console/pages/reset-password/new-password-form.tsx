import { type FormEvent, useState } from 'react';
import { Failure, fieldProblem, shortestPassword } from '../../data/failure.js';
import { useResetPassword } from '../../data/password-reset.js';
import { takeSession, useSignIn } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { FailureNote } from '../../design/failure-note.js';
import { useGo } from '../../design/link.js';
import { Stack } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export interface NewPasswordFormProps {
  readonly token: string;
  readonly email: string;
  /** Characters that a password must have. */
  readonly shortest: number;
  /** The link was used, was replaced or has expired. */
  onRefused(): void;
}

export function NewPasswordForm({ token, email, shortest, onRefused }: NewPasswordFormProps) {
  const w = useWords(words);
  const [password, setPassword] = useState('');
  const [tried, setTried] = useState(false);
  const reset = useResetPassword();
  const signIn = useSignIn();
  const toast = useToast();
  const go = useGo();
  const pending = reset.isPending || signIn.isPending;

  const enter = () =>
    signIn.mutate(
      { email, password },
      {
        onSuccess: (session) => {
          takeSession(session);
          toast.done(w.changed);
          go({ to: '/' }, { replace: true });
        },
        // The password is changed; the sign-in page asks for what else is needed.
        onError: () => {
          toast.done(w.changedSignIn);
          go({ to: '/sign-in' }, { replace: true });
        },
      },
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (password.length < shortest || pending) return;
    reset.mutate(
      { token, password },
      {
        onSuccess: enter,
        onError: (error) => error instanceof Failure && error.status === 404 && onRefused(),
      },
    );
  };

  const short = (tried && password.length < shortest) || shortestPassword(reset.error) !== null;
  return (
    <form method="post" noValidate onSubmit={submit}>
      <Stack>
        {/* For password managers. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <TextField
          label={w.password}
          note={w.passwordNote(shortest)}
          type="password"
          name="password"
          autoComplete="new-password"
          autoFocus
          required
          value={password}
          onChange={setPassword}
          problem={short ? w.short(shortest) : fieldProblem(reset.error, 'password')}
        />
        {reset.error && !short ? <FailureNote error={reset.error} /> : null}
        <Button variant="primary" wide type="submit" pending={pending}>
          {w.change}
        </Button>
      </Stack>
    </form>
  );
}
