// `/o/:org/files`: uploads and artifacts of a workspace, and the storage that is left.
import { useOrganization, workspaceOf } from '../../data/session.js';
import { Page } from '../../design/page.js';
import { useWords } from '../../words/use-words.js';
import { ChooseWorkspace } from './choose-workspace.js';
import { Files } from './files.js';
import { Storage } from './storage.js';
import { words } from './words.js';

export default function FilesPage() {
  const w = useWords(words);
  const place = useOrganization();
  const workspace = workspaceOf(place);
  return (
    <Page title={w.title} lead={w.lead}>
      <Storage place={place} />
      {workspace === null ? <ChooseWorkspace place={place} /> : <Files orgId={place.id} workspace={workspace} />}
    </Page>
  );
}
