/** A wrapper whose decisions are applied at once, without an API server, so that phases can be tested as data. */
import type { AppWrapper, AppWrapperSpec } from '#shared/api/app-wrapper.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { stableJson } from '#shared/domain/hash.ts';
import { isObject } from '#shared/domain/json-value.ts';
import {
  asResourceVersion,
  asUid,
  type JsonObject,
  type NewObject,
  type Resource,
} from '#shared/domain/objects.ts';
import type { Operation } from '#shared/domain/plan.ts';
import { resources } from '#shared/domain/resources.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { lawfulDecision } from '#shared/domain/testing/lawful-decision.ts';
import { decide } from '../decide.ts';
import type { WrapperRules } from '../rules.ts';
import { wrapperFingerprint } from '../subscription/fingerprints.ts';
import type {
  LifecycleSnapshot,
  ObservedComponent,
  ObservedObject,
  ObservedPod,
} from '../snapshot.ts';

const settingsPrefix = 'workload.codeflare.dev.appwrapper/';
const container = { name: 'main', image: 'busybox:1.28' };
const podSpec = { restartPolicy: 'Never', containers: [container] };

export function pod(name: string, spec: object = podSpec, metadata: object = {}) {
  return component({ apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec });
}

export function job(name: string, spec: object = {}) {
  const template = { spec: podSpec };
  return component({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { template, ...spec },
  });
}

export function deployment(name: string, replicas: number) {
  const spec = { replicas, template: { spec: podSpec } };
  return component({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec });
}

export function service(name: string) {
  return component({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: {} });
}

type Component = AppWrapperSpec['components'][number];

function component(template: object): Component {
  return { template } as unknown as Component;
}

const served: Readonly<Record<string, Resource>> = {
  Pod: resources.Pod,
  Job: resources.Job,
  Deployment: {
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    kind: 'Deployment',
    namespaced: true,
  },
  Service: { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true },
};

export class PureWorld {
  wrapper: AppWrapper;
  nowMs = Date.parse('2026-11-27T10:00:00Z');
  /** By name. When a component is deleted, its Pods go as well. */
  readonly objects = new Map<string, ObservedObject>();
  readonly created = new Map<string, NewObject>();
  pods: readonly ObservedPod[] = [];
  /** Absent: the defaults. */
  rules: WrapperRules | undefined;
  /** Names of objects whose creation is refused. */
  readonly refused = new Map<string, Rejection['code']>();
  /** Names of objects that Millrace may not delete. */
  readonly undeletable = new Set<string>();
  /** Names of objects that Millrace cannot read. */
  readonly hidden = new Set<string>();
  /** Deleted objects are only marked, and stay. */
  isStuck = false;
  /** Every phase that was written, in order. */
  readonly phases: string[] = [];
  readonly operations: Operation[] = [];

  constructor(components: readonly Component[], settings: Readonly<Record<string, string>> = {}) {
    const annotations = Object.fromEntries(
      Object.entries(settings).map(([suffix, text]) => [settingsPrefix + suffix, text]),
    );
    this.wrapper = {
      apiVersion: 'workload.codeflare.dev/v1beta2',
      kind: 'AppWrapper',
      metadata: {
        ...{ name: 'aw', namespace: 'default', annotations, generation: 1 },
        uid: asUid('uid-of-aw'),
        resourceVersion: asResourceVersion('1'),
      },
      spec: { suspend: true, components },
    };
  }

  get phase(): string {
    return this.wrapper.status?.phase ?? '';
  }

  edit(spec: Partial<AppWrapperSpec>): void {
    this.wrapper = { ...this.wrapper, spec: { ...this.wrapper.spec, ...spec } };
  }

  delete(...finalizers: readonly string[]): void {
    const { metadata } = this.wrapper;
    const deletionTimestamp = new Date(this.nowMs).toISOString();
    const all = [...(metadata.finalizers ?? []), ...finalizers];
    this.wrapper = {
      ...this.wrapper,
      metadata: { ...metadata, deletionTimestamp, finalizers: all },
    };
  }

  /** The condition as `Type=Status/Reason`. */
  condition(type: string): string | undefined {
    const found = this.wrapper.status?.conditions?.find((each) => each.type === type);
    return found && `${found.status}/${found.reason}`;
  }

  message(type: string): string | undefined {
    return this.wrapper.status?.conditions?.find((each) => each.type === type)?.message;
  }

  /** Notes of the emitted Events with this reason. */
  events(reason: string): readonly string[] {
    return this.operations.flatMap((each) =>
      each.kind === 'emitEvent' && each.reason === reason ? [each.note] : [],
    );
  }

  /** Whether resources are deployed and quota is reserved. */
  get holds(): string {
    const [deployed, quota] = ['ResourcesDeployed', 'QuotaReserved'].map(
      (type) => this.condition(type)?.split('/')[0] ?? '-',
    );
    return `deployed ${deployed ?? ''}, quota ${quota ?? ''}`;
  }

