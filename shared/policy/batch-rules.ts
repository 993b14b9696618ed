/**
 * Features that a batch Pod hardly ever needs and no Pod Security Standard covers. They reach past the
 * scheduler, to the control plane, or to surrounding controllers. These rules hold under every profile.
 * Source: RBAC good practices ("workload creation").
 */
import type { JsonObject } from '#shared/domain/objects.ts';
import { lists, memberOf, textOf } from './json-members.ts';
import { given, podAt, podOf, texts, use, type PodRule, type Use } from './pod-rule.ts';

const controlPlaneKeys: ReadonlySet<string> = new Set([
  'node-role.kubernetes.io/control-plane',
  'node-role.kubernetes.io/master',
]);

export const batchRules = [
  {
    name: 'nodeName',
    says: 'The Pod names its node, past the scheduler, its taints and quotas. `nodeBinding: Direct` does it, too.',
    values: 'the name of the node',
    uses: (job) =>
      given(podOf(job), 'nodeName', (name) => {
        const message = `the Pod goes to ${name} past the scheduler; node affinity, as globalParams.nodeName makes it, does not`;
        return [use(`${podAt}.nodeName`, name, message)];
      }),
  },
  {
    name: 'tolerations',
    says: 'The Pod tolerates every taint, or every one of an effect.',
    values: '*',
    uses: (job) =>
      lists(podOf(job), 'tolerations').flatMap(([toleration, index]) =>
        textOf(toleration, 'key') === '' && textOf(toleration, 'operator') === 'Exists'
          ? [use(`${podAt}.tolerations[${index}]`, '*', everyTaint(textOf(toleration, 'effect')))]
          : [],
      ),
  },
  {
    name: 'controlPlane',
    says: 'The Pod tolerates the taint of the control plane, or asks for its nodes.',
    values: 'the key of the taint or label',
    uses: (job) => [...tolerated(job), ...selected(job), ...required(job)],
  },
  {
    name: 'priorityClass',
    says: 'The Pod has a priority that is meant for the cluster itself.',
    values: 'the priority class',
    uses: (job) =>
      given(podOf(job), 'priorityClassName', (name) => {
        if (!name.startsWith('system-')) return [];
        const message = `${name} is for Pods that the cluster cannot do without`;
        return [use(`${podAt}.priorityClassName`, name, message)];
      }),
  },
  {
    name: 'schedulerName',
    says: 'The Pod is left to another scheduler.',
    values: 'the name of the scheduler',
    uses: (job) =>
      given(podOf(job), 'schedulerName', (name) => {
        if (name === 'default-scheduler') return [];
        return [use(`${podAt}.schedulerName`, name, `the Pod is left to the scheduler ${name}`)];
      }),
  },
  {
    name: 'managedBy',
    says: 'The Job is left to another controller, which may report anything about it.',
    values: 'the name of the controller',
    uses: (job) =>
      given(job, 'managedBy', (name) => {
        if (name === 'kubernetes.io/job-controller') return [];
        return [use('managedBy', name, `the Job is left to the controller ${name}`)];
      }),
  },
  {
    name: 'finalizers',
    says: 'The Pods stay until a finalizer is removed.',
    values: 'the finalizer',
    uses: (job) =>
      texts(memberOf(memberOf(job, 'template'), 'metadata')['finalizers']).map((name) =>
        use('template.metadata.finalizers', name, `Pods stay until ${name} is removed`),
      ),
  },
  {
    name: 'serviceAccount',
    says: 'The Pod runs as a service account that the submitter may not impersonate.',
    values: 'the name of the service account',
    uses: (job) => {
      const pod = podOf(job);
      const field =
        textOf(pod, 'serviceAccountName') === '' ? 'serviceAccount' : 'serviceAccountName';
      return given(pod, field, (name) => {
        // A Pod gets this one by default.
        if (name === 'default') return [];
        return [use(`${podAt}.${field}`, name, `the Pod runs as the service account ${name}`)];
      });
    },
  },
] as const satisfies readonly PodRule[];

function everyTaint(effect: string): string {
  const which = effect === '' ? '' : ` of the effect ${effect}`;
  return `the Pod tolerates every taint${which}; name the key of one that it is to tolerate`;
}

function tolerated(job: JsonObject): readonly Use[] {
  return lists(podOf(job), 'tolerations').flatMap(([toleration, index]) => {
    const key = textOf(toleration, 'key');
    if (!controlPlaneKeys.has(key)) return [];
    const message = 'the Pod tolerates the taint of the control plane';
    return [use(`${podAt}.tolerations[${index}]`, key, message)];
  });
}

const askedFor = 'the Pod asks for a node of the control plane';

function selected(job: JsonObject): readonly Use[] {
  return Object.keys(memberOf(podOf(job), 'nodeSelector'))
    .filter((key) => controlPlaneKeys.has(key))
    .map((key) => use(`${podAt}.nodeSelector`, key, askedFor));
}

/** Only terms that require such a node; avoiding one is allowed. */
function required(job: JsonObject): readonly Use[] {
  const affinity = memberOf(memberOf(podOf(job), 'affinity'), 'nodeAffinity');
  const name = 'requiredDuringSchedulingIgnoredDuringExecution';
  const at = `${podAt}.affinity.nodeAffinity.${name}`;
  return lists(memberOf(affinity, name), 'nodeSelectorTerms').flatMap(([term]) =>
    lists(term, 'matchExpressions').flatMap(([expression]) => {
      const key = textOf(expression, 'key');
      const asks = ['Exists', 'In'].includes(textOf(expression, 'operator'));
      return asks && controlPlaneKeys.has(key) ? [use(at, key, askedFor)] : [];
    }),
  );
}
