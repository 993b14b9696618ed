import {
  otherwiseAppliedServerSide,
  bad,
  flow,
  jobTemplate,
  podSpec,
  step,
  withStep,
  withTemplate,
  type VerdictCase,
} from './verdict-case.ts';

const first = 'spec.flows[0]';
const named = (name: unknown) => flow({ flows: [step(name)] });
const withPodSpec = (spec: unknown) => withTemplate({ template: { spec } });
const withMetadata = (metadata: unknown) => withTemplate({ template: { metadata, spec: podSpec } });
const indexed = { ...jobTemplate, completionMode: 'Indexed', completions: 1000 };

export const badStepCases: readonly VerdictCase[] = [
  bad('no flows', 'spec.flows', flow({})),
  bad('flows that are null', 'spec.flows', flow({ flows: null })),
  bad('an empty list of flows', 'spec.flows', flow({ flows: [] })),
  bad(
    '5,001 steps',
    'spec.flows',
    flow({ flows: Array.from({ length: 5_001 }, (_, n) => step(`s${n}`)) }),
  ),
  bad(
    'more than 20,000 dependencies',
    'spec.flows',
    flow({
      flows: Array.from({ length: 202 }, (_, index) =>
        step(`s${index}`, { dependencies: Array.from({ length: index }, (_, n) => `s${n}`) }),
      ),
    }),
  ),
  bad('a step that is null', first, flow({ flows: [null] })),
  bad('two steps of one name', 'spec.flows[1]', flow({ flows: [step('a'), step('a')] })),

  bad('a step without a name', `${first}.name`, flow({ flows: [{ jobTemplate }] })),
  bad('an empty step name', `${first}.name`, named('')),
  bad('a step name with capitals', `${first}.name`, named('Job1')),
  bad('a step name with a dot', `${first}.name`, named('a.b')),
  bad('a step name that starts with a dash', `${first}.name`, named('-a')),
  bad('a step name that ends in -r and digits', `${first}.name`, named('a-r1')),
  bad('a step name of 64 characters', `${first}.name`, named('s'.repeat(64))),
  bad('a step name that is a number', `${first}.name`, named(1)),

  bad('a flow name with dots', 'metadata.name', flow({ flows: [step('a')] }, { name: 'a.b' })),
  bad(
    'a flow name of 64 characters',
    'metadata.name',
    flow({ flows: [step('a')] }, { name: 'f'.repeat(64) }),
  ),
  bad(
    'flow and step name together one character too long',
    `${first}.name`,
    flow({ flows: [step('s'.repeat(19))] }, { name: 'f'.repeat(40) }),
  ),
  bad(
    'a flow name of 40 and a step name of 23 characters',
    `${first}.name`,
    flow({ flows: [step('s'.repeat(23))] }, { name: 'f'.repeat(40) }),
  ),
  bad(
    'an Indexed Job whose last Pod name is one character too long',
    `${first}.name`,
    flow({ flows: [{ name: 's'.repeat(15), jobTemplate: indexed }] }, { name: 'f'.repeat(40) }),
  ),

  bad('a step without a template', first, flow({ flows: [{ name: 'a' }] })),
  bad('a step with both kinds of template', first, withStep({ jobTemplateRef: 'x' })),
  bad(
    'a reference that is no object name',
    `${first}.jobTemplateRef`,
    flow({ flows: [{ name: 'a', jobTemplateRef: 'A_b' }] }),
  ),
  bad(
    'an empty reference',
    `${first}.jobTemplateRef`,
    flow({ flows: [{ name: 'a', jobTemplateRef: '' }] }),
  ),

  bad(
    'a step that depends on itself',
    `${first}.dependencies[0]`,
    withStep({ dependencies: ['a'] }),
  ),
  bad('an unknown dependency', `${first}.dependencies[0]`, withStep({ dependencies: ['absent'] })),
  bad(
    'the same dependency twice',
    'spec.flows[1].dependencies[1]',
    flow({ flows: [step('a'), step('b', { dependencies: ['a', 'a'] })] }),
  ),
  bad('a dependency that is a number', `${first}.dependencies[0]`, withStep({ dependencies: [1] })),
  bad('dependencies that are no list', `${first}.dependencies`, withStep({ dependencies: 'b' })),

  bad('a jobTemplate without a template', `${first}.jobTemplate.template`, withTemplate({})),
  bad(
    'a template without a Pod spec',
    `${first}.jobTemplate.template.spec`,
    withTemplate({ template: {} }),
  ),
  bad(
    'a Pod spec without containers',
    `${first}.jobTemplate.template.spec.containers`,
    withPodSpec({}),
  ),
  otherwiseAppliedServerSide(
    bad(
      'a field beside the Pod spec that a Pod template does not have',
      `${first}.jobTemplate.template.containers`,
      withTemplate({ template: { spec: podSpec, containers: [] } }),
    ),
  ),
  bad(
    'a negative parallelism',
    `${first}.jobTemplate.parallelism`,
    withTemplate({ ...jobTemplate, parallelism: -1 }),
  ),
  bad(
    'a parallelism that is text',
    `${first}.jobTemplate.parallelism`,
    withTemplate({ ...jobTemplate, parallelism: '1' }),
  ),
  bad(
    'an unknown completion mode',
    `${first}.jobTemplate.completionMode`,
    withTemplate({ ...jobTemplate, completionMode: 'All' }),
  ),
  bad(
    'a reserved label in a template',
    `${first}.jobTemplate.template.metadata.labels`,
    withMetadata({ labels: { 'millrace.dev/step': 'x' } }),
  ),
  bad(
    'a reserved annotation in a template',
    `${first}.jobTemplate.template.metadata.annotations`,
    withMetadata({ annotations: { 'millrace.dev/caused-by': 'x' } }),
  ),
  bad(
    'a label of a template that is a number',
    `${first}.jobTemplate.template.metadata.labels.a`,
    withMetadata({ labels: { a: 1 } }),
  ),

  bad(
    'a retry limit of 100',
    `${first}.retryPolicy.limit`,
    withStep({ retryPolicy: { limit: 100 } }),
  ),
  bad(
    'a negative retry limit',
    `${first}.retryPolicy.limit`,
    withStep({ retryPolicy: { limit: -1 } }),
  ),
  bad('half a retry', `${first}.retryPolicy.limit`, withStep({ retryPolicy: { limit: 1.5 } })),
  bad(
    'a back-off that shrinks',
    `${first}.retryPolicy.factor`,
    withStep({ retryPolicy: { factor: 0 } }),
  ),
  bad(
    'a misspelt retry field',
    `${first}.retryPolicy.limits`,
    withStep({ retryPolicy: { limits: 1 } }),
  ),
  bad('an unknown start condition', `${first}.startOn`, withStep({ startOn: 'Ready' })),
  bad('a misspelt field of a step', `${first}.dependecies`, withStep({ dependecies: [] })),
];
