/** The part of a Job that the views keep for policies. Little of its template is read. */
import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import type { Json, JsonObject, KubeObject } from '#shared/domain/objects.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';

const jobSpecFields = ['suspend', 'completions', 'parallelism', 'managedBy'];
const podSpecFields = ['priorityClassName', 'nodeSelector', 'tolerations', 'affinity'];
const statusFields = ['active', 'terminating', 'succeeded', 'failed', 'startTime', 'conditions'];

/** Applying it twice gives the same. */
export function keepOfGovernedJob(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = stripMetadata(object);
  const spec = fieldsOf(object.spec);
  const pod = fieldsOf(fieldsOf(spec['template'])['spec']);
  return {
    apiVersion,
    kind,
    metadata,
    spec: {
      ...pick(spec, jobSpecFields),
      template: {
        spec: {
          ...pick(pod, podSpecFields),
          containers: requestsOf(pod['containers']),
          initContainers: requestsOf(pod['initContainers']),
        },
      },
    },
    status: pick(fieldsOf(object.status), statusFields),
  };
}

function requestsOf(containers: Json | undefined): readonly JsonObject[] {
  return listOf(containers).map((container) => {
    const { restartPolicy, resources } = fieldsOf(container);
    const { requests } = fieldsOf(resources);
    return {
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
      ...(requests === undefined ? {} : { resources: { requests } }),
    };
  });
}

function pick(from: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([field]) => fields.includes(field)));
}
