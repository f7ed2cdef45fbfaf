// The pay page: finds the order, lets an owner or admin consent and pay, and shows the progress.
import { type Failure, request, type Session, signInFirst } from './api.js';
import { openWindow, resultOfReturn, type WindowResult } from './checkout.js';
import { byId, onSubmit, problem, setText, show } from './dom.js';
import { type FoundOrder, findOrder, orderIn, type PayState, type PayStep, payPath } from './order.js';
import { showOrder } from './order-view.js';
import { clock, money } from './words.js';

const POLL_MS = 2_000;
const SLOW_POLL_MS = 15_000;

const orderNo = decodeURIComponent(location.pathname.split('/').at(-1) ?? '');
const form = byId('form', HTMLFormElement);
const payButton = byId('pay', HTMLButtonElement);
const consents = [byId('terms', HTMLInputElement), byId('withdrawal', HTMLInputElement)];

let found: FoundOrder | null = null;
/** How far the service's clock is ahead of the browser's, in ms. */
let aheadMs = 0;
let busy = false;
let timer = 0;

/** Renders the current state of the order. Ticked boxes of the form stay ticked. */
function render(next: FoundOrder): void {
  const before = found?.order.status;
  found = next;
  show('loading', false);
  byId('main', HTMLElement).setAttribute('aria-busy', 'false');
  showOrder(next);
  const { order, pay } = next;
  const open = order.status === 'awaiting_payment' && pay?.payment?.status !== 'confirming';
  show('countdown', open);
  show('pay-card', open && pay !== null);
  if (pay && open) renderForm(pay);
  show('notice', open && pay === null);
  if (before !== undefined && before !== order.status) {
    if (!open) problem('pay-problem', null);
    setText('live', `The order is now: ${byId('badge', HTMLElement).textContent}.`);
    // The form that had the focus may be hidden now.
    if (document.activeElement === document.body) byId('title', HTMLElement).focus();
  }
  tick();
  schedule();
}

function renderForm({ order, provider, consent, payment }: PayState): void {
  const amount = money(order.amount_won);
  const approval = provider === 'approval';
  setText('pay-title', approval ? 'Approve' : 'Pay');
  setText('pay-lead', lead(provider));
  payButton.textContent = approval ? `Approve ${amount}` : `Pay ${amount}`;
  setText('terms-text', consent.terms);
  setText('withdrawal-text', consent.withdrawal);
  setText('text-version', `Version ${consent.version} of this text. Your consent is recorded.`);
  show('methods', provider === 'portone');
  show('outcomes', provider === 'sandbox');
  if (payment?.failure_code && byId('pay-problem', HTMLElement).hidden) {
    problem(
      'pay-problem',
      `The payment did not go through (${payment.failure_code}). Nothing was charged; you can try again.`,
    );
  }
}

function lead(provider: PayState['provider']): string {
  switch (provider) {
    case 'approval':
      return 'No money moves. You approve the order for your organization, and the Macs are given to it.';
    case 'sandbox':
      return 'This service has a sandbox in place of a payment provider. No money moves.';
    case 'portone':
      return 'The payment provider opens in a window of its own. Your card details never reach us.';
  }
}

/** Shows a message instead of an order. */
function stop(title: string, text: string, offer: { retry?: boolean; otherPerson?: boolean } = {}): void {
  for (const id of ['loading', 'order-card', 'pay-card', 'progress-card', 'notice']) show(id, false);
  byId('main', HTMLElement).setAttribute('aria-busy', 'false');
  setText('problem-title', title);
  setText('problem-text', text);
  show('retry', offer.retry ?? false);
  show('other-person', offer.otherPerson ?? false);
  show('problem-card');
  document.title = `${title} · Cidermill`;
  byId('problem-title', HTMLElement).focus();
}

function stopFor({ status, code, message }: Failure): void {
  if (status === 401) signInFirst();
  else if (code === 'organization_suspended') {
    stop('The organization is suspended', 'Contact the operator of this service.', { otherPerson: true });
  } else stop('That did not work', message, { retry: true });
}

/** Updates the remaining time, and reloads the order when it is over. */
function tick(): void {
  if (found?.order.status !== 'awaiting_payment') return;
  const left = Date.parse(found.order.pay_expires_at) - (Date.now() + aheadMs);
  setText('time-left', clock(left));
  if (left <= 0 && left > -1_500) void refresh();
}

async function refresh(): Promise<void> {
  if (!found || busy) return;
  const answer = await orderIn(found.organization, orderNo);
  // A request of the person is in flight, and its response is newer.
  if (busy) return;
  if (answer.ok) render(answer.value);
  else if (answer.failure.status === 401) signInFirst();
}

