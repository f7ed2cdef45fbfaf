// Requests to the service's API as the signed-in person.

const ROOT = '/api/runner';

export interface Failure {
  /** HTTP status. Null if there was no response. */
  readonly status: number | null;
  readonly code: string;
  /** Text for people. */
  readonly message: string;
}

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'admin' | 'developer';
  readonly status: string;
}

export interface Session {
  readonly user: { readonly email: string; readonly name: string | null };
  readonly organizations: readonly Organization[];
  /** The service's time. */
  readonly now: string;
}

interface ErrorBody {
  readonly error?: { readonly code?: string; readonly message?: string };
}

/**
 * Sends a request below `/api/runner`. `T` is the response type that the API reference documents.
 *
 * @example const session = await request<Session>('GET', '/v1/session')
 */
export async function request<T>(method: string, path: string, body?: object): Promise<Answer<T>> {
  let response: Response;
  try {
    response = await fetch(ROOT + path, {
      method,
      headers: {
        'service-error-format': '2',
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      credentials: 'same-origin',
    });
  } catch {
    // The browser does not report the cause.
    return refused(
      null,
      'unreachable',
      'The service cannot be reached. Check your connection and try again.',
    );
  }
  const text = await response.text().catch(() => '');
  if (response.ok) return { ok: true, value: (text === '' ? null : JSON.parse(text)) as T };
  const { error } = parsed(text);
  const message = error?.message ?? `The service answered ${response.status}.`;
  const wait = Number(response.headers.get('retry-after'));
  return refused(
    response.status,
    error?.code ?? 'unknown',
    response.status === 429 && wait > 0 ? `Too many attempts. Try again in ${seconds(wait)}.` : message,
  );
}

/** Opens the sign-in page, which returns to this page afterwards. */
export function signInFirst(): void {
  const here = location.pathname + location.search;
  location.assign(`/sign-in?next=${encodeURIComponent(here)}`);
}

const refused = (status: number | null, code: string, message: string): Answer<never> => ({
  ok: false,
  failure: { status, code, message },
});

const seconds = (n: number) =>
  n === 1 ? 'a second' : n < 100 ? `${n} seconds` : `${Math.ceil(n / 60)} minutes`;

/** Returns the body, or {} if it is not a JSON object: a proxy may have answered instead of the service. */
function parsed(text: string): ErrorBody {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
