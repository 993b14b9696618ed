/** The interface of a script: requests whose answers are recorded, in a namespace of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { groupPath, kindOf, kindPath, type KindName } from './kinds.ts';
import type { Step } from './transcript.ts';
import { Watch } from './watch.ts';
import type { Wire, WireAnswer } from './wire.ts';

/** The body of an answer as scripts read it. Fields that a failure lacks are missing at run time. */
export interface Seen {
  apiVersion: string;
  kind: string;
  metadata: SeenMetadata;
  spec?: Record<string, Json | undefined>;
  status?: Record<string, Json | undefined> | string;
  items?: Seen[];
  [field: string]: unknown;
}

interface SeenMetadata {
  name: string;
  uid: string;
  resourceVersion: string;
  labels?: Record<string, string>;
  finalizers?: string[];
  continue?: string;
  [field: string]: Json | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean>>;

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: JsonObject;
  readonly [field: string]: Json | undefined;
}

export interface Answer {
  readonly code: number;
  readonly body: Seen;
}

export interface CallOptions {
  readonly query?: Query | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged. */
  readonly body?: Json | Manifest | Seen;
}

export interface ObjectOptions extends CallOptions {
  readonly sub?: string;
  /** Replaces the script's own namespace. Empty: all namespaces. */
  readonly namespace?: string;
}

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** Headers of answers that clients react to. */
const comparedHeaders = ['content-type', 'warning', 'retry-after', 'allow'] as const;

export const tableOf = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

export class Session {
  readonly ns: string;
  readonly steps: Step[] = [];
  readonly #wire: Wire;
  readonly #watches = new Set<Watch>();

  constructor(wire: Wire, namespace: string) {
    this.#wire = wire;
    this.ns = namespace;
  }

  /** A name for an object outside of the namespace. */
  own(name: string): string {
    return `${name}-${this.ns}`;
  }

  path(kind: KindName, name = '', { namespace, sub = '' }: ObjectOptions = {}): string {
    const { apiVersion, plural, namespaced } = kindPath(kind);
    const within = namespaced && namespace !== '' ? `/namespaces/${namespace ?? this.ns}` : '';
    const tail = [plural, name, sub].filter((part) => part !== '').join('/');
    return `${groupPath(apiVersion)}${within}/${tail}`;
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { asked, answer } = await this.#send(method, path, options);
    const body = bodyOf(answer);
    const headers = headersOf(answer);
    this.steps.push({ kind: 'exchange', asked, code: answer.code, headers, body });
    return { code: answer.code, body: structuredClone(body) as unknown as Seen };
  }

  /** As `call`, but without recording. */
  async aside(
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Answer & { readonly isWarned: boolean }> {
    const { answer } = await this.#send(method, path, options);
    const isWarned = answer.headers['warning'] !== undefined;
    return { code: answer.code, body: bodyOf(answer) as unknown as Seen, isWarned };
  }

  create(object: Manifest, options: ObjectOptions & { kind?: KindName } = {}): Promise<Answer> {
    const kind = options.kind ?? kindOf(object);
    return this.call('POST', this.path(kind, '', options), { body: object, ...options });
  }

  read(kind: KindName, name: string, options: ObjectOptions = {}): Promise<Answer> {
    return this.call('GET', this.path(kind, name, options), options);
  }

  list(kind: KindName, query: Query = {}, options: ObjectOptions = {}): Promise<Answer> {
    return this.call('GET', this.path(kind, '', options), { query, ...options });
  }

  update(
    object: Seen | Manifest,
    options: ObjectOptions & { kind?: KindName } = {},
  ): Promise<Answer> {
    const kind = options.kind ?? kindOf(object);
    const path = this.path(kind, object.metadata?.name as string, options);
    return this.call('PUT', path, { body: object as Json, ...options });
  }

  patch(
    kind: KindName,
    name: string,
    how: keyof typeof patchTypes,
    body: Json | Manifest,
    options: ObjectOptions = {},
  ): Promise<Answer> {
    const headers = { 'content-type': patchTypes[how], ...options.headers };
    const path = this.path(kind, name, options);
    return this.call('PATCH', path, { ...options, body, headers });
  }

  /** Server-side apply. The manager is `fieldManager` of the query. */
  apply(
    object: Manifest,
    manager: string,
    options: ObjectOptions & { kind?: KindName } = {},
  ): Promise<Answer> {
    const kind = options.kind ?? kindOf(object);
    const name = object.metadata?.['name'] as string;
    const query = { fieldManager: manager, ...options.query };
    return this.patch(kind, name, 'apply', object, { ...options, query });
  }

  delete(kind: KindName, name: string, options: ObjectOptions = {}): Promise<Answer> {
    return this.call('DELETE', this.path(kind, name, options), options);
  }

  deleteAll(kind: KindName, query: Query = {}, options: ObjectOptions = {}): Promise<Answer> {
    return this.call('DELETE', this.path(kind, '', options), { query, ...options });
  }

  /** Opens a watch. Its events are recorded when the script takes them. */
  async watch(kind: KindName, query: Query = {}, options: ObjectOptions = {}): Promise<Watch> {
    const path = pathWith(this.path(kind, '', options), { watch: true, ...query });
    const watch = await Watch.open(this.#wire, path, options.headers, (step) =>
      this.steps.push(step),
    );
    this.#watches.add(watch);
    return watch;
  }

  /** Repeats the request for at most 30 s until `holds`, without recording. `undefined`: not found. */
  async until(
    kind: KindName,
    name: string,
    holds: (object: Seen | undefined) => boolean,
    options: ObjectOptions = {},
  ): Promise<Seen | undefined> {
    const path = this.path(kind, name, options);
    const deadline = performance.now() + 30_000;
    for (;;) {
      const { answer } = await this.#send('GET', path, options);
      const seen = answer.code === 404 ? undefined : (JSON.parse(answer.text) as Seen);
      if (holds(seen)) return seen;
      if (performance.now() > deadline) {
        throw new Error(`waited 30 s for ${path}, last seen: ${JSON.stringify(seen)}`);
      }
      await sleep(100);
    }
  }

  /** Resolves when the object is gone. */
  async untilGone(kind: KindName, name: string, options: ObjectOptions = {}): Promise<void> {
    await this.until(kind, name, (object) => object === undefined, options);
  }

  /** Records a finding of the script. */
  note(what: string, value: unknown): void {
    const json = value === undefined ? 'undefined' : (JSON.parse(JSON.stringify(value)) as Json);
    this.steps.push({ kind: 'note', asked: what, value: json });
  }

  close(): void {
    for (const watch of this.#watches) watch.end();
  }

  async #send(method: string, path: string, { query, headers, body }: CallOptions) {
    const whole = pathWith(path, query);
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const typed = text === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await this.#wire.send({
      method,
      path: whole,
      headers: { accept: 'application/json', ...typed, ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    return { asked: `${method} ${whole}`, answer };
  }
}

function pathWith(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const text = parameters.toString();
  if (text === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

function bodyOf({ text }: WireAnswer): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function headersOf({ headers }: WireAnswer): Record<string, string> {
  const kept = comparedHeaders.flatMap((name) => {
    const value = headers[name];
    if (value === undefined) return [];
    // Several lines of one header mean the same as one line with commas (RFC 9110, 5.3).
    return [[name, typeof value === 'string' ? value : value.join(', ')]];
  });
  return Object.fromEntries(kept) as Record<string, string>;
}
