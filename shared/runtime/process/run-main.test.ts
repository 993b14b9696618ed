import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { runMain, type MainOptions, type Started } from './run-main.ts';
import { logSettings, shutdownSettings } from './service-settings.ts';
import { testHost, type TestHost } from '../testing/host-process.ts';

const schema = Type.Object({ ...shutdownSettings, ...logSettings });
const noop = (): Promise<void> => Promise.resolve();

function run(process: TestHost, started: Partial<Started> = {}): Promise<void> {
  const start: MainOptions<typeof schema>['start'] = async () => ({
    url: 'http://x',
    stop: noop,
    ...started,
  });
  return runMain({ process, name: 'part', version: '1.0.0', schema, start });
}

describe('arguments', () => {
  it.each(['--help', '-h'])('%s prints the settings and exits with 0', async (argument) => {
    const host = testHost({}, [argument]);
    await run(host);
    expect(host.exitCodes).toEqual([0]);
    expect(host.printed()).toContain('MILLRACE_DRAIN_SECONDS (integer, default 25): ');
  });
  it('any other is named, and exits with 2', async () => {
    const host = testHost({}, ['--port=1']);
    await run(host);
    expect(host.exitCodes).toEqual([2]);
    expect(host.printed()).toBe(
      'error: part takes no arguments, and got --port=1\n' +
        'next: set its environment variables, which --help lists\n',
    );
  });
});

it('says what to do next when the start fails, and exits with 1', async () => {
  const host = testHost();
  await runMain({
    process: host,
    name: 'part',
    version: '1.0.0',
    schema,
    start: () => {
      throw new MillraceError('MR_KUBECONFIG_UNUSABLE', { path: '/x', detail: 'not there' });
    },
  });
  expect(host.exitCodes).toEqual([1]);
  expect(host.printed()).toContain('/x: not there (MR_KUBECONFIG_UNUSABLE)\nnext: ');
});

it('exits with 1 when the work cannot continue', async () => {
  const host = testHost();
  const error = new MillraceError('MR_NO_PROGRESS', { queue: 'flow-advance', seconds: 15 });
  await run(host, { ended: Promise.reject(error) });
  expect(await host.exited).toBe(1);
  expect(host.printed()).toContain('items have been waiting in flow-advance for 15 s');
});

describe('a signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s stops and exits with 0', async (signal) => {
    const host = testHost();
    let stopped = false;
    const stop = async (): Promise<void> => {
      stopped = true;
    };
    await run(host, { stop });
    host.signal(signal);
    expect(await host.exited).toBe(0);
    expect(stopped).toBe(true);
  });
  it('that comes a second time exits with 130 at once', async () => {
    const host = testHost();
    await run(host, { stop: () => new Promise(() => undefined) });
    host.signal('SIGTERM');
    host.signal('SIGTERM');
    expect(host.exitCodes).toEqual([130]);
  });
  it('exits with 1 when stopping fails', async () => {
    const host = testHost();
    await run(host, { stop: () => Promise.reject(new Error('stuck')) });
    host.signal('SIGTERM');
    expect(await host.exited).toBe(1);
    expect(host.printed()).toContain('did not stop cleanly');
  });
});
