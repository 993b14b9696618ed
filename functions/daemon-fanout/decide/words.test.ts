/** The texts of a DaemonJob that users read: its conditions, its message and its Events, word for word. */
import { describe, expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import type { EmitEventOperation } from '#shared/domain/plan.ts';
import type { DaemonSnapshot } from '../snapshot.ts';
import {
  at,
  cordoned,
  daemonJob,
  job,
  node,
  ownerUid,
  snapshot,
  started,
} from '../testing/builders.ts';
import { after, decided, type Decided } from '../testing/decided.ts';

const condition = ({ status }: Decided, type: string) => {
  const found = status.conditions?.find((each) => each.type === type);
  return found && `${found.status}/${found.reason}: ${found.message}`;
};
const events = ({ decision }: Decided) =>
  decision.plan.flat().filter((each): each is EmitEventOperation => each.kind === 'emitEvent');
const eventsOf = (result: Decided) =>
  events(result).map(({ type, reason, action, note }) => `${type} ${reason} ${action}: ${note}`);
const again = (seen: DaemonSnapshot, result: Decided, fields: Partial<DaemonSnapshot>) => ({
  ...after(seen, result),
  ...fields,
});
const retry =
  'to run again where it failed: kubectl -n default annotate mdj wipe millrace.dev/retry=1 --overwrite';

describe('one that starts', () => {
  const seen = snapshot(daemonJob(), { nodes: ['a', 'b'] });
  const result = decided(seen);

  it('says that it can be run, where, and that it is under way', () => {
    expect(condition(result, 'Accepted')).toBe('True/Valid: the DaemonJob can be run');
    expect(condition(result, 'NodesEligible')).toBe(
      'True/Eligible: there are nodes that can run it',
    );
    expect(condition(result, 'Progressing')).toBe('True/Running: nodes are being worked on');
  });

  it('reports on how many nodes', () => {
    expect(eventsOf(result)).toEqual(['Normal Started Start: started on 2 of 2 nodes']);
  });

  it('says nothing of what is no matter yet', () => {
    for (const type of ['Blocked', 'NodeFailed', 'Suspended', 'Complete', 'Failed']) {
      expect(condition(result, type)).toBeUndefined();
    }
    expect(condition(result, 'UnknownExcludedNode')).toBeUndefined();
    expect(result.status.message).toBeUndefined();
  });
});

describe('a field that the cluster does not know', () => {
  const warnings = [{ name: 'wipe-a', message: 'unknown field "spec.x"' }];
  const message = 'unknown field "spec.x": the cluster left it out of the Jobs';
  const owner = daemonJob({ status: started({ a: 'Started' }) });
  const seen = snapshot(owner, { nodes: ['a'], jobs: [job('a', 'running')] });
  const warned = decided({ ...seen, warnings }, 5);

  it('is reported with what became of it, and stays so', () => {
    expect(condition(warned, 'Accepted')).toBe(`True/UnknownField: ${message}`);
    expect(eventsOf(warned)).toEqual([`Warning UnknownField CreateJob: ${message}`]);
    expect(events(warned)[0]?.occurrence).toBe('generation-1');
    const ended = { ...after(seen, warned), jobs: [job('a', 'complete')] };
    expect(decided(ended, 60).events).toEqual(['Completed']);
    const later = decided(after(seen, warned), 6);
    expect(condition(later, 'Accepted')).toBe(`True/UnknownField: ${message}`);
  });

  it('is forgotten with the spec that it was in', () => {
    const edited = daemonJob({ generation: 2, status: warned.status });
    expect(condition(decided({ ...seen, daemonJob: edited }, 6), 'Accepted')).toBe(
      'True/Valid: the DaemonJob can be run',
    );
  });
});

it('a change after the start is reported as a warning', () => {
  const owner = daemonJob({ status: started({ a: 'Started' }, { specHash: 'another' }) });
  const result = decided(snapshot(owner, { nodes: ['a'], jobs: [job('a', 'running')] }), 5);
  const note =
    'a frozen field was changed after the start; nothing new starts until it is restored';
  expect(eventsOf(result)).toEqual([`Warning SpecChanged Validate: ${note}`]);
  expect(condition(result, 'Accepted')).toBe(`False/SpecChanged: ${note}`);
});

describe('one that no node can run', () => {
  const nodes = [node('a', { skip: cordoned })];

  it('says why in its status and in an Event', () => {
    const result = decided(snapshot(daemonJob(), { nodes }));
    const message =
      'the only node cannot run it: 1 Cordoned; it starts with the first one that can run it';
    expect(condition(result, 'NodesEligible')).toBe(`False/NoEligibleNodes: ${message}`);
    expect(condition(result, 'Progressing')).toBe(
      'False/NoEligibleNodes: no node has been started',
    );
    expect(eventsOf(result)).toEqual([`Warning NoEligibleNodes ChooseNodes: ${message}`]);
  });

  it('counts the reasons, in their order', () => {
    const silent = { reason: 'Tainted', message: 'x' };
    const skips = [silent, cordoned, silent].map((skip, at) => node(`n${at}`, { skip }));
    expect(decided(snapshot(daemonJob(), { nodes: skips })).status.message).toContain(
      'none of 3 nodes can run it: 1 Cordoned, 2 Tainted; ',
    );
  });

  it('says so without a list where there is no node at all', () => {
    expect(decided(snapshot(daemonJob())).status.message).toBe(
      'there is no node; it starts with the first one that can run it',
    );
  });
});

it('an unknown name in excludeNodeList is reported until a node has it', () => {
  const owner = daemonJob({ spec: { excludeNodeList: 'ghost' } });
  const seen = snapshot(owner, { nodes: ['a'] });
  const result = decided(seen);
  const message = 'excludeNodeList names no node of this cluster: ghost';
  expect(condition(result, 'UnknownExcludedNode')).toBe(`True/UnknownExcludedNode: ${message}`);
  expect(eventsOf(result)).toContain(`Warning UnknownExcludedNode ChooseNodes: ${message}`);
  const known = decided(again(seen, result, { nodes: [node('a'), node('ghost')] }), 5);
  expect(condition(known, 'UnknownExcludedNode')).toBe(
    'False/AllKnown: every excluded node is there',
  );
});

describe('a node that fails', () => {
  const jobs = ['a', 'b'].map((name) => job(name, 'failed'));
  const owner = daemonJob({ status: started({ a: 'Started', b: 'Started', c: 'Started' }) });
  const seen = snapshot(owner, {
    nodes: ['a', 'b', 'c'],
    jobs: [...jobs, job('c', 'running')],
  });
  const failed = decided(seen, 10);
  const ended = again(seen, failed, { jobs: [...jobs, job('c', 'complete')] });

  it('is reported in full, with the names of the others', () => {
    expect(eventsOf(failed)).toEqual([
      'Warning NodeFailed RunOnNode: node a: BackoffLimitExceeded: it failed; also b',
    ]);
    expect(condition(failed, 'NodeFailed')).toBe('True/NodeFailed: failed: a, b');
    expect(events(failed)[0]?.occurrence).toBe('wipe-a-daemonjob-uid-1');
  });

  it('is the end of the DaemonJob, with the way to go on', () => {
    const result = decided(ended, 20);
    const message = 'failed: a, b (BackoffLimitExceeded: it failed)';
    expect(condition(result, 'Failed')).toBe(`True/NodeFailed: ${message}`);
    expect(condition(result, 'Progressing')).toBe('False/Failed: the DaemonJob has failed');
    expect(eventsOf(result)).toEqual([`Warning Failed Fail: ${message}; ${retry}`]);
  });

  it('is started again by hand, with one Event each time', () => {
    const result = decided(ended, 20);
    const asked = daemonJob({ status: result.status, retry: '7' });
    const retried = decided({ ...ended, daemonJob: asked }, 30);
    const [first] = events(retried).filter(({ reason }) => reason === 'RetryRequested');
    expect(first).toMatchObject({
      ...{
        type: 'Normal',
        action: 'Retry',
        note: 'failed nodes are started again by hand (millrace.dev/retry=7; another retry needs another value)',
      },
      occurrence: 'retry-7',
    });
    expect(condition(retried, 'Failed')).toBe('False/Restarted: the DaemonJob continues');
    expect(condition(retried, 'NodeFailed')).toBe(
      'False/NoNodeFailed: failed nodes were started again',
    );
  });
});

it('the end is reported with the number of nodes that succeeded', () => {
  const owner = daemonJob({ status: started({ a: 'Started' }) });
  const result = decided(snapshot(owner, { nodes: ['a'], jobs: [job('a', 'complete')] }), 60);
  expect(condition(result, 'Complete')).toBe('True/AllNodesSucceeded: its only node succeeded');
  expect(condition(result, 'Progressing')).toBe('False/Succeed: every node succeeded');
  expect(eventsOf(result)).toEqual(['Normal Completed Complete: its only node succeeded']);
});

it('an end that a further machine takes back is none any more', () => {
  const spec = { completionPolicy: 'Never' } as const;
  const owner = daemonJob({ spec, status: started({ a: 'Started' }) });
  const seen = snapshot(owner, { nodes: ['a'], jobs: [job('a', 'complete')] });
  const ended = decided(seen, 60);
  const nodes = [node('a'), node('b', { creationTimestamp: at(70) })];
  const result = decided(again(seen, ended, { nodes }), 80);
  expect(condition(ended, 'Complete')).toBe('True/AllNodesSucceeded: its only node succeeded');
  expect(condition(result, 'Complete')).toBe('False/NotComplete: the DaemonJob is not complete');
});

it('a node that is stopped because another one failed counts as failed', () => {
  const spec = { failurePolicy: 'FailFast' } as const;
  const owner = daemonJob({ spec, status: started({ a: 'Failed', b: 'Cancelled' }) });
  expect(condition(decided(snapshot(owner, { nodes: ['a', 'b'] }), 5), 'NodeFailed')).toBe(
    'True/NodeFailed: failed: a, b',
  );
});

it('a retry that is requested where nothing has failed is not reported', () => {
  const owner = daemonJob({ retry: '1', status: started({ a: 'Started' }) });
  const seen = snapshot(owner, { nodes: ['a'], jobs: [job('a', 'running')] });
  expect(decided(seen, 5).events).not.toContain('RetryRequested');
});

it('nodes that are held up are reported by one Event for each reason', () => {
  const owner = daemonJob({ status: started({ a: 'Started', b: 'Started', c: 'Started' }) });
  const nodes = [node('a', { isSilent: true }), node('b', { isSilent: true }), node('c')];
  const since = at(0);
  const trouble = { pod: 'c-x', reason: 'ImagePullBackOff', message: 'no such image', since };
  const pods = { active: 1, failed: 0, trouble };
  const jobs = [job('a', 'running'), job('b', 'running'), job('c', 'running', { pods })];
  const silent = 'the node does not report, so the state of its Pod is unknown';
  const [first, second, ...more] = eventsOf(decided(snapshot(owner, { nodes, jobs }), 90));
  expect(first).toMatch(/^Warning ImagePullBackOff RunOnNode: node c: .*no such image/);
  expect(second).toBe(`Warning NodeNotReady RunOnNode: node a: NodeNotReady: ${silent}; also b`);
  expect([first?.includes('also'), more]).toEqual([false, []]);
});

it('a Job without a Pod is reported once, in the words of its Events', () => {
  const owner = daemonJob({ status: started({ a: 'Started' }) });
  const refused = (used: number) => {
    const events = { refusal: `pods "wipe-a-${used}" is forbidden: used: pods=${used}` };
    return [job('a', 'running', { pods: { active: 0, failed: 0, events } })];
  };
  const seen = snapshot(owner, { nodes: ['a'], jobs: refused(1) });
  const first = decided(seen, 30);
  expect(first.status).toMatchObject({ state: 'Running', reason: 'FailedCreate' });
  expect(first.status.message).toMatch(
    /^node a: no Pod could be created: pods "wipe-a-1" is forbidden: .*describe job wipe-a$/,
  );
  expect(first.events).toEqual(['FailedCreate']);
  expect(decided(again(seen, first, { jobs: refused(22) }), 45).decision.plan).toEqual([]);
});

it('the end waits for a Job that is on its way out with its machine', () => {
  const owner = daemonJob({ status: started({ a: 'Started', b: 'Started' }) });
  const leaving = job('a', 'running', { deletionTimestamp: at(3) });
  const seen = snapshot(owner, { nodes: ['b'], jobs: [leaving, job('b', 'complete')] });
  expect(decided(seen, 20).status.state).toBe('Running');
  expect(decided({ ...seen, jobs: [job('b', 'complete')] }, 20).status.state).toBe('Succeed');
});

describe('a Job that is refused', () => {
  const rejections = [{ name: 'wipe-b', code: 'Forbidden' as const, message: 'not here' }];
  const owner = daemonJob({ status: started({ a: 'Started' }) });
  const seen = snapshot(owner, { nodes: ['a', 'b'], jobs: [job('a', 'running')], rejections });

  it('is reported with its node, and so is its creation in the end', () => {
    const result = decided(seen, 5);
    expect(condition(result, 'Blocked')).toBe('True/Forbidden: node b: not here');
    expect(eventsOf(result)).toEqual(['Warning Forbidden CreateJob: node b: not here']);
    expect(result.status.message).toBe('node b: not here');
    const jobs = [job('a', 'running'), job('b', 'running')];
    const created = decided(again(seen, result, { rejections: [], jobs }), 90);
    expect(condition(created, 'Blocked')).toBe('False/NotBlocked: every requested Job was created');
  });
});

describe('one that is suspended', () => {
  const ours = { annotations: { [annotations.suspendedBy]: ownerUid } };
  const status = started({ a: 'Started' });
  const owner = daemonJob({ spec: { suspend: true }, status });
  const seen = snapshot(owner, { nodes: ['a'], jobs: [job('a', 'running')] });

  it('says that its Jobs are being stopped, that they are, and that it goes on', () => {
    const stopping = decided(seen, 5);
    expect(condition(stopping, 'Suspended')).toBe(
      'False/Suspending: running Jobs are being stopped',
    );
    const stopped = again(seen, stopping, { jobs: [job('a', 'suspended', ours)] });
    const result = decided(stopped, 10);
    expect(condition(result, 'Suspended')).toBe('True/Suspended: spec.suspend is true');
    expect(condition(result, 'Progressing')).toBe('False/Suspended: spec.suspend is true');
    expect(eventsOf(result)).toEqual(['Normal Suspended Suspend: spec.suspend is true']);
    const resumed = { ...stopped, daemonJob: daemonJob({ generation: 2, status: result.status }) };
    const going = decided(resumed, 20);
    expect(condition(going, 'Suspended')).toBe('False/Resumed: the DaemonJob is not suspended');
    expect(eventsOf(going)).toEqual(['Normal Resumed Resume: the DaemonJob continues']);
    expect(events(going)[0]?.occurrence).toBe(`generation-2-${at(10)}`);
  });

  it('names the policy that holds it and the time of the opening', () => {
    const policy = 'SuspendPolicy/default/nights';
    const held = { policy, reason: 'WindowClosed', since: at(0), until: at(60) };
    const own = { [annotations.held]: JSON.stringify(held) };
    const daemonJob = { ...owner, metadata: { ...owner.metadata, annotations: own } };
    const result = decided({ ...seen, daemonJob, jobs: [job('a', 'suspended', ours)] }, 10);
    const message = `held by ${policy} (WindowClosed) until ${at(60)}`;
    expect(result.status).toMatchObject({ state: 'Suspended', reason: 'HeldByPolicy', message });
    expect(condition(result, 'Suspended')).toBe(`True/HeldByPolicy: ${message}`);
    expect(condition(result, 'Progressing')).toBe(`False/Suspended: ${message}`);
    expect(eventsOf(result)).toEqual([`Normal Suspended Suspend: ${message}`]);
  });
});

it('a machine that is gone is reported with the Job that ran there', () => {
  const owner = daemonJob({ status: started({ a: 'Started', b: 'Started' }) });
  const seen = snapshot(owner, { nodes: ['b'], jobs: [job('a', 'running'), job('b', 'running')] });
  const result = decided(seen, 5);
  const message = 'the node is gone, so its Job is deleted';
  expect(result.entry('a')).toEqual({
    name: 'a',
    state: 'Running',
    jobName: 'wipe-a',
    reason: 'NodeGone',
    message,
  });
  expect(eventsOf(result)).toEqual([`Normal NodeGone RunOnNode: node a: NodeGone: ${message}`]);
});

it('a Job that its controller has not started is reported a minute after its creation', () => {
  const owner = daemonJob({ status: started({ a: 'Started' }) });
  const seen = snapshot(owner, { nodes: ['a'], jobs: [job('a', 'pending')] });
  expect(decided(seen, 59).entry('a')).toBeUndefined();
  const late = decided(seen, 60);
  expect(late.entry('a')).toMatchObject({
    reason: 'JobNotStarted',
    message:
      'the Job controller has not started the Job for more than a minute: check that kube-controller-manager runs; ' +
      'kubectl -n default describe job wipe-a',
  });
  expect(late.events).toContain('JobNotStarted');
  expect(late.status).toMatchObject({ reason: 'JobNotStarted' });
});
