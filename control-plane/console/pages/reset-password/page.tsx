// `/reset-password`: asks for a link by mail. `/reset-password#token`: chooses a new password.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Failure } from '../../data/failure.js';
import { openPasswordResetQuery, passwordResetQuery } from '../../data/password-reset.js';
import { takeToken } from '../../data/take-token.js';
import { LinkButton } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { FailureNote } from '../../design/failure-note.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { Frame } from '../../shell/frame.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { NewPasswordForm } from './new-password-form.js';
import { RequestForm } from './request-form.js';
import { words } from './words.js';

export default function ResetPasswordPage() {
  const [token] = useState(takeToken);
  // Pasting the link into this tab changes only the fragment, which does not load the page again.
  useEffect(() => {
    const reload = () => location.reload();
    addEventListener('hashchange', reload);
    return () => removeEventListener('hashchange', reload);
  }, []);
  return <Frame>{token === '' ? <Request /> : <Choose token={token} />}</Frame>;
}

function Request() {
  const w = useWords(words);
  const { span } = useFormat();
  const { data: state, error, refetch } = useQuery(passwordResetQuery);
  if (state?.sends_mail === false) {
    return (
      <Page title={w.title} lead={w.noMail}>
        <LinkButton to="/sign-in">{w.back}</LinkButton>
      </Page>
    );
  }
  return (
    <Page title={w.title} lead={w.lead}>
      <Card>
        {error && !state ? <FailureNote error={error} onRetry={() => void refetch()} /> : null}
        {!error && !state ? <Skeleton lines={3} /> : null}
        {state ? <RequestForm valid={span(state.valid_s * 1_000)} /> : null}
      </Card>
    </Page>
  );
}

function Choose({ token }: { token: string }) {
  const w = useWords(words);
  const state = useQuery(passwordResetQuery);
  const link = useQuery(openPasswordResetQuery(token));
  const [refused, setRefused] = useState(false);
  const error = link.error ?? state.error;
  if (refused || (link.error instanceof Failure && link.error.status === 404)) {
    return (
      <Page title={w.deadTitle} lead={w.dead}>
        <LinkButton variant="primary" to="/reset-password">
          {w.again}
        </LinkButton>
      </Page>
    );
  }
  return (
    <Page title={w.chooseTitle} lead={link.data ? w.chooseLead(link.data.email) : null}>
      <Card>
        {error ? (
          <FailureNote error={error} onRetry={() => void Promise.all([link.refetch(), state.refetch()])} />
        ) : null}
        {!error && !(link.data && state.data) ? <Skeleton lines={3} /> : null}
        {link.data && state.data ? (
          <NewPasswordForm
            token={token}
            email={link.data.email}
            shortest={state.data.password_chars_min}
            onRefused={() => setRefused(true)}
          />
        ) : null}
      </Card>
    </Page>
  );
}
