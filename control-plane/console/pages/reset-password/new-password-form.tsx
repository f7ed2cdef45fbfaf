import { useState } from 'react';
import { fieldProblem } from '../../../../shared/messages/field-problems.js';
import { Failure } from '../../data/failure.js';
import { useResetPassword } from '../../data/password-reset.js';
import { takeSession, useSignIn } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Form, FormFailure } from '../../design/form.js';
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
  const submit = () => {
    if (pending) return;
    reset.mutate(
      { token, password },
      {
        onSuccess: enter,
        onError: (error) => error instanceof Failure && error.status === 404 && onRefused(),
      },
    );
  };

  const short = password !== '' && password.length < shortest;
  const checks = { password: short ? fieldProblem('too_short', { least: shortest }) : null };
  return (
    <Form error={reset.error} checks={checks} onSubmit={submit}>
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
        />
        <FormFailure />
        <Button variant="primary" wide type="submit" pending={pending}>
          {w.change}
        </Button>
      </Stack>
    </Form>
  );
}
