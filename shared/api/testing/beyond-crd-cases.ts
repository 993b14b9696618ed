/**
 * Faults that the CRD cannot see: CEL cannot walk a graph and does not look into parts that are
 * passed on whole. Millrace's validator, the admission function and the decision find them.
 */
import { calendarCases } from './suspend-policy-cases.ts';
import {
  bad,
  daemonJob,
  flow,
  podSpec,
  step,
  template,
  withTemplate,
  type VerdictCase,
} from './verdict-case.ts';

const ring = (...names: readonly string[]) =>
  flow({
    flows: names.map((name, index) =>
      step(name, { dependencies: [names[(index + 1) % names.length]] }),
    ),
  });

const pod = 'spec.flows[0].jobTemplate.template.spec';
const withPodSpec = (spec: unknown) => withTemplate({ template: { spec } });

export const beyondCrdCases: readonly VerdictCase[] = [
  ...calendarCases,
  bad('two steps that depend on each other', 'spec.flows[0].dependencies[0]', ring('a', 'b')),
  bad('three steps in a ring', 'spec.flows[0].dependencies[0]', ring('a', 'b', 'c')),
  bad(
    'a volume of the Pod with another source than the shared one',
    'spec.flows[0].jobTemplate.template.spec.volumes',
    flow({
      shareVolumes: [{ name: 'shared', emptyDir: {} }],
      flows: [
        step('a', {
          jobTemplate: {
            template: {
              spec: { ...podSpec, volumes: [{ name: 'shared', configMap: { name: 'x' } }] },
            },
          },
        }),
      ],
    }),
  ),
  bad(
    'a mount of an undeclared volume',
    'spec.flows[0]',
    flow({ flows: [step('a', { shareVolumeMounts: [{ name: 'shared', mountPath: '/data' }] })] }),
  ),
  bad('a Pod spec that is text', pod, withPodSpec('x')),
  bad('no container', `${pod}.containers`, withPodSpec({ containers: [] })),
  bad('containers that are no list', `${pod}.containers`, withPodSpec({ containers: {} })),
  bad(
    'a container without a name',
    `${pod}.containers[1].name`,
    withPodSpec({ containers: [{ name: 'a' }, {}] }),
  ),
  bad(
    'a DaemonJob without a container',
    'spec.template.spec.containers',
    daemonJob({ template: { spec: { containers: [] } } }),
  ),
  bad(
    'a JobTemplate without a container',
    'spec.jobTemplate.template.spec.containers',
    template({ jobTemplate: { template: { spec: { containers: [] } } } }),
  ),
];