/** Polls the order until its status is final. */
function schedule(): void {
  clearTimeout(timer);
  const status = found?.order.status;
  if (status === 'ready' || status === 'expired' || status === 'canceled') return;
  const soon = status !== 'awaiting_payment' || found?.pay?.payment?.status === 'confirming';
  timer = setTimeout(() => void refresh().finally(schedule), soon ? POLL_MS : SLOW_POLL_MS);
}

/** Sends pay, confirm or cancel and returns the response. Shows a failure in the form and returns null. */
async function act(path: string, body: object): Promise<PayStep | null> {
  if (!found?.pay) return null;
  const { organization, pay } = found;
  const answer = await request<PayStep>('POST', `${payPath(organization, orderNo)}/${path}`, body);
  if (answer.ok) {
    render({ organization, order: answer.value.order, pay: { ...pay, ...answer.value } });
    return answer.value;
  }
  if (answer.failure.status === 401) signInFirst();
  problem('pay-problem', answer.failure.message);
  return null;
}

const chosen = (name: string) =>
  form.querySelector<HTMLInputElement>(`fieldset:not([hidden]) input[name="${name}"]:checked`)?.value;

async function pay(): Promise<void> {
  const missing = consents.filter((box) => !box.checked);
  for (const box of consents) box.closest('.choice')?.classList.toggle('missing', !box.checked);
  if (missing.length > 0) {
    problem('pay-problem', 'Please confirm both points first.');
    missing[0]?.focus();
    return;
  }
  problem('pay-problem', null);
  const [method, outcome] = [chosen('method'), chosen('outcome')];
  const state = await act('pay', {
    consents: { terms: true, withdrawal: true, version: found?.pay?.consent.version },
    ...(method === undefined ? {} : { method }),
    ...(outcome === undefined ? {} : { outcome }),
  });
  if (state?.order.status !== 'awaiting_payment') return;
  const checkout = state.payment?.checkout;
  if (checkout) return confirm(await openWindow(checkout).catch(windowProblem));
  if (outcome === 'abandoned')
    problem('pay-problem', 'The payment was not finished. Nothing was charged; you can try again.');
}

const windowProblem = (error: unknown): WindowResult => ({
  code: 'window',
  message: error instanceof Error ? error.message : String(error),
});

/** Called when the provider's window is closed. The service verifies the payment even if the window reports a failure. */
async function confirm({ code, message, txId, paymentToken }: WindowResult): Promise<void> {
  const failed = code === undefined ? null : (message ?? code);
  if (paymentToken !== undefined || txId !== undefined) {
    const proof = {
      ...(paymentToken === undefined ? {} : { payment_token: paymentToken }),
      ...(txId === undefined ? {} : { tx_id: txId }),
    };
    if (!(await act('confirm', proof))) return;
  }
  if (failed !== null && found?.order.status === 'awaiting_payment') {
    problem('pay-problem', `The payment was not finished: ${failed}`);
  }
}

async function alone(work: () => Promise<unknown>): Promise<void> {
  busy = true;
  try {
    await work();
  } finally {
    busy = false;
  }
}

async function begin(): Promise<void> {
  const session = await request<Session>('GET', '/v1/session');
  if (!session.ok) return stopFor(session.failure);
  aheadMs = Date.parse(session.value.now) - Date.now();
  setText('who', session.value.user.email);
  const answer = await findOrder(session.value, orderNo);
  if (!answer.ok) return stopFor(answer.failure);
  if (answer.value === null) {
    return stop(
      'No such order',
      `None of your organizations has an order ${orderNo}. Perhaps it belongs to one that ${session.value.user.email} is not in.`,
      { otherPerson: true },
    );
  }
  render(answer.value);
  const result = resultOfReturn(new URLSearchParams(location.search));
  if (result) {
    history.replaceState(null, '', location.pathname);
    await alone(() => confirm(result));
  }
  setInterval(tick, 1_000);
}

onSubmit(form, payButton, () => alone(pay));
for (const box of consents) {
  box.addEventListener('change', () => box.closest('.choice')?.classList.toggle('missing', false));
}
const dialog = byId('cancel-dialog', HTMLDialogElement);
byId('cancel', HTMLButtonElement).addEventListener('click', () => dialog.showModal());
dialog.addEventListener('close', () => {
  if (dialog.returnValue === 'cancel') void alone(() => act('cancel', {}));
  dialog.returnValue = '';
});
byId('retry', HTMLButtonElement).addEventListener('click', () => location.reload());
byId('other-person', HTMLButtonElement).addEventListener('click', () => {
  void request('DELETE', '/v1/session').then(signInFirst);
});
await begin();
