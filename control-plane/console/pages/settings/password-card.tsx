import { type FormEvent, useState } from 'react';
import { Failure, fieldProblem } from '../../data/failure.js';
import { useChangePassword } from '../../data/own-sessions.js';
import { useLimits, useSession } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { Stack } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
import { useToast } from '../../design/toast.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function PasswordCard() {
  const w = useWords(words);
  const toast = useToast();
  const { user } = useSession();
  const shortest = useLimits().password_chars_min;
  const change = useChangePassword();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [tried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (current === '' || next.length < shortest) return;
    change.mutate(
      { current, new: next },
      {
        onSuccess: () => {
          setCurrent('');
          setNext('');
          setTried(false);
          toast.done(w.passwordChanged);
        },
        onError: () => setCurrent(''),
      },
    );
  };
  const wrong = change.error instanceof Failure && change.error.code === 'invalid_credentials';
  return (
    <Card title={w.password}>
      <form method="post" noValidate onSubmit={submit}>
        <Stack>
          {/* For password managers. */}
          <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
          <TextField
            label={w.currentPassword}
            type="password"
            name="current"
            autoComplete="current-password"
            required
            value={current}
            onChange={setCurrent}
            problem={tried && current === '' && !wrong ? w.needed : undefined}
          />
          <TextField
            label={w.newPassword}
            note={w.passwordNote(shortest)}
            type="password"
            name="new"
            autoComplete="new-password"
            required
            value={next}
            onChange={setNext}
            problem={tried && next.length < shortest ? w.short(shortest) : fieldProblem(change.error, 'new')}
          />
          {change.error ? (
            <FailureNote error={wrong ? new Failure({ status: null, code: 'form', message: w.wrong }) : change.error} />
          ) : null}
          <div>
            <Button type="submit" pending={change.isPending}>
              {w.changePassword}
            </Button>
          </div>
        </Stack>
      </form>
    </Card>
  );
}
