// The language of the person: of this browser, and as the service stores it for mails and for other browsers.
import { useEffect } from 'react';
import type { Language } from '../../../shared/language.js';
import { hasChosenLanguage, useChoices } from '../words/language.js';
import { useChangeProfile } from './own-sessions.js';
import { queryClient } from './query-client.js';
import { sessionQuery, useSession } from './session.js';

/** Returns a function that changes the language of the pages, and of a signed-in person's mails. */
export function useSetLanguage(failed: (error: unknown) => void): (language: Language) => void {
  const { setLanguage } = useChoices();
  const change = useChangeProfile();
  return (language) => {
    setLanguage(language);
    const isSignedIn = queryClient.getQueryData(sessionQuery.queryKey) !== undefined;
    if (isSignedIn) change.mutate({ language }, { onError: failed });
  };
}

/** Shows pages in the stored language of the person in a browser where none was chosen. */
export function useStoredLanguage(): void {
  const { setLanguage } = useChoices();
  const { language } = useSession().user;
  useEffect(() => {
    if (language !== null && !hasChosenLanguage()) setLanguage(language);
  }, [language, setLanguage]);
}
