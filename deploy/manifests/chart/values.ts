/** The values of the chart: one source for schema, defaults and explanations. */
import type { JsonObject } from '#shared/domain/objects.ts';
import {
  defaultImagePrefix,
  defaultRedisImage,
  defaultRunbookUrl,
  defaultSettings,
} from '#shared/installation/default-settings.ts';
import type { Product } from '#shared/installation/installation.ts';

/** JSON Schema (draft 7), as Helm reads it. */
export interface ValueSchema {
  readonly type: 'object' | 'array' | 'string' | 'boolean' | 'integer';
  readonly description: string;
  readonly default?: JsonObject | string | number | boolean | readonly string[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly pattern?: string;
}

const text = (
  description: string,
  value: string,
  more: Partial<ValueSchema> = {},
): ValueSchema => ({
  type: 'string',
  description,
  default: value,
  ...more,
});
const flag = (description: string, value: boolean): ValueSchema => ({
  type: 'boolean',
  description,
  default: value,
});
const group = (
  description: string,
  properties: Readonly<Record<string, ValueSchema>>,
): ValueSchema => ({ type: 'object', description, properties });
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export function valuesSchema({ processes }: Product, version: string): ValueSchema {
  const { scaleOf } = defaultSettings(processes, version);
  const scales = processes.map(({ name, part }) => {
    const { replicas, maxScale, resources } = scaleOf(name);
    const pods = (description: string, value: number): ValueSchema => ({
      ...{ type: 'integer', description, default: value, minimum: 0 },
    });
    const scale = {
      replicas: pods('Pods of its Deployment.', Number(replicas)),
      ...(part === 'function' || part === 'admission'
        ? { maxReplicas: pods('The most Pods of its Knative Service.', Number(maxScale)) }
        : {}),
      resources: {
        type: 'object' as const,
        description: 'Requests and limits of its container.',
        default: resources as unknown as JsonObject,
      },
    };
    return [name, group(`The ${part} ${name}.`, scale)] as const;
  });
  return group('Values of the chart millrace.', {
    image: group('Where images are; each process has its own, by its name.', {
      prefix: text('What stands before the name of the process.', defaultImagePrefix),
      tag: text('Empty: the version of the chart.', ''),
      pullPolicy: text('When a node asks the registry.', 'IfNotPresent', {
        enum: ['Always', 'IfNotPresent', 'Never'],
      }),
      pullSecrets: { type: 'array', description: 'Of all Pods: a list of `name`.', default: [] },
    }),
    crds: group('Kinds and the policies that judge them.', {
      enabled: flag('They are installed and upgraded with the chart.', true),
      keep: flag('They outlive the release: without them every object of theirs is gone.', true),
    }),
    knative: group('Functions and admissions as Knative Services.', {
      enabled: flag('Needs Knative Serving 1.15 or newer; without it they are Deployments.', false),
      eventing: flag(
        'A broker of Knative Eventing also reports changes to functions; they then accept unsigned events.',
        false,
      ),
      containerSource: flag(
        'The bridge is a ContainerSource of Knative Eventing and reaches functions through a broker instead of the queue; eventing then adds nothing.',
        false,
      ),
    }),
    redis: group('Queue, journal and views.', {
      trial: flag(
        'Install the bundled Redis, without a disk. Otherwise create the Secret millrace-redis: `url`, and `NAME-url` for each process that has its own user.',
        true,
      ),
      image: text('Image of the bundled Redis.', defaultRedisImage),
    }),
    certManager: group('Certificates of the admissions.', {
      enabled: flag('cert-manager makes them; else credentials does.', false),
    }),
    logLevel: text('Least severe level that is logged.', 'info', { enum: levels }),
    policy: text(
      'What is refused in templates: a profile and exceptions, such as profile=restricted,nodeName=warn.',
      '',
    ),
    trustNamespaces: flag(
      'Trust every user who may write JobFlows or DaemonJobs in a namespace: Jobs are created also where no submitter is recorded. Leave it false while the webhooks of flow-admission are registered.',
      false,
    ),
    networkPolicy: group('Who may reach whom.', {
      enabled: flag('Only the processes that need a Pod reach it.', true),
    }),
    podDisruptionBudget: group('Drains of nodes.', {
      enabled: flag('They take one Pod of a process at a time.', true),
    }),
    monitoring: group('For the Prometheus operator.', {
      enabled: flag('PodMonitor and alerts; Prometheus runs in the namespace monitoring.', false),
      runbookUrl: text(
        'Where the runbook (docs/runbook.md) can be read; each alert links to its section.',
        defaultRunbookUrl,
      ),
    }),
    events: group('CloudEvents about changes of state.', {
      to: text(
        'URL of a sink that gets one, by POST, for each change of state of a flow or step (docs/reference/events.md). Empty: none is sent.',
        '',
      ),
    }),
    otel: group('Spans of events, deliveries and decisions.', {
      endpoint: text(
        'Of a collector of OpenTelemetry, by HTTP: http://otel-collector.opentelemetry.svc:4318. Empty: no spans are made.',
        '',
      ),
    }),
    kueue: group('Beside a Kueue.', {
      enabled: flag(
        'Its manager, in the namespace kueue-system, may read the kinds of Millrace.',
        false,
      ),
      frameworks: text(
        'Kinds that it manages, comma-separated, as Job.v1.batch for its integration batch/job. Empty: what it manages by default, and the kinds of Millrace.',
        '',
      ),
    }),
    namespace: group('The namespace of the release.', {
      create: flag(
        'The chart makes it, with restricted Pod Security. Else `--create-namespace` does, without.',
        false,
      ),
    }),
    namespaced: flag(
      'The namespace of the release is the only one that Millrace serves, and has rights in.',
      false,
    ),
    nodeSelector: { type: 'object', description: 'Of all Pods of Deployments.', default: {} },
    tolerations: { type: 'array', description: 'Of all Pods of Deployments.', default: [] },
    priorityClassName: text('Of all Pods of Deployments.', ''),
    processes: group('Each process by its name.', Object.fromEntries(scales)),
  });
}

/** As Helm validates it: an unknown name is a fault. */
export function jsonSchema(schema: ValueSchema): JsonObject {
  const strict = ({ properties, ...rest }: ValueSchema): JsonObject => ({
    ...(rest as unknown as JsonObject),
    ...(properties === undefined
      ? {}
      : {
          additionalProperties: false,
          properties: {
            ...Object.fromEntries(
              Object.entries(properties).map(([name, each]) => [name, strict(each)] as const),
            ),
          },
        }),
  });
  const { properties = {}, ...rest } = schema;
  // Helm passes it to a chart that is used as a subchart.
  const global: ValueSchema = { type: 'object', description: 'Of the charts above this one.' };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...strict({ ...rest, properties: { ...properties, global } }),
  };
}

/** `values.yaml`: every default with its explanation. */
export function valuesFile(schema: ValueSchema): string {
  return `${linesOf(schema.properties ?? {}, '').join('\n')}\n`;
}

function linesOf(properties: Readonly<Record<string, ValueSchema>>, indent: string): string[] {
  return Object.entries(properties).flatMap(
    ([name, { description, properties: below, default: value }]) => {
      const said = `${indent}# ${description}`;
      if (below === undefined) return [said, `${indent}${name}: ${JSON.stringify(value)}`];
      return [said, `${indent}${name}:`, ...linesOf(below, `${indent}  `)];
    },
  );
}
