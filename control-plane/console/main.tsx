import './react-fields.js';
import './react-effects.js';
import { clock } from './clock.js';
import './design/tokens.css';
// What the document shows before this runs.
import './design/page.module.css';
import './design/skeleton.module.css';
import './shell/shell.module.css';
import './shell/side-bar.module.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { cutRequests, whenFailed, whenFollowed, whenRefused, whenUnattended } from './data/api.js';
import { asking } from './data/asking.js';
import { createAttention } from './data/attention.js';
import { connection } from './data/connection.js';
import { Failure } from './data/failure.js';
import { queryClient } from './data/query-client.js';
import { knownSession } from './data/session.js';
import { askVersion, noticeTyping } from './data/version.js';
import { loadErrorTexts } from './design/failure-text.js';
import { ToastProvider } from './design/toast.js';
import { isOpen, router } from './routes.js';
import { AskingDialog } from './shell/asking-dialog.js';
import { LanguageAndTheme } from './words/language.js';

// The service puts a new nonce into each answer; style elements that libraries add need it.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;

whenRefused(async ({ code }, method) => {
  const reads = method === 'GET';
  if (code === 'confirmation_required') return asking.ask('confirm', { reads });
  // A page that is opened without a session leads to the sign-in page.
  const isSignedOut = code === 'session_required' && knownSession() !== null && !isOpen(router.state.location.pathname);
  return isSignedOut ? asking.ask('sign-in', { reads }) : false;
});

connection.onBack(() => {
  cutRequests();
  void queryClient.invalidateQueries();
  void askVersion();
  void loadErrorTexts();
});

// The stream of a page is opened by its frame, in the same moment in which the page asks for what it shows.
whenFollowed(async () => {
  await new Promise<void>((resolve) => void clock.setTimeout(resolve, 0));
  await connection.followed();
});

whenFailed(loadErrorTexts);

whenUnattended(createAttention(window, clock.monotonic).isUnattended);

noticeTyping();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no root');
createRoot(root, {
  // An answer of the service is shown in place of the page; it is not a fault of the console.
  onCaughtError: (error) => (error instanceof Failure ? undefined : console.error(error)),
}).render(
  <StrictMode>
    <CSPProvider nonce={nonce}>
      <LanguageAndTheme>
        <QueryClientProvider client={queryClient}>
          <ToastProvider>
            <RouterProvider router={router} />
            <AskingDialog />
          </ToastProvider>
        </QueryClientProvider>
      </LanguageAndTheme>
    </CSPProvider>
  </StrictMode>,
);
