// Forms of the console: where they are, the operations that they send, and fields whose names are made at run time.

export interface FormRow {
  /** `operationId`s; a field must be one of the body of at least one of them. */
  readonly sends: readonly string[];
  /** Fields whose names are not written in the file, e.g. one for each limit. */
  readonly dynamic?: readonly string[];
}

/** Files with fields that are sent, below `pages/` unless they begin with another folder. */
export const forms: Readonly<Record<string, FormRow>> = {
  'macs/renamable.tsx': { sends: ['changeSetup'] },
  'pages/billing/top-up-card.tsx': { sends: ['createTopUp'] },
  'pages/billing/withdraw-dialog.tsx': { sends: ['withdrawTopUp'] },
  'pages/first-owner/page.tsx': { sends: ['createFirstOwner'], dynamic: ['organization', 'name', 'email', 'password'] },
  'pages/invite/accept-form.tsx': { sends: ['acceptInvite', 'lookUpInvite', 'signIn'] },
  'pages/keys/create-dialog.tsx': { sends: ['createApiKey'] },
  'pages/mac/extend-dialog.tsx': { sends: ['extendRentals'] },
  'pages/mac/reset-dialog.tsx': { sends: ['resetRental'] },
  'pages/mac/setup-dialog.tsx': { sends: ['changeSetup'], dynamic: ['runtimes', 'tools'] },
  'pages/mac/when-choice.tsx': { sends: ['resetRental', 'changeSetup'] },
  'pages/members/invite-dialog.tsx': { sends: ['createInvite'] },
  'pages/members/role-fields.tsx': { sends: ['createInvite', 'changeMember'] },
  'pages/operator/enrollment/approve-dialog.tsx': { sends: ['hostApprove'] },
  'pages/operator/enrollment/token-dialog.tsx': { sends: ['hostEnroll'] },
  'pages/operator/host/page.tsx': { sends: ['hostApprove'] },
  'pages/operator/hosts/actions.tsx': { sends: ['hostDrain', 'hostUpgrade', 'hostSet'] },
  'pages/operator/organization/limits-card.tsx': { sends: ['orgSetLimits'], dynamic: ['logs_gb'] },
  'pages/operator/organization/macs-card.tsx': { sends: ['rentalGrant'] },
  'pages/operator/organization/people-card.tsx': { sends: ['memberInvite'] },
  'pages/operator/organizations/page.tsx': { sends: ['orgCreate'] },
  'pages/operator/parts/host-fields.tsx': { sends: ['hostEnroll', 'hostSet'], dynamic: ['tier', 'slots', 'labels'] },
  'pages/operator/payments/settle-dialog.tsx': { sends: ['paymentSettle'] },
  'pages/operator/tiers/tier-dialog.tsx': { sends: ['tierAdd', 'tierEdit'] },
  'pages/overview/first-key-step.tsx': { sends: ['createApiKey'] },
  'pages/rent/name-fields.tsx': { sends: ['createOrder'], dynamic: ['names'] },
  'pages/rent/order-fields.tsx': { sends: ['createOrder'] },
  'pages/secrets/set-dialog.tsx': { sends: ['setSecret'] },
  'pages/settings/password-card.tsx': { sends: ['changePassword'] },
  'pages/settings/profile-card.tsx': { sends: ['changeProfile'] },
  'pages/settings/passkeys-card.tsx': { sends: ['addPasskey'] },
  'pages/settings/rename-passkey-dialog.tsx': { sends: ['renamePasskey'] },
  'pages/settings/totp-setup.tsx': { sends: ['turnOnTotp'] },
  'pages/reset-password/request-form.tsx': { sends: ['requestPasswordReset'] },
  'pages/reset-password/new-password-form.tsx': { sends: ['resetPassword'] },
  'shell/code-form.tsx': { sends: ['completeSignIn'] },
  'shell/confirm-code.tsx': { sends: ['confirmSession'] },
  'shell/confirm-password.tsx': { sends: ['confirmSession'] },
  'shell/sign-in-form.tsx': { sends: ['signIn'] },
  'pages/webhook/resend-dialog.tsx': { sends: ['redeliverSince'] },
  'pages/webhook/rotate-dialog.tsx': { sends: ['rotateWebhookSecret'] },
  'pages/webhook/edit-dialog.tsx': { sends: ['changeWebhook'] },
  'pages/webhooks/create-dialog.tsx': { sends: ['createWebhook'] },
  'pages/webhooks/events-field.tsx': { sends: ['createWebhook', 'changeWebhook'] },
  'pages/workspaces/name-dialog.tsx': { sends: ['createWorkspace', 'renameWorkspace'] },
};

/** Fields that are not of a body: of the address of the request. */
export const inAddress = new Set(['pages/secrets/set-dialog.tsx name']);

/** Files with fields that send nothing, or whose field is the choice itself. */
export const notForms: Readonly<Record<string, string>> = {
  'design/confirm-dialog.tsx': 'a text is typed to confirm; it is not sent',
  'pages/audit/audit-filters.tsx': 'filters are in the address of the page',
  'pages/builds/filters.tsx': 'filters are in the address of the page',
  'pages/errors/filters.tsx': 'filters are in the address of the page',
  'pages/operator/audit/page.tsx': 'filters are in the address of the page',
  'pages/pay/payment-form.tsx': 'its two consents are checked before anything is sent, and marked by itself',
  'pages/settings/preferences-card.tsx': 'a choice takes effect at once',
};

/** Fields in files of forms that are not sent as they are. */
export const unsent = new Set([
  // Choices of the page that decide which other field is sent.
  'pages/rent/order-fields.tsx w.start',
  'pages/operator/parts/operation-dialog.tsx s.typeToConfirm(typed)',
  // The language is a change of its own.
  'pages/settings/profile-card.tsx w.language',
]);