  snapshot(rejections: readonly Rejection[] = []): LifecycleSnapshot {
    const { metadata, apiVersion, kind, status } = this.wrapper;
    const { name, namespace = '', uid } = metadata;
    const components = (status?.componentStatus ?? []).map((each): ObservedComponent => {
      const resource = served[each.kind];
      const isHidden = this.hidden.has(each.name);
      const object = isHidden ? undefined : this.objects.get(each.name);
      return {
        ...(resource === undefined ? {} : { resource }),
        ...(isHidden ? { unreadable: 'forbidden' } : {}),
        ...(object === undefined ? {} : { object }),
      };
    });
    const { pods, wrapper } = this;
    return {
      key: { apiVersion, kind, namespace, name, uid },
      wrapper,
      components,
      pods,
      rejections,
      ...(this.rules === undefined ? {} : { rules: this.rules }),
    };
  }

  /** Makes one decision and applies it. */
  step(rejections: readonly Rejection[] = []): Decision {
    const decision = lawfulDecision(decide, this.snapshot(rejections), { nowMs: this.nowMs });
    for (const stage of decision.plan) {
      const refused = stage.flatMap((operation) => this.#apply(operation));
      if (refused.length > 0) return this.step(refused);
    }
    return decision;
  }

  /** Decides until no event is left. A decision that names a later time waits for `pass`. */
  settle(): Decision {
    for (let rounds = 0; rounds < 40; rounds += 1) {
      const before = this.#fingerprint;
      const decision = this.step();
      const isDue = (decision.requeueAtMs ?? Infinity) <= this.nowMs;
      const touches = decision.plan
        .flat()
        .some(({ kind }) => kind === 'create' || kind === 'delete');
      if (!isDue && !touches && this.#fingerprint === before) return decision;
    }
    throw new Error(`it does not come to rest: ${this.phases.join(' ')}`);
  }

  pass(ms: number): void {
    this.nowMs += ms;
  }

  /** Resumes the wrapper and gives its components these Pods, in order. */
  run(...phases: readonly string[]): void {
    this.edit({ suspend: false });
    this.settle();
    this.podsAre(...phases);
    this.settle();
  }

  /** Sets one Pod per component, in these phases. Empty: none. */
  podsAre(...phases: readonly string[]): void {
    this.pods = phases.flatMap((phase, component) =>
      phase === '' ? [] : [podOf(component, phase)],
    );
  }

  endOf(name: string, isSuccess: boolean, message = ''): void {
    const object = this.objects.get(name);
    if (object === undefined) throw new Error(`there is no ${name}`);
    this.objects.set(name, { ...object, end: { isSuccess, message } });
  }

  /** A change of the fingerprint is an event. */
  get #fingerprint(): string {
    return stableJson(wrapperFingerprint(this.wrapper));
  }

  #apply(operation: Operation): readonly Rejection[] {
    this.operations.push(operation);
    switch (operation.kind) {
      case 'create': {
        const { object } = operation;
        const { name } = object.metadata;
        const code = this.refused.get(name);
        if (code !== undefined) return [{ name, code, message: 'refused' }];
        this.created.set(name, object);
        const uid = asUid(`uid-of-${name}-${this.operations.length}`);
        this.objects.set(name, { uid, isDeleting: false });
        return [];
      }
      case 'delete': {
        const { uid, target } = operation;
        const { name } = target;
        if (this.undeletable.has(name)) {
          return [{ name, uid, code: 'Forbidden', message: 'forbidden' }];
        }
        this.#deleted(name);
        return [];
      }
      case 'patch': {
        const { finalizers } = operation.patch['metadata'] as { readonly finalizers: string[] };
        const { metadata } = this.wrapper;
        this.wrapper = { ...this.wrapper, metadata: { ...metadata, finalizers } };
        return [];
      }
      case 'patchStatus':
        this.#store(operation.status);
        return [];
      case 'emitEvent':
        return [];
    }
  }

  #deleted(name: string): void {
    const object = this.objects.get(name);
    if (this.isStuck) {
      if (object !== undefined) this.objects.set(name, { ...object, isDeleting: true });
      return;
    }
    const index = this.wrapper.status?.componentStatus?.findIndex((each) => each.name === name);
    this.objects.delete(name);
    this.pods = this.pods.filter((each) => each.component !== index && each.name !== name);
  }

  #store(status: JsonObject): void {
    const before = this.wrapper.status ?? {};
    this.wrapper = { ...this.wrapper, status: { ...before, ...status } };
    if (isObject(status) && typeof status['phase'] === 'string') this.phases.push(status['phase']);
  }
}

export function podOf(
  component: number,
  phase: string,
  { name = `pod-${component}`, exitCodes = [], ...more }: Partial<ObservedPod> = {},
): ObservedPod {
  const uid = asUid(`uid-of-${name}`);
  return { name, uid, phase, isDeleting: false, component, exitCodes, ...more };
}
