import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { describeConfiguration, readConfiguration, type Environment } from './configuration.ts';

const schema = Type.Object({
  port: Type.Integer({
    env: ['PORT', 'FUNC_PORT'],
    minimum: 1,
    maximum: 65_535,
    default: 8080,
    description: 'Port to listen on.',
  }),
  redisUrl: Type.String({ env: ['REDIS_URL'], pattern: '^rediss?://', secret: true }),
  level: Type.Enum(['info', 'debug'], { env: ['MILLRACE_LEVEL'], default: 'info' }),
  ratio: Type.Optional(Type.Number({ env: ['MILLRACE_RATIO'], maximum: 1 })),
  strict: Type.Boolean({ env: ['MILLRACE_STRICT'], default: false }),
});
const redis = { REDIS_URL: 'redis://127.0.0.1:6379' };
const read = (environment: Environment) => readConfiguration(schema, environment);
function faultsOf(environment: Environment): string[] {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'MR_CONFIG_INVALID') {
      return String(error.fields['faults']).split('; ');
    }
    throw error;
  }
  return [];
}

it('takes the defaults where nothing is set', () => {
  expect(read(redis)).toEqual({
    port: 8080,
    redisUrl: 'redis://127.0.0.1:6379',
    level: 'info',
    strict: false,
  });
});

it('parses numbers and booleans', () => {
  const environment = { ...redis, PORT: '9000', MILLRACE_RATIO: '0.25', MILLRACE_STRICT: 'true' };
  expect(read(environment)).toMatchObject({ port: 9000, ratio: 0.25, strict: true });
});

it('takes the first variable that is set; an empty one is not', () => {
  expect(read({ ...redis, PORT: '1', FUNC_PORT: '2' }).port).toBe(1);
  expect(read({ ...redis, PORT: '', FUNC_PORT: '2' }).port).toBe(2);
});

it('reports every fault at once', () => {
  const environment = { PORT: 'http', MILLRACE_LEVEL: 'loud', MILLRACE_RATIO: '2', MILLRACE_X: '' };
  expect(faultsOf(environment)).toEqual([
    'PORT: "http" must be integer',
    'REDIS_URL is required',
    'MILLRACE_LEVEL: "loud" must be one of info|debug',
    'MILLRACE_RATIO: "2" must be <= 1',
    'MILLRACE_X is not a setting of this process',
  ]);
});

describe('numbers', () => {
  it.each(['8080x', ' 8080', '0x10', '1e3', '8_080', '1.5', '-1', '65536', 'NaN', '٣'])(
    'refuses %j',
    (text) => {
      expect(faultsOf({ ...redis, PORT: text })).toHaveLength(1);
    },
  );
});

it.each(['yes', '1', 'TRUE'])('refuses the boolean %s', (text) => {
  expect(faultsOf({ ...redis, MILLRACE_STRICT: text })).toEqual([
    `MILLRACE_STRICT: "${text}" must be boolean`,
  ]);
});

it('keeps a secret value out of the message', () => {
  expect(faultsOf({ REDIS_URL: 'http://:hunter2@host' })).toEqual([
    'REDIS_URL: its value must match pattern "^rediss?://"',
  ]);
});

it('takes the variables that Kubernetes sets for a Service called millrace-x for no settings', () => {
  const links = {
    MILLRACE_X_SERVICE_HOST: '10.0.0.1',
    MILLRACE_X_SERVICE_PORT: '80',
    MILLRACE_X_SERVICE_PORT_HTTP: '80',
    MILLRACE_X_PORT: 'tcp://10.0.0.1:80',
    MILLRACE_X_PORT_80_TCP_ADDR: '10.0.0.1',
  };
  expect(faultsOf({ ...redis, ...links })).toEqual([]);
  expect(faultsOf({ ...redis, MILLRACE_Y_PORT: '80' })).toHaveLength(1);
});

it('documents each setting: name, type, default, meaning', () => {
  expect(describeConfiguration(schema).split('\n').slice(0, 3)).toEqual([
    'PORT, or FUNC_PORT (integer, default 8080): Port to listen on.',
    'REDIS_URL (string, required): ',
    'MILLRACE_LEVEL (info|debug, default "info"): ',
  ]);
});
