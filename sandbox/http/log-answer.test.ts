import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nowMs, type Served, served } from './testing/served.ts';

let front: Served;
const pods = '/api/v1/namespaces/default/pods';
const log = (query = '', pod = 'p') => front.ask(`GET ${pods}/${pod}/log?${query}`);

function pod(name: string, ...containers: string[]): object {
  const spec = { containers: containers.map((container) => ({ name: container, image: 'x' })) };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

beforeAll(async () => {
  front = await served();
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await front.ask('POST /api/v1/namespaces/default/serviceaccounts', account);
  expect((await front.ask(`POST ${pods}`, pod('p', 'c'))).status).toBe(201);
  expect((await front.ask(`POST ${pods}`, pod('two', 'c', 'd'))).status).toBe(201);
});
beforeEach(() => {
  front.logs.clear();
  const lines = ['one', 'two', 'three'].map((text, index) => ({
    atMs: nowMs - 30_000 + index * 10_000,
    text,
  }));
  front.logs.set('p/c', { lines, isRunning: false });
});
afterAll(() => front[Symbol.asyncDispose]());

describe('the log of a Pod', () => {
  it.each([
    ['', 'one\ntwo\nthree\n'],
    ['container=c&tailLines=2', 'two\nthree\n'],
    ['tailLines=0', ''],
    ['sinceSeconds=15', 'three\n'],
    ['sinceTime=2025-12-31T23:59:40Z', 'two\nthree\n'],
    ['limitBytes=5', 'one\nt'],
    ['tailLines=1&timestamps=true', '2025-12-31T23:59:50.000000000Z three\n'],
    ['follow=true', 'one\ntwo\nthree\n'],
  ])('with %s', async (query, text) => {
    const answer = await log(query);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text });
  });

  it('that is followed goes on until the container ends', async () => {
    front.logs.set('p/c', { lines: [{ atMs: nowMs, text: 'one' }], isRunning: true });
    const following = log('follow=true');
    await new Promise((resolve) => setTimeout(resolve, 150));
    const lines = ['one', 'two'].map((text) => ({ atMs: nowMs, text }));
    front.logs.set('p/c', { lines, isRunning: false });
    expect((await following).text).toBe('one\ntwo\n');
  });

  it('of the run before is another one', async () => {
    front.logs.set('p/c/previous', { lines: [{ atMs: nowMs, text: 'before' }], isRunning: false });
    expect((await log('previous=true')).text).toBe('before\n');
  });

  it.each([
    ['', 'none', 404, 'pods "none" not found'],
    ['container=x', 'p', 400, 'container x is not valid for pod p'],
    ['', 'two', 400, 'a container name must be specified for pod two, choose one of: [c d]'],
    [
      'container=d',
      'two',
      400,
      'container "d" in pod "two" is waiting to start: ContainerCreating',
    ],
    ['previous=true', 'p', 400, 'previous terminated container "c" in pod "p" not found'],
    [
      'tailLines=-1',
      'p',
      422,
      'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
  ])('with %s of %s is refused with %d', async (query, name, code, message) => {
    const { status, json } = await log(query, name);
    expect({ status, message: json?.['message'] }).toEqual({ status: code, message });
  });
});
