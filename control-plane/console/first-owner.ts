// The first owner of an empty service. The token stands in the address behind the #, which browsers send nowhere.
import { request, type Session } from './api.js';
import { byId, checkFields, onSubmit, problem, show } from './dom.js';

const token = location.hash.slice(1);
// It does not stay in the address, where somebody may look over a shoulder, nor in the history.
history.replaceState(null, '', location.pathname);
// Somebody who pastes the whole address into this tab changes nothing but what follows the #.
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
