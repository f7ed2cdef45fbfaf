// The role of a member, and the workspaces that a developer sees.
import { type Role, useOrganization } from '../../data/session.js';
import { Checkbox, CheckboxGroup, RadioGroup } from '../../design/choices.js';
import { Stack } from '../../design/page.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export interface RoleValue {
  readonly role: Role;
  /** Of a developer. */
  readonly workspaces: readonly string[];
}

const ROLES: readonly Role[] = ['developer', 'admin', 'owner'];

export function RoleFields({ value, onChange }: { value: RoleValue; onChange(value: RoleValue): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const { role: own, workspaces } = useOrganization();
  const toggle = (id: string, on: boolean) =>
    onChange({
      ...value,
      workspaces: on ? [...value.workspaces, id] : value.workspaces.filter((one) => one !== id),
    });
  return (
    <Stack>
      <RadioGroup<Role>
        name="role"
        label={w.role}
        value={value.role}
        onChange={(role) => onChange({ ...value, role })}
        options={ROLES.map((role) => ({
          value: role,
          label: common.role[role],
          note: role === 'owner' && own !== 'owner' ? w.onlyOwners : w.may[role],
          disabled: role === 'owner' && own !== 'owner',
        }))}
      />
      {value.role === 'developer' && workspaces.length > 1 ? (
        <CheckboxGroup name="workspace_ids" label={w.seesWorkspaces}>
          {workspaces.map(({ id, name }) => (
            <Checkbox key={id} label={name} checked={value.workspaces.includes(id)} onChange={(on) => toggle(id, on)} />
          ))}
        </CheckboxGroup>
      ) : null}
    </Stack>
  );
}

/** What is sent: workspaces only for a developer. */
export const roleBody = ({ role, workspaces }: RoleValue) =>
  role === 'developer' ? { role, workspace_ids: [...workspaces] } : { role };
