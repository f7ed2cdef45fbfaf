// Generated, do not edit: `npm run generate` makes this file from the reference that the service answers with.

import type {
  AcceptedOperation,
  AgentQueue,
  AgentStatus,
  BatchRequest,
  Build,
  BuildBrief,
  BuildFilter,
  BuildPage,
  BuildRequest,
  Catalog,
  CreatedBuild,
  CreatedUpload,
  DeliveryFilter,
  ErrorFilter,
  ErrorPage,
  ExtensionQuote,
  ExtensionRequest,
  FailureReport,
  GetBuildLogQuery,
  GetQueueQuery,
  GetReferenceQuery,
  GetRentalHistoryQuery,
  GetStatusQuery,
  GetUploadQuery,
  Job,
  LogLines,
  LogMatches,
  LogSegment,
  MacHistory,
  Me,
  MultiExtensionQuote,
  MultiExtensionRequest,
  OperationResults,
  Order,
  OrderFilter,
  OrderPage,
  OrderRequest,
  Pool,
  Quote,
  RedeliverRequest,
  RentalDetail,
  RentalFilter,
  RentalList,
  ResetRequest,
  ResetSeveralRequest,
  RevealedWebhook,
  RotationRequest,
  Secret,
  SecretList,
  SetupChange,
  StoredBlobs,
  TarUpload,
  UploadStatus,
  UploadTarQuery,
  WaitForBuildQuery,
  WaitForOrderQuery,
  Waitlist,
  WaitlistEntry,
  WaitlistRequest,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
  WebhookRequest,
  XcodeOfSeveralRequest,
  XcodeRequest,
} from '../types.js';
import type { Asked, Operation } from './operation.js';

/** Recent API errors and failed builds. */
export const listErrors: Operation<(query?: Asked<ErrorFilter>) => ErrorPage> = {
  method: 'GET',
  path: '/errors',
  takes: ['query'],
};

/** The account, the key and its limits. */
export const getMe: Operation<() => Me> = { method: 'GET', path: '/me' };

/** The account, the key and its limits. */
export const getAccount: Operation<() => Me> = { method: 'GET', path: '/account' };

/** Reset several Macs. They are recreated, or only their work folders are emptied. */
export const resetRentals: Operation<(body: ResetSeveralRequest) => OperationResults> = {
  method: 'POST',
  path: '/rentals/reset',
  takes: ['body'],
};

/** Reset a Mac. It is recreated, or only its work folder is emptied. */
export const resetRental: Operation<(rentalId: string, body: ResetRequest) => AcceptedOperation> = {
  method: 'POST',
  path: '/rentals/{rental_id}/reset',
  takes: ['body'],
};

/** Select another Xcode on several Macs. */
export const selectXcodeOfRentals: Operation<(body: XcodeOfSeveralRequest) => OperationResults> = {
  method: 'POST',
  path: '/rentals/xcode',
  takes: ['body'],
};

/** Select another Xcode on a Mac. */
export const selectXcode: Operation<(rentalId: string, body: XcodeRequest) => AcceptedOperation> = {
  method: 'POST',
  path: '/rentals/{rental_id}/xcode',
  takes: ['body'],
};

/** Rename a Mac, or change what is installed on it. Xcode, simulator runtimes, tools. */
export const changeSetup: Operation<(rentalId: string, body: SetupChange) => AcceptedOperation> = {
  method: 'PATCH',
  path: '/rentals/{rental_id}',
  takes: ['body'],
};

/** One Mac, its setup and its last job. */
export const getRental: Operation<(rentalId: string) => RentalDetail> = { method: 'GET', path: '/rentals/{rental_id}' };

/** Reset several Macs or select their Xcode. */
export const changeRentals: Operation<(body: BatchRequest) => OperationResults> = {
  method: 'POST',
  path: '/rentals/batch',
  takes: ['body'],
};

/** One job on a Mac. */
export const getJob: Operation<(jobId: string) => Job> = { method: 'GET', path: '/jobs/{job_id}' };

/** States of a Mac, newest first. */
export const getRentalHistory: Operation<(rentalId: string, query?: Asked<GetRentalHistoryQuery>) => MacHistory> = {
  method: 'GET',
  path: '/rentals/{rental_id}/history',
  takes: ['query'],
};

/** Create an upload from a manifest. The response lists the missing contents. */
export const createUpload: Operation<() => CreatedUpload> = { method: 'POST', path: '/uploads' };

/** Upload a folder as one gzip-compressed tar. */
export const uploadTar: Operation<(query?: Asked<UploadTarQuery>) => TarUpload> = {
  method: 'POST',
  path: '/uploads/tar',
  takes: ['query'],
};

