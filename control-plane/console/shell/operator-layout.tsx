// Pages below `/operator`.
import { followChanges } from '../../../client/operations/operator.js';
import { call } from '../data/api.js';
import { useSession } from '../data/session.js';
import { useLive } from '../data/use-live.js';
import { operatorNavigation } from '../navigation.js';
import { useWords } from '../words/use-words.js';
import { PageMissing } from './page-states.js';
import { Shell } from './shell.js';
import { OrganizationSwitcher } from './switchers.js';
import { words } from './words.js';

export default function OperatorLayout() {
  const { user } = useSession();
  return user.operator ? <Operators /> : <NobodyHere />;
}

function NobodyHere() {
  const w = useWords(words);
  return (
    <Shell scope={w.operators} groups={[]} switchers={<OrganizationSwitcher current={null} text={w.operators} />}>
      <PageMissing />
    </Shell>
  );
}

function Operators() {
  const w = useWords(words);
  useLive(call(followChanges).address, 'operator');
  return (
    <Shell
      scope={w.operators}
      groups={operatorNavigation}
      switchers={<OrganizationSwitcher current={null} text={w.operators} />}
    />
  );
}
