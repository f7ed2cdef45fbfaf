// Creates the first owner of an empty service. The token is in the URL fragment, which browsers do not send.
import { request, type Session } from './api.js';
import { byId, checkFields, onSubmit, problem, show } from './dom.js';

const token = location.hash.slice(1);
// Remove the token from the address bar, where others may see it, and from the history.
history.replaceState(null, '', location.pathname);
// Pasting the link into this tab changes only the fragment, which does not reload the page.
addEventListener('hashchange', () => location.reload());

if (token === '') {
  show('no-token-card');
} else {
  show('form-card');
  const form = byId('form', HTMLFormElement);
  const value = (id: string) => byId(id, HTMLInputElement).value;
  onSubmit(form, byId('submit', HTMLButtonElement), async () => {
    if (!checkFields(form, 'problem')) return;
    const name = value('name').trim();
    const answer = await request<Session>('POST', '/v1/first-owner', {
      token,
      organization: value('organization'),
      ...(name === '' ? {} : { name }),
      email: value('email'),
      password: value('password'),
    });
    if (answer.ok) location.replace('/sign-in');
    else problem('problem', answer.failure.message);
  });
  byId('organization', HTMLInputElement).focus();
}
