import { useState } from 'react';
import { useRequestPasswordReset } from '../../data/password-reset.js';
import { Button, LinkButton } from '../../design/button.js';
import { Form, FormFailure } from '../../design/form.js';
import { Stack } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** @param valid how long the link works, in words */
export function RequestForm({ valid }: { valid: string }) {
  const w = useWords(words);
  const [email, setEmail] = useState('');
  const request = useRequestPasswordReset();
  const submit = () => {
    if (!request.isPending) request.mutate({ email: email.trim() });
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
  return (
    <Form error={request.error} onSubmit={submit}>
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
        <FormFailure />
        <Button variant="primary" wide type="submit" pending={request.isPending}>
          {w.send}
        </Button>
      </Stack>
    </Form>
  );
}
