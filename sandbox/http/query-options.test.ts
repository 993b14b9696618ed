import { describe, expect, it } from 'vitest';
import type { ApiVerb } from '../api/api-call.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { deleteOptionsFromBody, isSet, optionsFromQuery } from './query-options.ts';

const read = (verb: ApiVerb, query: string) => optionsFromQuery(verb, new URLSearchParams(query));

function refusalOf(verb: ApiVerb, query: string): StatusError {
  try {
    read(verb, query);
  } catch (error) {
    if (error instanceof StatusError) return error;
  }
  throw new Error(`${verb}?${query} was not refused`);
}

describe('query parameters', () => {
  it('of a list are its selectors and page', () => {
    expect(
      read('list', 'labelSelector=a%3Db&fieldSelector=c%3Dd&limit=5&continue=x&pretty=1'),
    ).toEqual({ labelSelector: 'a=b', fieldSelector: 'c=d', limit: 5, continue: 'x' });
  });

  it('of a watch say whether it begins with what there is', () => {
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1';
    expect(read('watch', query)).toEqual({
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    });
  });

  it('of a write say who writes and whether it is a trial', () => {
    expect(read('patch', 'fieldManager=me&force=true&dryRun=All&fieldValidation=Strict')).toEqual({
      fieldManager: 'me',
      force: true,
      dryRun: true,
      fieldValidation: 'Strict',
    });
  });

  it('of a delete turn the deprecated orphanDependents into a policy', () => {
    expect(read('delete', 'orphanDependents=true')).toEqual({ propagationPolicy: 'Orphan' });
    expect(read('delete', 'orphanDependents=false')).toEqual({ propagationPolicy: 'Background' });
  });

  it('that are empty count as absent', () => {
    expect(read('list', 'labelSelector=&limit=&resourceVersion=')).toEqual({});
  });

  it.each([
    ['watch=1', true],
    ['watch', true],
    ['watch=x', true],
    ['watch=0', false],
    ['watch=False', false],
    ['', false],
  ])('%s asks for a watch: %s', (query, expected) => {
    expect(isSet(new URLSearchParams(query), 'watch')).toBe(expected);
  });

  const list = 'ListOptions.meta.k8s.io "" is invalid: ';
  it.each<[ApiVerb, string, number, string]>([
    ['list', 'limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'list',
      'resourceVersionMatch=Exact',
      422,
      `${list}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`,
    ],
    [
      'list',
      'sendInitialEvents=true',
      422,
      `${list}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`,
    ],
    [
      'watch',
      'sendInitialEvents=true',
      422,
      `${list}resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
    ],
    [
      'delete',
      'dryRun=foo',
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["foo"]: supported values: "All"',
    ],
    [
      'delete',
      'propagationPolicy=foo',
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "foo": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      'create',
      `fieldManager=${'a'.repeat(129)}`,
      422,
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    ],
    [
      'create',
      'fieldValidation=foo',
      422,
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "foo": supported values: "", "Ignore", "Strict", "Warn"',
    ],
  ])('%s?%s is refused with %d as by the API server', (verb, query, code, message) => {
    expect(refusalOf(verb, query)).toMatchObject({ code, message });
  });
});

describe('the body of a delete', () => {
  it('holds policy, grace, preconditions and trial', () => {
    expect(
      deleteOptionsFromBody({
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Foreground',
        gracePeriodSeconds: 0,
        preconditions: { uid: 'u', resourceVersion: '5' },
        dryRun: ['All'],
      }),
    ).toEqual({
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u', resourceVersion: '5' },
      dryRun: true,
    });
  });

  it('of another kind is refused', () => {
    expect(() => deleteOptionsFromBody({ kind: 'Pod' })).toThrow(/no DeleteOptions/);
  });
});
