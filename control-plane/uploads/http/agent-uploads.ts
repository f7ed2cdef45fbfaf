// POST /uploads, POST /uploads/tar, POST /uploads/:id/blobs, GET /uploads/:id.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Uploads } from '../app/uploads.js';
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
const uploadParams = z.object({ id: z.string() });

export function createUploadRoutes({ uploads }: UploadRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/uploads',
      summary: 'Announce a folder by its manifest; the answer names the contents that are missing',
      rawBody: GZIP,
      rawJson: uploadManifestShape,
      responses: { 201: createdUploadShape },
      errors: [
        'invalid_gzip',
        'invalid_manifest',
        'manifest_too_large',
        'empty_upload',
        'too_many_files',
        'upload_too_large',
        'uploads_unavailable',
      ],
      async handle({ caller, raw }) {
        return { status: 201, body: createdUploadView(await uploads.create(caller, raw)) };
      },
    }),
    route({
      method: 'POST',
      path: '/uploads/tar',
      summary: 'Send a folder as one gzip-compressed tar',
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
      async handle({ caller, query, raw }) {
        return {
          status: 201,
          body: tarUploadView(await uploads.createFromTar(caller, query.project, raw)),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/uploads/:id/blobs',
      summary: 'Send contents of an announced folder',
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
      async handle({ caller, params, raw }) {
        return { status: 200, body: { stored: await uploads.addBlobs(caller, params.id, raw) } };
      },
    }),
    route({
      method: 'GET',
      path: '/uploads/:id',
      summary: 'What is still missing of a folder',
      params: uploadParams,
      invalidParams: 'upload_not_found',
      responses: { 200: uploadStatusShape },
      errors: ['upload_not_found', 'uploads_unavailable'],
      async handle({ caller, params }) {
        return { status: 200, body: uploadStatusView(await uploads.status(caller, params.id)) };
      },
    }),
  ];
}
