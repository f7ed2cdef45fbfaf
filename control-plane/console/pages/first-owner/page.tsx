// `/first-owner#token`: creates the first person of an empty service. Browsers do not send what follows `#`.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { createFirstOwner, getFirstOwner } from '../../../../client/operations/console.js';
import { call, send } from '../../data/api.js';
import { Failure } from '../../data/failure.js';
import { useMutation } from '../../data/mutation.js';
import { readQuery } from '../../data/queries.js';
import { takeSession } from '../../data/session.js';
import { takeToken } from '../../data/take-token.js';
import { Button, LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { Form, FormFailure } from '../../design/form.js';
import { useGo } from '../../design/link.js';
import { Note, Page, Stack } from '../../design/page.js';
import { TextField } from '../../design/text-field.js';
import { Frame } from '../../shell/frame.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

const stateQuery = readQuery(['first-owner'], call(getFirstOwner));

export default function FirstOwnerPage() {
  const w = useWords(words);
  const [token] = useState(takeToken);
  const [refused, setRefused] = useState(false);
  const { data: state, error, refetch } = useQuery(stateQuery);
  // Pasting the link into this tab changes only the fragment, which does not load the page again.
  useEffect(() => {
    const reload = () => location.reload();
    addEventListener('hashchange', reload);
    return () => removeEventListener('hashchange', reload);
  }, []);
  return (
    <Frame>
      {error && !state ? (
        <Page title={w.title}>
          <FailureNote error={error} onRetry={() => void refetch()} />
        </Page>
      ) : null}
      {state?.missing === false ? (
        <Page title={w.existsTitle} lead={w.exists}>
          <LinkButton variant="primary" to="/sign-in">
            {w.signIn}
          </LinkButton>
        </Page>
      ) : null}
      {state?.missing && token === '' ? (
        <Page title={w.noTokenTitle} lead={w.noToken}>
          <Note>{w.noTokenNote}</Note>
        </Page>
      ) : null}
      {state?.missing && refused ? (
        <Page title={w.refusedTitle} lead={w.refused}>
          <Note>{w.noTokenNote}</Note>
        </Page>
      ) : null}
      {state?.missing && token !== '' && !refused ? (
        <Page title={w.title} lead={w.lead}>
          <Card>
            <OwnerForm
              token={token}
              shortest={state.password_chars_min}
              onRefused={() => {
                setRefused(true);
                void refetch();
              }}
            />
          </Card>
        </Page>
      ) : null}
    </Frame>
  );
}

const empty = { organization: '', name: '', email: '', password: '' };

/**
 * @param shortest characters that a password must have
 * @param onRefused the link was used, has expired or is not the latest
 */
function OwnerForm({ token, shortest, onRefused }: { token: string; shortest: number; onRefused(): void }) {
  const w = useWords(words);
  const [value, setValue] = useState(empty);
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
  const bind = (field: keyof typeof empty) => ({
    name: field,
    value: value[field],
    onChange: (text: string) => setValue({ ...value, [field]: text }),
  });
  return (
    <Form error={create.error} onSubmit={() => create.mutate(value)}>
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
        <TextField
          {...bind('password')}
          label={w.password}
          note={w.passwordNote(shortest)}
          type="password"
          autoComplete="new-password"
          required
        />
        <FormFailure />
        <Button variant="primary" wide type="submit" pending={create.isPending}>
          {w.create}
        </Button>
      </Stack>
    </Form>
  );
}
