/** Subresources that are not part of the object itself: bindings, scales, finalization. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { applyMergePatch } from '#shared/domain/merge-patch.ts';
import { valuesAt } from '../registry/json-path.ts';
import type { ScalePaths } from '../registry/resource-type.ts';
import type { AdmissionSteps } from './admission-step.ts';
import type { ApiAnswer, SuccessStatus } from './api-answer.ts';
import type { ApiCall } from './api-call.ts';
import { asJson, fromJson, withMeta, type Draft } from './draft.ts';
import { tracked } from './field-owners.ts';
import { jsonPatch } from '../merge/json-patch.ts';
import { badRequest, conflict, notFound, StatusError } from '../apimachinery/status-error.ts';
import { checkVersion, commit, locate, modified, replacement, type Found } from './update.ts';
import { timeOf, type World } from './world.ts';

/** pods/binding: the decision of the scheduler. */
export function bind(world: World, call: ApiCall): ApiAnswer {
  const found = located(world, call);
  const { live } = found;
  const spec = (live.spec ?? {}) as { readonly nodeName?: string };
  const target = (call.body as { readonly target?: { readonly name?: string } } | undefined)
    ?.target;
  const nodeName = target?.name ?? '';
  if (nodeName === '') throw badRequest('Binding "" is invalid: target.name: Required value');
  const resource = { ...call.type, plural: `${call.type.plural}/binding` };
  const refuse = (why: string): Error => conflict(resource, call.name, `pod ${call.name} ${why}`);
  if (live.metadata.deletionTimestamp !== undefined) {
    throw refuse('is being deleted, cannot be assigned to a host');
  }
  if ((spec.nodeName ?? '') !== '') {
    throw refuse(`is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  }
  const bound = { ...live, spec: { ...spec, nodeName }, status: scheduled(live, timeOf(world)) };
  const { generation = 0 } = live.metadata;
  commitOrFail(world, call, found, withMeta(bound, { generation: generation + 1 }));
  return done();
}

function scheduled({ status }: Draft, time: string): object {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly { type: string }[] };
  const condition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: time,
  };
  const others = conditions.filter(({ type }) => type !== condition.type);
  return { ...(status as object | undefined), conditions: [...others, condition] };
}

/** namespaces/finalize: only the finalizers of the spec are used. */
export function* finalize(world: World, call: ApiCall): AdmissionSteps<ApiAnswer> {
  const found = located(world, call);
  const { spec, metadata } = (call.body ?? {}) as unknown as Pick<Draft, 'spec' | 'metadata'>;
  checkVersion(metadata, found.live.metadata, call);
  const { finalizers = [] } = (spec ?? {}) as { finalizers?: readonly string[] };
  const object = { ...found.live, spec: finalizers.length === 0 ? {} : { finalizers } };
  return commitOrFail(world, call, found, tracked(world, call, found.live, object));
}

/** autoscaling/v1 Scale of a custom resource, by the paths of its definition. */
export function* scale(world: World, call: ApiCall): AdmissionSteps<ApiAnswer> {
  const paths = call.type.scale;
  const found = located(world, call);
  if (paths === undefined) throw notFound(call.type, call.name);
  const present = scaleOf(found.live, paths);
  if (call.verb === 'get') return { code: 200, body: present };
  const wanted = wantedScale(call, present);
  const { metadata } = wanted as unknown as Draft;
  checkVersion(metadata, found.live.metadata, { ...call, verb: 'patch' });
  const { replicas } = (wanted['spec'] ?? {}) as { readonly replicas?: number };
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
    const detail = 'must be greater than or equal to 0';
    throw new StatusError(
      422,
      'Invalid',
      `Scale "${call.name}" is invalid: spec.replicas: ${detail}`,
    );
  }
  const steps = paths.specReplicasPath.slice(1).split('.');
  const changed = fromJson(withValueAt(asJson(found.live), steps, replicas));
  const object = yield* replacement(world, { ...call, subresource: '' }, found.live, changed);
  commitOrFail(world, call, found, object);
  const stored = located(world, call).live;
  return { code: 200, body: scaleOf(stored, paths) };
}

function wantedScale({ verb, body, patchKind }: ApiCall, present: Draft): JsonObject {
  if (verb === 'update') return body as JsonObject;
  const document = asJson(present);
  if (patchKind === 'json') return jsonPatch(document, body ?? []);
  if (patchKind === 'apply') {
    throw new StatusError(501, 'NotImplemented', 'the sandbox does not simulate apply of a scale');
  }
  return applyMergePatch(document, body ?? null) as JsonObject;
}

function scaleOf({ metadata, ...object }: Draft, paths: ScalePaths): Draft {
  const at = (path: string | undefined): unknown =>
    path === undefined ? undefined : valuesAt(object, path)[0];
  const selector = at(paths.labelSelectorPath);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as Draft['metadata'],
    spec: { replicas: at(paths.specReplicasPath) ?? 0 },
    status: {
      replicas: at(paths.statusReplicasPath) ?? 0,
      ...(typeof selector === 'string' ? { selector } : {}),
    },
  };
}

function withValueAt(object: JsonObject, steps: readonly string[], value: Json): JsonObject {
  const [step = '', ...rest] = steps;
  const member = (object[step] ?? {}) as JsonObject;
  return { ...object, [step]: rest.length === 0 ? value : withValueAt(member, rest, value) };
}

export function located(world: World, call: ApiCall): Found {
  const found = locate(world, call);
  if (found === undefined) throw notFound(call.type, call.name);
  return found;
}

export function commitOrFail(world: World, call: ApiCall, found: Found, object: Draft): ApiAnswer {
  const answer = commit(world, call, found, object);
  if (answer === undefined) throw conflict(call.type, call.name, modified);
  return answer;
}

export function done(): ApiAnswer {
  const body: SuccessStatus = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    code: 201,
  };
  return { code: 201, body };
}
