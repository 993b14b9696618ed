import { describe, expect, it } from 'vitest';
import { podFailure } from './pod-failure.ts';

const at = '2026-01-05T10:00:00Z';
const failed = (status: object) => podFailure({ status: { phase: 'Failed', ...status } });
const ended = (terminated: object, name = 'main') => ({
  name,
  state: { terminated: { finishedAt: at, ...terminated } },
});
const endedWith = (terminated: object) => failed({ containerStatuses: [ended(terminated)] });

describe('how a Pod failed', () => {
  it('its container ended with a code: the log shows more', () => {
    expect(endedWith({ exitCode: 3, reason: 'Error' })).toEqual({
      message: 'container main exited 3',
      shownBy: 'logs',
      at,
    });
  });

  it.each([
    [{ exitCode: 137 }, 'container main exited 137 (SIGKILL)'],
    [{ exitCode: 143, signal: 15 }, 'container main exited 143 (SIGTERM)'],
    [{ exitCode: 255 }, 'container main exited 255'],
    [{ exitCode: 200, signal: 40 }, 'container main exited 200 (signal 40)'],
  ])('%j names the signal', (terminated, message) => {
    expect(endedWith({ reason: 'Error', ...terminated })?.message).toBe(message);
  });

  it('it used more memory than it may', () => {
    expect(endedWith({ exitCode: 137, reason: 'OOMKilled' })).toMatchObject({
      message: 'container main exceeded its memory limit (OOMKilled, exit code 137)',
      shownBy: 'describe',
    });
  });

  it.each([
    ['StartError', 128],
    ['ContainerCannotRun', 127],
  ])('its command is not there: %s, and there is no log to look at', (reason, exitCode) => {
    const message = 'exec: "nope": executable file not found in $PATH';
    expect(endedWith({ exitCode, reason, message })).toMatchObject({
      message: `container main could not be started (${reason}, exit code ${exitCode}): ${message}`,
      shownBy: 'describe',
    });
  });

  it('the container that failed is named to kubectl when it is not the one that it shows anyway', () => {
    const fine = { name: 'main', state: { terminated: { exitCode: 0 } } };
    const two = failed({ containerStatuses: [fine, ended({ exitCode: 1 }, 'sidecar')] });
    expect(two).toMatchObject({ message: 'container sidecar exited 1', container: 'sidecar' });
    const init = failed({ initContainerStatuses: [ended({ exitCode: 1 }, 'prepare')] });
    expect(init).toMatchObject({ container: 'prepare' });
  });

  it.each([
    ['Evicted', 'The node was low on resource: memory.'],
    ['OutOfcpu', 'Pod was rejected'],
    ['DeadlineExceeded', 'Pod was active on the node longer than the specified deadline'],
  ])('the kubelet ended it as a whole: %s', (reason, message) => {
    expect(failed({ reason, message })).toEqual({
      message: `its Pod failed (${reason}): ${message}`,
      shownBy: 'describe',
    });
  });

  it('it had to make room for another one, whatever code its container ended with', () => {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'preempted',
    };
    const status = { conditions: [condition], containerStatuses: [ended({ exitCode: 143 })] };
    expect(failed(status)).toMatchObject({
      message: 'its Pod was disrupted (PreemptionByScheduler): preempted',
      at,
    });
  });

  it.each([
    ['it runs', { phase: 'Running' }],
    ['it succeeded', { phase: 'Succeeded' }],
    ['nothing is said', {}],
    ['there is no status', undefined],
  ])('is unknown when %s', (_, status) => {
    expect(podFailure({ status })).toBeUndefined();
  });
});
