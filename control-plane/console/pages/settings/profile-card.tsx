// The person's name and language, which the service stores.
import { useState } from 'react';
import { languages } from '../../../../shared/language.js';
import { useChangeProfile } from '../../data/own-sessions.js';
import { useSetLanguage } from '../../data/person-language.js';
import { useSession } from '../../data/session.js';
import { Button } from '../../design/button.js';
import { Card } from '../../design/card.js';
import { Form, FormFailure } from '../../design/form.js';
import { Stack } from '../../design/page.js';
import { Select } from '../../design/select.js';
import { TextField } from '../../design/text-field.js';
import { useToast } from '../../design/toast.js';
import { useLanguage } from '../../words/language.js';
import { useWords } from '../../words/use-words.js';
import { words } from './words.js';

export function ProfileCard() {
  const w = useWords(words);
  const toast = useToast();
  const language = useLanguage();
  const setLanguage = useSetLanguage(toast.failed);
  const { user, sends_mail: sendsMail } = useSession();
  const change = useChangeProfile();
  const [name, setName] = useState(user.name ?? '');
  const submit = () => change.mutate({ name }, { onSuccess: () => toast.done(w.nameChanged) });
  return (
    <Card title={w.profile}>
      <Stack>
        <Form error={change.error} onSubmit={submit}>
          <Stack>
            <TextField
              name="name"
              label={w.name}
              note={w.nameNote}
              autoComplete="name"
              required
              value={name}
              onChange={setName}
            />
            <FormFailure />
            <div>
              <Button type="submit" pending={change.isPending}>
                {w.changeName}
              </Button>
            </div>
          </Stack>
        </Form>
        <Select
          label={w.language}
          note={sendsMail ? w.mailsIn(w.languages[user.language ?? 'en']) : undefined}
          value={language}
          onChange={setLanguage}
          options={languages.map((value) => ({ value, label: w.languages[value] }))}
        />
        {!sendsMail || (user.language ?? 'en') === language ? null : (
          <div>
            <Button small onClick={() => setLanguage(language)}>
              {w.mailsToo(w.languages[language])}
            </Button>
          </div>
        )}
      </Stack>
    </Card>
  );
}
