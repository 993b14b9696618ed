import {
  otherwiseAppliedServerSide,
  flow,
  good,
  jobTemplate,
  podSpec,
  step,
  template,
  withGlobalParams,
  withSpec,
  withStep,
  withTemplate,
  type VerdictCase,
} from './verdict-case.ts';

const numbered = (index: number) => `s${index}`;

/** Every step depends on all steps before it. */
const dense = (steps: number) =>
  Array.from({ length: steps }, (_, index) =>
    step(numbered(index), { dependencies: Array.from({ length: index }, (_, n) => numbered(n)) }),
  );

const shared = { name: 'shared', emptyDir: {} };

export const goodCases: readonly VerdictCase[] = [
  good('one step with a template of its own', flow({ flows: [step('a')] })),
  good(
    'a step that refers to a JobTemplate',
    flow({ flows: [{ name: 'a', jobTemplateRef: 'x.y' }] }),
  ),
  good('an empty list of dependencies', withStep({ dependencies: [] })),
  good(
    'a dependency on a step that stands later in the list',
    flow({ flows: [step('a', { dependencies: ['b'] }), step('b')] }),
  ),
  otherwiseAppliedServerSide(
    good(
      'null where a field may be absent',
      withSpec({
        suspend: null,
        globalParams: null,
        shareVolumes: null,
        ttlSecondsAfterFinished: null,
      }),
    ),
  ),
  good(
    'every field of the spec',
    withSpec({
      failurePolicy: 'CancelRunning',
      suspend: true,
      suspendMode: 'SchedulingOnly',
      ttlSecondsAfterFinished: 0,
      templatePolicy: 'ResolveAtStep',
      startDeadlineSeconds: 1,
    }),
  ),
  good(
    'every field of globalParams',
    withGlobalParams({
      nodeName: 'minikube',
      nodeBinding: 'Direct',
      env: [
        { name: 'FOO', value: 'bar' },
        { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
        { name: 'EMPTY' },
      ],
      annotations: { key1: 'value1', 'example.com/note': 'any text, {even: this}' },
      labels: { key1: 'value1', 'example.com/team': 'search', empty: '' },
    }),
  ),
  good(
    'every field of a step',
    withStep({
      retryPolicy: { limit: 99, backoffSeconds: 0, factor: 10, capSeconds: 86400 },
      startOn: 'SuccessCriteriaMet',
      shareVolumes: [shared],
      shareVolumeMounts: [{ name: 'shared', mountPath: '/data', readOnly: true, subPath: 'x' }],
    }),
  ),
  good(
    'the same volume with the same source for the flow and for a step',
    flow({ shareVolumes: [shared], flows: [step('a', { shareVolumes: [shared] })] }),
  ),
  good(
    'one volume at two paths',
    withSpec({
      shareVolumes: [shared],
      shareVolumeMounts: [
        { name: 'shared', mountPath: '/a' },
        { name: 'shared', mountPath: '/b' },
      ],
    }),
  ),
  good(
    'a template with restartPolicy OnFailure',
    withTemplate({ template: { spec: { ...podSpec, restartPolicy: 'OnFailure' } } }),
  ),
  good(
    'fields of the template that this version does not know',
    withTemplate({
      ...jobTemplate,
      futureField: { a: 1 },
      template: { spec: { ...podSpec, futureField: [1, 2] } },
    }),
  ),
  good(
    'a template with every kind of JobSpec field',
    withTemplate({
      parallelism: 2,
      completions: 4,
      completionMode: 'Indexed',
      backoffLimitPerIndex: 1,
      maxFailedIndexes: 2,
      activeDeadlineSeconds: 600,
      ttlSecondsAfterFinished: 0,
      suspend: true,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }],
      },
      template: {
        metadata: { labels: { app: 'x' }, annotations: { note: 'y' }, creationTimestamp: null },
        spec: podSpec,
      },
    }),
  ),
  good(
    'flow and step name together at the limit of 58 characters',
    flow({ flows: [step('s'.repeat(18))] }, { name: 'f'.repeat(40) }),
  ),
  good(
    'an Indexed Job whose last Pod name just fits',
    flow(
      {
        flows: [
          {
            name: 's'.repeat(14),
            jobTemplate: { ...jobTemplate, completionMode: 'Indexed', completions: 1000 },
          },
        ],
      },
      { name: 'f'.repeat(40) },
    ),
  ),
  good(
    'a step name that only contains -r and digits',
    flow({ flows: [step('a-r1b'), step('r1')] }),
  ),
  good(
    '5,000 steps with 19,990 dependencies',
    flow({
      flows: Array.from({ length: 5_000 }, (_, index) => ({
        name: numbered(index),
        jobTemplateRef: 't',
        dependencies: Array.from({ length: Math.min(index, 4) }, (_, n) => numbered(index - 1 - n)),
      })),
    }),
  ),
  good('60 steps, each of which depends on all before it', flow({ flows: dense(60) })),
  good('200 steps, each of which depends on all before it', flow({ flows: dense(200) })),
  good('a bound on the steps at once', flow({ flows: [step('a')], parallelism: 1 })),
  good('a deadline', flow({ flows: [step('a')], activeDeadlineSeconds: 1 })),
  good('a flow that is shut down', flow({ flows: [step('a')], shutdown: 'Stop' })),
  good('a generated name', flow({ flows: [step('a')] }, { generateName: 'example-' })),
  good('a JobTemplate', template({ jobTemplate })),
  good('a JobTemplate with dots in its name', template({ jobTemplate }, 'a.b-c.d')),
];
