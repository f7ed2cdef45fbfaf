// The payment window of a provider, opened in this page by the provider's own script.
import type { Payment } from '../../../../client/types.js';

type Checkout = NonNullable<Payment['checkout']>;

/** The result that the window reports on close. The service does not trust it: it asks the provider. */
export interface WindowResult {
  readonly code?: string;
  readonly message?: string;
  readonly txId?: string;
  readonly paymentToken?: string;
}

declare global {
  interface Window {
    PortOne?: { requestPayment(request: unknown): Promise<WindowResult | undefined> };
  }
}

/**
 * Resolves when the window is closed. Never resolves if the provider redirects the page.
 *
 * @param missing what to say when the provider's script cannot be loaded
 */
export async function openWindow(checkout: Checkout, missing: string): Promise<WindowResult> {
  try {
    await load(checkout.script, missing);
    if (!window.PortOne) throw new Error(missing);
    return (await window.PortOne.requestPayment(checkout.request)) ?? {};
  } catch (error) {
    return { code: 'window', message: error instanceof Error ? error.message : String(error) };
  }
}

function load(address: string, missing: string): Promise<void> {
  if (document.querySelector(`script[src="${CSS.escape(address)}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error(missing));
    };
    document.head.append(script);
  });
}

/** Returns the result that a redirecting provider added to the return URL; null if there is none. */
export function resultOfReturn(query: URLSearchParams): WindowResult | null {
  if (!query.has('paymentId') && !query.has('txId') && !query.has('code')) return null;
  const pick = (name: keyof WindowResult) => {
    const value = query.get(name);
    return value === null ? {} : { [name]: value };
  };
  return { ...pick('code'), ...pick('message'), ...pick('txId'), ...pick('paymentToken') };
}
