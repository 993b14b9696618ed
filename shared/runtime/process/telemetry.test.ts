import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLogger, createRegistry, type LoggerOptions } from './telemetry.ts';

async function logged(options: Partial<LoggerOptions>, isTTY = false): Promise<string> {
  const destination = Object.assign(new PassThrough(), { isTTY });
  const chunks: Buffer[] = [];
  destination.on('data', (chunk: Buffer) => chunks.push(chunk));
  const logger = await createLogger({ name: 'bridge', version: '1.0.0', destination, ...options });
  logger.info({ key: 'JobFlow/default/a', redis: { password: 'hunter2' } }, 'plan applied');
  logger.debug('the path taken');
  await new Promise((resolve) => setImmediate(resolve));
  return Buffer.concat(chunks).toString();
}

describe('a logger', () => {
  it('writes JSON with words for levels and RFC 3339 for times', async () => {
    const line = JSON.parse(await logged({})) as Record<string, unknown>;
    expect(line).toMatchObject({
      level: 'info',
      name: 'bridge',
      version: '1.0.0',
      key: 'JobFlow/default/a',
      msg: 'plan applied',
    });
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
  it('writes for people on a terminal, and when asked to', async () => {
    expect(await logged({}, true)).toMatch(/INFO.*JobFlow\/default\/a {2}plan applied/);
    expect(await logged({ format: 'pretty' })).toContain('plan applied');
    expect(await logged({ format: 'json' }, true)).toMatch(/^{/);
  });
  it('leaves out what is below its level', async () => {
    expect(await logged({})).not.toContain('the path taken');
    expect(await logged({ level: 'debug' })).toContain('the path taken');
  });
  it.each(['json', 'pretty'] as const)('never shows a password (%s)', async (format) => {
    const text = await logged({ format });
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('hunter2');
  });
});

it('gives every process a registry of its own', async () => {
  const text = await createRegistry({ process: 'bridge' }).metrics();
  expect(text).toMatch(/process_cpu_user_seconds_total{process="bridge"}/);
  expect(await createRegistry().metrics()).not.toContain('bridge');
});

it('exposes no gauge of Node whose name says that it is a counter', async () => {
  const registered = await createRegistry().getMetricsAsJSON();
  const gauges = registered.filter(({ type }) => String(type) === 'gauge');
  expect(gauges.map(({ name }) => name)).toContain('nodejs_active_handles');
  expect(gauges.filter(({ name }) => name.endsWith('_total'))).toEqual([]);
});
