import { describe, expect, it } from 'vitest';
import type { PodPolicy } from '#shared/policy/pod-policy.ts';
import { daemonJob, flow, job, step } from './testing/reviews.ts';
import { decided, except, messageOf } from './testing/decided.ts';

describe('the policy', () => {
  it('names step, field, reason and rule', () => {
    const object = flow([step('a'), step('b', { jobTemplate: job({ hostNetwork: true }) })]);
    expect(messageOf(decided(object))).toBe(
      '403 Forbidden: step "b": template.spec.hostNetwork: true shares it with the node; leave it out (policy hostNamespaces, profile baseline)',
    );
  });

  it('is asked of the Job as it will be: with what the flow adds', () => {
    const shareVolumes = [{ name: 'etc', hostPath: { path: '/etc' } }];
    const object = flow([step('a')], { shareVolumes });
    expect(messageOf(decided(object))).toContain('(policy hostPath, profile baseline)');
    const globalParams = { nodeName: 'n', nodeBinding: 'Direct' };
    expect(messageOf(decided(flow([step('a')], { globalParams })))).toContain('(policy nodeName)');
  });

  it('is asked also where the JobTemplate is not there yet', () => {
    const shareVolumes = [{ name: 'etc', hostPath: { path: '/etc' } }];
    const object = flow([{ name: 'a', jobTemplateRef: 't' }], { shareVolumes });
    expect(messageOf(decided(object, { templates: { t: null } }))).toContain('(policy hostPath, ');
  });

  it('under the profile restricted finds nothing in a JobTemplate that is not there yet', () => {
    const policy: PodPolicy = { profile: 'restricted', exceptions: {} };
    const object = flow([{ name: 'a', jobTemplateRef: 't' }]);
    const known = { policy, templates: { t: null } };
    expect(decided(object, known)).toMatchObject({ allowed: true });
    expect(messageOf(decided(flow([step('a')]), known))).toContain(
      'securityContext.runAsNonRoot: unset; write true here, or in the securityContext of the Pod (policy runAsNonRoot, profile restricted)',
    );
  });

  it('is asked of the JobTemplates that a flow names', () => {
    const templates = { t: job({ hostPID: true }) as never };
    const object = flow([{ name: 'a', jobTemplateRef: 't' }]);
    expect(messageOf(decided(object, { templates }))).toContain('(policy hostNamespaces, ');
  });

  it('is asked of the Jobs of a DaemonJob, which tolerate every taint with eligibility All', () => {
    const onHost = daemonJob(job({ hostPID: true }));
    expect(messageOf(decided(onHost))).toBe(
      '403 Forbidden: the Job of each node: template.spec.hostPID: true shares it with the node; leave it out (policy hostNamespaces, profile baseline)',
    );
    const everywhere = daemonJob({ ...job(), eligibility: 'All' });
    expect(messageOf(decided(everywhere))).toBe(
      '403 Forbidden: the Job of each node: spec.eligibility: All makes the Pod tolerate every taint; write Fitting, and in the template the tolerations that it needs (policy tolerations)',
    );
    expect(decided(everywhere, { policy: except({ tolerations: 'allow' }) })).toEqual({
      allowed: true,
    });
  });

  it('may warn instead, or allow', () => {
    const object = flow([step('a', { jobTemplate: job({ hostPID: true }) })]);
    const warned = decided(object, { policy: except({ hostNamespaces: 'warn' }) });
    expect(warned).toEqual({
      allowed: true,
      warnings: ['step "a": template.spec.hostPID: true shares it with the node; leave it out'],
    });
    expect(decided(object, { policy: except({ hostNamespaces: 'allow' }) })).toEqual({
      allowed: true,
    });
  });

  it('lets a Pod run as a service account that the submitter may impersonate, and no other', () => {
    const object = flow([step('a', { jobTemplate: job({ serviceAccountName: 'deployer' }) })]);
    expect(decided(object, { mayImpersonate: { deployer: true } })).toEqual({ allowed: true });
    expect(messageOf(decided(object, { mayImpersonate: { deployer: false } }))).toBe(
      '403 Forbidden: step "a": template.spec.serviceAccountName: the Pod runs as the service account deployer, which ann may not impersonate (policy serviceAccount)',
    );
    expect(decided(object)).toMatchObject({ allowed: false });
  });

  it('lets nothing else pass that has the name of such a service account', () => {
    const object = flow([step('a', { jobTemplate: job({ schedulerName: 'deployer' }) })]);
    expect(messageOf(decided(object, { mayImpersonate: { deployer: true } }))).toContain(
      '(policy schedulerName)',
    );
  });

  it('reports ten problems at most', () => {
    const add = Array.from({ length: 15 }, (_, index) => `CAP_${index}`);
    const containers = [{ name: 'main', securityContext: { capabilities: { add } } }];
    const message = messageOf(decided(flow([step('a', { jobTemplate: job({ containers }) })])));
    expect(message).toContain('CAP_9 is added');
    expect(message).not.toContain('CAP_10 is added');
    expect(message).toMatch(/; and 5 more$/);
    const ten = [{ name: 'main', securityContext: { capabilities: { add: add.slice(0, 10) } } }];
    expect(
      messageOf(decided(flow([step('a', { jobTemplate: job({ containers: ten }) })]))),
    ).not.toContain('more');
  });

  it('counts what it does not compare, too', () => {
    const add = Array.from({ length: 1_005 }, (_, index) => `CAP_${index}`);
    const twice = [...add.slice(0, 999), 'CAP_0', ...add.slice(999)];
    const containers = [{ name: 'main', securityContext: { capabilities: { add: twice } } }];
    const message = messageOf(decided(flow([step('a', { jobTemplate: job({ containers }) })])));
    expect(message).toMatch(/; and 995 more$/);
  });
});
