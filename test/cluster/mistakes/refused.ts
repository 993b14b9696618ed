/** Mistakes that the API server refuses to store. kubectl prints the reason. */
import { entry, job, jobFlow, type Mistake, one, withSpec, withStep } from './mistake.ts';

type Refused = Omit<Mistake, 'where'>;

const aboutTheObject: readonly Refused[] = [
  {
    mistake: 'a misspelt kind',
    manifest: { ...withSpec('wrong-kind', {}), kind: 'Jobflow' },
    says: 'no matches for kind "Jobflow" in version "api.practice.com/v1alpha1"',
  },
  {
    mistake: 'a wrong apiVersion',
    manifest: { ...withSpec('wrong-version', {}), apiVersion: 'api.practice.com/v1' },
    says: 'no matches for kind "JobFlow" in version "api.practice.com/v1"',
  },
  {
    mistake: 'a misspelt field of the spec (`flow` for `flows`)',
    manifest: withSpec('spec-field', { flow: [] }),
    says: 'unknown field "spec.flow"',
  },
  {
    mistake: 'no `flows`',
    manifest: jobFlow('no-flows', {}),
    says: 'spec.flows: Required value',
  },
  {
    mistake: 'an empty list of steps',
    manifest: jobFlow('empty-flows', { flows: [] }),
    says: 'spec.flows in body should have at least 1 items',
  },
  {
    mistake: 'more than 5,000 steps',
    manifest: jobFlow('too-many', {
      flows: Array.from({ length: 5_001 }, (_, index) => ({
        name: `s${index}`,
        jobTemplateRef: 't',
      })),
    }),
    says: 'spec.flows: Too many: 5001: must have at most 5000 items',
  },
  {
    mistake: 'a dot in the name of the flow',
    manifest: withSpec('with.dot', {}),
    says: 'metadata.name in body should match',
  },
  {
    mistake: 'names of flow and step that are too long together',
    manifest: jobFlow('f'.repeat(40), { flows: [entry('s'.repeat(23))] }),
    says: `the flow name has 40, the name of step "${'s'.repeat(23)}" has 23`,
  },
  {
    mistake: 'an edit of the steps of a flow that has started',
    after: withSpec('started', {}),
    manifest: jobFlow('started', { flows: [entry('a'), entry('b')] }),
    says: 'frozen once the flow has started: ["flows"]; delete the flow first, or apply this under another name',
  },
];

const aboutSteps: readonly Refused[] = [
  {
    mistake: 'a misspelt field of a step (`dependency`)',
    manifest: withStep('step-field', { dependency: ['b'] }),
    says: 'unknown field "spec.flows[0].dependency"',
  },
  {
    mistake: 'both `jobTemplate` and `jobTemplateRef`',
    manifest: withStep('both', { jobTemplateRef: 'some' }),
    says: 'step "a" needs exactly one of jobTemplate and jobTemplateRef, found both',
  },
  {
    mistake: 'neither `jobTemplate` nor `jobTemplateRef`',
    manifest: jobFlow('neither', { flows: [{ name: 'a' }] }),
    says: 'step "a" needs exactly one of jobTemplate and jobTemplateRef, found neither',
  },
  {
    mistake: 'a step name that is used twice',
    manifest: jobFlow('twice', { flows: [entry('same'), entry('same')] }),
    says: 'spec.flows: "same" is there twice',
  },
  {
    mistake: 'a dependency on a step that does not exist',
    manifest: jobFlow('unknown', {
      flows: [entry('build'), entry('test', { dependencies: ['biuld'] })],
    }),
    says: 'step "test" depends on "biuld", which is no step of this flow',
  },
  {
    mistake: 'a step that depends on itself',
    manifest: withStep('self', { dependencies: ['a'] }),
    says: 'step "a" depends on itself',
  },
  {
    mistake: 'a dependency that is named twice',
    manifest: jobFlow('dependency-twice', {
      flows: [entry('a'), entry('b', { dependencies: ['a', 'a'] })],
    }),
    says: 'spec.flows[].dependencies: "a" is there twice',
  },
  {
    mistake: 'dependencies as text, not as a list',
    manifest: jobFlow('dependency-text', {
      flows: [entry('a'), entry('b', { dependencies: 'a' })],
    }),
    says: 'spec.flows[1].dependencies in body must be of type array: "string"',
  },
  {
    mistake: 'capitals in a step name',
    manifest: withStep('capitals', { name: 'Build' }),
    says: 'step name "Build" is not a DNS-1123 label',
  },
  {
    mistake: 'a dot in a step name',
    manifest: withStep('step-dot', { name: 'step.one' }),
    says: 'step name "step.one" is not a DNS-1123 label',
  },
  {
    mistake: 'a step name that ends like a retry',
    manifest: withStep('like-a-retry', { name: 'step-r2' }),
    says: 'step name "step-r2" ends in -r and digits, which is kept for the Jobs of later attempts',
  },
  {
    mistake: 'a JobTemplate of another namespace',
    manifest: jobFlow('elsewhere', { flows: [{ name: 'a', jobTemplateRef: 'other/template' }] }),
    says: 'spec.flows[0].jobTemplateRef: Invalid value: "other/template"',
  },
  {
    mistake: 'a Job without a Pod template',
    manifest: one('no-template', { backoffLimit: 1 }),
    says: 'spec.flows[0].jobTemplate.template: Required value',
  },
  {
    mistake: 'a Pod without `containers`',
    manifest: one('no-containers', { template: { spec: { restartPolicy: 'Never' } } }),
    says: 'spec.flows[0].jobTemplate.template.spec.containers: Required value',
  },
  {
    mistake: 'a `backoffLimit` in quotes',
    manifest: one('text-limit', job({}, { backoffLimit: '3' })),
    says: 'spec.flows[0].jobTemplate.backoffLimit in body must be of type integer: "string"',
  },
  {
    mistake: 'a `retryPolicy` that tries more than 99 times',
    manifest: withStep('many-retries', { retryPolicy: { limit: 100 } }),
    says: 'spec.flows[0].retryPolicy.limit in body should be less than or equal to 99',
  },
  {
    mistake: 'a `retryPolicy` with a misspelt field',
    manifest: withStep('retry-field', { retryPolicy: { limits: 3 } }),
    says: 'unknown field "spec.flows[0].retryPolicy.limits"',
  },
];

