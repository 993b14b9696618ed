/** Texts of `kubectl explain` for the built-in fields that flows use. We wrote them. */
import type { JsonObject } from '#shared/domain/objects.ts';
import type { SchemaDefinition } from '../../registry/builtin-schemas.ts';

/** The fields that all kinds begin with. */
export const ofEveryObject = {
  apiVersion: 'Group and version of the kind.',
  kind: 'The kind of this object.',
  metadata: 'Name, labels and what else every object has.',
  spec: 'What is wanted.',
  status: 'What there is. Written by the system.',
} as const;

interface Description {
  readonly itself: string;
  readonly fields?: Readonly<Record<string, string>>;
}

const descriptions: Readonly<Record<string, Description>> = {
  'io.k8s.api.batch.v1.Job': { itself: 'A Job runs Pods until enough of them have succeeded.' },
  'io.k8s.api.batch.v1.JobSpec': {
    itself: 'How many Pods run, from which template, and when to give up.',
    fields: {
      activeDeadlineSeconds: 'Seconds after the start at which a Job that still runs has failed.',
      backoffLimit: 'How many Pods may fail before the Job has failed. Default 6.',
      completionMode: 'NonIndexed: Pods are alike. Indexed: each has an index, from 0 on.',
      completions: 'How many Pods have to succeed.',
      parallelism: 'How many Pods run at once. Default 1.',
      podFailurePolicy: 'What a failed Pod means for the Job, by exit code or condition.',
      suspend: 'While true no Pod runs, and those that did are deleted.',
      template: 'What each Pod is made from.',
      ttlSecondsAfterFinished: 'Seconds after its end at which the Job is deleted.',
    },
  },
  'io.k8s.api.core.v1.Pod': { itself: 'A Pod is a group of containers that run on one node.' },
  'io.k8s.api.core.v1.Node': { itself: 'A Node is a machine that Pods run on.' },
  'io.k8s.api.core.v1.Container': {
    itself: 'One container of a Pod.',
    fields: {
      args: 'Arguments of the command.',
      command: 'What runs, instead of the entry point of the image.',
      env: 'Environment variables.',
      image: 'The image that it runs.',
      name: 'Unique within the Pod.',
      resources: 'What it asks for (requests) and may use at most (limits).',
      volumeMounts: 'Where volumes of the Pod appear in its file system.',
    },
  },
  'io.k8s.api.core.v1.PodSpec': {
    itself: 'The containers of a Pod and how they run.',
    fields: {
      containers: 'What runs side by side. At least one.',
      initContainers: 'What runs one after the other, before the containers.',
      nodeName: 'The node it runs on. Set by the scheduler unless it is given.',
      nodeSelector: 'Labels that the node must have.',
      restartPolicy: 'Whether containers that end are started again: Always, OnFailure or Never.',
      tolerations: 'Taints of nodes that do not keep it away.',
      volumes: 'What its containers can mount.',
    },
  },
};

/** The definition with our texts, where there are some. */
export function described(name: string, definition: SchemaDefinition): SchemaDefinition {
  const { itself, fields = {} } = descriptions[name] ?? {};
  const properties = definition['properties'] as JsonObject | undefined;
  if (properties === undefined) return definition;
  const general: Readonly<Record<string, string>> = 'metadata' in properties ? ofEveryObject : {};
  const worded = Object.entries(properties).map(([field, schema]): [string, JsonObject] => {
    const description = fields[field] ?? general[field];
    const own = schema as JsonObject;
    return [field, description === undefined ? own : { description, ...own }];
  });
  return {
    ...(itself === undefined ? {} : { description: itself }),
    ...definition,
    properties: Object.fromEntries(worded),
  };
}
