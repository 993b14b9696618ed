/** The arrows of the house: who may import whom. A broken arrow fails `npm run verify`. */

const tests = '(\\.test\\.ts$|/testing/)';

/** `from` may import only what `to` lists, out of our own rooms. */
function room(name, from, to, extra = {}) {
  return {
    name,
    severity: 'error',
    from: { path: from, pathNot: tests, ...extra },
    to: { path: '^(shared|functions|sandbox|test|deploy)/', pathNot: to },
  };
}

/**
 * The layers of the sandbox, each with those below that it may import. Above them all stand
 * `sandbox.ts` and the entrance, `index.ts`. Its README shows the same table.
 */
export const sandboxLayers = {
  apimachinery: [],
  schema: ['apimachinery'],
  registry: ['apimachinery', 'schema'],
  store: ['registry'],
  merge: ['apimachinery', 'schema'],
  api: ['apimachinery', 'schema', 'registry', 'store', 'merge'],
  client: ['apimachinery', 'api'],
  controllers: ['apimachinery', 'registry', 'store', 'api'],
  http: ['apimachinery', 'schema', 'registry', 'api'],
};

/** A layer of the sandbox sees the layers below it and `shared`, but not what composes it. */
function sandboxLayer([layer, below]) {
  const shared = layer === 'client' ? 'shared/(domain|kube)' : 'shared/domain';
  const own = `^(${shared}|sandbox/(${[layer, ...below].join('|')}))/`;
  return room(`sandbox-${layer}-sees-what-is-below`, `^sandbox/${layer}/`, own);
}

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'not-to-dev-dependency',
      severity: 'error',
      from: { path: '^(shared|functions|sandbox)/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-test-code-in-product',
      severity: 'error',
      from: { path: '^(shared|functions|sandbox|deploy)/', pathNot: tests },
      to: { path: tests },
    },
    room('domain-imports-nothing', '^shared/domain/', '^shared/domain/'),
    {
      name: 'domain-has-no-libraries',
      severity: 'error',
      from: { path: '^shared/domain/', pathNot: tests },
      to: { dependencyTypes: ['npm', 'npm-optional', 'npm-peer'] },
    },
    room('schedules-are-pure', '^shared/schedule/', '^shared/(schedule|domain)/'),
    {
      name: 'only-schedules-import-croner',
      severity: 'error',
      from: { pathNot: '^shared/schedule/cron-times\\.ts$' },
      to: { path: 'node_modules/croner' },
    },
    room('api-imports-domain', '^shared/api/(?!work/)', '^shared/(api|schedule|domain)/'),
    // Admission judges the Jobs that an object will make.
    room('a-kind-of-work-is-pure', '^shared/api/work/', '^shared/(api|render|schedule|domain)/'),
    room('suspension-is-pure', '^shared/suspension/', '^shared/(suspension|api|schedule|domain)/'),
    room('rendering-is-pure', '^shared/render/', '^shared/(render|api|domain)/'),
    room('parents-are-pure', '^shared/parents/', '^shared/(parents|api|domain)/'),
    room('policy-is-pure', '^shared/policy/', '^shared/(policy|api|domain)/'),
    room('events-import-api-and-domain', '^shared/events/', '^shared/(events|api|domain)/'),
    room('redis-is-a-leaf', '^shared/redis/', '^shared/(redis|domain)/'),
    room('journal-stands-alone', '^shared/journal/', '^shared/(journal|redis|events|api|domain)/'),
    room('queue-stands-alone', '^shared/queue/', '^shared/(queue|redis|events|api|domain)/'),
    room('views-stand-alone', '^shared/views/', '^shared/(views|redis|kube|domain)/'),
    room('kube-stands-alone', '^shared/kube/', '^shared/(kube|events|api|domain)/'),
    room('kueue-settings-stand-alone', '^shared/kueue/', '^shared/(kueue|kube|api|domain)/'),
    room(
      'admission-answers-without-a-host',
      '^shared/admission/',
      '^shared/(admission|kube|events|api|domain)/',
    ),
    room(
      'an-installation-is-pure',
      '^shared/installation/',
      '^shared/(installation|admission|api|domain)/|^shared/redis/(grant|key-prefix)\\.ts$',
    ),
    room(
      'runtime-touches-no-queue',
      '^shared/runtime/',
      '^shared/(runtime|admission|policy|journal|views|redis|kube|subscription|events|api|domain)/',
    ),
    room(
      'a-process-serves-nothing',
      '^shared/runtime/process/',
      '^shared/(runtime/process|redis|kube|policy|events|api|domain)/',
    ),
    room(
      'http-serves-whatever-it-is-given',
      '^shared/runtime/http/',
      '^shared/(runtime/(http|process)|domain)/',
    ),
    room(
      'traces-know-what-a-process-is',
      '^shared/runtime/traces/',
      '^shared/(runtime/(process|traces)|domain)/',
    ),
    room(
      'functions-know-no-admissions',
      '^shared/runtime/function/',
      '^shared/(runtime/(function|http|process|testing|traces)|policy|journal|views|redis|kube|subscription|events|api|domain)/',
    ),
    room(
      'admissions-know-no-functions',
      '^shared/runtime/admission/',
      '^shared/(runtime/(admission|http|process)|admission|policy|journal|redis|kube|domain)/',
    ),
    room(
      'a-subscription-is-pure',
      '^shared/subscription/|^functions/[^/]+/subscription(\\.ts$|/)',
      '^shared/(subscription|suspension|parents|events|api|domain)/|^functions/[^/]+/subscription',
    ),
    {
      name: 'only-its-adapter-imports-bullmq',
      severity: 'error',
      from: { pathNot: '^(shared/queue/bullmq-[a-z-]+\\.ts$|test/)' },
      to: { path: 'node_modules/bullmq' },
    },
    {
      name: 'decide-is-pure',
      severity: 'error',
      from: { path: '^functions/[^/]+/decide(\\.ts|/)', pathNot: tests },
      to: {
        path: '^(shared|functions)/',
        pathNot:
          '^(shared/(api|domain|parents|policy|render|schedule|suspension)/|functions/[^/]+/)',
      },
    },
    {
      name: 'decide-does-no-io',
      severity: 'error',
      from: { path: '^functions/[^/]+/decide(\\.ts|/)', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'a-function-never-imports-another-function',
      severity: 'error',
      from: { path: '^functions/([^/]+)/', pathNot: '^functions/millrace/' },
      to: { path: '^functions/([^/]+)/', pathNot: '^functions/$1/' },
    },
    {
      name: 'only-the-command-line-imports-the-sandbox',
      severity: 'error',
      from: {
        path: '^(shared|functions|deploy)/',
        pathNot: '^functions/millrace/|^shared/[^/]+/testing/',
      },
      to: { path: '^sandbox/' },
    },
    {
      name: 'the-sandbox-has-one-entrance',
      severity: 'error',
      from: { pathNot: '^sandbox/' },
      to: { path: '^sandbox/', pathNot: '^sandbox/(index|schemas|testing/index)\\.ts$' },
    },
    {
      name: 'nothing-in-the-sandbox-comes-in-by-its-entrance',
      severity: 'error',
      from: { path: '^sandbox/' },
      to: { path: '^sandbox/(index|schemas|testing/index)\\.ts$' },
    },
    {
      name: 'the-sandbox-knows-nothing-of-millrace',
      severity: 'error',
      from: { path: '^sandbox/', pathNot: tests },
      to: {
        path: '^(shared|functions|test|deploy)/',
        pathNot: '^shared/(domain|kube)/',
      },
    },
    {
      name: 'every-folder-of-the-sandbox-is-a-layer',
      severity: 'error',
      from: {},
      to: {
        path: '^sandbox/[^/]+/',
        pathNot: `^sandbox/(${Object.keys(sandboxLayers).join('|')}|testing)/`,
      },
    },
    ...Object.entries(sandboxLayers).map(sandboxLayer),
    {
      name: 'only-bridge-dispatcher-and-cli-touch-a-queue',
      severity: 'error',
      from: {
        path: '^functions/',
        pathNot: `^functions/(bridge|dispatcher|millrace)/|${tests}`,
      },
      to: { path: '^shared/queue/' },
    },
    {
      name: 'only-processes-compose',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^functions/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
