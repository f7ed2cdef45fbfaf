// `/builds/:build_id`, the address in messages and commit statuses: leads to the build in its organization.
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { locatedQuery } from '../../data/builds.js';
import { Failure } from '../../data/failure.js';
import { FailureNote } from '../../design/failure-note.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { HomeButton, MissingPage } from '../../shell/page-states.js';
import { useWords } from '../../words/use-words.js';
import { words } from '../build/words.js';

export default function BuildLinkPage() {
  const w = useWords(words);
  const navigate = useNavigate();
  const { hash } = useLocation();
  const { build_id: id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(locatedQuery(id));
  useEffect(() => {
    if (!data) return;
    const params = { org: data.slug, build_id: id };
    void navigate({ to: '/o/$org/builds/$build_id', params, hash, replace: true } as never);
  }, [data, id, hash, navigate]);
  if (error instanceof Failure && error.status === 404) {
    return <MissingPage title={w.missing} text={w.missingText} action={<HomeButton />} />;
  }
  return (
    <Page title={w.id}>
      {error ? <FailureNote error={error} onRetry={() => void refetch()} /> : <Skeleton lines={6} />}
    </Page>
  );
}
