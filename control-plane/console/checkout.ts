// The payment window of a provider, opened in this page by the provider's own script.

/** What the API hands out for it. */
export interface Checkout {
  /** Address of the provider's script. */
  readonly script: string;
  /** As that script takes it. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** What the window says when it closes. The service believes none of it: it asks the provider itself. */
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

/** Resolves when the window has closed; not at all when the provider leads the whole page away. */
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

/** What a provider that led the page away has put into the address on the way back; null: nothing. */
export function resultOfReturn(query: URLSearchParams): WindowResult | null {
  if (!query.has('paymentId') && !query.has('txId') && !query.has('code')) return null;
  const pick = (name: keyof WindowResult) => {
    const value = query.get(name);
    return value === null ? {} : { [name]: value };
  };
  return { ...pick('code'), ...pick('message'), ...pick('txId'), ...pick('paymentToken') };
}
