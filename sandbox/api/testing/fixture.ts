/** A sandbox with a stopped clock and a seeded random source, and short functions to call it. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox.ts';
import type { ApiAnswer, ObjectList, WatchLine } from '../api-answer.ts';
import type { ApiCall, ApiVerb, CallOptions } from '../api-call.ts';
import type { Draft } from '../draft.ts';
import { seeded } from '../../apimachinery/testing/seeded.ts';

/** Time of the clock at the start: 2026-01-01T00:00:00Z. */
export const startMs = Date.UTC(2026, 0, 1);

type Rest = Partial<Omit<ApiCall, 'verb' | 'type' | 'options'>> & {
  readonly options?: CallOptions;
};

export class Fixture {
  nowMs = startMs;
  readonly sandbox: Sandbox;

  constructor(options: Partial<SandboxOptions> = {}) {
    const clock = { now: (): number => this.nowMs };
    this.sandbox = createSandbox({ clock, random: seeded(1), ...options });
  }

  /** A namespace with its default ServiceAccount, so that Pods can be created in it. */
  static withAccount(): Fixture {
    const fixture = new Fixture();
    fixture.create('serviceaccounts', { metadata: { name: 'default' } });
    return fixture;
  }

  /** `path` as `pods`, `jobs.batch`, `foos.v1.example.com`: the group after the plural. */
  call(verb: ApiVerb, path: string, rest: Rest = {}): ApiCall {
    const [plural = '', ...group] = path.split('.');
    const type = this.sandbox.api.types
      .all()
      .find((known) => known.plural === plural && known.group === group.join('.'));
    if (type === undefined) throw new Error(`no type ${path}`);
    const namespace = type.namespaced ? 'default' : '';
    return { verb, type, namespace, name: '', subresource: '', options: {}, ...rest };
  }

  do(verb: ApiVerb, path: string, rest: Rest = {}): ApiAnswer {
    return this.sandbox.api.handleNow(this.call(verb, path, rest));
  }

  create(path: string, body: JsonObject, options: CallOptions = {}): Draft {
    return this.do('create', path, { body, options }).body as Draft;
  }

  merge(path: string, name: string, body: Json, rest: Rest = {}): Draft {
    return this.do('patch', path, { name, body, patchKind: 'merge', ...rest }).body as Draft;
  }

  get(path: string, name: string): Draft {
    return this.do('get', path, { name }).body as Draft;
  }

  list(path: string, options: CallOptions = {}): ObjectList {
    return this.do('list', path, { options }).body as ObjectList;
  }

  names(path: string, options: CallOptions = {}): readonly string[] {
    return this.list(path, options).items.map(({ metadata }) => metadata.name);
  }

  /** The lines of a watch as `ADDED a`, growing while the watch is open. */
  watch(path: string, options: CallOptions = {}): string[] {
    const lines: string[] = [];
    this.sandbox.api.watch(this.call('watch', path, { options }), (line) =>
      lines.push(wordsOf(line)),
    );
    return lines;
  }
}

export function configMap(name: string, rest: JsonObject = {}, meta: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...meta }, ...rest };
}

export function job(name: string, spec: JsonObject = {}): JsonObject {
  const container = { name: 'main', image: 'busybox' };
  const template = { spec: { restartPolicy: 'Never', containers: [container] } };
  const metadata = { name };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template, ...spec } };
}

/** The kind Foo in example.com: one field with a default, one with bounds, one with a transition rule. */
export function fooDefinition(version: JsonObject = {}): JsonObject {
  const spec = {
    type: 'object',
    properties: {
      size: { type: 'integer', minimum: 1 },
      color: { type: 'string', default: 'red' },
      replicas: { type: 'integer' },
    },
  };
  const status = {
    type: 'object',
    properties: { phase: { type: 'string' }, replicas: { type: 'integer' } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
          ...version,
        },
      ],
    },
  };
}

export function foo(name: string, spec: JsonObject = {}, rest: JsonObject = {}): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name }, spec, ...rest };
}

function wordsOf({ type, object }: WatchLine): string {
  if (type === 'BOOKMARK') return object.metadata.annotations === undefined ? type : `${type} end`;
  return `${type} ${object.metadata.name}`;
}
