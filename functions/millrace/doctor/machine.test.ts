import { expect, it } from 'vitest';
import { examineMachine } from './machine.ts';

const version = (gitVersion: string) => ({ gitVersion });
const cluster = { kubectl: 'kubectl --context production' } as never;

async function found(answer: object | undefined, node = '26.1.0') {
  const asked: string[] = [];
  const run = (command: string) => {
    asked.push(command);
    return Promise.resolve(answer === undefined ? '' : JSON.stringify(answer));
  };
  const findings = await examineMachine({ cluster }, { node, run });
  return { asked, findings };
}

it('asks kubectl about the cluster that is examined', async () => {
  const answer = { clientVersion: version('v1.35.2'), serverVersion: version('v1.36.0') };
  const { asked, findings } = await found(answer);
  expect(asked[0]).toMatch(/^kubectl --context production version -o json/);
  expect(findings.map(({ about, verdict }) => [about, verdict])).toEqual([
    ['Node', 'ok'],
    ['kubectl', 'ok'],
  ]);
});

it('finds a kubectl that is two minor versions away', async () => {
  const answer = { clientVersion: version('v1.33.2'), serverVersion: version('v1.35.0+k3s1') };
  const { findings } = await found(answer);
  expect(findings[1]).toEqual({
    about: 'kubectl',
    verdict: 'warn',
    detail: 'v1.33.2 is more than one minor version from the API server (v1.35.0+k3s1)',
    next: 'install kubectl 1.35: https://kubernetes.io/docs/tasks/tools/',
  });
});

it('finds that there is no kubectl', async () => {
  const { findings } = await found(undefined);
  expect(findings[1]).toMatchObject({ verdict: 'warn' });
});

it('does not compare with an API server that does not answer', async () => {
  const { findings } = await found({ clientVersion: version('v1.36.0') });
  expect(findings[1]).toMatchObject({ verdict: 'skip' });
});

it('finds a Node that is too old', async () => {
  const { findings } = await found(undefined, '16.20.0');
  expect(findings[0]).toMatchObject({ verdict: 'fail', detail: '16.20.0 is older than 18' });
});
