// `/sign-in?next=`: signs the person in, then returns to the page that they came from.
import { useSearch } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { Failure } from '../../data/failure.js';
import { nextAddress } from '../../data/next-address.js';
import { useSignIn } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { useGo } from '../../design/link.js';
import { Note, Page, Stack } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
import { Frame } from '../../shell/frame.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export default function SignInPage() {
  const w = useWords(words);
  const { next: given } = useSearch({ strict: false }) as { next?: string };
  const next = nextAddress(given, location.origin);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [incomplete, setIncomplete] = useState(false);
  const signIn = useSignIn();
  const go = useGo();
  const form = useRef<HTMLFormElement>(null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const missing = email.trim() === '' || password === '';
    setIncomplete(missing);
    if (missing) return;
    signIn.mutate(
      { email: email.trim(), password },
      {
        // Some pages have a content security policy of their own, and are loaded from the service.
        onSuccess: () => (next === null ? go({ to: '/' }) : location.replace(next)),
        onError: () => {
          setPassword('');
          form.current?.querySelector<HTMLInputElement>('[type=password]')?.focus();
        },
      },
    );
  };

  const reason = reasonOf(next);
  return (
    <Frame>
      <Page title={w.title} lead={reason ? w.reasons[reason] : undefined}>
        <Card>
          <form ref={form} method="post" noValidate onSubmit={submit}>
            <Stack>
              <TextField
                label={w.email}
                type="email"
                name="email"
                autoComplete="username"
                autoCapitalize="none"
                spellCheck={false}
                autoFocus
                required
                value={email}
                onChange={setEmail}
              />
              <TextField
                label={w.password}
                type="password"
                name="password"
                autoComplete="current-password"
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
        </Card>
        <Note>{w.forgotten}</Note>
      </Page>
    </Frame>
  );
}

const isWrong = (error: unknown) => error instanceof Failure && error.code === 'invalid_credentials';
const plain = (message: string) => new Failure({ status: null, code: 'form', message });

function reasonOf(next: string | null): 'pay' | 'build' | 'other' | null {
  if (next === null || next === '/') return null;
  if (next.startsWith('/pay/')) return 'pay';
  return /^\/(o\/[^/]+\/)?builds\//.test(next) ? 'build' : 'other';
}
