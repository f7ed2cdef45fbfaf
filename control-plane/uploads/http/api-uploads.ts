// POST /uploads, POST /uploads/tar, POST /uploads/:id/blobs, GET /uploads/:id.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Uploads } from '../app/uploads.js';
import type { Upload } from '../domain/upload.js';
import {
  createdUploadShape,
  createdUploadView,
  tarUploadShape,
  tarUploadView,
  uploadManifestShape,
  uploadStatusShape,
  uploadStatusView,
} from './upload-view.js';

export interface UploadRoutesDeps {
  readonly uploads: Uploads;
}

const GZIP = ['application/gzip'];
const GZIP_TAR = [...GZIP, 'application/x-gzip', 'application/x-tar', 'application/octet-stream'];
const sha256Param = z.string().regex(/^[0-9a-f]{64}$/);
const uploadParams = z.object({ id: z.string() });

export function createUploadRoutes({ uploads }: UploadRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/uploads',
      operationId: 'createUpload',
      level: 'build',
      action: { name: 'upload.create', made: 'id', concerns: ['files', 'usage'] },
      summary: 'Create an upload from a manifest. The response lists the missing contents.',
      rawBody: GZIP,
      rawJson: uploadManifestShape,
      responses: { 201: createdUploadShape },
      errors: [
        'invalid_gzip',
        'invalid_manifest',
        'upload_not_found',
        'manifest_too_large',
        'empty_upload',
        'too_many_files',
        'upload_too_large',
        'uploads_unavailable',
      ],
      async handle({ caller, raw, recordAction, step }) {
        const accepted = recordAction(subject);
        const created = await uploads.create(caller, raw, accepted, step);
        return { status: 201, body: createdUploadView(created) };
      },
    }),
    route({
      method: 'POST',
      path: '/uploads/tar',
      operationId: 'uploadTar',
      level: 'build',
      action: { name: 'upload.create', made: 'id', concerns: ['files', 'usage'] },
      summary: 'Upload a folder as one gzip-compressed tar',
      query: z.object({ project: z.string().optional() }),
      invalidQueryField: { project: 'invalid_tar' },
      rawBody: GZIP_TAR,
      responses: { 201: tarUploadShape },
      errors: [
        'invalid_gzip',
        'invalid_tar',
        'empty_upload',
        'too_many_files',
        'upload_too_large',
        'uploads_unavailable',
      ],
      async handle({ caller, query, raw, recordAction, step }) {
        const upload = await uploads.createFromTar(caller, query.project, raw, recordAction(subject), step);
        return { status: 201, body: tarUploadView(upload) };
      },
    }),
    route({
      method: 'POST',
      path: '/uploads/:id/blobs',
      operationId: 'sendBlobs',
      level: 'build',
      action: null,
      summary: 'Upload contents of a folder',
      params: uploadParams,
      invalidParams: 'upload_not_found',
      rawBody: GZIP,
      responses: { 200: z.object({ stored: z.int().min(0) }).meta({ id: 'StoredBlobs' }) },
      errors: [
        'invalid_gzip',
        'invalid_blob',
        'upload_too_large',
        'blob_not_in_manifest',
        'upload_not_found',
        'uploads_unavailable',
      ],
      async handle({ caller, params, raw, step }) {
        return { status: 200, body: { stored: await uploads.addBlobs(caller, params.id, raw, step) } };
      },
    }),
    route({
      method: 'GET',
      path: '/uploads/:id',
      operationId: 'getUpload',
      level: 'read',
      summary: 'The missing contents of an upload',
      params: uploadParams,
      invalidParams: 'upload_not_found',
      query: z.object({
        missing_after: sha256Param.optional().meta({ description: '`missing_next` of the page before' }),
      }),
      responses: { 200: uploadStatusShape },
      errors: ['upload_not_found', 'uploads_unavailable'],
      async handle({ caller, params, query, step }) {
        const status = await uploads.status(caller, params.id, query.missing_after ?? null, step);
        return { status: 200, body: uploadStatusView(status) };
      },
    }),
  ];
}

const subject = ({ uploadId }: Upload) => ({ target: uploadId });
