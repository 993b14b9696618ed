import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { reportFailure } from './report-failure.ts';
import { outputFaults } from './testing/output-shape.ts';

function reported(thrown: unknown, asJson: boolean, called = 'millrace') {
  let text = '';
  const exitCode = reportFailure(thrown, { write: (each) => (text += each) }, { asJson, called });
  return { text, exitCode };
}

const file = Object.assign(new Error("ENOENT: no such file or directory, open '/none'"), {
  ...{ code: 'ENOENT', syscall: 'open', path: '/none' },
});
const ofApi = (code: 'MR_API_NOT_FOUND' | 'MR_API_INVALID') =>
  new MillraceError(code, { verb: 'patch', path: '/a', detail: 'x' });
const failures = [
  ['of a command', new CommandFailure(exitCodes.notFound, 'no x', 'millrace get'), 'notFound', 4],
  ['of the file system', file, 'ENOENT', 5],
  [
    'of the API',
    new MillraceError('MR_API_UNREACHABLE', { verb: 'GET', path: '/a', detail: 'refused' }),
    'MR_API_UNREACHABLE',
    8,
  ],
  ['of a namespace that is not there', ofApi('MR_API_NOT_FOUND'), 'MR_API_NOT_FOUND', 4],
  ['of an object that is refused', ofApi('MR_API_INVALID'), 'MR_API_INVALID', 5],
  [
    'of a kubeconfig',
    new MillraceError('MR_KUBECONFIG_UNUSABLE', { path: '/k', detail: 'there is no context x' }),
    'MR_KUBECONFIG_UNUSABLE',
    5,
  ],
  ['that is unforeseen', new Error('boom'), 'general', 1],
] as const;

describe('a failure as JSON is one line of the published shape, with the same exit code', () => {
  const faults = outputFaults('error');
  it.each(failures)('%s', (_, thrown, code, exitCode) => {
    const { text, ...rest } = reported(thrown, true);
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    const line = JSON.parse(text) as unknown;
    expect(line).toMatchObject({ error: { code, exitCode } });
    expect(faults(line)).toEqual([]);
    expect(rest.exitCode).toBe(exitCode);
    expect(reported(thrown, false).exitCode).toBe(exitCode);
  });
});

it('a failure for people says what failed and what to do next', () => {
  const { text } = reported(failures[0][1], false);
  expect(text).toBe('error: no x\nnext: millrace get\n');
  expect(reported(failures[2][1], false).text).toMatch(
    /^error: .*refused.* \(MR_API_UNREACHABLE\)\nnext: .+\n$/,
  );
});

it('a path that does not exist is named in words, not in those of Node', () => {
  const { text } = reported(file, false);
  expect(text).toBe('error: /none does not exist\nnext: check the path\n');
});

it('the next command has the name that the program was called by', () => {
  const called = 'kubectl millrace';
  const { text } = reported(failures[0][1], false, called);
  expect(text).toBe('error: no x\nnext: kubectl millrace get\n');
  const inWords = new CommandFailure(
    2,
    'no x',
    'run `millrace up`, or name kubeconfig-of-millrace x',
  );
  expect(reported(inWords, false, called).text).toContain(
    'next: run `kubectl millrace up`, or name kubeconfig-of-millrace x',
  );
});

it('where closing fails as well, the first fault is reported', () => {
  const thrown = new SuppressedError(new Error('closing'), failures[0][1]);
  expect(reported(thrown, false).text).toContain('no x');
});
