import { describe, expect, it } from 'vitest';
import { routeOf } from './route.ts';

const resource = { group: '', version: 'v1', namespace: '', name: '', subresource: '' };

describe('a path', () => {
  it.each([
    ['/api/v1/pods', { ...resource, plural: 'pods' }],
    ['/api/v1/nodes/n', { ...resource, plural: 'nodes', name: 'n' }],
    ['/api/v1/namespaces', { ...resource, plural: 'namespaces' }],
    ['/api/v1/namespaces/a', { ...resource, plural: 'namespaces', name: 'a' }],
    [
      '/api/v1/namespaces/a/finalize',
      { ...resource, plural: 'namespaces', name: 'a', subresource: 'finalize' },
    ],
    ['/api/v1/namespaces/a/pods', { ...resource, namespace: 'a', plural: 'pods' }],
    [
      '/api/v1/namespaces/a/pods/p/log',
      { ...resource, namespace: 'a', plural: 'pods', name: 'p', subresource: 'log' },
    ],
    [
      '/apis/batch/v1/namespaces/a/jobs/j%20k/',
      { ...resource, group: 'batch', namespace: 'a', plural: 'jobs', name: 'j k' },
    ],
  ])('%s names a resource', (path, expected) => {
    expect(routeOf(path)).toEqual({ kind: 'resource', path: expected });
  });

  it.each([
    ['/', { kind: 'root' }],
    ['/api', { kind: 'versions' }],
    ['/apis/', { kind: 'groups' }],
    ['/apis/batch', { kind: 'group', group: 'batch' }],
    ['/api/v1', { kind: 'resources', group: '', version: 'v1' }],
    ['/apis/batch/v1', { kind: 'resources', group: 'batch', version: 'v1' }],
    ['/api/v1/watch/pods', { kind: 'legacy-watch' }],
    ['/openapi/v2', { kind: 'openapi-v2' }],
    ['/openapi/v3', { kind: 'openapi-v3-index' }],
    ['/openapi/v3/apis/batch/v1', { kind: 'openapi-v3', path: 'apis/batch/v1' }],
    ['/version/', { kind: 'version' }],
    ['/readyz', { kind: 'health', check: 'readyz' }],
    ['/metrics', { kind: 'unknown' }],
  ])('%s names a document', (path, expected) => {
    expect(routeOf(path)).toEqual(expected);
  });

  it('that is badly encoded names nothing', () => {
    expect(routeOf('/api/v1/pods/%zz')).toBeUndefined();
  });
});
