/** Access reviews. The requesting user may do everything on both servers. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { family } from '../harness/script.ts';
import type { Session } from '../harness/session.ts';

const review = (s: Session, kind: string, spec: JsonObject, plural: string, within = '') =>
  s.call('POST', `/apis/authorization.k8s.io/v1${within}/${plural}`, {
    body: { apiVersion: 'authorization.k8s.io/v1', kind, spec },
  });

export const reviewScripts = family('reviews', {
  'I may read Pods': async (s) => {
    const resourceAttributes = { namespace: s.ns, verb: 'get', resource: 'pods' };
    const { code, body } = await s.aside(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      {
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes },
        },
      },
    );
    s.note('answer', [code, body.kind, body.spec, (body.status as JsonObject)['allowed']]);
  },
  'a review asks for something': async (s) => {
    await review(s, 'SelfSubjectAccessReview', {}, 'selfsubjectaccessreviews');
  },
  'a review asks for one thing': async (s) => {
    const spec = {
      resourceAttributes: { verb: 'get' },
      nonResourceAttributes: { verb: 'get', path: '/x' },
    };
    await review(s, 'SelfSubjectAccessReview', spec, 'selfsubjectaccessreviews');
  },
  'reviews are only created': async (s) => {
    await s.call('GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
    await s.call('DELETE', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/a');
  },
  'my rules': async (s) => {
    const { code, body } = await s.aside(
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      {
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectRulesReview',
          spec: { namespace: s.ns },
        },
      },
    );
    const { incomplete } = body.status as JsonObject;
    s.note('answer', [code, body.kind, incomplete]);
  },
  'who am I': async (s) => {
    const { code, body } = await s.aside(
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      {
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      },
    );
    s.note('answer', [code, body.kind]);
  },
});
