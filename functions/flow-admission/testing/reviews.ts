/** Reviews as the API server makes them, for the tests of this folder. */
import type { Review, ReviewUser } from '#shared/domain/admission-decision.ts';
import type { JsonObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { submitterText } from '#shared/domain/submitter.ts';
import { withSubmitter } from '../submission.ts';

export const ann: ReviewUser = { username: 'ann', groups: ['team-a'], extra: {} };
export const container = { name: 'main', image: 'busybox:1.28' };

/** A Job of one container. `pod` is merged into its Pod, `job` into its spec. */
export function job(pod: JsonObject = {}, job: JsonObject = {}): JsonObject {
  return { ...job, template: { spec: { containers: [container], ...pod } } };
}

export function flow(flows: readonly JsonObject[], spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobFlow',
    metadata: { name: 'etl', namespace: 'team-a', uid: 'u-1' },
    spec: { ...spec, flows },
  };
}

export function template(jobTemplate: JsonObject): JsonObject {
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'JobTemplate',
    metadata: { name: 'shared', namespace: 'team-a', uid: 'u-2' },
    spec: { jobTemplate },
  };
}

export function daemonJob(spec: JsonObject): JsonObject {
  return {
    apiVersion: 'api.practice.com/v1alpha1',
    kind: 'DaemonJob',
    metadata: { name: 'tidy', namespace: 'team-a', uid: 'u-3' },
    spec,
  };
}

export const step = (name: string, fields: JsonObject = {}): JsonObject => ({
  name,
  jobTemplate: job(),
  ...fields,
});

function reviewOf(operation: Review['operation'], object: JsonObject): Review {
  const { kind } = object;
  const resource: Resource = resources[kind as 'JobFlow' | 'JobTemplate' | 'DaemonJob'];
  const { group, version, plural } = resource;
  return {
    uid: 'u-review',
    operation,
    kind: { group, version, kind: resource.kind },
    resource: { group, version, plural },
    subresource: '',
    namespace: 'team-a',
    name: 'etl',
    object,
    user: ann,
    dryRun: false,
  };
}

/** The first review of a submission, without a recorded submitter. */
export function submitted(object: JsonObject): Review {
  return reviewOf('CREATE', object);
}

/** The review of a submission with its recorded submitter. */
export function creation(object: JsonObject): Review {
  return submitted(withSubmitter(object, submitterText(ann)));
}

export function update(before: JsonObject, after: JsonObject): Review {
  return { ...reviewOf('UPDATE', after), oldObject: before };
}
