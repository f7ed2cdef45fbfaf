import { type FormEvent, useState } from 'react';
import { fieldProblem } from '../../data/failure.js';
import { useRequestPasswordReset } from '../../data/password-reset.js';
import { Button, LinkButton } from '../../design/button.js';
import { FailureNote } from '../../design/failure-note.js';
import { Stack } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** @param valid how long the link works, in words */
export function RequestForm({ valid }: { valid: string }) {
  const w = useWords(words);
  const [email, setEmail] = useState('');
  const [tried, setTried] = useState(false);
  const request = useRequestPasswordReset();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (email.trim() !== '' && !request.isPending) request.mutate({ email: email.trim() });
  };
  if (request.isSuccess) {
    return (
      <Stack>
        <p role="status">{w.sent(email.trim(), valid)}</p>
        <div>
          <LinkButton to="/sign-in">{w.back}</LinkButton>
        </div>
      </Stack>
    );
  }
  const invalid = fieldProblem(request.error, 'email') === undefined ? undefined : w.invalidEmail;
  return (
    <form method="post" noValidate onSubmit={submit}>
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
          problem={tried && email.trim() === '' ? w.emailNeeded : invalid}
        />
        {request.error && !invalid ? <FailureNote error={request.error} /> : null}
        <Button variant="primary" wide type="submit" pending={request.isPending}>
          {w.send}
        </Button>
      </Stack>
    </form>
  );
}
