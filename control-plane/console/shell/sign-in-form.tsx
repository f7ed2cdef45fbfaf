// Signs a person in, in two steps if they chose so, or with a passkey: on the page `/sign-in`, and in the dialog over a page
// whose session has ended.
import { useRef, useState } from 'react';
import type { Session } from '../../../client/types.js';
import { Failure } from '../data/failure.js';
import { useSignIn } from '../data/session.js';
import { Button } from '../design/button.js';
import { Form, FormFailure } from '../design/form.js';
import { Note, Stack } from '../design/page.js';
import { TextField } from '../design/text-field.js';
import { useWords } from '../words/use-words.js';
import { CodeForm } from './code-form.js';
import { PasskeyButton } from './passkey-button.js';
import { ProviderButton } from './provider-button.js';
import { words } from './sign-in-words.js';

export interface SignInFormProps {
  /** Who signed in last. */
  readonly email?: string;
  /** The page asked for, to which the identity provider leads back; `new-tab`: this page must stay as it is. */
  readonly next: string | null | 'new-tab';
  onSignedIn(session: Session): void;
}

export function SignInForm({ email: known = '', next, onSignedIn }: SignInFormProps) {
  const w = useWords(words);
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  /** The ticket of a right password, when a code is needed, too. */
  const [ticket, setTicket] = useState<string | null>(null);
  const [expired, setExpired] = useState(false);
  const signIn = useSignIn();
  const around = useRef<HTMLDivElement>(null);

  const submit = () => {
    setExpired(false);
    if (signIn.isPending) return;
    signIn.mutate(
      { email: email.trim(), password },
      {
        onSuccess: onSignedIn,
        onError: (error) => {
          setPassword('');
          const made = ticketOf(error);
          if (made !== null) return setTicket(made);
          around.current?.querySelector<HTMLInputElement>('[type=password]')?.focus();
        },
      },
    );
  };

  if (ticket !== null) {
    const back = (late: boolean) => {
      signIn.reset();
      setExpired(late);
      setTicket(null);
    };
    return <CodeForm token={ticket} onSignedIn={onSignedIn} onBack={back} />;
  }
  return (
    <div ref={around}>
      <Form error={isWrong(signIn.error) ? plain(w.wrong) : signIn.error} onSubmit={submit}>
        <Stack>
          <TextField
            label={w.email}
            type="email"
            name="email"
            autoComplete="username webauthn"
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
          <FormFailure />
          {expired ? <Note>{w.expired}</Note> : null}
          <Button variant="primary" wide type="submit" pending={signIn.isPending}>
            {w.signIn}
          </Button>
          <PasskeyButton onSignedIn={onSignedIn} />
          <ProviderButton
            go={next === 'new-tab' ? { purpose: 'sign-in', newTab: true } : { purpose: 'sign-in', next }}
          />
        </Stack>
      </Form>
    </div>
  );
}

export function ticketOf(error: unknown): string | null {
  if (!(error instanceof Failure) || error.code !== 'second_factor_required') return null;
  const { second_step: ticket } = error.details;
  return typeof ticket === 'string' ? ticket : null;
}

const isWrong = (error: unknown) => error instanceof Failure && error.code === 'invalid_credentials';
const plain = (message: string) => new Failure({ status: null, code: 'form', message });
