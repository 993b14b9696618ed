import { describe, expect, it } from 'vitest';
import type { FlowStep, JobFlowSpec } from '#shared/api/job-flow.ts';
import type { JobSpec, PodSpec } from '#shared/api/pod-template.ts';
import { labels } from '#shared/domain/labels.ts';
import type { NewObject } from '#shared/domain/objects.ts';
import { busybox, flow, flowUid, snapshot, step } from '../testing/builders.ts';
import { decided, inside } from '../testing/decided.ts';

function rendered(
  fields: Partial<FlowStep>,
  spec: Partial<Omit<JobFlowSpec, 'flows'>> = {},
): NewObject {
  return decided(snapshot(flow([step('a', fields)], { spec }))).created('etl-a');
}

function withPod(pod: Partial<PodSpec>, job: Partial<JobSpec> = {}): Partial<FlowStep> {
  const spec = { ...busybox.template.spec, ...pod };
  return { jobTemplate: { ...job, template: { spec } } };
}

const podOf = (job: NewObject) => inside(job, 'spec', 'template', 'spec') as unknown as PodSpec;
const container = { name: 'main', image: 'busybox:1.28' };

describe('identity (rules 3, 5 and 6)', () => {
  const ours = {
    [labels.flow]: 'etl',
    [labels.ownerUid]: flowUid,
    [labels.step]: 'a',
    [labels.attempt]: '0',
  };

  it('labels Job and Pod with flow, its uid, step and attempt', () => {
    const job = rendered({});
    expect(job.metadata.labels).toEqual(ours);
    expect(inside(job, 'spec', 'template', 'metadata', 'labels')).toEqual(ours);
  });

  it('is controlled by the flow and blocks its foreground deletion', () => {
    expect(rendered({}).metadata.ownerReferences).toEqual([
      {
        apiVersion: 'api.practice.com/v1alpha1',
        kind: 'JobFlow',
        name: 'etl',
        uid: flowUid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });
});

describe('what the template says', () => {
  it.each(['OnFailure', 'Always', undefined])(
    'restartPolicy %s becomes Never (rule 2)',
    (policy) => {
      const job = rendered(withPod(policy === undefined ? {} : { restartPolicy: policy }));
      expect(podOf(job).restartPolicy).toBe('Never');
    },
  );

  it('a sidecar keeps its own restartPolicy', () => {
    const sidecar = { name: 'proxy', restartPolicy: 'Always' };
    expect(podOf(rendered(withPod({ initContainers: [sidecar] }))).initContainers).toEqual([
      sidecar,
    ]);
  });

  it.each([
    [{}, 0],
    [{ backoffLimit: 4 }, 4],
    [{ backoffLimitPerIndex: 1 }, undefined],
  ])('backoffLimit of %j is %s (rule 2)', (job, limit) => {
    expect(inside(rendered(withPod({}, job)), 'spec', 'backoffLimit')).toBe(limit);
  });

  const ignored = {
    rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
  };
  it.each<[string, Partial<JobSpec>, unknown]>([
    ['ignores disruptions where it says nothing', {}, ignored],
    [
      'ignores them beside a podReplacementPolicy Failed',
      { podReplacementPolicy: 'Failed' },
      ignored,
    ],
    [
      'has none where the replacement policy allows none',
      { podReplacementPolicy: 'TerminatingOrFailed' },
      undefined,
    ],
    ['stays as it is', { podFailurePolicy: { rules: [] } }, { rules: [] }],
  ])('the podFailurePolicy of the template %s (rule 2)', (_, own, expected) => {
    expect(inside(rendered(withPod({}, own)), 'spec', 'podFailurePolicy')).toEqual(expected);
  });

  it('everything else is carried unchanged', () => {
    const job = {
      parallelism: 3,
      completions: 9,
      activeDeadlineSeconds: 60,
      podFailurePolicy: { rules: [] },
    };
    const pod = { serviceAccountName: 'runner', tolerations: [{ operator: 'Exists' }] };
    const result = rendered(withPod(pod, job));
    expect(result.spec).toMatchObject(job);
    expect(podOf(result)).toMatchObject(pod);
  });
});

describe('globalParams (rule 7; scenarios 5 and 6)', () => {
  const env = [
    { name: 'FOO', value: 'bar' },
    { name: 'QUE', value: 'pasa' },
  ];

  it('env goes first into every container, init containers too', () => {
    const own = { name: 'OWN', value: '$(FOO)' };
    const pod = { containers: [{ ...container, env: [own] }], initContainers: [{ name: 'init' }] };
    const result = podOf(rendered(withPod(pod), { globalParams: { env } }));
    expect(result.containers[0]?.env).toEqual([...env, own]);
    expect(result.initContainers?.[0]?.env).toEqual(env);
  });

  it("a container's own value wins, without a second entry", () => {
    const own = { name: 'FOO', value: 'mine' };
    const pod = { containers: [{ ...container, env: [own] }] };
    const result = podOf(rendered(withPod(pod), { globalParams: { env } }));
    expect(result.containers[0]?.env).toEqual([own, { name: 'QUE', value: 'pasa' }]);
  });

  it('global env stands beside envFrom of a container, over which Kubernetes lets env win', () => {
    const envFrom = [{ configMapRef: { name: 'conf' } }];
    const pod = { containers: [{ ...container, envFrom }] };
    const result = podOf(rendered(withPod(pod), { globalParams: { env } }));
    expect(result.containers[0]).toMatchObject({ env, envFrom });
    const own = [{ name: 'FOO', valueFrom: { configMapKeyRef: { name: 'conf', key: 'FOO' } } }];
    const stated = { containers: [{ ...container, envFrom, env: own }] };
    expect(podOf(rendered(withPod(stated), { globalParams: { env } })).containers[0]?.env).toEqual([
      ...own,
      { name: 'QUE', value: 'pasa' },
    ]);
  });

  describe('an overriding variable stands where the global one stood, since later ones refer to it', () => {
    const stage = { name: 'STAGE', value: 'prod' };
    const bucket = { name: 'BUCKET', value: 's3://data-$(STAGE)' };
    const canary = { name: 'STAGE', value: 'canary' };
    const region = { name: 'REGION', value: 'eu' };
    const canaryOfRegion = { name: 'STAGE', value: 'canary-$(REGION)' };
    const path = { name: 'DATA', value: '$(BUCKET)/in' };

    it.each([
      ['a global variable refers to it', [stage, bucket], [canary], [canary, bucket]],
      [
        'an own one refers to a global one',
        [stage, bucket],
        [path, canary],
        [canary, bucket, path],
      ],
      [
        'it refers to an own one',
        [bucket, stage],
        [region, canaryOfRegion],
        [bucket, region, canaryOfRegion],
      ],
      ['nothing global is left', [stage, bucket], [bucket, canary], [bucket, canary]],
      ['it is there twice', [stage, bucket], [stage, canary], [stage, canary, bucket]],
    ])('and %s', (_, global, env, expected) => {
      const pod = { containers: [{ ...container, env }], initContainers: [{ name: 'i', env }] };
      const result = podOf(rendered(withPod(pod), { globalParams: { env: global } }));
      expect(result.containers[0]?.env).toEqual(expected);
      expect(result.initContainers?.at(0)?.env).toEqual(expected);
    });
  });

  it('labels and annotations go to Job and Pod; the own value of the step wins', () => {
    const globalParams = { labels: { key1: 'v1', key2: 'v2' }, annotations: { note: 'global' } };
    const metadata = { labels: { key2: 'own' }, annotations: { note: 'own' } };
    const job = rendered(
      { jobTemplate: { template: { ...busybox.template, metadata } } },
      { globalParams },
    );
    expect(job.metadata.labels).toMatchObject({ key1: 'v1', key2: 'v2' });
    expect(job.metadata.annotations).toEqual({ note: 'global' });
    expect(inside(job, 'spec', 'template', 'metadata', 'labels')).toMatchObject({
      key1: 'v1',
      key2: 'own',
    });
    expect(inside(job, 'spec', 'template', 'metadata', 'annotations')).toEqual({ note: 'own' });
  });

  it('no template of another object gets a key of ours past us', () => {
    const metadata = { labels: { [labels.step]: 'forged', 'millrace.dev/else': 'x' } };
    const first = {
      name: 't',
      uid: flowUid,
      generation: 1,
      hash: 'h',
      jobTemplate: { template: { ...busybox.template, metadata } },
    };
    const steps = [step('a', { jobTemplateRef: 't' })];
    const job = decided(snapshot(flow(steps), { templates: { t: first } })).created('etl-a');
    expect(inside(job, 'spec', 'template', 'metadata', 'labels')).toMatchObject({
      [labels.step]: 'a',
    });
    expect(inside(job, 'spec', 'template', 'metadata', 'labels')).not.toHaveProperty(
      'millrace.dev/else',
    );
  });
});

describe('nodeName (rule 7)', () => {
  const field = { key: 'metadata.name', operator: 'In', values: ['minikube'] };
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const terms = (job: NewObject) =>
    inside(podOf(job), 'affinity', 'nodeAffinity', required, 'nodeSelectorTerms');

  it('is a required node affinity, and spec.nodeName stays absent', () => {
    const job = rendered({}, { globalParams: { nodeName: 'minikube' } });
    expect(terms(job)).toEqual([{ matchFields: [field] }]);
    expect(podOf(job)).not.toHaveProperty('nodeName');
  });

  it('is added to every alternative of the step, other affinity stays', () => {
    const ssd = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] };
    const own = { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['x'] }] };
    const affinity = {
      podAntiAffinity: { keep: true },
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [],
        [required]: { nodeSelectorTerms: [ssd, own, {}] },
      },
    };
    const job = rendered(withPod({ affinity }), { globalParams: { nodeName: 'minikube' } });
    expect(terms(job)).toEqual([
      { ...ssd, matchFields: [field] },
      { matchFields: [...own.matchFields, field] },
      {},
    ]);
    expect(podOf(job).affinity).toMatchObject({
      podAntiAffinity: { keep: true },
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
    });
  });

  it('is spec.nodeName with nodeBinding Direct', () => {
    const globalParams = { nodeName: 'minikube', nodeBinding: 'Direct' } as const;
    const pod = podOf(rendered({}, { globalParams }));
    expect(pod.nodeName).toBe('minikube');
    expect(pod).not.toHaveProperty('affinity');
  });

  it.each(['Direct', 'Affinity'] as const)(
    'a step that names its node keeps it (%s)',
    (nodeBinding) => {
      const globalParams = { nodeName: 'minikube', nodeBinding };
      const pod = podOf(rendered(withPod({ nodeName: 'own' }), { globalParams }));
      expect(pod.nodeName).toBe('own');
      expect(pod).not.toHaveProperty('affinity');
    },
  );
});

