import { useState } from 'react';
import { fieldProblem } from '../../../../shared/messages/field-problems.js';
import { useChangePassword } from '../../data/own-sessions.js';
import { useLimits, useSession } from '../../data/session.js';
import { Button, LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Form, FormFailure } from '../../design/form.js';
import { Note, Row, Stack } from '../../design/page.js';
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
  const submit = () =>
    change.mutate(
      { current, new: next },
      {
        onSuccess: () => {
          setCurrent('');
          setNext('');
          toast.done(w.passwordChanged);
        },
        onError: () => setCurrent(''),
      },
    );
  if (!user.confirm_ways.includes('password')) {
    return (
      <Card title={w.password}>
        <Stack>
          <Note>{w.noPassword}</Note>
          <Row>
            <LinkButton to="/reset-password">{w.setPassword}</LinkButton>
          </Row>
        </Stack>
      </Card>
    );
  }
  const tooShort = next !== '' && next.length < shortest;
  return (
    <Card title={w.password}>
      <Form
        error={change.error}
        checks={{ new: tooShort ? fieldProblem('too_short', { least: shortest }) : null }}
        onSubmit={submit}
      >
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
          />
          <FormFailure />
          <div>
            <Button type="submit" pending={change.isPending}>
              {w.changePassword}
            </Button>
          </div>
        </Stack>
      </Form>
    </Card>
  );
}