/** Upload contents of a folder. */
export const sendBlobs: Operation<(id: string) => StoredBlobs> = { method: 'POST', path: '/uploads/{id}/blobs' };

/** The missing contents of an upload. */
export const getUpload: Operation<(id: string, query?: Asked<GetUploadQuery>) => UploadStatus> = {
  method: 'GET',
  path: '/uploads/{id}',
  takes: ['query'],
};

/** Running and waiting builds. */
export const getQueue: Operation<(query?: Asked<GetQueueQuery>) => AgentQueue> = {
  method: 'GET',
  path: '/queue',
  takes: ['query'],
};

/** Submit a build. */
export const createBuild: Operation<(body: BuildRequest) => CreatedBuild> = {
  method: 'POST',
  path: '/builds',
  takes: ['body'],
};

/** Builds, newest first. */
export const listBuilds: Operation<(query?: Asked<BuildFilter>) => BuildPage> = {
  method: 'GET',
  path: '/builds',
  takes: ['query'],
};

/** Submit a build again. For the same commit or upload. */
export const rerunBuild: Operation<(buildId: string) => CreatedBuild> = {
  method: 'POST',
  path: '/builds/{build_id}/rerun',
};

/** One build. */
export const getBuild: Operation<(buildId: string) => Build> = { method: 'GET', path: '/builds/{build_id}' };

/** Change the priority of a waiting build. */
export const changeBuild: Operation<
  (
    buildId: string,
    body: {
      /** 1 goes before 0. */
      priority: 0 | 1;
    },
  ) => Build
> = { method: 'PATCH', path: '/builds/{build_id}', takes: ['body'] };

/** Why a build failed, and what to do about it. */
export const getBuildFailure: Operation<(buildId: string) => FailureReport> = {
  method: 'GET',
  path: '/builds/{build_id}/failure',
};

/** Wait until the build ends, with `since` until it changes; 204: it did not. */
export const waitForBuild: Operation<(buildId: string, query?: Asked<WaitForBuildQuery>) => Build | BuildBrief | null> =
  { method: 'GET', path: '/builds/{build_id}/wait', takes: ['query'], holds: 'timeout' };

/** Cancel a build. An ended build is returned unchanged. */
export const cancelBuild: Operation<(buildId: string) => Build> = { method: 'POST', path: '/builds/{build_id}/cancel' };

/** The log of a build. */
export const getBuildLog: Operation<
  (buildId: string, query?: Asked<GetBuildLogQuery>) => LogSegment | LogLines | LogMatches
> = { method: 'GET', path: '/builds/{build_id}/log', takes: ['query'], holds: 'wait' };

/** Names of the secrets; values are never shown. */
export const listSecrets: Operation<() => SecretList> = { method: 'GET', path: '/secrets' };

/** Set a secret. It is an environment variable of every build, masked in logs. */
export const setSecret: Operation<
  (
    name: string,
    body: {
      value?: string;
      value_base64?: string;
    },
  ) => Secret
> = { method: 'PUT', path: '/secrets/{name}', takes: ['body'] };

/** Remove a secret. Running builds keep the value they started with. */
export const deleteSecret: Operation<
  (name: string) => {
    name: string;
    deleted: true;
  }
> = { method: 'DELETE', path: '/secrets/{name}' };

/** Tiers: price, specification, availability. */
export const getCatalog: Operation<() => Catalog> = { method: 'GET', path: '/catalog' };

/** Free and used Macs of every tier. Also how many builds of the account run and wait. */
export const getPool: Operation<() => Pool> = { method: 'GET', path: '/pool' };

/** Quote Macs: price and availability. Holds nothing. */
export const quote: Operation<(body: OrderRequest) => Quote> = { method: 'POST', path: '/quote', takes: ['body'] };

/** Order Macs; a person opens pay_url, consents and pays. */
export const createOrder: Operation<(body: OrderRequest) => Order> = {
  method: 'POST',
  path: '/orders',
  takes: ['body'],
};

/** Orders, newest first. */
export const listOrders: Operation<(query?: Asked<OrderFilter>) => OrderPage> = {
  method: 'GET',
  path: '/orders',
  takes: ['query'],
};

/** One order. */
export const getOrder: Operation<(orderNo: string) => Order> = { method: 'GET', path: '/orders/{order_no}' };

/**
 * Wait for a change of an order. Answers when its status changes, or when it is ready, expired or
 * canceled.
 */
export const waitForOrder: Operation<(orderNo: string, query?: Asked<WaitForOrderQuery>) => Order> = {
  method: 'GET',
  path: '/orders/{order_no}/wait',
  takes: ['query'],
  holds: 'timeout',
};