describe('shared volumes (rule 8)', () => {
  const claim = (name: string) => ({ name, persistentVolumeClaim: { claimName: name } });
  const mount = (name: string, mountPath: string) => ({ name, mountPath });

  it('of the flow and of the step are added to the Pod, mounts to every container', () => {
    const shared = { shareVolumes: [claim('all')], shareVolumeMounts: [mount('all', '/all')] };
    const own = {
      ...withPod({ initContainers: [{ name: 'init' }], volumes: [{ name: 'tmp', emptyDir: {} }] }),
      shareVolumes: [claim('one')],
      shareVolumeMounts: [mount('one', '/one')],
    };
    const pod = podOf(rendered(own, shared));
    expect(pod.volumes).toEqual([{ name: 'tmp', emptyDir: {} }, claim('one'), claim('all')]);
    for (const each of [...pod.containers, ...(pod.initContainers ?? [])]) {
      expect(each.volumeMounts).toEqual([mount('one', '/one'), mount('all', '/all')]);
    }
  });

  it('a mount of the container wins over one of the step, and that over one of the flow', () => {
    const shared = {
      shareVolumes: [claim('all')],
      shareVolumeMounts: [mount('all', '/x'), mount('all', '/y')],
    };
    const own = {
      ...withPod({
        containers: [{ ...container, volumeMounts: [mount('tmp', '/x')] }],
        volumes: [{ name: 'tmp', emptyDir: {} }],
      }),
      shareVolumes: [claim('one')],
      shareVolumeMounts: [mount('one', '/x'), mount('one', '/y')],
    };
    expect(podOf(rendered(own, shared)).containers[0]?.volumeMounts).toEqual([
      mount('tmp', '/x'),
      mount('one', '/y'),
    ]);
  });

  it.each(['/x/', '//x', 'x', '/./x', '/y/../x'])(
    'a mount of the container at %s wins over a shared one at /x: it is the same place',
    (mountPath) => {
      const own = withPod({
        containers: [{ ...container, volumeMounts: [mount('tmp', mountPath)] }],
        volumes: [{ name: 'tmp', emptyDir: {} }],
      });
      const shared = { shareVolumes: [claim('all')], shareVolumeMounts: [mount('all', '/x')] };
      expect(podOf(rendered(own, shared)).containers[0]?.volumeMounts).toEqual([
        mount('tmp', mountPath),
      ]);
    },
  );

  it.each([
    [{ emptyDir: { sizeLimit: '1Gi' } }, { emptyDir: { sizeLimit: '1024Mi' } }, true],
    [{ emptyDir: { sizeLimit: 1000 } }, { emptyDir: { sizeLimit: '1k' } }, true],
    [{ emptyDir: { sizeLimit: '1Gi' } }, { emptyDir: { sizeLimit: '1G' } }, false],
    [{ secret: { secretName: '1000' } }, { secret: { secretName: '1e3' } }, false],
  ])('%j and %j under one name are one volume: %s', (left, right, isOne) => {
    const own = withPod({ volumes: [{ name: 'v', ...left }] });
    const steps = [step('a', own)];
    const spec = { shareVolumes: [{ name: 'v', ...right }] };
    const { status } = decided(snapshot(flow(steps, { spec })));
    expect(status.state).toBe(isOne ? 'Running' : 'Failed');
  });

  it('the same volume twice is one volume', () => {
    const own = { ...withPod({ volumes: [claim('all')] }), shareVolumes: [claim('all')] };
    expect(podOf(rendered(own, { shareVolumes: [claim('all')] })).volumes).toEqual([claim('all')]);
  });
});
