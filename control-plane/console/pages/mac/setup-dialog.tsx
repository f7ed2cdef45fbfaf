import { useId, useState } from 'react';
import type { RentalDetail, When } from '../../../../client/types.js';
import { useSetUp } from '../../data/macs.js';
import { useOrganization } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Checkbox, CheckboxGroup } from '../../design/choices.js';
import { Dialog } from '../../design/dialog.js';
import { Form, FormFailure } from '../../design/form.js';
import { Note, Stack } from '../../design/page.js';
import { Select } from '../../design/select.js';
import { useToast } from '../../design/toast.js';
import { shared } from '../../words/shared.js';
import { useWords } from '../../words/use-words.js';
import { type SetupWanted, setupChangeOf } from './setup-change.js';
import { WhenChoice } from './when-choice.js';
import { words } from './words.js';

/** Xcode, simulator runtimes and tools of the Mac. */
export function SetupDialog({ mac, onClose }: { mac: RentalDetail; onClose(): void }) {
  const w = useWords(words);
  const common = useWords(shared);
  const id = useId();
  const toast = useToast();
  const { setup, setup_options: options } = mac;
  const [wanted, setWanted] = useState<SetupWanted>({
    xcode: setup.xcode,
    runtimes: setup.runtimes,
    tools: setup.tools,
    anew: false,
  });
  const [when, setWhen] = useState<When>('after_build');
  const setUp = useSetUp(useOrganization(), mac.rental_id);
  const isBuilding = mac.state === 'building';
  const change = setupChangeOf(setup, wanted, isBuilding ? when : null);
  const save = () => {
    if (!change) return;
    setUp.mutate(change, {
      onSuccess() {
        toast.done(w.setupAccepted);
        onClose();
      },
    });
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => (next ? undefined : onClose())}
      title={w.setupTitle}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            variant="primary"
            type="submit"
            form={id}
            pending={setUp.isPending}
            refused={change ? null : w.setupNothing}
          >
            {w.setupSave}
          </Button>
        </>
      }
    >
      <Form id={id} error={setUp.error} onSubmit={save}>
        <Stack>
          {options.xcode.length > 0 ? (
            <Select
              name="xcode"
              label={w.xcode}
              value={wanted.xcode ?? ''}
              options={[
                ...(setup.xcode === null ? [{ value: '', label: w.setupNoXcode }] : []),
                ...options.xcode.map((version) => ({ value: version, label: version })),
              ]}
              onChange={(value) => setWanted({ ...wanted, xcode: value === '' ? null : value })}
            />
          ) : null}
          <Names
            name="runtimes"
            label={w.runtimes}
            options={options.runtimes}
            chosen={wanted.runtimes}
            onChange={(runtimes) => setWanted({ ...wanted, runtimes })}
          />
          <Names
            name="tools"
            label={w.tools}
            options={options.tools}
            chosen={wanted.tools}
            onChange={(tools) => setWanted({ ...wanted, tools })}
          />
          <div>
            <Checkbox
              label={w.setupNew}
              checked={wanted.anew}
              disabled={mac.resets.left === 0}
              onChange={(anew) => setWanted({ ...wanted, anew })}
            />
            <Note>
              {w.setupNewNote} {w.quota(mac.resets.left)}
            </Note>
          </div>
          {isBuilding ? <WhenChoice value={when} onChange={setWhen} /> : null}
          <FormFailure />
        </Stack>
      </Form>
    </Dialog>
  );
}

function Names({
  name: field,
  label,
  options,
  chosen,
  onChange,
}: {
  name: string;
  label: string;
  options: readonly string[];
  chosen: readonly string[];
  onChange(names: readonly string[]): void;
}) {
  if (options.length === 0) return null;
  return (
    <CheckboxGroup name={field} label={label}>
      {options.map((name) => (
        <Checkbox
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={(on) => onChange(on ? [...chosen, name] : chosen.filter((each) => each !== name))}
        />
      ))}
    </CheckboxGroup>
  );
}
