// The sign-in page: signs the person in, then returns to the page that they came from.
import { request, type Session } from './api.js';
import { byId, checkFields, make, onSubmit, problem, setText, show } from './dom.js';

const next = nextAddress(new URLSearchParams(location.search).get('next'));

/**
 * Allows only addresses of this site, to prevent open redirects. A path of this site may begin with two slashes too
 * (`/.//evil.example` resolves to `//evil.example`), which a browser would take for another host.
 */
function nextAddress(given: string | null): URL | null {
  if (given === null || !URL.canParse(given, location.origin)) return null;
  const url = new URL(given, location.origin);
  const here = given.startsWith('/') && url.origin === location.origin && !url.pathname.startsWith('//');
  return here ? url : null;
}

const reasons: readonly (readonly [path: string, reason: string])[] = [
  ['/pay/', 'Sign in to see the order and pay it.'],
  ['/builds/', 'Sign in to see the build.'],
  ['/usage', 'Sign in to see what your organizations use.'],
];

function askWho(): void {
  show('form-card');
  const reason = reasons.find(([path]) => next?.pathname.startsWith(path));
  if (reason) {
    setText('reason', reason[1]);
    show('reason');
  }
  const form = byId('form', HTMLFormElement);
  const email = byId('email', HTMLInputElement);
  const password = byId('password', HTMLInputElement);
  onSubmit(form, byId('submit', HTMLButtonElement), async () => {
    if (!checkFields(form, 'problem')) return;
    const answer = await request<Session>('POST', '/v1/session', {
      email: email.value,
      password: password.value,
    });
    if (answer.ok) return signedIn(answer.value);
    problem('problem', answer.failure.message);
    password.value = '';
    password.focus();
  });
  email.focus();
}

function signedIn(session: Session): void {
  if (next !== null) {
    location.replace(next.href);
    return;
  }
  show('form-card', false);
  show('person-card');
  const { email, name } = session.user;
  setText('person', name === null ? email : `${name}, ${email}`);
  byId('organizations', HTMLElement).replaceChildren(
    ...session.organizations.map((organization) => {
      const item = make('li');
      item.append(
        make('span', { text: organization.name }),
        make('span', { text: organization.role, className: 'badge' }),
      );
      return item;
    }),
  );
  show('no-organization', session.organizations.length === 0);
  byId('person-title', HTMLElement).focus();
}

byId('sign-out', HTMLButtonElement).addEventListener('click', () => {
  void request('DELETE', '/v1/session').then(() => location.reload());
});

const session = await request<Session>('GET', '/v1/session');
if (session.ok) signedIn(session.value);
else askWho();
