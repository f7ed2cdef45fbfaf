// `/shared/:token`: one build for anybody with the link.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import Unlink from 'lucide-react/icons/unlink';
import { useMemo } from 'react';
import { sourceOfLink } from '../../data/build-source.js';
import { sharedQuery } from '../../data/builds.js';
import { Failure } from '../../data/failure.js';
import { EmptyState } from '../../design/empty-state.js';
import { FailureNote } from '../../design/failure-note.js';
import { Page } from '../../design/page.js';
import { Skeleton } from '../../design/skeleton.js';
import { Frame } from '../../shell/frame.js';
import { useFormat } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { BuildView } from '../build/build-view.js';
import { words } from '../build/words.js';

export default function SharedPage() {
  const { token = '' } = useParams({ strict: false });
  return (
    <Frame wide>
      <SharedBuild token={token} />
    </Frame>
  );
}

function SharedBuild({ token }: { token: string }) {
  const w = useWords(words);
  const format = useFormat();
  const source = useMemo(() => sourceOfLink(token), [token]);
  const { data, error, refetch } = useQuery(sharedQuery(token));
  if (error instanceof Failure && error.status === 404) return <LinkGone />;
  if (!data) {
    return (
      <Page title={w.id}>
        {error ? <FailureNote error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
      </Page>
    );
  }
  return (
    <BuildView
      source={source}
      id={data.build_id}
      place={null}
      codeHost={data.code_host}
      crumbs={<span>{w.shared(format.clock(data.expires_at))}</span>}
      missing={<LinkGone />}
    />
  );
}

function LinkGone() {
  const w = useWords(words);
  return (
    <Page title={w.linkGone}>
      <EmptyState icon={<Unlink />} title={w.linkGoneText} />
    </Page>
  );
}
