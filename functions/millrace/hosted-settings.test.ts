import { expect, it } from 'vitest';
import { appwrapperLifecycle } from '#functions/appwrapper-lifecycle/function.ts';
import { wrapperAdmission } from '#functions/appwrapper-admission/admissions.ts';
import { flowAdvance } from '#functions/flow-advance/function.ts';
import { suspendAdmission } from '#functions/suspend-admission/admissions.ts';
import { readHosted } from './hosted-settings.ts';

const functions = [flowAdvance, appwrapperLifecycle];
const admissions = [wrapperAdmission, suspendAdmission];
const read = (environment: Readonly<Record<string, string>>) =>
  readHosted(functions, admissions, environment);

it('functions are as they are declared where nothing is set', () => {
  const hosted = read({ MILLRACE_APPWRAPPER_STRICT: '', PATH: '/bin' });
  expect(hosted.functions.map((fn, index) => fn === functions[index])).toEqual([true, true]);
});

it('the name by which the program was called is no setting', () => {
  const hosted = read({ MILLRACE_PROGRAM: 'kubectl millrace' });
  expect(hosted.functions).toEqual(functions);
});

it('the function whose setting is set is another one', () => {
  const hosted = read({ MILLRACE_APPWRAPPER_RETRY_LIMIT: '0' });
  expect(hosted.functions.map((fn, index) => fn === functions[index])).toEqual([true, false]);
  expect(hosted.functions[1]?.subscription).toBe(appwrapperLifecycle.subscription);
});

it('each admission process gets the settings of its own', () => {
  const queue = { MILLRACE_APPWRAPPER_DEFAULT_QUEUE: 'user-queue' };
  const { 'appwrapper-admission': ofWrappers, 'suspend-admission': ofSuspension } =
    read(queue).admissions;
  expect(ofWrappers).toEqual({
    wrapperDefaultQueue: 'user-queue',
    wrapperChecksRights: true,
    wrapperMostPodSets: 8,
    wrapperKinds: '',
  });
  expect(ofSuspension).toMatchObject({ kueueManagesUnlabelled: false });
});

it.each([
  [
    { MILLRACE_APPWRAPPER_RETRY_LIMIT: 'x' },
    'MILLRACE_APPWRAPPER_RETRY_LIMIT: "x" must be integer',
  ],
  [
    { MILLRACE_APPWRAPPER_WARMUP_GRACE: '5' },
    'MILLRACE_APPWRAPPER_WARMUP_GRACE: "5" is no duration',
  ],
  [{ MILLRACE_APPWRAPPER_STRIKT: 'true' }, 'MILLRACE_APPWRAPPER_STRIKT is not a setting'],
  [{ MILLRACE_POLICY: 'profile=restricted' }, 'MILLRACE_POLICY is not a setting'],
])('%o is refused by name', (environment, fault) => {
  expect(() => read(environment)).toThrow(fault);
});