const aboutTheRest: readonly Refused[] = [
  {
    mistake: 'a negative `ttlSecondsAfterFinished`',
    manifest: withSpec('negative', { ttlSecondsAfterFinished: -1 }),
    says: 'spec.ttlSecondsAfterFinished in body should be greater than or equal to 0',
  },
  {
    mistake: 'an unknown `failurePolicy`',
    manifest: withSpec('policy', { failurePolicy: 'Stop' }),
    says: 'spec.failurePolicy: Unsupported value: "Stop": supported values: ',
  },
  {
    mistake: 'a `suspend` in quotes',
    manifest: withSpec('suspend-text', { suspend: 'true' }),
    says: 'spec.suspend in body must be of type boolean: "string"',
  },
  {
    mistake: 'an invalid label key',
    manifest: withSpec('label-key', { globalParams: { labels: { 'my team': 'search' } } }),
    says: '"my team" is not a qualified name such as example.com/name',
  },
  {
    mistake: 'an invalid label value',
    manifest: withSpec('label-value', { globalParams: { labels: { team: 'search and find' } } }),
    says: 'label "team": a value has at most 63 letters, digits, dashes, underscores and dots',
  },
  {
    mistake: 'a label key that is reserved for Millrace',
    manifest: withSpec('reserved', { globalParams: { labels: { 'millrace.dev/step': 'a' } } }),
    says: 'keys that start with millrace.dev/ are reserved, found millrace.dev/step',
  },
  {
    mistake: 'a number as the value of a variable',
    manifest: withSpec('number', { globalParams: { env: [{ name: 'PORT', value: 80 }] } }),
    says: 'spec.globalParams.env[0].value in body must be of type string: "integer"',
  },
  {
    mistake: 'a variable without a name',
    manifest: withSpec('nameless', { globalParams: { env: [{ value: 'x' }] } }),
    says: 'spec.globalParams.env[0].name: Required value',
  },
  {
    mistake: 'a variable that is listed twice',
    manifest: withSpec('env-twice', {
      globalParams: { env: ['1', '2'].map((value) => ({ name: 'A', value })) },
    }),
    says: 'spec.globalParams.env: "A" is there twice',
  },
  {
    mistake: 'a shared mount without `mountPath`',
    manifest: withSpec('no-path', { shareVolumeMounts: [{ name: 'data' }] }),
    says: 'spec.shareVolumeMounts[0].mountPath: Required value',
  },
];

export const refused: readonly Mistake[] = [...aboutTheObject, ...aboutSteps, ...aboutTheRest].map(
  (mistake) => ({ ...mistake, where: 'apply' }),
);
