import { describe, expect, it } from 'vitest';
import {
  asResourceVersion,
  asUid,
  type KubeObject,
  type Resource,
} from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import type { ListOptions } from '#shared/kube/client.ts';
import { findNamed, findOne } from './find-named.ts';
import { requireWhole } from './require-whole.ts';

const { JobFlow, DaemonJob, AppWrapper, SuspendPolicy, ClusterSuspendPolicy, Job } = resources;

/** A cluster with these objects: KIND, namespace and name. */
function clusterOf(...there: readonly (readonly [Resource, string, string])[]) {
  const objects = there.map(([resource, namespace, name]) => ({
    resource,
    object: {
      metadata: { namespace, name, uid: asUid(name), resourceVersion: asResourceVersion('1') },
    } as KubeObject,
  }));
  const ofKind = (resource: Resource) =>
    objects.filter((each) => each.resource === resource).map(({ object }) => object);
  return {
    namespace: 'default',
    kubectl: 'kubectl',
    client: {
      get: (resource: Resource, { namespace, name }: { namespace?: string; name: string }) =>
        Promise.resolve(
          ofKind(resource).find(
            ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
          ),
        ),
      list: (resource: Resource, { namespace, fieldSelector }: ListOptions = {}) =>
        Promise.resolve({
          resourceVersion: asResourceVersion('1'),
          items: ofKind(resource)
            .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
            .filter(
              ({ metadata }) =>
                fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name}`,
            ),
        }),
    },
  };
}

const wholes = [JobFlow, DaemonJob, AppWrapper].map((resource) => ({ resource }));
const cluster = clusterOf(
  [JobFlow, 'default', 'hello'],
  [AppWrapper, 'default', 'hello'],
  [DaemonJob, 'default', 'scan'],
  [JobFlow, 'team-a', 'etl'],
  [DaemonJob, 'team-b', 'etl'],
);

describe('a name that finds nothing', () => {
  it('says that an object of another kind has the name', async () => {
    const kinds = [{ resource: JobFlow }, { resource: AppWrapper }];
    await expect(findOne('scan', kinds, cluster)).rejects.toMatchObject({
      message: 'scan is a DaemonJob, and this command is for a JobFlow or AppWrapper',
      next: 'millrace get daemonjob/scan',
    });
  });

  it.each([
    [
      'helo',
      'no JobFlow, DaemonJob or AppWrapper is called helo in the namespace default; did you mean hello?',
      'millrace get -A',
    ],
    [
      'etl',
      'no JobFlow, DaemonJob or AppWrapper is called etl in the namespace default; the namespaces team-a and team-b have one',
      'the same with -n team-a or -n team-b',
    ],
    [
      'mjf/etl',
      'no JobFlow is called etl in the namespace default; the namespace team-a has one',
      'the same with -n team-a',
    ],
    [
      'jobflw/hello',
      'there is no kind jobflw; did you mean jobflow?',
      'the same with jobflow/hello',
    ],
    [
      'secret/absent',
      'no JobFlow, DaemonJob or AppWrapper is called secret in the namespace default, and secret is no kind that this command knows',
      'millrace get -A',
    ],
    [
      'mjf/absent',
      'no JobFlow is called absent in the namespace default',
      'millrace get jobflows -A',
    ],
  ])('%s says what is there instead', async (what, message, next) => {
    await expect(findNamed(what, wholes, cluster)).rejects.toMatchObject({
      exitCode: 4,
      message,
      next,
    });
  });

  it('names the list of the kind that was meant', async () => {
    const policies = [SuspendPolicy, ClusterSuspendPolicy].map((resource) => ({ resource }));
    await expect(findNamed('absent', policies, cluster)).rejects.toMatchObject({
      next: 'millrace get suspendpolicies -A',
    });
    await expect(
      findNamed('job/absent', [...wholes, { resource: Job }], cluster),
    ).rejects.toMatchObject({ next: 'kubectl get jobs -A' });
  });
});

it.each(['', '/', 'jobflow/', '/report'])('the name "%s" is no name', async (what) => {
  await expect(findNamed(what, wholes, cluster)).rejects.toMatchObject({
    exitCode: 2,
    message: `"${what}" names no object`,
    next: 'write NAME or KIND/NAME, such as hello or jobflow/hello',
  });
});

it('what shows an object of another kind is the kubectl of that cluster', async () => {
  const kubectl = 'kubectl --kubeconfig /k';
  await expect(findNamed('pod/x', wholes, { ...cluster, kubectl })).rejects.toMatchObject({
    next: 'kubectl --kubeconfig /k get pod/x',
  });
});

it.each([
  ['hello/fetch', '', 'millrace cancel hello'],
  ['mjf/hello/fetch', '', 'millrace cancel jobflow/hello'],
  ['jobflw/hello', '; did you mean jobflow/hello?', 'the same with jobflow/hello'],
])('%s is refused where a whole is needed', (what, hint, next) => {
  const fault = expect.objectContaining({
    exitCode: 2,
    message: `\`cancel\` acts on a whole flow, and ${what} names a part of one${hint}`,
    next,
  }) as Error;
  expect(() => requireWhole(what, 'cancel', 'flow')).toThrow(fault);
});

it('a kind that the command is not for is named with those that it is for', async () => {
  await expect(findNamed('msp/nights', wholes, cluster)).rejects.toMatchObject({
    exitCode: 2,
    message:
      'msp/nights is a SuspendPolicy, and this command is for a JobFlow, DaemonJob or AppWrapper',
    next: 'millrace get suspendpolicy/nights',
  });
  const flows = [{ resource: JobFlow }];
  await expect(findNamed('aw/hello', flows, cluster)).rejects.toMatchObject({
    message: 'aw/hello is an AppWrapper, and this command is for a JobFlow',
  });
});

it('a name that several kinds have is ambiguous to a command for one object', async () => {
  const ambiguous = {
    exitCode: 2,
    message: 'several objects are called hello; name the kind too',
    next: 'the same with jobflow/hello or appwrapper/hello',
  };
  await expect(findOne('hello', wholes, cluster)).rejects.toMatchObject(ambiguous);
  expect(await findNamed('hello', wholes, cluster)).toHaveLength(2);
});

it('a part of an object needs the kind if several kinds have the name', async () => {
  await expect(findNamed('hello/report', wholes, cluster)).rejects.toMatchObject({
    exitCode: 2,
    next: 'the same with jobflow/hello/report or appwrapper/hello/report',
  });
});

it('everything behind the name is the part, as a component is called KIND/NAME', async () => {
  const [found] = await findNamed('aw/hello/Job/wrapped', wholes, cluster);
  expect(found?.named).toMatchObject({ name: 'hello', part: 'Job/wrapped' });
});
