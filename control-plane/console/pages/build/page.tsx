// `/o/:org/builds/:build_id`: one build.
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { sourceInOrganization } from '../../data/build-source.js';
import { useOrganization, useSession } from '../../data/session.js';
import { LinkButton } from '../../design/button.js';
import { Link } from '../../design/link.js';
import { MissingPage } from '../../shell/page-states.js';
import { useWords } from '../../words/use-words.js';
import { Actions } from './actions.js';
import { BuildView } from './build-view.js';
import { words } from './words.js';

export default function BuildPage() {
  const w = useWords(words);
  const { id: org } = useOrganization();
  const { code_host: codeHost } = useSession();
  const { build_id: id = '' } = useParams({ strict: false });
  const place = useMemo(() => ({ id: org }), [org]);
  const source = useMemo(() => sourceInOrganization(place), [place]);
  return (
    <BuildView
      key={id}
      source={source}
      id={id}
      place={place}
      codeHost={codeHost}
      crumbs={<Link to="/o/$org/builds">{w.builds}</Link>}
      actions={(build) => <Actions place={place} build={build} />}
      missing={<MissingBuild />}
    />
  );
}

function MissingBuild() {
  const w = useWords(words);
  const action = (
    <LinkButton to="/o/$org/builds" variant="primary">
      {w.toBuilds}
    </LinkButton>
  );
  return <MissingPage title={w.missing} text={w.missingText} action={action} />;
}
