// The payment window of a provider, opened in this page by the provider's own script.

/** The checkout data that the API returns. */
export interface Checkout {
  /** Address of the provider's script. */
  readonly script: string;
  /** Argument of the script's requestPayment. */
  readonly request: Readonly<Record<string, unknown>>;
}

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

/** Resolves when the window is closed. Never resolves if the provider redirects the page. */
export async function openWindow(checkout: Checkout): Promise<WindowResult> {
  await load(checkout.script);
  if (!window.PortOne) throw new Error("the provider's script did not load");
  return (await window.PortOne.requestPayment(checkout.request)) ?? {};
}

function load(address: string): Promise<void> {
  if (document.querySelector(`script[src="${CSS.escape(address)}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error("the provider's script did not load"));
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
