// A service over a real socket that keeps to the contract and does what a test tells it to: builds run as
// scripted, and any request can be answered otherwise or cut off.
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { Advice, Build, FileChange, ManifestFile, WorkspaceFile } from '../../client/index.js';
import { sha256 } from '../harness/sha256.js';
import { createScriptedRenting, type ScriptedRenting } from './scripted-renting.js';

export const KEY = 'cm_scripted';

/** A build under the test's control. */
export interface ScriptedBuild {
  readonly view: Build;
  readonly body: Record<string, unknown>;
  /** Adds to the log; the first output makes a queued build running. */
  append(text: string | Buffer): void;
  set(change: Partial<Build>): void;
  /** Ends the build. */
  finish(change: Partial<Build>): void;
  addArtifact(path: string, content: Buffer | string, listed?: Partial<WorkspaceFile>): void;
}

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** What to answer instead: an error, a raw answer, nothing but a closed connection, or nothing at all. */
export interface Instead {
  status?: number;
  headers?: Record<string, string>;
  error?: Record<string, unknown>;
  text?: string;
  cut?: boolean;
  silent?: boolean;
}

export interface ScriptedService {
  /** base_url. */
  url: string;
  runnerUrl: string;
  requests: SeenRequest[];
  blobs: Map<string, Buffer>;
  uploads: Map<string, { project: string; files: ManifestFile[] }>;
  builds: Map<string, ScriptedBuild>;
  secrets: Map<string, string>;
  /** Bodies with which secrets were set. */
  secretBodies: unknown[];
  renting: ScriptedRenting;
  /** Advice of `GET /status`. */
  advice: Advice[];
  /** Called for each new build, before it is answered. */
  onSubmit: (build: ScriptedBuild) => void;
  /** Answers the next `times` matching requests otherwise. */
  instead(match: string, answer: Instead, times?: number): void;
  /** Forgets scripted answers that were not used. */
  clear(): void;
  seen(match: string): SeenRequest[];
  /** Waits until so many matching requests have arrived. */
  untilSeen(match: string, count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a service on a free port of the loopback interface. */
export async function startScriptedService(): Promise<ScriptedService> {
  const rules: { match: string; answer: Instead; times: number }[] = [];
  const logs = new Map<string, Buffer>();
  const artifacts: { file: WorkspaceFile; content: Buffer }[] = [];
  const changed = new EventEmitter().setMaxListeners(0);
  let serial = 0;

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const service: ScriptedService = {
    url: `${origin}/api/v1`,
    runnerUrl: `${origin}/api/runner`,
    requests: [],
    blobs: new Map(),
    uploads: new Map(),
    builds: new Map(),
    secrets: new Map(),
    secretBodies: [],
    renting: createScriptedRenting(origin),
    advice: [],
    onSubmit: (build) => build.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' }),
    instead: (match, answer, times = 1) => void rules.push({ match, answer, times }),
    clear: () => void rules.splice(0),
    seen: (match) => service.requests.filter((request) => matches(match, request.method, request.path)),
    async untilSeen(match, count) {
      while (service.seen(match).length < count) await once(changed, 'request');
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  function makeBuild(body: Record<string, unknown>): ScriptedBuild {
    const id = `rb_${String(++serial).padStart(6, '0')}`;
    logs.set(id, Buffer.alloc(0));
    const view: Build = {
      id,
      status: 'queued',
      state: 'queued',
      repo: (body.repo as string) ?? null,
      repo_url: (body.repo_url as string) ?? null,
      ref: (body.ref as string) ?? null,
      pr: (body.pr as number) ?? null,
      commit: (body.commit as string) ?? null,
      commit_sha: null,
      commit_title: null,
      commit_author: null,
      project: body.upload_id === undefined ? null : 'app',
      rental_public_id: null,
      rental_name: null,
      pinned_rental_name: null,
      exit_code: null,
      queue_position: 1,
      fifo_position: 0,
      estimated_wait_s: 0,
      estimated_start_at: null,
      estimate_basis: 'timeout_budget',
      timings: {
        created_at: '2026-01-01T00:00:00Z',
        started_at: null,
        ended_at: null,
        queue_s: 0,
        run_s: null,
        estimated_end_at: null,
        silent_s: null,
      },
      failure: null,
      script: String(body.script),
      xcode: null,
      labels: {},
      timeout_min: (body.timeout_min as number) ?? 60,
      priority: (body.priority as 0 | 1) ?? 0,
      clean_tree: body.clean_tree === true,
      upload_id: (body.upload_id as string) ?? null,
      wait_reason: 'mac_busy',
      end_reason: null,
      rerun_of: null,
      steps: {},
      attempt: 1,
      commit_status: null,
      pinned_rental_id: null,
      queue_until_rental: false,
      stop_requested_at: null,
      warnings: [],
      warning_messages: [],
      log_deleted_at: null,
    };
    const set = (change: Partial<Build>) => {
      Object.assign(view, change, change.status ? { state: change.status } : {});
      changed.emit(id);
    };
    const start = () => {
      if (view.status !== 'queued') return;
      const timings = { ...view.timings, started_at: '2026-01-01T00:00:01Z' };
      set({ status: 'running', queue_position: null, wait_reason: null, rental_public_id: 'rt_1', timings });
    };
    return {
      view,
      body,
      set,
      append(text) {
        start();
        logs.set(id, Buffer.concat([logs.get(id)!, Buffer.from(text)]));
        changed.emit(id);
      },
      finish(change) {
        if (change.status !== 'expired' && change.status !== 'cancelled') start();
        set({ ...change, timings: { ...view.timings, ended_at: '2026-01-01T00:01:03Z', run_s: 62 } });
      },
      addArtifact(path, content, listed = {}) {
        const bytes = Buffer.from(content);
        const file: WorkspaceFile = {
          id: `f_${artifacts.length + 1}`,
          kind: 'artifact',
          name: path.split('/').at(-1) ?? path,
          path,
          bytes: bytes.length,
          size: bytes.length,
          sha256: null,
          executable: false,
          job_id: id,
          created_at: '2026-01-01T00:00:30Z',
          expires_at: '2026-02-01T00:00:00Z',
          in_use: false,
          download_url: null,
          ...listed,
        };
        artifacts.push({ file, content: bytes });
      },
    };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { pathname, searchParams: query } = new URL(request.url ?? '/', origin);
    const method = request.method ?? '';
    const body = Buffer.concat(chunks);
    service.requests.push({ method, path: request.url ?? '', headers: request.headers, body });
    changed.emit('request');

    const send = (status: number, value: unknown, headers: Record<string, string> = {}) => {
      const type = typeof value === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value));
    };
    const fail = (status: number, code: string, more: Record<string, unknown> = {}, headers = {}) => {
      const error = {
        code,
        message: `scripted ${code}`,
        retryable: false,
        request_id: randomUUID(),
        ...more,
      };
      const envelope =
        request.headers['service-error-format'] === '2' ? { error } : { error: code, error_detail: error };
      send(status, envelope, headers);
    };

    const rule = rules.find((candidate) => candidate.times > 0 && matches(candidate.match, method, request.url ?? ''));
    if (rule) {
      rule.times--;
      const { cut, silent, text, error, status = 500, headers } = rule.answer;
      if (silent) return;
      if (cut) return void request.socket.destroy();
      if (error) return fail(status, String(error.code), error, headers);
      return send(status, text ?? '', headers);
    }
    if (pathname.startsWith('/signed/')) {
      const artifact = artifacts.find(({ file }) => pathname === `/signed/${file.id}`);
      return artifact ? send(200, artifact.content) : fail(404, 'not_found');
    }
    const authorization = request.headers.authorization;
    if (!authorization?.startsWith('Bearer ')) return fail(401, 'api_key_required', { fault: 'client' });
    if (authorization !== `Bearer ${KEY}`) return fail(401, 'invalid_api_key', { fault: 'client' });

    const path = pathname.replace('/api/v1', '').replace('/api/runner', 'B:');
    const [, noun, id = '', verb] = path.split('/');
    const route = `${method} /${noun}${id === '' ? '' : '/*'}${verb === undefined ? '' : `/${verb}`}`;
    if (path.startsWith('B:')) return runner({ method, path, query, body }, send, fail);
    const build = service.builds.get(id);
    if (noun === 'builds' && id !== '' && !build) return fail(404, 'build_not_found', { fault: 'client' });
    switch (route) {
      case 'GET /me':
        return send(200, {
          account: { id: 1, name: 'Acme', slug: 'acme', status: 'active' },
          key: { name: 'laptop', levels: ['build'] },
          scopes: ['agent:build'],
          limits: { contents_bytes: 5e10, artifacts_bytes: 5e10, logs_bytes: 2e10 },
          usage: { contents_bytes: 1_200_000, artifacts_bytes: 0, logs_bytes: 950, held_slots: 0 },
        });
      case 'GET /status':
        return send(200, statusOf());
      case 'GET /queue':
        return send(200, statusOf().queue);
      case 'GET /catalog':
        return send(200, { tiers: [] });
      case 'GET /pool':
        return send(200, { tiers: [], queue: { running_count: 0, queued_count: 0 } });
      case 'GET /agent/*':
        return send(200, '# Start here\n');
      case 'GET /errors':
        return send(200, { errors: [], next_before: null });
      case 'GET /secrets':
        return send(200, {
          secrets: [...service.secrets.keys()].map((name) => ({
            name,
            created_at: '2026-01-01T00:00:00Z',
            updated_at: '2026-01-01T00:00:00Z',
          })),
        });
      case 'PUT /secrets/*':
        service.secretBodies.push(JSON.parse(body.toString()));
        service.secrets.set(id, JSON.parse(body.toString()).value);
        return send(200, {
          name: id,
          created_at: '2026-01-01T00:00:00Z',
          updated_at: '2026-01-01T00:00:00Z',
        });
      case 'DELETE /secrets/*':
        return service.secrets.delete(id) ? send(200, { name: id, deleted: true }) : fail(404, 'secret_not_found');
      case 'POST /uploads': {
        if (request.headers['content-type'] !== 'application/gzip') return fail(415, 'gzip_required');
        const manifest = JSON.parse(gunzipSync(body).toString()) as {
          project: string;
          base?: string;
          files: ManifestFile[];
        };
        if (manifest.base !== undefined) {
          const base = service.uploads.get(manifest.base);
          if (!base) return fail(404, 'upload_not_found');
          const changed = new Map(manifest.files.map((file) => [file.path, file]));
          manifest.files = base.files.map((file) => changed.get(file.path) ?? file);
        }
        const upload = `up_${service.uploads.size + 1}`;
        service.uploads.set(upload, manifest);
        return send(201, uploadView(upload));
      }
      case 'GET /uploads/*':
        return service.uploads.has(id) ? send(200, uploadView(id)) : fail(404, 'upload_not_found');
      case 'POST /uploads/*/blobs': {
        const upload = service.uploads.get(id);
        if (!upload) return fail(404, 'upload_not_found');
        const wanted = new Set(upload.files.map((file) => file.sha256));
        let stored = 0;
        for (const record of readRecords(gunzipSync(body))) {
          if (!wanted.has(record.sha256)) return fail(409, 'blob_not_in_manifest');
          if (sha256(record.content) !== record.sha256) return fail(400, 'invalid_blob');
          service.blobs.set(record.sha256, record.content);
          stored++;
        }
        return send(200, { stored });
      }
      case 'POST /builds': {
        const wanted = JSON.parse(body.toString()) as Record<string, unknown>;
        if (wanted.changes !== undefined) {
          const base = service.uploads.get(String(wanted.upload_id));
          if (!base) return fail(404, 'upload_not_found');
          wanted.upload_id = putChanges(base, wanted.changes as FileChange[]);
        }
        if (wanted.upload_id !== undefined && !service.uploads.has(String(wanted.upload_id))) {
          return fail(404, 'upload_not_found');
        }
        const upload = wanted.upload_id === undefined ? null : uploadView(String(wanted.upload_id));
        if (upload && !upload.ready) return fail(409, 'upload_incomplete', { retryable: true });
        const created = makeBuild(wanted);
        service.builds.set(created.view.id, created);
        service.onSubmit(created);
        const notify = wanted.notify_url ? { notify: { url: wanted.notify_url, secret: 'whsec_x' } } : {};
        return send(201, { ...created.view, ...notify });
      }
      case 'GET /builds':
        return send(200, {
          builds: [...service.builds.values()].map(({ view }) => view).reverse(),
          next_before: null,
        });
      case 'GET /builds/*':
        return send(200, build!.view);
      case 'PATCH /builds/*':
        if (build!.view.status !== 'queued') return fail(409, 'build_not_queued');
        build!.set({ priority: JSON.parse(body.toString()).priority });
        return send(200, build!.view);
      case 'POST /builds/*/rerun': {
        const { repo, script } = build!.view;
        const again = makeBuild({ repo, script });
        again.set({ rerun_of: id });
        service.builds.set(again.view.id, again);
        return send(201, again.view);
      }
      case 'POST /builds/*/cancel':
        if (['queued', 'running'].includes(build!.view.status)) {
          build!.finish({ status: 'cancelled', end_reason: 'cancelled_by_user' });
        }
        return send(200, build!.view);
      case 'GET /builds/*/wait': {
        const until = Date.now() + Number(query.get('timeout') ?? 60) * 1000;
        while (!isOver(build!) && Date.now() < until) await changeOf(id, until);
        return send(200, build!.view);
      }
      case 'GET /builds/*/log':
        return sendLog(build!, query, response, send, fail);
      default: {
        const rented = await service.renting.answer({
          method,
          parts: path.split('/').slice(1),
          query,
          body: body.length === 0 ? {} : JSON.parse(body.toString()),
        });
        if (!rented) return fail(404, 'not_found');
        if (rented.code !== undefined) return fail(rented.status, rented.code, rented.more);
        return send(rented.status, rented.body);
      }
    }
  }

  async function sendLog(
    build: ScriptedBuild,
    query: URLSearchParams,
    response: ServerResponse,
    send: (status: number, value: unknown) => void,
    fail: (status: number, code: string) => void,
  ): Promise<void> {
    const { id } = build.view;
    const until = Date.now() + Number(query.get('wait') ?? 0) * 1000;
    if (query.has('offset') && query.get('format') !== 'text') {
      const offset = Number(query.get('offset'));
      while (logs.get(id)!.length <= offset && !isOver(build) && Date.now() < until) await changeOf(id, until);
      const log = logs.get(id)!;
      if (offset > log.length) return fail(400, 'invalid_offset');
      let end = Math.min(log.length, offset + 256 * 1024);
      while (end > offset && end < log.length && (log[end]! & 0xc0) === 0x80) end--;
      const eof = isOver(build) && end === log.length;
      const data = log.toString('utf8', offset, end);
      return send(200, { build_id: id, offset, next_offset: end, data, eof, status: build.view.status });
    }
    if (query.has('tail')) {
      const lines = logs
        .get(id)!
        .toString('latin1')
        .split(/(?<=\n)/);
      const end = lines.slice(Math.max(0, lines.length - Number(query.get('tail')))).join('');
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(Buffer.from(end, 'latin1'));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    let sent = Number(query.get('offset') ?? 0);
    for (;;) {
      const log = logs.get(id)!;
      response.write(log.subarray(sent));
      sent = log.length;
      if (isOver(build) || Date.now() >= until) break;
      await changeOf(id, until);
    }
    response.end();
  }

  function runner(
    { method, path, query, body }: { method: string; path: string; query: URLSearchParams; body: Buffer },
    send: (status: number, value: unknown) => void,
    fail: (status: number, code: string) => void,
  ): void {
    const wanted = /^B:\/v1\/jobs\/([^/]+)\/artifacts\/([^/]+)$/.exec(path);
    if (wanted?.[2] === 'contents' && method === 'POST') {
      const { file_ids: ids }: { file_ids: string[] } = JSON.parse(body.toString());
      const records = ids.map((id) => {
        const found = artifacts.find(({ file }) => file.id === id && file.job_id === wanted[1]);
        const head = Buffer.from(found ? `${id} ${found.content.length}\n` : `${id} gone\n`);
        return Buffer.concat([head, found?.content ?? Buffer.alloc(0)]);
      });
      send(200, Buffer.concat(records));
    } else if (wanted) {
      send(200, { url: `${origin}/signed/${wanted[2]}`, expires_at: '2026-01-01T00:15:00Z' });
    } else if (path === 'B:/v1/files') {
      const all = artifacts.filter(({ file }) => file.job_id === query.get('job_id')).map(({ file }) => file);
      const start = Number(query.get('cursor') ?? 0);
      // Pages of two, whatever was asked for, so that paging is met by every test.
      const next = start + 2 < all.length ? String(start + 2) : null;
      send(200, { data: all.slice(start, start + 2), next_cursor: next, total_bytes: 0 });
    } else {
      fail(404, 'not_found');
    }
  }

  /** Stores an upload that is its base with other contents of some files; returns its id. */
  function putChanges({ project, files }: { project: string; files: ManifestFile[] }, changes: FileChange[]): string {
    const changed = new Map(changes.map((change) => [change.path, change]));
    const id = `up_${service.uploads.size + 1}`;
    const after = files.map((file) => {
      const change = changed.get(file.path);
      if (!change) return file;
      const content = Buffer.from(change.content_base64, 'base64');
      service.blobs.set(sha256(content), content);
      return { ...file, sha256: sha256(content), size: content.length, mode: change.mode ?? file.mode };
    });
    service.uploads.set(id, { project, files: after });
    return id;
  }

  function uploadView(id: string) {
    const { project, files } = service.uploads.get(id)!;
    const missing = new Map(
      files.filter((file) => !service.blobs.has(file.sha256)).map((file) => [file.sha256, file.size]),
    );
    return {
      id,
      project,
      files: files.length,
      total_bytes: files.reduce((sum, file) => sum + file.size, 0),
      missing: [...missing.keys()],
      missing_bytes: [...missing.values()].reduce((sum, size) => sum + size, 0),
      ready: missing.size === 0,
    };
  }

  function statusOf() {
    const views = [...service.builds.values()].map(({ view }) => view);
    const running = views.filter(({ status }) => status === 'running');
    const queued = views.filter(({ status }) => status === 'queued');
    const macs = [...service.renting.rentals.values()];
    return {
      account: { id: 1, name: 'Acme', slug: 'acme', status: 'active' },
      plan: { kind: 'daily_rental', active_macs: macs.length, tiers: ['local'] },
      macs,
      advice: service.advice,
      queue: {
        running_count: running.length,
        queued_count: queued.length,
        estimate_basis: 'timeout_budget',
        running,
        queued,
      },
      last_builds: views.slice(-10).reverse(),
    };
  }

  const isOver = (build: ScriptedBuild) => !['queued', 'running'].includes(build.view.status);

  /** Resolves when the build changes, or at `until`. */
  function changeOf(id: string, until: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        changed.off(id, done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, until - Date.now())).unref();
      changed.on(id, done);
    });
  }

  return service;
}

/** `'POST /builds'` matches the method and the end of the path without its query; `*` stands for one part. */
function matches(match: string, method: string, url: string): boolean {
  const [wantedMethod, wantedPath = ''] = match.split(' ');
  const pattern = wantedPath.replace(/[.?]/g, '\\$&').replaceAll('*', '[^/?]+');
  return method === wantedMethod && new RegExp(`${pattern}$`).test(url.split('?')[0] ?? '');
}

function* readRecords(bytes: Buffer): Generator<{ sha256: string; content: Buffer }> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    const [hash = '', size = ''] = bytes.toString('latin1', at, end).split(' ');
    const content = bytes.subarray(end + 1, end + 1 + Number(size));
    if (end < 0 || !/^[0-9a-f]{64}$/.test(hash) || content.length !== Number(size)) throw new Error('bad record');
    yield { sha256: hash, content };
    at = end + 1 + content.length;
  }
}