/** Macs, oldest first, and the build queue. */
export const listRentals: Operation<(query?: Asked<RentalFilter>) => RentalList> = {
  method: 'GET',
  path: '/rentals',
  takes: ['query'],
};

/** Quote more time for a Mac. */
export const quoteExtension: Operation<(rentalId: string, body: ExtensionRequest) => ExtensionQuote> = {
  method: 'POST',
  path: '/rentals/{rental_id}/extend/quote',
  takes: ['body'],
};

/** Quote more time for several Macs. An item that is not ok has a reason. */
export const quoteExtensions: Operation<(body: MultiExtensionRequest) => MultiExtensionQuote> = {
  method: 'POST',
  path: '/rentals/extend/quote',
  takes: ['body'],
};

/** Order more time for a Mac. */
export const extendRental: Operation<(rentalId: string, body: ExtensionRequest) => Order> = {
  method: 'POST',
  path: '/rentals/{rental_id}/extend',
  takes: ['body'],
};

/** Order more time for several Macs, all or none. They have one pay_url. */
export const extendRentals: Operation<(body: MultiExtensionRequest) => Order> = {
  method: 'POST',
  path: '/rentals/extend',
  takes: ['body'],
};

/** Waitlist entries, newest first. */
export const listWaitlist: Operation<() => Waitlist> = { method: 'GET', path: '/waitlist' };

/** Join the waitlist of a tier. The account is notified when this many Macs can be ordered. */
export const joinWaitlist: Operation<(body: WaitlistRequest) => WaitlistEntry> = {
  method: 'POST',
  path: '/waitlist',
  takes: ['body'],
};

/** Leave the waitlist. */
export const leaveWaitlist: Operation<(id: string) => WaitlistEntry> = { method: 'DELETE', path: '/waitlist/{id}' };

/** Webhooks, oldest first. */
export const listWebhooks: Operation<() => WebhookList> = { method: 'GET', path: '/webhooks' };

/** Register and test a webhook. Unless the test is answered 2xx, the webhook is stored disabled. */
export const createWebhook: Operation<(body: WebhookRequest) => RevealedWebhook> = {
  method: 'POST',
  path: '/webhooks',
  takes: ['body'],
};

/** One webhook. */
export const getWebhook: Operation<(webhookId: string) => Webhook> = { method: 'GET', path: '/webhooks/{webhook_id}' };

/** Change a webhook. A new URL and enabling are tested first. */
export const changeWebhook: Operation<(webhookId: string, body: WebhookChanges) => Webhook> = {
  method: 'PATCH',
  path: '/webhooks/{webhook_id}',
  takes: ['body'],
};

/** Remove a webhook. Its pending deliveries are dropped. */
export const deleteWebhook: Operation<
  (webhookId: string) => {
    id: string;
    deleted: true;
  }
> = { method: 'DELETE', path: '/webhooks/{webhook_id}' };

/** Send a test. A 2xx answer enables the webhook. */
export const testWebhook: Operation<(webhookId: string) => Webhook> = {
  method: 'POST',
  path: '/webhooks/{webhook_id}/test',
};

/** Rotate the signing secret. The previous one also signs during a grace period. */
export const rotateWebhookSecret: Operation<(webhookId: string, body: RotationRequest) => RevealedWebhook> = {
  method: 'POST',
  path: '/webhooks/{webhook_id}/rotate',
  takes: ['body'],
};

/** Deliveries of a webhook. Newest first, with request and response. */
export const listDeliveries: Operation<(webhookId: string, query?: Asked<DeliveryFilter>) => WebhookDeliveryPage> = {
  method: 'GET',
  path: '/webhooks/{webhook_id}/deliveries',
  takes: ['query'],
};

/** Send a delivery again. */
export const redeliver: Operation<(webhookId: string, deliveryId: string) => WebhookDelivery> = {
  method: 'POST',
  path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
};

/** Resend everything since a time. Includes events missed while the webhook was disabled. */
export const redeliverSince: Operation<
  (
    webhookId: string,
    body: RedeliverRequest,
  ) => {
    redelivered: number;
  }
> = { method: 'POST', path: '/webhooks/{webhook_id}/redeliver', takes: ['body'] };

/** How to use the service. Written for this account as it is now. */
export const getAgentStart: Operation<() => string> = { method: 'GET', path: '/agent/start', answers: 'text' };

/** Macs, queue, advice and last builds. */
export const getStatus: Operation<(query?: Asked<GetStatusQuery>) => AgentStatus> = {
  method: 'GET',
  path: '/status',
  takes: ['query'],
};

/** This document. */
export const getReference: Operation<
  (query?: Asked<GetReferenceQuery>) => {
    openapi: string;
    [name: string]: unknown;
  }
> = { method: 'GET', path: '/openapi.json', takes: ['query'] };
