// The second step: a code of the authenticator app, or a recovery code.
import { useRef, useState } from 'react';
import type { Session } from '../../../client/types.js';
import { Failure } from '../data/failure.js';
import { useCompleteSignIn } from '../data/session.js';
import { Button } from '../design/button.js';
import { Form, FormFailure } from '../design/form.js';
import { Note, Row, Stack } from '../design/page.js';
import { TextField } from '../design/text-field.js';
import { useWords } from '../words/use-words.js';
import { words } from './sign-in-words.js';

export interface CodeFormProps {
  /** Of the password that was right. */
  readonly token: string;
  onSignedIn(session: Session): void;
  /** Back to the password; `expired`: it has to be entered again. */
  onBack(expired: boolean): void;
}

export function CodeForm({ token, onSignedIn, onBack }: CodeFormProps) {
  const w = useWords(words);
  const complete = useCompleteSignIn();
  const [kind, setKind] = useState<'app' | 'recovery'>('app');
  const [code, setCode] = useState('');
  const around = useRef<HTMLDivElement>(null);
  const field = () => around.current?.querySelector<HTMLInputElement>('[name=code]');

  const submit = () => {
    if (complete.isPending) return;
    complete.mutate(
      { token, code: code.trim() },
      {
        onSuccess: onSignedIn,
        onError: (error) => {
          if (error instanceof Failure && error.code === 'sign_in_expired') return onBack(true);
          setCode('');
          field()?.focus();
        },
      },
    );
  };
  const change = () => {
    setKind(kind === 'app' ? 'recovery' : 'app');
    setCode('');
    complete.reset();
    field()?.focus();
  };
  return (
    <div ref={around}>
      <Form error={complete.error} onSubmit={submit}>
        <Stack>
          <Note>{kind === 'app' ? w.appText(location.host) : w.recoveryText}</Note>
          <TextField
            key={kind}
            label={kind === 'app' ? w.code : w.recoveryCode}
            name="code"
            {...(kind === 'app' ? { inputMode: 'numeric', autoComplete: 'one-time-code' } : { autoComplete: 'off' })}
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            required
            value={code}
            onChange={setCode}
          />
          <FormFailure />
          <Button variant="primary" wide type="submit" pending={complete.isPending}>
            {w.signIn}
          </Button>
          <Row>
            <Button variant="quiet" small onClick={change}>
              {kind === 'app' ? w.useRecovery : w.useApp}
            </Button>
            <Button variant="quiet" small onClick={() => onBack(false)}>
              {w.back}
            </Button>
          </Row>
        </Stack>
      </Form>
    </div>
  );
}
