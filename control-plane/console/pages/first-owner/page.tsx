// `/first-owner#token`: creates the first person of an empty service. Browsers do not send what follows `#`.
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { createFirstOwner } from '../../../../client/operations/console.js';
import { call, send } from '../../data/api.js';
import { Failure, fieldProblem, shortestPassword } from '../../data/failure.js';
import { takeSession } from '../../data/session.js';
import { Button, LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { useGo } from '../../design/link.js';
import { Note, Page, Stack } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
import { Frame } from '../../shell/frame.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

/** Takes the token out of the address, where others may see it, and out of the history. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(history.state, '', location.pathname);
  return token;
}

export default function FirstOwnerPage() {
  const w = useWords(words);
  const [token] = useState(takeToken);
  const [refused, setRefused] = useState(false);
  // Pasting the link into this tab changes only the fragment, which does not load the page again.
  useEffect(() => {
    const reload = () => location.reload();
    addEventListener('hashchange', reload);
    return () => removeEventListener('hashchange', reload);
  }, []);
  return (
    <Frame>
      {token === '' ? (
        <Page title={w.noTokenTitle} lead={w.noToken}>
          <Note>{w.noTokenNote}</Note>
        </Page>
      ) : null}
      {refused ? (
        <Page title={w.refusedTitle} lead={w.refused}>
          <LinkButton variant="primary" to="/sign-in">
            {w.signIn}
          </LinkButton>
          <Note>{w.noTokenNote}</Note>
        </Page>
      ) : null}
      {token !== '' && !refused ? (
        <Page title={w.title} lead={w.lead}>
          <Card>
            <OwnerForm token={token} onRefused={() => setRefused(true)} />
          </Card>
        </Page>
      ) : null}
    </Frame>
  );
}

const empty = { organization: '', name: '', email: '', password: '' };

/** @param onRefused the link was used, has expired or is not the latest */
function OwnerForm({ token, onRefused }: { token: string; onRefused(): void }) {
  const w = useWords(words);
  const [value, setValue] = useState(empty);
  const [checked, setChecked] = useState(false);
  const go = useGo();
  const create = useMutation({
    mutationFn: ({ name, ...body }: typeof empty) =>
      send(call(createFirstOwner, { ...body, token, ...(name.trim() === '' ? {} : { name }) })),
    onSuccess(session) {
      takeSession(session);
      go({ to: '/' }, { replace: true });
    },
    onError(error) {
      if (error instanceof Failure && error.code === 'forbidden') onRefused();
    },
  });
  const problemOf = (field: keyof typeof empty): string | undefined => {
    if (checked && field !== 'name' && value[field].trim() === '') return w.needed;
    const shortest = field === 'password' ? shortestPassword(create.error) : null;
    return shortest === null ? fieldProblem(create.error, field) : w.short(shortest);
  };
  const bind = (field: keyof typeof empty) => ({
    name: field,
    value: value[field],
    onChange: (text: string) => setValue({ ...value, [field]: text }),
    problem: problemOf(field),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setChecked(true);
    const { name, ...needed } = value;
    const first = Object.entries(needed).find(([, text]) => text.trim() === '')?.[0];
    const form = event.currentTarget;
    const focus = (field: string) => form.querySelector<HTMLInputElement>(`[name=${field}]`)?.focus();
    if (first !== undefined) return focus(first);
    create.mutate(value, { onError: (error) => shortestPassword(error) !== null && focus('password') });
  };
  return (
    <form method="post" noValidate onSubmit={submit}>
      <Stack>
        <TextField
          {...bind('organization')}
          label={w.organization}
          note={w.organizationNote}
          autoComplete="organization"
          maxLength={100}
          autoFocus
          required
        />
        <TextField {...bind('name')} label={w.name} autoComplete="name" maxLength={100} required={false} />
        <TextField
          {...bind('email')}
          label={w.email}
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <TextField {...bind('password')} label={w.password} type="password" autoComplete="new-password" required />
        {create.error ? <FailureNote error={create.error} /> : null}
        <Button variant="primary" wide type="submit" pending={create.isPending}>
          {w.create}
        </Button>
      </Stack>
    </form>
  );
}
